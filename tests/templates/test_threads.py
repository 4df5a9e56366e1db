"""Laws of a thread: what rests on what, in which order, and what a question may be about."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from statistics import mean
from typing import Any

import pandas as pd
import pytest

from authoring.seeds import Profile
from authoring.seeds.meanings import infer_semantics
from authoring.seeds.semantics import AddsUp, Meaning, Semantics
from authoring.store.drafting.sketches import SketchItem
from authoring.templates import FAMILIES, sketch_from_profile
from authoring.templates.board import Board, Frame
from authoring.templates.family import Task
from authoring.templates.planning import FIGURES, MAX_PROBLEMS, MIN_PROBLEMS, STAGES, Plan, TaskCandidate
from tests.seeds.invented_tables import TABLES
from tests.seeds.meaning_profiles import profile_of

THREADED = (
    *("election", "stocks", "cars", "winequality", "salaries", "titanic", "crime_rates", "weather", "movies"),
    *("students_grades", "sales_orders", "hospital_visits", "flights", "experiment"),
)
RNG_SEEDS = (0, 1)
NEVER_AVERAGED = frozenset({Meaning.IDENTIFIER, Meaning.KEY, Meaning.CODE, Meaning.LABEL, Meaning.OTHER, Meaning.TEXT})
NUMBER_SLOTS = ("number", "measure", "partner", "upper", "lower")
OF_ORDER = (".shift(", ".diff(", ".cumsum(", ".rolling(", ".pct_change(")
PARTS_OF_A_SUM = frozenset({"totals_by_holder", "concentration", "top_share_function", "shares_by_group"})


@dataclass(frozen=True)
class Step:
    """One problem of a sketch, with the state before it."""

    item: SketchItem
    task: Task
    board: Board

    @property
    def theme(self) -> str:
        return FAMILIES[self.item.family].theme


def steps_of(profile: Profile, semantics: Semantics, rng_seed: int) -> tuple[list[Step], Plan]:
    """Return the problems of a sketch, built again, and the plan that counts what rests on what."""
    board, plan, steps = Board(profile, semantics), Plan(0), list[Step]()
    for item in sketch_from_profile(profile, rng_seed=rng_seed, semantics=semantics):
        family = FAMILIES[item.family]
        task = family.build(board, item.slots)
        steps.append(Step(item, task, board))
        plan.note(TaskCandidate(family, item.slots, task), board)
        board = task.board.after()
    return steps, plan


@pytest.fixture(scope="module")
def profiles(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Profile, Semantics]]:
    found = {}
    for name in THREADED:
        made = TABLES[name]()
        profile = profile_of(tmp_path_factory.mktemp("invented"), **{name: made.frame})
        found[name] = (profile, infer_semantics(profile, description=made.description))
    return found


Threads = dict[tuple[str, int], tuple[list[Step], Plan]]


@pytest.fixture(scope="module")
def threads(profiles: dict[str, tuple[Profile, Semantics]]) -> Threads:
    return {(name, seed): steps_of(*profiles[name], seed) for name in THREADED for seed in RNG_SEEDS}


def all_steps(threads: Threads) -> Iterator[tuple[str, Step]]:
    """Yield every problem with the name of its table."""
    for (name, _), (steps, _) in threads.items():
        yield from ((name, step) for step in steps)


def test_each_set_holds_a_sitting_of_problems_and_one_that_loads(threads: Threads) -> None:
    for key, (steps, _) in threads.items():
        assert MIN_PROBLEMS <= len(steps) <= MAX_PROBLEMS, key
        assert [step.theme for step in steps].count("opening") == 1, key
        assert steps[0].theme == "opening", key
        assert [step.item.number for step in steps] == list(range(1, len(steps) + 1))


def test_half_of_the_problems_use_a_result_and_some_a_result_of_a_result(threads: Threads) -> None:
    shares = {key: plan.shares() for key, (_, plan) in threads.items()}
    assert {key: linked for key, (linked, _) in shares.items() if linked < 0.5} == {}
    deep = {key: deep for key, (_, deep) in shares.items()}
    assert {key: share for key, share in deep.items() if share < 0.13} == {}  # two of fifteen, where columns are few
    assert sum(share >= 0.2 for share in deep.values()) >= 0.8 * len(deep), deep
    assert mean(deep.values()) >= 0.25


def test_what_a_problem_needs_stands_before_it(threads: Threads) -> None:
    for key, (steps, _) in threads.items():
        for step in steps[1:]:
            assert step.item.depends_on, key
            assert all(number < step.item.number for number in step.item.depends_on), key


def test_the_stages_follow_the_order_of_a_sitting(threads: Threads) -> None:
    """What is checked comes before what is computed, until the order is over and gaps are filled."""
    places = list(STAGES)
    for key, (steps, _) in threads.items():
        seen = [places.index(step.theme) for step in steps if step.theme != FIGURES]
        falls = sum(later < earlier for earlier, later in pairwise(seen))
        assert falls <= 3, (key, [step.theme for step in steps])
        early = [place for place, stage in enumerate(seen) if stage <= places.index("soundness")]
        assert early == list(range(len(early))), key


def test_no_problem_compares_a_column_with_one_made_of_it(threads: Threads) -> None:
    for name, step in all_steps(threads):
        for frame, slots in _read(step):
            named = [slots[key] for key in NUMBER_SLOTS if isinstance(slots.get(key), str)]
            numbers = [frame.column(one) for one in named if frame.has(one)]
            group = slots.get("group")
            others = [frame.column(group)] if isinstance(group, str) and frame.has(group) else []
            for place, one in enumerate(numbers):
                for other in [*numbers[place + 1 :], *others]:
                    assert not one.is_related(other) or step.item.family in MAKES_OF_BOTH, (name, step.item)


MAKES_OF_BOTH = frozenset({"ratio_column"})  # a share of a whole


def test_no_sum_is_asked_of_what_does_not_add_up(threads: Threads) -> None:
    for name, step in all_steps(threads):
        if step.item.family in PARTS_OF_A_SUM:
            for frame, slots in _read(step):
                for key in ("number", "column"):
                    if isinstance(slots.get(key), str) and frame.has(slots[key]):
                        column = frame.column(slots[key])
                        assert column.means.adds_up is not AddsUp.NO, (name, step.item)
                        assert column.means.meaning is not Meaning.RATE, (name, step.item)
        if ".sum()" in step.task.code and "number" in step.item.slots:
            for frame, slots in _read(step):
                if frame.has(slots["number"]) and step.item.family == "period_table":
                    is_summed = f'["{slots["number"]}"].sum()' in step.task.code
                    assert not is_summed or frame.column(slots["number"]).means.adds_up is AddsUp.YES, step.item


def test_names_keys_and_codes_are_never_averaged(threads: Threads) -> None:
    for name, step in all_steps(threads):
        for frame, slots in _read(step):
            for key in NUMBER_SLOTS:
                if isinstance(slots.get(key), str) and frame.has(slots[key]):
                    assert frame.column(slots[key]).means.meaning not in NEVER_AVERAGED, (name, step.item)


def test_rows_without_an_order_are_not_asked_about_their_order(threads: Threads) -> None:
    ordered = {"change_over_time", "change_since_before", "changes_of_series", "latest_rows", "spread_over_time"}
    for name, step in all_steps(threads):
        table = step.board.semantics.tables[0]
        if step.item.family in ordered:
            assert table.order, (name, step.item.family)
        if step.item.family in {"change_over_time", "change_since_before", "latest_rows", "spread_over_time"}:
            assert table.entity, (name, step.item.family)
        if not table.order and any(var == step.board.main for var, _ in step.task.uses):
            assert not [call for call in OF_ORDER if call in step.task.code], (name, step.item)


def test_repeated_rows_are_dropped_only_where_they_can_be_no_truth(tmp_path: Path) -> None:
    frame = TABLES["titanic"]().frame
    repeated = pd.concat([frame, frame.iloc[5:8]])
    profile = profile_of(tmp_path, people=repeated)
    found = infer_semantics(profile)
    for is_error in (True, False):
        semantics = replace(found, tables=(replace(found.tables[0], repeats_are_errors=is_error),))
        families = {
            i.family for seed in range(4) for i in sketch_from_profile(profile, rng_seed=seed, semantics=semantics)
        }
        assert ("drop_repeats" in families) is is_error


def _read(step: Step) -> Iterator[tuple[Frame, dict[str, Any]]]:
    """Yield the frame that a problem's slots are about, with the slots."""
    slots = dict(step.item.slots)
    var = slots.get("frame", step.board.main)
    if isinstance(var, str) and var in step.board.frames:
        yield step.board.frames[var], slots


