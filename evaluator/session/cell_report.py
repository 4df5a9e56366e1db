"""What a cell's process reports of itself: read as a stranger's words, of exactly the agreed form or not at all."""

import json
import math
import os
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, Final

from evaluator.inside.export.suspicious_code import MARKS
from evaluator.inside.runtime.frames import pack_parts
from evaluator.session.outcome import Ending, ErrorView, ProbeAnswer

_PATIENCE_S: Final = 2.0
"""For the report of a cell that leaves next to nothing: milliseconds, unless the machine is busy."""
_FACTOR: Final = 5.0
"""How many times longer than the session's own cells a submission's may report: other values, a busier machine."""
_MEASURED_MAX_S: Final = 10.0
"""What is measured counts up to here: one of a session's own cells may have been stopped for a while."""
_HELD_S_PER_MB: Final = 0.0025
"""For digests of what the process holds: 400 MB a second, which processors without instructions for SHA-256 reach."""
_RECEIVED_S_PER_MB: Final = 0.1
"""For values that are written down and sent."""
_MB: Final = 1024 * 1024
_KERNEL_FILE: Final = 8192  # bytes


class ExportTime:
    """What reporting took in one session, and what it may therefore take a submission."""

    def __init__(self) -> None:
        self._measured_s = 0.0

    def measure(self, seconds: float) -> None:
        """Note how long a cell took to report whose code is trusted."""
        self._measured_s = max(self._measured_s, min(seconds, _MEASURED_MAX_S))

    def allowance_s(self, *, held_bytes: int, received_bytes: int) -> float:
        """Return how long a submission may take to report.

        Args:
            held_bytes: Memory that its process held when it said that it had ended.
            received_bytes: Of the report, so far.
        """
        grown = held_bytes / _MB * _HELD_S_PER_MB + received_bytes / _MB * _RECEIVED_S_PER_MB
        return _PATIENCE_S + _FACTOR * self._measured_s + grown


def held_bytes(pid: int) -> int:
    """Return how much memory a process holds, what it shares since its fork included; 0 where that cannot be told.

    Mapped files and shared memory do not count: a page counts there once for each mapping, of which a process may
    have as many as it likes for next to no time.
    """
    try:
        return int(read_kernel_file(f"/proc/{pid}/status").split(b"RssAnon:")[1].split()[0]) * 1024
    except (OSError, ValueError, IndexError):
        return 0


def read_kernel_file(path: str) -> bytes:
    """Return what the kernel says in a short file below /proc; a file object would take twice as many calls of it.

    Raises:
        OSError: If it cannot be read.
    """
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(file, _KERNEL_FILE)
    finally:
        os.close(file)


MAX_JSON_DEPTH: Final = 100
"""Levels of lists and objects: whoever reads the value later may call itself for each."""
_MAY_HOLD_SURROGATES = (b"\\u", b"\xed")


class NestedTooDeeplyError(ValueError):
    """JSON of more levels than `MAX_JSON_DEPTH`."""


def read_hostile_json(body: bytes) -> Any:
    """Return the value.

    Halves of surrogate pairs, which no file and no terminal takes, become question marks; NaN and infinities, which
    are no JSON, become None.

    Raises:
        NestedTooDeeplyError: If it is nested too deeply.
        ValueError: If it is no JSON.
    """
    try:
        value = _parsed(body)
    except RecursionError:
        raise NestedTooDeeplyError from None
    if body.count(b"[") + body.count(b"{") > MAX_JSON_DEPTH and _is_too_deep(value):
        raise NestedTooDeeplyError
    if not any(mark in body for mark in _MAY_HOLD_SURROGATES):
        return value
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def _parsed(body: bytes) -> Any:
    return _DECODER.decode(body.decode("utf-8", "surrogatepass"))  # in UTF-16 halves of pairs would not be seen


def _no_number(_: str) -> None:
    """Stand for NaN, Infinity and -Infinity."""


def _finite(text: str) -> float | None:
    number = float(text)
    return number if math.isfinite(number) else None


_DECODER: Final = json.JSONDecoder(parse_constant=_no_number, parse_float=_finite)


def _is_too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_JSON_DEPTH + 1):
        level = [part for each in level if isinstance(each, (dict, list)) for part in _parts(each)]
        if not level:
            return False
    return True


def _parts(value: dict[str, Any] | list[Any]) -> Any:
    return value.values() if isinstance(value, dict) else value


_MAX_VIEW: Final = 4 * 1024 * 1024
_MAX_STATE: Final = 64
_LIMITS: Final = frozenset({"memory", "displays", "processes", "files"})


@dataclass
class CellReport:
    """What has arrived so far."""

    view: dict[str, Any] | None = None
    payload: bytes | None = None
    later: list[bytes] = field(default_factory=list)  # parts of it that came after it
    broken: bool = False
    ending: Ending | None = None  # decided by us, before the cell's own words count
    limits_hit: set[str] = field(default_factory=set)
    answers: list[ProbeAnswer] = field(default_factory=list)

    def whole_payload(self) -> bytes | None:
        """Return the payload with what was told later, each part as it came."""
        if self.payload is None or not self.later:
            return self.payload
        return pack_parts({}, self.payload, *self.later)


def read_view(body: bytes) -> dict[str, Any] | None:
    """Return a view of exactly the agreed form; None for anything else."""
    if len(body) > _MAX_VIEW:
        return None
    try:
        view = read_hostile_json(body)
        error, variables = view["error"], view["variables"]
    except (ValueError, KeyError, TypeError):
        return None
    if not isinstance(variables, list) or len(variables) > 1000:
        return None
    if error is not None and not _has_texts(error, {"name", "message", "traceback"}):
        return None
    if not all(_has_texts(variable, {"name", "type", "text", "change"}) for variable in variables):
        return None
    if not _are_states(view.setdefault("states", {})):
        return None
    return view if _lists(view.get("limits_hit"), _LIMITS) and _lists(view.get("marks"), MARKS) else None


def _are_states(states: Any) -> bool:
    """Return whether this says of variables what state a cell found and left; None of one that was hidden from it."""
    if not isinstance(states, dict):
        return False
    pairs = [pair for pair in states.values() if isinstance(pair, list) and len(pair) == 2]
    return len(pairs) == len(states) and all(
        state is None or (isinstance(state, str) and len(state) <= _MAX_STATE) for pair in pairs for state in pair
    )


def _lists(items: Any, known: Collection[str]) -> bool:
    return isinstance(items, list) and all(isinstance(item, str) and item in known for item in items)


def _has_texts(item: Any, keys: set[str]) -> bool:
    return isinstance(item, dict) and set(item) == keys and all(isinstance(text, str) for text in item.values())


def error_view(view: dict[str, Any] | None) -> ErrorView | None:
    """Return the error in a view, if there is one."""
    return ErrorView(**view["error"]) if view and view["error"] is not None else None
