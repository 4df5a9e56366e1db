"""How answers to a problem are judged: by its validators, by what the reference left, and what faults of ours mean."""

from evaluator.agents import Submission, SubmissionStatus
from evaluator.errors import ToolkitError
from evaluator.language import Problem, graded_validators, resolve_validators
from evaluator.running.execution.executed_cell import Conditions
from evaluator.running.execution.problem_attempts import ProblemAttempts, failure_of
from evaluator.running.execution.reference_session import ReferenceSession
from evaluator.scoring import AuthorFault, Judged, Verdict, find_author_fault, judge_submission
from evaluator.scoring.grading import Expected
from evaluator.session import Ending, Engine, Outcome


class ProblemJudge:
    """Judges answers, problem by problem; `fault` is of the current one's validators, where it is only told."""

    def __init__(self, engine: Engine, reference: ReferenceSession, conditions: Conditions) -> None:
        """Keep what judges, whose reference it is, and by which rules."""
        self.fault: AuthorFault | None = None
        self._engine = engine
        self._reference = reference
        self._conditions = conditions

    def look_for_fault(self, problem: Problem, reference: Outcome) -> None:
        """Try the validators on the reference; what does not fit refuses the set, or is told with every verdict."""
        if self.fault is not None or (self._conditions.goes_on and reference.ending is not Ending.OK):
            return
        self.fault = find_author_fault(self._engine, reference, problem, self._conditions.rules)
        if self.fault is not None and not self._conditions.goes_on:
            raise self._reference.validator_error(problem, self.fault)

    def verdict_on(
        self, talk: ProblemAttempts, reference: Outcome, submission: Submission, outcome: Outcome | None
    ) -> Judged:
        """Judge an attempt of an agent; what its machine lost is not judged, and a failed one is never correct."""
        if outcome is None:
            return not_judged(failure_of(submission))
        protected, answer = talk.candidate.protected_names(), submission.answer
        recorded = talk.candidate.recorded(talk.problem)
        judged = self.judged(talk.problem, reference, outcome, protected=protected, answer=answer, recorded=recorded)
        has_answered = answer is not None and _takes_answers(talk.problem)
        if submission.status is not SubmissionStatus.OK and judged.verdict is Verdict.CORRECT and not has_answered:
            return Judged(Verdict.UNKNOWN, reason=f"the agent returned nothing: {failure_of(submission)}")
        return judged

    def judged(
        self,
        problem: Problem,
        reference: Outcome,
        outcome: Outcome | None,
        *,
        lost: str = "",
        protected: frozenset[str] | None = None,
        answer: str | None = None,
        recorded: Expected | None = None,
    ) -> Judged:
        """Judge what a submission left; None: an earlier cell of the author ended the session, as `lost` says."""
        if outcome is None:
            reason = lost or self._reference.lost
            fault = AuthorFault(reason, "an earlier cell", "make it faster or smaller")
            return Judged(Verdict.NOT_JUDGED, reason=reason, author_fault=fault)
        if self.fault is not None:
            return Judged(Verdict.NOT_JUDGED, reason=self.fault.what, author_fault=self.fault)
        rules = self._conditions.rules
        judged = judge_submission(
            self._engine,
            reference,
            outcome,
            problem,
            rules,
            protected=protected,
            recorded=recorded or self._conditions.recorded(problem),
            answer=answer,
            figure_judge=self._conditions.figure_judge,
        )
        if self._conditions.goes_on:
            return judged
        if judged.author_fault is not None:
            raise self._reference.validator_error(problem, judged.author_fault)
        if judged.verdict is Verdict.NOT_JUDGED and not judged.waits:
            raise ToolkitError(judged.reason, where=self._reference.name)
        return judged


def _takes_answers(problem: Problem) -> bool:
    """Return whether a problem is about what an agent says, not only about what its code does."""
    return any(node.name == "final_answer" for node in graded_validators(resolve_validators(problem)))


def not_judged(reason: str) -> Judged:
    """Return that something could not be judged."""
    return Judged(Verdict.NOT_JUDGED, reason=reason)
