"""How long a cell's report may take, told from what the host itself measures: no cell says by itself when it ended.

The time of a submission runs until its payload is here, less an allowance for reporting. What a submission does after
it said that it has ended is covered by the allowance or counts against its limit.
"""

from typing import Final

_PATIENCE_S: Final = 2.0
"""For the report of a cell that leaves next to nothing: milliseconds, unless the machine is busy."""
_FACTOR: Final = 5.0
"""How many times longer than the session's own cells a submission's may report: other values, a busier machine."""
_MEASURED_MAX_S: Final = 10.0
"""What is measured counts up to here: one of a session's own cells may have been stopped for a while."""
_HELD_S_PER_MB: Final = 0.0025
"""For digests of what the process holds: 400 MB a second, which processors without instructions for SHA-256 reach."""
_RECEIVED_S_PER_MB: Final = 0.1
"""For values that are written down and sent."""
_MB: Final = 1024 * 1024


class ExportTime:
    """What reporting took in one session, and what it may therefore take a submission."""

    def __init__(self) -> None:
        self._measured_s = 0.0

    def measure(self, seconds: float) -> None:
        """Note how long a cell took to report whose code is trusted."""
        self._measured_s = max(self._measured_s, min(seconds, _MEASURED_MAX_S))

    def allowance_s(self, *, held_bytes: int, received_bytes: int) -> float:
        """Return how long a submission may take to report.

        Args:
            held_bytes: Memory that its process held when it said that it had ended.
            received_bytes: Of the report, so far.
        """
        grown = held_bytes / _MB * _HELD_S_PER_MB + received_bytes / _MB * _RECEIVED_S_PER_MB
        return _PATIENCE_S + _FACTOR * self._measured_s + grown


def held_bytes(pid: int) -> int:
    """Return how much memory a process holds, what it shares since its fork included; 0 where that cannot be told.

    Mapped files and shared memory do not count: a page counts there once for each mapping, of which a process may
    have as many as it likes for next to no time.
    """
    try:
        with open(f"/proc/{pid}/status", "rb") as file:
            return int(file.read().split(b"RssAnon:")[1].split()[0]) * 1024
    except (OSError, ValueError, IndexError):
        return 0
