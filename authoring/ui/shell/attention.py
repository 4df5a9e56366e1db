"""How many minutes a person was at something: gaps between actions, each counted up to a minute. No Streamlit here."""

from collections.abc import Hashable
from typing import Final

MAX_GAP_S: Final = 60.0  # who does nothing for longer is reading at most this long, then away


class Attention:
    """What one browser tab knows of the time that its person spent."""

    def __init__(self) -> None:
        self._last: float | None = None
        self._seconds: dict[Hashable, float] = {}

    def note(self, subject: Hashable | None, now_s: float) -> None:
        """Credit the time since the last action to what was on the screen; `now_s` is of a monotonic clock."""
        if self._last is not None and subject is not None:
            gap = min(max(0.0, now_s - self._last), MAX_GAP_S)
            self._seconds[subject] = self._seconds.get(subject, 0.0) + gap
        self._last = now_s

    def minutes(self, *subjects: Hashable) -> float:
        """Return what was credited to the subjects together, in minutes, two decimals."""
        return round(sum(self._seconds.get(subject, 0.0) for subject in dict.fromkeys(subjects)) / 60, 2)

    def forget(self, *subjects: Hashable) -> None:
        """Begin at zero: the minutes are stored."""
        for subject in subjects:
            self._seconds.pop(subject, None)
