"""What an agent is told and what it gives back: text and numbers, never objects of a session."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable


@dataclass(frozen=True)
class AgentCard:
    """What an agent says about itself."""

    name: str
    version: str = "1"  # part of a run's identity: another version may not resume the run
    variables: bool = False  # whether requests shall describe the session's variables
    history: bool = False  # whether requests shall show the cells executed so far
    retry: bool = True  # whether asking again after a failed attempt makes sense
    notes: tuple[str, ...] = ()  # what the user should know of this run's agent; no part of its identity
    isolation: str = ""  # what keeps foreign code of the agent apart: in-process, child-process; empty: it has none


@dataclass(frozen=True)
class SessionInfo:
    """A problemset that is about to be asked."""

    session_id: str  # another one in every epoch
    problemset: str
    epoch: int = 1  # which independent pass, counts from 1


class CellKind(StrEnum):
    """Whether a cell of the history was asked."""

    SETUP = "setup"
    PROBLEM = "problem"


@dataclass(frozen=True)
class HistoryCell:
    """One cell of the history that an agent sees."""

    kind: CellKind
    source: str
    problem_id: str | None = None
    query: str | None = None
    origin: str = "reference"  # reference | agent | correction (the reference after the agent) | given (setup cells)
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
class Feedback:
    """What an agent may know of its last attempt; None: not granted, or (an error) there was none.

    Texts that code wrote keep their first and last 5,000 characters, without control characters.
    """

    code: str  # of that attempt
    error: str | None = None  # the traceback, or how else the code ended
    output: str | None = None  # what was printed, and the last value as it was shown
    hint: str | None = None  # verdict and reason; may name expected values


@dataclass(frozen=True)
class SolveRequest:
    """One attempt at one problem."""

    session_id: str
    problemset: str
    problem_id: str
    index: int  # of the problem in its problemset, counts from 1
    query: str
    limits: SolveLimits
    attempt: int = 1  # counts from 1; a later one only follows an answer that was not correct
    history: tuple[HistoryCell, ...] = ()  # what was executed so far, as the run's history policy shows it
    variables: tuple[Variable, ...] = ()  # of the session before the first attempt
    files: tuple[str, ...] = ()  # names below `inputs/`
    epoch: int = 1  # which independent pass, counts from 1
    feedback: Feedback | None = None  # on the attempt before; None at the first
    starts_anew: bool = True  # whether this attempt starts where the first one did, not where the last one ended


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
    trace: tuple[Mapping[str, Any], ...] = ()  # the conversation behind it: role, content and what else is known
    answer: str | None = None  # what it closes with in prose; given up with one, the attempt before is judged with it


class Agent(Protocol):
    """Turns queries into submissions. One instance serves every session of a run, from several threads at once."""

    def describe(self) -> AgentCard:
        """Return the agent's card; the same every time."""
        ...

    def start(self, session: SessionInfo) -> None:
        """Begin a session."""
        ...

    def solve(self, request: SolveRequest) -> Submission:
        """Answer one problem; giving up at a later attempt lets the attempt before stand."""
        ...

    def end(self, session_id: str) -> None:
        """Forget a session."""
        ...


@runtime_checkable
class SupportsLoad(Protocol):
    """An agent whose code is found and imported before the first problem is asked."""

    def load(self) -> None:
        """Load it; a second call does nothing.

        Raises:
            UsageError: If there is no such code, it fails while it is imported, or it is no agent.
        """
        ...


@runtime_checkable
class SupportsClose(Protocol):
    """An agent that holds something, such as processes, which the end of its run shall free."""

    def close(self) -> None:
        """Free it; the agent is not asked again."""
        ...
