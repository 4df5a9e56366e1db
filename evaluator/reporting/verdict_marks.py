"""How a verdict is drawn, in the app and in reports: a sign and a colour beside its name, which alone says it all."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class VerdictMark:
    """A sign and a colour."""

    sign: str  # one character that plain fonts have
    colour: str  # white text on it has 4.5:1; on white and on the app's dark page it has 3:1


_MARKS: Final[Mapping[str, VerdictMark]] = {  # in the order in which charts stack them
    "CORRECT": VerdictMark("✓", "#14823e"),
    "INTACT_VIOLATION": VerdictMark("!", "#677f10"),
    "PRESENTATION_ERROR": VerdictMark("≈", "#8b7403"),
    "WRONG_OUTPUT": VerdictMark("✗", "#cf2a29"),
    "WRONG_VARIABLES": VerdictMark("≠", "#c33d7d"),
    "UNIT_TEST_FAILURE": VerdictMark("÷", "#a95b06"),
    "BAD_MODEL": VerdictMark("↓", "#7d5bc6"),
    "TIMEOUT": VerdictMark("∞", "#1174b4"),
    "CRASH": VerdictMark("×", "#a637ae"),
    "SYNTAX_ERROR": VerdictMark("¶", "#027c81"),
    "UNKNOWN": VerdictMark("?", "#737373"),
    "NOT_JUDGED": VerdictMark("–", "#596b78"),
}
VERDICTS: Final = tuple(_MARKS)


def mark_of(verdict: str) -> VerdictMark:
    """Return the mark of a verdict; that of UNKNOWN for a name that is none."""
    return _MARKS.get(verdict, _MARKS["UNKNOWN"])


def rank_of(verdict: str) -> int:
    """Return the place of a verdict in the order of charts; other names come last."""
    return VERDICTS.index(verdict) if verdict in _MARKS else len(VERDICTS)
