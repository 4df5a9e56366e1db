"""Each family of tasks, and sketches that a person edited."""

import ast
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any, NamedTuple

import pytest

from authoring.languages import Language
from authoring.seeds import Profile
from authoring.seeds.meanings import infer_semantics
from authoring.store.drafting.sketches import SketchItem
from authoring.templates import FAMILIES, sketch_from_profile
from authoring.templates.board import Board, Focus
from authoring.templates.focus import choose_focus
from authoring.templates.identities import identity
from authoring.templates.names_in_words import shown
from authoring.templates.phrases import Ordinal
from authoring.templates.planning import FIGURES, MIN_PROBLEMS, STAGES
from evaluator.errors import ContentError
from evaluator.session import Engine
from tests.templates.conftest import Author
from tests.templates.family_walk import Walk
from tests.templates.nasty_tables import umlauts
from tests.templates.rich_tables import nations, orders


def test_nearly_every_family_makes_a_problem_that_a_session_takes(walk: Walk) -> None:
    assert len(FAMILIES) >= 70
    assert not [name for name, reasons in walk.not_taken.items() if name not in walk.built], walk.not_taken
    assert len(FAMILIES) - len(walk.not_taken) >= 62, walk.not_taken


def test_what_is_refused_is_refused_for_a_reason_of_the_data(walk: Walk) -> None:
    by_data = (
        "the data do not fit",
        "a wrong answer",
        "the result",
        "all values of the result",
        "takes ",
        "IndexError",
    )
    strange = [(name, why) for name, reasons in walk.refused.items() for why in reasons if not why.startswith(by_data)]
    assert strange == []


def test_each_problem_has_code_that_parses_and_a_query_without_open_places(walk: Walk) -> None:
    for one in walk.taken:
        ast.parse(one.problem.code)
        family, slots, task = one.candidate
        for wording in range(len(family.wordings)):
            query = family.query(task, {**slots, "wording": wording})
            assert "{" not in query, (family.name, query)
            assert query.endswith((".", "?")), (family.name, query)
            assert "  " not in query, (family.name, query)
        assert "{" not in family.idea_text(task), family.name


@pytest.mark.parametrize("name", FAMILIES)
def test_every_wording_reads_as_sentences_and_stands_in_a_stage(name: str) -> None:
    for wording in FAMILIES[name].wordings:
        assert wording[0].isupper() or wording[0] == "{"
        assert wording.endswith((".", "?", "}"))
        assert "  " not in wording
    assert len(FAMILIES[name].wordings) >= 2
    assert FAMILIES[name].theme in (*STAGES, FIGURES)


def test_nearly_every_family_knows_mistakes_that_its_problems_reject(walk: Walk) -> None:
    names = {one.candidate.family.name for one in walk.taken}
    rejecting = {one.candidate.family.name for one in walk.taken if one.candidate.task.mistakes}
    accepting = {one.candidate.family.name for one in walk.taken if one.candidate.task.others}
    assert len(rejecting) >= 0.95 * len(names), names - rejecting
    assert len(accepting) >= 0.9 * len(names), names - accepting


def test_answers_that_were_tried_are_kept_as_examples_of_the_problem(walk: Walk) -> None:
    for one in walk.taken:
        task = one.candidate.task
        kept: dict[str, Any] = one.problem.metadata.get("examples", {})
        assert kept.get("accept", []) == list(task.others)
        assert kept.get("reject", []) == [{"code": m.code, "why": m.why} for m in task.mistakes]


def test_a_person_may_change_slots_and_drop_items(author: Callable[..., Any]) -> None:
    made = author(umlauts)
    profile = made.profile()
    items = sketch_from_profile(profile, rng_seed=7)
    edited = [replace(item, slots={**item.slots, "wording": 1}) for item in items]
    questions = [item for item in edited if not any(item.number in other.depends_on for other in edited)]
    drafted = made.draft(profile, items=[item for item in edited if item != questions[-1]])
    assert drafted.report["problems"] >= MIN_PROBLEMS


class Sketched(NamedTuple):
    """A table, its profile and a sketch of it."""

    author: Author
    profile: Profile
    items: tuple[SketchItem, ...]


