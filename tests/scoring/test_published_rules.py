"""Section 8 of the language's design: what each rule set makes of the same two outcomes.

What the matchers alone decide is tried in tests/inside/test_matchers.py and test_matchers_tables.py.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from evaluator.inside.codec.decode.decoded import (
    DecodedOutcome,
    ErrorFacts,
    Inferred,
    NamespaceDiff,
)
from evaluator.inside.export.probe_inputs import _accepts
from evaluator.inside.validators.judging import judge
from evaluator.language import Problem, parse_problemset, resolve_validators
from evaluator.scoring import Finding, decide, parse_findings
from evaluator.session import Ending

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


def test_the_cause_of_a_loose_comparison_is_kept_under_the_published_rules() -> None:
    spec = resolve_validators(Problem(query="ask", code="", validator=RESULT))
    reference = DecodedOutcome("ok", "", result=FRAME)
    submission = DecodedOutcome("ok", "", result=FRAME.assign(a=["1", "2", "9"]))
    for rules, causes in (("sound", {"cause": "DTYPE"}), ("published", {"cause": "VALUE", "loose_cause": "VALUE"})):
        finding = parse_findings(judge(reference, submission, spec.to_json(), rules=rules), spec)
        assert isinstance(finding, Finding)
        shown = finding.to_json()["reason"][0]
        assert {name: shown[name] for name in ("cause", "loose_cause") if name in shown} == causes


@BOTH
def test_a_cause_inside_a_container_is_at_least_value(rules: str) -> None:
    for expected, found, subverdict in (
        *((["a"], ["b"], "VALUE_MISMATCH"), ([np.array([1])], [np.array([2])], "VALUE_MISMATCH")),
        *(([SERIES], [7], "VALUE_MISMATCH"), ({"k": "a"}, {"k": "b"}, "VALUE_MISMATCH"), (7, 8, "VALUE_MISMATCH")),
        *(([FRAME], [FRAME.iloc[:1]], "SHAPE_MISMATCH"), (pd.Index([1, 2]), pd.Index([1, 3]), "VALUE_MISMATCH")),
        *((SERIES, 7, "UNEXPECTED_TYPE"), (7, "7", "UNEXPECTED_TYPE"), (True, False, "VALUE_MISMATCH")),
        *(([1, 2], [1], "VALUE_MISMATCH"), ({"a": 1}, {"b": 1}, "VALUE_MISMATCH")),
    ):
        assert of_result(expected, found, rules) == wrong(subverdict), (expected, found)


# --- lines that matter to other submissions


NAMED = ("Type", "Attribute", "Key", "Name", "Value")


def test_a_crash_is_classed_by_its_traceback_or_the_last_exception() -> None:
    syntax, other = "SYNTAX_ERROR/UNCATEGORIZED", "CRASH/UNCATEGORIZED"
    for name, base, traceback, source, sound, published in (
        ("SyntaxError", "", "SyntaxError: bad", "There are", syntax, syntax),
        ("SyntaxError", "", "SyntaxError: bad", "df.query('a b')", other, syntax),
        ("IndentationError", "SyntaxError", "IndentationError: x", "x = 1\n  y", syntax, other),
        ("Nasty", "", "nothing", "f(", other, other),
        ("ModuleNotFoundError", "ImportError", "ModuleNotFoundError: x", "import x", *["CRASH/MODULE_NOT_FOUND"] * 2),
        ("ImportError", "", "ImportError: x", "import x", other, other),
        *((f"{name}Error", "", f"{name}Error: x", "f()", *[f"CRASH/{name.upper()}_ERROR"] * 2) for name in NAMED),
        ("UndefinedVariableError", "NameError", "UndefinedVariableError: x", "f()", "CRASH/NAME_ERROR", other),
        ("UnboundLocalError", "NameError", "UnboundLocalError: x", "f()", "CRASH/NAME_ERROR", other),
        ("JSONDecodeError", "ValueError", "JSONDecodeError: x", "f()", "CRASH/VALUE_ERROR", other),
        ("ZeroDivisionError", "ArithmeticError", "ZeroDivisionError: x", "f()", other, other),
        ("ValueError", "", "KeyError: 'x'\n\nValueError: y", "f()", "CRASH/VALUE_ERROR", "CRASH/KEY_ERROR"),
        ("Exception", "", "Exception: one\nTypeError: in a message", "f()", other, "CRASH/TYPE_ERROR"),
        ("KeyError", "", "  KeyError: indented\nKeyErrors: x", "f()", "CRASH/KEY_ERROR", other),
        ("KeyError", "", "KeyError: 1\nModuleNotFoundError: No", "f()", "CRASH/KEY_ERROR", "CRASH/MODULE_NOT_FOUND"),
    ):
        facts = ErrorFacts(name, (name, *filter(None, [base])), "x", f"Traceback (most recent call last):\n{traceback}")
        crashed = DecodedOutcome("error", source, error=facts)
        assert verdict(DecodedOutcome("ok", "1"), crashed, "sound") == sound, traceback
        assert verdict(DecodedOutcome("ok", "1"), crashed, "published") == published, traceback


@BOTH
def test_an_answer_in_the_source_is_a_whole_word_and_soundly_in_no_comment(rules: str) -> None:
    for source, expected, answered in (
        *(("print(x)  # 123 rows", 123, ["published"]), ("print(x)  # 1234 rows", 123, [])),
        *(("123\npass", 123, ["published"]), ("x = '123'", 123, ["sound", "published"])),
        *(("x = 'a.c'", "a.c", ["sound", "published"]), ("x = 'abc'", "a.c", [])),
        ("x = '(1)'", "(1)", ["sound"]),  # no word boundary beside a bracket
    ):
        reference, submission = DecodedOutcome("ok", "", result=expected), DecodedOutcome("ok", source)
        found = verdict(reference, submission, rules, RESULT)
        assert found == ("PRESENTATION_ERROR/NON_CODE" if rules in answered else wrong("UNCATEGORIZED")), source


@pytest.mark.parametrize(("rules", "found"), [("sound", "PRESENTATION_ERROR/MISSING_RETURN"), ("published", "no")])
def test_a_width_in_an_f_string_is_a_printed_value_too_and_soundly_none(rules: str, found: str) -> None:
    shown = (Inferred("total", 7), Inferred("width", 3, kind="format"))
    submission = DecodedOutcome("ok", "print(f'{total:{width}d}')", inferred=shown)
    said = verdict(DecodedOutcome("ok", "", result=7), submission, rules, RESULT)
    assert said == (found if found != "no" else wrong("VALUE_MISMATCH"))


def test_an_object_without_equality_is_updated_when_its_content_is() -> None:
    untouched, touched = DecodedOutcome("ok", ""), DecodedOutcome("ok", "", diff=NamespaceDiff(touched=("model",)))
    intact = {"template": "intact"}
    assert verdict(untouched, touched, "published", intact) == "CORRECT/UNCATEGORIZED"
    assert verdict(untouched, touched, "sound", intact) == "INTACT_VIOLATION/UNCATEGORIZED"
    assert verdict(touched, touched, "sound", intact) == "CORRECT/UNCATEGORIZED"


def test_an_input_validator_that_returns_none_accepts() -> None:
    for said, accepts in ((None, True), (True, True), (False, False)):
        validate: Callable[..., Any] = lambda _n, said=said: said  # noqa: E731
        assert _accepts(validate, [1]) is accepts


def test_published_files_are_read_with_their_own_quirks() -> None:
    for prefix in ("", "r", "R"):  # the configuration is read raw with or without r
        text = f'# %%\n{prefix}"""\nquery: split at \\n and \\d+\n"""\n1\n'
        problemset = parse_problemset(text, name="raw").problemset
        assert problemset is not None
        assert problemset.problems[0].query == "split at \\n and \\d+"
    for language_version, cells in ((1, 1), (2, 2)):  # only bare markers split published files, titled ones later files
        text = "# %%\na = 1\n# %% a title\nb = 2\n"
        problemset = parse_problemset(text, name="cells", language_version=language_version).problemset
        assert problemset is not None
        assert len(problemset.cells) == cells
