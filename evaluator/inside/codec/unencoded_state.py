"""What the normal form of a value leaves out, and whoever asks whether the value was changed wants to know.

A payload needs none of it: the code of functions, the attributes of classes, what objects of a cell's own classes hold
at any depth, attributes and flags of tables, whether an array can be written to. It makes a second digest beside that
of the normal form. What even that does not see is told, so that nobody takes it for checked.
"""

import collections
import functools
import hashlib
import types
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import pandas as pd

from evaluator.inside.codec.digests import LargeBuffers
from evaluator.inside.codec.encode.encode_plain import mapping_parts
from evaluator.inside.codec.encode.encoder import (
    FINGERPRINT_LIMITS,
    WRITERS,
    Encoder,
    Limits,
    Node,
    OverLimit,
    opaque,
    plain_attributes,
    to_json,
    type_path,
    writer_for,
)
from evaluator.inside.codec.plain_access import class_attribute, instance_dict, signature

_CELLS: Final = "__main__"
"""The module of what cells define."""
_LIMITS: Final = Limits(depth=100, nodes=50_000, size_bytes=1 << 40)
_TABLES: Final = frozenset({pd.DataFrame, pd.Series})
_INDEXES: Final = frozenset(
    {
        *(pd.Index, pd.RangeIndex, pd.MultiIndex, pd.CategoricalIndex, pd.IntervalIndex),
        *(pd.DatetimeIndex, pd.TimedeltaIndex, pd.PeriodIndex),
    }
)
_BY_IDENTITY: Final = frozenset(
    {
        *(types.ModuleType, types.BuiltinFunctionType, types.MethodType, types.MethodWrapperType),
        *(types.WrapperDescriptorType, types.MethodDescriptorType, types.ClassMethodDescriptorType),
        *(types.GetSetDescriptorType, types.MemberDescriptorType, np.ufunc, object),
        type(vars(collections.namedtuple("_", "part"))["part"]),
    }
)
"""Types of what holds nothing that could change."""
_WRITES: Final = np.ndarray.flags.__get__  # whatever a class made of it puts there
_CONSTANTS: Final = frozenset({type(None), bool, int, float, complex, str, bytes, type(...), range, slice})
_UNTOLD: Final = frozenset(
    {
        *("__dict__", "__weakref__", "__doc__", "__module__", "__qualname__", "__annotations__", "_abc_impl"),
        *(
            "__dataclass_fields__",
            "__dataclass_params__",
            "__firstlineno__",
            "__static_attributes__",
            "__abstractmethods__",
            "__annotate__",
            "__annotations_cache__",
            *("__slotnames__", "_value2member_map_", "__parameters__"),  # what copying and looking up leave behind
        ),
    }
)
"""Attributes of classes that Python keeps for itself."""


