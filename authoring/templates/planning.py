"""Plans an analysis of a seed's tables: a thread of problems that rest on one another, from a profile alone."""

import logging
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import lru_cache
from random import Random
from typing import Any, Final, NamedTuple

from authoring.templates.board import Board, Focus, Slots
from authoring.templates.families import FAMILIES
from authoring.templates.families.drawing.bars import THEME
from authoring.templates.family import WORDING, Family, Task
from authoring.templates.focus import choose_focus
from authoring.templates.identities import OPENING, SAME_IN_EVERY_SET, identity, meanings_after, repeats_freely
from authoring.templates.levels import Level, Wish, level_of, level_weight
from evaluator.errors import ContentError

MIN_PROBLEMS: Final = 8
PROBLEMS: Final = 14  # of a thread, if the table carries so many
MAX_PROBLEMS: Final = 15
WAYS_ON: Final = 24  # of a draft that lost problems to the data
LINKED: Final = 0.5  # of a set's problems, at least, use a result of an earlier one
DEEP: Final = 0.25  # use a result that itself used one
TRIED: Final = 4  # proposals of a family that are weighed at a time
IN_ORDER: Final = frozenset({"joining", "soundness", "functions", "models"})  # stages whose families follow one another
FILLING: Final = 4  # the first stage from which what is lacking is taken: nothing is made that nobody uses
CLOSE: Final = 0.5  # how closely a number goes with the measure when the rows are compared by what it leaves open
MAKESHIFT: Final = ("value_classes", "quartile_classes")  # groups for tables that have hardly any of their own
CHAINS: Final = {"functions": 2, "models": 4}  # problems that such a stage needs: a function is used, a model judged
STAGES: Final[Mapping[str, tuple[int, int]]] = {  # in the order of a sitting: problems of each, at least and at most
    OPENING: (1, 1),
    "joining": (2, 2),
    "soundness": (1, 3),
    "measures": (1, 2),
    "composition": (0, 1),
    "comparison": (1, 2),
    "drill-down": (2, 5),
    "time": (2, 6),
    "distribution": (1, 4),
    "association": (1, 4),
    "texts": (0, 2),
    "functions": (2, 2),
    "models": (4, 4),
}
FIGURES: Final = THEME  # problems that draw stand beside what they draw, in no stage of their own
LATER: Final = {stage: most for stage, (_, most) in list(STAGES.items())[2:]}  # stages of a way on: all but loading


_log = logging.getLogger(__name__)

STORED: Final = ("var", "new", "train", "test", "slope", "intercept", "model", "inputs", "labels")
"""Slots that name what a problem leaves in the session."""


def names_stored(slots: Slots) -> frozenset[str]:
    """Return the names of variables and columns that a problem stores."""
    return frozenset(str(slots[key]) for key in STORED if isinstance(slots.get(key), str))


class TaskCandidate(NamedTuple):
    """A problem that fits the state: its family, slots and what comes of them."""

    family: Family
    slots: Slots
    task: Task


Thread = list[tuple[TaskCandidate, Board]]  # problems, each with the state before it


