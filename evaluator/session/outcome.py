"""What one executed cell left behind, as the host sees it: capped material to show and an opaque payload to judge."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, NamedTuple

from evaluator.session.variable_encoding import VariableEncoding


class Ending(StrEnum):
    """How the execution of one cell ended; decided by the host's clock, wait status and pipes, never by the payload."""

    OK = "ok"
    ERROR = "error"  # an exception left the cell, SystemExit too
    DIED = "died"
    TIMED_OUT = "timed_out"
    OVER_LIMIT = "over_limit"
    BAD_REPORT = "bad_report"
    ENGINE_ERROR = "engine_error"  # an infrastructure error: never counts as a wrong answer


ENDING_WORDS: Final[Mapping[Ending, str]] = {
    Ending.OK: "the code ran to its end",
    Ending.ERROR: "the code stopped with an exception",
    Ending.DIED: "the process died",
    Ending.TIMED_OUT: "the code ran out of time",
    Ending.OVER_LIMIT: "the code went over a limit",
    Ending.BAD_REPORT: "the process reported nothing that can be read",
    Ending.ENGINE_ERROR: "the engine failed",
}
"""What each ending means, as a clause; the app, the reasons of verdicts and what agents are told say the same."""


@dataclass(frozen=True)
class CellLimits:
    """What one cell may use."""

    wall_s: float = 1.0
    memory_mb: float | None = None  # None: the engine's default
    forbid_names: tuple[str, ...] = ()  # variables hidden behind a dummy while the cell runs
    magics: bool = True  # IPython's, shell lines and awaits outside functions; without, they are syntax errors
    renders: bool = True  # whether the cell's last value is also rendered for people, as a notebook does
    withheld_names: tuple[str, ...] = ()  # of the forbidden ones: those whose values an attempt's process gives up


DEFAULT_LIMITS: Final = CellLimits()


@dataclass(frozen=True)
class Probe:
    """What is tried with what a cell left behind, in a fork of its process. It never holds expected values."""

    header: Mapping[str, Any]  # `kind` and what that kind needs; plain JSON
    data: bytes | None = field(default=None, repr=False)  # inputs, written by the codec
    limit_s: float = 60.0  # wall time of the whole probe


class ProbeEnding(StrEnum):
    """How a probe ended, by the host's own observation."""

    OK = "ok"
    DIED = "died"
    TIMED_OUT = "timed_out"
    MISSING = "missing"  # it was not asked: the cell's process was gone


@dataclass(frozen=True)
class ProbeAnswer:
    """What a probe reported; opaque to the host."""

    ending: ProbeEnding
    data: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True)
class CaptureSpec:
    """What the cell's payload shall hold besides its last value, its error and the namespace diff."""

    names: tuple[str, ...] = ()  # variables whose values are asked for
    infer: bool = False  # also what a cell without a last value would have shown
    probes: tuple[Probe, ...] = ()  # tried in order once the payload is there
    figures: bool = False  # also facts and pictures of the figures that are open after the cell
    files: tuple[str, ...] = ()  # also the content of these files, by paths in the working folder
    encoding: VariableEncoding | None = None  # how variables are described; None: in one line each
    described: tuple[str, ...] | None = None  # names of those that are, where there is an encoding; None: all


NO_CAPTURE: Final = CaptureSpec()


@dataclass(frozen=True)
class VariableView:
    """One variable after the cell, described inside the sandbox. Hostile text: escape it."""

    name: str
    type: str
    text: str  # short: shape and columns of tables, text of small scalars
    change: str  # added | updated | replaced | unchanged | deleted

    def to_json(self) -> dict[str, str]:
        """Return plain JSON values."""
        return {"name": self.name, "type": self.type, "text": self.text, "change": self.change}


class Watched(NamedTuple):
    """A variable of a state that lives on. Each state is a digest; empty: there is no such variable."""

    name: str
    known: str  # as the session said that the state was forked from, or the report before
    found: str  # by the cell
    left: str  # by the cell


@dataclass(frozen=True)
class ErrorView:
    """The exception that left the cell. Hostile text: escape it."""

    name: str  # class name, such as "KeyError"
    message: str
    traceback: str  # as a terminal shows it, without colour codes

    def to_json(self) -> dict[str, str]:
        """Return plain JSON values."""
        return {"name": self.name, "message": self.message, "traceback": self.traceback}


@dataclass(frozen=True)
class Outcome:
    """What one cell left behind."""

    ending: Ending
    source: str
    seconds: float = 0.0  # wall time by the host's clock, from the moment the code could run
    limits_hit: tuple[str, ...] = ()  # time | memory | output | displays | processes | files | cpu
    marks: tuple[str, ...] = ()  # what in it deserves a person's look (`MARKS` in inside/suspicion.py); never a verdict
    outputs: tuple[Mapping[str, Any], ...] = ()  # shaped as in nbformat: stream, display_data, execute_result, error
    error: ErrorView | None = None
    variables: tuple[VariableView, ...] = ()
    payload: bytes | None = field(default=None, repr=False)  # only the comparator reads it
    capture: CaptureSpec = NO_CAPTURE  # what the payload was asked to hold
    answers: tuple[ProbeAnswer, ...] = field(default=(), repr=False)  # one per probe; only the comparator reads them
    watched: tuple[Watched, ...] = ()  # what it says of variables that were there before an agent's code ran
    engine: str = "fork"  # fork | replay: which kind of session ran it

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values without the payload."""
        return {
            "ending": self.ending.value,
            "source": self.source,
            "seconds": self.seconds,
            "limits_hit": list(self.limits_hit),
            "marks": list(self.marks),
            "outputs": [dict(output) for output in self.outputs],
            "error": None if self.error is None else self.error.to_json(),
            "variables": [variable.to_json() for variable in self.variables],
        }
