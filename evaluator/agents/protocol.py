"""What an agent is told and what it gives back: text and numbers, never objects of a session."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol


@dataclass(frozen=True)
class AgentCard:
    """What an agent says about itself."""

    name: str
    version: str = "1"  # part of a run's identity: another version may not resume the run
    variables: bool = False  # whether requests shall describe the session's variables
    history: bool = False  # whether requests shall show the cells executed so far
    notes: tuple[str, ...] = ()  # what the user should know of this run's agent; no part of its identity


@dataclass(frozen=True)
class SessionInfo:
    """A problemset that is about to be asked."""

    session_id: str
    problemset: str


class CellKind(StrEnum):
    """Whether a cell of the history was asked."""

    SETUP = "setup"
    PROBLEM = "problem"


@dataclass(frozen=True)
class Cell:
    """One cell of the history that an agent sees."""

    kind: CellKind
    source: str
    problem_id: str | None = None
    query: str | None = None
    origin: str = "reference"  # reference | given (setup cells)
    status: str = "ok"  # how its execution ended
    outputs: tuple[Mapping[str, Any], ...] = ()  # shaped as in nbformat


@dataclass(frozen=True)
class Variable:
    """One variable of the session, described inside the sandbox."""

    name: str
    type: str
    text: str


@dataclass(frozen=True)
class SolveLimits:
    """What the submission may use when it is judged."""

    wall_s: float
    memory_mb: float | None = None


@dataclass(frozen=True)
class SolveRequest:
    """One problem, asked once."""

    session_id: str
    problemset: str
    problem_id: str
    index: int  # of the problem in its problemset, counts from 1
    query: str
    limits: SolveLimits
    attempt: int = 1  # counts from 1
    history: tuple[Cell, ...] = ()
    variables: tuple[Variable, ...] = ()
    files: tuple[str, ...] = ()  # names below `inputs/`


class SubmissionStatus(StrEnum):
    """How the agent's work on one problem ended; anything but OK is judged as an empty cell and never correct."""

    OK = "ok"
    GAVE_UP = "gave_up"
    REFUSED = "refused"
    ERROR = "error"


class FailureKind(StrEnum):
    """Whose failure it was: INFRA is ours and never scored, all others are the agent's."""

    INFRA = "infra"
    AGENT = "agent"
    PARSE = "parse"
    CONTEXT_LENGTH = "context_length"
    BUDGET = "budget"


@dataclass(frozen=True)
class AgentFailure:
    """Why there is no submission worth running."""

    kind: FailureKind
    message: str


@dataclass(frozen=True)
class Submission:
    """What an agent returned for one problem."""

    code: str
    status: SubmissionStatus = SubmissionStatus.OK
    usage: Mapping[str, Any] = field(default_factory=dict)  # prompt_tokens, completion_tokens, ...; absent: unknown
    labels: tuple[str, ...] = ()  # such as "unfenced" or "no-record"
    error: AgentFailure | None = None


class Agent(Protocol):
    """Turns queries into submissions. One instance serves every session of a run, from several threads at once."""

    def describe(self) -> AgentCard:
        """Return the agent's card; the same every time."""
        ...

    def start(self, session: SessionInfo) -> None:
        """Begin a session."""
        ...

    def solve(self, request: SolveRequest) -> Submission:
        """Answer one problem."""
        ...

    def end(self, session_id: str) -> None:
        """Forget a session."""
        ...