@pytest.fixture(scope="module")
def sketched(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Sketched:
    """A sketch that several tests edit, each a copy of its own."""
    folder = tmp_path_factory.mktemp("sketched")
    umlauts(folder)
    made = Author(engine, folder)
    profile = made.profile()
    return Sketched(made, profile, sketch_from_profile(profile, rng_seed=0))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"family": "no_such"}, "no task family is called 'no_such'"),
        ({"family": ""}, "names no task family"),
        ({"slots": {"table": 0, "var": "1x"}}, "slot 'var' is '1x'"),
        ({"slots": {"table": 9, "var": "df"}}, "slot 'table' is 9"),
        ({"slots": {}}, "slot 'table' is None"),
        ({"slots": {"table": 0, "var": "df", "wording": "b"}}, "slot 'wording'"),
        ({"slots": {"table": 0, "var": "df", "others": [1]}}, "slot 'others' is \\[1\\]"),
        ({"slots": {"table": 0, "var": "df", "others": {"x": "y"}}}, "slot 'others' is"),
        ({"slots": {"table": 0, "var": "df", "focus": "Stadt"}}, "slot 'focus' is 'Stadt'"),
    ],
)
def test_an_item_that_names_nothing_is_refused_with_its_number(
    sketched: Sketched, change: dict[str, Any], message: str
) -> None:
    made, profile, (first, *rest) = sketched
    with pytest.raises(ContentError, match=message) as raised:
        made.draft(profile, items=[replace(first, **change), *rest])
    assert raised.value.where == "sketch item 1"


def test_an_item_with_an_unknown_column_names_the_nearest(walk: Walk) -> None:
    one = next(one for one in walk.taken if one.candidate.family.name == "group_table")
    with pytest.raises(ContentError, match="has no column 'weigth_kg'") as raised:
        one.candidate.family.build(one.board, {**one.candidate.slots, "number": "weigth_kg"})
    assert "'weight_kg'" in raised.value.fix


BAD_VALUES: tuple[Any, ...] = (None, 7, "", "no such thing", [], ["x", 3], {"a": 1}, True, -1.5)


def test_bad_slots_of_any_family_are_refused_in_plain_words(walk: Walk) -> None:
    """Whatever a person writes into a slot of a sketch, it works or says what is wrong."""
    broken, refused = [], 0
    for one in walk.taken:
        family, slots, _ = one.candidate
        for key in slots:
            for bad in BAD_VALUES if key not in ("wording", "focus") else ():
                try:
                    family.query(family.build(one.board, {**slots, key: bad}), slots)
                except ContentError:
                    refused += 1
                except Exception as error:  # noqa: BLE001  # any other is what this test looks for
                    broken.append((family.name, key, bad, repr(error)))
    assert broken == []
    assert refused >= 500


def test_more_than_fifteen_items_are_refused(sketched: Sketched) -> None:
    made, profile, items = sketched
    with pytest.raises(ContentError, match="at most 15"):
        made.draft(profile, items=[*items, *items])


def test_a_short_sketch_is_filled_up_to_ten(sketched: Sketched) -> None:
    made, profile, items = sketched
    drafted = made.draft(profile, items=items[:3])
    assert drafted.report["problems"] == MIN_PROBLEMS


def test_covered_knowledge_points_are_chosen_less_often(author: Callable[..., Any]) -> None:
    profile = author(orders).profile()
    covered = {one.knowledge_points[0] for one in FAMILIES.values() if one.theme == "drill-down"}
    fresh, tired = (
        sum(
            FAMILIES[item.family].theme == "drill-down"
            for seed in range(6)
            for item in sketch_from_profile(profile, rng_seed=seed, covered=known)
        )
        for known in ((), covered)
    )
    assert tired < fresh


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            ("group_table", {"group": "g", "number": "n", "lead": "mean"}),
            ("group_table", {"group": "g", "number": "n", "lead": "median"}),
        ),
        (("value_classes", {"column": "n", "edges": [1, 2]}), ("value_classes", {"column": "n", "edges": [3, 4]})),
        (
            ("bring_columns", {"other": "t", "columns": ["a", "b"]}),
            ("bring_columns", {"other": "t", "columns": ["b", "a"]}),
        ),
    ],
)
def test_questions_that_are_nearly_the_same_do_not_stand_in_one_set(
    one: tuple[str, dict[str, Any]], other: tuple[str, dict[str, Any]]
) -> None:
    keys = {identity(name, {"frame": "df", **slots}) for name, slots in (one, other)}
    assert len(keys) == 1


def test_a_set_is_about_a_measure_and_what_may_explain_it(author: Callable[..., Any]) -> None:
    profile = author(nations).profile()
    board = Board(profile, infer_semantics(profile))
    load = FAMILIES["load_tables"]
    loaded = load.build(board, next(iter(load.propose(board, Random(0))))).board
    found = [choose_focus(loaded, Random(seed))[0] for seed in range(20)]
    assert {one.measure for one in found} <= {c.name for c in loaded.frames["nations"].numbers()}
    assert all(one.measure != one.partner and one.entity == "country" and one.time == "year" for one in found)
    assert len({one.measure for one in found}) >= 2
    assert Focus(**found[0].to_slots()) == found[0]


def test_numbers_are_written_as_people_write_them() -> None:
    assert [Ordinal(n).say(Language.ENGLISH) for n in (1, 2, 3, 4, 11, 23, 100)] == [
        "1st",
        "2nd",
        "3rd",
        "4th",
        "11th",
        "23rd",
        "100th",
    ]
    assert [shown(value) for value in (3550.0, 2.5, 7, "x")] == ["3550", "2.5", "7", '"x"']
