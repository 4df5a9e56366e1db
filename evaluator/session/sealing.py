"""Sealing a trial: before it reports what its cell left, all else that the cell started is killed from outside."""

import contextlib
import os
import select
import signal
import time
from collections.abc import Iterable
from typing import Final

from evaluator.inside.processes import descendants_of

_PATIENCE_S: Final = 2.0


def seal_trial(pidfd: int) -> bool:
    """Kill all processes that a trial started, not the trial itself; false when they would not end.

    While that goes on the trial stands still, so that it cannot start more of them. A trial that started none, which
    is the common case, costs a few reads.
    """
    pid = _pid_of(pidfd)
    if pid <= 0 or not _has_children(pid):
        return True
    deadline = time.monotonic() + _PATIENCE_S
    try:
        signal.pidfd_send_signal(pidfd, signal.SIGSTOP)
        while alive := [child for child in descendants_of(pid) if not _is_dead(child)]:
            if time.monotonic() > deadline:
                return False
            _kill(alive, ancestor=pid)
        signal.pidfd_send_signal(pidfd, signal.SIGCONT)
    except ProcessLookupError:  # the trial itself died: all that it started goes with it
        return True
    return True


def _pid_of(pidfd: int) -> int:
    with open(f"/proc/self/fdinfo/{pidfd}", "rb") as file:
        for line in file:
            if line.startswith(b"Pid:"):
                return int(line.split()[1])
    return -1


def _has_children(pid: int) -> bool:
    """Tell whether a process may have children; each of its threads lists its own."""
    folder = f"/proc/{pid}/task"
    try:
        for thread in os.listdir(folder):
            with open(f"{folder}/{thread}/children", "rb") as file:
                if file.read(1):
                    return True
    except OSError:  # a kernel without these lists, or the trial is gone
        return True
    return False


def _is_dead(pid: int) -> bool:
    """Tell whether a process has ended, be it that nobody has collected it yet."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rsplit(b")", 1)[1].split()[0] in (b"Z", b"X")
    except OSError:
        return True


def _kill(processes: Iterable[int], *, ancestor: int) -> None:
    """Kill processes that still descend from `ancestor`, and wait a moment for their end."""
    with contextlib.ExitStack() as opened:
        held = {}
        for pid in processes:
            with contextlib.suppress(OSError):
                held[pid] = os.pidfd_open(pid)
                opened.callback(os.close, held[pid])
        poll = select.poll()
        for pid in descendants_of(ancestor) & set(held):  # looked up again: a number may have been given anew
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(held[pid], signal.SIGKILL)
            poll.register(held[pid], select.POLLIN)
        poll.poll(100)
