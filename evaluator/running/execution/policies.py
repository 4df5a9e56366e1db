"""What a session holds and what an agent sees before each problem, and what it is told between its attempts."""

from dataclasses import dataclass, fields
from enum import StrEnum

from evaluator.errors import UsageError


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


@dataclass(frozen=True)
class Policies:
    """How an agent goes through a problemset; part of a run's identity."""

    state: StatePolicy = StatePolicy.REFERENCE
    history: HistoryPolicy = HistoryPolicy.REFERENCE
    feedback: tuple[FeedbackPart, ...] = ()
    between_attempts: BetweenAttempts = BetweenAttempts.RESET

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
