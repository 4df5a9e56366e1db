from dataclasses import replace
from typing import Any

import pytest
import yaml

from evaluator.errors import ContentError
from evaluator.inside.compare.equality.lines import Judgement, Line
from evaluator.language import (
    MATCHER_OPTIONS,
    ExecutionLimits,
    Problem,
    ValidatorSpec,
    canonical_validator,
    compared_values,
    graded_validators,
    resolve_validators,
    wanted_names,
    wants_figures,
    withheld_names,
)
from evaluator.language.validators.equality_lines import EQUALITY_LINES, JUDGEMENTS
from evaluator.scoring import Subverdict


def resolved(validator: dict[str, Any] | None) -> ValidatorSpec:
    return resolve_validators(Problem(query="ask", code="1", validator=validator))


def test_a_problem_keeps_its_validators_and_a_changed_one_has_others() -> None:
    problem = Problem(query="ask", code="1", validator={"stream": None})
    assert resolve_validators(problem) is resolve_validators(problem)
    other = replace(problem, validator={"result": None})
    assert [node.name for node in resolve_validators(other).nodes] != [
        node.name for node in resolve_validators(problem).nodes
    ]
    assert problem == replace(problem)


def test_a_template_comes_first_and_names_become_canonical() -> None:
    usual = ["crash", "namespace_intact", "result"]
    expected: tuple[tuple[dict[str, Any] | None, list[str]], ...] = (
        *((None, usual), ({}, usual), ({"template": "comparison"}, usual), ({"template": "intact"}, usual[:2])),
        *(
            ({"template": "basic", "stream": None}, ["crash", "stream"]),
            ({"template": "empty", "result": None}, ["result"]),
        ),
        *(
            ({"stream": None, "result": None}, [*usual, "stream"]),
            ({"console": None, "error": None}, [*usual, "stream"]),
        ),
    )
    for validator, names in expected:
        spec = resolved(validator)
        assert (spec.name, [child.name for child in spec.children]) == ("and", names), validator


def test_the_authors_options_win_over_the_template() -> None:
    spec = resolved({"template": "intact", "namespace_intact": {"update": ["df"]}, "result": {"rtol": 0.1}})
    assert spec.children == (
        ValidatorSpec("crash"),
        ValidatorSpec("namespace_intact", {"update": ["df"]}),
        ValidatorSpec("result", {"rtol": 0.1}),
    )


def test_matchers_come_in_one_form() -> None:
    code = "def compare_fn(a, b): return True"
    forms: dict[str, Any] = {"a": None, "b": {"ignore_order": True}, "c": code}
    forms |= {"d": {"compare_fn": {"rtol": 0.1}}, "e": {"compare_fn": code}}
    one = {
        "a": {},
        "b": {"ignore_order": True},
        "c": {"compare_fn": code},
        "d": {"rtol": 0.1},
        "e": {"compare_fn": code},
    }
    spec = resolved({"template": "empty", "result": code, "namespace_check": forms})
    assert spec.children == (
        ValidatorSpec("result", {"compare_fn": code}),
        ValidatorSpec("namespace_check", one),
    )


def test_what_matchers_compare_is_named_with_its_options() -> None:
    code = "def compare_fn(a, b): return True"
    table = {"function_name": "f", "test_cases": [[1]], "output_checker": {"rtol": 0.1}}
    assert compared_values(resolved(None)) == (("result", {}),)
    unlike = {"namespace_check": {"a": {"ignore_order": True}, "b": code}, "table_test": table, "stream": None}
    assert compared_values(resolved({"template": "intact", "or": unlike})) == (
        ("namespace_check.a", {"ignore_order": True}),
        ("namespace_check.b", {"compare_fn": code}),
        ("table_test.output_checker", {"rtol": 0.1}),
        ("table_test.input_checker", {}),
    )
    only_outputs = {**table, "input_checker": False, "output_checker": code}
    wanted = (("table_test.output_checker", {"compare_fn": code}),)
    assert compared_values(resolved({"template": "basic", "table_test": only_outputs})) == wanted


def test_or_and_and_hold_their_validators_as_children() -> None:
    spec = resolved({"template": "empty", "or": {"execute_result": None, "and": {"namespace_check": {"a": None}}}})
    inner = ValidatorSpec("and", {}, (ValidatorSpec("namespace_check", {"a": {}}),))
    assert spec.children == (ValidatorSpec("or", {}, (ValidatorSpec("result"), inner)),)
    assert wanted_names(spec) == ("a",)


def test_forbidden_variables_are_withheld_unless_they_are_needed() -> None:
    names = ("plain", "compared", "evaluated", "predicted", "model")
    problem = Problem(
        query="ask",
        code="1",
        validator={"namespace_check": {"compared": None, "p": None, "q": None}},
        execution=ExecutionLimits(forbid_names=names),
        metadata={"probes": {"p": "evaluated.sum()", "q": {"predict": "model", "inputs": "predicted"}}},
    )
    assert withheld_names(problem) == ("plain",)


def test_graded_validators_are_found_wherever_they_stand() -> None:
    spec = resolved({"or": {"numeric": None, "result": None}, "visual": {"pass_at": 0.5}})
    assert [node.name for node in graded_validators(spec)] == ["numeric", "visual"]
    assert wants_figures(spec)
    assert not wants_figures(resolved({"text": None}))
    assert graded_validators(resolved({"or": {"stream": None}})) == ()


def test_a_mapping_that_cannot_run_is_refused() -> None:
    refused: tuple[tuple[dict[str, Any], str], ...] = (
        *(({"reslt": None}, "use 'result'"), ({"template": "nothing"}, "comparison"), ({"or": [1]}, "mapping")),
        ({"namespace_check": {"a": 3}}, "not 3"),
    )
    for validator, message in refused:
        with pytest.raises(ContentError, match=message):
            resolved(validator)


def test_names_and_dtypes_are_left_to_the_rules_by_default() -> None:
    defaults = {
        name: MATCHER_OPTIONS[name].default for name in ("ignore_names", "ignore_dtypes", "ignore_order", "deep")
    }
    assert defaults == {"ignore_names": None, "ignore_dtypes": None, "ignore_order": False, "deep": False}
    spec = resolved(
        {"result": {"ignore_names": False, "ignore_dtypes": True}, "namespace_check": {"a": {"deep": True}}}
    )
    assert [child.options for child in spec.children[2:]] == [
        {"ignore_names": False, "ignore_dtypes": True},
        {"a": {"deep": True}},
    ]


def test_the_authors_choices_are_the_lines_of_the_comparator() -> None:
    assert MATCHER_OPTIONS["equality"].choices == tuple(line.value for line in Line)
    assert [name for name, line in EQUALITY_LINES.items() if line.is_fixed] == ["values"]
    assert tuple(judgement.value for judgement in Judgement) == JUDGEMENTS


def test_the_options_that_the_table_names_for_a_line_are_known() -> None:
    for line in EQUALITY_LINES.values():
        written = [yaml.safe_load(text) for text in (line.loosen, line.tighten) if text]
        assert all(name in MATCHER_OPTIONS for options in written for name in options)
        assert line.judged in JUDGEMENTS
        assert line.is_fixed or line.subverdict in {str(subverdict) for subverdict in Subverdict}


def test_every_alias_leads_to_its_validator() -> None:
    aliases = {"error": "crash", "execute_result": "result", "console": "stream", "output": "stream"}
    assert {alias: canonical_validator(alias) for alias in aliases} == aliases
    assert canonical_validator("vis") is None
