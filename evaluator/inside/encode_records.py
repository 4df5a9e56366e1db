"""Writers for values with named parts: named tuples, dataclasses, enums, the standard library's dicts, views of dicts.

Parts are read where the object keeps them; no property, method or metaclass of its class is called. A record is judged
by its class's name and all of its parts: a class of the same name and nothing else earns nothing.
"""

import collections
import dataclasses
import enum
import types
from typing import Any, Final

from evaluator.inside.encode_plain import mapping_parts
from evaluator.inside.encode_scipy import find_sparse
from evaluator.inside.encoder import Encoder, Node, Unknown, Writer, finds_writers, type_path, writes
from evaluator.inside.plain_access import MISSING, class_attribute, field_value, has_metaclass, instance_dict
from evaluator.inside.protocols import is_special

FACTORIES: Final = {kind.__name__: kind for kind in (int, float, str, bool, list, dict, set, tuple)}
VIEWS: Final[dict[str, tuple[Any, ...]]] = {
    "keys": (type({}.keys()), type(collections.OrderedDict().keys())),
    "values": (type({}.values()), type(collections.OrderedDict().values())),
    "items": (type({}.items()), type(collections.OrderedDict().items())),
}
_MAX_FIELDS: Final = 255
_MAX_NAME: Final = 200
_OTHER: Final = "?"  # a factory without a form


@finds_writers
def _find_record(kind: type) -> Writer | None:
    if issubclass(kind, tuple):
        return _named_tuple if _tuple_fields(kind) else None
    if has_metaclass(kind, enum.EnumMeta):
        return _member
    if type(class_attribute(kind, "__dataclass_fields__")) is dict:
        return _dataclass
    is_sparse = find_sparse(kind) is not None  # a dictionary of keys is a dict, too
    return _subclassed_dict if issubclass(kind, dict) and not is_sparse else None


def _tuple_fields(kind: type) -> tuple[str, ...]:
    names = class_attribute(kind, "_fields")
    is_whole = type(names) is tuple and all(map(is_field, names)) and len(set(names)) == len(names) <= _MAX_FIELDS
    return names if is_whole else ()


def is_field(name: Any) -> bool:
    """Tell whether a name can be that of a part; those of protocols cannot."""
    return type(name) is str and name.isidentifier() and len(name) <= _MAX_NAME and not is_special(name)


def _named_tuple(encoder: Encoder, value: tuple[Any, ...]) -> Node:
    """Write the items and, where there is one name for each, the names."""
    encoder.comes_back = False
    items, names = [*tuple.__iter__(value)], list(_tuple_fields(type(value)))
    if len(items) != len(names):
        return encoder.container(value, lambda: ["tuple", encoder.sequence(items)])
    path = type_path(type(value))
    encoder.charge(sum(map(len, names), len(path)))
    return encoder.container(value, lambda: ["named", path, names, encoder.sequence(items)])


def _member(encoder: Encoder, value: Any) -> Node:
    """Write a member of an enum by its name and value."""
    name, content = field_value(value, "_name_"), field_value(value, "_value_")
    if not (name is None or (type(name) is str and len(name) <= _MAX_NAME)) or content is MISSING:
        raise Unknown
    return _record(encoder, value, {"name": name, "value": content})


def _dataclass(encoder: Encoder, value: Any) -> Node:
    declared = class_attribute(type(value), "__dataclass_fields__")
    names = [name for name, field in declared.items() if _is_own(field)]
    parts = {name: field_value(value, name) for name in names if is_field(name)}
    if len(parts) != len(names) or any(part is MISSING for part in parts.values()):
        raise Unknown
    return _record(encoder, value, parts)


def _is_own(field: Any) -> bool:
    """Tell whether an entry of a dataclass is a field: neither a class variable nor an argument of `__init__` only."""
    return type(field) is dataclasses.Field and field._field_type is dataclasses._FIELD  # type: ignore[attr-defined]  # the only place where it stands


@writes(types.SimpleNamespace)
def _namespace(encoder: Encoder, value: types.SimpleNamespace) -> Node:
    attributes = dict(instance_dict(value) or {})
    if not all(map(is_field, attributes)):
        raise Unknown
    return _record(encoder, value, attributes)


def _record(encoder: Encoder, value: Any, parts: dict[str, Any]) -> Node:
    if not 0 < len(parts) <= _MAX_FIELDS:  # without parts there is a name and nothing else
        raise Unknown
    encoder.comes_back = False
    items, path = list(parts.values()), type_path(type(value))
    encoder.charge(sum(map(len, parts), len(path)))
    return encoder.container(value, lambda: ["record", path, list(parts), encoder.sequence(items)])


def _subclassed_dict(encoder: Encoder, value: dict[Any, Any]) -> Node:
    """Write what a subclass of dict holds, as the dict it is."""
    encoder.comes_back = False
    return encoder.container(value, lambda: ["dict", *mapping_parts(encoder, value)])


@writes(collections.Counter)
def _counter(encoder: Encoder, value: "collections.Counter[Any]") -> Node:
    return encoder.container(value, lambda: ["mapping", "Counter", None, *mapping_parts(encoder, value)])


@writes(collections.OrderedDict)
def _ordered(encoder: Encoder, value: "collections.OrderedDict[Any, Any]") -> Node:
    return encoder.container(value, lambda: ["mapping", "OrderedDict", None, *mapping_parts(encoder, value)])


@writes(collections.defaultdict)
def _defaulted(encoder: Encoder, value: "collections.defaultdict[Any, Any]") -> Node:
    factory = value.default_factory
    names = [name for name, kind in FACTORIES.items() if kind is factory]
    name = None if factory is None else names[0] if names else _OTHER
    encoder.comes_back = encoder.comes_back and name != _OTHER
    return encoder.container(value, lambda: ["mapping", "defaultdict", name, *mapping_parts(encoder, value)])


@writes(*VIEWS["keys"], *VIEWS["values"])
def _view(encoder: Encoder, value: Any) -> Node:
    kind = "keys" if type(value) in VIEWS["keys"] else "values"
    return encoder.container(value, lambda: ["view", kind, encoder.sequence(list(value))])


@writes(*VIEWS["items"])
def _items(encoder: Encoder, value: Any) -> Node:
    return encoder.container(value, lambda: ["view", "items", encoder.sequence(list(value))])
