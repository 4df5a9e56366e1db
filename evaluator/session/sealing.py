"""Sealing a trial: before it reports what its cell left, all else that the cell started is killed from outside."""

import contextlib
import os
import select
import signal
import time
from collections.abc import Iterable
from enum import Enum, auto
from typing import Final

from evaluator.inside.processes import descendants_of

_PATIENCE_S: Final = 5.0  # for processes that start others while we kill them
_DEATH_S: Final = 2.0  # after it a killed process may still give its memory back, but runs no more


class Sealed(Enum):
    """What was found when a trial was sealed."""

    ALONE = auto()  # nothing that it had started lived, and it has one thread: that is how it stays
    KILLED = auto()  # what it had started was killed, or that cannot be told
    FAILED = auto()  # it starts more than can be caught up with


def seal_trial(pidfd: int) -> Sealed:
    """Kill all processes that a trial started, not the trial itself.

    While that goes on the trial stands still, so that it cannot start more of them. A trial that started none, which
    is the common case, costs a few reads.
    """
    pid = pid_of(pidfd)
    has_one_thread = _has_one_thread(pid)  # before we look for children: another thread could start one after it
    if pid <= 0 or not _has_children(pid):
        return Sealed.ALONE if has_one_thread else Sealed.KILLED
    deadline = time.monotonic() + _PATIENCE_S
    killed: dict[int, int] = {}
    try:
        signal.pidfd_send_signal(pidfd, signal.SIGSTOP)
        while alive := [child for child in descendants_of(pid) - set(killed) if not _is_dead(child)]:
            if time.monotonic() > deadline:
                return Sealed.FAILED
            killed |= _kill(alive, ancestor=pid)
        _await_death(killed.values())
        signal.pidfd_send_signal(pidfd, signal.SIGCONT)
    except ProcessLookupError:  # the trial itself died: all that it started goes with it
        return Sealed.KILLED
    finally:
        for descriptor in killed.values():
            os.close(descriptor)
    return Sealed.KILLED


def pid_of(pidfd: int) -> int:
    """Return the number of a process; -1 when it is gone."""
    with open(f"/proc/self/fdinfo/{pidfd}", "rb") as file:
        for line in file:
            if line.startswith(b"Pid:"):
                return int(line.split()[1])
    return -1


def _has_one_thread(pid: int) -> bool:
    try:
        return len(os.listdir(f"/proc/{pid}/task")) == 1
    except OSError:
        return False


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


def _kill(processes: Iterable[int], *, ancestor: int) -> dict[int, int]:
    """Kill processes that still descend from `ancestor`, and return descriptors of them by number."""
    held = {}
    for pid in processes:
        with contextlib.suppress(OSError):
            held[pid] = os.pidfd_open(pid)
    descendants = descendants_of(ancestor)  # looked up again: a number may have been given anew
    for pid in held:
        if pid in descendants:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(held[pid], signal.SIGKILL)
    return held


def _await_death(processes: Iterable[int]) -> None:
    poll = select.poll()
    waiting = set(processes)
    for descriptor in waiting:
        poll.register(descriptor, select.POLLIN)
    deadline = time.monotonic() + _DEATH_S
    while waiting and (left_s := deadline - time.monotonic()) > 0:
        for descriptor, _ in poll.poll(left_s * 1000):
            poll.unregister(descriptor)
            waiting.discard(descriptor)
