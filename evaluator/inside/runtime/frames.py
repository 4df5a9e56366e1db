"""The one frame format between host and sandbox: kind (1 byte), length (4 bytes, little endian), body."""

import json
import os
import struct
from collections.abc import Iterator, Mapping
from enum import IntEnum
from typing import Any, Final, NamedTuple

MAX_BODY: Final = 320 * 1024 * 1024
FOR_KERNEL: Final = b"kernel"
"""Body of a FORK that asks for a process that keeps a kernel instead of running cells itself."""
_HEAD: Final = struct.Struct("<BI")
HEAD_SIZE: Final = _HEAD.size
_SIZE: Final = struct.Struct("<I")
_CHUNK: Final = 1024 * 1024


class FrameKind(IntEnum):
    """What a frame means. Requests travel from the host, answers to it."""

    FORK = 1  # host -> template: one descriptor attached, the session's socket
    FORKED = 2  # template -> host: pidfd attached
    OPEN = 3  # host -> session: JSON with key, rng_seed, folder
    OPENED = 4  # session -> host: ready for cells
    EXEC = 5  # host -> session: run in the session itself
    TRY = 6  # host -> session: run in a forked copy
    STARTED = 7  # session -> host: the trial's pidfd attached; of one that lives on, the states of variables as JSON
    ENDED = 8  # session -> host: the trial is dead and everything it started with it
    READY = 9  # cell -> host: the clock starts
    CELL_DONE = 10
    EXPORT = 11  # host -> cell: names and wants
    VIEW = 12  # cell -> host: what people see
    PAYLOAD = 13  # cell -> host: what the comparator reads
    FAILED = 14  # inside -> host: JSON with "reason"
    INPUTS = 15  # host -> session: JSON list of names, one descriptor each
    START = 16  # host -> session: all inputs are sent
    PROBE = 17  # host -> cell: what to try with what it left behind, in a file whose descriptor is attached
    ANSWER = 18  # cell -> host: what a probe found, read by the comparator; empty when the probe died
    KEEP = 19  # host -> session: fork a copy that lives on; one descriptor attached, the socket that its cells come by
    JUDGE = 20  # host -> comparator: parts = JSON header, both payloads, the reference's answers, the submission's
    FINDINGS = 21  # comparator -> host: JSON findings tree
    DRAFT = 27  # cell -> host: a payload that LATER parts complete: one before the probes, one after them
    LATER = 28  # cell -> host: figures, and what the cell would have shown
    PART = 26  # kernel -> host: part of an answer, in case the kernel does not live to give all of it
    THREADS = 25  # host -> session and back: JSON list of the native threads that a fork would lose
    KERNEL = 23  # host -> session: become a kernel; its socket and the socket it listens on attached
    WATCH = 24  # host -> session: JSON with the memory its kernel may use from now on
    GRADE = 29  # host -> grader: parts = JSON header, then the expected and the found side of each item
    BAD_PAYLOAD = 22  # comparator -> host: JSON with "side" (reference | submission) and "reason"


class FrameError(Exception):
    """The peer sent something that is no frame, or the stream ended in the middle of one."""


class Packet(NamedTuple):
    """One message."""

    kind: int
    body: bytes


def write_frame(fd: int, kind: int, body: bytes = b"", *, before: bytes = b"") -> None:
    """Write one frame to a blocking descriptor, and bytes before it.

    Raises:
        OSError: If the peer is gone.
    """
    head = before + frame_head(kind, body)
    if len(body) < _CHUNK:
        write_all(fd, head + body)
        return
    write_all(fd, head)
    write_all(fd, body)


def frame_head(kind: int, body: bytes) -> bytes:
    """Return the bytes that precede a body."""
    return _HEAD.pack(kind, len(body))


def write_all(fd: int, data: bytes) -> None:
    """Write all of `data` to a blocking descriptor."""
    _write_all(fd, memoryview(data))


