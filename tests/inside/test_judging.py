"""The validators and the findings tree: dseal.md, sections 3, 3.1 and 3.2."""

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest

from evaluator.inside.codec.decode.decoded import (
    ABSENT,
    FAILED,
    OVER_LIMIT,
    CaseAnswer,
    DecodedOutcome,
    ErrorFacts,
    Inferred,
    NamespaceDiff,
    Opaque,
    ProbeReport,
)
from evaluator.inside.validators.judging import judge
from evaluator.inside.validators.result import shaped_like

KEYS = {"validator", "answer", "cause", "loose_cause", "reason", "variable", "children", "score"}
KEY_ERROR = ErrorFacts("KeyError", ("KeyError", "LookupError", "Exception"), "'x'", "Traceback ...\nKeyError: 'x'")


def outcome(source: str = "", ending: str = "ok", **left: Any) -> DecodedOutcome:
    return DecodedOutcome(ending, source, **left)


def crashed(source: str = "", error: ErrorFacts | None = KEY_ERROR, **left: Any) -> DecodedOutcome:
    return DecodedOutcome("error", source, error=error, **left)


def validator(name: str, options: Any = None, *children: Any) -> dict[str, Any]:
    return {"name": name, "options": options or {}, "children": list(children)}


def find(reference: DecodedOutcome, submission: DecodedOutcome, spec: Any, rules: str = "sound") -> dict[str, Any]:
    spec = validator(spec) if isinstance(spec, str) else spec
    finding = judge(reference, submission, spec, rules=rules)
    assert finding.keys() in (KEYS, {"author_error"})
    return finding


def says(finding: dict[str, Any]) -> tuple[str, str | None]:
    return finding["answer"], finding["cause"]


def printed(*values: Any, kind: str = "print") -> tuple[Inferred, ...]:
    return tuple(Inferred(f"expression_{i}", value, kind=kind) for i, value in enumerate(values))


both = pytest.mark.parametrize("rules", ["sound", "published"])


# --- crash


@both
def test_a_cell_that_raises_is_no(rules: str) -> None:
    assert says(find(outcome(result=5), outcome(), "crash", rules)) == ("yes", None)
    assert says(find(outcome(result=5), crashed("df['x']"), "crash", rules)) == ("no", "KEY_ERROR")


@both
def test_an_answer_in_prose_is_partial(rules: str) -> None:
    loose = "no" if rules == "sound" else "partial"
    for result, source, answer in (
        (123, "There are 123 rows in total.", "partial"),
        (123, "There are 1234 rows in total.", "no"),
        (123, "df.head()  # should be 123", loose),
        *((12.5, "I think 12.5", "partial"), ("Tokyo", "The answer is Tokyo!", "partial"), ("Tokyo", "tokyo", "no")),
        *((None, "None of these", "no"), (ABSENT, "absent", "no"), ("", "There are 123 rows in total.", loose)),
        *(([1, 2], "[1, 2]", "no"), (pd.DataFrame({"a": [1]}), "a", "no")),
    ):
        finding = find(outcome(result=result), crashed(source), "crash", rules)
        assert says(finding) == (answer, "NON_CODE" if answer == "partial" else "KEY_ERROR"), source


def test_a_crash_without_facts_about_it_is_still_no() -> None:
    assert says(find(outcome(), crashed("f()", None), "crash")) == ("no", None)
    assert says(find(outcome(), crashed("f(", None), "crash")) == ("no", "SYNTAX")


# --- result


@both
def test_the_last_value_is_compared(rules: str) -> None:
    table = pd.DataFrame({"a": [1, 2]})
    reference = outcome(result=table)
    assert says(find(reference, outcome(result=table.copy()), "result", rules)) == ("yes", None)
    assert says(find(reference, outcome(result=table.rename(columns={"a": "b"})), "result", rules))[0] == "partial"
    surplus = "EXTRA" if rules == "sound" else "PARTIAL_MATCH"
    assert says(find(reference, outcome(result=table.assign(b=1)), "result", rules)) == ("partial", surplus)
    assert says(find(reference, outcome(result=table + 1), "result", rules)) == ("no", "VALUE")