@cache
def _corrected(meaning: Meaning, folder: Path) -> list[Step]:
    profile = profile_of(folder, cars=TABLES["cars"]().frame)
    found = infer_semantics(profile)
    column = found.tables[0].column("mpg")
    assert column is not None
    semantics = Semantics(tables=(found.tables[0].with_column(replace(column, meaning=meaning)),))
    return [step for seed in RNG_SEEDS for step in steps_of(profile, semantics, seed)[0]]


@pytest.mark.parametrize("meaning", [Meaning.OTHER, Meaning.IDENTIFIER])
def test_a_column_that_a_person_sets_aside_is_in_no_query(tmp_path: Path, meaning: Meaning) -> None:
    for step in _corrected(meaning, tmp_path):
        assert "`mpg`" not in FAMILIES[step.item.family].query(step.task, step.item.slots), step.item


def test_a_column_that_nobody_sets_aside_is_asked_about(tmp_path: Path) -> None:
    steps = _corrected(Meaning.MEASURE, tmp_path)
    assert any("`mpg`" in FAMILIES[step.item.family].query(step.task, step.item.slots) for step in steps)


def test_a_person_may_make_a_mistake_and_still_gets_a_draft_or_a_reason(tmp_path: Path) -> None:
    """An identifier corrected to a measure: a thread or a refusal, no traceback."""
    profile = profile_of(tmp_path, people=TABLES["titanic"]().frame)
    found = infer_semantics(profile)
    column = found.tables[0].column("PassengerId")
    assert column is not None
    wrong = Semantics(tables=(found.tables[0].with_column(replace(column, meaning=Meaning.MEASURE)),))
    items = sketch_from_profile(profile, rng_seed=0, semantics=wrong)
    assert MIN_PROBLEMS <= len(items) <= MAX_PROBLEMS


