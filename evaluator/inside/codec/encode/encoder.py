"""The writing half of the codec: a value becomes a tree of `[tag, ...]` nodes and raw buffers.

Which writer a value gets depends on its exact type; no method of a type outside the tables is called.
"""

import base64
import json
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from evaluator.inside.codec.plain_access import instance_dict, signature

PACK_FROM: Final = 8  # shorter sequences stay readable
_INLINE_TEXT: Final = 1024
_OPAQUE_DEPTH: Final = 2
_MAX_ATTRIBUTES: Final = 300
_PLAIN_NAMES: Final = 200
_ESCAPED: Final = 6  # characters that one may take in JSON

Node = Any  # a JSON value; mostly a list that starts with its tag
Writer = Callable[["Encoder", Any], Node]
WRITERS: Final[dict[type, Writer]] = {}
FINDERS: Final[list[Callable[[type], "Writer | None"]]] = []  # asked in order for types that have no entry

to_json: Final = json.JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False).encode


class OverLimit(Exception):  # noqa: N818  # an event that its caller turns into a node
    """The value is deeper or larger than a payload may hold."""


class Unknown(Exception):  # noqa: N818  # an event that its caller turns into an opaque node
    """The value has a known type but a part that the codec has no form for."""


@dataclass(frozen=True)
class Limits:
    """How much one value may take, on both sides."""

    depth: int = 16
    nodes: int = 100_000
    size_bytes: int = 64 * 1024 * 1024
    tree_bytes: int = 24 * 1024 * 1024  # of what stands in the trees of all values of a payload, punctuation aside
    buffers: int = 400_000  # of all values of a payload


VALUE_LIMITS: Final = Limits()
FINGERPRINT_LIMITS: Final = Limits(size_bytes=1 << 40, tree_bytes=1 << 40, buffers=1 << 40)


def writes(*types: type) -> Callable[[Writer], Writer]:
    """Register the writer of exact types."""

    def register(writer: Writer) -> Writer:
        for kind in types:
            if kind in WRITERS:
                raise ValueError(f"two writers for {kind!r}")
            WRITERS[kind] = writer
        return writer

    return register