class PrintEncoder(Encoder):
    """Writes values for a fingerprint, and notes what it leaves out."""

    def __init__(self) -> None:
        super().__init__(FINGERPRINT_LIMITS)
        self.notes: list[tuple[str, Any]] = []
        self._tables = 0  # that we are in: arrays in there are the table's business

    def node(self, value: Any) -> Node:
        """Return the node of a value."""
        kind = type(value)
        if issubclass(kind, np.ndarray) and not self._tables and not _WRITES(value).writeable:
            self.notes.append(("read-only", len(self._path)))
        if kind in _TABLES or kind in _INDEXES:
            return self._table(value, kind)
        if kind is type or kind not in WRITERS:
            self._note(value, kind)
        return super().node(value)

    def _table(self, value: Any, kind: type) -> Node:
        if kind in _TABLES:
            held = instance_dict(value) or {}  # where they are kept, whatever stands in for the properties now
            if held.get("_attrs"):
                self.notes.append(("attrs", held["_attrs"]))
            if (instance_dict(held.get("_flags")) or {}).get("_allows_duplicate_labels") is False:
                self.notes.append(("flags", "no duplicate labels"))
        self._tables += 1
        try:
            return super().node(value)
        finally:
            self._tables -= 1

    def _note(self, value: Any, kind: type) -> None:
        if issubclass(kind, type):
            if is_of_cells(value):
                self.notes.append(("class", value))
        elif writer_for(kind) is not opaque:  # a record: its parts are told
            told = class_attribute(kind, "__dataclass_fields__")
            attributes = instance_dict(value) or {}
            more = {name: item for name, item in attributes.items() if type(told) is not dict or name not in told}
            if more and is_of_cells(kind) and type(class_attribute(kind, "_member_map_")) is not dict:
                self.notes.append(("attributes", more))

    def opaque(self, value: Any) -> Node:
        """Return the stand-in of a value outside the tables."""
        kind, left_out = type(value), self.left_out
        node = super().opaque(value)
        if kind is types.FunctionType:
            self.left_out = left_out
            if is_of_cells(value):
                self.notes.append(("function", value))
        elif is_of_cells(kind):
            self.left_out = left_out  # what follows looks further
            self.notes.append(("object", value))
        elif kind in _BY_IDENTITY:
            self.left_out = left_out
        elif len(plain_attributes(value)) < max(1, len(instance_dict(value) or ())):
            self.left_out = True
        return node


class _Seen:
    """What was found, as a number: a thing that is met again needs no second look."""

    def __init__(self) -> None:
        self.numbers: dict[int, int] = {}
        self.kept: list[Any] = []

    def number(self, value: Any) -> int | None:
        """Return the number of what was met before; None for what is new."""
        known = self.numbers.get(id(value))
        if known is None:
            self.numbers[id(value)] = len(self.numbers)
            self.kept.append(value)
        return known


class _NoteEncoder(Encoder):
    """Writes what was noted: functions by their code, classes by their attributes, objects of a cell's class whole."""

    def __init__(self) -> None:
        super().__init__(_LIMITS)
        self._seen = _Seen()

    def node(self, value: Any) -> Node:
        """Return the node of a value."""
        kind = type(value)
        if kind is types.FunctionType:
            return self._once(value, self._function) if is_of_cells(value) else super().node(value)
        if issubclass(kind, type):
            return self._once(value, self._class) if is_of_cells(value) else ["type", type_path(value)]
        if kind not in WRITERS and writer_for(kind) is opaque:
            return self._object(value, kind)
        return super().node(value)

    def _once(self, value: Any, write: Any) -> Node:
        known = self._seen.number(value)
        return write(value) if known is None else ["seen", known]

    def _object(self, value: Any, kind: type) -> Node:
        if is_of_cells(kind):
            return self._once(value, self._own_object)
        if kind not in _BY_IDENTITY:
            self.left_out = True
        return ["o", type_path(kind)]

    def _own_object(self, value: Any) -> Node:
        """Write an object of a class of the cell's: attributes, slots, and what its base among Python's own holds."""
        attributes = dict(instance_dict(value) or {})
        for base in type.__getattribute__(type(value), "__mro__"):
            for name, item in _names_of(base).items() if is_of_cells(base) else ():
                if type(item) is types.MemberDescriptorType:
                    try:
                        attributes.setdefault(name, item.__get__(value))
                    except AttributeError:
                        continue
        names = [name for name in attributes if type(name) is str]
        self.left_out = self.left_out or len(names) != len(attributes)
        parts = self.container(value, lambda: [self.node(attributes[name]) for name in names])
        return ["object", type_path(type(value)), names, parts, self.container(value, lambda: self._base(value))]

    def _base(self, value: Any) -> Node:
        kind = type(value)
        if issubclass(kind, list):
            return ["list", self.sequence([*list.__iter__(value)])]
        if issubclass(kind, dict):
            return ["dict", *mapping_parts(self, value)]
        if issubclass(kind, set):
            return ["set", self.inline([*set.__iter__(value)])]
        if issubclass(kind, np.ndarray):
            return self.node(np.ndarray.view(value, np.ndarray))
        if issubclass(kind, (pd.DataFrame, pd.Series, pd.Index)):
            self.left_out = True
        return None

    def _function(self, function: types.FunctionType) -> Node:
        cells = [_content(cell) for cell in function.__closure__ or ()]
        named = function.__kwdefaults__ or {}
        return [
            "function",
            [function.__module__, function.__name__, function.__qualname__, signature(function)],
            hashlib.sha256(repr(_code_parts(function.__code__)).encode("utf-8", "surrogatepass")).hexdigest(),
            [self._constant(item) for item in function.__defaults__ or ()],
            [[str(name), self._constant(item)] for name, item in named.items()],
            [self._constant(item) for item in cells],
        ]

    def _constant(self, value: Any) -> Node:
        """Write what a function holds on to. What can change inside, such as a cache, is its own business."""
        kind = type(value)
        if kind in _CONSTANTS or kind is types.FunctionType or issubclass(kind, type):
            return self.node(value)
        if kind is tuple:
            return ["tuple", [self._constant(item) for item in value]]
        self.left_out = self.left_out or kind not in _BY_IDENTITY
        return ["held", type_path(kind)]

    def _class(self, kind: type) -> Node:
        bases = [self.node(base) for base in type.__getattribute__(kind, "__bases__")]
        names, parts = [], []
        for name, item in list(_names_of(kind).items()):
            if type(name) is str and name not in _UNTOLD and type(item) not in _BY_IDENTITY:
                names.append(name)
                parts.append(self._attribute(item))
        return ["class", type_path(kind), bases, names, parts]

    def _attribute(self, item: Any) -> Node:
        if type(item) in (staticmethod, classmethod):
            return [type(item).__name__, self.node(item.__func__)]
        if type(item) is functools.cached_property:
            return ["cached", self.node(item.func)]
        if type(item) is property:
            return ["property", *(self.node(part) for part in (item.fget, item.fset, item.fdel))]
        return self.node(item)


