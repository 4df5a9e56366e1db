"""Ask the reference agents of a dry run, and see to it that a failing model does not hold up the rest."""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluator.agents import (
    Agent,
    AgentCard,
    AgentFailure,
    FailureKind,
    SessionInfo,
    SolveRequest,
    Submission,
    SubmissionStatus,
)
from evaluator.errors import ToolkitError


@dataclass
class _Endpoint:
    """What agents that ask one endpoint know of it."""

    failure: str = ""


@dataclass
class _Guarded:
    """An agent that is not asked any more once its endpoint has failed: every further problem would wait for it."""

    agent: Agent
    endpoint: _Endpoint

    def describe(self) -> AgentCard:
        """Return the agent's card."""
        return self.agent.describe()

    def start(self, session: SessionInfo) -> None:
        """Begin a session."""
        self.agent.start(session)

    def solve(self, request: SolveRequest) -> Submission:
        """Return the agent's submission, or why there is none."""
        if self.endpoint.failure:
            return _lost(f"not asked after an earlier failure: {self.endpoint.failure}")
        try:
            submission = self.agent.solve(request)
        except ToolkitError as error:
            submission = _lost(str(error))
        if submission.error is not None and submission.error.kind is FailureKind.INFRA:
            self.endpoint.failure = submission.error.message
        return submission

    def end(self, session_id: str) -> None:
        """Forget a session."""
        self.agent.end(session_id)


def asked_until_one_fails(agents: Sequence[Agent]) -> tuple[Agent, ...]:
    """Return agents (one, or the samples of one) of which none is asked after the first failure of an endpoint."""
    endpoint = _Endpoint()
    return tuple(_Guarded(agent, endpoint) for agent in agents)


def _lost(reason: str) -> Submission:
    failure = AgentFailure(FailureKind.INFRA, reason)
    return Submission(code="", status=SubmissionStatus.ERROR, error=failure)
