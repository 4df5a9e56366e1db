"""The one executor: goes through a problemset cell by cell and yields what each left, and how answers to it are judged.

Runs, dry runs, checks, proofs and the editor differ in who answers, in what a failing cell of the author means, and in
what they keep. How setup cells, reference code and submissions are executed and judged is decided here alone.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Final, Self

from evaluator.agents import Agent, Submission
from evaluator.errors import ToolkitError
from evaluator.language import (
    Problem,
    Problemset,
    Rules,
    problem_id,
    resolve_validators,
    wanted_names,
)
from evaluator.running.execution.agent_session import AgentSession
from evaluator.running.execution.author_errors import Cells, missed_limit
from evaluator.running.execution.candidate import Candidate
from evaluator.running.execution.executed_cell import (
    USUAL,
    Answers,
    Asks,
    Conditions,
    Contender,
    ExecutedCell,
    JudgedAnswer,
    every_problem,
    no_answers,
)
from evaluator.running.execution.judging import ProblemJudge, not_judged
from evaluator.running.execution.problem_attempts import AttemptResult, ProblemAttempts, ProblemProbe
from evaluator.running.execution.reference_history import ReferenceHistory
from evaluator.running.execution.reference_session import AuthorError, EngineFailedError, ReferenceSession
from evaluator.scoring import Judged, Verdict
from evaluator.session import CellLimits, Ending, Engine, Outcome

_log = logging.getLogger(__name__)
_ENDED: Final = frozenset({Ending.OK, Ending.ERROR})
LONG_TRIAL_S: Final = 2.0


class ProblemsetExecutor:
    """Goes through one problemset once; close it to end its processes."""

    def __init__(
        self,
        engine: Engine,
        problemset: Problemset,
        path: Path,
        inputs: Path | None,
        *,
        conditions: Conditions = USUAL,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        """Prepare; nothing runs yet.

        Args:
            engine: Warm or not.
            problemset: What is executed.
            path: Where it stands, for what is said to its author.
            inputs: The folder that sessions see as `inputs/`.
            conditions: Rule set, policies, attempts, epoch.
            cancelled: Asked between cells; True ends the work quietly.
        """
        self.problemset = problemset
        self.engine = engine
        self._inputs = inputs
        self._conditions = conditions
        self._cancelled = cancelled
        self._magics = conditions.rules != Rules.PUBLISHED  # by which whatever is no Python is a syntax error
        self._reference = self._session(path)
        self._replay = self._session(path, key=f"{problemset.name} replayed") if conditions.replays else None
        self._histories: list[ReferenceHistory] = []  # one for each way in which agents are asked
        self._candidates: list[Candidate] = []
        self._passed = 0  # cells that the sessions have executed (count)
        self._judge = ProblemJudge(engine, self._reference, conditions)
        self._last_probe: ProblemProbe | None = None  # of the problem that was asked last
        self._trials = frozenset[str]()  # of the problem that is asked

    def _session(self, path: Path, key: str = "") -> ReferenceSession:
        conditions = self._conditions
        return ReferenceSession(
            engine=self.engine,
            name=self.problemset.name,
            path=path,
            inputs=self._inputs,
            problemset=self.problemset,
            rng_seed=conditions.rng_seed,
            time_scale=conditions.time_scale,
            magics=self._magics,
            renders=conditions.renders,
            key=key,
            imports=conditions.imports,
            goes_on=conditions.goes_on,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """End all sessions, those of agents too."""
        for session in self._sessions:
            session.close()
        for candidate in self._candidates:
            candidate.close()

    @property
    def is_sound(self) -> bool:
        """Whether its sessions can be gone on with, even where the inputs folder of their start is gone."""
        return not any(session.is_gone or session.is_replayed for session in self._sessions)

    def open(self) -> None:
        """Start the sessions; from then on the inputs folder is needed only if one of them is lost.

        Raises:
            ToolkitError: If the engine failed.
        """
        for session in self._sessions:
            session.with_retry(session.open)

    def go_on_with(self, problemset: Problemset, inputs: Path | None) -> None:
        """Execute another problemset from here on, whose cells so far are the same, as are its input files."""
        assert problemset.cells[: self._passed] == self.problemset.cells[: self._passed]
        self.problemset, self._inputs = problemset, inputs
        for session in self._sessions:
            session.problemset, session.inputs = problemset, inputs

    @property
    def _sessions(self) -> tuple[ReferenceSession, ...]:
        return tuple(each for each in (self._reference, self._replay) if each is not None)

    def advance(self, cells: int) -> None:
        """Execute the first so many cells for the state alone that they leave.

        Raises:
            ToolkitError: If the engine failed.
        """
        for cell in self.problemset.cells[self._passed : cells]:
            for session in self._sessions:
                session.with_retry(partial(_executed_for_state, session, cell))
            self._passed += 1

    def tried_on_copy(self, steps: Sequence[tuple[str, CellLimits]], *, within_s: float) -> tuple[Outcome, ...]:
        """Run codes on one copy of the state that the cells so far leave, as `ReferenceSession.try_on_copy` does."""
        return self._reference.with_retry(lambda: self._reference.try_on_copy(steps, within_s))

    def cells(
        self,
        agents: Sequence[Agent | Contender] = (),
        *,
        asks: Asks = every_problem,
        upto: int | None = None,
        answers: Answers = no_answers,
        trials: Answers = no_answers,
        looks: Sequence[str] = (),
        done: Sequence[ExecutedCell] = (),
    ) -> Iterator[ExecutedCell]:
        """Execute setup cells and references in order, before each reference every answer; yield cell by cell.

        Args:
            agents: Asked one after the other, each under the conditions' policies or its own; the oracle alone is shown
                the reference code.
            asks: Which problems are asked; of them each contender is asked those that it asks for itself.
            upto: The last problem that is executed; None: every cell.
            answers: Further answers to judge.
            trials: Variations of the reference that are judged like answers, for what they tell about the problem.
            looks: Codes that look at the state after each problem, each on a copy of it.
            done: The cells that `advance` has executed, as an earlier executor yielded them: yielded again.

        Raises:
            AuthorError: If a cell of the author fails, unless such a failure is only told.
            ToolkitError: If an agent's recording or machine is at fault.
        """
        assert len(done) == self._passed
        self._histories = []
        self._candidates = [self._candidate(agent) for agent in agents]
        index = 0
        for position, cell in enumerate(self.problemset.cells, 1):
            if self._cancelled() or (upto is not None and index >= upto):
                return
            index += isinstance(cell, Problem)
            if position <= len(done):
                self._remember(cell, index, done[position - 1].outcome)
                yield done[position - 1]
                continue
            self._passed = position
            if isinstance(cell, Problem) and asks(index):
                executed = self._asked(position, index, cell, answers(index, cell), trials(index, cell))
                if executed is None:
                    return
            else:
                executed = self._unasked(position, index, cell)
            yield replace(executed, looks=self._looked(cell, looks)) if looks else executed

    def _looked(self, cell: Cells, codes: Sequence[str]) -> tuple[Outcome, ...]:
        session = self._reference
        if not isinstance(cell, Problem) or session.lost:
            return ()
        return session.with_retry(lambda: tuple(session.attempt(code, cell, names=()) for code in codes))

    def _candidate(self, given: Agent | Contender) -> Candidate:
        own, conditions = None, self._conditions
        if not isinstance(given, Contender):
            given = Contender(
                *(given, conditions.policies, conditions.max_attempts, conditions.rounds),
                wording=conditions.wording,
                recorded=conditions.recorded,
            )
        if given.policies.has_own_state:
            seed = self._conditions.rng_seed
            own = AgentSession(self.engine, self.problemset, self._inputs, rng_seed=seed, magics=self._magics)
        return Candidate(
            given.agent,
            given.policies,
            self._history_in(given.wording),
            own,
            max_attempts=given.max_attempts,
            executions=conditions.executions,
            rounds=given.rounds,
            recorded=given.recorded,
            asks=given.asks,
            answered=given.answered,
        )

    def _history_in(self, wording: Callable[[Problem], str]) -> ReferenceHistory:
        """Return the history in which problems are worded so; agents that are asked alike share it."""
        for history in self._histories:
            if history.wording == wording:
                return history
        made = ReferenceHistory(self.problemset, self._inputs, self._conditions.epoch, wording=wording)
        self._histories.append(made)
        return made

    def _leave_gaps(self) -> None:
        for history in self._histories:
            history.has_gaps = True

    def _unasked(self, position: int, index: int, cell: Cells) -> ExecutedCell:
        """Execute a cell that is not asked: a setup cell, or a problem that was judged before."""
        outcome = self._advanced(self._reference, cell)
        if outcome is None:
            self._leave_gaps()
        if self._replay is not None:
            self._advanced(self._replay, cell)
        self._remember(cell, index, outcome)
        return self._told(position, index, cell, outcome)

    def _advanced(self, session: ReferenceSession, cell: Cells) -> Outcome | None:
        try:
            return session.with_retry(lambda: self._executed(session, cell))
        except EngineFailedError as failure:
            _log.warning("event=cell_lost problemset=%s cause=%s", self.problemset.name, failure)
            session.skip(cell)
            return None

    def _executed(self, session: ReferenceSession, cell: Cells) -> Outcome:
        """Execute a cell; where references are judged, as if it were asked, so that outcomes can be compared."""
        if not self._conditions.replays or not isinstance(cell, Problem):
            return session.advance(cell)
        if session is not self._reference:
            return _executed_for_state(session, cell)
        probe = self._probe(0, cell)
        return session.advance(cell, names=probe.names, probes=probe.probes)

    def _remember(self, cell: Cells, index: int, outcome: Outcome | None) -> None:
        if outcome is not None:
            for history in self._histories:
                history.remember(cell, index, outcome)
        for candidate in self._candidates:
            if isinstance(cell, Problem):
                self._pass(candidate, index, cell, outcome)
            elif outcome is not None:
                with self._logged("pass"):
                    candidate.pass_setup(cell, outcome)

    def _pass(self, candidate: Candidate, index: int, problem: Problem, outcome: Outcome | None) -> None:
        with self._logged("pass"):
            candidate.pass_problem(index, problem, outcome)

    def _asked(
        self, position: int, index: int, problem: Problem, given: Sequence[str], trials: Sequence[str]
    ) -> ExecutedCell | None:
        """Ask and judge one problem; None when the work was cancelled meanwhile."""
        codes, self._trials = (*given, *trials), frozenset(trials)
        candidates = [] if self._reference.lost else self._candidates
        asked = [each for each in candidates if each.asks(index)]
        talks = [ProblemAttempts(each, index, problem, self._reference, each.mark()) for each in asked]
        for talk in talks:
            if not talk.candidate.is_live:
                talk.submission()
        by_turns = any(candidate.max_attempts > 1 or candidate.is_live for candidate in self._candidates)
        judge = self._judge_by_turns if by_turns else self._judge_at_once
        outcome: Outcome | None = None
        try:
            outcome, attempts, answers = self._reference.with_retry(lambda: judge(talks, index, problem, codes))
            for history in self._histories:
                history.remember(problem, index, outcome)
        except EngineFailedError as failure:
            if self._cancelled():
                return None
            _log.warning("event=not_judged problemset=%s index=%d cause=%s", self.problemset.name, index, failure)
            self._reference.skip(problem)
            self._leave_gaps()
            lost = not_judged(failure.what)
            attempts = [[AttemptResult(talk.candidate.name, talk.known_submission(), None, lost)] for talk in talks]
            answers = [JudgedAnswer(code, lost) for code in codes]
        settled = [
            each
            for talk, made in zip(talks, attempts, strict=True)
            for each in (*made[:-1], self._settled(talk, made[-1], outcome))
        ]
        for candidate in candidates:
            if not candidate.asks(index):
                self._pass(candidate, index, problem, outcome)
        told = self._told(position, index, problem, outcome)
        replayed = self._replayed(problem, outcome) if self._replay is not None else None
        judged, tried = tuple(answers[: len(given)]), tuple(answers[len(given) :])
        return replace(told, is_asked=True, attempts=tuple(settled), answers=judged, trials=tried, replayed=replayed)

    def _told(self, position: int, index: int, cell: Cells, outcome: Outcome | None) -> ExecutedCell:
        is_problem = isinstance(cell, Problem)
        return ExecutedCell(
            problemset=self.problemset.name,
            position=position,
            cell=cell,
            index=index if is_problem else 0,
            problem_id=problem_id(self.problemset, index) if is_problem else "",
            outcome=outcome,
            epoch=self._conditions.epoch,
        )

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
            if not self._cancelled():
                _log.warning("event=%s_failed problemset=%s cause=%s", event, self.problemset.name, error)

    def _probe(self, index: int, problem: Problem) -> ProblemProbe:
        """Return what the problem's validators want to know; where faults are told, one of theirs is kept."""
        self._judge.fault = None
        probe = ProblemProbe(index, problem, wanted_names(resolve_validators(problem)), ())
        if self._reference.lost:
            return probe
        try:
            return replace(probe, probes=self._reference.probes(problem))
        except AuthorError as error:
            if not self._conditions.goes_on or error.cause is None:
                raise
            self._judge.fault = error.cause
            return probe

    def _judge_at_once(
        self, talks: Sequence[ProblemAttempts], index: int, problem: Problem, codes: Sequence[str]
    ) -> tuple[Outcome, list[list[AttemptResult]], list[JudgedAnswer]]:
        """Run every only attempt before the reference, so that none can have seen it."""
        session = self._reference
        probe = self._last_probe = self._probe(index, problem)
        outcomes = [talk.run_once(session, probe) for talk in talks]
        tried = self._tried(codes, probe)
        reference = session.advance(problem, names=probe.names, probes=probe.probes)
        self._judge.look_for_fault(problem, reference)
        attempts = [
            [
                AttemptResult(
                    talk.candidate.name,
                    talk.submission(),
                    outcome,
                    self._judge.verdict_on(talk, reference, talk.submission(), outcome),
                )
            ]
            for talk, outcome in zip(talks, outcomes, strict=True)
        ]
        answers = [
            JudgedAnswer(code, self._judge.judged(problem, reference, outcome), outcome)
            for code, outcome in zip(codes, tried, strict=False)
        ]
        return reference, attempts, answers

    def _judge_by_turns(
        self, talks: Sequence[ProblemAttempts], index: int, problem: Problem, codes: Sequence[str]
    ) -> tuple[Outcome, list[list[AttemptResult]], list[JudgedAnswer]]:
        """Judge every attempt before the next one is asked for, by a reference that ran on a fork of its own."""
        if not codes and all(talk.candidate.own is not None for talk in talks):
            return self._judge_beside(talks, index, problem)
        probe = self._last_probe = self._probe(index, problem)
        expected = self._reference.dry_execute(problem, names=probe.names, probes=probe.probes)
        self._judge.look_for_fault(problem, expected)
        attempts = []
        for talk in talks:
            judge = partial(self._judge.verdict_on, talk, expected)
            attempts.append(talk.run_attempts(self._reference, probe, judge))
        tried = zip(codes, self._tried(codes, probe), strict=False)
        answers = [JudgedAnswer(code, self._judge.judged(problem, expected, left), left) for code, left in tried]
        return self._reference.advance(problem), attempts, answers

    def _judge_beside(
        self, talks: Sequence[ProblemAttempts], index: int, problem: Problem
    ) -> tuple[Outcome, list[list[AttemptResult]], list[JudgedAnswer]]:
        """Judge agents on states of their own while the reference runs in its session, which they cannot see.

        A second try, and a run without a core to spare, does one after the other: each has a limit of time.
        """
        probe = self._last_probe = self._probe(index, problem)
        advance = partial(self._reference.advance, problem, names=probe.names, probes=probe.probes)
        with ThreadPoolExecutor(1) as beside:
            running = beside.submit(advance)
            if self._reference.is_second_try or not self._conditions.has_spare_core:
                running.result()

            @cache
            def expected() -> Outcome:
                reference = running.result()
                self._judge.look_for_fault(problem, reference)
                return reference

            def judge(talk: ProblemAttempts, submission: Submission, outcome: Outcome | None) -> Judged:
                return self._judge.verdict_on(talk, expected(), submission, outcome)

            attempts = [talk.run_attempts(self._reference, probe, partial(judge, talk)) for talk in talks]
            return expected(), attempts, []

    def _tried(self, codes: Sequence[str], probe: ProblemProbe) -> list[Outcome | None]:
        """Run further answers; trials end with the first that is dear, or that does not come to its end."""
        session, found = self._reference, list[Outcome | None]()
        for code in codes:
            is_trial = code in self._trials
            outcome = None if session.lost else self._attempt(code, probe, has_control=not is_trial)
            found.append(outcome)
            if is_trial and (outcome is None or _was_dear(outcome)):
                break
        return found

    def _attempt(self, code: str, probe: ProblemProbe, *, has_control: bool) -> Outcome:
        names, probes = probe.names, probe.probes
        return self._reference.attempt(code, probe.problem, names=names, probes=probes, has_control=has_control)

    def _replayed(self, problem: Problem, reference: Outcome | None) -> Judged:
        """Judge the reference as a submission under other random states: with more than one answer it is none."""
        assert self._replay is not None
        session, lost = self._replay, ""
        replayed: Outcome | None = None
        try:
            replayed = session.with_retry(lambda: self._repeat(session, problem))
        except EngineFailedError as failure:
            session.skip(problem)
            lost = failure.what
        if reference is None or (replayed is None and not session.lost):
            return not_judged(lost or "the reference was not executed")
        if reference.ending is Ending.TIMED_OUT:
            return Judged(Verdict.TIMEOUT, reason=missed_limit(problem))
        if reference.error is not None:
            broken = reference.error.name in ("SyntaxError", "IndentationError", "TabError")
            reason = f"{reference.error.name}: {reference.error.message}"
            return Judged(Verdict.SYNTAX_ERROR if broken else Verdict.CRASH, reason=reason)
        judged = self._judge.judged(problem, reference, replayed, lost=session.lost)
        is_late = judged.verdict is Verdict.TIMEOUT and replayed is not None and replayed.ending is Ending.TIMED_OUT
        return replace(judged, reason=missed_limit(problem)) if is_late else judged

    def _repeat(self, session: ReferenceSession, problem: Problem) -> Outcome | None:
        if session.lost:
            return None
        probe = self._last_probe
        assert probe is not None
        replayed = session.attempt(problem.code, problem, names=probe.names, probes=probe.probes, has_control=False)
        session.advance(problem, names=probe.names)
        return replayed


def _was_dear(trial: Outcome) -> bool:
    """Return whether further trials like this one would take too long."""
    return trial.ending not in _ENDED or trial.seconds > LONG_TRIAL_S or trial.engine != "fork"


def _executed_for_state(session: ReferenceSession, cell: Cells) -> Outcome:
    names = wanted_names(resolve_validators(cell)) if isinstance(cell, Problem) else ()
    return session.advance(cell, names=names)
