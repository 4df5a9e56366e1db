"""What a cell printed and displayed, put together by the host from its pipes: capped, in order, never trusted."""

import codecs
import contextlib
import os
import select
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from evaluator.inside.runtime.capture import DISPLAY_END, DISPLAY_PART, MAX_DISPLAYS, RECORD_HEAD, STDERR, STDOUT
from evaluator.session.cell_report import NestedTooDeeplyError, read_hostile_json

KEEP_BYTES: Final = 1024 * 1024
KILL_BYTES: Final = 64 * 1024 * 1024
_MAX_DISPLAY_BYTES: Final = 24 * 1024 * 1024
_MAX_PIECES: Final = 20_000  # text that comes after so many switches between streams joins its stream's last piece
_STREAMS: Final = {STDOUT: "stdout", STDERR: "stderr"}


@dataclass
class _Stream:
    name: str
    data: bytearray = field(default_factory=bytearray)


class Recording:
    """Collects the outputs of one cell."""

    def __init__(self) -> None:
        self.total_bytes = 0
        self._kept_bytes = 0
        self._display_bytes = 0
        self._pending = bytearray()
        self._parts: dict[int, bytearray] = {}
        self._items: list[_Stream | dict[str, Any]] = []
        self._displays: list[dict[str, Any]] = []  # those of `_items`: an update must not search the text
        self._last_pieces: dict[str, _Stream] = {}  # by name of the stream
        self.limits_hit: set[str] = set()

    @property
    def is_over_limit(self) -> bool:
        """Whether so much came that the cell has to be stopped."""
        return self.total_bytes > KILL_BYTES

    def feed_records(self, data: bytes) -> None:
        """Add bytes of the record pipe."""
        self.total_bytes += len(data)
        self._pending += data
        offset = 0
        while len(self._pending) - offset >= RECORD_HEAD.size:
            tag, number, length = RECORD_HEAD.unpack_from(self._pending, offset)
            end = offset + RECORD_HEAD.size + length
            if len(self._pending) < end:
                break
            self._record(tag, number, bytes(self._pending[offset + RECORD_HEAD.size : end]))
            offset = end
        del self._pending[:offset]

    def feed_descriptor(self, name: str, data: bytes) -> None:
        """Add bytes that a subprocess or C code wrote to descriptor 1 (`stdout`) or 2 (`stderr`)."""
        self.total_bytes += len(data)
        self._text(name, data)

    def _record(self, tag: bytes, number: int, body: bytes) -> None:
        if tag in _STREAMS:
            self._text(_STREAMS[tag], body)
        elif tag == DISPLAY_PART:
            self._display_bytes += len(body)
            if self._display_bytes > _MAX_DISPLAY_BYTES or len(self._parts) > MAX_DISPLAYS:
                self.limits_hit.add("displays")
            else:
                self._parts.setdefault(number, bytearray()).extend(body)
        elif tag == DISPLAY_END:
            self._display(bytes(self._parts.pop(number, b"")))

    def _text(self, name: str, data: bytes) -> None:
        room = KEEP_BYTES - self._kept_bytes
        if len(data) > room:
            self.limits_hit.add("output")
            data = data[:room]
        if not data:
            return
        self._kept_bytes += len(data)
        piece = self._last_pieces.get(name)
        if piece is None or (piece is not self._items[-1] and len(self._items) < _MAX_PIECES):
            piece = self._last_pieces[name] = _Stream(name)
            self._items.append(piece)
        piece.data += data

    def _display(self, body: bytes) -> None:
        try:
            bundle = _read_bundle(body)
        except NestedTooDeeplyError:
            self.limits_hit.add("displays")
            return
        if bundle is None:
            return
        display_id, is_update = bundle.pop("display_id", None), bundle.pop("update", False)
        if is_update and display_id is not None:
            for shown in self._displays:
                if shown["display_id"] == display_id:
                    shown["data"] = bundle["data"]
            return
        if len(self._displays) >= MAX_DISPLAYS:
            self.limits_hit.add("displays")
            return
        was_before_value = bundle.pop("before_value", False)
        self._displays.append({**bundle, "display_id": display_id})
        self._items.insert(self._place_of_value() if was_before_value else len(self._items), self._displays[-1])

    def _place_of_value(self) -> int:
        """Return where the last value stands, or the end where none was shown."""
        kinds = (item["output_type"] if isinstance(item, dict) else "" for item in reversed(self._items))
        return next(
            (len(self._items) - back for back, kind in enumerate(kinds, 1) if kind == "execute_result"),
            len(self._items),
        )

    def outputs(self) -> tuple[Mapping[str, Any], ...]:
        """Return streams and displays shaped as in nbformat, in order."""
        shaped: list[dict[str, Any]] = []
        for item in self._items:
            if isinstance(item, _Stream):
                shaped.append({"output_type": "stream", "name": item.name, "text": _decode(item.data)})
            else:
                shaped.append({key: value for key, value in item.items() if key != "display_id"})
        return tuple(shaped)


def _decode(data: bytearray) -> str:
    return codecs.decode(bytes(data), "utf-8", "replace")


def _read_bundle(body: bytes) -> dict[str, Any] | None:
    """Return a display as the exporter writes it; None for anything else.

    Raises:
        NestedTooDeeplyError: If it is nested too deeply to be kept.
    """
    try:
        bundle = read_hostile_json(body)
    except NestedTooDeeplyError:
        raise
    except ValueError:
        return None
    if not isinstance(bundle, dict) or bundle.get("output_type") not in ("display_data", "execute_result"):
        return None
    data = bundle.get("data")
    if not isinstance(data, dict) or not all(isinstance(mime, str) for mime in data):
        return None
    clean: dict[str, Any] = {"output_type": bundle["output_type"], "metadata": {}}
    clean["data"] = {m: v for m, v in data.items() if m.endswith("json") or isinstance(v, str)}
    if clean["output_type"] == "execute_result":
        clean["execution_count"] = None
    if isinstance(bundle.get("display_id"), str):
        clean["display_id"] = bundle["display_id"]
        clean["update"] = bundle.get("update") is True
    if bundle.get("before_value") is True:
        clean["before_value"] = True
    return clean


_READ: Final = 256 * 1024
_USUAL_PIPE_BYTES: Final = 64 * 1024
_PIPE_BYTES: Final = 1024 * 1024
_NAMES: Final = ("records", "stdout", "stderr")


class CellPipes:
    """Three pipes; the far ends are the cell's."""

    def __init__(self) -> None:
        """Make them; the near ends do not block."""
        self.near: list[int] = []
        self.far: list[int] = []
        for name in _NAMES:
            near, far = os.pipe()
            os.set_blocking(near, False)
            if name != "records":  # others may write there who do not wait until it is read
                _widen(near)
            self.near.append(near)
            self.far.append(far)

    def passed_on(self) -> None:
        """Close our copies of the far ends."""
        for descriptor in self.far:
            os.close(descriptor)
        self.far = []

    def read(self, ready: set[int], poll: "select.poll", recording: Recording) -> None:
        """Read what is ready, records first: a record is only sent when descriptors 1 and 2 have been read.

        What a descriptor received may follow a record that came while `poll` looked: records are read in either case.
        """
        is_any = not ready.isdisjoint(self.near)
        for name, descriptor in zip(_NAMES, self.near, strict=True):
            if descriptor not in ready and not (is_any and name == "records"):
                continue
            try:
                data = os.read(descriptor, _READ)
            except BlockingIOError:
                continue
            if name == "records" and len(data) >= _USUAL_PIPE_BYTES:  # it was full
                _widen(descriptor)
            if not data:
                if descriptor in ready:
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
