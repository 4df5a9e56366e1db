"""The order of decisions: dseal.md, section 5."""

from typing import Any

import pytest

from evaluator.scoring import Answer, Cause, Finding, Judged, Subverdict, Verdict, decide
from evaluator.scoring.decisions import decide_without_report
from evaluator.session import Ending


def leaf(validator: str, answer: str = "yes", cause: str | None = None, **more: Any) -> Finding:
    return Finding(validator, Answer(answer), f"{validator} {answer}", Cause(cause) if cause else None, **more)


def tree(*parts: Finding, name: str = "and") -> Finding:
    pick = min if name == "or" else max
    answer = pick((part.answer for part in parts), key=list(Answer).index, default=Answer.YES)
    return Finding(name, answer, children=parts)


def variables(*answers: tuple[str, str | None]) -> Finding:
    return tree(
        *(leaf("namespace_check", answer, cause, variable=f"v{i}") for i, (answer, cause) in enumerate(answers)),
        name="namespace_check",
    )


def verdict(*parts: Finding, **how: Any) -> str:
    judged = decide(tree(*parts), **how)
    return f"{judged.verdict}/{judged.subverdict}"


CRASH, INTACT, RESULT = leaf("crash"), leaf("namespace_intact"), leaf("result")


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((), "CORRECT/UNCATEGORIZED"),
        ((CRASH, INTACT, RESULT), "CORRECT/UNCATEGORIZED"),
        ((tree(leaf("result", "no"), CRASH, name="or"),), "CORRECT/UNCATEGORIZED"),
        ((leaf("crash", "no", "KEY_ERROR"), INTACT, leaf("result", "no")), "CRASH/KEY_ERROR"),
        ((leaf("crash", "no", "MODULE_NOT_FOUND"),), "CRASH/MODULE_NOT_FOUND"),
        ((leaf("crash", "no", "TYPE_ERROR"),), "CRASH/TYPE_ERROR"),
        ((leaf("crash", "no", "VALUE_ERROR"),), "CRASH/VALUE_ERROR"),
        ((leaf("crash", "no", "NAME_ERROR"),), "CRASH/NAME_ERROR"),
        ((leaf("crash", "no", "ATTRIBUTE_ERROR"),), "CRASH/ATTRIBUTE_ERROR"),
        ((leaf("crash", "no"),), "CRASH/UNCATEGORIZED"),
        ((leaf("crash", "no", "SYNTAX"), leaf("result", "partial", "NON_CODE")), "SYNTAX_ERROR/UNCATEGORIZED"),
        ((leaf("crash", "no"), leaf("namespace_intact", "no")), "CRASH/UNCATEGORIZED"),
        ((CRASH, leaf("namespace_intact", "no"), RESULT), "INTACT_VIOLATION/UNCATEGORIZED"),
        ((CRASH, leaf("namespace_intact", "no"), leaf("result", "partial")), "INTACT_VIOLATION/UNCATEGORIZED"),
        ((CRASH, leaf("namespace_intact", "no"), leaf("result", "no", "VALUE")), "WRONG_OUTPUT/VALUE_MISMATCH"),
        ((leaf("crash", "partial", "NON_CODE"), leaf("result", "partial", "NON_CODE")), "PRESENTATION_ERROR/NON_CODE"),
        ((CRASH, leaf("result", "partial", "MISSING_RETURN")), "PRESENTATION_ERROR/MISSING_RETURN"),
        ((CRASH, leaf("result", "partial", "PARTIAL_MATCH")), "PRESENTATION_ERROR/PARTIAL_MATCH"),
        ((CRASH, leaf("result", "partial")), "PRESENTATION_ERROR/INDEX_MISMATCH"),
        *(
            ((CRASH, leaf("result", "partial", cause)), f"PRESENTATION_ERROR/{subverdict}")
            for cause, subverdict in (
                ("CONTAINER", "CONTAINER_MISMATCH"),
                ("NAME", "NAME_MISMATCH"),
                ("ORDER", "ORDER_MISMATCH"),
                ("EXTRA", "EXTRA_VALUES"),
                ("INDEX", "INDEX_MISMATCH"),
                ("DTYPE", "DTYPE_MISMATCH"),
            )
        ),
        ((variables(("yes", None), ("partial", "ORDER")), RESULT), "PRESENTATION_ERROR/ORDER_MISMATCH"),
        ((CRASH, leaf("table_test", "partial", "EXTRA")), "PRESENTATION_ERROR/EXTRA_VALUES"),
        (
            (variables(("partial", None), ("partial", "PARTIAL_MATCH")), leaf("result", "partial", "MISSING_RETURN")),
            "PRESENTATION_ERROR/PARTIAL_MATCH",
        ),
        (
            (leaf("result", "partial", "MISSING_RETURN"), variables(("partial", "PARTIAL_MATCH"))),
            "PRESENTATION_ERROR/MISSING_RETURN",
        ),
        ((leaf("result", "no", "SHAPE"),), "WRONG_OUTPUT/SHAPE_MISMATCH"),
        ((leaf("result", "no", "DTYPE"),), "WRONG_OUTPUT/DTYPE_MISMATCH"),
        ((leaf("result", "no", "COLUMNS"),), "WRONG_OUTPUT/COLUMNS_MISMATCH"),
        ((leaf("result", "no", "TYPE"),), "WRONG_OUTPUT/UNEXPECTED_TYPE"),
        ((leaf("result", "no"),), "WRONG_OUTPUT/UNCATEGORIZED"),
        ((leaf("result", "partial", "NON_CODE"), leaf("stream", "no")), "WRONG_OUTPUT/UNCATEGORIZED"),
        ((variables(("no", "VALUE")), leaf("result", "no", "SHAPE")), "WRONG_VARIABLES/VALUE_MISMATCH"),
        ((variables(("no", "VALUE"), ("no", "SHAPE"), ("yes", None)),), "WRONG_VARIABLES/SHAPE_MISMATCH"),
        ((variables(("no", None)),), "WRONG_VARIABLES/UNCATEGORIZED"),
        ((variables(("partial", None)), leaf("result", "no", "VALUE")), "WRONG_VARIABLES/UNCATEGORIZED"),
        ((leaf("model", "no", "VALUE"),), "BAD_MODEL/UNCATEGORIZED"),
        ((leaf("table_test", "no", "VALUE"),), "UNIT_TEST_FAILURE/VALUE_MISMATCH"),
        ((leaf("model", "no"), leaf("table_test", "no", "VALUE")), "BAD_MODEL/UNCATEGORIZED"),
        ((leaf("result", "no", "VALUE"), leaf("table_test", "no", "SHAPE")), "WRONG_OUTPUT/VALUE_MISMATCH"),
        ((leaf("stream", "no", "VALUE"),), "UNKNOWN/UNCATEGORIZED"),
        ((CRASH, leaf("namespace_intact", "no"), leaf("stream", "no")), "UNKNOWN/UNCATEGORIZED"),
    ],
)
def test_the_first_rule_that_applies_decides(parts: tuple[Finding, ...], expected: str) -> None:
    assert verdict(*parts) == expected


