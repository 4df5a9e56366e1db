"""How fast this machine is, so that times of runs on different machines can be read side by side."""

import os
import time
from typing import Final

NOMINAL_S: Final = 0.018
"""What the measured work takes on the nominal machine: a quiet core of a server of the year 2023."""

_ROUNDS: Final = 60_000
_TRIES: Final = 5


def measure_time_scale() -> float:
    """Return how many times slower than the nominal machine this one is, whatever else it does meanwhile.

    Processor time is measured, and the best of a few tries counts.
    """
    return round(min(_measure() for _ in range(_TRIES)) / NOMINAL_S, 2)


def usable_cores() -> int:
    """Return how many processors this process may be put on (count); a quota of a container is not seen."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _measure() -> float:
    begin = time.thread_time()
    _work()
    return time.thread_time() - begin


def _work() -> int:
    total = 0
    table: dict[int, int] = {}
    for number in range(_ROUNDS):
        total = (total * 31 + number) & 0xFFFFFFFF
        table[total & 1023] = number
    return total + sum(sorted(table.values()))
