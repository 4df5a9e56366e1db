"""Chooses which problems a draft shall hold: families, their slots and their order, from a profile alone."""

import json
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final, NamedTuple

from authoring.seeds import Profile
from authoring.store.sketches import SketchItem
from authoring.templates.board import Board, Slots
from authoring.templates.families import FAMILIES
from authoring.templates.families.loading import main_table
from authoring.templates.family import WORDING, Family, Task
from evaluator.errors import ContentError

MIN_PROBLEMS: Final = 10
MAX_PROBLEMS: Final = 15
MIN_ROWS: Final = 5
LOAD: Final = "load_table"
REPAIRS: Final = ("drop_duplicates", "strip_spaces", "lower_case", "to_number", "parse_dates")  # in this order
GAPS: Final = (
    "count_missing",
    "fill_by_group",
    "fill_missing",
    "drop_missing",
    "fill_category",
    "drop_useless_columns",
)
JOINS: Final = ("unmatched_keys", "join_tables")
MAX_REPAIRS: Final = 3
MAX_GAPS: Final = 2
PREPARES: Final = frozenset({LOAD, *REPAIRS, *GAPS, *JOINS})
STORES: Final = frozenset(  # their results are what later problems build on
    {"group_summary", "define_function", "store_subset", "split_by_position", "ratio_column", "bins", "melt"}
)
BUILDS_ON: Final = frozenset(
    {"rank_summary", "summary_range", "weighted_mean", "back_to_rows", "apply_function", "holdout_error"}
)
ALIKE: Final = {  # families whose questions are nearly the same: what they are called together, what they are about
    "group_deviation": ("deviation", ("group", "number")),
    "back_to_rows": ("deviation", ("group", "number")),
    "group_aggregate": ("by group", ("group", "number")),
    "group_summary": ("by group", ("group", "number")),
    "group_shares": ("frequencies", ("group",)),
    "frequent_values": ("frequencies", ("text",)),
}
_NOT_IDENTITY: Final = frozenset({WORDING, "value", "values", "levels", "how", "method", "show", "new", "var", "ddof"})


class Candidate(NamedTuple):
    """A problem that fits the state: its family, slots and what comes of them."""

    family: Family
    slots: Slots
    task: Task


@dataclass
class Plan:
    """What was chosen so far, for variety."""

    target: int
    covered: Collection[str] = ()
    families: Counter[str] = field(default_factory=Counter)
    themes: Counter[str] = field(default_factory=Counter)
    wordings: dict[str, int] = field(default_factory=dict)  # of each family, the one used last
    seen: set[str] = field(default_factory=set)  # identities of chosen and of refused candidates
    reserved: set[str] = field(default_factory=set)  # identities that items still to come will use

    def note(self, candidate: Candidate) -> None:
        """Count a chosen candidate."""
        self.families[candidate.family.name] += 1
        self.themes[candidate.family.theme] += 1
        self.wordings[candidate.family.name] = candidate.slots.get(WORDING, 0)
        self.refuse(candidate)

    def refuse(self, candidate: Candidate) -> None:
        """Never propose the candidate again."""
        self.seen.add(identity(candidate.family, candidate.slots))


def sketch_from_profile(profile: Profile, *, rng_seed: int, covered: Collection[str] = ()) -> tuple[SketchItem, ...]:
    """Choose 10 to 15 problems for the tables of a profile.

    Args:
        profile: What is known about the tables.
        rng_seed: The same seed gives the same sketch, another one other problems.
        covered: Knowledge points that accepted sets hold already; they are chosen less often.

    Raises:
        ContentError: If the tables are too small or too plain for ten problems.
    """
    check_profile(profile)
    rng = Random(f"sketch {rng_seed}")  # noqa: S311  # a reproducible choice
    plan = Plan(target=rng.randint(12, 14), covered=frozenset(covered))
    board, items = Board(profile), list[SketchItem]()
    while len(items) < plan.target:
        found = next(candidates(board, plan, rng), None)
        if found is None:
            break
        plan.note(found)
        items.append(item_of(found, board))
        board = next_board(found, board)
    if len(items) < MIN_PROBLEMS:
        raise too_small(profile, len(items))
    return tuple(items)


def check_profile(profile: Profile) -> None:
    """Refuse tables of which no problem with one clear answer can be made.

    Raises:
        ContentError: If there is none with enough rows.
    """
    if not profile.tables:
        raise ContentError("the seed has no table", fix="add a data file")
    table = profile.tables[main_table(Board(profile))]
    if table.rows < MIN_ROWS:
        rows = "1 row" if table.rows == 1 else f"{table.rows} rows"
        what = f"{table.file!r} has {rows}: too few for problems whose answers cannot be guessed"
        raise ContentError(what, where=table.file, fix=f"use a table with at least {MIN_ROWS} rows, better 50 or more")


