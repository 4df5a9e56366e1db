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

_fork, _exit, _kill, _waitpid = os.fork, os._exit, os.kill, os.waitpid

Send = Callable[[bytes], None]  # passes one part of an answer on, so that it survives what comes later
Prepare = Callable[[], None]  # called in the fork before anything else


class Apart(NamedTuple):
    """What came back from a fork."""

    data: bytes  # the parts that it sent, each behind its length; the last one may be cut short
    has_ended: bool  # by itself, in time, and with nothing left to do


def run_apart(work: Callable[[Send], bool], *, seconds: float, prepare: Prepare) -> Apart:
    """Run `work` in a fork of this process, which is killed when its time is up.

    Args:
        work: Gets the function that sends parts; returns whether everything was done.
        seconds: Wall time it may take.
        prepare: Called in the fork before anything else.
    """
    reading, writing = os.pipe()
    pid = _fork()
    if pid == 0:
        status = 1
        try:
            isolation.die_with_parent()
            os.close(reading)
            prepare()
            status = 0 if work(lambda part: _send(writing, part)) else 1
        finally:
            _exit(status)
    os.close(writing)
    status = -1
    try:
        data, is_whole = _read_within(reading, seconds)
    finally:
        os.close(reading)
        if not is_whole:
            with contextlib.suppress(ProcessLookupError):
                _kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):  # the cell's own code may collect children
            status = _waitpid(pid, 0)[1]
    return Apart(data, is_whole and status == 0)


def _send(descriptor: int, part: bytes) -> None:
    write_all(descriptor, with_length(part))


def with_length(part: bytes) -> bytes:
    """Return one part of an answer as it travels."""
    return _LENGTH.pack(len(part)) + part


def _read_within(descriptor: int, seconds: float) -> tuple[bytes, bool]:
    """Return what arrives in time, and whether that is all."""
    deadline = time.monotonic() + seconds
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    data = bytearray()
    while len(data) <= _MAX_ANSWER:
        if not poll.poll(max(0, int((deadline - time.monotonic()) * 1000))):
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
