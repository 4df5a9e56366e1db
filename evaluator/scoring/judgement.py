"""The one call that judges a submission: compare in the comparator, parse what it found, decide."""

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Protocol

from evaluator.errors import ContentError, EngineClosedError, RecordingError, ToolkitError
from evaluator.language import (
    Problem,
    ValidatorSpec,
    graded_validators,
    holds_code,
    resolve_validators,
)
from evaluator.scoring.decisions import Judged, decide, decide_without_report, has_report
from evaluator.scoring.findings import (
    Answer,
    AuthorFault,
    BadFindingsError,
    Cause,
    Finding,
    parse_findings,
)
from evaluator.scoring.grading import Expected, FigureJudge, grade_submission, grading_fault
from evaluator.scoring.verdicts import Verdict
from evaluator.session import ENDING_WORDS, Ending, Outcome
from evaluator.session.grader_pool import Grade, GradeItem

_log = logging.getLogger(__name__)


class Comparator(Protocol):
    """What judging needs of an engine."""

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
        """Return the raw findings tree of two outcomes, or `{"author_error": ...}`.

        A key `bad_report` beside it says why the submission's payload could not be compared.

        Raises:
            ToolkitError: If no comparator could answer.
        """
        ...

    def grade(self, items: Sequence[GradeItem]) -> list[Grade]:
        """Return the grades of texts and pictures beside each other.

        Raises:
            ToolkitError: If no grader could answer.
        """
        ...


def judge_submission(
    engine: Comparator,
    reference: Outcome,
    submission: Outcome,
    problem: Problem,
    rules: str = "sound",
    *,
    protected: Collection[str] | None = None,
    recorded: Expected | None = None,
    answer: str | None = None,
    figure_judge: FigureJudge | None = None,
) -> Judged:
    """Judge what a submission left behind by what the reference left behind.

    Args:
        engine: Compares the two in a process of its own.
        reference: Outcome of the problem's reference code, with the values of `wanted_names` in its payload.
        submission: Outcome of the submission on a fork of the same state.
        problem: Whose validators decide.
        rules: "sound" or "published".
        protected: The names that were not made by the agent itself; None for all that its code found.
        recorded: What graded validators expect instead of what the reference showed.
        answer: What the agent closed with in prose, if it did.
        figure_judge: Looks at figures for `judge`; None: nobody does, and what hangs on it is NOT_JUDGED.

    Returns:
        A verdict in every case: what we or the problem's author did wrong is NOT_JUDGED with the reason, in the
        latter case with `author_fault`.

    Raises:
        RecordingError: If what a judge said cannot be recorded.
        EngineClosedError: If the engine was closed meanwhile, since its run is stopping.
    """
    try:
        validators = resolve_validators(problem)
    except ContentError as error:
        return _not_judged(AuthorFault(error.what, error.where or "validator", error.fix))
    fault = _author_fault(validators, reference) or grading_fault(validators, reference, rules=rules, recorded=recorded)
    if fault is not None:
        return _not_judged(fault)
    if reference.ending is Ending.ENGINE_ERROR:
        return Judged(Verdict.NOT_JUDGED, reason="the engine failed on the reference")
    if not has_report(submission.ending):  # compared all the same: what is wrong with the problem does not depend on it
        submission = replace(submission, payload=None, answers=())
    try:
        grades = grade_submission(
            engine,
            validators,
            reference,
            submission,
            rules=rules,
            recorded=recorded,
            answer=answer,
            query=problem.query,
            figure_judge=figure_judge,
        )
        raw = dict(
            engine.judge(
                reference,
                submission,
                validators.to_json(),
                rules=rules,
                protected=protected,
                grades=grades,
                is_recorded=recorded is not None,
            )
        )
    except (RecordingError, EngineClosedError):  # the run stops: to go on would pay for lost opinions, or is no use
        raise
    except ToolkitError as error:
        return _not_compared(submission, error)
    broken = raw.pop("bad_report", None)  # why the submission's payload could not be compared, if so
    try:
        finding = parse_findings(raw, validators)
    except BadFindingsError as error:
        return decide_without_report(Ending.BAD_REPORT, submission.limits_hit, detail=error.what)
    if isinstance(finding, AuthorFault):
        return _not_judged(finding)
    if not has_report(submission.ending):
        return decide_without_report(submission.ending, submission.limits_hit)
    if broken is not None:
        return decide_without_report(Ending.BAD_REPORT, submission.limits_hit, detail=str(broken)[:200])
    judged = decide(finding, submission.ending, submission.limits_hit)
    if judged.verdict in (Verdict.CORRECT, Verdict.PRESENTATION_ERROR) and (why := _waits(validators, finding, grades)):
        return Judged(Verdict.NOT_JUDGED, reason=why, validation=judged.validation, waits=True)
    return judged