@dataclass
class Plan:
    """What was chosen so far, for variety and for the thread."""

    target: int
    wish: Wish = "mix"
    covered: Collection[str] = ()
    families: Counter[str] = field(default_factory=Counter)
    themes: Counter[str] = field(default_factory=Counter)
    wordings: dict[str, int] = field(default_factory=dict)  # of each family, the one used last
    seen: set[str] = field(default_factory=set)  # identities of chosen and of refused candidates
    reserved: set[str] = field(default_factory=set)  # identities that items still to come will use
    names: frozenset[str] = frozenset()  # that items still to come will store
    avoid: Collection[str] = ()  # identities that other sets of the seed hold
    meanings: dict[str, Any] = field(default_factory=dict)  # of the variables that the chosen problems store
    depths: dict[int, int] = field(default_factory=dict)  # of each problem but loading: the longest chain it ends
    levels: list[Level] = field(default_factory=list)
    unused: set[int] = field(default_factory=set)  # problems that only prepare, and that nothing has used yet
    patience: int = 0  # times that a family may stand in a set beyond its limit: the same again is better than no set
    oddness: float = 0.0  # how far what the set is about is from what one would expect
    has_groups: bool = False  # whether the table has groups of its own to compare and to look inside

    def note(self, candidate: TaskCandidate, board: Board) -> None:
        """Count a problem that is chosen as number `board.step`."""
        if candidate.family.theme != OPENING:
            self.depths[board.step] = self.depth_of(candidate, board)
        self.unused -= set(dependencies(board, candidate.task))
        if candidate.family.prepares:
            self.unused.add(board.step)
        self.levels.append(level_of_candidate(candidate, board, self))
        self.families[candidate.family.name] += 1
        self.themes[candidate.family.theme] += 1
        self.wordings[candidate.family.name] = candidate.slots.get(WORDING, 0)
        self.refuse(candidate)
        self.meanings = meanings_after(candidate.family.name, candidate.slots, self.meanings)

    def depth_of(self, candidate: TaskCandidate, board: Board) -> int:
        """Return how many problems the longest chain has that ends with a candidate; loading does not count."""
        return 1 + max((self.depths[n] for n in self.results_used(candidate.task, board)), default=0)

    def results_used(self, task: Task, board: Board) -> list[int]:
        """Return the numbers of the problems, loading left out, whose results a task uses."""
        return [number for number in dependencies(board, task) if number in self.depths]

    def refuse(self, candidate: TaskCandidate) -> None:
        """Never propose the candidate again."""
        self.seen.add(self.key(candidate.family, candidate.slots))

    def key(self, family: Family, slots: Slots) -> str:
        """Return the identity of a problem in this set."""
        return identity(family.name, slots, self.meanings)

    def allows(self, family: Family, slots: Slots) -> bool:
        """Return whether a problem repeats none that was chosen, refused, is still to come or is to be avoided."""
        key = self.key(family, slots)
        if key in self.seen or key in self.reserved or names_stored(slots) & self.names:
            return False
        return repeats_freely(family.name) or key not in self.avoid

    @property
    def lacking(self) -> int:
        """Problems that are still to be chosen."""
        return self.target - len(self.levels)

    def shares(self) -> tuple[float, float]:
        """Return the shares of problems that use a result, and a result of a result."""
        count = max(len(self.levels), 1)
        depths = list(self.depths.values())
        return sum(depth > 1 for depth in depths) / count, sum(depth > 2 for depth in depths) / count

    def worth(self) -> float:
        """Return how good the thread is: complete, connected, varied, of the wished difficulty."""
        linked, deep = self.shares()
        complete = min(len(self.levels) / self.target, 1.0)
        repeated = sum(count - 1 for count in self.families.values())
        levels = sum(level_weight(level, self.wish, n / self.target) for n, level in enumerate(self.levels))
        covered = sum(FAMILIES[name].knowledge_points[0] in self.covered for name in self.families)
        again = sum(count for name, count in self.families.items() if repeats_freely(name)) if self.avoid else 0
        makeshift = sum(self.families[name] for name in MAKESHIFT) if self.has_groups else 0
        return (
            8 * complete
            + 1.5 * min(len(self.levels), 14)
            - 3 * makeshift
            - 1.5 * again
            - 4 * len(self.unused)
            - self.oddness
            + 12 * min(linked / LINKED, 1.3)
            + 9 * min(deep / DEEP, 1.5)
            + 0.35 * len(self.themes)
            - 0.3 * repeated
            - 0.2 * covered
            - 20 * max(LINKED - linked, 0.0)
            - 60 * max(1.2 * DEEP - deep, 0.0)
            + (0.7 if self.wish != "mix" else 1.0) * levels / max(len(self.levels), 1)
        )


def thread_of(board: Board, plan: Plan, rng: Random) -> Thread:
    """Return one thread: stage by stage in the order of a sitting, then what still fits."""
    opening = next(_of_stage(OPENING, board, plan, rng), None)
    if opening is None:
        return []
    focus, oddness = choose_focus(opening.task.board, rng)
    plan.has_groups = bool(focus.group and focus.second)
    plan.oddness = 12.0 * min(oddness, 2)
    slots = {**opening.slots, "focus": focus.to_slots()}
    opening = TaskCandidate(opening.family, slots, opening.family.build(board, slots))
    plan.note(opening, board)
    chosen, board = [(opening, board)], opening.task.board.after()
    later = [
        (stage, rng.randint(0 if plan.avoid and stage in SAME_IN_EVERY_SET else least, most))
        for stage, (least, most) in stages_of(board, focus, rng)
    ]
    return chosen + _through(later, board, plan, rng)


