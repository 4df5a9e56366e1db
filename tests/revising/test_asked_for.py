"""Proposals judge what is asked for, and keep what the settings say about it."""

import pytest

from authoring.revising.affected.cell_effects import effects_of
from authoring.revising.validators.asked_for import asked_names, with_kept_settings
from evaluator.language import Problem, parse_problemset
from tests.revising.conftest import problem

CODE = "_helper = 2\nspare = 3\ndef double(x):\n    return 2 * x\ntotal = double(_helper)"


def parsed(query: str, settings: str = "") -> Problem:
    found = parse_problemset(problem("one", query, CODE, settings), name="one").problemset
    assert found is not None
    return found.problems[0]


def checked(*lines: str) -> str:
    return "validator:\n" + "".join(f"  {line}\n" for line in lines)


@pytest.mark.parametrize(
    ("query", "settings", "names"),
    [
        ("Store it in `total`; spare nothing.", "", ["total"]),
        ("Store it in total.", "", ["total"]),
        ("Store `total = double(_helper)`.", "", ["_helper", "double", "total"]),
        ("Double it.", checked("namespace_check: {spare: null}"), ["spare"]),
        ("Write `double`.", "", ["double", "spare", "total"]),
        ("Do what is needed.", "", ["double", "spare", "total"]),
    ],
)
def test_what_the_query_or_a_validator_names_is_judged(query: str, settings: str, names: list[str]) -> None:
    asked = asked_names(parsed(query, settings), sorted(effects_of(CODE).writes))
    assert sorted(asked.names) == names


def test_the_template_and_tolerances_are_kept_and_nothing_else_is() -> None:
    lines = ("template: basic", "namespace_check:", "  total: {rtol: 0.01, ignore_order: true}", "result: {atol: 2}")
    held = parsed("Store it in `total`.", checked(*lines))
    checks = {"namespace_check": {"total": {"ignore_index": True}, "spare": None}}
    kept = {"total": {"rtol": 0.01, "ignore_index": True}, "spare": None}
    assert with_kept_settings(held, checks) == {"template": "basic", "namespace_check": kept}
    within = {"result": {"rtol": 0.01, "atol": 0.0}}
    assert with_kept_settings(held, within) == {"template": "basic", **within}
    assert with_kept_settings(held, {"template": "intact", "stream": None}) == {"template": "basic", "stream": None}
    by_value = parsed("Store it in `total`.", checked("template: comparison"))
    assert with_kept_settings(by_value, {"template": "intact", "stream": None})["template"] == "intact"
