"""Holding a trial from outside: what its cell started is killed before it reports, or stands still between cells."""

import contextlib
import os
import select
import signal
import time
from collections.abc import Iterable
from enum import Enum, auto
from typing import Final

from evaluator.inside.isolation.processes import descendants_of

_PATIENCE_S: Final = 5.0  # for processes that start others while we kill them
_DEATH_S: Final = 2.0  # after it a killed process may still give its memory back, but runs no more

_LOOK_S: Final = 0.0005
_DEAD: Final = (b"Z", b"X")
_STILL: Final = (*_DEAD, b"T", b"t", b"D")  # D: held by the kernel, such as who waits for a vfork


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
            killed |= _signalled(alive, signal.SIGKILL, ancestor=pid)
        _await_death(killed.values())
        signal.pidfd_send_signal(pidfd, signal.SIGCONT)
    except ProcessLookupError:  # the trial itself died: all that it started goes with it
        return Sealed.KILLED
    finally:
        for descriptor in killed.values():
            os.close(descriptor)
    return Sealed.KILLED


def freeze_trial(pidfd: int) -> bool:
    """Stop a trial and all that it started, until `thaw_trial`; false: it starts more than can be caught up with.

    Nothing that an earlier cell left behind works on for a later one, or beside the reference code.
    """
    pid = pid_of(pidfd)
    deadline = time.monotonic() + _PATIENCE_S
    stopped: dict[int, int] = {}
    try:
        signal.pidfd_send_signal(pidfd, signal.SIGSTOP)
        _await_stop([pid], deadline)
        while alive := [child for child in descendants_of(pid) - set(stopped) if not _is_dead(child)]:
            if time.monotonic() > deadline:
                return False
            stopped |= _signalled(alive, signal.SIGSTOP, ancestor=pid)
            _await_stop(alive, deadline)
    except ProcessLookupError:  # the trial died: all that it started goes with it
        return True
    finally:
        for descriptor in stopped.values():
            os.close(descriptor)
    return True


def thaw_trial(pidfd: int) -> None:
    """Let a trial and all that it started go on."""
    pid = pid_of(pidfd)
    for descriptor in _signalled(descendants_of(pid), signal.SIGCONT, ancestor=pid).values():
        os.close(descriptor)
    with contextlib.suppress(ProcessLookupError):
        signal.pidfd_send_signal(pidfd, signal.SIGCONT)


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
    return _state(pid) in _DEAD


def _state(pid: int) -> bytes:
    """Return the letter that the kernel has for what a process does; of one that is gone, X."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rsplit(b")", 1)[1].split()[0]
    except OSError:
        return b"X"


def _await_stop(processes: Iterable[int], deadline: float) -> None:
    """Wait until none of the processes runs; one that the kernel holds stops when it is let go."""
    for pid in processes:
        while _state(pid) not in _STILL and time.monotonic() < deadline:
            time.sleep(_LOOK_S)


def _signalled(processes: Iterable[int], number: signal.Signals, *, ancestor: int) -> dict[int, int]:
    """Send a signal to processes that still descend from `ancestor`, and return descriptors of them by number."""
    held = {}
    for pid in processes:
        with contextlib.suppress(OSError):
            held[pid] = os.pidfd_open(pid)
    descendants = descendants_of(ancestor)  # looked up again: a number may have been given anew
    for pid in held:
        if pid in descendants:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(held[pid], number)
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
