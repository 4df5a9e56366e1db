"""Holding a trial from outside: what its cell started is killed before it reports, or stands still between cells."""

import contextlib
import errno
import os
import select
import signal
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import Enum, auto
from typing import Final, NamedTuple

from evaluator.errors import ToolkitError
from evaluator.inside.isolation.processes import descendants_of
from evaluator.session.cell_report import read_kernel_file

_PATIENCE_S: Final = 5.0  # for processes that start others while we kill them
_DEATH_S: Final = 2.0  # after it a killed process may still give its memory back, but runs no more

_LOOK_S: Final = 0.0005
_CALL_TICKS: Final = 10  # of processor time: more is no end of a system call
_DEAD: Final = (b"Z", b"X")
_HELD: Final = b"D"  # by the kernel, such as who waits for a vfork
_STILL: Final = (*_DEAD, b"T", b"t", _HELD)


class Sealed(Enum):
    """What was found when a trial was sealed."""

    ALONE = auto()  # nothing that it had started lived, and it has one thread: that is how it stays
    KILLED = auto()  # what it had started was killed, or that cannot be told
    FAILED = auto()  # it starts more than can be caught up with


class Thread(NamedTuple):
    """One thread, as the kernel counts what it does."""

    state: bytes
    ticks: int  # of processor time
    switches: int  # times that it stopped running (count)


Stillness = Mapping[int, Thread]
"""All threads of a trial and of what it started, by number, while none of them runs."""


def seal_trial(pidfd: int) -> Sealed:
    """Kill all processes that a trial started, not the trial itself.

    While that goes on the trial stands still, so that it cannot start more of them. A trial that started none, which
    is the common case, costs a few reads.

    Raises:
        ToolkitError: If processes cannot be looked at.
    """
    with _looking():
        pid = pid_of(pidfd)
        threads = _threads_of(pid)  # before we look for children: another thread could start one after it
        if pid <= 0 or not _have_children(pid, threads):
            return Sealed.ALONE if len(threads) == 1 else Sealed.KILLED
        return _kill_descendants(pid, pidfd)


def _kill_descendants(pid: int, pidfd: int) -> Sealed:
    deadline = time.monotonic() + _PATIENCE_S
    killed: dict[int, int] = {}
    try:
        signal.pidfd_send_signal(pidfd, signal.SIGSTOP)
        while alive := [child for child in _descendants(pid) - set(killed) if not _is_dead(child)]:
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


def freeze_trial(pidfd: int) -> Stillness | None:
    """Stop a trial and all that it started, until `thaw_trial`.

    Nothing that an earlier cell left behind works on for a later one, or beside the reference code.

    Returns:
        What `thaw_trial` compares with; None where it starts, or lets go on, more than can be caught up with.

    Raises:
        ToolkitError: If processes cannot be looked at.
    """
    with _looking():
        pid = pid_of(pidfd)
        deadline = time.monotonic() + _PATIENCE_S
        told: set[int] = set()  # to stop: what the kernel holds does so when it is let go
        before: Stillness | None = None  # twice the same: what a thread did last is counted after it has stopped
        with contextlib.suppress(ProcessLookupError):  # the trial died: all that it started goes with it
            while time.monotonic() < deadline:
                signal.pidfd_send_signal(pidfd, signal.SIGSTOP)
                _await_stop([pid], deadline)  # before we look for children: it starts no more of them
                running = [child for child in _descendants(pid) if not _has_stopped(child)]
                for descriptor in _signalled(running, signal.SIGSTOP, ancestor=pid).values():
                    os.close(descriptor)
                told.update(running)
                _await_stop(running, deadline)
                found = threads_below(pid)
                untold = [child for child in _descendants(pid) - told if not _has_stopped(child)]
                is_still = not untold and all(thread.state in _STILL for thread in found.values())
                if is_still and found == before:
                    return found
                before = found if is_still and _have_left_the_processor(pid, deadline) else None
            return None
        return {}


def thaw_trial(pidfd: int, stillness: Stillness | None) -> bool:
    """Let a trial and all that it started go on, unless it has not stood still.

    Args:
        pidfd: The trial.
        stillness: As `freeze_trial` left it; None: it did not stand still so far.

    Returns:
        Whether nothing of it has run meanwhile: a timer of its own may have let it go on.

    Raises:
        ToolkitError: If processes cannot be looked at.
    """
    with _looking():
        pid = pid_of(pidfd)
        if stillness is not None:
            _await_release(pid, {number for number, thread in stillness.items() if thread.state == _HELD})
            if not has_stood(stillness, threads_below(pid)):
                return False
        for descriptor in _signalled(_descendants(pid), signal.SIGCONT, ancestor=pid).values():
            os.close(descriptor)
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(pidfd, signal.SIGCONT)
    return True


def has_stood(before: Stillness, after: Stillness) -> bool:
    """Return whether threads that stood still have done nothing since, and have started nothing.

    What the kernel held had been told to stop: it may have come to the end of its system call, or of its life.
    """
    stopped = {number for number, thread in before.items() if thread.state not in (*_DEAD, _HELD)}
    if after.keys() - before.keys() or stopped - after.keys():
        return False
    if not all(thread.state in _STILL for thread in after.values()):
        return False
    held = {number for number in before.keys() & after.keys() if before[number].state == _HELD}
    if any(after[number].ticks - before[number].ticks > _CALL_TICKS for number in held):
        return False
    return all(after[number][1:] == before[number][1:] for number in stopped)  # also who just woke somebody else