def test_what_only_prepares_is_used_by_a_later_problem(threads: Threads) -> None:
    prepared = sum(FAMILIES[step.item.family].prepares for _, step in all_steps(threads))
    assert prepared >= 40
    assert sum(len(plan.unused) for _, plan in threads.values()) <= 0.1 * prepared


def test_no_line_or_correlation_is_asked_of_columns_that_say_the_same(threads: Threads) -> None:
    asked = 0
    for name, step in all_steps(threads):
        slots = step.item.slots
        if {"measure", "partner", "frame"} <= slots.keys():
            frame = step.board.frame(str(slots["frame"]))
            assert not frame.are_twins(frame.column(str(slots["measure"])), frame.column(str(slots["partner"]))), name
            asked += 1
    assert asked >= 10


def test_cells_that_are_compared_hold_enough_rows_where_the_profile_knows(threads: Threads) -> None:
    asked = 0
    for name, step in all_steps(threads):
        slots = step.item.slots
        if {"table", "second"} <= slots.keys():
            facts = next(one for one in step.board.results if one.var == slots["table"]).facts
            frame = step.board.frame(facts["frame"])
            link = frame.links.get(frozenset((facts["group"], str(slots["second"]))))
            assert link is None or link.fewest >= 5, (name, step.item.family)
            asked += 1
    assert asked >= 10
