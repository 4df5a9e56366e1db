"""The reading half of the codec: rebuilds values from nodes and buffers that nobody vouches for."""

# ruff: noqa: ARG001  # every reader has the same signature

import base64
import binascii
import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from evaluator.inside.codec.decode.decoded import FAILED, OVER_LIMIT, Opaque
from evaluator.inside.codec.encode.encoder import VALUE_LIMITS, Limits, Node

_SLACK: Final = 64  # levels that nodes add to the depth of a value
_MAX_VALUES: Final = 8  # whole values that one payload may hold, in bytes: a buffer may stand in many of them
_ITEMS_PER_NODE: Final = 32  # of plain lists within nodes: the parts of a sequence, the bases of a type

Reader = Callable[..., Any]
READERS: Final[dict[str, tuple[Reader, int]]] = {}


class BadPayload(Exception):  # noqa: N818  # a verdict about the peer's bytes, not an error of ours
    """The bytes are no payload: malformed, over a limit, short, or holding what was not asked for."""


def reads(tag: str, parts: int) -> Callable[[Reader], Reader]:
    """Register the reader of nodes with a tag and a number of parts after it."""

    def register(reader: Reader) -> Reader:
        if tag in READERS:
            raise ValueError(f"two readers for {tag!r}")
        READERS[tag] = (reader, parts)
        return reader

    return register


class Decoder:
    """Reads values; every buffer may be used any number of times, but each use counts."""

    def __init__(self, buffers: Sequence[memoryview], limits: Limits = VALUE_LIMITS) -> None:
        self._buffers = buffers
        self._limits = limits
        self._depth = 0
        self._nodes = 0
        self._items = 0
        self._size = 0
        self._size_of_all = 0

    def start_value(self) -> None:
        """Begin to count a new value against the limits."""
        self._nodes = self._items = self._size = self._depth = 0

    def value(self, node: Node) -> Any:
        """Return the value of a node.

        Raises:
            BadPayload: If the node is none.
        """
        self._nodes += 1
        if self._nodes > self._limits.nodes + 1 or self._depth > self._limits.depth + _SLACK:
            raise BadPayload("a value has too many parts")
        if type(node) is not list or not node or type(node[0]) is not str or node[0] not in READERS:
            raise BadPayload(f"no node: {str(node)[:60]!r}")
        reader, parts = READERS[node[0]]
        if len(node) != parts + 1:
            raise BadPayload(f"a node {node[0]!r} of {len(node)} parts")
        self._depth += 1
        try:
            return reader(self, *node[1:])
        finally:
            self._depth -= 1

    def number(self, item: Any, *, low: int = -(1 << 63), high: int = (1 << 63) - 1) -> int:
        """Return a plain integer within bounds."""
        if type(item) is not int or not low <= item <= high:
            raise BadPayload(f"no integer in bounds: {str(item)[:40]!r}")
        return item

    def string(self, item: Any, *, longest: int = 4096) -> str:
        """Return a plain string of bounded length."""
        if type(item) is not str or len(item) > longest:
            raise BadPayload("no string")
        return item

    def items(self, item: Any) -> list[Any]:
        """Return a plain list."""
        if type(item) is not list:
            raise BadPayload("no list")
        self._items += len(item)
        if self._items > _ITEMS_PER_NODE * self._limits.nodes:
            raise BadPayload("a value has too many parts")
        return item

    def raw(self, reference: Any) -> memoryview:
        """Return the bytes behind a reference."""
        if type(reference) is str:
            try:
                data = memoryview(base64.b64decode(reference.encode(), validate=True))
            except (binascii.Error, ValueError) as error:
                raise BadPayload("bytes are not in base64") from error
        else:
            data = self._buffers[self.number(reference, low=0, high=len(self._buffers) - 1)]
        self._size += len(data)
        self._size_of_all += len(data)
        size = self._limits.size_bytes
        if self._size > 2 * size or self._size_of_all > _MAX_VALUES * size:
            raise BadPayload("a value has too many bytes")
        return data

    def count(self, item: Any) -> int:
        """Return a number of elements, each of which takes a byte or more, or is as dear as if it did."""
        return self.number(item, low=0, high=2 * self._limits.size_bytes)

    def array(self, reference: Any, dtype: "np.dtype[Any] | str", count: int | None = None) -> "np.ndarray[Any, Any]":
        """Return a writable flat array of plain elements."""
        data, kind = self.raw(reference), np.dtype(dtype)
        if kind.itemsize == 0:
            if len(data) or count is None or count > self._limits.nodes:
                raise BadPayload("bytes for elements without size")
            return np.zeros(count, kind)
        if len(data) % kind.itemsize or (count is not None and len(data) != count * kind.itemsize):
            raise BadPayload("the number of bytes does not fit the shape")
        result = np.frombuffer(data, kind).copy()
        check_elements(result)
        return result

    def shape(self, item: Any, *, cells: int | None = None) -> tuple[int, ...]:
        """Return a shape of at most 32 dimensions; its cells are at most as many as a value has bytes."""
        dimensions = self.items(item)
        if len(dimensions) > 32:
            raise BadPayload("too many dimensions")
        shape = tuple(self.number(size, low=0) for size in dimensions)
        most = 2 * self._limits.size_bytes if cells is None else cells
        if math.prod(size for size in shape if size) > most:
            raise BadPayload("too many elements")
        return shape

    def strings(self, count: Any, ends: Any, data: Any) -> list[str]:
        """Return packed strings."""
        size = self.count(count)
        stops = self.array(ends, "<i8", size)
        raw = bytes(self.raw(data))
        if size and (stops[0] < 0 or (np.diff(stops) < 0).any() or stops[-1] != len(raw)):
            raise BadPayload("offsets of strings do not fit")
        bounds = stops.tolist()
        starts = [0, *bounds[:-1]]
        try:
            if raw.isascii():
                text = raw.decode("ascii")
                return [text[a:b] for a, b in zip(starts, bounds, strict=False)]
            return [raw[a:b].decode("utf-8", "surrogatepass") for a, b in zip(starts, bounds, strict=False)]
        except UnicodeDecodeError as error:
            raise BadPayload("text is not UTF-8") from error

    def sequence(self, node: Any) -> list[Any]:
        """Return the values of a sequence, packed or not."""
        if type(node) is not list or not node:
            raise BadPayload("no sequence")
        tag, parts = node[0], node[1:]
        if tag == "n" and len(parts) == 1:
            return [self.value(item) for item in self.items(parts[0])]
        if tag == "ps" and len(parts) == 3:
            return self.strings(*parts)
        dtypes = {"pf": "<f8", "pb": "?", "pi": "<i8"}
        if tag in dtypes and len(parts) == 1:
            return list(self.array(parts[0], dtypes[tag]).tolist())
        if tag == "pm" and len(parts) == 7:
            return self._mixed(*parts)
        raise BadPayload("no sequence")

    def _mixed(self, codes: Any, flags: Any, numbers: Any, floats: Any, count: Any, ends: Any, data: Any) -> list[Any]:
        sources = {
            1: iter(self.array(flags, "?").tolist()),
            2: iter(self.array(numbers, "<i8").tolist()),
            3: iter(self.array(floats, "<f8").tolist()),
            4: iter(self.strings(count, ends, data)),
        }
        try:
            values = [None if code == 0 else next(sources[code]) for code in self.array(codes, "u1").tolist()]
        except (KeyError, StopIteration) as error:
            raise BadPayload("packed values do not fit their kinds") from error
        if any(next(source, sources) is not sources for source in sources.values()):
            raise BadPayload("packed values are left over")
        return values


