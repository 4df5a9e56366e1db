"""Agents without a model, the base of every self-test: one knows the answer, one does nothing."""

from evaluator.agents.protocol import AgentCard, SessionInfo, SolveRequest, Submission


class OracleAgent:
    """Returns the reference code. It alone is shown it, through `reveal`; correct everywhere or the set is wrong."""

    def __init__(self) -> None:
        self._revealed: dict[tuple[str, str], str] = {}  # (session id, problem id) -> reference code

    def describe(self) -> AgentCard:
        """Return the card."""
        return AgentCard(name="oracle", retry=False)

    def start(self, session: SessionInfo) -> None:
        """Begin a session."""

    def reveal(self, session_id: str, problem_id: str, reference_code: str) -> None:
        """Show the reference code of the problem that is asked next."""
        self._revealed[session_id, problem_id] = reference_code

    def solve(self, request: SolveRequest) -> Submission:
        """Return the reference code that was revealed for the problem."""
        return Submission(code=self._revealed.pop((request.session_id, request.problem_id)))

    def end(self, session_id: str) -> None:
        """Forget a session."""


class EmptyAgent:
    """Returns an empty cell. A problem that it solves asks for nothing."""

    def describe(self) -> AgentCard:
        """Return the card."""
        return AgentCard(name="empty", retry=False)

    def start(self, session: SessionInfo) -> None:
        """Begin a session."""

    def solve(self, request: SolveRequest) -> Submission:  # noqa: ARG002 - it reads nothing
        """Return an empty cell."""
        return Submission(code="")

    def end(self, session_id: str) -> None:
        """Forget a session."""
