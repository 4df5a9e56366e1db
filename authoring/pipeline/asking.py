"""Ask the reference agent of a dry run, and see to it that a failing model does not hold up the rest."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from evaluator.agents import Agent, AgentFailure, FailureKind, Submission, SubmissionStatus
from evaluator.errors import ToolkitError
from evaluator.language import Problem, Problemset, SetupCell
from evaluator.running import ReferenceHistory
from evaluator.scoring import Judged, Verdict
from evaluator.session import Outcome


@dataclass(frozen=True)
class AgentReply:
    """What came of asking: code to run, or a verdict without a run."""

    code: str = ""
    verdict_without_run: Judged | None = None


@dataclass
class Asker:
    """Agents (one, or the samples of one) going through one problemset on the reference's state and history.

    After the first failure of the model's endpoint none is asked again: every further problem would wait for it.
    """

    agents: Sequence[Agent]
    problemset: Problemset
    inputs: Path | None
    _history: ReferenceHistory = field(init=False)
    _broken: str = ""

    def __post_init__(self) -> None:
        self._history = ReferenceHistory(self.problemset, self.inputs)
        for agent in self.agents:
            agent.start(self._history.session_info)

    def ask(self, number: int, problem: Problem) -> tuple[AgentReply, ...]:
        """Ask each agent for a submission to problem `number` (from 1)."""
        return tuple(self._ask(agent, number, problem) for agent in self.agents)

    def _ask(self, agent: Agent, number: int, problem: Problem) -> AgentReply:
        submission = self._submission(agent, number, problem)
        if submission.error and submission.error.kind is FailureKind.INFRA:
            self._broken = self._broken or submission.error.message
            return AgentReply(verdict_without_run=Judged(Verdict.NOT_JUDGED, reason=submission.error.message))
        return AgentReply(code=submission.code)

    def _submission(self, agent: Agent, number: int, problem: Problem) -> Submission:
        if self._broken:
            return _lost(f"not asked after an earlier failure: {self._broken}")
        try:
            return agent.solve(self._history.request(number, problem, agent.describe()))
        except ToolkitError as error:
            return _lost(str(error))

    def remember(self, cell: SetupCell | Problem, number: int, outcome: Outcome) -> None:
        """Put an executed cell (problem `number`, or a setup cell) into the history that later requests show."""
        self._history.remember(cell, number, outcome)


def _lost(reason: str) -> Submission:
    failure = AgentFailure(FailureKind.INFRA, reason)
    return Submission(code="", status=SubmissionStatus.ERROR, error=failure)
