"""One engine for all template tests, seeds made of awkward tables, and a walk through all families."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from authoring.languages import Language
from authoring.seeds import Profile, build_profile
from authoring.seeds.semantics import Semantics
from authoring.store.drafting.sketches import SketchItem
from authoring.templates import DraftedSet, draft_from_sketch, sketch_from_profile
from evaluator.session import Engine
from tests.templates.family_walk import Walk, walk_families


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    with Engine(trusted=True, preload=("matplotlib.pyplot", "sklearn.linear_model")) as made:
        yield made


@dataclass(frozen=True)
class Author:
    """Profiles files and drafts from them, as the pipeline does."""

    engine: Engine
    inputs: Path

    def profile(self) -> Profile:
        return build_profile(self.engine, sorted(self.inputs.iterdir()))

    def draft(
        self,
        profile: Profile,
        *,
        rng_seed: int = 0,
        items: Sequence[SketchItem] | None = None,
        semantics: Semantics | None = None,
        language: Language = Language.ENGLISH,
    ) -> DraftedSet:
        chosen = items if items is not None else sketch_from_profile(profile, rng_seed=rng_seed, semantics=semantics)
        return draft_from_sketch(
            self.engine,
            self.inputs,
            profile,
            chosen,
            rng_seed=rng_seed,
            name="draft",
            semantics=semantics,
            language=language,
        )


@pytest.fixture(scope="session")
def drafted(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., tuple[Author, DraftedSet]]:
    """Return who drafted from the files that a function writes, and the draft; the same for every test that asks."""

    @cache
    def make(write: Callable[[Path], object], rng_seed: int = 0) -> tuple[Author, DraftedSet]:
        folder = tmp_path_factory.mktemp("inputs")
        write(folder)
        made = Author(engine, folder)
        return made, made.draft(made.profile(), rng_seed=rng_seed)

    return make


@pytest.fixture(scope="session")
def walk(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Walk:
    """Every family tried in sessions over tables made for it."""
    return walk_families(engine, tmp_path_factory.mktemp("everything"))


@pytest.fixture
def author(engine: Engine, tmp_path: Path) -> Callable[..., Author]:
    """Return an author for the files that a function writes into a folder."""

    def make(write: Callable[[Path], object]) -> Author:
        folder = tmp_path / "inputs"
        folder.mkdir()
        write(folder)
        return Author(engine, folder)

    return make