@both
def test_without_an_expected_result_any_is_accepted(rules: str) -> None:
    for nothing, found in itertools.product((None, ABSENT), (None, ABSENT, 5, Opaque("x.Y"), FAILED)):
        assert find(outcome(result=nothing), outcome(result=found), "result", rules)["answer"] == "yes", found


@both
def test_a_missing_result_that_the_code_says_is_partial(rules: str) -> None:
    reference = outcome(result=123)
    for nothing in (None, ABSENT):
        submission = outcome("n = 1\nprint('123 in total')", result=nothing, inferred=printed(1, kind="assignment"))
        assert says(find(reference, submission, "result", rules)) == ("partial", "NON_CODE")


@both
def test_a_missing_result_is_inferred(rules: str) -> None:
    for inferred, *said in (
        *((printed(5), "partial", "MISSING_RETURN"), (printed(5, kind="assignment"), "partial", "MISSING_RETURN")),
        *((printed(4, 5), "partial", "MISSING_RETURN"), (printed(5, 4), "no", "VALUE"), (printed("5"), "no", "TYPE")),
        *((printed(None), "no", None), ((), "no", None), (printed(FAILED), "no", "TYPE")),
        (printed(Opaque("x.Y")), "no", "TYPE"),
    ):
        finding = find(outcome(result=5), outcome(result=None, inferred=inferred), "result", rules)
        assert says(finding) == tuple(said), inferred


@both
def test_an_inference_that_raised_is_no(rules: str) -> None:
    submission = outcome(inferred=printed(5), inference_failed=True)
    assert says(find(outcome(result=5), submission, "result", rules)) == ("no", None)


@pytest.mark.parametrize(("rules", "part"), [("sound", "MISSING_RETURN"), ("published", "PARTIAL_MATCH")])
def test_an_inferred_part_is_first_a_partial_match_as_published(rules: str, part: str) -> None:
    table = pd.DataFrame({"a": [1, 2]})
    found = outcome(inferred=printed(table.assign(b=1)))
    assert says(find(outcome(result=table), found, "result", rules)) == ("partial", part)
    loosely = outcome(inferred=printed(table.rename(columns={"a": "b"})))
    assert says(find(outcome(result=table), loosely, "result", rules)) == ("partial", "MISSING_RETURN")


def test_several_inferred_values_are_shaped_like_the_expected_one() -> None:
    for expected, values, shaped in (
        *((7, [1], 1), (7, [1, 2], 2), ((7, 7), [1, 2, 3], (1, 2, 3)), ([7, 7], [1, 2], [1, 2]), ({"a": 7}, [5], 5)),
        *(({"a": 7, "b": 7}, [1, 2], {"a": 1, "b": 2}), ({"a": 7, "b": 7}, [1, 2, 3], {"a": 2, "b": 3})),
        ({"a": 7, "b": 7, "c": 7}, [1, 2], {"a": None, "b": 1, "c": 2}),
    ):
        assert shaped_like(expected, values) == shaped


def test_matcher_options_stand_below_the_validator() -> None:
    reference, submission = outcome(result=[1, 2]), outcome(result=[2, 1])
    assert find(reference, submission, "result")["answer"] == "partial"
    for options in ({"ignore_order": True}, {"compare_fn": {"ignore_order": True}}):
        assert find(reference, submission, validator("result", options))["answer"] == "yes"


