"""One complete problemset of high quality that a prompt shows: the one nearest to the seed, and never on its data."""

import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final

from authoring.drafting.seed_knowledge import knowledge_points_of
from authoring.drafting.text_likeness import similarity, text_vector
from authoring.seeds import ColumnProfile, ColumnRole, Profile
from authoring.seeds.shipped import CACHE_NAME, SHIPPED_SEEDS_DIR
from authoring.store import problemsets
from authoring.store.drafting.examples import example_pool
from authoring.store.drafting.seeds import Seed, find_seed
from authoring.store.problemsets import problemset_inputs
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError
from evaluator.installation import shipped_benchmark
from evaluator.language import (
    Problem,
    Problemset,
    changed_settings,
    parse_problemset,
    problem_from_parts,
    problem_settings_yaml,
    read_benchmark,
    render_cell,
)

BENCHMARK: Final = "core"  # its sets are what drafts should read like
MIN_PROBLEMS: Final = 8  # an accepted set of fewer shows no sitting
SAME: Final = 0.8  # share of equal names of columns, or of values of a column, from which on two tables are one
MIN_SAME: Final = 3  # of them (count)
SERIES: Final = 0.2  # distinct times / rows from which on the rows of a table are a series
HIDDEN: Final = ("examples", "waivers")  # settings of a problem that people add later
_TIME_WORDS: Final = frozenset({"date", "day", "month", "quarter", "time", "week", "year", "yr"})


@dataclass(frozen=True)
class CompleteSession:
    """A whole problemset that a prompt may show."""

    name: str
    source: str  # the shipped benchmark, or "revision 12"
    problemset: Problemset
    inputs: Mapping[str, str]  # file name -> sha256
    profile: Profile | None = None  # of its data, where it is known

    @property
    def points(self) -> tuple[str, ...]:
        """The knowledge points of its problems."""
        return tuple(point for problem in self.problemset.problems for point in knowledge_points_of(problem))

    @cached_property
    def text(self) -> str:
        """How a prompt shows it: cells alone, without what people add to a problem later."""
        return "\n\n".join(_shown(cell).strip() for cell in self.problemset.cells) + "\n"

    def outline(self) -> str:
        """Return its queries, one to a line, with what each problem asks for."""
        return queries_text(self.problemset)

    def to_json(self) -> dict[str, Any]:
        """Return what is stored with a text that was made with it."""
        return {"name": self.name, "source": self.source}


@dataclass(frozen=True)
class DataShape:
    """What makes two sets of tables alike to work with, whatever they are about."""

    tables: int  # count
    time: int  # 0: no column tells time; 1: one does; 2: the rows of a table are a series
    text_share: float  # columns of text / columns, 0..1
    rows: int  # of the longest table (count)

    def likeness(self, other: "DataShape") -> float:
        """Return how alike two shapes are, 0 to 1; time counts twice."""
        tables = 1 - min(1.0, abs(math.log2(self.tables / other.tables)) / 3)
        rows = 1 - min(1.0, abs(math.log10(max(self.rows, 1) / max(other.rows, 1))) / 3)
        text = 1 - abs(self.text_share - other.text_share)
        time = 1 - abs(self.time - other.time) / 2
        return (tables + rows + text + 2 * time) / 5


def nearest_session(
    ws: Workspace, seed: Seed, profile: Profile | None, points: Sequence[str] = ()
) -> CompleteSession | None:
    """Return the complete session that is most like the seed and the knowledge points asked for; None: there is none.

    A session on the seed's own data is never shown: files of the same digest or name, tables of the same columns, or
    with a column of the same texts.
    """
    files = {file.name: file.digest for file in seed.files}
    pool = [one for one in session_pool(ws) if not is_on_same_data(one, files, profile)]
    asked, shape = text_vector(points), shape_of(profile)

    def nearness(session: CompleteSession) -> float:
        theirs = shape_of(session.profile)
        data = shape.likeness(theirs) if shape and theirs else 0.0
        return round(data + similarity(asked, text_vector(session.points)), 9)

    return min(pool, key=lambda one: (-nearness(one), one.name), default=None)


def session_pool(ws: Workspace) -> tuple[CompleteSession, ...]:
    """Return what may be shown: the sets of the shipped benchmark, and the accepted ones that are long enough."""
    folder = shipped_benchmark(BENCHMARK)
    shipped = shipped_sessions(folder) if folder else ()
    return (*shipped, *_accepted_sessions(ws))


@cache
def shipped_sessions(folder: Path) -> tuple[CompleteSession, ...]:
    """Return the problemsets of a benchmark's folder."""
    sessions = []
    for problemset in read_benchmark(folder).problemsets:
        files = sorted(problemset.inputs.iterdir()) if problemset.inputs else []
        inputs = {path.name: _digest(path) for path in files if path.is_file()}
        profile = _shipped_profile(tuple(inputs))
        sessions.append(CompleteSession(problemset.name, BENCHMARK, problemset, inputs, profile))
    return tuple(sessions)


