"""Validators' settings are declared once, and how the editor tells when two values of a problem are equal."""

import re
from typing import Any

from authoring.drafting.model_draft import language_block
from authoring.prompting.prompts import PromptBook
from authoring.ui.editor.draft_view import SETTING_WORDS
from authoring.ui.editor.validators.equality_table import AS_IN_TABLE, BY_CODE, BY_TYPE, compared_in, table_rows
from authoring.ui.editor.validators.validator_building import PARTS, VARIABLES, fields_of, validator_summaries
from evaluator.language import (
    EQUALITY_LINES,
    MATCHER_OPTIONS,
    VALIDATOR_SCHEMAS,
    OptionKind,
    Problem,
    ValidatorShape,
    parse_problemset,
)
from tests.ui.conftest import ROOT

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


def test_lint_knows_each_setting_and_no_other() -> None:
    def found(name: str, option: str, *, of_variable: bool) -> list[tuple[str, str]]:
        line = f"x: {{{option}: 1}}" if of_variable else f"{option}: 1"
        text = f'# %%\n"""\nquery: q\nvalidator:\n  {name}: {{{line}}}\n"""\nx = 1\n'
        return [(each.code, each.what) for each in parse_problemset(text, name="s").diagnostics]

    for schema in SCORED:
        of_variable = schema.shape is ValidatorShape.VARIABLES
        unknown = found(schema.name, "nonsense", of_variable=of_variable)
        assert any("nonsense" in what for _, what in unknown) or schema.name in ("crash", "stream")
        for name in MATCHER_OPTIONS if of_variable else schema.options:
            assert "unknown-option" not in dict(found(schema.name, name, of_variable=of_variable))


def test_the_prompt_names_what_exists() -> None:
    text = language_block(PromptBook()).text
    allowed = re.search(r"Validators that may be used: (.*)\. No others", text)
    assert allowed is not None
    named = set(re.findall(r"[a-z_]+", allowed[1]))
    assert named <= set(VALIDATOR_SCHEMAS)
    assert len(named) >= 5
    options = set(re.findall(r"\{([a-z_]+): (?:true|false)\}", text))
    assert {"ignore_order", "ignore_index"} <= options <= set(MATCHER_OPTIONS)


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


def test_what_an_option_changes_is_told_once_for_all_its_lines() -> None:
    (said,) = summaries({"result": {"value_only": True}}).values()
    assert said.startswith("a difference in container, ")
    assert said.endswith("counts as correct, by value_only: true")


def test_the_table_in_force_has_every_line_and_names_values_judged_apart() -> None:
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
