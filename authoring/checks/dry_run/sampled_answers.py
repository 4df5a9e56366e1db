"""Answers judged beside the reference: those that a problem keeps as examples, and those sampled from an agent."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from authoring.store.dry_runs import DryRunProblem
from evaluator.agents import (
    Agent,
    AgentCard,
    AgentFailure,
    FailureKind,
    SessionInfo,
    SolveRequest,
    Submission,
    SubmissionStatus,
    Tools,
)
from evaluator.errors import ToolkitError
from evaluator.language import ExampleAnswer, Problem
from evaluator.scoring import Judged, Verdict, example_is_met, judge_submission, wanted_in_words
from evaluator.session import Ending, Engine, Outcome


@dataclass(frozen=True)
class KeptAnswer:
    """One example and how it is judged now."""

    example: ExampleAnswer
    judged: Judged

    @property
    def holds(self) -> bool:
        """Whether it gets the verdict that it must get."""
        return example_is_met(self.example, self.judged.verdict)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            **{"side": self.example.side, "position": self.example.position, "code": self.example.code},
            **{"where": self.example.where, "wanted": wanted_in_words(self.example)},
            **{"verdict": self.judged.verdict.value, "reason": self.judged.reason, "holds": self.holds},
            "validation": self.judged.validation,
        }


def misjudged_examples(rows: Sequence[DryRunProblem]) -> list[dict[str, Any]]:
    """Return the examples that did not get their verdict; those that nobody could judge are the machine's fault."""
    return [
        {"index": row.index, "problem_id": row.problem_id}
        | {name: kept[name] for name in ("where", "wanted", "verdict", "reason")}
        for row in rows
        for kept in row.examples
        if not kept["holds"] and kept["verdict"] != Verdict.NOT_JUDGED
    ]


ALONE: Final = 0
"""The cluster of an answer that was not executed, or not judged: it is equal to no other."""


@dataclass(frozen=True)
class Tried:
    """One answer to one problem."""

    code: str
    judged: Judged
    outcome: Outcome | None = field(default=None, repr=False)  # None: nothing was executed
    cluster: int = ALONE  # answers of one problem with the same number, from 1, came to the same


def clustered(engine: Engine, problem: Problem, tries: Sequence[Tried]) -> tuple[Tried, ...]:
    """Return the answers with those joined that came to the same.

    Correct answers are one cluster. Wrong ones are equal where the problem's own validators take one for the other,
    and those that raised where they raised the same exception.
    """
    heads: list[Tried] = []
    found = []
    for tried in tries:
        if tried.outcome is None or tried.judged.verdict is Verdict.NOT_JUDGED:
            found.append(tried)
            continue
        number = next((n for n, head in enumerate(heads, 1) if _same(engine, problem, head, tried)), 0)
        if not number:
            heads.append(tried)
            number = len(heads)
        found.append(replace(tried, cluster=number))
    return tuple(found)


def _same(engine: Engine, problem: Problem, one: Tried, other: Tried) -> bool:
    assert one.outcome is not None
    assert other.outcome is not None
    right = [tried.judged.verdict is Verdict.CORRECT for tried in (one, other)]
    if any(right):
        return all(right)
    endings = one.outcome.ending, other.outcome.ending
    if endings != (Ending.OK, Ending.OK):
        return endings[0] is endings[1] and _raised(one.outcome) == _raised(other.outcome)
    return judge_alike(engine, one.outcome, other.outcome, problem)


def judge_alike(engine: Engine, one: Outcome, other: Outcome, problem: Problem) -> bool:
    """Return whether the validators of a problem take one outcome for the other."""
    return judge_submission(engine, one, other, problem).verdict is Verdict.CORRECT


def _raised(outcome: Outcome) -> tuple[str, str] | None:
    return (outcome.error.name, outcome.error.message) if outcome.error else None


def sample_to_json(tried: Tried) -> dict[str, Any]:
    """Return an answer as it is stored, outputs included."""
    outcome = tried.outcome
    return {
        "code": tried.code,
        "reason": tried.judged.reason,
        "cluster": tried.cluster,
        "outputs": [dict(output) for output in outcome.outputs] if outcome else [],
        "error": outcome.error.to_json() if outcome and outcome.error else None,
    }


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

    def solve(self, request: SolveRequest, tools: Tools) -> Submission:
        """Return the agent's submission, or why there is none."""
        if self.endpoint.failure:
            return _lost(f"not asked after an earlier failure: {self.endpoint.failure}")
        try:
            submission = self.agent.solve(request, tools)
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
