"""What a session holds and what an agent sees before each problem, and what it is told between its attempts."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, Final

from evaluator.agents import Feedback
from evaluator.errors import UsageError
from evaluator.scoring import Judged
from evaluator.session import ENDING_WORDS, Ending, Outcome


class StatePolicy(StrEnum):
    """What the session holds before each problem."""

    REFERENCE = "reference"  # what setup cells and reference code left
    OWN = "own"  # what setup cells and the agent's own earlier code left
    CORRECTED_ON_FAILURE = (
        "corrected-on-failure"  # own; a failed problem is rolled back, the reference code runs instead
    )
    CORRECTED_ALWAYS = "corrected-always"  # own; the reference code runs on top after every problem


class HistoryPolicy(StrEnum):
    """Whose code an agent is shown for the problems before."""

    REFERENCE = "reference"
    OWN = "own"


class FeedbackPart(StrEnum):
    """What an agent is told about its last attempt."""

    ERROR = "error"  # the exception, or how else the code ended
    OUTPUT = "output"  # what was printed, and the last value as it was shown
    HINT = "hint"  # the validators' answer, which may name expected values


class BetweenAttempts(StrEnum):
    """What later attempts at a problem start from."""

    RESET = "reset"  # what the first attempt started from
    KEPT = "kept"  # what the attempt before left


class StopPolicy(StrEnum):
    """What ends the attempts at a problem before the last one that is allowed."""

    JUDGED = "judged"  # a correct answer
    VISIBLE = "visible"  # code that ran without an error: all that an agent can see for itself
    FAILURE = "failure"  # code that failed; else the agent goes on until it gives up


@dataclass(frozen=True)
class Policies:
    """How an agent goes through a problemset; part of a run's identity."""

    state: StatePolicy = StatePolicy.REFERENCE
    history: HistoryPolicy = HistoryPolicy.REFERENCE
    feedback: tuple[FeedbackPart, ...] = ()
    between_attempts: BetweenAttempts = BetweenAttempts.RESET
    stop: StopPolicy = StopPolicy.JUDGED

    @property
    def has_own_state(self) -> bool:
        """Whether agents leave the reference's state."""
        return self.state is not StatePolicy.REFERENCE

    @property
    def needs_own_code(self) -> bool:
        """Whether what comes later rests on what the agent answered before."""
        return self.has_own_state or self.history is HistoryPolicy.OWN

    def to_text(self) -> str:
        """Return the policies in one line; those of the defaults are left out, but for state and history."""
        other = [f"{each.name.replace('_', ' ')} {_value(self, each.name)}" for each in fields(self)[2:]]
        default = [f"{each.name.replace('_', ' ')} {_value(Policies(), each.name)}" for each in fields(self)[2:]]
        return ", ".join([f"{self.state}/{self.history}", *(text for text in other if text not in default)])


class Mode(StrEnum):
    """How CIBench (arXiv:2407.10499) runs an agent, with three readings of its oracle mode, and how Qwen's does."""

    END_TO_END = "end-to-end"  # on what the agent's own code left
    ORACLE = "oracle"  # the right code takes the place of code that failed, as published in words
    ORACLE_AS_RUN = "oracle-as-run"  # the right code runs after each problem, on top, as the published program does
    ORACLE_FROM_TRUTH = "oracle-from-truth"  # each problem is answered on what the right code left
    QWEN = "qwen"  # as the Qwen benchmark runs one: executions follow one another until one fails or none is asked for


ROUNDS: Final = 3
"""Attempts at one problem under a mode."""
_OF_MODE: Final = {
    Mode.END_TO_END: (StatePolicy.OWN, HistoryPolicy.OWN),
    Mode.ORACLE: (StatePolicy.CORRECTED_ON_FAILURE, HistoryPolicy.OWN),
    Mode.ORACLE_AS_RUN: (StatePolicy.CORRECTED_ALWAYS, HistoryPolicy.REFERENCE),
    Mode.ORACLE_FROM_TRUTH: (StatePolicy.REFERENCE, HistoryPolicy.REFERENCE),
    Mode.QWEN: (StatePolicy.OWN, HistoryPolicy.OWN),
}


