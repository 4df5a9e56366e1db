"""What a cell prints and displays, sent to the host as it happens: records of at most one atomic pipe write."""

import array
import fcntl
import io
import itertools
import json
import os
import struct
import sys
import termios
import time
from collections.abc import Mapping
from typing import Any, Final

RECORD_HEAD: Final = struct.Struct("<cIH")  # tag, number of the display, length
STDOUT: Final = b"o"
STDERR: Final = b"e"
DISPLAY_PART: Final = b"d"
DISPLAY_END: Final = b"D"
MAX_DISPLAYS: Final = 100
MAX_DISPLAY_BYTES: Final = 16 * 1024 * 1024
_CHUNK: Final = 4096 - RECORD_HEAD.size  # PIPE_BUF: writes up to it are atomic
_DRAIN_S: Final = 0.2

_write = os.write
_ioctl = fcntl.ioctl
_dumps = json.JSONEncoder(separators=(",", ":")).encode


class RecordPipe:
    """The pipe of the cell that runs now; while none runs, what is written is dropped."""

    def __init__(self) -> None:
        self._fd = -1
        self._numbers = itertools.count()
        self._displayed_bytes = 0
        self.displays_cut = False

    def attach(self, fd: int) -> None:
        """Send records to `fd` from now on."""
        self._fd = fd
        self._numbers = itertools.count()
        self._displayed_bytes = 0
        self.displays_cut = False

    def detach(self) -> None:
        """Drop records from now on."""
        self._fd = -1

    def text(self, tag: bytes, data: memoryview) -> None:
        """Send what was written to a stream, after what descriptors 1 and 2 received before."""
        if self._fd < 0:
            return
        _wait_for_descriptors()
        self._send(tag, 0, data)

    def display(self, bundle: Mapping[str, Any]) -> None:
        """Send one display, after what descriptors 1 and 2 received before.

        Past 100 displays or 16 MiB they are dropped, and `displays_cut` says so.
        """
        if self._fd < 0:
            return
        data = _dumps(bundle).encode()
        number = next(self._numbers)
        self._displayed_bytes += len(data)
        if number >= MAX_DISPLAYS or self._displayed_bytes > MAX_DISPLAY_BYTES:
            self.displays_cut = True
            return
        _wait_for_descriptors()
        self._send(DISPLAY_PART, number, memoryview(data))
        self._send(DISPLAY_END, number, memoryview(b""))

    def _send(self, tag: bytes, number: int, data: memoryview) -> None:
        for start in range(0, max(len(data), 1), _CHUNK):
            part = data[start : start + _CHUNK]
            _write(self._fd, RECORD_HEAD.pack(tag, number, len(part)) + part)


def _wait_for_descriptors() -> None:
    """Keep the order of outputs: the host reads what subprocesses and C code wrote before the next record is sent."""
    _wait_until_read(1)
    _wait_until_read(2)


def _wait_until_read(fd: int) -> None:
    waiting = array.array("i", [0])
    deadline = 0.0
    while True:
        try:
            _ioctl(fd, termios.FIONREAD, waiting)
        except OSError:  # the cell closed it or put something else there
            return
        if not waiting[0]:
            return
        now = time.monotonic()
        deadline = deadline or now + _DRAIN_S
        if now > deadline:
            return
        time.sleep(0.0005)


class _Raw(io.RawIOBase):
    def __init__(self, pipe: RecordPipe, tag: bytes, descriptor: int) -> None:
        self._pipe = pipe
        self._tag = tag
        self._descriptor = descriptor

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def write(self, data: Any) -> int:
        with memoryview(data) as view, view.cast("B") as flat:
            self._pipe.text(self._tag, flat)
            return len(flat)


def replace_standard_streams(pipe: RecordPipe) -> None:
    """Make `sys.stdout` and `sys.stderr` write to `pipe`; done once, since code may keep references to them."""
    for name, tag, descriptor in (("stdout", STDOUT, 1), ("stderr", STDERR, 2)):
        raw = _Raw(pipe, tag, descriptor)
        stream = io.TextIOWrapper(raw, "utf-8", "backslashreplace", newline="\n", write_through=True)  # pyrefly: ignore[bad-specialization]  # a raw stream will do: nothing is buffered
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


class Descriptors:
    """Descriptors 1 and 2 while a cell runs, for subprocesses and C code."""

    def __init__(self) -> None:
        self._null = os.open(os.devnull, os.O_RDWR)

    def attach(self, out: int, err: int) -> None:
        """Lead 1 and 2 to the cell's pipes."""
        os.dup2(out, 1)
        os.dup2(err, 2)

    def detach(self) -> None:
        """Lead 1 and 2 to nowhere."""
        os.dup2(self._null, 1)
        os.dup2(self._null, 2)