@contextlib.contextmanager
def _looking() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        what = f"the processes of a trial cannot be looked at: {error.strerror or error}"
        is_full = error.errno in (errno.EMFILE, errno.ENFILE)
        fix = "raise the limit of open files (`ulimit -n`), or run fewer workers"
        raise ToolkitError(what, fix=fix if is_full else "mount /proc so that it shows your own processes") from error


def _descendants(pid: int) -> set[int]:
    return descendants_of(pid, must_see=True)


def pid_of(pidfd: int) -> int:
    """Return the number of a process; -1 when it is gone."""
    for line in read_kernel_file(f"/proc/self/fdinfo/{pidfd}").splitlines():
        if line.startswith(b"Pid:"):
            return int(line.split()[1])
    return -1


def has_one_thread(pidfd: int) -> bool:
    """Return whether a process is known to have one thread only.

    Raises:
        ToolkitError: If processes cannot be looked at.
    """
    with _looking():
        return len(_threads_of(pid_of(pidfd))) == 1


def _threads_of(pid: int) -> list[str]:
    """Return the threads of a process; none where that cannot be told."""
    try:
        return os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []


def _have_children(pid: int, threads: Sequence[str]) -> bool:
    """Return whether a process may have children; each of its threads lists its own."""
    try:
        return not threads or any(read_kernel_file(f"/proc/{pid}/task/{each}/children") for each in threads)
    except OSError:  # a kernel without these lists, or the trial is gone
        return True


def _is_dead(pid: int) -> bool:
    """Return whether a process has ended, be it that nobody has collected it yet."""
    return all(state in _DEAD for state in _states(pid))


def _is_still(pid: int) -> bool:
    return all(state in _STILL for state in _states(pid))


def _has_stopped(pid: int) -> bool:
    return all(state in _STILL and state != _HELD for state in _states(pid))


def _states(pid: int) -> list[bytes]:
    """Return the letters that the kernel has for what the threads of a process do: the first one may end before others.

    Of a process that is gone there are none.
    """
    return [_read_thread(pid, number)[0] for number in _numbers(pid)]


def _numbers(pid: int) -> list[int]:
    try:
        return [int(name) for name in os.listdir(f"/proc/{pid}/task")]
    except (FileNotFoundError, ProcessLookupError):
        return []


def _read_thread(pid: int, number: int) -> tuple[bytes, int]:
    """Return the state of a thread and its processor time in ticks; of one that is gone, X."""
    try:
        with open(f"/proc/{pid}/task/{number}/stat", "rb") as file:
            fields = file.read().rsplit(b")", 1)[1].split()
    except (FileNotFoundError, ProcessLookupError):
        return b"X", 0
    return fields[0], int(fields[11]) + int(fields[12])


def _read_switches(pid: int, number: int) -> int:
    try:
        with open(f"/proc/{pid}/task/{number}/status", "rb") as file:
            return sum(int(line.split()[1]) for line in file if b"ctxt_switches:" in line)
    except (FileNotFoundError, ProcessLookupError):
        return 0


def threads_below(pid: int) -> dict[int, Thread]:
    """Return the threads of a process and of all that it has started."""
    return {
        number: Thread(*_read_thread(each, number), _read_switches(each, number))
        for each in (pid, *_descendants(pid))
        for number in _numbers(each)
    }


def _await_release(pid: int, held: Collection[int]) -> None:
    """Wait for threads that the kernel held: let go, they run to the end of a system call before they stop."""
    deadline = time.monotonic() + _PATIENCE_S
    while held and time.monotonic() < deadline:
        found = threads_below(pid)
        if all(found[number].state in _STILL for number in held if number in found):
            return
        time.sleep(_LOOK_S)


def _have_left_the_processor(pid: int, deadline: float) -> bool:
    """Wait until the stopped threads of a process, and of all that it has started, have left the processor.

    One that is told to stop is shown as stopped a moment before it has: it may be put off there, and be counted once
    more when its turn comes. The kernel tells the system call of another thread only when that has truly stopped.

    Returns:
        Whether none is known to run still: true also where the kernel refuses to tell.
    """
    for each in (pid, *_descendants(pid)):
        for number in _numbers(each):
            if time.monotonic() > deadline:
                return False
            with (
                contextlib.suppress(FileNotFoundError, ProcessLookupError, PermissionError),
                open(f"/proc/{each}/task/{number}/syscall", "rb") as file,
            ):
                if file.read(7) == b"running":
                    return False
    return True


def _await_stop(processes: Iterable[int], deadline: float) -> None:
    """Wait until none of the processes runs; one that the kernel holds stops when it is let go."""
    for pid in processes:
        while not _is_still(pid) and time.monotonic() < deadline:
            time.sleep(_LOOK_S)


def _signalled(processes: Iterable[int], number: signal.Signals, *, ancestor: int) -> dict[int, int]:
    """Send a signal to processes that still descend from `ancestor`, and return descriptors of them by number."""
    held: dict[int, int] = {}
    try:
        for pid in processes:
            with contextlib.suppress(ProcessLookupError):
                held[pid] = os.pidfd_open(pid)
        descendants = _descendants(ancestor)  # looked up again: a number may have been given anew
        for pid in held:
            if pid in descendants:
                with contextlib.suppress(ProcessLookupError):
                    signal.pidfd_send_signal(held[pid], number)
    except BaseException:
        for descriptor in held.values():
            os.close(descriptor)
        raise
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
