"""An agent that solves nothing: it guesses, hands back what is there, and lies. It must score 0 everywhere."""

from evaluator.agents.protocol import AgentCard, SessionInfo, SolveRequest, Submission
from evaluator.agents.tricks import TRICKS
from evaluator.errors import UsageError
from evaluator.registry import nearest_name


class CheatAgent:
    """Plays one trick, or all of them in turn.

    In turn means: problem by problem, attempt by attempt, the next trick of the table, so that a run is the same
    every time. To play every trick on every problem, give `cheat_agents()` to one pass.
    """

    def __init__(self, trick: str | None = None) -> None:
        if trick is not None and trick not in TRICKS:
            near = nearest_name(trick, list(TRICKS))
            fix = f"did you mean {near!r}?" if near else f"use one of: {', '.join(TRICKS)}"
            raise UsageError(f"agent 'cheat' knows no trick {trick!r}", fix=fix)
        self._trick = trick

    def describe(self) -> AgentCard:
        """Return the card."""
        name = "cheat" if self._trick is None else f"cheat:{self._trick}"
        return AgentCard(name=name, variables=True, history=True)

    def start(self, session: SessionInfo) -> None:
        """Begin a session."""

    def solve(self, request: SolveRequest) -> Submission:
        """Return the code of a trick, labelled with its name."""
        names = tuple(TRICKS)
        trick = self._trick or names[(request.index + request.attempt - 2) % len(names)]
        return Submission(code=TRICKS[trick](request), labels=(trick,))

    def end(self, session_id: str) -> None:
        """Forget a session."""


def cheat_agents() -> tuple[CheatAgent, ...]:
    """Return an agent for every trick."""
    return tuple(CheatAgent(trick) for trick in TRICKS)