@both
def test_an_option_left_empty_is_not_set(rules: str) -> None:
    options = dict.fromkeys(["ignore_order", "ignore_names", "ignore_dtypes", "match_partial", "atol", "metrictol"])
    renamed = outcome(result=pd.Series([1, 2], name="b"))
    plain, left_empty = (validator("result", given) for given in ({}, options))
    expected = find(outcome(result=pd.Series([1, 2], name="a")), renamed, plain, rules)
    assert find(outcome(result=pd.Series([1, 2], name="a")), renamed, left_empty, rules) == expected


def test_a_reference_that_nothing_can_equal_is_the_authors_error() -> None:
    checked = validator("namespace_check", {"x": {}})
    for value in (OVER_LIMIT, FAILED, [1, {"a": OVER_LIMIT}], Opaque("x.Y"), [Opaque("x.Y")]):
        fault = find(outcome(result=value), outcome(result=1), "result")["author_error"]
        assert set(fault) == {"what", "where", "fix"}
        assert "author_error" in find(outcome(variables={"x": value}), outcome(variables={"x": 1}), checked)


def test_an_opaque_reference_can_be_compared_by_type_only() -> None:
    model = Opaque("sklearn.linear_model._base.LinearRegression")
    spec = validator("result", {"type_only": True})
    assert find(outcome(result=model), outcome(result=Opaque(model.type_name)), spec)["answer"] == "yes"
    assert find(outcome(result=model), outcome(result=Opaque("x.Y")), spec)["answer"] == "no"
    assert find(outcome(result=model), outcome(result=model), "result", "published")["answer"] == "no"


# --- namespace_check


@both
def test_variables_are_compared_one_by_one_and_the_worst_answer_counts(rules: str) -> None:
    spec = validator("namespace_check", {"a": {}, "b": {"ignore_order": True}, "c": {}})
    reference = outcome(variables={"a": 1, "b": [1, 2], "c": [1, 2]})
    submission = outcome(variables={"a": 1, "b": [2, 1], "c": [2, 1]})
    finding = find(reference, submission, spec, rules)
    assert finding["answer"] == "partial"
    assert [(c["variable"], c["answer"]) for c in finding["children"]] == [("a", "yes"), ("b", "yes"), ("c", "partial")]
    submission = outcome(variables={"a": 2, "b": [2, 1], "c": [2, 1]})
    finding = find(reference, submission, spec, rules)
    assert (finding["answer"], says(finding["children"][0])) == ("no", ("no", "VALUE"))


@both
def test_a_variable_that_is_not_there_is_no(rules: str) -> None:
    spec = validator("namespace_check", {"a": None})
    for missing in ({}, {"a": ABSENT}):
        finding = find(outcome(variables={"a": 1}), outcome(variables=missing), spec, rules)
        assert says(finding["children"][0]) == ("no", None)
    assert find(outcome(variables={"a": None}), outcome(variables={}), spec, rules)["answer"] == "no"


def test_a_variable_that_the_reference_does_not_have_is_the_authors_error() -> None:
    spec = validator("namespace_check", {"a": {}})
    for missing in ({}, {"a": ABSENT}):
        fault = find(outcome(variables=missing), outcome(variables={"a": 1}), spec)["author_error"]
        assert "'a'" in fault["what"]
    assert "author_error" in find(outcome(), outcome(), validator("namespace_check"))


# --- namespace_intact


def diffs(**changes: Any) -> DecodedOutcome:
    return outcome(diff=NamespaceDiff(**{kind: tuple(names) for kind, names in changes.items()}))


