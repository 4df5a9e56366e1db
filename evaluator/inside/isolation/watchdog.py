"""Memory of a trial and all it started, summed from outside: limits of one process are blind to its children."""

import contextlib
import os
from collections.abc import Iterable
from typing import Final

from evaluator.inside.isolation.processes import descendants_of

TICK_MS: Final = 200
_HEADROOM: Final = 1.25


class Watchdog:
    """Says when a tree of processes has grown past its limit."""

    def __init__(self, root: int, *, limit_bytes: int, baseline: int | None = None) -> None:
        self._root = root
        self._baseline = resident_bytes(baseline or os.getpid())  # what every fork of it shares with it
        self._limit = limit_bytes * _HEADROOM

    def is_exceeded(self) -> bool:
        """Whether the tree holds more of its own than it may."""
        return sum(self._own(self._tree())) > self._limit

    def _tree(self) -> Iterable[int]:
        return (self._root, *descendants_of(self._root))

    def _own(self, processes: Iterable[int]) -> Iterable[int]:
        for process in processes:
            with contextlib.suppress(OSError):
                yield max(0, resident_bytes(process) - self._baseline)


def resident_bytes(process: int) -> int:
    """Return the resident memory of a process without mapped files."""
    total = 0
    with open(f"/proc/{process}/status", "rb") as file:
        for line in file:
            if line.startswith((b"RssAnon:", b"RssShmem:")):
                total += int(line.split()[1]) * 1024
    return total
