"""Running something with what a cell left behind in a fork of its process, under a time limit."""

import contextlib
import os
import select
import signal
import struct
import time
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from evaluator.inside.isolation import namespaces as isolation
from evaluator.inside.runtime.frames import write_all

_CHUNK: Final = 1024 * 1024
_MAX_ANSWER: Final = 256 * 1024 * 1024
_LENGTH: Final = struct.Struct("<Q")

_FIRST_OWN: Final = 3  # descriptor after the standard ones
_MOST_DESCRIPTORS: Final = 65536

_fork, _exit, _kill, _waitpid, _pidfd_open = os.fork, os._exit, os.kill, os.waitpid, os.pidfd_open

Send = Callable[[bytes], None]  # passes one part of an answer on, so that it survives what comes later
Prepare = Callable[[], None]  # called in the fork before anything else


class ForkResult(NamedTuple):
    """What came back from a fork."""

    data: bytes  # the parts that it sent, each behind its length; the last one may be cut short
    has_ended: bool  # by itself, in time, and with nothing left to do
    is_in_time: bool  # whether the way back was closed before the deadline


def run_in_fork(
    work: Callable[[Send], bool],
    *,
    seconds: float,
    prepare: Prepare,
    closes_others: bool = False,
    most: int = _MAX_ANSWER,
) -> ForkResult:
    """Run `work` in a fork of this process, which is killed when its time is up.

    Args:
        work: Gets the function that sends parts; returns whether everything was done.
        seconds: Wall time it may take.
        prepare: Called in the fork before anything else.
        closes_others: Whether nothing is open in the fork but the standard descriptors and the way back.
        most: Bytes of all parts, lengths included; more are as if nothing had come in time.
    """
    reading, writing = os.pipe()
    pid = _fork()
    if pid == 0:
        status = 1
        try:
            isolation.die_with_parent()
            os.close(reading)
            if closes_others:
                os.closerange(_FIRST_OWN, writing)
                os.closerange(writing + 1, _MOST_DESCRIPTORS)
            prepare()
            status = 0 if work(lambda part: _send(writing, part)) else 1
        finally:
            _exit(status)
    os.close(writing)
    deadline = time.monotonic() + seconds
    is_whole = False
    try:
        data, is_whole = _read_until(reading, deadline, most)
    finally:
        os.close(reading)
        status = _end(pid, deadline if is_whole else 0.0)
    return ForkResult(data, is_whole and status == 0, is_whole)


def _end(pid: int, deadline: float) -> int:
    """Wait for the end of a fork, kill it at the deadline, and return its status; not 0 where nobody knows."""
    status = -1
    with contextlib.suppress(ProcessLookupError, ChildProcessError):  # the cell's own code may collect children
        pidfd = _pidfd_open(pid)
        try:
            if not _is_ready(pidfd, deadline):
                _kill(pid, signal.SIGKILL)
        finally:
            os.close(pidfd)
    with contextlib.suppress(ChildProcessError):
        status = _waitpid(pid, 0)[1]
    return status


def _is_ready(descriptor: int, deadline: float) -> bool:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(max(0, int((deadline - time.monotonic()) * 1000))))


def _send(descriptor: int, part: bytes) -> None:
    write_all(descriptor, with_length(part))


def with_length(part: bytes) -> bytes:
    """Return one part of an answer as it travels."""
    return _LENGTH.pack(len(part)) + part


def _read_until(descriptor: int, deadline: float, most: int) -> tuple[bytes, bool]:
    """Return what arrives in time, and whether that is all."""
    data = bytearray()
    while len(data) <= most:
        if not _is_ready(descriptor, deadline):
            return bytes(data), False
        part = os.read(descriptor, _CHUNK)
        if not part:
            return bytes(data), True
        data += part
    return b"", False


def parts_of(data: bytes) -> Iterator[bytes]:
    """Yield the parts of an answer that arrived whole."""
    place = 0
    while place + _LENGTH.size <= len(data):
        start = place + _LENGTH.size
        place = start + _LENGTH.unpack_from(data, place)[0]
        if place > len(data):
            return
        yield data[start:place]