INTACT: tuple[tuple[Any, Any, Any, str], ...] = (  # options, what the reference changes, what the submission does
    *(({}, {}, {"added": ["x"]}, "yes"), ({"addition": False}, {}, {"added": ["x"]}, "no")),
    ({"addition": False}, {"added": ["x"]}, {"added": ["x"]}, "no"),
    *(({"addition": ["x"]}, {}, {"added": ["x"]}, "yes"), ({"addition": ["x"]}, {}, {"added": ["x", "y"]}, "no")),
    *(({}, {}, {"updated": ["df"]}, "no"), ({}, {"updated": ["df"]}, {"updated": ["df"]}, "yes")),
    *(({}, {"updated": ["df"]}, {}, "yes"), ({"update": True}, {}, {"updated": ["df"]}, "yes")),
    ({"update": False}, {"updated": ["df"]}, {"updated": ["df"]}, "no"),
    ({"update": ["df"]}, {}, {"updated": ["df"]}, "yes"),
    ({"update": ["df"]}, {"updated": ["other"]}, {"updated": ["other"]}, "no"),
    *(({}, {}, {"deleted": ["df"]}, "no"), ({}, {"deleted": ["df"]}, {"deleted": ["df"]}, "yes")),
    *(({"deletion": ["df"]}, {}, {"deleted": ["df"]}, "yes"), ({"deletion": True}, {}, {"deleted": ["df"]}, "yes")),
    *(({}, {}, {"replaced": ["df"]}, "no"), ({}, {}, {"rebound_equal": ["df"]}, "no")),
    *(({}, {"replaced": ["df"]}, {"replaced": ["df"]}, "yes"), ({}, {"updated": ["df"]}, {"replaced": ["df"]}, "yes")),
    *(
        ({}, {"rebound_equal": ["df"]}, {"updated": ["df"]}, "yes"),
        ({"replacement": True}, {}, {"replaced": ["df"]}, "yes"),
    ),
    ({"replacement": False}, {"updated": ["df"]}, {"replaced": ["df"]}, "no"),
    ({"replacement": ["df"]}, {}, {"replaced": ["df"], "rebound_equal": ["df"]}, "yes"),
    ({"replacement": ["df"]}, {"updated": ["df"]}, {"updated": ["df"]}, "yes"),
    ({"replacement": ["df"]}, {"replaced": ["df"]}, {"updated": ["df"]}, "no"),
    ({"treat_replacement_as_update": False}, {"updated": ["df"]}, {"replaced": ["df"]}, "no"),
    ({"treat_replacement_as_update": False}, {"replaced": ["df"]}, {"replaced": ["df"]}, "yes"),
    ({"treat_replacement_as_update": True, "update": True}, {}, {"replaced": ["df"]}, "yes"),
)


@both
def test_only_changes_that_are_allowed_keep_the_namespace_intact(rules: str) -> None:
    for options, reference, submission, answer in INTACT:
        spec = validator("namespace_intact", options)
        finding = find(diffs(**reference), diffs(**submission), spec, rules)
        assert finding["answer"] == answer, (options, reference, submission)


def test_the_reason_names_the_variable_that_changed() -> None:
    assert "'df'" in find(outcome(), diffs(updated=["df"]), "namespace_intact")["reason"]


def test_each_rule_set_counts_what_its_own_matcher_takes_for_a_change() -> None:
    for diff, sound, published in (
        ({"updated": ["df"], "otherwise": ["df"]}, "no", "yes"),
        *(({"near": ["df"], "otherwise": ["df"]}, "yes", "no"), ({"updated": ["df"]}, "no", "no")),
        ({"near": ["df"]}, "yes", "yes"),
    ):
        assert find(outcome(), diffs(**diff), "namespace_intact")["answer"] == sound, diff
        assert find(outcome(), diffs(**diff), "namespace_intact", "published")["answer"] == published, diff


def test_options_of_validators_are_checked() -> None:
    for options in (
        *({"replace": True}, {"update": "df"}, {"update": [1]}, {"treat_replacement_as_update": "yes"}),
        {"replacement": True, "treat_replacement_as_update": True},
    ):
        assert "author_error" in find(outcome(), outcome(), validator("namespace_intact", options)), options
    for name in ("crash", "stream"):
        assert "author_error" in find(outcome(), outcome(), validator(name, {"strict": True}))


# --- stream