def is_on_same_data(session: CompleteSession, files: Mapping[str, str], profile: Profile | None) -> bool:
    """Return whether a session works on these files (name -> digest), or on tables that hold the same."""
    names = {name.casefold() for name in files}
    if set(session.inputs.values()) & set(files.values()) or {name.casefold() for name in session.inputs} & names:
        return True
    theirs = _fingerprints(session.profile)
    return any(_is_same(mine, other) for mine in _fingerprints(profile) for other in theirs)


def shape_of(profile: Profile | None) -> DataShape | None:
    """Return the shape of a seed's tables; None without tables."""
    if profile is None or not profile.tables:
        return None
    columns = [column for table in profile.tables for column in table.columns]
    texts = sum(column.role is ColumnRole.TEXT for column in columns)
    rows = max(table.rows for table in profile.tables)
    return DataShape(len(profile.tables), _time(profile), texts / max(len(columns), 1), rows)


def _time(profile: Profile) -> int:
    """Return the level of `DataShape.time`."""
    times = [(column, table) for table in profile.tables for column in table.columns if _tells_time(column)]
    is_series = any(column.distinct >= SERIES * table.rows for column, table in times)
    return 2 if is_series else int(bool(times))


def _tells_time(column: ColumnProfile) -> bool:
    return column.role is ColumnRole.DATE or bool(_TIME_WORDS & set(re.split(r"[\W_]+", column.name.casefold())))


def queries_text(problemset: Problemset) -> str:
    """Return the queries of a problemset, one to a line, numbered, with their knowledge points."""
    lines = []
    for number, problem in enumerate(problemset.problems, 1):
        points = ", ".join(knowledge_points_of(problem))
        lines.append(f"{number}. {' '.join(problem.query.split())}{f' [{points}]' if points else ''}")
    return "\n".join(lines)


def readable_profile(seed: Seed | None) -> Profile | None:
    """Return the profile of a seed; None where there is none, or one that an older program wrote."""
    if seed is None or seed.profile is None:
        return None
    try:
        return Profile.from_json(seed.profile)
    except ContentError:  # it says nothing about nearness, and must not keep a draft from being made
        return None


def _accepted_sessions(ws: Workspace) -> list[CompleteSession]:
    sessions = []
    for revision in example_pool(ws):
        parsed = parse_problemset(revision.text, name=revision.problemset_name).problemset
        if parsed is None or len(parsed.problems) < MIN_PROBLEMS:
            continue
        seed_id = problemsets.find(ws, revision.problemset_id).seed_id
        profile = readable_profile(find_seed(ws, seed_id) if seed_id is not None else None)
        inputs = problemset_inputs(ws, revision.problemset_id)
        sessions.append(CompleteSession(revision.problemset_name, f"revision {revision.id}", parsed, inputs, profile))
    return sessions


def _shown(cell: Any) -> str:
    if not isinstance(cell, Problem):
        return render_cell(cell)
    settings = problem_settings_yaml(cell)
    for key in HIDDEN:
        settings = changed_settings(settings, key, None) if key in cell.metadata else settings
    made, _ = problem_from_parts(cell.query, settings, cell.code, title=cell.title, own_validators=cell.own_validators)
    return render_cell(cell) if made is None else made.raw or render_cell(made)


@cache
def _shipped_profile(names: tuple[str, ...]) -> Profile | None:
    """Return what the shipped seeds' profiles say about files of these names."""
    tables = []
    for path in sorted(SHIPPED_SEEDS_DIR.glob(f"*/{CACHE_NAME}")):
        try:
            profile = Profile.from_json(json.loads(path.read_text(encoding="utf-8"))["profile"])
        except (ContentError, KeyError, ValueError):
            continue
        tables += [table for table in profile.tables if table.file in names]
    return Profile(tables=tuple(tables)) if tables else None


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _fingerprints(profile: Profile | None) -> list[tuple[str, frozenset[str]]]:
    """Return what tells tables apart: the names of their columns, and the texts of each column of few values."""
    found = []
    for table in profile.tables if profile else ():
        found.append(("columns", frozenset(column.name.casefold() for column in table.columns)))
        for column in table.columns:
            texts = frozenset(value.casefold() for value, _ in column.top if isinstance(value, str))
            found.append(("values", texts))
    return found


def _is_same(left: tuple[str, frozenset[str]], right: tuple[str, frozenset[str]]) -> bool:
    common = len(left[1] & right[1])
    return left[0] == right[0] and common >= MIN_SAME and common >= SAME * len(left[1] | right[1])
