"""A sketch of a seed: the best of many threads through its tables, with figures of what it computes."""

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from itertools import islice
from random import Random
from typing import Final

from authoring.languages import Language
from authoring.seeds import Profile
from authoring.seeds.meanings import infer_semantics
from authoring.seeds.semantics import Semantics
from authoring.store.drafting.sketches import SketchItem
from authoring.templates.board import Board, Slots
from authoring.templates.families import FAMILIES
from authoring.templates.family import Family
from authoring.templates.identities import OPENING
from authoring.templates.levels import Wish, level_weight
from authoring.templates.planning import (
    FIGURES,
    MAX_PROBLEMS,
    MIN_PROBLEMS,
    PROBLEMS,
    Plan,
    TaskCandidate,
    Thread,
    candidate_of,
    dependencies,
    level_of_candidate,
    proposals_of,
    thread_of,
)
from authoring.templates.requirements import check_profile, no_thread

PLANS: Final = 80  # threads that are compared
MOST_FIGURES: Final = 2  # of a set
_TRIED: Final = 3  # proposals of a family that draws, at each place
_APART: Final = 3  # problems from one figure to the next, at least
_DIFFICULT: Final = 0.2  # how much the level of a figure must be favoured


def sketch_from_profile(
    profile: Profile,
    *,
    rng_seed: int,
    semantics: Semantics | None = None,
    covered: Collection[str] = (),
    avoid: Collection[str] = (),
    difficulty: Wish = "mix",
    language: Language = Language.ENGLISH,
) -> tuple[SketchItem, ...]:
    """Plan an analysis of 8 to 15 problems for the tables of a profile, one or two of them figures where some fit.

    Args:
        profile: What is known about the tables.
        rng_seed: The same seed gives the same sketch, another one other problems.
        semantics: What the columns mean; None: what rules make of the profile.
        covered: Knowledge points that accepted sets hold already; they are chosen less often.
        avoid: What `sketch_identities` says of other sketches of the seed: none of their problems is chosen.
        difficulty: Which measured level of reference code is favoured; `mix` goes from easy to hard.
        language: Of the ideas; it changes no choice.

    Raises:
        ContentError: If the tables carry no thread of eight problems, or none of eight that are not to be avoided.
    """
    start = Board(profile, semantics or infer_semantics(profile))
    check_profile(start)
    whole = partial(Plan, wish=difficulty, covered=frozenset(covered), avoid=frozenset(avoid))
    chosen: Thread = []
    for patience in (0, 1):  # the same again, of another column, is better than no set
        if len(chosen) < MIN_PROBLEMS:
            chosen = _best_thread(start, partial(whole, patience=patience), rng_seed)
    if len(chosen) < MIN_PROBLEMS:
        raise no_thread(start, len(chosen), avoided=bool(avoid))
    figures = Random(f"figures {rng_seed}")  # noqa: S311  # a reproducible choice
    chosen = _with_figures(start, chosen, _noted(chosen, whole(0)), figures)
    seen = Plan(0)
    items = []
    for candidate, board in chosen:
        items.append(item_of(candidate, board, seen, language))
        seen.note(candidate, board)
    return tuple(items)


def _best_thread(start: Board, plan_of: Callable[[int], Plan], rng_seed: int) -> Thread:
    """Return the best of several threads of a set that is planned by `plan_of(length)`."""
    best: tuple[float, Thread] = (0.0, [])
    for number in range(PLANS):
        rng = Random(f"sketch {rng_seed} {number}")  # noqa: S311  # a reproducible choice
        plan = plan_of(PROBLEMS)
        chosen = thread_of(start, plan, rng)
        if not best[1] or plan.worth() > best[0]:
            best = (plan.worth(), chosen)
    return best[1]


def item_of(candidate: TaskCandidate, board: Board, plan: Plan, language: Language) -> SketchItem:
    """Return the sketch item of a candidate for the problem `board.step`."""
    family, slots, task = candidate
    return SketchItem(
        number=board.step,
        query_idea=family.idea_text(task, language),
        knowledge_points=family.knowledge_points,
        depends_on=dependencies(board, task),
        difficulty=level_of_candidate(candidate, board, plan),
        family=family.name,
        slots=dict(slots),
    )


def _noted(chosen: Thread, plan: Plan) -> Plan:
    """Return a plan in which the problems of a thread are counted."""
    for candidate, board in chosen:
        plan.note(candidate, board)
    return plan


def _with_figures(start: Board, chosen: Thread, plan: Plan, rng: Random) -> Thread:
    """Return a thread with figures, each behind the problem whose result or columns it draws; all else stays."""
    order = [(candidate.family, candidate.slots) for candidate, _ in chosen]
    for _ in range(min(MOST_FIGURES, MAX_PROBLEMS - len(chosen))):
        found: dict[str, list[tuple[int, TaskCandidate]]] = {}
        for place, figure in _figures(_built(start, order), plan, rng):
            found.setdefault(figure.family.name, []).append((place, figure))
        if not found:
            break
        names = rng.choices(list(found), [FAMILIES[name].worth for name in found])  # reproducible
        place, figure = rng.choice(found[names[0]])
        order.insert(place, (figure.family, figure.slots))
        plan.families[figure.family.name] += 1
        plan.refuse(figure)
    return _built(start, order)


def _built(start: Board, order: Sequence[tuple[Family, Slots]]) -> Thread:
    """Return problems in an order, each with the state before it; what does not fit there is left out."""
    board, built = start, Thread()
    for family, slots in order:
        candidate = candidate_of(family, board, slots)
        if candidate is not None:
            built.append((candidate, board))
            board = candidate.task.board.after()
    return built


def _figures(chosen: Thread, plan: Plan, rng: Random) -> Iterator[tuple[int, TaskCandidate]]:
    """Yield figures with the place at which each would stand."""
    drawn = [place for place, (one, _) in enumerate(chosen) if one.family.theme == FIGURES]
    for place, (before, state) in enumerate(chosen, start=1):
        board = before.task.board.after()
        if before.family.theme in (OPENING, FIGURES) or any(abs(place - other) < _APART for other in drawn):
            continue
        for family in FAMILIES.values():
            if family.theme != FIGURES or plan.families[family.name]:
                continue
            for figure in islice(proposals_of(family, board, plan, rng), _TRIED):
                level = level_weight(level_of_candidate(figure, board, plan), plan.wish, 1.0)
                if level >= _DIFFICULT and _follows(figure, board, before, state):
                    yield place, figure


def _follows(figure: TaskCandidate, board: Board, before: TaskCandidate, state: Board) -> bool:
    """Return whether a figure draws what the problem before it made, or the columns that it read."""
    table = figure.slots.get("table")
    if table is not None:
        made = board.makers.get(str(table), 1)
        return made == state.step or (made == 1 and before.family.theme == "time" and (table, ()) in before.task.uses)
    drawn = {str(figure.slots[key]) for key in ("x", "y", "number") if key in figure.slots}
    read = dict(before.task.uses).get(str(figure.slots.get("frame")), ())
    return drawn <= set(read)
