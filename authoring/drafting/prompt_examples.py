"""Which accepted sets a prompt shows: none, the newest, a random few, or those nearest to the seed at hand."""

import hashlib
import math
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from authoring.drafting.seed_knowledge import knowledge_points_of
from authoring.prompting.prompts import section
from authoring.seeds import Profile
from authoring.store import problemsets
from authoring.store.drafting.examples import example_pool
from authoring.store.drafting.seeds import Seed, find_seed
from authoring.store.revisions import Revision
from authoring.store.workspace import Workspace
from evaluator.agents.chat import clipped
from evaluator.errors import ToolkitError, UsageError
from evaluator.language import parse_problemset

MAX_EXAMPLE_CHARS: Final = 8_000  # of one accepted set in a prompt
MAX_SET_CHARS: Final = 4 * MAX_EXAMPLE_CHARS  # a longer set would be shown by a small part only
MAX_EXAMPLES: Final = 5
GRAM: Final = 3  # characters; words that share stems share grams
BUCKETS: Final = 2**20


class ExampleStrategy(StrEnum):
    """How the examples of a prompt are chosen; `all` takes the newest first."""

    NONE = "none"
    ALL = "all"
    RANDOM = "random"
    NEAREST = "nearest"


@dataclass(frozen=True)
class Example:
    """An accepted problemset that a prompt shows."""

    revision_id: int
    name: str
    text: str


@dataclass(frozen=True)
class ChosenExamples:
    """The examples of one prompt and how they were chosen."""

    strategy: ExampleStrategy
    examples: tuple[Example, ...]

    def provenance(self) -> dict[str, Any]:
        """Return the ids of the shown revisions and the strategy, as they are stored with what was made."""
        return {"examples": [e.revision_id for e in self.examples], "example_strategy": self.strategy.value}

    def section(self) -> str:
        """Return the part of a prompt that shows the examples; empty when there is none."""
        shown = (f"## {e.name}\n```python\n{clipped(e.text, MAX_EXAMPLE_CHARS)}\n```" for e in self.examples)
        return section("Accepted examples (do not repeat their problems)", "\n\n".join(shown))


def choose_examples(
    ws: Workspace, strategy: str, *, seed: Seed | None = None, points: Sequence[str] = (), rng_seed: int = 0
) -> ChosenExamples:
    """Choose at most five accepted sets of the pool.

    Args:
        ws: The workspace.
        strategy: `none`, `all` (the newest first), `random`, or `nearest` (by knowledge points and data profile).
        seed: The seed at hand, for `nearest`.
        points: The knowledge points asked for, for `nearest`; empty: only the data counts.
        rng_seed: Another number draws others, for `random`.

    Raises:
        UsageError: If there is no such strategy.
    """
    chosen = find_strategy(strategy)
    pool = [] if chosen is ExampleStrategy.NONE else [r for r in example_pool(ws) if len(r.text) <= MAX_SET_CHARS]
    if chosen is ExampleStrategy.RANDOM:
        pool = random.Random(rng_seed).sample(pool, min(len(pool), MAX_EXAMPLES))  # noqa: S311 - no secret
    elif chosen is ExampleStrategy.NEAREST:
        pool = _nearest_first(ws, pool, seed, points)
    return ChosenExamples(chosen, tuple(Example(r.id, r.problemset_name, r.text) for r in pool[:MAX_EXAMPLES]))


def find_strategy(name: str) -> ExampleStrategy:
    """Return the strategy called `name`.

    Raises:
        UsageError: If there is none.
    """
    try:
        return ExampleStrategy(name)
    except ValueError:
        fix = f"use one of {', '.join(ExampleStrategy)}"
        raise UsageError(f"there is no way {name!r} to choose examples", fix=fix) from None


def similarity(left: Mapping[int, float], right: Mapping[int, float]) -> float:
    """Return the cosine of two vectors, 0 to 1; 0 where one of them is empty."""
    product = sum(weight * right[bucket] for bucket, weight in left.items() if bucket in right)
    lengths = math.sqrt(sum(w * w for w in left.values())) * math.sqrt(sum(w * w for w in right.values()))
    return product / lengths if lengths else 0.0


def text_vector(texts: Iterable[str]) -> dict[int, float]:
    """Return texts as hashed character grams with dampened counts; equal texts give equal vectors on any machine."""
    counts = Counter(_bucket(gram) for text in texts for gram in _grams(text))
    return {bucket: 1.0 + math.log(count) for bucket, count in counts.items()}


def profile_vector(profile: Profile | None) -> dict[int, float]:
    """Return what the columns of a seed are called and what they hold as a vector; empty without a profile."""
    columns = [column for table in profile.tables for column in table.columns] if profile else []
    names = text_vector(column.name for column in columns)
    kinds = Counter(_bucket(f"kind:{column.dtype}:{column.role.value}") for column in columns)
    return {**names, **{bucket: 1.0 + math.log(count) for bucket, count in kinds.items()}}


def _nearest_first(ws: Workspace, pool: list[Revision], seed: Seed | None, points: Sequence[str]) -> list[Revision]:
    data, asked = profile_vector(_profile(seed)), text_vector(points)

    def nearness(revision: Revision) -> float:
        theirs = profile_vector(_profile(_seed_of(ws, revision)))
        return similarity(data, theirs) + similarity(asked, text_vector(_points(revision)))

    return sorted(pool, key=lambda revision: (-round(nearness(revision), 9), -revision.id))


def _points(revision: Revision) -> list[str]:
    parsed = parse_problemset(revision.text, name=revision.problemset_name).problemset
    return [point for problem in parsed.problems for point in knowledge_points_of(problem)] if parsed else []


def _seed_of(ws: Workspace, revision: Revision) -> Seed | None:
    seed_id = problemsets.find(ws, revision.problemset_id).seed_id
    return None if seed_id is None else find_seed(ws, seed_id)


def _profile(seed: Seed | None) -> Profile | None:
    if seed is None or seed.profile is None:
        return None
    try:
        return Profile.from_json(seed.profile)
    except ToolkitError:  # an old profile says nothing about nearness, and must not keep a draft from being made
        return None


def _grams(text: str) -> list[str]:
    folded = f" {' '.join(text.casefold().replace('_', ' ').split())} "
    return [folded[start : start + GRAM] for start in range(max(1, len(folded) - GRAM + 1))] if folded.strip() else []


def _bucket(gram: str) -> int:
    return int.from_bytes(hashlib.blake2b(gram.encode("utf-8", "surrogatepass"), digest_size=8).digest()) % BUCKETS
