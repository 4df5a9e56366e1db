"""Validators: declared once, built from a form, proposed, tried on answers; when two values are equal."""

import re
from pathlib import Path
from typing import Any

import pytest

from authoring.store import autosaves
from authoring.ui.editor.draft_view import SETTING_WORDS
from authoring.ui.editor.validators.equality_table import AS_IN_TABLE, BY_CODE, BY_TYPE, compared_in, table_rows
from authoring.ui.editor.validators.validator_building import (
    EVERY,
    PARTS,
    VARIABLES,
    fields_of,
    options_from,
    validator_summaries,
    with_validator,
    without_validator,
    written_validators,
)
from evaluator.errors import ContentError
from evaluator.language import (
    EQUALITY_LINES,
    MATCHER_OPTIONS,
    VALIDATOR_SCHEMAS,
    OptionKind,
    Problem,
    ValidatorShape,
    changed_part,
    changed_settings,
    problem_from_parts,
    read_own_validators,
    read_yaml,
)
from tests.ui.acts import ROOT, Desk, area, errors, finish, press, said, texts

SCORED = list(VALIDATOR_SCHEMAS.values())
CODE = "def compare_fn(a, b): return True"


def test_each_setting_is_offered_completed_and_described() -> None:
    assert len(SCORED) >= 9
    assert len(MATCHER_OPTIONS) >= 14
    assert sum(len(schema.options) for schema in SCORED) >= 29
    dseal = (ROOT / "docs" / "dseal.md").read_text(encoding="utf-8")
    for schema in SCORED:
        assert validator_summaries(None)[schema.name] == schema.summary
        assert schema.name in SETTING_WORDS
        assert f"`{schema.name}`" in dseal
        shown = {field.name.partition(":")[0]: field for field in fields_of(schema.name, None)}
        declared = MATCHER_OPTIONS if schema.shape is ValidatorShape.VARIABLES else schema.options
        assert set(shown) - {PARTS, VARIABLES} == set(declared)
        for name, option in declared.items():
            assert shown[name].required == option.required
            assert option.kind is OptionKind.JUDGEMENTS or shown[name].summary == option.summary
            assert name in SETTING_WORDS
            assert re.search(rf"\b{name}\b", dseal), "the docs tell of it"


def summaries(validator: dict[str, Any] | None) -> dict[str, str]:
    compared = compared_in(Problem(query="ask", code="1", validator=validator))
    return {", ".join(each.names): each.summary for each in compared}


def judged(validator: dict[str, Any], line: str) -> str:
    rows = table_rows(compared_in(Problem(query="ask", code="1", validator=validator)))
    (found,) = [row for row in rows if row["Difference"].replace("\\", "").startswith(f"**{line}**")]
    return found["Judged as"].replace("\\", "")


def test_each_compared_value_says_which_lines_differ_and_by_which_option() -> None:
    assert summaries(None) == {"result": AS_IN_TABLE}
    variables = {"a": {"ignore_names": False}, "b": {"ignore_names": False, "rtol": 0.1}, "c": CODE, "d": None}
    assert summaries({"result": {"type_only": True}, "namespace_check": variables}) == {
        "result": BY_TYPE,
        "a, b": "a difference in names counts as presentation error, NAME_MISMATCH, by ignore_names: false",
        "c": BY_CODE,
        "d": AS_IN_TABLE,
    }
    table = {"function_name": "f", "test_cases": [[1]], "output_checker": {"equality": {"order": "wrong"}}}
    assert summaries({"template": "basic", "table_test": table}) == {
        "outputs of the unit tests": "a difference in order counts as wrong, by equality: {order: wrong}",
        "arguments after the unit tests": AS_IN_TABLE,
    }
    assert summaries({"template": "basic", "stream": None}) == {}
    settings: dict[str, Any] = {"result": {"ignore_order": True}, "namespace_check": {"a": None, "b": CODE}}
    rows = table_rows(compared_in(Problem(query="ask", code="1", validator=settings)))
    assert len(rows) == len(EQUALITY_LINES)
    order = "result: correct (ignore_order: true); a: presentation error, ORDER_MISMATCH"
    assert judged(settings, "order") == order
    assert judged(settings, "names") == "correct"
    assert judged(settings, "values") == "wrong"
    told = {line: row["Changed by"].replace("\\", "") for line, row in zip(EQUALITY_LINES, rows, strict=True)}
    assert told["values"] == "no option"
    assert told["container"] == "value_only: true, equality"
    assert told["missing-kind"] == "equality"
    assert "[1, 2] and pd.Series([1, 2])" in rows[list(EQUALITY_LINES).index("container")]["Difference"].replace(
        "\\", ""
    )


