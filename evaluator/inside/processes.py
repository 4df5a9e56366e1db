"""Which processes this one has started, and their end."""

import contextlib
import os
import signal


def children_of(parent: int) -> set[int]:
    """Return the children of a process, as `/proc` shows them."""
    children = set()
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        with contextlib.suppress(OSError), open(f"/proc/{entry}/stat", "rb") as file:
            if int(file.read().rsplit(b")", 1)[1].split()[1]) == parent:
                children.add(int(entry))
    return children


def kill_children(*, spare: frozenset[int] | set[int]) -> None:
    """Kill and collect every child but `spare`, until none is left; orphans of theirs become children too."""
    while True:
        doomed = children_of(os.getpid()) - spare
        if not doomed:
            return
        for pid in doomed:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for pid in doomed:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)
