"""The order of decisions (dseal.md, section 5), and what verdicts mean: the glossary says the same as the code."""

import re
from pathlib import Path
from typing import Any

from evaluator.scoring import MEANINGS, Answer, Cause, Finding, Judged, Subverdict, Verdict, decide, meaning_of
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


GLOSSARY = Path(__file__).parents[2] / "docs" / "glossary.md"
CRASH, INTACT, RESULT = leaf("crash"), leaf("namespace_intact"), leaf("result")


def partial(cause: str | None) -> tuple[Finding, Finding]:
    return CRASH, leaf("result", "partial", cause)


CORRECT: tuple[tuple[Finding, ...], ...] = (
    (),
    (CRASH, INTACT, RESULT),
    (tree(leaf("result", "no"), CRASH, name="or"),),
)
DECIDED: tuple[tuple[str, tuple[Finding, ...]], ...] = (
    *(("CORRECT/UNCATEGORIZED", parts) for parts in CORRECT),
    *(
        (f"CRASH/{cause}", (leaf("crash", "no", cause),))
        for cause in ("MODULE_NOT_FOUND", "TYPE_ERROR", "VALUE_ERROR", "NAME_ERROR", "ATTRIBUTE_ERROR")
    ),
    ("CRASH/KEY_ERROR", (leaf("crash", "no", "KEY_ERROR"), INTACT, leaf("result", "no"))),
    ("CRASH/UNCATEGORIZED", (leaf("crash", "no"),)),
    ("SYNTAX_ERROR/UNCATEGORIZED", (leaf("crash", "no", "SYNTAX"), leaf("result", "partial", "NON_CODE"))),
    ("CRASH/UNCATEGORIZED", (leaf("crash", "no"), leaf("namespace_intact", "no"))),
    ("INTACT_VIOLATION/UNCATEGORIZED", (CRASH, leaf("namespace_intact", "no"), RESULT)),
    ("INTACT_VIOLATION/UNCATEGORIZED", (CRASH, leaf("namespace_intact", "no"), leaf("result", "partial"))),
    ("WRONG_OUTPUT/VALUE_MISMATCH", (CRASH, leaf("namespace_intact", "no"), leaf("result", "no", "VALUE"))),
    ("PRESENTATION_ERROR/NON_CODE", (leaf("crash", "partial", "NON_CODE"), leaf("result", "partial", "NON_CODE"))),
    ("PRESENTATION_ERROR/INDEX_MISMATCH", partial(None)),
    *((f"PRESENTATION_ERROR/{cause}", partial(cause)) for cause in ("MISSING_RETURN", "PARTIAL_MATCH")),
    *((f"PRESENTATION_ERROR/{cause}_MISMATCH", partial(cause)) for cause in ("CONTAINER", "NAME", "ORDER")),
    *((f"PRESENTATION_ERROR/{cause}_MISMATCH", partial(cause)) for cause in ("INDEX", "DTYPE")),
    ("PRESENTATION_ERROR/EXTRA_VALUES", partial("EXTRA")),
    ("PRESENTATION_ERROR/ORDER_MISMATCH", (variables(("yes", None), ("partial", "ORDER")), RESULT)),
    ("PRESENTATION_ERROR/EXTRA_VALUES", (CRASH, leaf("table_test", "partial", "EXTRA"))),
    (
        "PRESENTATION_ERROR/PARTIAL_MATCH",
        (variables(("partial", None), ("partial", "PARTIAL_MATCH")), leaf("result", "partial", "MISSING_RETURN")),
    ),
    (
        "PRESENTATION_ERROR/MISSING_RETURN",
        (leaf("result", "partial", "MISSING_RETURN"), variables(("partial", "PARTIAL_MATCH"))),
    ),
    *((f"WRONG_OUTPUT/{cause}_MISMATCH", (leaf("result", "no", cause),)) for cause in ("SHAPE", "DTYPE", "COLUMNS")),
    ("WRONG_OUTPUT/UNEXPECTED_TYPE", (leaf("result", "no", "TYPE"),)),
    ("WRONG_OUTPUT/UNCATEGORIZED", (leaf("result", "no"),)),
    ("WRONG_OUTPUT/UNCATEGORIZED", (leaf("result", "partial", "NON_CODE"), leaf("stream", "no"))),
    ("WRONG_VARIABLES/VALUE_MISMATCH", (variables(("no", "VALUE")), leaf("result", "no", "SHAPE"))),
    ("WRONG_VARIABLES/SHAPE_MISMATCH", (variables(("no", "VALUE"), ("no", "SHAPE"), ("yes", None)),)),
    ("WRONG_VARIABLES/UNCATEGORIZED", (variables(("no", None)),)),
    ("WRONG_VARIABLES/UNCATEGORIZED", (variables(("partial", None)), leaf("result", "no", "VALUE"))),
    ("BAD_MODEL/UNCATEGORIZED", (leaf("model", "no", "VALUE"),)),
    ("UNIT_TEST_FAILURE/VALUE_MISMATCH", (leaf("table_test", "no", "VALUE"),)),
    ("BAD_MODEL/UNCATEGORIZED", (leaf("model", "no"), leaf("table_test", "no", "VALUE"))),
    ("WRONG_OUTPUT/VALUE_MISMATCH", (leaf("result", "no", "VALUE"), leaf("table_test", "no", "SHAPE"))),
    ("UNKNOWN/UNCATEGORIZED", (leaf("stream", "no", "VALUE"),)),
    ("UNKNOWN/UNCATEGORIZED", (CRASH, leaf("namespace_intact", "no"), leaf("stream", "no"))),
    ("CRASH/KEY_ERROR", (CRASH, tree(leaf("crash", "no", "KEY_ERROR"), name="table_test"))),
)