def test_a_test_function_that_raised_counts_as_a_crash() -> None:
    assert verdict(CRASH, tree(leaf("crash", "no", "KEY_ERROR"), name="table_test")) == "CRASH/KEY_ERROR"


def test_the_reason_is_that_of_the_finding_that_decided() -> None:
    assert decide(tree(CRASH, leaf("result", "no", "VALUE"))).reason == "result no"
    assert decide(tree(variables(("yes", None), ("no", None)))).reason == "namespace_check no"
    assert decide(tree(CRASH)).reason == ""
    assert decide(tree(CRASH, leaf("stream", "no"))).reason == "stream no"


def test_the_findings_travel_with_the_verdict() -> None:
    judged = decide(tree(CRASH, leaf("result", "no", "VALUE")))
    assert judged.validation == {
        "correct": "no",
        "category": "and",
        "reason": [
            {"correct": "yes", "category": "crash", "reason": "crash yes"},
            {"correct": "no", "category": "result", "reason": "result no", "cause": "VALUE"},
        ],
    }


@pytest.mark.parametrize(
    ("ending", "limits", "expected"),
    [
        (Ending.TIMED_OUT, ["time"], "TIMEOUT/UNCATEGORIZED"),
        (Ending.TIMED_OUT, ["time", "memory"], "TIMEOUT/UNCATEGORIZED"),
        (Ending.DIED, [], "CRASH/KILLED"),
        (Ending.DIED, ["memory"], "CRASH/OUT_OF_MEMORY"),
        (Ending.OVER_LIMIT, ["memory"], "CRASH/OUT_OF_MEMORY"),
        (Ending.OVER_LIMIT, ["output"], "CRASH/OUTPUT_LIMIT"),
        (Ending.OVER_LIMIT, ["displays"], "CRASH/OUTPUT_LIMIT"),
        (Ending.OVER_LIMIT, ["processes"], "CRASH/PROCESS_LIMIT"),
        (Ending.OVER_LIMIT, [], "CRASH/UNCATEGORIZED"),
        (Ending.BAD_REPORT, [], "CRASH/UNCATEGORIZED"),
        (Ending.ENGINE_ERROR, [], "NOT_JUDGED/UNCATEGORIZED"),
    ],
)
def test_an_ending_without_a_report_decides_alone(ending: Ending, limits: list[str], expected: str) -> None:
    perfect = tree(CRASH, INTACT, RESULT)
    for judged in (decide(perfect, ending, limits), decide_without_report(ending, limits)):
        assert f"{judged.verdict}/{judged.subverdict}" == expected
        assert judged.reason


