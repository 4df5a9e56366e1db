"""The one call that judges: whatever happens in the comparator, there is a verdict."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import pytest

from evaluator.errors import EngineClosedError, ToolkitError
from evaluator.language import Problem
from evaluator.scoring import Verdict, judge_submission
from evaluator.session import Ending, Engine, ErrorView, Outcome
from evaluator.session.grader_pool import Grade, GradeItem

PROBLEM = Problem("how many?", "5")
REFERENCE = Outcome(Ending.OK, "5")
SUBMISSION = Outcome(Ending.OK, "5")


class Scripted:
    """A comparator for faults that a healthy one does not produce."""

    def __init__(self, answer: Mapping[str, Any] | ToolkitError) -> None:
        self.answer = answer
        self.asked: list[tuple[Outcome, Outcome, Mapping[str, Any], str, object]] = []

    def judge(
        self,
        reference: Outcome,
        submission: Outcome,
        validators: Mapping[str, Any],
        *,
        rules: str = "sound",
        protected: Collection[str] | None = None,
        grades: Sequence[Grade] = (),
        is_recorded: bool = False,
    ) -> Mapping[str, Any]:
        assert (list(grades), is_recorded) == ([], False)
        self.asked.append((reference, submission, validators, rules, protected))
        if isinstance(self.answer, ToolkitError):
            raise self.answer
        return self.answer

    def grade(self, items: Sequence[GradeItem]) -> list[Grade]:
        raise AssertionError(f"nothing is to be graded: {items}")


@pytest.fixture
def fine(node: Callable[..., Any]) -> dict[str, Any]:
    names = ("crash", "namespace_intact", "result")
    tree: dict[str, Any] = node("and", "", None, *(node(name, "yes") for name in names))
    return tree


def test_the_resolved_validators_are_asked(fine: dict[str, Any]) -> None:
    comparator = Scripted(fine)
    assert judge_submission(comparator, REFERENCE, SUBMISSION, PROBLEM, "published").verdict is Verdict.CORRECT
    ((reference, submission, validators, rules, protected),) = comparator.asked
    assert (reference, submission) == (REFERENCE, SUBMISSION)
    assert [child["name"] for child in validators["children"]] == ["crash", "namespace_intact", "result"]
    assert (rules, protected) == ("published", None)


def test_a_malformed_answer_is_a_bad_report_and_never_correct(fine: dict[str, Any]) -> None:
    answers: tuple[dict[str, Any], ...] = ({}, {"answer": "yes"}, {"verdict": "CORRECT"}, {"author_error": {}})
    for answer in answers:
        assert judge_submission(Scripted(answer), REFERENCE, SUBMISSION, PROBLEM).verdict is Verdict.CRASH
    judged = judge_submission(Scripted({**fine, "bad_report": "no claim"}), REFERENCE, SUBMISSION, PROBLEM)
    assert judged.verdict is Verdict.CRASH
    assert "no claim" in judged.reason


def test_a_comparator_that_fails_is_our_fault() -> None:
    judged = judge_submission(Scripted(ToolkitError("no comparator answers")), REFERENCE, SUBMISSION, PROBLEM)
    assert judged.verdict is Verdict.NOT_JUDGED
    assert judged.author_fault is None
    assert "no comparator answers" in judged.reason


@pytest.mark.kernel
def test_an_engine_that_was_closed_meanwhile_gives_no_verdict(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A run that is stopped closes its engine while answers are compared."""
    with Engine() as engine:
        engine.warm_up()
    with pytest.raises(EngineClosedError):
        judge_submission(engine, REFERENCE, SUBMISSION, PROBLEM)
    assert caplog.messages == []


def test_the_authors_error_is_not_judged_and_named() -> None:
    answer = {"author_error": {"what": "the reference leaves no variable 'x'", "where": "namespace_check", "fix": "f"}}
    judged = judge_submission(Scripted(answer), REFERENCE, SUBMISSION, PROBLEM)
    assert judged.verdict is Verdict.NOT_JUDGED
    assert judged.author_fault is not None
    assert judged.author_fault.fix == "f"
    assert judged.reason == "namespace_check: the reference leaves no variable 'x'"


def test_what_a_submission_without_a_report_claims_is_not_compared(fine: dict[str, Any]) -> None:
    for ending in (Ending.TIMED_OUT, Ending.DIED, Ending.OVER_LIMIT, Ending.BAD_REPORT):
        comparator = Scripted(fine)
        judged = judge_submission(comparator, REFERENCE, Outcome(ending, "5"), PROBLEM)
        assert judged.verdict in (Verdict.TIMEOUT, Verdict.CRASH)
        assert [asked[1].payload for asked in comparator.asked] == [None]


def test_an_engine_that_failed_is_nobodys_answer(fine: dict[str, Any]) -> None:
    failed = Outcome(Ending.ENGINE_ERROR, "5")
    for reference, submission in ((REFERENCE, failed), (failed, SUBMISSION)):
        judged = judge_submission(Scripted(fine), reference, submission, PROBLEM)
        assert (judged.verdict, judged.author_fault) == (Verdict.NOT_JUDGED, None)


def test_a_reference_that_does_not_run_is_the_authors_fault(fine: dict[str, Any]) -> None:
    reference = Outcome(Ending.ERROR, "df", error=ErrorView("NameError", "df", ""))
    judged = judge_submission(Scripted(fine), reference, SUBMISSION, PROBLEM)
    assert judged.verdict is Verdict.NOT_JUDGED
    assert judged.author_fault is not None
    assert judged.reason == "the reference code does not run to its end: it raises NameError"
    judged = judge_submission(Scripted(fine), Outcome(Ending.TIMED_OUT, ""), SUBMISSION, PROBLEM)
    assert judged.reason == "the reference code does not run to its end: the code ran out of time"


def test_a_reference_that_prints_too_much_cannot_be_compared(fine: dict[str, Any]) -> None:
    problem = Problem("q", "5", validator={"stream": None})
    reference = Outcome(Ending.OK, "5", limits_hit=("output",))
    assert judge_submission(Scripted(fine), reference, SUBMISSION, problem).author_fault is not None
    assert judge_submission(Scripted(fine), reference, SUBMISSION, PROBLEM).author_fault is None


def test_validators_that_cannot_be_resolved_are_the_authors_fault(fine: dict[str, Any]) -> None:
    problem = Problem("q", "5", validator={"reslut": None})
    judged = judge_submission(Scripted(fine), REFERENCE, SUBMISSION, problem)
    assert judged.author_fault is not None
    assert "reslut" in judged.reason
