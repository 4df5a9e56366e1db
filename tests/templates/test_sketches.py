"""Laws of a sketch: what rests on what, in which order, what is asked about what, and what a set does not repeat."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any

import numpy as np
import pandas as pd
import pytest

from authoring.seeds import SHIPPED_SEEDS_DIR, Profile
from authoring.seeds.meanings import infer_semantics
from authoring.seeds.semantics import AddsUp, Meaning, Semantics
from authoring.store.drafting.sketches import SketchItem
from authoring.templates import FAMILIES, Wish, check_wish, sketch_from_profile, sketch_identities, sketched_thread
from authoring.templates.board import Board, Focus, Frame
from authoring.templates.families.measures import ratios
from authoring.templates.family import Task
from authoring.templates.focus import choose_focus
from authoring.templates.identities import SAME_IN_EVERY_SET, identity, item_identities
from authoring.templates.levels import level_of
from authoring.templates.planning import (
    FIGURES,
    MAX_PROBLEMS,
    MIN_PROBLEMS,
    PROBLEMS,
    STAGES,
    Plan,
    TaskCandidate,
    thread_of,
)
from authoring.templates.sketched_thread import MOST_FIGURES
from evaluator.errors import ContentError, UsageError
from evaluator.language import measure_difficulty
from tests.seeds.invented_tables import TABLES
from tests.seeds.meaning_profiles import profile_of
from tests.templates.conftest import profile_here, shipped_profile
from tests.templates.rich_tables import films, nations

SEEDS = sorted(card.parent.name for card in SHIPPED_SEEDS_DIR.glob("*/seed.yaml"))
THREADED = (
    *("election", "stocks", "cars", "winequality", "salaries", "titanic", "crime_rates", "weather", "movies"),
    *("students_grades", "sales_orders", "hospital_visits", "flights", "experiment"),
)
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


Threads = dict[tuple[str, int], tuple[list[Step], Plan]]


@pytest.fixture(scope="module", params=["some", pytest.param("all", marks=pytest.mark.deep)])
def threads(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Threads:
    """Sketches of tables of many fields, for all of these laws; as many plans as at work for all of the tables."""
    found: Threads = {}
    is_whole = request.param == "all"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sketched_thread, "PLANS", 80 if is_whole else 10)
        for name in THREADED if is_whole else THREADED[::2]:
            made = TABLES[name]()
            profile = profile_of(tmp_path_factory.mktemp("invented"), **{name: made.frame})
            semantics = infer_semantics(profile, description=made.description)
            for rng_seed in (0, 1) if is_whole else (0,):
                found[name, rng_seed] = steps_of(profile, semantics, rng_seed)
    return found


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
        for step in steps[1:]:
            assert step.item.depends_on, key
            assert max(step.item.depends_on) < step.item.number, key


def test_half_of_the_problems_use_a_result_and_some_a_result_of_a_result(threads: Threads) -> None:
    shares = {key: plan.shares() for key, (_, plan) in threads.items()}
    assert {key: linked for key, (linked, _) in shares.items() if linked < 0.5} == {}
    deep = {key: deep for key, (_, deep) in shares.items()}
    assert {key: share for key, share in deep.items() if share < 0.13} == {}  # two of fifteen, where columns are few
    assert mean(deep.values()) >= 0.2


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
            i.family for seed in range(2) for i in sketch_from_profile(profile, rng_seed=seed, semantics=semantics)
        }
        assert ("drop_repeats" in families) is is_error


def _read(step: Step) -> Iterator[tuple[Frame, dict[str, Any]]]:
    """Yield the frame that a problem's slots are about, with the slots."""
    slots = dict(step.item.slots)
    var = slots.get("frame", step.board.main)
    if isinstance(var, str) and var in step.board.frames:
        yield step.board.frames[var], slots