class Encoder:
    """Writes values; buffers are shared by all of them."""

    def __init__(self, limits: Limits = VALUE_LIMITS) -> None:
        self.buffers: list[Any] = []  # bytes or flat uint8 arrays
        self.is_exact = True  # false once something was written whose equal form does not mean equal values
        self.comes_back = True  # false once something was written that is rebuilt as a stand-in or a simpler type
        self.left_out = False  # true once attributes of an object were not written
        self._limits = limits
        self._nodes = 0
        self._size = 0
        self._tree = 0
        self._path: list[int] = []  # identities of the containers we are in
        self._inline = 0
        self._opaque_depth = 0

    def start_value(self) -> None:
        """Begin to count a new value against the limits."""
        self._nodes = self._size = 0
        self._path.clear()

    def node(self, value: Any) -> Node:
        """Return the node of a value.

        Raises:
            OverLimit: If it does not fit.
        """
        self._nodes += 1
        if self._nodes > self._limits.nodes:
            raise OverLimit("nodes")
        kind = type(value)
        writer = WRITERS.get(kind)
        if writer is None:
            writer = writer_for(kind)
        try:
            return writer(self, value)
        except Unknown:
            return self.opaque(value)

    def known(self, value: Any) -> Node:
        """Return the node of a value without which another one cannot be rebuilt.

        Raises:
            OverLimit: If it does not fit.
            Unknown: If the codec has no form for it.
        """
        self._nodes += 1
        writer = WRITERS.get(type(value)) or writer_for(type(value))
        if writer is opaque:
            raise Unknown
        return writer(self, value)

    def container(self, value: Any, write: Callable[[], Node]) -> Node:
        """Write a value that holds others: one inside itself becomes "n levels up"."""
        identity = id(value)
        if identity in self._path:
            return ["up", self._path[::-1].index(identity) + 1]
        if len(self._path) >= self._limits.depth:
            raise OverLimit("depth")
        self._path.append(identity)
        try:
            return write()
        finally:
            self._path.pop()

    def buffer(self, data: Any) -> int | str:
        """Store raw bytes and return the reference to them."""
        size = len(data)
        self._size += size
        if self._size > self._limits.size_bytes:
            raise OverLimit("bytes")
        if self._inline:
            self.charge(size * 4 // 3)
            return base64.b64encode(data).decode()
        if len(self.buffers) >= self._limits.buffers:
            raise OverLimit("buffers")
        self.buffers.append(data)
        return len(self.buffers) - 1

    def charge(self, size: int) -> None:
        """Count what a node holds itself, in bytes.

        Raises:
            OverLimit: If the payload's trees would be too large to be read.
        """
        self._tree += size
        if self._tree > self._limits.tree_bytes:
            raise OverLimit("tree")

    def attach(self, data: bytes) -> int:
        """Store bytes that are no part of a value and return the reference to them."""
        self.buffers.append(data)
        return len(self.buffers) - 1

    def array(self, values: np.ndarray[Any, Any]) -> int | str:
        """Store an array's elements in C order."""
        if values.dtype.itemsize == 0 or values.size == 0:
            return self.buffer(b"")
        flat = np.ascontiguousarray(values).reshape(-1).view(np.uint8)
        return self.buffer(flat)

    def text(self, value: str) -> Node:
        """Return the node of a string."""
        has_room = (
            self._tree + _ESCAPED * len(value) <= self._limits.tree_bytes // 2
        )  # the rest is for what must stand there
        if (len(value) <= _INLINE_TEXT and has_room) or self._inline:
            self.charge(_ESCAPED * len(value))
            return ["s", value]
        return ["S", self.buffer(value.encode("utf-8", "surrogatepass"))]

    def sequence(self, values: list[Any]) -> Node:
        """Return the nodes of several values, packed when all are plain scalars."""
        if len(values) >= PACK_FROM and not self._inline:
            packed = self._pack(values)
            if packed is not None:
                return packed
        return ["n", [self.node(value) for value in values]]

    def inline(self, values: Sequence[Any]) -> list[Node]:
        """Return nodes that hold their bytes themselves, in an order that depends on nothing but the values."""
        self._inline += 1
        try:
            return sorted((self.node(value) for value in values), key=to_json)
        finally:
            self._inline -= 1

    def strings(self, values: list[str]) -> list[Any]:
        """Return count, offsets and UTF-8 data of strings."""
        joined = "".join(values)
        data = joined.encode("utf-8", "surrogatepass")
        if len(data) == len(joined):
            lengths = np.fromiter(map(len, values), np.int64, len(values))
        else:
            sizes = (len(value.encode("utf-8", "surrogatepass")) for value in values)
            lengths = np.fromiter(sizes, np.int64, len(values))
        return [len(values), self.array(np.cumsum(lengths)), self.buffer(data)]

    def _pack(self, values: list[Any]) -> Node | None:
        kinds = set(map(type, values))
        if kinds == {str}:
            return ["ps", *self.strings(values)]
        if kinds == {float}:
            return ["pf", self.array(np.array(values, np.float64))]
        if kinds == {bool}:
            return ["pb", self.array(np.array(values, np.bool_))]
        if kinds == {int}:
            numbers = _int64(values)
            return None if numbers is None else ["pi", self.array(numbers)]
        if not kinds <= {str, float, bool, int, type(None)}:
            return None
        numbers = _int64([value for value in values if type(value) is int])
        if numbers is None:
            return None
        order = {type(None): 0, bool: 1, int: 2, float: 3, str: 4}
        codes = np.fromiter((order[type(value)] for value in values), np.uint8, len(values))
        return [
            "pm",
            self.array(codes),
            self.array(np.array([value for value in values if type(value) is bool], np.bool_)),
            self.array(numbers),
            self.array(np.array([value for value in values if type(value) is float], np.float64)),
            *self.strings([value for value in values if type(value) is str]),
        ]

    def opaque(self, value: Any) -> Node:
        """Return the stand-in of a value outside the tables: names, and plain attributes if they fit."""
        self.is_exact = self.comes_back = False
        kind = type(value)
        names = [type_path(kind), [type_path(base) for base in type.__getattribute__(kind, "__mro__")[1:20]]]
        self.charge(sum(map(len, names[1]), len(names[0])))
        state = (self._nodes, self._size, len(self.buffers), len(self._path))
        try:
            return ["o", *names, *self._attributes(value)]
        except OverLimit:
            self.left_out = True
            self._nodes, self._size, buffers, path = state
            del self.buffers[buffers:]
            del self._path[path:]
            return ["o", *names, [], ["n", []]]

    def _attributes(self, value: Any) -> list[Node]:
        attributes = plain_attributes(value)
        if self._opaque_depth >= _OPAQUE_DEPTH or not attributes:
            self.left_out = self.left_out or bool(attributes)
            return [[], ["n", []]]
        self._opaque_depth += 1
        try:
            nodes = self.container(value, lambda: ["n", [self.node(item) for item in attributes.values()]])
        finally:
            self._opaque_depth -= 1
        return [list(attributes), nodes] if nodes[0] == "n" else [[], ["n", []]]


def _int64(values: list[int]) -> "np.ndarray[Any, Any] | None":
    try:
        return np.array(values, np.int64)
    except OverflowError:
        return None


def finds_writers(finder: Callable[[type], Writer | None]) -> Callable[[type], Writer | None]:
    """Register a function that knows the writer of types that are told by something else than their identity."""
    FINDERS.append(finder)
    return finder


def writer_for(kind: type) -> Writer:
    """Return the writer of a type that has no entry of its own; without one it is `opaque`."""
    for find in FINDERS:
        writer = find(kind)
        if writer is not None:
            return writer
    return opaque


def opaque(encoder: Encoder, value: Any) -> Node:
    """Write a value outside the tables."""
    return encoder.opaque(value)


def type_path(kind: type) -> str:
    """Return module and qualified name of a type, as it claims them."""
    module = type.__getattribute__(kind, "__module__")
    name = type.__getattribute__(kind, "__qualname__")
    module = module if type(module) is str else "?"
    return f"{module}.{name}"[:_PLAIN_NAMES]


def plain_attributes(value: Any) -> dict[str, Any]:
    """Return a copy of an object's own `__dict__`; empty for objects without one and for figures' parts."""
    kind = type(value)
    if type_path(kind).startswith("matplotlib."):
        return {}
    if kind in (types.FunctionType, types.BuiltinFunctionType):
        names = {name: getattr(value, name) for name in ("__module__", "__name__", "__qualname__")}
        return {**names, "__signature__": signature(value)} if kind is types.FunctionType else names
    if kind is types.ModuleType:
        return {"__name__": value.__name__}
    attributes = instance_dict(value) or {}
    items = [(name, item) for name, item in attributes.items() if type(name) is str and len(name) <= _PLAIN_NAMES]
    return dict(items[:_MAX_ATTRIBUTES])
