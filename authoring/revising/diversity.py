"""Across problemsets: problems that repeat each other, knowledge points that are overused, operations never used."""

import ast
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Final, NamedTuple

from authoring.drafting.seed_knowledge import knowledge_points_of
from authoring.store.problemsets import count as count_problemsets
from authoring.store.problemsets import select as list_problemsets
from authoring.store.revisions import Revision
from authoring.store.revisions import find as find_revision
from authoring.store.workspace import Workspace
from evaluator.language import parse_code, parse_problemset, problem_id, syntax_tree

NEAR: Final = 0.8
"""Queries are near-equal when this fraction (0..1) of their words together is in both."""
OVERUSED_SHARE: Final = 0.15  # of all problems
OVERUSED_LEAST: Final = 5  # problems (count), so that a handful of problems overuses nothing
MAX_PAIRS: Final = 200
_OPERATIONS: Final = Path(__file__).with_name("common_operations.json")
_WORD: Final = re.compile(r"\w+")


class ProblemPlace(NamedTuple):
    """A problem of a problemset."""

    problemset: str
    problem_id: str

    def __str__(self) -> str:
        """Return how lists name it."""
        return f"{self.problemset}:{self.problem_id}"


@dataclass(frozen=True)
class Repetition:
    """Two problems that ask or do the same."""

    one: ProblemPlace
    other: ProblemPlace
    why: str  # "near-equal queries" or "equal code"
    likeness: float  # a fraction in 0..1

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {"one": str(self.one), "other": str(self.other), "why": self.why, "likeness": round(self.likeness, 3)}


@dataclass(frozen=True)
class Diversity:
    """What the problems of some problemsets cover."""

    problemsets: tuple[str, ...]
    problems: int
    unread: tuple[str, ...]  # problemsets whose newest text does not parse
    repetitions: tuple[Repetition, ...]
    overused: dict[str, int]  # knowledge point -> problems (count), most frequent first
    used: dict[str, int]  # common operation -> problems (count)
    uncovered: dict[str, tuple[str, ...]]  # area -> common operations that no problem uses

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            **{"problemsets": list(self.problemsets), "problems": self.problems, "unread": list(self.unread)},
            "repetitions": [each.to_json() for each in self.repetitions],
            **{"overused": self.overused, "used": self.used},
            "uncovered": {area: list(names) for area, names in self.uncovered.items()},
        }


@dataclass(frozen=True)
class _Entry:
    place: ProblemPlace
    words: frozenset[str]
    code: str  # normalised; empty: too short to say anything, or it does not parse
    names: frozenset[str]
    points: tuple[str, ...]


def measure_diversity(ws: Workspace, refs: Sequence[str] = ()) -> Diversity:
    """Compare the problems of problemsets with each other.

    Args:
        ws: The workspace.
        refs: NAME (its head) or NAME@3; none: the heads of all problemsets of the workspace.

    Raises:
        UsageError: If there is no such problemset.
    """
    revisions = [find_revision(ws, ref) for ref in refs] if refs else list(_heads(ws))
    entries: list[_Entry] = []
    unread = []
    for revision in revisions:
        found = list(_entries(revision))
        unread += [] if found else [revision.problemset_name]
        entries += found
    points = Counter(point for entry in entries for point in entry.points)
    least = max(OVERUSED_LEAST, OVERUSED_SHARE * len(entries))
    areas: dict[str, list[str]] = json.loads(_OPERATIONS.read_text(encoding="utf-8"))
    used = {name: sum(name in each.names for each in entries) for names in areas.values() for name in names}
    missing = {area: tuple(name for name in names if not used[name]) for area, names in areas.items()}
    return Diversity(
        tuple(revision.problemset_name for revision in revisions),
        len(entries),
        tuple(unread),
        tuple(_repetitions(entries)),
        {point: count for point, count in points.most_common() if count >= least},
        {name: count for name, count in used.items() if count},
        {area: names for area, names in missing.items() if names},
    )


def _heads(ws: Workspace) -> Iterator[Revision]:
    rows = list_problemsets(ws, limit=count_problemsets(ws))
    for row in sorted(rows, key=lambda row: row.name):
        yield find_revision(ws, row.head_revision_id)


def _entries(revision: Revision) -> Iterator[_Entry]:
    problemset = parse_problemset(revision.text, name=revision.problemset_name).problemset
    for index, problem in enumerate(problemset.problems if problemset is not None else (), 1):
        assert problemset is not None
        place = ProblemPlace(revision.problemset_name, problem_id(problemset, index))
        tree = parse_code(problem.code).tree
        nodes = list(ast.walk(tree)) if tree is not None else []
        attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        called = {node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
        words = frozenset(_WORD.findall(problem.query.lower()))
        names = frozenset(attributes | called)
        yield _Entry(place, words, normalised_code(problem.code), names, knowledge_points_of(problem))


def normalised_code(code: str) -> str:
    """Return code without layout, comments and the names of its own variables; empty where it says too little.

    Names that the code binds are numbered in their order; what it reads from the session stays as it is.
    """
    tree = parse_code(code).tree
    if tree is None:
        return ""
    bound: dict[str, str] = {}
    own = syntax_tree(code) if not parse_code(code).has_magics else None
    for node in ast.walk(own) if own is not None else ():
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.setdefault(node.id, f"v{len(bound) + 1}")
    for node in ast.walk(own) if own is not None else ():
        if isinstance(node, ast.Name) and node.id in bound:
            node.id = bound[node.id]
    if own is None or sum(1 for _ in ast.walk(own)) < _LEAST_NODES:
        return ""
    return ast.dump(own)


_LEAST_NODES: Final = 12  # of a syntax tree: `len(df)` twice is no repetition


def _repetitions(entries: Sequence[_Entry]) -> Iterator[Repetition]:
    found = 0
    for one, other in combinations(entries, 2):
        if found >= MAX_PAIRS:
            return
        likeness = _likeness(one.words, other.words)
        if likeness >= NEAR:
            yield Repetition(one.place, other.place, "near-equal queries", likeness)
        elif one.code and one.code == other.code:
            yield Repetition(one.place, other.place, "equal code", 1.0)
        else:
            continue
        found += 1


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    union = len(one | other)
    return len(one & other) / union if union else 0.0