def test_a_column_that_a_person_sets_aside_is_in_no_query(tmp_path: Path) -> None:
    profile = profile_of(tmp_path, cars=TABLES["cars"]().frame)
    found = infer_semantics(profile)
    column = found.tables[0].column("mpg")
    assert column is not None
    for meaning, is_asked in {Meaning.OTHER: False, Meaning.IDENTIFIER: False, Meaning.MEASURE: True}.items():
        semantics = Semantics(tables=(found.tables[0].with_column(replace(column, meaning=meaning)),))
        steps, _ = steps_of(profile, semantics, 0)
        asked = ["`mpg`" in FAMILIES[step.item.family].query(step.task, step.item.slots) for step in steps]
        assert any(asked) is is_asked, meaning


def test_what_only_prepares_is_used_by_a_later_problem(threads: Threads) -> None:
    prepared = sum(FAMILIES[step.item.family].prepares for _, step in all_steps(threads))
    assert prepared >= 10
    assert sum(len(plan.unused) for _, plan in threads.values()) <= 0.1 * prepared


def test_no_line_or_correlation_is_asked_of_columns_that_say_the_same(threads: Threads) -> None:
    asked = 0
    for name, step in all_steps(threads):
        slots = step.item.slots
        if {"measure", "partner", "frame"} <= slots.keys():
            frame = step.board.frame(str(slots["frame"]))
            assert not frame.are_twins(frame.column(str(slots["measure"])), frame.column(str(slots["partner"]))), name
            asked += 1
    assert asked >= 5


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


# difficulty


def measured(name: str, wish: Wish) -> tuple[list[float], Plan]:
    """Return the difficulty of each problem of a sketch, and the plan that counts what rests on what."""
    profile, semantics = shipped_profile(name)
    board, values, plan = Board(profile, semantics), list[float](), Plan(0)
    for item in sketch_from_profile(profile, rng_seed=1, semantics=semantics, difficulty=wish):
        family = FAMILIES[item.family]
        task = family.build(board, item.slots)
        used = plan.results_used(task, board)
        assert item.difficulty == level_of(task.code, family.query(task, item.slots), results_used=len(used))
        values.append(measure_difficulty(task.code).score)
        plan.note(TaskCandidate(family, item.slots, task), board)
        board = task.board.after()
    return values, plan


def test_a_hard_set_measures_above_an_easy_one_and_every_set_is_a_thread() -> None:
    scores: dict[Wish, list[float]] = {"easy": [], "hard": []}
    for name in SEEDS[::6]:
        for wish, found in scores.items():
            values, plan = measured(name, wish)
            linked, deep = plan.shares()
            assert linked >= 0.5, (name, wish)
            assert deep >= 0.13, (name, wish)
            found.append(mean(values))
    assert mean(scores["easy"]) < mean(scores["hard"])


def test_results_that_are_used_make_a_problem_harder() -> None:
    code = 'table = df.groupby("a")["b"].mean()\ntop = table.idxmax()\ndf[df["a"] == top]["b"].median()'
    order = ["easy", "medium", "hard"]
    assert order.index(level_of(code)) <= order.index(level_of(code, results_used=3))
    assert level_of("df.shape") == "easy"
    with pytest.raises(UsageError, match="there is no difficulty 'brutal'") as raised:
        check_wish("brutal")
    assert raised.value.fix == "use one of easy, medium, hard, mix"


# figures


@pytest.mark.parametrize("seeds", [SEEDS[::4], pytest.param(SEEDS, marks=pytest.mark.deep)])
def test_most_sketches_have_a_figure_or_two_behind_what_they_draw(seeds: list[str]) -> None:
    kinds: list[set[str]] = []
    for name in seeds:
        profile, semantics = shipped_profile(name)
        items = sketch_from_profile(profile, rng_seed=1, semantics=semantics)
        drawn = [item for item in items if FAMILIES[item.family].theme == FIGURES]
        kinds.append({item.family for item in drawn})
        assert len(kinds[-1]) == len(drawn) <= MOST_FIGURES
        for item in drawn:
            assert items[item.number - 2].family != "load_tables"
            assert item.depends_on
    assert sum(map(bool, kinds)) >= 0.7 * len(kinds)
    assert len(set.union(*kinds)) >= 3


def test_a_hard_sketch_has_no_easy_figure() -> None:
    profile, semantics = shipped_profile(SEEDS[0])
    hard = sketch_from_profile(profile, rng_seed=1, semantics=semantics, difficulty="hard")
    assert not [item for item in hard if FAMILIES[item.family].theme == FIGURES and item.difficulty == "easy"]


