"""Chooses which problems a draft shall hold: families, their slots and their order, from a profile alone."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, Final, NamedTuple

from authoring.languages import Language
from authoring.seeds import Profile
from authoring.store.drafting.sketches import SketchItem
from authoring.templates.board import Board, Slots
from authoring.templates.families import FAMILIES
from authoring.templates.families.tables.loading import main_table
from authoring.templates.family import WORDING, Family, Task
from authoring.templates.identities import LOAD, MAY_REPEAT, REPAIRS, identity, meanings_after
from authoring.templates.levels import Wish, level_weight
from evaluator.errors import ContentError

MIN_PROBLEMS: Final = 10
MAX_PROBLEMS: Final = 15
MIN_ROWS: Final = 5
GAPS: Final = (
    "count_missing",
    "fill_by_group",
    "fill_missing",
    "drop_missing",
    "fill_category",
    "drop_useless_columns",
    "missing_by_group",
    "interpolate",
)
JOINS: Final = ("unmatched_keys", "join_tables", "join_two")
FAULTS: Final = ("stray_values", "case_spellings", "not_numbers", "value_types", "repeated_rows")  # looked at first
COMPARED: Final = 32  # families whose problems are made and weighed at a time
LEAST_LINKED: Final = 0.25  # below this share, problems that rest on others go before all else
LINKED_SHARE: Final = 0.4  # of the problems that rest on one that does more than load a table
MAX_REPAIRS: Final = 3
MAX_GAPS: Final = 2
PREPARES: Final = frozenset({LOAD, *FAULTS, *REPAIRS, *GAPS, *JOINS})
STORES: Final = frozenset(  # their results are what later problems build on
    {
        *("group_summary", "define_function", "store_subset", "split_by_position", "ratio_column", "bins", "melt"),
        *("random_split", "tested_classes", "train_model"),
    }
)


class TaskCandidate(NamedTuple):
    """A problem that fits the state: its family, slots and what comes of them."""

    family: Family
    slots: Slots
    task: Task


@dataclass
class Plan:
    """What was chosen so far, for variety."""

    target: int
    wish: Wish = "mix"
    tables: int = 2  # to load
    joins: bool = True  # whether a joined table is stored, if there are several
    covered: Collection[str] = ()
    families: Counter[str] = field(default_factory=Counter)
    themes: Counter[str] = field(default_factory=Counter)
    wordings: dict[str, int] = field(default_factory=dict)  # of each family, the one used last
    seen: set[str] = field(default_factory=set)  # identities of chosen and of refused candidates
    reserved: set[str] = field(default_factory=set)  # identities that items still to come will use
    avoid: Collection[str] = ()  # identities that other sets of the seed hold
    meanings: dict[str, Any] = field(default_factory=dict)  # of the variables that the chosen problems store
    depths: dict[int, int] = field(default_factory=dict)  # of each problem: problems in the longest chain below it
    storing: int = 0  # problems that leave something to build on
    linked: int = 0  # problems that rest on one that does more than load a table

    def note(self, candidate: TaskCandidate, board: Board) -> None:
        """Count a problem that is chosen as number `board.step`."""
        needed = self.steps_before(dependencies(board, candidate.task))
        self.linked += bool(needed)
        if candidate.family.name != LOAD:
            self.storing += leaves_more(candidate.task.board, board)
            self.depths[board.step] = 1 + max((self.depths[number] for number in needed), default=0)
        self.families[candidate.family.name] += 1
        self.themes[candidate.family.theme] += 1
        self.wordings[candidate.family.name] = candidate.slots.get(WORDING, 0)
        self.refuse(candidate)
        self.meanings = meanings_after(candidate.family.name, candidate.slots, self.meanings)

    def refuse(self, candidate: TaskCandidate) -> None:
        """Never propose the candidate again."""
        self.seen.add(self.key(candidate.family, candidate.slots))

    def lacks_links(self, board: Board) -> bool:
        """Return whether too few of the problems so far rest on others, once there is something to rest on."""
        return board.step > LINKED_SHARE * self.target and self.linked < LEAST_LINKED * board.step

    def steps_before(self, needed: Iterable[int]) -> list[int]:
        """Return the numbers of the problems among `needed` that do more than load a table."""
        return [number for number in needed if number in self.depths]

    def key(self, family: Family, slots: Slots) -> str:
        """Return the identity of a problem in this set."""
        return identity(family.name, slots, self.meanings)

    def allows(self, family: Family, slots: Slots) -> bool:
        """Return whether a problem repeats none that was chosen, refused, is still to come or is to be avoided."""
        key = self.key(family, slots)
        if key in self.seen or key in self.reserved:
            return False
        return family.name in MAY_REPEAT or key not in self.avoid


def sketch_from_profile(
    profile: Profile,
    *,
    rng_seed: int,
    covered: Collection[str] = (),
    avoid: Collection[str] = (),
    difficulty: Wish = "mix",
    language: Language = Language.ENGLISH,
) -> tuple[SketchItem, ...]:
    """Choose 10 to 15 problems for the tables of a profile.

    Args:
        profile: What is known about the tables.
        rng_seed: The same seed gives the same sketch, another one other problems.
        covered: Knowledge points that accepted sets hold already; they are chosen less often.
        avoid: What `sketch_identities` says of other sketches of the seed: none of their problems is chosen.
        difficulty: Which measured level of reference code is favoured; `mix` goes from easy to hard.
        language: Of the ideas; it changes no choice.

    Raises:
        ContentError: If the tables are too small or too plain for ten problems, or for ten that are not to be avoided.
    """
    check_profile(profile)
    rng = Random(f"sketch {rng_seed}")  # noqa: S311  # a reproducible choice
    plan = Plan(target=rng.randint(12, 14), wish=difficulty, covered=frozenset(covered), avoid=frozenset(avoid))
    plan.tables, plan.joins = rng.choice((2, 3) if difficulty != "hard" else (2,)), rng.random() < 0.6
    board, items = Board(profile), list[SketchItem]()
    while len(items) < plan.target:
        found = next(candidates(board, plan, rng), None)
        if found is None:
            break
        plan.note(found, board)
        items.append(item_of(found, board, language))
        board = next_board(found, board)
    if len(items) < MIN_PROBLEMS:
        raise too_small(profile, len(items), avoided=bool(avoid))
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


def too_small(profile: Profile, count: int, *, avoided: bool = False) -> ContentError:
    """Return the refusal of tables that give too few problems."""
    table = profile.tables[main_table(Board(profile))]
    if avoided:
        what = f"only {count} problems can be made of {table.file!r} that other sketches of it do not hold"
        return ContentError(what, where=table.file, fix="use another seed, or let some problems repeat")
    what = (
        f"only {count} different problems with one clear answer can be made of {table.file!r} "
        f"({table.rows:,} rows, {len(table.columns)} columns); {MIN_PROBLEMS} are needed"
    )
    return ContentError(what, where=table.file, fix="use a table with more rows, more columns or more varied values")


def item_of(candidate: TaskCandidate, board: Board, language: Language) -> SketchItem:
    """Return the sketch item of a candidate for the problem `board.step`."""
    family, slots, task = candidate
    return SketchItem(
        number=board.step,
        query_idea=family.idea_text(task, language),
        knowledge_points=family.knowledge_points,
        depends_on=dependencies(board, task),
        difficulty=task.level,
        family=family.name,
        slots=dict(slots),
    )


def dependencies(board: Board, task: Task) -> tuple[int, ...]:
    """Return the numbers of the problems whose results a task reads."""
    needed: set[int] = set()
    for var, columns in task.uses:
        if var in board.frames:
            frame = board.frames[var]
            needed |= {frame.made_by, *(frame.steps[name] for name in columns if name in frame.steps)}
        elif var in board.makers:
            needed.add(board.makers[var])
    return tuple(sorted(needed))


def next_board(candidate: TaskCandidate, board: Board) -> Board:
    """Return the state after a candidate."""
    named = {name for _, columns in candidate.task.uses for name in columns}
    return candidate.task.board.after(sorted(named) if board.main else ())


def leaves_more(after: Board, before: Board) -> bool:
    """Return whether a problem leaves something that later ones can rest on."""
    return after.frames is not before.frames or after.variables != before.variables


def candidates(board: Board, plan: Plan, rng: Random, first: Sequence[str] = ()) -> Iterator[TaskCandidate]:
    """Yield problems that fit the state, the best choice first.

    Args:
        board: The state.
        plan: What was chosen before.
        rng: Decides between equals.
        first: Families to try before all others.
    """
    board = replace(board, seeks_made=plan.linked < LINKED_SHARE * board.step)
    for patience in (0, 1, 3, 6):  # how often a family may stand beyond its limit when there are too few

        def free(name: str, patience: int = patience) -> bool:
            return plan.families[name] < FAMILIES[name].limit + patience

        for name in filter(free, [*first, *(_preparation(board, plan, rng) if not patience else ())]):
            yield from _of_family(FAMILIES[name], board, plan, rng)
        names = [name for name in FAMILIES if name not in PREPARES] if board.main else [LOAD]
        ranked = _ranked(filter(free, names), board, plan, rng)
        for best, others in _linked_first(ranked, board, plan) if plan.lacks_links(board) else ranked:
            if plan.allows(best.family, best.slots):  # it may have been refused under another name since
                yield best
            yield from others


def _of_family(family: Family, board: Board, plan: Plan, rng: Random) -> Iterator[TaskCandidate]:
    for raw in family.propose(board, rng):
        wording = rng.randrange(len(family.wordings))
        if wording == plan.wordings.get(family.name):
            wording = (wording + 1) % len(family.wordings)
        slots: dict[str, Any] = {**raw, WORDING: wording}
        if plan.allows(family, slots):
            yield TaskCandidate(family, slots, family.build(board, slots))


def _preparation(board: Board, plan: Plan, rng: Random) -> list[str]:
    """Return the families that must come before questions are asked: load, look at faults, repair, fill gaps, join."""
    links = any(key.table in board.loaded and key.to_table not in board.loaded for key in board.profile.foreign_keys)
    if not board.loaded or (links and plan.families[LOAD] < plan.tables):
        return [LOAD]
    faults = [name for name in FAULTS if not sum(plan.families[one] for one in FAULTS)]
    repairs = [] if sum(plan.families[name] for name in REPAIRS) >= MAX_REPAIRS else list(REPAIRS)
    most = 1 if plan.wish in ("easy", "hard") else MAX_GAPS
    gaps = [] if sum(plan.families[name] for name in GAPS) >= most else rng.sample(GAPS, len(GAPS))
    joins = [] if any(plan.families[name] for name in JOINS[1:]) else [n for n in JOINS if not plan.families[n]]
    if plan.families[LOAD] > 2:
        joins.reverse()  # two tables can be joined to the main one
    if not plan.joins:
        joins = []
    return [*faults, *repairs, *gaps, *joins]


def _ranked(
    names: Iterable[str], board: Board, plan: Plan, rng: Random
) -> Iterator[tuple[TaskCandidate, Iterator[TaskCandidate]]]:
    """Yield the best problem of each family with its others, in a random order that favours what the set lacks."""
    order = sorted((-(rng.random() ** (1 / _family_weight(name, board, plan))), name) for name in names)
    for start in range(0, len(order), COMPARED):
        found = []
        for _, name in order[start : start + COMPARED]:
            others = _of_family(FAMILIES[name], board, plan, rng)
            best = next(others, None)
            if best is not None:
                found.append((-(rng.random() ** (1 / _weight(best, board, plan))), best, others))
        yield from ((best, others) for _, best, others in sorted(found, key=lambda one: one[0]))


def _linked_first(
    ranked: Iterable[tuple[TaskCandidate, Iterator[TaskCandidate]]], board: Board, plan: Plan
) -> Iterator[tuple[TaskCandidate, Iterator[TaskCandidate]]]:
    """Yield the problems that rest on others first, then those that leave something to rest on, then the rest."""
    storing: list[tuple[TaskCandidate, Iterator[TaskCandidate]]] = []
    later: list[tuple[TaskCandidate, Iterator[TaskCandidate]]] = []
    for best, others in ranked:
        if plan.steps_before(dependencies(board, best.task)):
            yield best, others
        else:
            (storing if leaves_more(best.task.board, board) else later).append((best, others))
    yield from storing
    yield from later


def _family_weight(name: str, board: Board, plan: Plan) -> float:
    family = FAMILIES[name]
    weight = 1 / (1 + 4 * plan.families[name]) / (1 + 0.8 * plan.themes[family.theme])
    if name in STORES:
        weight *= 2.5 if board.step < 0.6 * plan.target else 0.3
    return weight * (0.6 if family.knowledge_points[0] in plan.covered else 1.0)


def _weight(candidate: TaskCandidate, board: Board, plan: Plan) -> float:
    """Return how much a problem is favoured by its level and by what it builds on."""
    task, weight = candidate.task, 1.0
    done = min(board.step / plan.target, 1.0)
    needed = plan.steps_before(dependencies(board, task))
    if needed:
        weight *= (8 if done < 0.4 else 60) if board.seeks_made else 1.5
        if len(needed) > 1 or max(plan.depths[number] for number in needed) > 1:
            weight *= 1.5
    elif board.seeks_made and plan.storing < 2 and task.board is not board:
        weight *= 10  # it stores something to build on
    return max(weight * level_weight(task.level, plan.wish, done), 1e-6)