def too_small(profile: Profile, count: int) -> ContentError:
    """Return the refusal of tables that give too few problems."""
    table = profile.tables[main_table(Board(profile))]
    what = (
        f"only {count} different problems with one clear answer can be made of {table.file!r} "
        f"({table.rows:,} rows, {len(table.columns)} columns); {MIN_PROBLEMS} are needed"
    )
    return ContentError(what, where=table.file, fix="use a table with more rows, more columns or more varied values")


def item_of(candidate: Candidate, board: Board) -> SketchItem:
    """Return the sketch item of a candidate for the problem `board.step`."""
    family, slots, task = candidate
    return SketchItem(
        number=board.step,
        query_idea=family.idea_text(task),
        knowledge_points=family.knowledge_points,
        depends_on=dependencies(board, task),
        difficulty=family.difficulty,
        family=family.name,
        slots=dict(slots),
    )


def dependencies(board: Board, task: Task) -> tuple[int, ...]:
    """Return the numbers of the problems whose results a task reads."""
    makers = {one.var: one.made_by for one in board.summaries} | {one.var: one.made_by for one in board.callees}
    needed: set[int] = set()
    for var, columns in task.uses:
        if var in board.frames:
            frame = board.frames[var]
            needed |= {frame.made_by, *(frame.steps[name] for name in columns if name in frame.steps)}
        elif var in makers:
            needed.add(makers[var])
    return tuple(sorted(needed))


def next_board(candidate: Candidate, board: Board) -> Board:
    """Return the state after a candidate."""
    named = {name for _, columns in candidate.task.uses for name in columns}
    return candidate.task.board.after(sorted(named) if board.main else ())


def identity(family: Family, slots: Slots) -> str:
    """Return what makes two problems of one family the same to a reader: the columns, not the threshold."""
    if family.name in ALIKE:
        name, keys = ALIKE[family.name]
        return json.dumps([name, slots.get("frame"), [slots.get(key) for key in keys]])
    kept = {key: _unordered(value) for key, value in slots.items() if key not in _NOT_IDENTITY}
    return json.dumps([family.name, kept], sort_keys=True)


def _unordered(value: Any) -> Any:
    """Return a list of columns in one order: the correlation of two is that of the two the other way round."""
    return sorted(map(str, value)) if isinstance(value, list | tuple) else value


def candidates(board: Board, plan: Plan, rng: Random, first: Sequence[str] = ()) -> Iterator[Candidate]:
    """Yield problems that fit the state, the best choice first.

    Args:
        board: The state.
        plan: What was chosen before.
        rng: Decides between equals.
        first: Families to try before all others.
    """
    for patience in (0, 1, 3, 6):  # how often a family may stand beyond its limit when there are too few
        names = [*first, *(_preparation(board, plan) if not patience else ()), *_ranked(board, plan, rng)]
        for name in names:
            family = FAMILIES[name]
            if plan.families[name] < family.limit + patience:
                yield from _of_family(family, board, plan, rng)


def _of_family(family: Family, board: Board, plan: Plan, rng: Random) -> Iterator[Candidate]:
    for raw in family.propose(board, rng):
        wording = rng.randrange(len(family.wordings))
        if wording == plan.wordings.get(family.name):
            wording = (wording + 1) % len(family.wordings)
        slots: dict[str, Any] = {**raw, WORDING: wording}
        if identity(family, slots) in plan.seen | plan.reserved:
            continue
        yield Candidate(family, slots, family.build(board, slots))


def _preparation(board: Board, plan: Plan) -> list[str]:
    """Return the families that must come before questions are asked: load, repair, fill gaps, join."""
    links = any(key.table in board.loaded and key.to_table not in board.loaded for key in board.profile.foreign_keys)
    if not board.loaded or (links and plan.families[LOAD] < 2):
        return [LOAD]
    repairs = [] if sum(plan.families[name] for name in REPAIRS) >= MAX_REPAIRS else list(REPAIRS)
    gaps = [name for name in GAPS if not plan.families[name]]
    enough = sum(plan.families[name] for name in GAPS) >= MAX_GAPS
    joins = [name for name in JOINS if not plan.families[name]] if not plan.families["join_tables"] else []
    return [*repairs, *([] if enough else gaps), *joins]


def _ranked(board: Board, plan: Plan, rng: Random) -> list[str]:
    """Return the families that ask questions, in a random order that favours variety."""
    if not board.main:
        return [LOAD]
    names = [name for name in FAMILIES if name not in PREPARES]
    keys = {name: rng.random() ** (1 / _weight(FAMILIES[name], board, plan)) for name in names}
    return sorted(names, key=lambda name: -keys[name])


def _weight(family: Family, board: Board, plan: Plan) -> float:
    done = board.step / plan.target  # 0..1
    weight = 1 / (1 + 4 * plan.families[family.name]) / (1 + 0.8 * plan.themes[family.theme])
    if family.name in STORES:
        weight *= 2.5 if done < 0.6 else 0.3
    if family.name in BUILDS_ON:
        weight *= 4
    if family.difficulty != "medium":
        weight *= 1.5 if (family.difficulty == "easy") == (done < 0.5) else 0.6
    if family.knowledge_points[0] in plan.covered:
        weight *= 0.6
    return weight
