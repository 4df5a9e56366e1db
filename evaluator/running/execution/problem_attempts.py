"""The attempts of one agent at one problem: ask, run, judge, tell, ask again."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any

from evaluator.agents import (
    AgentFailure,
    CapabilityOffError,
    FailureKind,
    Feedback,
    SolveRequest,
    Submission,
    SubmissionStatus,
    Variable,
)
from evaluator.errors import UsageError
from evaluator.language import Problem
from evaluator.running.execution.agent_session import life_of
from evaluator.running.execution.candidate import Candidate, Checkpoint, LastAttempt
from evaluator.running.execution.persistent_state import ExecutedStep, PersistentState
from evaluator.running.execution.policies import StopPolicy, feedback_on
from evaluator.running.execution.problem_tools import ExecutionBudget, ProblemTools
from evaluator.running.execution.reference_session import DESCRIBE_S, ReferenceSession, asks_for_figures, limits_of
from evaluator.scoring import Judged, Subverdict, Verdict
from evaluator.session import BRIEF, CaptureSpec, CellLimits, Ending, Outcome, Probe, parse_encoding


@dataclass(frozen=True)
class AttemptResult:
    """One attempt of one agent at one problem."""

    agent: str
    submission: Submission
    outcome: Outcome | None  # None: it was not run, or its run was lost by an infrastructure error
    judged: Judged
    attempt: int = 1  # counts from 1
    is_last: bool = True  # no further attempt followed: this one counts
    state_after: str = ""  # what became of the agent's own state: kept, rolled-back, corrected, correction-failed
    problemset: str = ""  # where it stands by itself: what it is an attempt at
    index: int = 0
    epoch: int = 1
    query: str = ""

    @property
    def verdict(self) -> Verdict:
        """How it was judged."""
        return self.judged.verdict

    @property
    def subverdict(self) -> Subverdict:
        """What exactly was wrong."""
        return self.judged.subverdict

    @property
    def reason(self) -> str:
        """Why, in words for people; may hold what hostile code wrote."""
        return self.judged.reason

    @property
    def scores(self) -> dict[str, float]:
        """The score of each graded validator, by its name; of several of one name the first."""
        found: dict[str, float] = {}
        _collect_scores(self.judged.validation or {}, found)
        return found

    @property
    def code(self) -> str:
        """What the agent returned."""
        return self.submission.code

    def _repr_html_(self) -> str:
        """Return what a notebook shows; everything in it is escaped."""
        title = f"{self.verdict} {self.subverdict}" if self.verdict is not Verdict.CORRECT else str(self.verdict)
        where = f"{self.problemset}, problem {self.index}" if self.index else ""
        parts = [f"<b>{escape(title)}</b>", escape(where), escape(self.query), escape(self.reason)]
        shown = "".join(f"<div>{part}</div>" for part in parts if part)
        return f"<div>{shown}<pre>{escape(self.code)}</pre></div>"


@dataclass(frozen=True)
class ProblemProbe:
    """What a problem's validators want to know of every submission."""

    index: int  # of the problem, from 1
    problem: Problem
    names: tuple[str, ...]
    probes: tuple[Probe, ...]

    @property
    def capture(self) -> CaptureSpec:
        """What a submission's payload shall hold."""
        figures = asks_for_figures(self.problem)
        return CaptureSpec(names=self.names, infer=True, probes=self.probes, figures=figures)


Judge = Callable[[Submission, Outcome | None], Judged]


