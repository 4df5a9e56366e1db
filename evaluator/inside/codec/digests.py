"""Digests of large values and buffers: they tell whether anything was changed and nothing else.

A value over a limit of the codec is read level by level instead of part by part. Parts of one type are hashed
together, mostly as NumPy writes them, which is some twenty times faster than a node for each.
"""

import collections
import datetime
import decimal
import hashlib
import os
from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any, Final

import numpy as np
import pandas as pd

from evaluator.inside.codec.encode.encode_plain import zone_node
from evaluator.inside.codec.encode.encoder import FINGERPRINT_LIMITS, Encoder, to_json, type_path

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

_MAX_PARTS: Final = 5_000_000
_MAX_LEVELS: Final = 200
_MAX_OTHERS: Final = 50_000  # parts that only the codec can write
_LISTS: Final = frozenset({list, tuple, set, frozenset, collections.deque})
_MAPPINGS: Final = frozenset({dict, collections.OrderedDict, collections.defaultdict, collections.Counter})
_NUMBERS: Final = frozenset(np.dtype(code).type for code in "?bhilqpBHILQPefd")


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
    """Return whether every page is there, is no file's, and is mapped by another process too."""
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


def _moment(value: Any) -> tuple[Any, ...]:
    return (value.replace(tzinfo=None).isoformat(), value.fold, to_json(zone_node(value.tzinfo)))


def _timestamp(value: Any) -> tuple[Any, ...]:
    return (value._value, value.unit, value.fold, to_json(zone_node(value.tzinfo)))


_TOLD: Final[dict[type, Callable[[Any], Any]]] = {
    datetime.date: datetime.date.toordinal,
    datetime.datetime: _moment,
    pd.Timestamp: _timestamp,
    decimal.Decimal: decimal.Decimal.__str__,
}
"""What tells a value of a type in plain ones."""


def _ints(values: list[int]) -> bytes:
    try:
        return np.array(values, np.int64).tobytes()
    except OverflowError:
        return " ".join(map(hex, values)).encode()


def _texts(values: list[str]) -> bytes:
    return _ints([*map(len, values)]) + "".join(values).encode("utf-8", "surrogatepass")


_WRITERS: Final[dict[type, Callable[[list[Any]], bytes]]] = {
    type(None): lambda values: _ints([len(values)]),
    bool: lambda values: np.array(values, np.bool_).tobytes(),
    int: _ints,
    float: lambda values: np.array(values, np.float64).tobytes(),
    complex: lambda values: np.array(values, np.complex128).tobytes(),
    str: _texts,
    bytes: lambda values: _ints([*map(len, values)]) + b"".join(values),
}
"""What writes many values of a type."""


class _Unread(Exception):  # noqa: N818  # an event that its caller turns into "not checked"
    """There are too many parts, or some that have no form."""


def bulk_digest(value: Any, large: LargeBuffers) -> bytes | None:
    """Return a digest over all parts of a value; None where there are too many of them, or unknown ones.

    Args:
        value: Any.
        large: Knows digests of large buffers from before.
    """
    try:
        return _Walk(large).digest(value)
    except Exception:  # noqa: BLE001  # whatever it consists of: then it is not checked
        return None


def _keys(kind: Any) -> Callable[[Any], Iterable[Any]]:
    return kind.keys  # pyrefly: ignore[no-any-return-explicit]  # of a type of the standard library


def _values(kind: Any) -> Callable[[Any], Iterable[Any]]:
    return kind.values  # pyrefly: ignore[no-any-return-explicit]  # as above


class _Walk:
    def __init__(self, large: LargeBuffers) -> None:
        self._large = large
        self._hash = hashlib.sha256()
        self._parts = self._others = 0
        self._next: list[Any] = []

    def digest(self, value: Any) -> bytes:
        level = [value]
        for _ in range(_MAX_LEVELS):
            self._parts += len(level)
            if self._parts > _MAX_PARTS:
                break
            self._next = []
            self._level(level)
            if not self._next:
                return self._hash.digest()
            level = self._next
        raise _Unread

    def _level(self, level: list[Any]) -> None:
        kinds = list(map(type, level))
        found = sorted(set(kinds), key=type_path)
        self._text(*map(type_path, found))
        if len(found) > 255:
            raise _Unread
        codes = {kind: code for code, kind in enumerate(found)}
        if len(found) > 1:
            self._hash.update(bytes(map(codes.__getitem__, kinds)))
        for kind in found:
            self._group(kind, level if len(found) == 1 else [v for v, k in zip(level, kinds, strict=True) if k is kind])

    def _group(self, kind: type, values: list[Any]) -> None:
        """Hash the values of one type, and leave their parts for the next level."""
        if kind in _WRITERS:
            self._hash.update(_WRITERS[kind](values))
        elif kind in _LISTS:
            self._descend(map(len, values), chain.from_iterable(values))
        elif kind in _MAPPINGS:
            self._descend(map(len, values), chain.from_iterable(map(_keys(kind), values)))
            self._next.extend(chain.from_iterable(map(_values(kind), values)))
        elif kind in _NUMBERS:
            self._array(np.array(values, kind))
        elif kind in _TOLD:
            self._text(*map(_TOLD[kind], values))
        elif kind is np.ndarray:
            for value in values:
                self._any_array(value)
        elif kind in (pd.DataFrame, pd.Series):
            for value in values:
                self._table(value)
        else:
            self._encoded(values)

    def _text(self, *values: object) -> None:
        """Hash plain values by what Python shows of them."""
        self._hash.update(repr(values).encode("utf-8", "surrogatepass"))

    def _descend(self, lengths: Iterable[int], parts: Iterable[Any]) -> None:
        self._hash.update(_ints([*lengths]))
        for part in parts:
            self._next.append(part)
            if len(self._next) > _MAX_PARTS:
                raise _Unread

    def _any_array(self, value: "np.ndarray[Any, Any]") -> None:
        self._text(value.dtype.str, value.shape)
        if value.dtype.kind == "O":
            self._next.extend(value.reshape(-1).tolist())
        elif value.dtype.names is None:
            self._array(value)
        else:
            self._encoded([value])

    def _array(self, value: "np.ndarray[Any, Any]") -> None:
        if value.size and value.dtype.itemsize:
            self._hash.update(self._large.digest(np.ascontiguousarray(value).reshape(-1).view(np.uint8)))

    def _table(self, value: Any) -> None:
        if type(value) is pd.Series:
            self._next += [value.name, value.index, value._values]
        else:
            self._next += [value.columns, value.index, *map(value._get_column_array, range(value.shape[1]))]

    def _encoded(self, values: list[Any]) -> None:
        """Hash values as the codec writes them; those that it does not write whole are not checked."""
        self._others += len(values)
        if self._others > _MAX_OTHERS:
            raise _Unread
        encoder = Encoder(FINGERPRINT_LIMITS)
        nodes = [encoder.node(value) for value in values]
        if not encoder.is_exact:
            raise _Unread
        self._hash.update(to_json(nodes).encode())
        for buffer in encoder.buffers:
            self._hash.update(self._large.digest(buffer))