# what two problems must differ in, within a set and between the sets of a seed


def test_sketches_that_avoid_each_other_share_only_the_preparation() -> None:
    profile, semantics = shipped_profile("gapminder")
    known = set[str]()
    for rng_seed in range(3):
        items = sketch_from_profile(profile, rng_seed=rng_seed, semantics=semantics, avoid=known)
        keys = sketch_identities(items)
        assert known.isdisjoint(keys)
        assert len(set(keys)) == len(keys)
        assert len(keys) >= len(items) - sum(FAMILIES[item.family].theme in SAME_IN_EVERY_SET for item in items)
        known.update(keys)


def avoid_all(profile: Profile, known: set[str]) -> None:
    """Sketch until nothing new is left."""
    for rng_seed in range(20):
        known.update(sketch_identities(sketch_from_profile(profile, rng_seed=rng_seed, avoid=known)))


def test_a_seed_that_has_nothing_new_is_refused_in_plain_words() -> None:
    profile, _ = shipped_profile("mauna-loa-co2")
    with pytest.raises(ContentError, match="that other sketches of it do not hold"):
        avoid_all(profile, set())


def test_a_variable_stands_for_what_it_holds_whatever_it_is_called() -> None:
    def sketch(table: str, order: int) -> list[SketchItem]:
        return [
            SketchItem(1, "", family="load_tables", slots={"table": 0, "var": "df", "others": {}}),
            SketchItem(2, "", family="group_table", slots={"frame": "df", "group": "g", "number": "x", "var": table}),
            SketchItem(3, "", family="inside_leader", slots={"table": table, "second": "h", "wording": order}),
        ]

    assert item_identities(sketch("by_g", 0)) == item_identities(sketch("groups", 1))
    assert len(sketch_identities(sketch("by_g", 0))) == 2
    assert item_identities(sketch("by_g", 0))[2] != identity("inside_leader", {"table": "by_g", "second": "h"})


def test_questions_that_are_nearly_the_same_do_not_stand_in_one_set() -> None:
    alike: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
        "group_table": ({"group": "g", "number": "n", "lead": "mean"}, {"group": "g", "number": "n", "lead": "median"}),
        "value_classes": ({"column": "n", "edges": [1, 2]}, {"column": "n", "edges": [3, 4]}),
        "bring_columns": ({"other": "t", "columns": ["a", "b"]}, {"other": "t", "columns": ["b", "a"]}),
    }
    for name, slots in alike.items():
        assert len({identity(name, {"frame": "df", **one}) for one in slots}) == 1, name


def test_covered_knowledge_points_are_chosen_less_often(tmp_path: Path) -> None:
    films(tmp_path)
    profile = profile_here(tmp_path)
    board = Board(profile, infer_semantics(profile))

    def points(covered: frozenset[str]) -> Counter[str]:
        threads = [thread_of(board, Plan(PROBLEMS, covered=covered), Random(seed)) for seed in range(25)]
        return Counter(one.family.knowledge_points[0] for thread in threads for one, _ in thread)

    fresh = points(frozenset())
    covered = frozenset(sorted(fresh)[::2])
    tired = points(covered)
    assert sum(tired[point] for point in covered) < 0.95 * sum(fresh[point] for point in covered)


# what a set is about

ROWS = 240


def loaded(profile: Profile) -> Board:
    board, load = Board(profile, infer_semantics(profile)), FAMILIES["load_tables"]
    return load.build(board, next(iter(load.propose(board, Random(0))))).board.after()


def frame_of(folder: Path, **columns: object) -> Frame:
    board = loaded(profile_of(folder, records=pd.DataFrame(columns)))
    return board.frames[board.main]


@pytest.fixture
def draws() -> np.random.Generator:
    return np.random.default_rng(11)


def test_a_set_is_about_a_measure_and_what_may_explain_it(tmp_path: Path) -> None:
    nations(tmp_path)
    board = loaded(profile_here(tmp_path))
    found = [choose_focus(board, Random(seed))[0] for seed in range(20)]
    assert {one.measure for one in found} <= {c.name for c in board.frames["nations"].numbers()}
    assert all(one.measure != one.partner and one.entity == "country" and one.time == "year" for one in found)
    assert len({one.measure for one in found}) >= 2
    assert Focus(**found[0].to_slots()) == found[0]