@dataclass
class ProblemAttempts:
    """What one agent returned for one problem. After an infrastructure error the same are judged again."""

    candidate: Candidate
    index: int
    problem: Problem
    session: ReferenceSession
    mark: Checkpoint  # where the agent's own state was before the problem
    _submissions: list[Submission] = field(default_factory=list)
    _budget: ExecutionBudget = field(init=False)
    _kept: PersistentState | None = None  # what the attempts so far left, where they pile up on the reference's state

    def __post_init__(self) -> None:
        self._budget = ExecutionBudget(self.candidate.executions)

    def submission(self, attempt: int = 1, feedback: Feedback | None = None) -> Submission:
        """Return the submission of an attempt; ask for it unless that was done before."""
        if attempt > len(self._submissions):
            with self._tools() as tools:
                asked = self.candidate.ask(self.index, self.problem, attempt, feedback, tools)
            self._submissions.append(asked)
        return self._submissions[attempt - 1]

    def request(self) -> SolveRequest:
        """Return what the agent is asked at its first attempt."""
        with self._tools() as tools:
            return self.candidate.request(self.index, self.problem, tools=tools)

    def known_submission(self) -> Submission:
        """Return what was submitted before the machine failed for good."""
        if not self.candidate.is_live:
            return self.submission()
        failure = AgentFailure(FailureKind.INFRA, "the machine failed while the agent was asked")
        lost = Submission("", SubmissionStatus.ERROR, error=failure)
        return self._submissions[-1] if self._submissions else lost

    def _tools(self, live: Callable[[str], Outcome] | None = None) -> ProblemTools:
        limits = limits_of(self.problem, magics=self.session.magics)
        return ProblemTools(self._scratch, limits, self._budget, self._described, live)

    def _described(self, encoding: str, names: Sequence[str] | None = None) -> tuple[Variable, ...]:
        """Return the variables of the state that the next attempt starts from.

        Raises:
            CapabilityOffError: If there is no such encoding, or they cannot be described by it in time.
            ToolkitError: If the engine failed.
        """
        if encoding == BRIEF:
            return self.candidate.known_variables(names)
        try:
            how = parse_encoding(encoding)
        except UsageError as error:
            raise CapabilityOffError(str(error)) from error
        capture = CaptureSpec(encoding=how, described=None if names is None else tuple(names))
        if self.candidate.own is None and self._kept is None:
            outcome = self.session.with_retry(lambda: self.session.look(capture))
        else:
            with contextlib.closing(self._scratch()) as copy:
                outcome = copy.run(ExecutedStep("", CellLimits(wall_s=DESCRIBE_S)), capture)
        if outcome.ending is not Ending.OK:
            raise CapabilityOffError(f"the variables cannot be described so: {outcome.ending.value}")
        return tuple(Variable(each.name, each.type, each.text) for each in outcome.variables)

    def _scratch(self) -> PersistentState:
        """Return a copy of the state that the next attempt starts from."""
        if self.candidate.own is not None:
            if not self.candidate.keeps_attempts:
                self.candidate.rewind(self.mark)
            return self.candidate.own.state.copy()
        if self._kept is not None:
            return self._kept.copy()
        return PersistentState(lambda: self.session.keep(life_of((self.problem,))))

    def run_once(self, session: ReferenceSession, asked: ProblemProbe) -> Outcome | None:
        """Run the only attempt; None when there is nothing to run by our side's fault.

        Raises:
            ToolkitError: If the engine failed.
        """
        submission = self.submission()
        if is_infra(submission):
            return None
        if self.candidate.own is not None:
            self.candidate.rewind(self.mark)
            return self.candidate.own.answer(submission.code, asked.problem, asked.capture)
        return session.attempt(submission.code, asked.problem, names=asked.names, probes=asked.probes)

    def run_attempts(self, session: ReferenceSession, asked: ProblemProbe, judge: Judge) -> list[AttemptResult]:
        """Run attempts until one is correct, cannot be judged, or is the last one allowed.

        Raises:
            ToolkitError: If the engine failed.
        """
        if self.candidate.is_live:
            return self._run_live(session, asked, judge)
        attempts: list[AttemptResult] = []
        most = min(self.candidate.max_attempts, self.candidate.rounds(self.problem))
        feedback: Feedback | None = None
        with self._ground(session, asked) as run:
            for number in range(1, (most if self.candidate.card.retry else 1) + 1):
                submission = self.submission(number, feedback)
                if attempts and submission.status is SubmissionStatus.GAVE_UP:
                    attempts[-1] = _closed(attempts[-1], submission, judge)
                    break
                outcome = None if is_infra(submission) else run(submission.code)
                judged = judge(submission, outcome)
                attempts.append(AttemptResult(self.candidate.name, submission, outcome, judged, number, is_last=False))
                if outcome is None or self._ends(outcome, judged):
                    break
                feedback = feedback_on(submission.code, outcome, judged, self.candidate.policies.feedback)
        return attempts

    def _run_live(self, session: ReferenceSession, asked: ProblemProbe, judge: Judge) -> list[AttemptResult]:
        """Let an agent execute what it submits while it is asked; each execution counts as an attempt.

        A second try, after the machine spoiled the first, executes the same without asking.
        """
        name, left = self.candidate.name, list[tuple[Submission, Outcome | None]]()
        with self._ground(session, asked) as run:

            def execute(code: str) -> Outcome:
                outcome = run(code)
                left.append((Submission(code), outcome))
                return outcome

            if not self._submissions:
                with self._tools(execute) as tools:
                    closing = self.candidate.ask(self.index, self.problem, tools=tools)
                self._submissions = [*(each for each, _ in left), closing]
            else:
                closing = self._submissions[-1]
                for submission in self._submissions[:-1]:
                    execute(submission.code)
            stands = left and not closing.code.strip() and _lets_stand(closing)
            if not stands:
                left.append((closing, None if is_infra(closing) else run(closing.code)))
            numbered = enumerate(left, 1)
            attempts = [AttemptResult(name, one, got, judge(one, got), n, is_last=False) for n, (one, got) in numbered]
        if stands:
            attempts[-1] = _closed(attempts[-1], closing, judge)
        return attempts

    def _ends(self, outcome: Outcome, judged: Judged) -> bool:
        """Return whether no further attempt follows this one."""
        stop = self.candidate.policies.stop
        if stop is StopPolicy.JUDGED:
            return judged.verdict in (Verdict.CORRECT, Verdict.NOT_JUDGED)
        return (outcome.ending is Ending.OK) is (stop is StopPolicy.VISIBLE)

    @contextmanager
    def _ground(self, session: ReferenceSession, asked: ProblemProbe) -> Iterator[Callable[[str], Outcome]]:
        """Yield what runs an attempt where it belongs: on a fork of its own, or on what the attempt before left."""
        candidate, problem = self.candidate, asked.problem
        is_kept = candidate.keeps_attempts
        if candidate.own is not None:
            own = candidate.own
            candidate.rewind(self.mark)

            def run_on_own_state(code: str) -> Outcome:
                if not is_kept:
                    candidate.rewind(self.mark)
                return own.answer(code, problem, asked.capture)

            yield run_on_own_state
        elif is_kept:
            state = self._kept = PersistentState(lambda: session.keep(life_of((problem,))))
            try:
                yield lambda code: state.run(
                    ExecutedStep(code, limits_of(problem, magics=session.magics)), asked.capture
                )
            finally:
                self._kept = None
                state.close()
        else:
            yield lambda code: session.attempt(code, problem, names=asked.names, probes=asked.probes)

    def settle(self, attempt: AttemptResult, reference: Outcome) -> str:
        """Let the agent's history and its own state go on from the last attempt; return what became of the state.

        Raises:
            ToolkitError: If the engine failed.
        """
        outcome = reference
        if self.candidate.own is not None:
            outcome = attempt.outcome or Outcome(Ending.ENGINE_ERROR, attempt.submission.code)
            if attempt.outcome is None:
                self.candidate.rewind(self.mark)
        codes = [each.code for each in self._submissions if each.code] if self.candidate.is_live else []
        last = LastAttempt("\n\n".join(codes) or attempt.submission.code, outcome, attempt.judged.verdict)
        return self.candidate.settle(self.index, self.problem, last, self.mark, reference)


