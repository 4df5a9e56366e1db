"""One agent on its way through one problemset: what it is asked and shown, and the state its code starts from."""

import contextlib
import logging
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from evaluator.agents import (
    Agent,
    AgentCard,
    AgentFailure,
    FailureKind,
    Feedback,
    HistoryCell,
    NoTools,
    OracleAgent,
    SolveRequest,
    Submission,
    SubmissionStatus,
    Submits,
    ToolRefusedError,
    Tools,
    Variable,
)
from evaluator.errors import ToolkitError
from evaluator.language import Problem, SetupCell
from evaluator.running.execution.agent_session import AgentSession
from evaluator.running.execution.policies import BetweenAttempts, HistoryPolicy, Policies, StatePolicy
from evaluator.running.execution.problem_tools import EXECUTIONS, ProblemTools
from evaluator.running.execution.reference_history import (
    ReferenceHistory,
    follow_bound_names,
    follow_variables,
)
from evaluator.scoring import Verdict
from evaluator.scoring.grading import Expected
from evaluator.session import BRIEF, Ending, Outcome

_log = logging.getLogger(__name__)

KEPT, ROLLED_BACK, CORRECTED, CORRECTION_FAILED = "kept", "rolled-back", "corrected", "correction-failed"


_LASTING: Final = (Ending.OK, Ending.ERROR)


class Checkpoint(NamedTuple):
    """Where an agent's own session is."""

    steps: int
    variables: dict[str, Variable]


class LastAttempt(NamedTuple):
    """The attempt that counts."""

    code: str
    outcome: Outcome  # the reference's where the agent answers on the reference's state
    verdict: str


@dataclass(frozen=True)
class PriorAnswer:
    """What an agent answered to a problem that an earlier, stopped run has judged."""

    codes: tuple[str, ...]  # of its attempts, in order (one or more)
    verdict: str  # of the last one
    state_after: str = ""  # what became of the agent's own state