def test_logarithms_and_squares_of_a_column_are_no_own_numbers(tmp_path: Path, draws: np.random.Generator) -> None:
    wage, tenure = draws.gamma(3, 4, ROWS).round(2) + 1, draws.integers(0, 40, ROWS)
    other = draws.normal(100, 15, ROWS).round(1)
    frame = frame_of(tmp_path, wage=wage, lwage=np.log(wage), tenure=tenure, tenursq=tenure**2, score=other)
    assert {c.name for c in frame.numbers()} == {"wage", "tenure", "score"}


def test_numbers_that_grow_together_over_time_do_not_restate_one_another(tmp_path: Path) -> None:
    years = np.arange(1960, 2020)
    grown = 1.03 ** np.arange(60)
    frame = frame_of(tmp_path, year=years, output=(100 * grown).round(2), wages=(7 * grown**1.2).round(2))
    assert {"output", "wages"} <= {c.name for c in frame.numbers()}


def test_columns_named_alike_say_the_same_sooner(tmp_path: Path, draws: np.random.Generator) -> None:
    for first, second, twins in (
        *(("price", "rprice", True), ("readscr", "mathscr", True)),
        *(("weight", "height", False), ("income", "spending", False)),
    ):
        base = draws.normal(60, 10, ROWS)
        near = {first: base.round(1), second: (2 * base + draws.normal(0, 9, ROWS)).round(1)}
        (folder := tmp_path / first).mkdir()
        frame = frame_of(folder, **near, score=draws.normal(5, 1, ROWS).round(2))
        assert 0.8 <= (frame.strength(frame.column(first), frame.column(second)) or 0) < 0.93
        assert frame.are_twins(frame.column(first), frame.column(second)) is twins, first


def test_groups_of_many_values_are_compared_where_none_else_are(tmp_path: Path, draws: np.random.Generator) -> None:
    branch = draws.choice([f"branch {letter}" for letter in "abcdefghijklmnopqrst"], 800)
    sales = draws.gamma(2, 50, 800).round(2)
    assert [g.name for g in frame_of(tmp_path, branch=branch, sales=sales).groups()] == ["branch"]
    kind = draws.choice(["shop", "web"], 800)
    assert [g.name for g in frame_of(tmp_path, branch=branch, sales=sales, kind=kind).groups()] == ["kind"]


def test_what_happens_is_told_per_those_it_may_happen_to(tmp_path: Path, draws: np.random.Generator) -> None:
    holders = draws.integers(20, 900, ROWS)
    claims = draws.binomial(holders, 0.15)
    frame = frame_of(tmp_path, district=draws.choice(["n", "s", "w"], ROWS), holders=holders, claims=claims)
    assert [(r.kind, r.upper.name, r.lower.name) for r in ratios(frame)] == [("rate", "claims", "holders")]


def test_money_told_in_classes_is_not_spread_over_a_town(tmp_path: Path, draws: np.random.Generator) -> None:
    income, population = draws.choice([2500, 7500, 15000, 35000], ROWS), draws.choice([3750, 25000, 250000], ROWS)
    frame = frame_of(tmp_path, income=income, population=population, sex=draws.choice(["f", "m"], ROWS))
    assert list(ratios(frame)) == []


def test_a_place_in_an_order_is_not_what_a_set_is_about(tmp_path: Path, draws: np.random.Generator) -> None:
    height = draws.normal(66, 3, ROWS).round(1)
    father = (0.4 * height + draws.normal(42, 2, ROWS)).round(1)
    columns = pd.DataFrame({"childNum": draws.integers(1, 12, ROWS), "childHeight": height, "father": father})
    columns["gender"] = draws.choice(["female", "male"], ROWS)
    board = loaded(profile_of(tmp_path, records=columns))
    measures = [choose_focus(board, Random(seed))[0].measure for seed in range(30)]
    assert measures.count("childHeight") > 20 > 3 > measures.count("childNum")