@both
def test_printed_text_must_be_equal(rules: str) -> None:
    line = (("stdout", "a\n"),)
    for expected, found, answer in (
        *((line, line, "yes"), (line, (("stdout", "a"), ("stdout", "\n")), "yes"), ((), (), "yes"), (line, (), "no")),
        ((("stdout", "a"), ("stderr", "b")), (("stderr", "b"), ("stdout", "a")), "no"),
        (line, (("stdout", "a\n\n"),), "no"),
    ):
        assert find(outcome(streams=expected), outcome(streams=found), "stream", rules)["answer"] == answer, found


# --- the tree


def test_and_takes_the_worst_answer_and_or_the_best() -> None:
    reference = outcome(result=[1, 2], streams=(("stdout", "a"),))
    submission = outcome(result=[2, 1], streams=(("stdout", "b"),))
    parts = (validator("crash"), validator("result"), validator("stream"))
    assert find(reference, submission, validator("and", None, *parts))["answer"] == "no"
    assert find(reference, submission, validator("or", None, *parts))["answer"] == "yes"
    assert find(reference, submission, validator("or", None, *parts[1:]))["answer"] == "partial"
    assert find(reference, submission, validator("or", None, parts[2]))["answer"] == "no"
    assert find(reference, submission, validator("and"))["answer"] == "yes"
    assert find(reference, submission, validator("or"))["answer"] == "no"
    nested = validator("and", None, parts[0], validator("or", None, *parts[1:]))
    finding = find(reference, submission, nested)
    assert [c["validator"] for c in finding["children"]] == ["crash", "or"]
    assert finding["answer"] == "partial"


@both
def test_without_a_report_no_validator_says_yes(rules: str) -> None:
    reference = outcome(variables={"x": 1})
    endings = ("died", "timed_out", "over_limit", "bad_report", "anything")
    for ending, name in itertools.product(
        endings, ("crash", "result", "namespace_intact", "namespace_check", "stream")
    ):
        spec = validator(name, {"x": {}} if name == "namespace_check" else None)
        submission = outcome("5", ending, variables={"x": 1})
        assert find(reference, submission, spec, rules)["answer"] == "no", (name, ending)


def test_what_cannot_be_judged_is_the_authors_error() -> None:
    for name in ("nonsense", ""):
        assert "no validator" in find(outcome(), outcome(), name)["author_error"]["what"]
    assert "author_error" in find(outcome(ending="timed_out"), outcome(), "crash")
    assert "author_error" in judge(outcome(), outcome(), validator("crash"), rules="lenient")


def test_reasons_are_bounded_whatever_the_submission_says() -> None:
    hostile = ErrorFacts("E" * 10_000, (), "m\x1b]0;pwn\x07" * 10_000, "")
    reason = find(outcome(), crashed(error=hostile), "crash")["reason"]
    assert len(reason) <= 5_000
    assert "\x1b" not in reason
    name = "df\x1b[2J" * 1_000
    assert len(find(outcome(), diffs(updated=[name]), "namespace_intact")["reason"]) < 500


def test_records_of_other_types_are_compared_by_their_parts() -> None:
    assert find(outcome(result=(1.0, 0.05)), outcome(result=[1.0, np.float64(0.05)]), "result")["answer"] == "yes"


def after_tests(*cases: CaseAnswer, ending: str = "ok", found: bool = True) -> DecodedOutcome:
    return outcome(reports=(ProbeReport("call", ending, found, cases),))


TABLE = validator("table_test", {"function_name": "f", "test_cases": [[1], [2]]})
TABLE_OF_ONE = {"function_name": "f", "test_cases": [[1]]}
GOOD = CaseAnswer(1, [1])