WRITTEN = """tags: [a]
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
    own = read_own_validators('def near(reference, submission, by=1):\n    """Nearly the same."""\n', Path("v.py"))
    assert validator_summaries(own)["near"] == "Nearly the same."
    assert options_from("near", {"variables": ["a"], "by": "2"}, own) == {"variables": ["a"], "by": 2}


def test_what_is_not_filled_in_is_not_written() -> None:
    assert options_from("result", {field.name: None for field in fields_of("result", None)}, None) is None
    assert options_from("result", {"rtol": 1e-5, "ignore_order": False}, None) is None
    code = options_from("result", {"compare_fn": "def compare_fn(a, b):\n  return 1"}, None)
    assert code == {"compare_fn": "def compare_fn(a, b):\n  return 1\n"}
    assert options_from("namespace_check", {"variables": ["a", "b"]}, None) == {"a": None, "b": None}
    strict = {"ignore_names": False, "ignore_dtypes": False, "ignore_order": False, "ignore_index": None}
    assert options_from("result", strict, None) == {"ignore_names": False, "ignore_dtypes": False}
    judged = {"equality: correct": ["container"], "equality: presentation": [], "equality: wrong": ["order", "index"]}
    options = options_from("namespace_check", {"variables": ["clean"], **judged}, None)
    assert options == {"clean": {"equality": {"container": "correct", "order": "wrong", "index": "wrong"}}}
    made_of(with_validator("", "namespace_check", options))
    lines = next(field for field in fields_of("result", None) if field.name == "equality: wrong")
    assert (lines.is_list, lines.choices[0], "values" in lines.choices) == (True, "number-width", False)
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
    more = with_validator(WRITTEN, "stream", None)
    assert more == WRITTEN.replace("# what", "  stream:\n# what")
    assert without_validator(more, "stream") == WRITTEN
    assert without_validator(WRITTEN, "result").startswith("tags: [a]\nvalidator:  # how\n  template: comparison\n")
    assert without_validator("validator:\n  stream:\nid: x\n", "stream") == "id: x\n"
    flow = "validator: {template: basic, result: {rtol: 1}}\n"
    wanted = {"template": "basic", "result": {"rtol": 1}, "stream": None}
    assert written_validators(with_validator(flow, "stream", None)) == wanted
    with pytest.raises(ContentError, match="cannot be read"):
        changed_settings("tags: [", "id", "x")
    with pytest.raises(ContentError, match="cannot be read"):
        changed_part("tags: [", "validator", "stream", None)
    assert written_validators("tags: [") == {}


YAML = "Settings (YAML): validator, limits, tags"


def tried(verdict: str, **more: Any) -> dict[str, Any]:
    reason = [{"category": "result", "correct": "no", "reason": "7"}]
    validation = {"correct": "no", "category": "and", "reason": reason}
    return {"verdict": verdict, "reason": "", "validation": validation, "outputs": [], "error": None, **more}


def test_an_answer_is_tried_on_the_text_on_screen_and_kept_in_the_settings(desk: Desk) -> None:
    go = f"try:{desk.number}:p1:go"
    app = desk.editor(tab="Try")
    assert "there is no answer to try" in errors(press(app, go))
    area(app, "Reference code").set_value("sales.units.sum()")
    area(app, "Answer to try").set_value("sales.units")
    press(app, go)
    payload = finish(desk.ws, "try", tried("WRONG_OUTPUT", reason="7 is not <6>")).payload
    assert (payload["problem"], payload["code"], "sales.units.sum()" in payload["text"]) == (1, "sales.units", True)
    assert r"7 is not \<6\>" in texts(app.run())
    told = [row["Validator"] for row in app.table[0].value.to_dict("records")]
    assert told == ["result: :small[the value of the cell's last expression]"]
    press(app, "try:1:reject")
    settings = desk.kept()["p1", "settings"].text
    assert read_yaml(settings).value == {"examples": {"reject": [{"code": "sales.units\n", "verdict": "WRONG_OUTPUT"}]}}
    assert area(app, YAML).value == settings
    assert "is WRONG_OUTPUT" in said(app)  # as it was tried: the examples are no part of what its verdict rests on
    assert "before the text changed" not in said(app)
    area(app, "Reference code").set_value("sales.units.max()").run()
    assert "is WRONG_OUTPUT, before the text changed" in said(app)
    desk.save(app)
    assert "examples:" in desk.head().text
    assert desk.kept_texts() == ["sales.units"]  # no revision holds it, and saving does not take it away
    assert autosaves.people(desk.ws, desk.number) == []
    press(app, f"example:{desk.number}:p1:examples.reject[0]")
    assert "None yet" in said(app)


def test_a_proposal_is_put_into_the_settings_and_a_stale_one_says_so(desk: Desk) -> None:
    app = desk.editor(tab="Validators")
    press(app, f"propose:{desk.number}:p1")
    proposal = {"number": 1, "title": "any <order>", "validator": {"result": {"ignore_order": True}}}
    verdicts = {"reference_passes": True, "rewrites": {"order reversed": "CORRECT", "as text": "WRONG_OUTPUT"}}
    refused = {**proposal, **verdicts, "number": 2, "reference_passes": False}
    payload = finish(desk.ws, "validators", {"proposals": [{**proposal, **verdicts}, refused]}).payload
    assert (payload["problem"], payload["text"]) == (1, desk.text)
    app.run()
    for words in ("accepts: order reversed", "rejects: as text", "✗ rejects"):
        assert words in said(app)
    (matrix,) = [each.value for each in app.table if "Rewrite" in each.value]
    assert matrix.to_numpy().tolist() == [
        ["**the reference**", ":green[**✓**]", ":red[**✗**]"],
        ["order reversed", ":green[**✓**]", ":green[**✓**]"],
        ["as text", ":red[**✗**]", ":red[**✗**]"],
    ]
    assert app.button(key="proposal:1:2").disabled
    press(app, "proposal:1:1")
    assert area(app, YAML).value == "validator:\n  result:\n    ignore_order: true\n"
    assert "stale: the text has changed since" in said(app)


def test_a_validator_is_built_with_a_preview_and_removed_again(desk: Desk) -> None:
    app = desk.editor(tab="Validators")
    key, written = f"build:{desk.number}:p1", f"written:{desk.number}:p1"
    app.selectbox(key=f"{key}:name").select("namespace_check").run()
    assert "variables is needed" in said(app)
    app.multiselect(key=f"{key}:namespace_check:variables").set_value(["sales"])
    app.checkbox(key=f"{key}:namespace_check:ignore_order").check().run()
    assert "sales:\n      ignore_order: true" in said(app)
    area(app, YAML).set_value("tags: [typed]\n")  # and not left yet: the click brings it along
    press(app, f"{key}:add")
    wanted = "tags: [typed]\nvalidator:\n  namespace_check:\n    sales:\n      ignore_order: true\n"
    assert area(app, YAML).value == wanted
    assert desk.kept_texts() == [wanted]
    assert "falls away" not in said(app)  # the form holds what stands there
    app.multiselect(key=f"{key}:namespace_check:variables").set_value(["total"]).run()
    assert "The settings hold namespace_check already" in said(app)
    assert app.button(key=f"{key}:add").label == "Replace in settings"
    app.selectbox(key=f"{written}:template").select("intact").run()
    assert "template: intact" in area(app, YAML).value
    press(app, f"{written}:namespace_check")
    assert area(app, YAML).value == "tags: [typed]\nvalidator:\n  template: intact\n"
