"""What an agent is told and what it gives back: text and numbers, never objects of a session."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable


class Submits(StrEnum):
    """What of an agent's work is judged."""

    CODE = "code"  # the cell that it returns; what it executed before was only tried
    SESSION = "session"  # all that it executed in the live session, and the cell that it returns after that
    TEXT = "text"  # what it closes with in prose, by `final_answer`; the cell that it returns, if any, by all others


@dataclass(frozen=True)
class AgentCard:
    """What an agent says about itself."""

    name: str
    version: str = "1"  # part of a run's identity: another version may not resume the run
    submits: Submits = Submits.CODE
    variables: bool = False  # whether requests shall describe the session's variables
    encoding: str = "brief"  # how; a name of `evaluator.session.ENCODINGS` is described anew before every attempt
    history: bool = False  # whether requests shall show the cells executed so far
    files: bool = True  # whether requests shall name the files below `inputs/`
    retry: bool = True  # whether asking again after a failed attempt makes sense
    notes: tuple[str, ...] = ()  # what the user should know of this run's agent; no part of its identity
    max_sessions: int = 1  # that one process of the agent serves at a time (count, >= 1)
    asks_ahead: bool = False  # whether its first attempt rests on the request alone, so that many may wait for answers
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
    """What the submission may use when it is judged, and the agent before that."""

    wall_s: float
    memory_mb: float | None = None
    executions: int | None = None  # of code by the agent at one problem, attempts and all (count); None: no limit


class ExecutionStatus(StrEnum):
    """How the execution of some code for an agent ended."""

    OK = "ok"
    ERROR = "error"  # it raised
    TIMED_OUT = "timed_out"
    DIED = "died"  # its process ended
    OVER_LIMIT = "over_limit"


class Scope(StrEnum):
    """Where an agent's code is executed before it submits."""

    SCRATCH = "scratch"  # on a copy of the session, thrown away and never judged; one copy for each attempt
    LIVE = "live"  # in the session that is judged: only for agents that submit a session


@dataclass(frozen=True)
class ExecutionError:
    """What some code raised."""

    name: str
    message: str
    traceback: str  # without control characters


@dataclass(frozen=True)
class Execution:
    """What came of some code that an agent had executed."""

    number: int  # among the executions of the problem, from 1
    status: ExecutionStatus
    outputs: tuple[Mapping[str, Any], ...] = ()  # shaped as in nbformat
    error: ExecutionError | None = None
    seconds: float = 0.0
    truncated: bool = False  # whether something of the outputs is left out


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
    sizes: Mapping[str, int] = field(default_factory=dict)  # of these files (bytes)
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


class ToolRefusedError(Exception):
    """The harness does not do what an agent asks for; the text says why."""


class BudgetSpentError(ToolRefusedError):
    """The executions that a problem allows are used up."""


class CapabilityOffError(ToolRefusedError):
    """This run does not grant it."""


class SessionDeadError(ToolRefusedError):
    """The session is lost, by no fault of the agent."""


class Tools(Protocol):
    """What an agent may ask of the harness while it solves one problem, and only then."""

    def execute(self, code: str, *, scope: Scope = Scope.SCRATCH, timeout_s: float | None = None) -> Execution:
        """Execute code in the session's present state.

        Args:
            code: Of one cell.
            scope: Scratch executions build on one another, and are thrown away at the next live one and at the end.
            timeout_s: What it may take (s, finite, >= 0); None, and whatever is more: the limit of the problem.

        Raises:
            BudgetSpentError: If the problem's executions are used up.
            CapabilityOffError: If the run does not grant it.
            SessionDeadError: If the session is lost.
            ToolRefusedError: If `timeout_s` is no time.
        """
        ...

    def inspect(self, encoding: str, names: Sequence[str] | None = None) -> tuple[Variable, ...]:
        """Return the session's variables as an encoding describes them.

        Args:
            encoding: "brief", or one of `evaluator.session.ENCODINGS`.
            names: Of the variables; None: all.

        Raises:
            BudgetSpentError: If the problem's descriptions are used up; "brief" costs none.
            CapabilityOffError: If there is no such encoding.
            SessionDeadError: If the session is lost.
        """
        ...

    def progress(self, text: str) -> None:
        """Tell what the agent is at; for the log."""
        ...


@runtime_checkable
class SupportsBeginAnew(Protocol):
    """Tools of an attempt that can be tried again, where no fault of the agent's spoiled the try before."""

    def begin_anew(self, *, gives_back: bool) -> bool:
        """Throw away what was executed on the copy of the session.

        Args:
            gives_back: Whether the executions and descriptions of the try are the problem's again.

        Returns:
            False if something was executed in the session that is judged, which cannot be taken back.
        """
        ...


class NoTools:
    """Grants nothing: where nothing is executed while agents are asked."""

    def execute(self, code: str, *, scope: Scope = Scope.SCRATCH, timeout_s: float | None = None) -> Execution:
        """Refuse."""
        del code, scope, timeout_s
        raise CapabilityOffError("nothing is executed while agents are asked here")

    def inspect(self, encoding: str, names: Sequence[str] | None = None) -> tuple[Variable, ...]:
        """Refuse."""
        del encoding, names
        raise CapabilityOffError("there is no session while agents are asked here")

    def progress(self, text: str) -> None:
        """Tell nobody."""


class Agent(Protocol):
    """Turns queries into submissions. One instance serves every session of a run, from several threads at once."""

    def describe(self) -> AgentCard:
        """Return the agent's card; the same every time."""
        ...

    def start(self, session: SessionInfo) -> None:
        """Begin a session."""
        ...

    def solve(self, request: SolveRequest, tools: Tools, /) -> Submission:
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