def _through(stages: Iterable[tuple[str, int]], board: Board, plan: Plan, rng: Random) -> Thread:
    """Go through stages with so many problems of each, then add what still fits until the plan's target is reached."""
    chosen: Thread = []

    def take(found: TaskCandidate | None) -> bool:
        nonlocal board
        if found is None:
            return False
        plan.note(found, board)
        chosen.append((found, board))
        board = found.task.board.after()
        return True

    for stage, count in stages:
        if not plan.themes[stage] and plan.lacking < CHAINS.get(stage, 1):
            continue
        for _ in range(count):
            if plan.lacking <= 0 or not take(next(_of_stage(stage, board, plan, rng), None)):
                break
    while plan.lacking > 0 and take(next(_fillers(board, plan, rng), None)):
        pass
    return chosen


def way_on(board: Board, plan: Plan, rng: Random) -> list[TaskCandidate]:
    """Return problems with which a draft that lost some to the data becomes a whole thread, the best of several ways.

    Args:
        board: What the session holds.
        plan: What stands in the draft and what was refused; it stays as it is.
        rng: Decides which ways are compared.
    """
    for patience in (0, 1, 2) if len(plan.levels) < MIN_PROBLEMS else (0, 1):
        best: tuple[float, Thread] = (0.0, [])
        for _ in range(WAYS_ON):
            ahead = replace(deepcopy(plan), patience=patience)
            chosen = _through([(stage, rng.randint(0, most)) for stage, most in LATER.items()], board, ahead, rng)
            if chosen and (not best[1] or ahead.worth() > best[0]):
                best = (ahead.worth(), chosen)
        if best[1]:
            return [candidate for candidate, _ in best[1]]
    return []


def stand_ins(board: Board, plan: Plan, rng: Random, family: Family, depth: int) -> Iterator[TaskCandidate]:
    """Yield other problems of a family that end chains of at least so many problems."""
    for candidate in proposals_of(family, board, plan, rng):
        if plan.depth_of(candidate, board) >= depth:
            yield candidate


def _fillers(board: Board, plan: Plan, rng: Random) -> Iterator[TaskCandidate]:
    """Yield what still fits a thread whose stages are over: what rests on most goes first where that is lacking."""
    if not board.main:
        return
    found = [one for stage in list(STAGES)[FILLING:] for one in _of_stage(stage, board, plan, rng)]
    wanted = _wanted_depth(plan)
    for one in sorted(found, key=lambda one: -min(plan.depth_of(one, board), wanted)):
        if not one.family.prepares:  # whatever would use it is not planned
            yield one


def _wanted_depth(plan: Plan) -> int:
    linked, deep = plan.shares()
    return 3 if deep < DEEP else 2 if linked < LINKED else 1