def check_elements(array: "np.ndarray[Any, Any]") -> None:
    """Refuse elements that no array of that dtype can hold."""
    if array.dtype.kind == "b" and array.size and array.view(np.uint8).max() > 1:
        raise BadPayload("a boolean is neither 0 nor 1")
    if array.dtype.kind == "U" and array.size:
        points = array.view(array.dtype.str[0].replace("|", "<") + "u4")
        if points.max() > 0x10FFFF:
            raise BadPayload("a character is none")


@reads("o", 4)
def _opaque(decoder: Decoder, name: Any, bases: Any, names: Any, values: Any) -> Opaque:
    keys = [decoder.string(key) for key in decoder.items(names)]
    items = decoder.sequence(values)
    if len(keys) != len(items):
        raise BadPayload("attributes do not fit their names")
    base_names = tuple(decoder.string(base) for base in decoder.items(bases))
    return Opaque(decoder.string(name), base_names, dict(zip(keys, items, strict=True)))


@reads("up", 1)
def _up(decoder: Decoder, levels: Any) -> Opaque:
    return Opaque("cycle", (), {"levels": decoder.number(levels, low=1, high=1000)})


@reads("over", 0)
def _over(decoder: Decoder) -> Any:
    return OVER_LIMIT


@reads("failed", 0)
def _failed(decoder: Decoder) -> Any:
    return FAILED