def _not_compared(submission: Outcome, error: ToolkitError) -> Judged:
    if not has_report(submission.ending):
        return decide_without_report(submission.ending, submission.limits_hit)
    _log.warning("event=not_judged cause=%s", error)
    return Judged(Verdict.NOT_JUDGED, reason=f"the comparator failed: {error.what}")


def _waits(validators: ValidatorSpec, finding: Finding, grades: Sequence[Grade]) -> str:
    """Return why a verdict waits for a judge; empty where its opinion would change nothing."""
    if _without_judges(validators, finding) is finding.answer:
        return ""
    lacking = [
        grade
        for node, grade in zip(graded_validators(validators), grades, strict=True)
        if _is_waited_for(node) and grade.score is None
    ]
    if not lacking:
        return ""
    why, told = _NO_OPINION.get(lacking[0].why, "the judge gave no opinion"), lacking[0].told[:_MAX_TOLD]
    return f"{why}: {told}" if told else why


def _is_waited_for(node: ValidatorSpec) -> bool:
    return node.name == "judge" and not node.code and node.options.get("counts") is True


def _without_judges(node: ValidatorSpec, finding: Finding) -> Answer:
    """Return what a tree answers if every judge who has not spoken says no."""
    if node.name not in ("and", "or"):
        return Answer.NO if _is_waited_for(node) and finding.score is None else finding.answer
    answers = [_without_judges(*pair) for pair in zip(node.children, finding.children, strict=True)]
    order = list(Answer)
    if node.name == "and":
        return max(answers, key=order.index, default=Answer.YES)
    return min(answers, key=order.index, default=Answer.NO)


_MAX_TOLD: Final = 300  # characters of what an endpoint said
_NO_OPINION: Final = {
    "no-judge": "no judge has looked at the figures yet",
    "no-opinion": "the judge's replies are no opinion",
    "judge-failed": "the judge could not be asked",
}


def find_author_fault(
    engine: Comparator, reference: Outcome, problem: Problem, rules: str = "sound"
) -> AuthorFault | None:
    """Try the author's own code (`compare_fn`, checkers, own validators) on the reference beside itself.

    Returns:
        What is wrong, if it raises, hangs or answers nonsense there, or (sound rules) refuses the reference; None where
        a problem has no code that compares.

    Raises:
        ToolkitError: If no comparator could answer.
    """
    try:
        validators = resolve_validators(problem)
    except ContentError:
        return None  # judging says so
    if not holds_code(validators) or _author_fault(validators, reference) is not None:
        return None
    try:
        grades = grade_submission(engine, validators, reference, reference, rules=rules)
        raw = engine.judge(reference, reference, validators.to_json(), rules=rules, grades=grades)
        finding = parse_findings(raw, validators)
    except BadFindingsError as error:
        return AuthorFault(
            f"the reference cannot be compared with itself: {error.what}", "validator", "use other values"
        )
    if isinstance(finding, AuthorFault):
        return finding
    for part in finding.walk():
        where = f"{part.validator}.{part.variable}" if part.variable is not None else part.validator
        if part.cause is Cause.CHECKER_FAILED:
            what = f"the validator's own code fails on the reference: {part.reason}"
            return AuthorFault(what, where, "repair the code: it must accept the reference")
    if rules == "sound" and finding.answer is Answer.NO:
        reason = decide(finding).reason
        return AuthorFault(f"the reference fails its own validators: {reason}", "validator", "repair one of the two")
    return None


def _author_fault(validators: ValidatorSpec, reference: Outcome) -> AuthorFault | None:
    if reference.ending is Ending.ENGINE_ERROR:
        return None
    if reference.ending is not Ending.OK:
        why = f"it raises {reference.error.name}" if reference.error else ENDING_WORDS[reference.ending]
        what = f"the reference code does not run to its end: {why}"
        return AuthorFault(what, "reference code", "repair the code or raise its limits")
    if "output" in reference.limits_hit and any(spec.name == "stream" for spec in validators.nodes):
        return AuthorFault("the reference's output is too long to compare", "stream", "print less")
    return None


def _not_judged(fault: AuthorFault) -> Judged:
    where = f"{fault.where}: " if fault.where and fault.where not in fault.what else ""
    return Judged(Verdict.NOT_JUDGED, reason=f"{where}{fault.what}", author_fault=fault)
