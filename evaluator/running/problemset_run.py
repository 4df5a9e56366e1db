"""Asks agents the problems of one problemset, in order, and judges what they return."""

import logging
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Final

from evaluator.agents import Agent, Submission, SubmissionStatus
from evaluator.diagnostics import Diagnostic
from evaluator.errors import ToolkitError
from evaluator.language import LoadedSet, Problem, Problemset, Rules, problem_id, resolve_validators, wanted_names
from evaluator.running.candidate import Candidate, PriorAnswer
from evaluator.running.cell_faults import Cells
from evaluator.running.conversation import AttemptResult, ProblemAttempts, ProblemProbe, failure_of
from evaluator.running.own_session import AgentSession
from evaluator.running.policies import Policies
from evaluator.running.reference_history import ReferenceHistory
from evaluator.running.reference_session import AuthorError, EngineFailedError, ReferenceSession
from evaluator.scoring import Judged, Verdict, find_author_fault, judge_submission
from evaluator.session import Ending, Engine, Outcome

_log = logging.getLogger(__name__)
_NOTHING: Final[Mapping[int, PriorAnswer]] = MappingProxyType({})


@dataclass(frozen=True)
class ScoredProblem:
    """One problem after all agents were judged on it."""

    problemset: str
    index: int  # counts from 1
    problem_id: str
    problem: Problem
    reference: Outcome | None  # None: lost by our fault
    attempts: tuple[AttemptResult, ...]  # of each agent in the order given, one after the other
    epoch: int = 1


@dataclass(frozen=True)
class Conditions:
    """Under which conditions agents go through a problemset."""

    rules: str = "sound"  # or "published"
    policies: Policies = field(default_factory=Policies)
    max_attempts: int = 1  # at one problem (count, >= 1)
    epoch: int = 1  # which independent pass, counts from 1
    rng_seed: int | None = None  # of its sessions; None: the engine's
    time_scale: float = 1.0  # how many times slower than the nominal machine this one is
    renders: bool = True  # whether anybody looks at what cells' last values look like