def _write_all(fd: int, data: memoryview) -> None:
    while data:
        written = os.write(fd, data)
        if written <= 0:  # a filter of the cell's own may answer so, for ever
            raise OSError("nothing can be written")
        data = data[written:]


def read_frame(fd: int, *, limit: int = MAX_BODY, begun: bytes = b"") -> Packet | None:
    """Read one frame from a blocking descriptor; None at the end of the stream.

    Args:
        fd: The descriptor.
        limit: The longest body that is accepted.
        begun: Bytes of the frame's head that were read already.

    Raises:
        FrameError: If the stream ends inside a frame, or the frame announces more than `limit` bytes.
    """
    rest = _read_exactly(fd, HEAD_SIZE - len(begun), may_end=not begun)
    if rest is None:
        return None
    head = begun + rest
    kind, length = _HEAD.unpack(head)
    if length > limit:
        raise FrameError(f"a frame announces {length} bytes, at most {limit} are allowed")
    body = _read_exactly(fd, length, may_end=False)
    assert body is not None
    return Packet(kind, body)


def _read_exactly(fd: int, count: int, *, may_end: bool) -> bytes | None:
    parts: list[bytes] = []
    missing = count
    while missing:
        data = os.read(fd, min(missing, _CHUNK))
        if not data:
            if may_end and missing == count:
                return None
            raise FrameError("the stream ended inside a frame")
        parts.append(data)
        missing -= len(data)
    return b"".join(parts)


class FrameBuffer:
    """Cuts frames out of bytes that arrive in pieces; memory grows only with bytes that really came."""

    def __init__(self, limit: int = MAX_BODY) -> None:
        self._limit = limit
        self._data = bytearray()

    def feed(self, data: bytes) -> Iterator[Packet]:
        """Add bytes and yield the frames that are complete.

        Raises:
            FrameError: If a frame announces more than the limit.
        """
        self._data += data
        begin = 0
        try:
            while len(self._data) - begin >= _HEAD.size:
                kind, length = _HEAD.unpack_from(self._data, begin)
                if length > self._limit:
                    raise FrameError(f"a frame announces {length} bytes, at most {self._limit} are allowed")
                end = begin + _HEAD.size + length
                if len(self._data) < end:
                    return
                with memoryview(self._data) as view:
                    body = bytes(view[begin + _HEAD.size : end])
                begin = end
                yield Packet(kind, body)
        finally:
            del self._data[:begin]  # once, since it moves all that is left


def pack_parts(header: Mapping[str, Any], *blobs: bytes | None) -> bytes:
    """Return a body of one JSON header and any number of byte strings; None travels as None."""
    parts = [json.dumps(header, separators=(",", ":")).encode()]
    presence = bytes(0 if blob is None else 1 for blob in blobs)
    parts.append(presence)
    parts.extend(blob or b"" for blob in blobs)
    return _SIZE.pack(len(parts)) + b"".join(_SIZE.pack(len(part)) for part in parts) + b"".join(parts)


def unpack_parts(body: bytes) -> tuple[dict[str, Any], list[bytes | None]]:
    """Return header and byte strings of `pack_parts`.

    Raises:
        FrameError: If the body is not what `pack_parts` makes.
    """
    try:
        (count,) = _SIZE.unpack_from(body)
        sizes = [_SIZE.unpack_from(body, _SIZE.size * (i + 1))[0] for i in range(count)]
        offset = _SIZE.size * (count + 1)
        parts = []
        for size in sizes:
            parts.append(body[offset : offset + size])
            offset += size
        header = json.loads(parts[0])
    except (struct.error, ValueError, IndexError, RecursionError) as error:
        raise FrameError(f"malformed parts: {error}") from error
    if offset != len(body) or count < 2 or len(parts[1]) != count - 2 or not isinstance(header, dict):
        raise FrameError("malformed parts")
    return header, [blob if here else None for here, blob in zip(parts[1], parts[2:], strict=True)]
