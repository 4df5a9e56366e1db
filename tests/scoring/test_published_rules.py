"""Section 8 of the language's design, sentence by sentence: what each rule set makes of the same two outcomes."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from evaluator.inside.codec.decode.decoded import (
    ABSENT,
    CaseAnswer,
    DecodedOutcome,
    ErrorFacts,
    Inferred,
    NamespaceDiff,
    ProbeReport,
)
from evaluator.inside.compare import published_tables as matchers_tables
from evaluator.inside.export.probe_inputs import _accepts
from evaluator.inside.validators.judging import judge
from evaluator.inside.validators.test_cases import build_case
from evaluator.language import Problem, parse_problemset, resolve_validators
from evaluator.scoring import Answer, Cause, Finding, decide, parse_findings
from evaluator.session import Ending

NAN = float("nan")
FRAME = pd.DataFrame({"a": [1, 2, 3], "b": [4.5, 5.5, 6.5]})
SERIES = pd.Series([1.5, 2.5, 3.5], name="v")
RESULT: dict[str, Any] = {"template": "empty", "result": None}
BOTH = pytest.mark.parametrize("rules", ["sound", "published"])


def verdict(reference: DecodedOutcome, submission: DecodedOutcome, rules: str, validator: Any = None) -> str:
    spec = resolve_validators(Problem(query="ask", code="", validator=validator))
    finding = parse_findings(judge(reference, submission, spec.to_json(), rules=rules), spec)
    assert isinstance(finding, Finding), finding
    judged = decide(finding, Ending(submission.ending))
    return f"{judged.verdict}/{judged.subverdict}"


def of_result(expected: Any, found: Any, rules: str, **options: Any) -> str:
    reference, submission = DecodedOutcome("ok", "", result=expected), DecodedOutcome("ok", "", result=found)
    return verdict(reference, submission, rules, {"template": "empty", "result": options or None})


def wrong(subverdict: str) -> str:
    return f"WRONG_OUTPUT/{subverdict}"


# --- lines that change published records


@pytest.mark.parametrize(
    ("found", "sound", "published"),
    [
        (FRAME.drop(columns="b"), "SHAPE_MISMATCH", "COLUMNS_MISMATCH"),
        (FRAME.assign(a=["1", "2", "9"]), "DTYPE_MISMATCH", "VALUE_MISMATCH"),
        (FRAME.rename(columns={"b": "c"}).assign(a=[7, 8, 9]), "COLUMNS_MISMATCH", "VALUE_MISMATCH"),
    ],
)
def test_the_cause_is_that_of_the_last_comparison_and_soundly_of_the_only_one(
    found: Any, sound: str, published: str
) -> None:
    assert of_result(FRAME, found, "sound") == wrong(sound)
    assert of_result(FRAME, found, "published") == wrong(published)


@pytest.mark.parametrize(
    ("rules", "causes"), [("sound", {"cause": "DTYPE"}), ("published", {"cause": "VALUE", "loose_cause": "VALUE"})]
)
def test_the_cause_of_a_loose_comparison_is_kept_under_the_published_rules_which_alone_make_one(
    rules: str, causes: dict[str, str]
) -> None:
    spec = resolve_validators(Problem(query="ask", code="", validator=RESULT))
    reference = DecodedOutcome("ok", "", result=FRAME)
    submission = DecodedOutcome("ok", "", result=FRAME.assign(a=["1", "2", "9"]))
    finding = parse_findings(judge(reference, submission, spec.to_json(), rules=rules), spec)
    assert isinstance(finding, Finding)
    shown = finding.to_json()["reason"][0]
    assert {name: shown[name] for name in ("cause", "loose_cause") if name in shown} == causes


@pytest.mark.parametrize(
    ("expected", "found", "sound"),
    [
        (np.array([1, 2]), np.array([1, 2, 3]), "SHAPE_MISMATCH"),
        (np.arange(6).reshape(2, 3), np.arange(6).reshape(3, 2), "SHAPE_MISMATCH"),
        (np.array([1.5, 2]), np.array([1.5, 3]), "VALUE_MISMATCH"),
        (sparse.csr_matrix([[1.0]]), sparse.csr_matrix([[2.0]]), "VALUE_MISMATCH"),
        ("a", "b", "VALUE_MISMATCH"),
        ("a", None, "UNCATEGORIZED"),
        ({1, 2}, {1, 3}, "VALUE_MISMATCH"),
        ([{"a": 1}, {"b": 1}], [{"b": 1}, {"c": 1}], "VALUE_MISMATCH"),  # dicts cannot be sorted: an exception
    ],
)
def test_published_causes_exist_for_tables_and_elements_only_and_soundly_for_arrays_and_strings_too(
    expected: Any, found: Any, sound: str
) -> None:
    assert of_result(expected, found, "published") == wrong("UNCATEGORIZED")
    assert of_result(expected, found, "sound") == wrong(sound)


@BOTH
def test_a_missing_output_and_a_missing_name_have_no_cause(rules: str) -> None:
    assert of_result(FRAME, ABSENT, rules) == wrong("UNCATEGORIZED")
    reference, submission = DecodedOutcome("ok", "", variables={"df": FRAME}), DecodedOutcome("ok", "")
    check = {"template": "empty", "namespace_check": {"df": None}}
    assert verdict(reference, submission, rules, check) == "WRONG_VARIABLES/UNCATEGORIZED"


def test_an_array_laid_out_otherwise_is_wrong_and_soundly_another_container() -> None:
    assert of_result(np.array([1, 2]), np.array([[1, 2]]), "published") == wrong("UNCATEGORIZED")
    assert of_result(np.array([1, 2]), np.array([[1, 2]]), "sound") == "PRESENTATION_ERROR/CONTAINER_MISMATCH"


@pytest.mark.parametrize(
    ("rules", "found"), [("sound", "PRESENTATION_ERROR/DTYPE_MISMATCH"), ("published", wrong("UNCATEGORIZED"))]
)
def test_the_dtype_of_a_bare_array_is_a_cause_under_the_sound_rules(rules: str, found: str) -> None:
    assert of_result(np.array([1]), np.array([1.0]), rules, strict_type=True) == found


@BOTH
@pytest.mark.parametrize(
    ("expected", "found", "subverdict"),
    [
        (["a"], ["b"], "VALUE_MISMATCH"),
        ([np.array([1])], [np.array([2])], "VALUE_MISMATCH"),
        ([SERIES], [7], "VALUE_MISMATCH"),
        ({"k": "a"}, {"k": "b"}, "VALUE_MISMATCH"),
        ([FRAME], [FRAME.iloc[:1]], "SHAPE_MISMATCH"),
        (pd.Index([1, 2]), pd.Index([1, 3]), "VALUE_MISMATCH"),
        (SERIES, 7, "UNEXPECTED_TYPE"),
        (7, "7", "UNEXPECTED_TYPE"),
        (7, 8, "VALUE_MISMATCH"),
        (True, False, "VALUE_MISMATCH"),
        ([1, 2], [1], "VALUE_MISMATCH"),
        ({"a": 1}, {"b": 1}, "VALUE_MISMATCH"),
    ],
)
def test_a_cause_inside_a_container_is_at_least_value_as_are_lengths_names_and_indexes(
    expected: Any, found: Any, subverdict: str, rules: str
) -> None:
    assert of_result(expected, found, rules) == wrong(subverdict)


@pytest.mark.parametrize(
    ("expected", "found", "sound"),
    [
        (SERIES, SERIES.iloc[:2], wrong("SHAPE_MISMATCH")),
        (pd.Index([1, 2], name="a"), pd.Index([1, 2], name="b"), "CORRECT/UNCATEGORIZED"),
        (SERIES, SERIES.rename("w").iloc[[0, 0, 2]], wrong("VALUE_MISMATCH")),
    ],
)
def test_the_length_of_a_series_and_the_name_of_an_index_are_values_and_soundly_a_shape_and_nothing(
    expected: Any, found: Any, sound: str
) -> None:
    assert of_result(expected, found, "published") == wrong("VALUE_MISMATCH")
    assert of_result(expected, found, "sound") == sound


@BOTH
def test_the_causes_of_all_variables_are_searched_together(rules: str) -> None:
    names = {"template": "empty", "namespace_check": {"n": None, "df": None}}
    reference = DecodedOutcome("ok", "", variables={"n": 1, "df": FRAME})
    submission = DecodedOutcome("ok", "", variables={"n": 2, "df": FRAME.iloc[:2]})
    assert verdict(reference, submission, rules, names) == "WRONG_VARIABLES/SHAPE_MISMATCH"


@pytest.mark.parametrize("value", [NAN, np.float64("nan"), [1, NAN], {"a": NAN}])
def test_a_scalar_nan_equals_nothing_and_soundly_nan(value: Any) -> None:
    assert of_result(value, value, "published") == wrong("VALUE_MISMATCH")
    assert of_result(value, value, "sound") == "CORRECT/UNCATEGORIZED"


# --- lines that matter to other submissions


@pytest.mark.parametrize(
    ("name", "bases", "traceback", "source", "sound", "published"),
    [
        (
            "SyntaxError",
            (),
            "SyntaxError: bad",
            "There are",
            "SYNTAX_ERROR/UNCATEGORIZED",
            "SYNTAX_ERROR/UNCATEGORIZED",
        ),
        ("SyntaxError", (), "SyntaxError: bad", "df.query('a b')", "CRASH/UNCATEGORIZED", "SYNTAX_ERROR/UNCATEGORIZED"),
        (
            *("IndentationError", ("SyntaxError",), "IndentationError: x", "x = 1\n  y"),
            *("SYNTAX_ERROR/UNCATEGORIZED", "CRASH/UNCATEGORIZED"),
        ),
        *(
            (name, (base,), f"{name}: x", "f()", sound, "CRASH/UNCATEGORIZED")
            for name, base, sound in (
                ("UnboundLocalError", "NameError", "CRASH/NAME_ERROR"),
                ("JSONDecodeError", "ValueError", "CRASH/VALUE_ERROR"),
                ("ZeroDivisionError", "ArithmeticError", "CRASH/UNCATEGORIZED"),
            )
        ),
        ("ValueError", (), "KeyError: 'x'\n\nValueError: y", "f()", "CRASH/VALUE_ERROR", "CRASH/KEY_ERROR"),
        ("Exception", (), "Exception: one\nTypeError: in a message", "f()", "CRASH/UNCATEGORIZED", "CRASH/TYPE_ERROR"),
        ("KeyError", (), "  KeyError: indented\nKeyErrors: x", "f()", "CRASH/KEY_ERROR", "CRASH/UNCATEGORIZED"),
        (
            *("KeyError", ("LookupError",), "KeyError: 1\nModuleNotFoundError: No module", "f()"),
            *("CRASH/KEY_ERROR", "CRASH/MODULE_NOT_FOUND"),
        ),
    ],
)
def test_a_crash_is_classed_by_the_lines_of_its_traceback_and_soundly_by_the_last_exception(
    name: str, bases: tuple[str, ...], traceback: str, source: str, sound: str, published: str
) -> None:
    facts = ErrorFacts(name, (name, *bases), "x", f"Traceback (most recent call last):\n{traceback}")
    crashed = DecodedOutcome("error", source, error=facts)
    assert verdict(DecodedOutcome("ok", "1"), crashed, "sound") == sound
    assert verdict(DecodedOutcome("ok", "1"), crashed, "published") == published


@BOTH
@pytest.mark.parametrize(
    ("source", "expected", "answered"),
    [
        ("print(x)  # 123 rows", 123, ["published"]),
        ("print(x)  # 1234 rows", 123, []),
        ("123\npass", 123, ["published"]),
        ("x = '123'", 123, ["sound", "published"]),
        ("x = 'a.c'", "a.c", ["sound", "published"]),
        ("x = 'abc'", "a.c", []),
        ("x = '(1)'", "(1)", ["sound"]),  # no word boundary beside a bracket
    ],
)
def test_whole_word_means_a_word_boundary_on_both_sides_and_comments_count_unless_the_rules_are_sound(
    source: str, expected: Any, answered: list[str], rules: str
) -> None:
    reference, submission = DecodedOutcome("ok", "", result=expected), DecodedOutcome("ok", source)
    found = verdict(reference, submission, rules, RESULT)
    assert found == ("PRESENTATION_ERROR/NON_CODE" if rules in answered else wrong("UNCATEGORIZED"))


@pytest.mark.parametrize(("rules", "found"), [("sound", "PRESENTATION_ERROR/MISSING_RETURN"), ("published", "no")])
def test_a_width_in_an_f_string_is_a_printed_value_too_and_soundly_none(rules: str, found: str) -> None:
    shown = (Inferred("total", 7), Inferred("width", 3, kind="format"))
    submission = DecodedOutcome("ok", "print(f'{total:{width}d}')", inferred=shown)
    said = verdict(DecodedOutcome("ok", "", result=7), submission, rules, RESULT)
    assert said == (found if found != "no" else wrong("VALUE_MISMATCH"))


@BOTH
@pytest.mark.parametrize(
    ("parts", "subverdict"),
    [
        (("index", "part", "missing"), "PARTIAL_MATCH"),
        (("index", "missing", "part"), "MISSING_RETURN"),
        (("missing", "prose"), "MISSING_RETURN"),
        (("prose", "missing"), "NON_CODE"),
        (("index",), "INDEX_MISMATCH"),
    ],
)
def test_the_partial_answers_are_taken_in_order_and_for_each_the_causes_in_order(
    parts: tuple[str, ...], subverdict: str, rules: str
) -> None:
    assert rules  # neither rule set decides otherwise
    causes = {"index": None, "part": "PARTIAL_MATCH", "missing": "MISSING_RETURN", "prose": "NON_CODE"}
    leaves = [Finding("result", Answer.PARTIAL, "", Cause(c) if (c := causes[part]) else None) for part in parts]
    judged = decide(Finding("and", Answer.PARTIAL, children=tuple(leaves)))
    assert f"{judged.verdict}/{judged.subverdict}" == f"PRESENTATION_ERROR/{subverdict}"


@BOTH
def test_sparse_matrices_need_equal_row_pointers_too(rules: str) -> None:
    one, other = sparse.csr_matrix([[1.0, 0], [0, 2.0]]), sparse.csr_matrix([[1.0, 2.0], [0, 0]])
    assert list(one.indices) == list(other.indices)
    assert of_result(one, other, rules) != "CORRECT/UNCATEGORIZED"
    assert of_result(one, one.copy(), rules) == "CORRECT/UNCATEGORIZED"


@pytest.mark.parametrize(("rules", "found"), [("sound", "CORRECT"), ("published", "WRONG_OUTPUT")])
def test_ignored_names_are_those_of_indexes_and_columns_and_not_of_a_bare_index_or_an_axis_and_soundly_of_all(
    rules: str, found: str
) -> None:
    named = FRAME.rename_axis("k")
    renamed = named.rename(columns={"a": "x"}).rename_axis("j")
    assert of_result(named, renamed, rules, ignore_names=True) == "CORRECT/UNCATEGORIZED"
    axis = FRAME.rename_axis(columns="cols")
    index = pd.Index([1, 2], name="k")
    for options in ({}, {"ignore_names": True}):
        assert of_result(axis, FRAME, rules, **options).startswith(found)
        assert of_result(index, index.rename("j"), rules, **options).startswith(found)


@pytest.mark.parametrize(("rules", "found"), [("sound", "NAME_MISMATCH"), ("published", "INDEX_MISMATCH")])
def test_names_that_must_not_be_ignored_count_for_tables_under_both_rule_sets(rules: str, found: str) -> None:
    for named in (FRAME.rename_axis("k"), SERIES.rename("w")):
        plain = FRAME if isinstance(named, pd.DataFrame) else SERIES
        assert of_result(plain, named, rules, ignore_names=False) == f"PRESENTATION_ERROR/{found}"


@pytest.mark.parametrize(("rules", "found"), [("sound", "CORRECT"), ("published", "WRONG_OUTPUT")])
def test_a_frame_that_cannot_be_sorted_is_no_under_ignored_order(rules: str, found: str) -> None:
    mixed = pd.DataFrame({"a": pd.Series([1, "x", (1,)], dtype=object)})
    assert of_result(mixed, mixed.iloc[::-1], rules, ignore_order=True).startswith(found)


@BOTH
def test_a_broken_assertion_of_pandas_leaves_the_decision_to_equals(
    rules: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_tables: Any, **_how: Any) -> None:
        raise TypeError("unhashable")

    monkeypatch.setitem(matchers_tables._ASSERTIONS, pd.DataFrame, broken)
    found = FRAME.copy()
    found.attrs["note"] = "not identical by our own check, either"
    assert of_result(FRAME, found, rules) == "CORRECT/UNCATEGORIZED"
    assert of_result(FRAME, FRAME.assign(a=[3, 2, 2]), rules) != "CORRECT/UNCATEGORIZED"


@pytest.mark.parametrize(
    ("rules", "found"), [("sound", wrong("VALUE_MISMATCH")), ("published", "CORRECT/UNCATEGORIZED")]
)
def test_a_metric_that_is_nan_passes_and_soundly_fails(rules: str, found: str) -> None:
    assert of_result(0.8, NAN, rules, metrictol=0.9) == found
    assert of_result(0.8, 0.75, rules, metrictol=0.9) == "CORRECT/UNCATEGORIZED"


@pytest.mark.parametrize(("rules", "near"), [("sound", "CORRECT"), ("published", "WRONG_OUTPUT")])
def test_masks_and_tolerances_apply_to_two_floating_arrays_only_and_soundly_to_integers_beside_floats(
    rules: str, near: str
) -> None:
    floats = np.array([1.0, NAN, np.inf])
    assert of_result(floats, floats.astype("f4"), rules) == "CORRECT/UNCATEGORIZED"
    assert of_result(floats, np.array([1.0, NAN, -np.inf]), rules).startswith("WRONG_OUTPUT")
    assert of_result(np.array([1.0, 2.0]), np.array([1, 2]), rules) == "CORRECT/UNCATEGORIZED"
    assert of_result(np.array([1.0, 2.0 + 1e-9]), np.array([1, 2]), rules).startswith(near)
    assert of_result(np.array([1.0, 2.1]), np.array([1, 2]), rules).startswith("WRONG_OUTPUT")


@pytest.mark.parametrize(("rules", "found"), [("sound", "CORRECT"), ("published", "WRONG_OUTPUT")])
@pytest.mark.parametrize("table", [SERIES, FRAME[["b"]]])
def test_tolerances_reach_tables_under_the_sound_rules_only(table: Any, rules: str, found: str) -> None:
    assert of_result(table, table + 0.05, rules, rtol=0.1).startswith(found)
    assert of_result(table, table + 0.05, rules, atol=0.1).startswith(found)
    assert of_result(table, table + 0.05, rules).startswith("WRONG_OUTPUT")


def test_an_object_without_equality_is_always_updated_and_soundly_only_when_its_content_changed() -> None:
    untouched, touched = DecodedOutcome("ok", ""), DecodedOutcome("ok", "", diff=NamespaceDiff(touched=("model",)))
    intact = {"template": "intact"}
    assert verdict(untouched, touched, "published", intact) == "CORRECT/UNCATEGORIZED"
    assert verdict(untouched, touched, "sound", intact) == "INTACT_VIOLATION/UNCATEGORIZED"
    assert verdict(touched, touched, "sound", intact) == "CORRECT/UNCATEGORIZED"


@pytest.mark.parametrize(
    ("case", "arguments"),
    [
        (["`1 + 1`", "text"], [2, "text"]),
        ("`(1, 2)`", [1, 2]),
        ({"n": "`1 + 1`"}, {"n": "`1 + 1`"}),
        (["```\n_test_case = 5\n```"], [5]),
        ("```\ndef _generate():\n    return {'n': 5}\n```", {"n": 5}),
    ],
)
def test_backticks_count_in_lists_and_for_a_whole_case_and_a_block_for_a_single_argument(
    case: Any, arguments: Any
) -> None:
    assert build_case([case], 0) == arguments


@pytest.mark.parametrize(("said", "accepts"), [(None, True), (True, True), (False, False)])
def test_an_input_validator_that_returns_none_accepts(said: Any, accepts: bool) -> None:
    validate: Callable[..., Any] = lambda _n: said  # noqa: E731
    assert _accepts(validate, [1]) is accepts
    assert _accepts(lambda n: said, {"n": 1}) is accepts  # noqa: ARG005


@pytest.mark.parametrize("prefix", ["", "r", "R"])
def test_the_configuration_is_read_raw_with_or_without_r(prefix: str) -> None:
    text = f'# %%\n{prefix}"""\nquery: split at \\n and \\d+\n"""\n1\n'
    problemset = parse_problemset(text, name="raw").problemset
    assert problemset is not None
    assert problemset.problems[0].query == "split at \\n and \\d+"


@pytest.mark.parametrize(("language_version", "cells"), [(1, 1), (2, 2)])
def test_only_bare_markers_split_published_files_and_titled_ones_later_files(language_version: int, cells: int) -> None:
    text = "# %%\na = 1\n# %% a title\nb = 2\n"
    problemset = parse_problemset(text, name="cells", language_version=language_version).problemset
    assert problemset is not None
    assert len(problemset.cells) == cells


@BOTH
def test_variables_rank_before_output_model_and_unit_tests(rules: str) -> None:
    checks = {
        "table_test": {"function_name": "f", "test_cases": [[1]]},
        "result": None,
        "namespace_check": {"n": None},
    }
    right = ProbeReport("call", "ok", True, (CaseAnswer(1, [1]),))
    failed = ProbeReport("call", "ok", True, (CaseAnswer(2, [1]),))
    reference = DecodedOutcome("ok", "", result=1, variables={"n": 1}, reports=(right,))
    submission = DecodedOutcome("ok", "", result=2, variables={"n": 2}, reports=(failed,))
    ranked = ("WRONG_VARIABLES", "WRONG_OUTPUT", "UNIT_TEST_FAILURE")
    for expected in ranked:
        found = verdict(reference, submission, rules, {"template": "empty", **checks})
        assert found == f"{expected}/VALUE_MISMATCH"
        checks.popitem()
