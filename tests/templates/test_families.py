"""Each family of tasks, tried in sessions over tables that were made for it."""

import ast
from typing import Any

import pytest

from authoring.languages import Language
from authoring.templates import FAMILIES
from authoring.templates.names_in_words import shown
from authoring.templates.phrases import Ordinal
from authoring.templates.planning import FIGURES, STAGES
from evaluator.errors import ContentError
from evaluator.session import Engine
from tests.templates.family_walk import Walk, walk_families


@pytest.fixture(scope="module", params=["some", pytest.param("all", marks=pytest.mark.deep)])
def walk(request: pytest.FixtureRequest, engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Walk:
    return walk_families(engine, tmp_path_factory.mktemp("everything"), is_whole=request.param == "all")


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


def test_each_problem_has_code_that_parses_and_queries_without_open_places(walk: Walk) -> None:
    for one in walk.taken:
        ast.parse(one.problem.code)
        family, slots, task = one.candidate
        for wording in range(len(family.wordings)):
            query = family.query(task, {**slots, "wording": wording})
            assert "{" not in query, (family.name, query)
            assert query.endswith((".", "?")), (family.name, query)
            assert "  " not in query, (family.name, query)
        assert "{" not in family.idea_text(task), family.name


def test_every_wording_reads_as_sentences_and_stands_in_a_stage() -> None:
    for name, family in FAMILIES.items():
        assert len(family.wordings) >= 2, name
        assert family.theme in (*STAGES, FIGURES), name
        for wording in family.wordings:
            assert wording[0].isupper() or wording[0] == "{", name
            assert wording.endswith((".", "?", "}")), name
            assert "  " not in wording, name


def test_nearly_every_family_knows_mistakes_that_are_kept_as_examples(walk: Walk) -> None:
    names = {one.candidate.family.name for one in walk.taken}
    rejecting = {one.candidate.family.name for one in walk.taken if one.candidate.task.mistakes}
    accepting = {one.candidate.family.name for one in walk.taken if one.candidate.task.others}
    assert len(rejecting) >= 0.95 * len(names), names - rejecting
    assert len(accepting) >= 0.9 * len(names), names - accepting
    for one in walk.taken:
        task = one.candidate.task
        kept: dict[str, Any] = one.problem.metadata.get("examples", {})
        assert kept.get("accept", []) == list(task.others)
        assert kept.get("reject", []) == [{"code": m.code, "why": m.why} for m in task.mistakes]


def test_an_item_with_an_unknown_column_names_the_nearest(walk: Walk) -> None:
    one = next(one for one in walk.taken if one.candidate.family.name == "group_table")
    with pytest.raises(ContentError, match="has no column 'weigth_kg'") as raised:
        one.candidate.family.build(one.board, {**one.candidate.slots, "number": "weigth_kg"})
    assert "'weight_kg'" in raised.value.fix


BAD_VALUES: tuple[Any, ...] = (None, 7, "no such thing", ["x", 3], {"a": 1}, -1.5)


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
    assert refused >= 300


def test_numbers_are_written_as_people_write_them() -> None:
    said = [Ordinal(n).say(Language.ENGLISH) for n in (1, 2, 3, 4, 11, 12, 13, 22, 23, 100, 111)]
    assert said == ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "22nd", "23rd", "100th", "111th"]
    assert [shown(value) for value in (3550.0, 2.5, 7, "x")] == ["3550", "2.5", "7", '"x"']
