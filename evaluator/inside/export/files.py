"""Files that a cell left in its working folder, as bytes: no link is followed, nothing is waited for."""

import contextlib
import os
import stat
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

MAX_FILE_BYTES: Final = 16 * 1024 * 1024
MAX_BYTES: Final = 64 * 1024 * 1024  # of all files of one payload
_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_FOLDER: Final = _FLAGS | os.O_DIRECTORY

_open, _close, _read, _fstat = os.open, os.close, os.read, os.fstat  # bound before any cell can replace them


class LeftFile(NamedTuple):
    """One asked file."""

    path: str
    state: str  # ok | absent | refused (no regular file of this folder) | over (too large)
    data: bytes = b""


def read_files(folder: str, paths: Sequence[str]) -> Iterator[LeftFile]:
    """Yield the asked files of a folder, in the order asked."""
    left = MAX_BYTES
    for path in paths:
        found = _read_file(folder, path, min(left, MAX_FILE_BYTES))
        left -= len(found.data)
        yield found


def is_plain_path(path: str) -> bool:
    """Return whether a path names something beneath a folder, without leaving it on the way."""
    return bool(path) and "\0" not in path and all(part not in ("", ".", "..") for part in path.split("/"))


def _read_file(folder: str, path: str, limit: int) -> LeftFile:
    if not is_plain_path(path):
        return LeftFile(path, "refused")
    try:
        descriptor = _open_beneath(folder, path.split("/"))
    except FileNotFoundError:
        return LeftFile(path, "absent")
    except OSError:  # a link, a socket, a device without a driver, a file where a folder is named
        return LeftFile(path, "refused")
    try:
        facts = _fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            return LeftFile(path, "refused")
        if facts.st_size > limit:
            return LeftFile(path, "over")
        data = _read_up_to(descriptor, limit + 1)
        return LeftFile(path, "ok", data) if len(data) <= limit else LeftFile(path, "over")
    except OSError:
        return LeftFile(path, "refused")
    finally:
        _close(descriptor)


def _open_beneath(folder: str, parts: list[str]) -> int:
    """Open a path part by part, so that no part of it can be a link, whenever it is swapped."""
    place = _open(folder, _FOLDER)
    for number, part in enumerate(parts, 1):
        try:
            below = _open(part, _FLAGS if number == len(parts) else _FOLDER, dir_fd=place)
        finally:
            with contextlib.suppress(OSError):
                _close(place)
        place = below
    return place


def _read_up_to(descriptor: int, count: int) -> bytes:
    parts = []
    while count > 0 and (part := _read(descriptor, min(count, 1 << 20))):
        parts.append(part)
        count -= len(part)
    return b"".join(parts)