def test_a_memory_error_is_out_of_memory_unless_the_crash_has_a_class() -> None:
    assert verdict(leaf("crash", "no"), ending=Ending.ERROR, limits_hit=["memory"]) == "CRASH/OUT_OF_MEMORY"
    crash = leaf("crash", "no", "KEY_ERROR")
    assert verdict(crash, ending=Ending.ERROR, limits_hit=["memory"]) == "CRASH/KEY_ERROR"


def test_output_that_was_cut_is_never_equal_output() -> None:
    assert verdict(CRASH, leaf("stream"), limits_hit=["output"]) == "CRASH/OUTPUT_LIMIT"
    assert verdict(CRASH, RESULT, limits_hit=["output"]) == "CORRECT/UNCATEGORIZED"


def test_every_verdict_and_subverdict_has_its_published_name() -> None:
    assert [verdict.value for verdict in Verdict] == [
        "CORRECT",
        "INTACT_VIOLATION",
        "PRESENTATION_ERROR",
        "WRONG_OUTPUT",
        "WRONG_VARIABLES",
        "UNIT_TEST_FAILURE",
        "TIMEOUT",
        "CRASH",
        "BAD_MODEL",
        "SYNTAX_ERROR",
        "UNKNOWN",
        "NOT_JUDGED",
    ]
    assert {subverdict.value for subverdict in Subverdict} == {
        "UNCATEGORIZED",
        "CONTAINER_MISMATCH",
        "NAME_MISMATCH",
        "ORDER_MISMATCH",
        "EXTRA_VALUES",
        "INDEX_MISMATCH",
        "MISSING_RETURN",
        "PARTIAL_MATCH",
        "NON_CODE",
        "SHAPE_MISMATCH",
        "DTYPE_MISMATCH",
        "COLUMNS_MISMATCH",
        "VALUE_MISMATCH",
        "UNEXPECTED_TYPE",
        "MODULE_NOT_FOUND",
        "ATTRIBUTE_ERROR",
        "KEY_ERROR",
        "NAME_ERROR",
        "TYPE_ERROR",
        "VALUE_ERROR",
        "OUT_OF_MEMORY",
        "OUTPUT_LIMIT",
        "PROCESS_LIMIT",
        "KILLED",
    }


def test_a_verdict_without_a_cause_says_uncategorized() -> None:
    assert Judged(Verdict.NOT_JUDGED).subverdict is Subverdict.UNCATEGORIZED
