"""Validators put together from a form: the settings they make parse, and keep what the author wrote."""

from pathlib import Path
from typing import Any

import pytest

from authoring.ui.editor.validators.validator_building import (
    EVERY,
    fields_of,
    options_from,
    validator_summaries,
    with_validator,
    without_validator,
    written_validators,
)
from evaluator.errors import ContentError
from evaluator.language import changed_part, changed_settings, problem_from_parts, read_own_validators

SETTINGS = """tags: [a]
validator:  # how
  template: comparison
  # numbers
  result:
    rtol: 0.1
# what
id: x
"""
FILLED: dict[str, dict[str, Any]] = {
    "crash": {},
    "result": {"ignore_order": True, "rtol": 0.01, "atol": None},
    "namespace_check": {"variables": ["clean"], "ignore_index": True},
    "namespace_intact": {"addition": ["tmp"], "update": [EVERY], "treat_replacement_as_update": True},
    "table_test": {"function_name": "f", "test_cases": "[[1], [2]]", "output_checker": "rtol: 0.1"},
    "model": {
        **{"model_name": "m", "inputs_name": "x", "labels_name": "y"},
        **{"metric_type": ["f1", "r2"], "tolerance": "[0.1, 0.2]"},
    },
    "stream": {},
    "or": {"parts": ["result", "stream"]},
    "and": {"parts": ["crash"]},
    "numeric": {},
    "text": {"pass_at": 0.8},
    "visual": {"pass_at": 0.5, "facts": ["data", "labels"]},
    "final_answer": {"expected": "18"},
    "judge": {"scale": ["right_wrong"], "counts": True},
}


def made_of(settings: str, code: str = "def f(a):\n    return a\n\nclean = f(1)\nclean") -> None:
    made, diagnostics = problem_from_parts("Why?", settings, code)
    assert made is not None
    assert [each for each in diagnostics if each.severity == "error"] == []


def test_every_scored_validator_can_be_built() -> None:
    assert set(validator_summaries(None)) == set(FILLED)
    for name, filled in FILLED.items():
        settings = with_validator("", name, options_from(name, filled, None))
        made_of(settings)
        assert set(written_validators(settings)) == {name}


def test_what_is_not_filled_in_is_not_written() -> None:
    assert options_from("result", {field.name: None for field in fields_of("result", None)}, None) is None
    assert options_from("result", {"rtol": 1e-5, "ignore_order": False}, None) is None
    code = options_from("result", {"compare_fn": "def compare_fn(a, b):\n  return 1"}, None)
    assert code == {"compare_fn": "def compare_fn(a, b):\n  return 1\n"}
    assert options_from("namespace_check", {"variables": ["a", "b"]}, None) == {"a": None, "b": None}


def test_an_open_flag_is_written_either_way() -> None:
    strict = {"ignore_names": False, "ignore_dtypes": False, "ignore_order": False, "ignore_index": None}
    assert options_from("result", strict, None) == {"ignore_names": False, "ignore_dtypes": False}
    judged = {"equality: correct": ["container"], "equality: presentation": [], "equality: wrong": ["order", "index"]}
    options = options_from("namespace_check", {"variables": ["clean"], **judged}, None)
    assert options == {"clean": {"equality": {"container": "correct", "order": "wrong", "index": "wrong"}}}
    made_of(with_validator("", "namespace_check", options))
    lines = next(field for field in fields_of("result", None) if field.name == "equality: wrong")
    assert (lines.is_list, lines.choices[0], "values" in lines.choices) == (True, "number-width", False)


def test_a_form_that_is_not_complete_says_what_is_missing() -> None:
    both = {"equality: correct": ["order"], "equality: wrong": ["order"]}
    wrong: list[tuple[str, dict[str, Any], str]] = [
        ("table_test", {"function_name": "f"}, "test_cases is needed"),
        ("table_test", {"function_name": "f", "test_cases": "[1, ["}, "test_cases cannot be read"),
        ("or", {"parts": []}, "parts is needed"),
        ("result", both, "order is judged both correct and"),
    ]
    for name, filled, what in wrong:
        with pytest.raises(ContentError, match=what):
            options_from(name, filled, None)


def test_a_validator_comes_and_goes_and_every_other_line_stays() -> None:
    more = with_validator(SETTINGS, "stream", None)
    assert more == SETTINGS.replace("# what", "  stream:\n# what")
    assert without_validator(more, "stream") == SETTINGS
    assert without_validator(SETTINGS, "result").startswith("tags: [a]\nvalidator:  # how\n  template: comparison\n")
    assert without_validator("validator:\n  stream:\nid: x\n", "stream") == "id: x\n"
    flow = "validator: {template: basic, result: {rtol: 1}}\n"
    wanted = {"template": "basic", "result": {"rtol": 1}, "stream": None}
    assert written_validators(with_validator(flow, "stream", None)) == wanted


def test_settings_that_cannot_be_read_are_left_alone() -> None:
    with pytest.raises(ContentError, match="cannot be read"):
        changed_settings("tags: [", "id", "x")
    with pytest.raises(ContentError, match="cannot be read"):
        changed_part("tags: [", "validator", "stream", None)
    assert written_validators("tags: [") == {}


def test_the_workspaces_own_validators_can_be_built_too() -> None:
    own = read_own_validators('def near(reference, submission, by=1):\n    """Nearly the same."""\n', Path("v.py"))
    assert validator_summaries(own)["near"] == "Nearly the same."
    assert options_from("near", {"variables": ["a"], "by": "2"}, own) == {"variables": ["a"], "by": 2}
