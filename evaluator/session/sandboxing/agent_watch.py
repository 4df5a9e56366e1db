"""Counts what an agent's process has started, from outside: limits of one process are blind to its children."""

import contextlib
import os
from typing import Final

from evaluator.inside.isolation.processes import children_of
from evaluator.inside.isolation.watchdog import resident_bytes

MAX_PROCESSES: Final = 1_000
"""That an agent's process may have at a time, itself included (count)."""
_MOST_BYTES: Final = 16 * 1024**3


def most_memory() -> int:
    """Return what an agent's processes may hold together (bytes): 16 GiB, or half of the machine's memory."""
    return min(_MOST_BYTES, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2)


def excess_of(root: int, *, most_bytes: int, most_processes: int = MAX_PROCESSES) -> str:
    """Return in which way a process and all that it started are past their limits; empty: they are not.

    Args:
        root: Number of the process.
        most_bytes: What they may hold together, what they share counted once.
        most_processes: How many they may be.
    """
    tree = _tree_of(root, most_processes)
    if len(tree) > most_processes:
        return f"it started more than {most_processes:,} processes"
    in_files = _in_memory_files(tree)
    if sum(map(_resident, tree)) + in_files > most_bytes and sum(map(_share, tree)) + in_files > most_bytes:
        return f"its processes held more than {most_bytes / 1024**3:.1f} GiB of memory"
    return ""


def _tree_of(root: int, most: int) -> set[int]:
    """Return a process and what it started; looks no further where there are more than so many."""
    found, waiting = {root}, [root]
    while waiting and len(found) <= most:
        children = children_of(waiting.pop()) - found
        found |= children
        waiting += children
    return found


def _in_memory_files(tree: set[int]) -> int:
    """Return the size of the files in memory that processes hold open (bytes), each counted once.

    What of them is mapped counts twice: they are rare, and else what is not mapped would count as nothing.
    """
    sizes: dict[int, int] = {}
    for process in tree:
        folder = f"/proc/{process}/fd"
        with contextlib.suppress(OSError):
            for name in os.listdir(folder):
                with contextlib.suppress(OSError):
                    if os.readlink(f"{folder}/{name}").startswith("/memfd:"):
                        status = os.stat(f"{folder}/{name}")
                        sizes[status.st_ino] = status.st_blocks * 512
    return sum(sizes.values())


def _resident(process: int) -> int:
    with contextlib.suppress(OSError):
        return resident_bytes(process)
    return 0


def _share(process: int) -> int:
    """Return the memory of a process, where what it shares with others counts for each by its part of it."""
    with contextlib.suppress(OSError), open(f"/proc/{process}/smaps_rollup", "rb") as file:
        sizes = {line.split()[0]: int(line.split()[1]) * 1024 for line in file.readlines()[1:]}
        return sizes.get(b"Pss_Anon:", 0) + sizes.get(b"Pss_Shmem:", 0)
    return _resident(process)