def score_problemset(
    engine: Engine,
    loaded: LoadedSet,
    agents: Sequence[Agent],
    *,
    wanted: Collection[int] | None = None,
    answered: Mapping[int, PriorAnswer] = _NOTHING,
    conditions: Conditions = Conditions(),
    on_scored: Callable[[ScoredProblem], None] = lambda _scored: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> tuple[Diagnostic, ...]:
    """Run one problemset: setup cells and references in order, before each reference every agent's attempts.

    Args:
        engine: Warm or not.
        loaded: A problemset that parses.
        agents: Asked one after the other; the oracle alone is shown the reference code.
        wanted: Indexes of the problems to ask (from 1); None asks all. Nothing after the last of them is executed.
        answered: What the agent answered to problems that are not asked; only for one agent, and only needed under
            policies by which later problems rest on its earlier code.
        conditions: Rule set, policies, attempts, epoch.
        on_scored: Called after every problem that was asked, also when it could not be judged.
        cancelled: Asked between cells; True ends the work quietly.

    Returns:
        Why the problemset is refused from some cell on, by its author's fault; empty when it is not.
    """
    run = _ProblemsetRun(engine, loaded, tuple(agents), conditions, cancelled)
    try:
        run.run(wanted, answered, on_scored)
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
        conditions: Conditions,
        cancelled: Callable[[], bool],
    ) -> None:
        assert loaded.problemset is not None, "a problemset that does not parse is refused before"
        self.problemset: Problemset = loaded.problemset
        self._engine = engine
        self._conditions = conditions
        self._cancelled = cancelled
        magics = conditions.rules != Rules.PUBLISHED  # by which whatever is no Python is a syntax error
        self._session = ReferenceSession(
            *(engine, loaded.name, loaded.path, loaded.inputs, self.problemset),
            rng_seed=conditions.rng_seed,
            time_scale=conditions.time_scale,
            magics=magics,
            renders=conditions.renders,
        )
        self._history = ReferenceHistory(loaded.problemset, loaded.inputs, conditions.epoch)
        self._candidates: list[Candidate] = []
        for agent in agents:
            own = None
            if conditions.policies.has_own_state:
                session = (engine, loaded.problemset, loaded.inputs)
                own = AgentSession(*session, rng_seed=conditions.rng_seed, magics=magics)
            self._candidates.append(Candidate(agent, conditions.policies, self._history, own))

    def run(
        self,
        wanted: Collection[int] | None,
        answered: Mapping[int, PriorAnswer],
        on_scored: Callable[[ScoredProblem], None],
    ) -> None:
        asked = range(1, len(self.problemset.problems) + 1) if wanted is None else wanted
        last = max(asked, default=0)
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
                self._pass(cell, index, answered.get(index))

    def close(self) -> None:
        self._session.close()
        for candidate in self._candidates:
            candidate.close()

    def _pass(self, cell: Cells, index: int, answered: PriorAnswer | None) -> None:
        """Execute a cell that is not asked: a setup cell, or a problem that was judged before."""
        try:
            outcome = self._session.with_retry(lambda: self._session.advance(cell))
        except EngineFailedError as failure:
            _log.warning("event=cell_lost problemset=%s cause=%s", self.problemset.name, failure)
            self._session.skip(cell)
            self._history.has_gaps = True
            return
        self._history.remember(cell, index, outcome)
        for candidate in self._candidates:
            with self._logged("pass"):
                if isinstance(cell, Problem):
                    candidate.pass_problem(index, cell, outcome, answered)
                else:
                    candidate.pass_setup(cell, outcome)

    def _score(self, index: int, problem: Problem) -> ScoredProblem | None:
        """Ask and judge one problem; None when the work was cancelled meanwhile."""
        talks = [ProblemAttempts(each, index, problem, each.mark()) for each in self._candidates]
        for talk in talks:
            talk.submission()
        judge = self._judge_at_once if self._conditions.max_attempts == 1 else self._judge_by_turns
        reference: Outcome | None = None
        try:
            reference, attempts = self._session.with_retry(lambda: judge(talks, self._asked(index, problem)))
            self._history.remember(problem, index, reference)
        except EngineFailedError as failure:
            if self._cancelled():
                return None
            _log.warning("event=not_judged problemset=%s index=%d cause=%s", self.problemset.name, index, failure)
            self._session.skip(problem)
            self._history.has_gaps = True
            lost = _not_judged(failure.what)
            attempts = [[AttemptResult(talk.candidate.name, talk.submission(), None, lost)] for talk in talks]
        settled = [
            each
            for talk, made in zip(talks, attempts, strict=True)
            for each in (*made[:-1], self._settled(talk, made[-1], reference))
        ]
        identity = problem_id(self.problemset, index)
        epoch = self._conditions.epoch
        return ScoredProblem(self.problemset.name, index, identity, problem, reference, tuple(settled), epoch)

    def _settled(self, talk: ProblemAttempts, last: AttemptResult, reference: Outcome | None) -> AttemptResult:
        """Let the agent's own state and history go on from its last attempt."""
        state_after = ""
        with self._logged("settle"):
            unknown = Outcome(Ending.ENGINE_ERROR, talk.problem.code)
            state_after = talk.settle(last, reference or unknown)
        return replace(last, is_last=True, state_after=state_after)

    @contextmanager
    def _logged(self, event: str) -> Iterator[None]:
        """Go on after a failure of the engine in an agent's own session: a later use of it tries once more."""
        try:
            yield
        except ToolkitError as error:
            _log.warning("event=%s_failed problemset=%s cause=%s", event, self.problemset.name, error)

    def _asked(self, index: int, problem: Problem) -> ProblemProbe:
        names = wanted_names(resolve_validators(problem))
        return ProblemProbe(index, problem, names, self._session.probes(problem))

    def _judge_at_once(
        self, talks: Sequence[ProblemAttempts], asked: ProblemProbe
    ) -> tuple[Outcome, list[list[AttemptResult]]]:
        """Run every agent's only attempt before the reference, so that none can have seen it."""
        outcomes = [talk.run_once(self._session, asked) for talk in talks]
        reference = self._session.advance(asked.problem, names=asked.names, probes=asked.probes)
        self._refuse_misfits(asked.problem, reference)
        attempts = [
            [AttemptResult(talk.candidate.name, talk.submission(), outcome, self._verdict(talk, reference, outcome))]
            for talk, outcome in zip(talks, outcomes, strict=True)
        ]
        return reference, attempts

    def _judge_by_turns(
        self, talks: Sequence[ProblemAttempts], asked: ProblemProbe
    ) -> tuple[Outcome, list[list[AttemptResult]]]:
        """Judge every attempt before the next one is asked for, by a reference that ran on a fork of its own."""
        dry_executed = self._session.dry_execute(asked.problem, names=asked.names, probes=asked.probes)
        self._refuse_misfits(asked.problem, dry_executed)
        attempts = []
        for talk in talks:
            judge = partial(self._verdict_on, talk, dry_executed)
            attempts.append(talk.run_attempts(self._session, asked, judge, self._conditions.max_attempts))
        return self._session.advance(asked.problem), attempts

    def _refuse_misfits(self, problem: Problem, reference: Outcome) -> None:
        fault = find_author_fault(self._engine, reference, problem, self._conditions.rules)
        if fault is not None:
            raise self._session.validator_error(problem, fault)

    def _verdict(self, talk: ProblemAttempts, reference: Outcome, outcome: Outcome | None) -> Judged:
        return self._verdict_on(talk, reference, talk.submission(), outcome)

    def _verdict_on(
        self, talk: ProblemAttempts, reference: Outcome, submission: Submission, outcome: Outcome | None
    ) -> Judged:
        if outcome is None:
            return _not_judged(failure_of(submission))
        rules, protected = self._conditions.rules, talk.candidate.protected_names()
        judged = judge_submission(self._engine, reference, outcome, talk.problem, rules, protected=protected)
        if judged.author_fault is not None:
            raise self._session.validator_error(talk.problem, judged.author_fault)
        if judged.verdict is Verdict.NOT_JUDGED:
            raise ToolkitError(judged.reason, where=self.problemset.name)
        if submission.status is not SubmissionStatus.OK and judged.verdict is Verdict.CORRECT:
            return Judged(Verdict.UNKNOWN, reason=f"the agent returned nothing: {failure_of(submission)}")
        return judged


def _not_judged(reason: str) -> Judged:
    return Judged(Verdict.NOT_JUDGED, reason=reason)
