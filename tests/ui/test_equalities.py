"""How the editor tells when two values of a problem are equal, and which options say so."""

from typing import Any

from authoring.ui.editor.validators.equality_table import AS_IN_TABLE, BY_CODE, BY_TYPE, compared_in, table_rows
from evaluator.language import EQUALITY_LINES, Problem

CODE = "def compare_fn(a, b): return True"


def summaries(validator: dict[str, Any] | None) -> dict[str, str]:
    compared = compared_in(Problem(query="ask", code="1", validator=validator))
    return {", ".join(each.names): each.summary for each in compared}


def judged(validator: dict[str, Any], line: str) -> str:
    rows = table_rows(compared_in(Problem(query="ask", code="1", validator=validator)))
    (found,) = [row for row in rows if row["Difference"].replace("\\", "").startswith(f"**{line}**")]
    return found["Judged as"].replace("\\", "")


def test_each_compared_value_says_which_lines_differ_from_the_table_and_by_which_option() -> None:
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


def test_the_table_in_force_has_every_line_and_names_the_values_that_are_judged_apart() -> None:
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
