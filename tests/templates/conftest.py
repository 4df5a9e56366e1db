"""One engine for all template tests, and seeds made of awkward tables."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from authoring.seeds import Profile, build_profile
from authoring.store.sketches import SketchItem
from authoring.templates import DraftedSet, draft_from_sketch, sketch_from_profile
from evaluator.session import Engine


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    with Engine(trusted=True) as made:
        yield made


@dataclass(frozen=True)
class Author:
    """Profiles files and drafts from them, as the pipeline does."""

    engine: Engine
    inputs: Path

    def profile(self) -> Profile:
        return build_profile(self.engine, sorted(self.inputs.iterdir()))

    def draft(self, profile: Profile, *, rng_seed: int = 0, items: Sequence[SketchItem] | None = None) -> DraftedSet:
        chosen = items if items is not None else sketch_from_profile(profile, rng_seed=rng_seed)
        return draft_from_sketch(self.engine, self.inputs, profile, chosen, rng_seed=rng_seed, name="draft")


@pytest.fixture
def author(engine: Engine, tmp_path: Path) -> Callable[..., Author]:
    """Return an author for the files that a function writes into a folder."""

    def make(write: Callable[[Path], object]) -> Author:
        folder = tmp_path / "inputs"
        folder.mkdir()
        write(folder)
        return Author(engine, folder)

    return make