def test_the_first_case_that_is_not_right_decides() -> None:
    for submission, cause in (
        *((after_tests(ending="timed_out"), "TIMEOUT"), (after_tests(ending="died"), None), (outcome(), None)),
        *((after_tests(ending="missing"), None), (after_tests(found=False), None), (after_tests(GOOD), None)),
        (after_tests(GOOD, CaseAnswer(error=KEY_ERROR)), "KEY_ERROR"),
        (after_tests(CaseAnswer(2, [1]), CaseAnswer(error=KEY_ERROR)), "VALUE"),
        (after_tests(GOOD, CaseAnswer(1, [2])), "VALUE"),
    ):
        assert says(find(after_tests(GOOD, GOOD), submission, TABLE)) == ("no", cause), submission
    assert find(after_tests(GOOD, GOOD), after_tests(GOOD, GOOD), TABLE)["answer"] == "yes"


@pytest.mark.parametrize("checker", [None, {"ignore_order": True}])
def test_a_case_of_the_same_bytes_is_right_and_one_of_others_is_compared(checker: object) -> None:
    known = CaseAnswer(1, [1], encoded=b"same")
    table = validator("table_test", {"function_name": "f", "test_cases": [[1]], "output_checker": checker})
    assert find(after_tests(known), after_tests(CaseAnswer(1, [1], encoded=b"same")), table)["answer"] == "yes"
    assert find(after_tests(known), after_tests(CaseAnswer(2, [1], encoded=b"other")), table)["answer"] == "no"
    assert find(after_tests(known), after_tests(CaseAnswer(1, [2], encoded=b"other")), table)["answer"] == "no"
    assert find(after_tests(CaseAnswer(1, [1])), after_tests(CaseAnswer(2, [1])), table)["answer"] == "no"


SAME_BUT_UNLIKE: tuple[Any, ...] = (
    *(float("nan"), pd.NaT, Opaque("x.Y"), OVER_LIMIT, np.array([1.0, None, np.nan], object)),
    *(pd.DataFrame([[1, 2]], columns=["a", "a"]), pd.Categorical(["a", "b"])),
    pd.DataFrame({"a": [1.0, np.nan], "b": ["x", None]}),
)


@both
def test_the_same_bytes_are_judged_as_without_a_look_at_them(rules: str) -> None:
    for value in SAME_BUT_UNLIKE:
        for output, arguments in ((value, [1]), (1, [value]), (1, value)):
            answers = []
            for encoded in (b"same", b""):
                case = after_tests(CaseAnswer(output, arguments, encoded=encoded))
                answers.append(judge(case, case, validator("table_test", TABLE_OF_ONE), rules=rules))
            assert answers[0] == answers[1], value


def test_an_authors_code_is_asked_of_a_case_of_the_same_bytes_too() -> None:
    known = CaseAnswer(1, [1], encoded=b"same")
    code = "def compare_fn(expected, found):\n    return False, 'never'\n"
    for place in ("output_checker", "input_checker"):
        table = validator("table_test", {"function_name": "f", "test_cases": [[1]], place: code})
        assert "never" in find(after_tests(known), after_tests(known), table)["reason"]


def test_a_reference_that_fails_its_unit_tests_is_the_authors_error() -> None:
    for reference, what in (
        *((outcome(), "left no report"), (after_tests(ending="timed_out"), "take too long")),
        (after_tests(found=False), "defines no function 'f'"),
        (after_tests(GOOD, CaseAnswer(error=KEY_ERROR)), "raises KeyError in case 2"),
        (after_tests(CaseAnswer(Opaque("x.Y"), [1])), "cannot be compared"),
    ):
        assert what in find(reference, after_tests(GOOD, GOOD), TABLE)["author_error"]["what"]


def test_each_validator_reads_its_own_probe() -> None:
    both = validator("or", {}, TABLE, validator("and", {}, TABLE))
    right = ProbeReport("call", "ok", True, (GOOD, GOOD))
    wrong = ProbeReport("call", "ok", True, (GOOD, CaseAnswer(3, [1])))
    finding = find(outcome(reports=(right, right)), outcome(reports=(wrong, right)), both)
    assert [child["answer"] for child in finding["children"]] == ["no", "yes"]
