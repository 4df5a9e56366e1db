"""Which accepted sets a prompt shows: none, the newest, a random few, or those nearest to the seed at hand."""

import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from authoring.drafting.complete_session import CompleteSession, nearest_session, queries_text, readable_profile
from authoring.drafting.example_strategy import ExampleStrategy, find_strategy
from authoring.drafting.seed_knowledge import knowledge_points_of
from authoring.drafting.text_likeness import bucket, similarity, text_vector
from authoring.prompting.blocks import BLOCKS, Block, Unit, block, cut_to_tokens, shares
from authoring.seeds import Profile
from authoring.store import problemsets
from authoring.store.drafting.examples import example_pool
from authoring.store.drafting.seeds import Seed, find_seed
from authoring.store.revisions import Revision
from authoring.store.workspace import Workspace
from evaluator.language import parse_problemset

MAX_EXAMPLES: Final = 5
TOKENS_AROUND_EXAMPLES: Final = 60
ABOVE_SESSION: Final = (
    "Take its level as yours: how queries are worded, how each problem builds on the ones before, how validators are"
    " chosen. Its data, names and problems are not yours."
)
ABOVE_OUTLINE: Final = "Take its level and its thread as yours; its data and problems are not yours."


@dataclass(frozen=True)
class Example:
    """An accepted problemset that a prompt shows."""

    revision_id: int
    name: str
    text: str

    def queries(self) -> str:
        """Return its queries, numbered; empty where it cannot be read."""
        parsed = parse_problemset(self.text, name=self.name).problemset
        return queries_text(parsed) if parsed else ""


@dataclass(frozen=True)
class ChosenExamples:
    """The examples of one prompt and how they were chosen."""

    strategy: ExampleStrategy
    examples: tuple[Example, ...]
    session: CompleteSession | None = None  # that is shown whole

    def provenance(self) -> dict[str, Any]:
        """Return the shown revisions, the session and the strategy, as they are stored with what was made."""
        return {
            "examples": [e.revision_id for e in self.examples],
            "example_strategy": self.strategy.value,
            "session": self.session.to_json() if self.session else None,
        }

    def blocks(self, *, whole: bool) -> tuple[Block, ...]:
        """Return the parts of a prompt that show the session, `whole` or its queries, and what is taken already."""
        return (self._session_block(whole=whole), self._examples_block())

    def _session_block(self, *, whole: bool) -> Block:
        if self.session is None:
            return block("session" if whole else "outline", "")
        title = f"# A sitting that reads as yours should (on other data): {self.session.name}"
        if whole:
            return block("session", self.session.text, title=title, above=ABOVE_SESSION, fence="python")
        return block("outline", self.session.outline(), title=title, above=ABOVE_OUTLINE)

    def _examples_block(self) -> Block:
        texts = [f"## {example.name}\n{example.queries()}" for example in self.examples]
        given = shares(texts, BLOCKS["examples"].tokens - TOKENS_AROUND_EXAMPLES)
        shown = [cut_to_tokens(text, tokens, Unit.LINES) for text, tokens in zip(texts, given, strict=True)]
        made = block("examples", "\n\n".join(shown), title="# Queries of accepted sets (do not repeat their problems)")
        return replace(made, is_cut=made.is_cut or shown != texts)


def choose_examples(
    ws: Workspace, strategy: str, *, seed: Seed | None = None, points: Sequence[str] = (), rng_seed: int = 0
) -> ChosenExamples:
    """Choose at most five accepted sets of the pool, and one complete session on other data unless none is wanted.

    Args:
        ws: The workspace.
        strategy: `none`, `all` (the newest first), `random`, or `nearest` (by knowledge points and data profile).
        seed: The seed at hand, for `nearest` and for the session; None: no session.
        points: The knowledge points asked for; empty: only the data counts.
        rng_seed: Another number draws others, for `random`.

    Raises:
        UsageError: If there is no such strategy.
    """
    chosen = find_strategy(strategy)
    if chosen is ExampleStrategy.NONE:
        return ChosenExamples(chosen, ())
    session = nearest_session(ws, seed, readable_profile(seed), points) if seed else None
    pool = [revision for revision in example_pool(ws) if session is None or session.source != f"revision {revision.id}"]
    if chosen is ExampleStrategy.RANDOM:
        pool = random.Random(rng_seed).sample(pool, min(len(pool), MAX_EXAMPLES))  # noqa: S311 - no secret
    elif chosen is ExampleStrategy.NEAREST:
        pool = _nearest_first(ws, pool, seed, points)
    shown = tuple(Example(r.id, r.problemset_name, r.text) for r in pool[:MAX_EXAMPLES])
    return ChosenExamples(chosen, shown, session)


def profile_vector(profile: Profile | None) -> dict[int, float]:
    """Return what the columns of a seed are called and what they hold as a vector; empty without a profile."""
    columns = [column for table in profile.tables for column in table.columns] if profile else []
    names = text_vector(column.name for column in columns)
    kinds = Counter(bucket(f"kind:{column.dtype}:{column.role.value}") for column in columns)
    return {**names, **{bucket: 1.0 + math.log(count) for bucket, count in kinds.items()}}


def _nearest_first(ws: Workspace, pool: list[Revision], seed: Seed | None, points: Sequence[str]) -> list[Revision]:
    data, asked = profile_vector(readable_profile(seed)), text_vector(points)

    def nearness(revision: Revision) -> float:
        theirs = profile_vector(readable_profile(_seed_of(ws, revision)))
        return similarity(data, theirs) + similarity(asked, text_vector(_points(revision)))

    return sorted(pool, key=lambda revision: (-round(nearness(revision), 9), -revision.id))


def _points(revision: Revision) -> list[str]:
    parsed = parse_problemset(revision.text, name=revision.problemset_name).problemset
    return [point for problem in parsed.problems for point in knowledge_points_of(problem)] if parsed else []


def _seed_of(ws: Workspace, revision: Revision) -> Seed | None:
    seed_id = problemsets.find(ws, revision.problemset_id).seed_id
    return None if seed_id is None else find_seed(ws, seed_id)