@dataclass
class Candidate:
    """One agent, with its own session and its own history where the policies give it any."""

    agent: Agent
    policies: Policies
    reference: ReferenceHistory
    own: AgentSession | None = None  # None: it answers on the reference's state
    max_attempts: int = 1  # at one problem (count, >= 1)
    executions: int | None = EXECUTIONS  # at one problem, before its submissions (count); None: no limit
    rounds: Callable[[Problem], int] = lambda problem: sys.maxsize  # noqa: ARG005  # the same, by the problem
    recorded: Callable[[Problem], Expected | None] = lambda problem: None  # noqa: ARG005  # for graded validators
    asks: Callable[[int], bool] = lambda index: True  # noqa: ARG005  # which problems (from 1) it is asked
    answered: Mapping[int, PriorAnswer] = field(default_factory=dict)  # before, to problems that it is not asked
    card: AgentCard = field(init=False)
    _cells: list[HistoryCell] = field(default_factory=list)  # the history with the agent's code
    _variables: dict[str, Variable] = field(default_factory=dict)  # of its own session
    _corrected_names: set[str] = field(default_factory=set)  # that corrections bound in its own session

    def __post_init__(self) -> None:
        self.card = self.agent.describe()
        self.agent.start(self.reference.session_info)

    @property
    def name(self) -> str:
        """The agent's name."""
        return self.card.name

    @property
    def is_live(self) -> bool:
        """Whether what the agent executes while it is asked is its submission."""
        return self.card.submits is Submits.SESSION

    @property
    def keeps_attempts(self) -> bool:
        """Whether an attempt starts from what the one before left: so do the executions of a submitted session."""
        return self.is_live or self.policies.between_attempts is BetweenAttempts.KEPT

    def ask(
        self,
        index: int,
        problem: Problem,
        attempt: int = 1,
        feedback: Feedback | None = None,
        tools: ProblemTools | None = None,
    ) -> Submission:
        """Ask for a submission. What an agent raises is its answer: an empty cell with the cause.

        Args:
            index: Of the problem, from 1.
            problem: The problem.
            attempt: Counts from 1.
            feedback: On the attempt before; None at the first.
            tools: Of this attempt; None: nothing is executed for the agent.

        Raises:
            ToolkitError: If the agent itself says so: its recording or its machine is at fault.
        """
        request = self.request(index, problem, attempt, feedback, tools)
        submission = self._asked(request, problem, tools or NoTools())
        if tools is None:
            return submission
        if tools.lost:
            failure = AgentFailure(FailureKind.INFRA, tools.lost)
            return Submission(code="", status=SubmissionStatus.ERROR, error=failure)
        return replace(submission, usage={**submission.usage, **tools.usage()})

    def request(
        self,
        index: int,
        problem: Problem,
        attempt: int = 1,
        feedback: Feedback | None = None,
        tools: ProblemTools | None = None,
    ) -> SolveRequest:
        """Return what the agent is asked, with variables described as its card says; arguments are those of `ask`."""
        request = self._request(index, problem, attempt, feedback)
        if self.card.variables and self.card.encoding != BRIEF and tools is not None:
            with contextlib.suppress(ToolRefusedError):  # in one line each, then
                return replace(request, variables=tools.inspect(self.card.encoding))
        return request

    def _asked(self, request: SolveRequest, problem: Problem, tools: Tools) -> Submission:
        if isinstance(self.agent, OracleAgent):
            self.agent.reveal(request.session_id, request.problem_id, problem.code)
        try:
            submission = self.agent.solve(request, tools)
        except ToolkitError:
            raise
        except Exception as error:  # noqa: BLE001 - an agent is a boundary: its faults never end a run
            _log.exception("event=agent_raised problemset=%s index=%d", request.problemset, request.index)
            failure = AgentFailure(FailureKind.AGENT, f"{type(error).__name__}: {error}")
            return Submission(code="", status=SubmissionStatus.ERROR, error=failure)
        if submission.status is SubmissionStatus.OK:
            return submission
        return replace(submission, code="")

    def _request(self, index: int, problem: Problem, attempt: int, feedback: Feedback | None) -> SolveRequest:
        request = self.reference.request(index, problem, self.card)
        if self.card.history and self.policies.history is HistoryPolicy.OWN:
            request = replace(request, history=tuple(self._cells))
        if self.card.variables and self.own is not None:
            request = replace(request, variables=tuple(self._variables.values()))
        limits = replace(request.limits, executions=self.executions)
        anew = attempt == 1 or not self.keeps_attempts
        return replace(request, attempt=attempt, feedback=feedback, starts_anew=anew, limits=limits)

    def known_variables(self, names: Sequence[str] | None = None) -> tuple[Variable, ...]:
        """Return the variables that the agent's code will find, in one line each."""
        known = self._variables if self.own is not None else self.reference.variables
        return tuple(variable for variable in known.values() if names is None or variable.name in names)

    def protected_names(self) -> frozenset[str] | None:
        """Return the names that the next submission must leave alone unless the reference changes them, too.

        Those are the names that setup cells made and, where reference code made the state, the names that it made.
        Who made a name is told by the reference's session, which no agent's code can reach.

        Returns:
            None for all names that there are before the submission runs.
        """
        if self.reference.has_gaps:
            return None
        if self.own is not None:
            return frozenset((self.reference.setup_names | self._corrected_names) & self.reference.variables.keys())
        return frozenset(self.reference.variables) if self.keeps_attempts else None

    def pass_setup(self, cell: SetupCell, reference: Outcome) -> None:
        """Let a setup cell run on the agent's own state, too, and remember it.

        Raises:
            ToolkitError: If the engine failed.
        """
        outcome = (self.own.set_up(cell) if self.own else None) or reference
        self._remember(self.reference.executed_cell(cell, 0, outcome), outcome)

    def pass_problem(self, index: int, problem: Problem, reference: Outcome | None) -> None:
        """Go past a problem that is not asked: repeat what the agent answered before, else what the reference does.

        Args:
            index: Of the problem, from 1.
            problem: The problem.
            reference: What the reference code left; None: lost, so that nothing but an earlier answer can be repeated.

        Raises:
            ToolkitError: If the engine failed.
        """
        answered = self.answered.get(index)
        if answered is None:
            if reference is None:
                return
            outcome = self.own.correct(problem) if self.own else reference
            self._follow_correction(outcome, reference)
            self._remember(self.reference.executed_cell(problem, index, outcome), outcome)
            return
        reference = reference or Outcome(Ending.ENGINE_ERROR, problem.code)
        mark, outcome = self.mark(), reference
        if self.own is not None:
            for code in _lasting_codes(answered, self.policies, keeps_attempts=self.keeps_attempts):
                outcome = self.own.answer(code, problem)
        last = LastAttempt(answered.codes[-1], outcome, answered.verdict)
        self.settle(index, problem, last, mark, reference)

    def mark(self) -> Checkpoint:
        """Return where the agent's own state is now."""
        return Checkpoint(self.own.state.mark() if self.own else 0, dict(self._variables))

    def rewind(self, mark: Checkpoint) -> None:
        """Go back to where the agent's own state was."""
        if self.own is not None:
            self.own.state.roll_back(mark.steps)

    def settle(self, index: int, problem: Problem, attempt: LastAttempt, mark: Checkpoint, reference: Outcome) -> str:
        """Remember a judged problem, and correct the agent's own state where the policy says so.

        Args:
            index: Of the problem, from 1.
            problem: The problem.
            attempt: The last one.
            mark: Where the agent's own state was before the problem.
            reference: What the reference code left in the reference's session.

        Returns:
            What became of the agent's own state; empty where it has none.
        """
        cell = self.reference.executed_cell(problem, index, attempt.outcome)
        self._remember(replace(cell, source=attempt.code, origin="agent"), attempt.outcome)
        if self.own is None:
            return ""
        follow_bound_names(self._corrected_names, reference, adds=False)
        on_failure = self.policies.state is StatePolicy.CORRECTED_ON_FAILURE
        if self.policies.state is StatePolicy.OWN or (on_failure and attempt.verdict == Verdict.CORRECT):
            return KEPT if attempt.outcome.ending in _LASTING else ROLLED_BACK
        if on_failure:
            self.rewind(mark)
            self._variables = dict(mark.variables)
        corrected = self.own.correct(problem)
        self._follow_correction(corrected, reference)
        cell = self.reference.executed_cell(problem, index, corrected)
        self._remember(replace(cell, origin="correction"), corrected)
        return CORRECTED if corrected.ending is Ending.OK else CORRECTION_FAILED

    def _follow_correction(self, corrected: Outcome, reference: Outcome) -> None:
        """Count the names that the reference code made in the agent's own session as the reference's."""
        follow_bound_names(self._corrected_names, reference, adds=corrected.ending is Ending.OK)

    def _remember(self, cell: HistoryCell, outcome: Outcome) -> None:
        self._cells.append(cell)
        follow_variables(self._variables, outcome)

    def close(self) -> None:
        """End the agent's session, for it and for us."""
        if self.own is not None:
            self.own.close()
        self.agent.end(self.reference.session_info.session_id)


def _lasting_codes(answered: PriorAnswer, policies: Policies, *, keeps_attempts: bool) -> Sequence[str]:
    """Return the attempts whose effects the problem left in the agent's own state, before any correction."""
    if policies.state is StatePolicy.CORRECTED_ON_FAILURE and answered.verdict != Verdict.CORRECT:
        return ()
    codes = answered.codes if keeps_attempts else answered.codes[-1:]
    return codes[:-1] if answered.state_after == ROLLED_BACK else codes