def test_the_first_rule_that_applies_decides() -> None:
    assert len(DECIDED) >= 45
    assert [(expected, parts) for expected, parts in DECIDED if verdict(*parts) != expected] == []


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


def test_an_ending_without_a_report_decides_alone() -> None:
    perfect = tree(CRASH, INTACT, RESULT)
    for ending, limits, expected in (
        *((Ending.TIMED_OUT, ["time"], "TIMEOUT/UNCATEGORIZED"), (Ending.DIED, [], "CRASH/KILLED")),
        (Ending.TIMED_OUT, ["time", "memory"], "TIMEOUT/UNCATEGORIZED"),
        *((Ending.DIED, ["memory"], "CRASH/OUT_OF_MEMORY"), (Ending.OVER_LIMIT, ["memory"], "CRASH/OUT_OF_MEMORY")),
        (Ending.OVER_LIMIT, ["output"], "CRASH/OUTPUT_LIMIT"),
        (Ending.OVER_LIMIT, ["displays"], "CRASH/OUTPUT_LIMIT"),
        (Ending.OVER_LIMIT, ["processes"], "CRASH/PROCESS_LIMIT"),
        *((Ending.OVER_LIMIT, [], "CRASH/UNCATEGORIZED"), (Ending.BAD_REPORT, [], "CRASH/UNCATEGORIZED")),
        (Ending.ENGINE_ERROR, [], "NOT_JUDGED/UNCATEGORIZED"),
    ):
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
        *("CORRECT", "INTACT_VIOLATION", "PRESENTATION_ERROR", "WRONG_OUTPUT", "WRONG_VARIABLES", "UNIT_TEST_FAILURE"),
        *("TIMEOUT", "CRASH", "BAD_MODEL", "SYNTAX_ERROR", "UNKNOWN", "NOT_JUDGED"),
    ]
    assert {subverdict.value for subverdict in Subverdict} == {
        *("UNCATEGORIZED", "CONTAINER_MISMATCH", "NAME_MISMATCH", "ORDER_MISMATCH", "EXTRA_VALUES", "INDEX_MISMATCH"),
        *("MISSING_RETURN", "PARTIAL_MATCH", "NON_CODE", "SHAPE_MISMATCH", "DTYPE_MISMATCH", "COLUMNS_MISMATCH"),
        *("VALUE_MISMATCH", "UNEXPECTED_TYPE", "MODULE_NOT_FOUND", "ATTRIBUTE_ERROR", "KEY_ERROR", "NAME_ERROR"),
        *("TYPE_ERROR", "VALUE_ERROR", "OUT_OF_MEMORY", "OUTPUT_LIMIT", "PROCESS_LIMIT", "KILLED"),
    }


def test_a_verdict_without_a_cause_says_uncategorized() -> None:
    assert Judged(Verdict.NOT_JUDGED).subverdict is Subverdict.UNCATEGORIZED


def test_every_verdict_has_the_sentence_of_the_glossary() -> None:
    verdicts = GLOSSARY.read_text(encoding="utf-8").split("## Verdicts")[1]
    told = dict(re.findall(r"^\| ([A-Z_]+) \| (.+) \|$", verdicts, re.MULTILINE))
    assert told == {str(name): MEANINGS[name] for name in (*Verdict, *Subverdict)}
    assert MEANINGS.keys() == told.keys()


def test_a_subverdict_adds_to_what_its_verdict_means_unless_there_is_none() -> None:
    assert meaning_of("WRONG_OUTPUT", "VALUE_MISMATCH").endswith("the reference's; some values differ")
    assert meaning_of("TIMEOUT", "UNCATEGORIZED") == meaning_of("TIMEOUT") == MEANINGS["TIMEOUT"]
    assert meaning_of("<b>") == ""