def stages_of(board: Board, focus: Focus, rng: Random) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield the stages that follow loading; what explains the measure closely is now and then taken out at first."""
    frame = board.frames[board.main]
    known = bool(focus.partner) and not frame.is_series and not frame.is_panel
    strength = frame.tells(frame.column(focus.measure), frame.column(focus.partner)) if known else 0.0
    adjusts = strength >= CLOSE and rng.random() < 0.5
    for stage, bounds in STAGES.items():
        if adjusts and stage == "comparison":
            yield "association", (2, 3)
        if stage not in (OPENING, "association" if adjusts else ""):
            yield stage, bounds


def level_of_candidate(candidate: TaskCandidate, board: Board, plan: Plan) -> Level:
    """Return how hard a problem is: by its reference code, the rules it states and the results it uses."""
    family, slots, task = candidate
    return _level(task.code, family.query(task, slots), len(plan.results_used(task, board)))


@lru_cache(maxsize=4096)  # the same problem stands in many of the threads that are compared
def _level(code: str, query: str, results_used: int) -> Level:
    return level_of(code, query, results_used=results_used)


def dependencies(board: Board, task: Task) -> tuple[int, ...]:
    """Return the numbers of the problems whose results a task reads."""
    needed: set[int] = set()
    for var, columns in task.uses:
        if var in board.frames:
            frame = board.frames[var]
            needed |= {frame.made_by, *(frame.column(name).made_by for name in columns if frame.has(name))}
        elif var in board.makers:
            needed.add(board.makers[var])
    return tuple(sorted(needed))


def _of_stage(stage: str, board: Board, plan: Plan, rng: Random) -> Iterator[TaskCandidate]:
    """Yield the problems of a stage, the best choice first: what uses results and what the set is about."""
    found: list[tuple[float, int, TaskCandidate]] = []
    for name, family in FAMILIES.items():
        if _stage_of(family) == stage and plan.families[name] < family.limit + plan.patience:
            for place, candidate in zip(range(TRIED), proposals_of(family, board, plan, rng), strict=False):
                weight = _weight(candidate, board, plan) / (1 + 0.5 * place) / (1 + 2 * plan.families[name])
                chance = rng.random() ** (1 / weight)
                found.append((float(len(found)) if stage in IN_ORDER else -chance, len(found), candidate))
    for _, _, candidate in sorted(found, key=lambda one: one[:2]):
        if plan.allows(candidate.family, candidate.slots):  # it may have been refused under another name since
            yield candidate


def _stage_of(family: Family) -> str:
    """Return the stage of a family; those of other packages may name themes of their own."""
    return family.theme if family.theme in STAGES or family.theme == FIGURES else "distribution"


def proposals_of(family: Family, board: Board, plan: Plan, rng: Random) -> Iterator[TaskCandidate]:
    """Yield the problems of a family that fit a state and that a plan allows, best first."""
    for raw in _slots_of(family, board, rng):
        wording = rng.randrange(len(family.wordings))
        if wording == plan.wordings.get(family.name):
            wording = (wording + 1) % len(family.wordings)
        slots: dict[str, Any] = {**raw, WORDING: wording}
        if plan.allows(family, slots) and (candidate := candidate_of(family, board, slots)) is not None:
            yield candidate


def _slots_of(family: Family, board: Board, rng: Random) -> Iterator[dict[str, Any]]:
    """Yield the slots that a family proposes, up to the first that it cannot choose on this state."""
    try:
        yield from family.propose(board, rng)
    except ContentError as error:
        _log.info("event=family_left_out family=%s reason=%s", family.name, error.what)


def candidate_of(family: Family, board: Board, slots: Slots) -> TaskCandidate | None:
    """Return the problem that a family makes of a state; None where its own choice does not fit the data after all.

    A family judges columns twice: when it proposes them and when it builds with them. Where the two disagree, one
    family is left out, and no draft is lost.
    """
    try:
        return TaskCandidate(family, slots, family.build(board, slots))
    except ContentError as error:
        _log.info("event=family_left_out family=%s reason=%s", family.name, error.what)
        return None


def _weight(candidate: TaskCandidate, board: Board, plan: Plan) -> float:
    """Return how much a problem is favoured: by what it builds on, by the focus of the set, by its level."""
    depth = plan.depth_of(candidate, board)
    linked, deep = plan.shares()
    weight = 1.0 if depth == 1 else 4.0 if depth == 2 else 6.0
    if (depth > 1 and linked < LINKED) or (depth > 2 and deep < DEEP):
        weight *= 4
    if plan.unused & set(dependencies(board, candidate.task)):
        weight *= 3
    weight *= candidate.family.worth
    weight *= 1 + 0.7 * len(board.focus.columns & set(_texts(candidate.slots.values())))
    if candidate.family.knowledge_points[0] in plan.covered:
        weight *= 0.6
    if plan.wish != "mix":
        weight *= level_weight(level_of_candidate(candidate, board, plan), plan.wish, 1.0) ** 0.5
    return max(weight, 1e-6)


def _texts(values: Iterable[Any]) -> Iterator[str]:
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            yield from (one for one in value if isinstance(one, str))
