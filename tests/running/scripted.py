"""An agent that answers from a script, and how its answers to one problemset are judged."""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from evaluator.agents import Agent, AgentCard, SessionInfo, SolveRequest, Submission, SubmissionStatus, Tools
from evaluator.language import LoadedSet, load_problemset
from evaluator.running import Conditions, ExecutedCell, Policies, PriorAnswer, score_problemset
from evaluator.running.execution.executed_cell import Contender
from evaluator.session import Engine

REFERENCE = Policies()
Solve = Callable[[SolveRequest, Tools], str | Submission]


class Scripted:
    """Answers by problem and attempt and then gives up, or by a function; remembers what it was asked."""

    def __init__(self, *answers: str | Sequence[str], solve: Solve | None = None, **card: Any) -> None:
        self._answers = [(each,) if isinstance(each, str) else each for each in answers]
        self._solve = solve or self._next
        self._card = AgentCard("scripted", **dict[str, Any](history=True, variables=True) | card)
        self.requests: list[SolveRequest] = []
        self.ended: list[str] = []

    def describe(self) -> AgentCard:
        return self._card

    def start(self, session: SessionInfo) -> None:
        pass

    def solve(self, request: SolveRequest, tools: Tools) -> Submission:
        self.requests.append(request)
        answer = self._solve(request, tools)
        return answer if isinstance(answer, Submission) else Submission(answer)

    def _next(self, request: SolveRequest, _tools: Tools) -> Submission:
        answers = self._answers[request.index - 1]
        if request.attempt > len(answers):
            return Submission("", SubmissionStatus.GAVE_UP)
        return Submission(answers[request.attempt - 1])

    def end(self, session_id: str) -> None:
        self.ended.append(session_id)


def loaded_set(folder: Path, text: str) -> LoadedSet:
    (folder / "set.py").write_text(text)
    return load_problemset(folder / "set.py")


def scored(
    engine: Engine,
    loaded: LoadedSet,
    *agents: Agent,
    policies: Policies = REFERENCE,
    max_attempts: int = 1,
    wanted: Collection[int] | None = None,
    answered: Mapping[int, PriorAnswer] = MappingProxyType({}),
    **conditions: Any,
) -> list[ExecutedCell]:
    """Let agents go through a problemset that its author did not break."""
    found: list[ExecutedCell] = []
    contenders = [Contender(agent, policies, max_attempts, answered=answered) for agent in agents]
    by = Conditions(**conditions)
    assert score_problemset(engine, loaded, contenders, wanted=wanted, conditions=by, on_scored=found.append) == ()
    return found


def verdicts_of(cells: Sequence[ExecutedCell]) -> list[list[str]]:
    return [[attempt.judged.verdict.value for attempt in each.attempts] for each in cells]
