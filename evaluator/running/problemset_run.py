"""Asks agents the problems of one problemset, in order, and judges what they return."""

import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from evaluator.agents import Agent, AgentFailure, FailureKind, OracleAgent, Submission, SubmissionStatus
from evaluator.diagnostics import Diagnostic
from evaluator.errors import ToolkitError
from evaluator.language import LoadedSet, Problem, Problemset, problem_id, resolve_validators, wanted_names
from evaluator.running.reference_history import ReferenceHistory
from evaluator.running.reference_session import AuthorError, Cells, EngineFailedError, ReferenceSession
from evaluator.scoring import Judged, Verdict, find_author_fault, judge_submission
from evaluator.session import Engine, Outcome

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Attempted:
    """One agent's work on one problem."""

    agent: str
    submission: Submission
    outcome: Outcome | None  # None: it was not run, or its run was lost by our fault
    judged: Judged


@dataclass(frozen=True)
class ScoredProblem:
    """One problem after all agents were judged on it."""

    problemset: str
    index: int  # counts from 1
    problem_id: str
    problem: Problem
    reference: Outcome | None  # None: lost by our fault
    attempts: tuple[Attempted, ...]  # one per agent, in the order given


def score_problemset(
    engine: Engine,
    loaded: LoadedSet,
    agents: Sequence[Agent],
    *,
    wanted: Collection[int] | None = None,
    rules: str = "sound",
    on_scored: Callable[[ScoredProblem], None] = lambda _scored: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> tuple[Diagnostic, ...]:
    """Run one problemset: setup cells and references in order, before each reference every agent's attempt on a fork.

    Args:
        engine: Warm or not.
        loaded: A problemset that parses.
        agents: Asked one after the other; the oracle alone is shown the reference code.
        wanted: Indexes of the problems to ask (from 1); None asks all. Nothing after the last of them is executed.
        rules: "sound" or "published".
        on_scored: Called after every problem that was asked, also when it could not be judged.
        cancelled: Asked between cells; True ends the work quietly.

    Returns:
        Why the problemset is refused from some cell on, by its author's fault; empty when it is not.
    """
    run = _ProblemsetRun(engine, loaded, tuple(agents), rules, cancelled)
    try:
        run.run(wanted, on_scored)
    except AuthorError as fault:
        return (fault.diagnostic,)
    finally:
        run.close()
    return ()


class _ProblemsetRun:
    def __init__(
        self,
        engine: Engine,
        loaded: LoadedSet,
        agents: tuple[Agent, ...],
        rules: str,
        cancelled: Callable[[], bool],
    ) -> None:
        assert loaded.problemset is not None, "a problemset that does not parse is refused before"
        self.problemset: Problemset = loaded.problemset
        self._engine = engine
        self._agents = agents
        self._rules = rules
        self._cancelled = cancelled
        self._session = ReferenceSession(engine, loaded.name, loaded.path, loaded.inputs, self.problemset)
        self._history = ReferenceHistory(loaded.problemset, loaded.inputs)

    def run(self, wanted: Collection[int] | None, on_scored: Callable[[ScoredProblem], None]) -> None:
        asked = range(1, len(self.problemset.problems) + 1) if wanted is None else wanted
        last = max(asked, default=0)
        for agent in self._agents:
            agent.start(self._history.session_info)
        index = 0
        for cell in self.problemset.cells:
            if self._cancelled() or index >= last:
                return
            index += isinstance(cell, Problem)
            if isinstance(cell, Problem) and index in asked:
                scored = self._score(index, cell)
                if scored is None:
                    return
                on_scored(scored)
            else:
                self._pass(cell, index)

    def close(self) -> None:
        self._session.close()
        for agent in self._agents:
            agent.end(self.problemset.name)

    def _pass(self, cell: Cells, index: int) -> None:
        """Execute a cell that is not asked: a setup cell, or a problem that was judged before."""
        try:
            outcome = self._session.steadily(lambda: self._session.advance(cell))
        except EngineFailedError as failure:
            _log.warning("event=cell_lost problemset=%s cause=%s", self.problemset.name, failure)
            self._session.skip(cell)
        else:
            self._history.remember(cell, index, outcome)

    def _score(self, index: int, problem: Problem) -> ScoredProblem | None:
        """Ask and judge one problem; None when the work was cancelled meanwhile."""
        asked = [(agent.describe().name, self._ask(agent, index, problem)) for agent in self._agents]
        reference: Outcome | None = None
        try:
            reference, attempts = self._session.steadily(lambda: self._judge(problem, asked))
            self._history.remember(problem, index, reference)
        except EngineFailedError as failure:
            if self._cancelled():
                return None
            _log.warning("event=not_judged problemset=%s index=%d cause=%s", self.problemset.name, index, failure)
            self._session.skip(problem)
            attempts = tuple(Attempted(name, each, None, _not_judged(failure.what)) for name, each in asked)
        identity = problem_id(self.problemset, index)
        return ScoredProblem(self.problemset.name, index, identity, problem, reference, attempts)

    def _judge(
        self, problem: Problem, asked: Sequence[tuple[str, Submission]]
    ) -> tuple[Outcome, tuple[Attempted, ...]]:
        names = wanted_names(resolve_validators(problem))
        probes = self._session.probes(problem)
        outcomes = [
            None
            if _is_infra(submission)
            else self._session.attempt(submission.code, problem, names=names, probes=probes)
            for _, submission in asked
        ]
        reference = self._session.advance(problem, names=names, probes=probes)
        fault = find_author_fault(self._engine, reference, problem, self._rules)
        if fault is not None:
            raise self._session.misfit(problem, fault)
        attempts = tuple(
            Attempted(name, submission, outcome, self._verdict(problem, reference, submission, outcome))
            for (name, submission), outcome in zip(asked, outcomes, strict=True)
        )
        return reference, attempts

    def _verdict(self, problem: Problem, reference: Outcome, submission: Submission, outcome: Outcome | None) -> Judged:
        if outcome is None:
            return _not_judged(_failure(submission))
        judged = judge_submission(self._engine, reference, outcome, problem, self._rules)
        if judged.author_fault is not None:
            raise self._session.misfit(problem, judged.author_fault)
        if judged.verdict is Verdict.NOT_JUDGED:
            raise ToolkitError(judged.reason, where=self.problemset.name)
        if submission.status is not SubmissionStatus.OK and judged.verdict is Verdict.CORRECT:
            return Judged(Verdict.UNKNOWN, reason=f"the agent returned nothing: {_failure(submission)}")
        return judged

    def _ask(self, agent: Agent, index: int, problem: Problem) -> Submission:
        request = self._history.request(index, problem, agent.describe())
        if isinstance(agent, OracleAgent):
            agent.reveal(request.session_id, request.problem_id, problem.code)
        try:
            submission = agent.solve(request)
        except ToolkitError:
            raise
        except Exception as error:  # noqa: BLE001 - an agent is a boundary: its faults never end a run
            _log.exception("event=agent_raised problemset=%s index=%d", self.problemset.name, index)
            failure = AgentFailure(FailureKind.AGENT, f"{type(error).__name__}: {error}")
            return Submission(code="", status=SubmissionStatus.ERROR, error=failure)
        if submission.status is SubmissionStatus.OK:
            return submission
        return Submission("", submission.status, submission.usage, submission.labels, submission.error)


def _is_infra(submission: Submission) -> bool:
    return submission.error is not None and submission.error.kind is FailureKind.INFRA


def _failure(submission: Submission) -> str:
    return submission.error.message if submission.error is not None else submission.status.value


def _not_judged(reason: str) -> Judged:
    return Judged(Verdict.NOT_JUDGED, reason=reason)
