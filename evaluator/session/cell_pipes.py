"""The pipes of one cell: its records and its descriptors 1 and 2, read by the host."""

import contextlib
import os
import select
from collections.abc import Sequence
from typing import Final

from evaluator.session.recording import Recording

_READ: Final = 256 * 1024
_PIPE_BYTES: Final = 1024 * 1024
_NAMES: Final = ("records", "stdout", "stderr")


class CellPipes:
    """Three pipes; the far ends are the cell's."""

    def __init__(self) -> None:
        """Make them; the near ends do not block."""
        self.near: list[int] = []
        self.far: list[int] = []
        for _ in _NAMES:
            near, far = os.pipe()
            os.set_blocking(near, False)
            _widen(near)
            self.near.append(near)
            self.far.append(far)

    def passed_on(self) -> None:
        """Close our copies of the far ends."""
        for descriptor in self.far:
            os.close(descriptor)
        self.far = []

    def read(self, ready: set[int], poll: "select.poll", recording: Recording) -> None:
        """Read what is ready, records first: a record is only sent when descriptors 1 and 2 have been read."""
        for name, descriptor in zip(_NAMES, self.near, strict=True):
            if descriptor not in ready:
                continue
            try:
                data = os.read(descriptor, _READ)
            except BlockingIOError:
                continue
            if not data:
                poll.unregister(descriptor)
            elif name == "records":
                recording.feed_records(data)
            else:
                recording.feed_descriptor(name, data)

    def close(self) -> None:
        """Close what is still open."""
        for descriptor in self._all():
            os.close(descriptor)
        self.near, self.far = [], []

    def _all(self) -> Sequence[int]:
        return (*self.near, *self.far)


def _widen(pipe: int) -> None:
    """Let a cell print ahead of us; the kernel may refuse, which only costs speed."""
    import fcntl  # not on Windows, where sessions are refused in plain words

    with contextlib.suppress(OSError):
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