def is_of_cells(thing: Any) -> bool:
    """Return whether a class or a function was defined by a cell, as it says itself."""
    if type(thing) is types.FunctionType:
        return bool(thing.__module__ == _CELLS)
    return bool(_names_of(thing).get("__module__") == _CELLS)


def _names_of(kind: type) -> Mapping[str, Any]:
    return type.__getattribute__(kind, "__dict__")  # pyrefly: ignore[no-any-return-explicit]  # a read-only view of it


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # it is empty
        return None


def _code_parts(code: types.CodeType) -> tuple[Any, ...]:
    """Return what decides what code does: all but where it stood."""
    constants = tuple(_constant_parts(constant) for constant in code.co_consts)
    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    return (code.co_code, getattr(code, "co_exceptiontable", b""), constants, counts, names)


def _constant_parts(constant: Any) -> Any:
    if type(constant) is types.CodeType:
        return _code_parts(constant)
    if type(constant) is frozenset:
        return ("frozenset", tuple(sorted(repr(_constant_parts(part)) for part in constant)))
    if type(constant) is tuple:
        return tuple(map(_constant_parts, constant))
    return constant if type(constant) in _CONSTANTS else type_path(type(constant))


def digest_of_notes(notes: list[tuple[str, Any]], large: LargeBuffers) -> tuple[bytes, bool]:
    """Return a digest over what was noted, and whether it tells all of it.

    Args:
        notes: As a `PrintEncoder` collects them.
        large: Knows digests of large buffers from before.
    """
    encoder = _NoteEncoder()
    try:
        tree = [[label, encoder.node(value)] for label, value in notes]
    except OverLimit:
        return b"over", False
    except Exception as error:  # noqa: BLE001  # an object of a cell's own class may be broken in any way
        return type(error).__name__.encode(), False
    digest = hashlib.sha256(to_json(tree).encode())
    for buffer in encoder.buffers:
        digest.update(large.digest(buffer))
    return digest.digest(), not encoder.left_out
