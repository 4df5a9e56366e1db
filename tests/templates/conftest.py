"""Who drafts from tables: profiles are read in this process, and a draft is tried in sessions or taken as it comes."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, Self

import pytest

from authoring.languages import Language
from authoring.seeds import SHIPPED_SEEDS_DIR, Profile, build_profile
from authoring.seeds.meanings import infer_semantics
from authoring.seeds.semantics import Semantics
from authoring.store.drafting.sketches import SketchItem
from authoring.templates import DraftedSet, draft_from_sketch, sketch_from_profile, sketched_thread, template_draft
from evaluator.language import Problemset, parse_problemset
from evaluator.session import Engine
from tests.seeds.read_here import files_read_here

FEW_PLANS: Final = 8  # threads that a sketch compares here, a tenth of those that it compares at work


@pytest.fixture(autouse=True, scope="module")
def few_plans() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sketched_thread, "PLANS", FEW_PLANS)
        yield


class Agreeable:
    """Stands in for the sessions of a draft and takes every problem: for what is decided without them."""

    agreeing = ()

    def __init__(self, *_: object) -> None:
        pass

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def consider(self, *_: object) -> None:
        return None


@dataclass(frozen=True)
class Author:
    """Profiles files and drafts from them, as the pipeline does."""

    inputs: Path
    bench: type = Agreeable
    engine: Engine | None = None  # of a `Bench`

    @property
    def profile(self) -> Profile:
        return profile_here(self.inputs)

    def draft(
        self,
        *,
        rng_seed: int = 0,
        items: Sequence[SketchItem] | None = None,
        semantics: Semantics | None = None,
        language: Language = Language.ENGLISH,
    ) -> DraftedSet:
        chosen = (
            items if items is not None else sketch_from_profile(self.profile, rng_seed=rng_seed, semantics=semantics)
        )
        options: dict[str, Any] = {"rng_seed": rng_seed, "semantics": semantics, "language": language}
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(template_draft, "Bench", self.bench)
            return draft_from_sketch(self.engine, self.inputs, self.profile, chosen, name="draft", **options)  # pyrefly: ignore[bad-argument-type]


@cache
def profile_here(inputs: Path) -> Profile:
    """Profile the files of a folder in this process."""
    with files_read_here():
        return build_profile(None, sorted(inputs.iterdir()))  # pyrefly: ignore[bad-argument-type]  # needs no engine here


@cache
def shipped_profile(name: str) -> tuple[Profile, Semantics]:
    """Return the stored profile of a shipped seed, and what the rules make of it."""
    stored = json.loads((SHIPPED_SEEDS_DIR / name / "profile.json").read_text(encoding="utf-8"))
    profile = Profile.from_json(stored["profile"])
    return profile, infer_semantics(profile)


def parsed(text: str) -> Problemset:
    """Return the problemset of a draft, which must have no diagnostic."""
    found = parse_problemset(text, name="draft")
    assert found.diagnostics == ()
    assert found.problemset is not None
    return found.problemset


@pytest.fixture
def author(tmp_path: Path) -> Callable[..., Author]:
    """Return an author for the files that a function writes into a folder."""

    def make(write: Callable[[Path], object], bench: type = Agreeable, engine: Engine | None = None) -> Author:
        (folder := tmp_path / "inputs").mkdir()
        write(folder)
        return Author(folder, bench, engine)

    return make