def _collect_scores(finding: Mapping[str, Any], found: dict[str, float]) -> None:
    if isinstance(finding.get("score"), int | float):
        found.setdefault(str(finding.get("category")), float(finding["score"]))
    parts = finding.get("reason")
    for part in parts if isinstance(parts, list) else ():
        _collect_scores(part, found)


def _lets_stand(closing: Submission) -> bool:
    """Return whether a submission without code leaves the execution before it as the last word."""
    return closing.status in (SubmissionStatus.OK, SubmissionStatus.GAVE_UP) and closing.error is None


def is_infra(submission: Submission) -> bool:
    """Return whether there is no submission by the fault of our own side of an agent."""
    return submission.error is not None and submission.error.kind is FailureKind.INFRA


def failure_of(submission: Submission) -> str:
    """Return why there is nothing worth running."""
    error: AgentFailure | None = submission.error
    return error.message if error is not None else submission.status.value


def _closed(last: AttemptResult, closing: Submission, judge: Judge) -> AttemptResult:
    """Add what the closing cost and said; judge the last attempt again with an answer in prose, if there is one."""
    usage = {name: _sum(last.submission.usage.get(name), used) for name, used in closing.usage.items()}
    submission = replace(
        last.submission,
        usage={**last.submission.usage, **usage},
        trace=(*last.submission.trace, *closing.trace),
        labels=(*last.submission.labels, *closing.labels),
        answer=closing.answer,
    )
    if closing.answer is None or last.outcome is None:
        return replace(last, submission=submission)
    return replace(last, submission=submission, judged=judge(submission, last.outcome))


def _sum(before: Any, used: Any) -> Any:
    """Return two counts together; what is no number is taken as it was said last."""
    return before + used if isinstance(before, int | float) and isinstance(used, int | float) else used