def policies_of(mode: Mode) -> Policies:
    """Return the policies of a mode; an agent is told errors and outputs between its rounds, and their effects stay."""
    state, history = _OF_MODE[mode]
    parts = (FeedbackPart.ERROR, FeedbackPart.OUTPUT)
    stop = StopPolicy.FAILURE if mode is Mode.QWEN else StopPolicy.VISIBLE
    return Policies(state, history, parts, BetweenAttempts.KEPT, stop)


def parse_feedback(text: str) -> tuple[FeedbackPart, ...]:
    """Return the parts that a comma list such as "error,output" names, each once and in the order of the catalogue.

    Raises:
        UsageError: If a word is none of them, or "none" stands beside others.
    """
    words = {word.strip() for word in text.split(",") if word.strip()}
    known = [part.value for part in FeedbackPart]
    unknown = sorted(words - {*known, "none"})
    if unknown:
        raise UsageError(f"there is no feedback {unknown[0]!r}", fix=f"use none, or some of {', '.join(known)}")
    if "none" in words and len(words) > 1:
        raise UsageError("feedback cannot be none and something else", fix="leave out 'none'")
    return tuple(part for part in FeedbackPart if part.value in words)


def _value(policies: Policies, name: str) -> str:
    value = getattr(policies, name)
    return "+".join(value) if isinstance(value, tuple) else str(value)


SHOWN_CHARS: Final = 10_000
"""Of each text: its first and last halves are kept."""

_CONTROLS: Final = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_TOLD: Final = (Ending.TIMED_OUT, Ending.DIED, Ending.OVER_LIMIT, Ending.BAD_REPORT)  # what an agent's code can do


def feedback_on(code: str, outcome: Outcome, judged: Judged, granted: Collection[FeedbackPart]) -> Feedback:
    """Return what an agent may know of its attempt before the next one.

    Args:
        code: Of the attempt.
        outcome: What it left behind.
        judged: What came of it.
        granted: The parts that are told; the others are None.
    """
    return Feedback(
        code=code,
        error=_error(outcome) if FeedbackPart.ERROR in granted else None,
        output=output_as_told(outcome.outputs) if FeedbackPart.OUTPUT in granted else None,
        hint=shown_text(f"{judged.verdict}: {judged.reason}") if FeedbackPart.HINT in granted else None,
    )


def shown_text(text: str) -> str:
    """Return a text that code wrote without control characters, and cut in its middle if it is long."""
    if len(text) > 4 * SHOWN_CHARS:  # so that a gigabyte is not searched through
        text = text[: 2 * SHOWN_CHARS] + text[-2 * SHOWN_CHARS :]
    text = _CONTROLS.sub("", text.replace("\r\n", "\n"))
    half = SHOWN_CHARS // 2
    return text if len(text) <= SHOWN_CHARS else f"{text[:half]}\n[...]\n{text[-half:]}"


def _error(outcome: Outcome) -> str | None:
    return error_as_told(None if outcome.error is None else outcome.error.to_json(), outcome.ending)


def error_as_told(error: Mapping[str, str] | None, ending: str) -> str | None:
    """Return what an agent is told of how its code failed; None where it did not.

    Args:
        error: Name, message and traceback of what the code raised; None: nothing is known of such an error.
        ending: How the code ended, as `Ending` calls it.
    """
    if error is not None:
        return shown_text(error.get("traceback") or f"{error.get('name')}: {error.get('message')}")
    return next((ENDING_WORDS[how] for how in _TOLD if how == ending), None)


def output_as_told(outputs: Sequence[Mapping[str, Any]]) -> str:
    """Return what an agent is told of the outputs of its code: streams and shown values in order, as text."""
    return shown_text(_printed(outputs))


def _printed(outputs: Sequence[Mapping[str, Any]]) -> str:
    parts: list[str] = []
    for output in outputs:
        if output["output_type"] == "stream":
            parts.append(str(output["text"]))
        elif output["output_type"] in ("execute_result", "display_data"):
            text = output["data"].get("text/plain")
            parts += [] if text is None else [f"{text}\n"]
    return "".join(parts)
