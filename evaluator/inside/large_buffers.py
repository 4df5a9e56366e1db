"""Digests of large buffers, which a trial need not compute again for memory that it still shares with its session."""

import hashlib
import os
from typing import Any, Final

import numpy as np

LARGE_BYTES: Final = 1024 * 1024
"""From here on it is cheaper to ask the kernel which pages were written to."""

_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_ENTRY: Final = np.dtype("<u8")
_PRESENT: Final = 1 << 63
_OF_FILE: Final = 1 << 61  # or of memory that is shared on purpose: a write leaves it shared
_OWN: Final = 1 << 56  # mapped by this process alone
_ASKED: Final = np.uint64(_PRESENT | _OF_FILE | _OWN)
_SHARED: Final = np.uint64(_PRESENT)

_open, _close, _pread, _O_RDONLY = os.open, os.close, os.pread, os.O_RDONLY  # before any cell can replace them


class LargeBuffers:
    """Digests by place in memory, as they are while no code of a cell runs.

    A write to a page that is shared with the process one was forked from gives the writer a page of its own. So what
    is still shared is as it was, unless a third process shares it: the caller knows that there is none.
    Source: Documentation/admin-guide/mm/pagemap.rst of Linux.
    """

    def __init__(self) -> None:
        self._digests: dict[tuple[int, int], bytes] = {}
        self._shared: dict[tuple[int, int], bytes] = {}

    def forget(self) -> None:
        """Drop all digests: code has run since they were made."""
        self._digests = {}

    def share(self) -> None:
        """In a fork, when its code has run: take for shared what the process before it had digests of."""
        self._shared, self._digests = self._digests, {}

    def digest(self, buffer: Any) -> bytes:
        """Return SHA-256 over a buffer, from memory where that is still true of it."""
        place = _place_of(buffer)
        known = None if place is None else self._shared.get(place)
        if place is not None and known is not None and _is_shared(*place):
            return known
        made = hashlib.sha256(buffer).digest()
        if place is not None:
            self._digests[place] = made
        return made


def _place_of(buffer: Any) -> tuple[int, int] | None:
    """Return where the bytes of a flat array lie, and how many they are."""
    if type(buffer) is not np.ndarray or not buffer.flags.c_contiguous:
        return None
    return int(buffer.__array_interface__["data"][0]), int(buffer.nbytes)


def _is_shared(address: int, size_bytes: int) -> bool:
    """Tell whether every page is there, is no file's, and is mapped by another process too."""
    first, last = address // _PAGE, (address + size_bytes - 1) // _PAGE
    wanted = (last - first + 1) * _ENTRY.itemsize
    try:
        descriptor = _open("/proc/self/pagemap", _O_RDONLY)
        try:
            data = _pread(descriptor, wanted, first * _ENTRY.itemsize)
        finally:
            _close(descriptor)
    except OSError:  # this kernel, or the sandbox, does not show it
        return False
    return len(data) == wanted and bool(((np.frombuffer(data, _ENTRY) & _ASKED) == _SHARED).all())
