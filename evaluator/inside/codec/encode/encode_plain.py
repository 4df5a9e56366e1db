"""Writers for Python's own types: scalars, dates, containers."""
# ruff: noqa: ARG001  # every writer has the same signature

import base64
import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import pathlib
import re
import types
import zoneinfo
from typing import Any, Final

from evaluator.inside.codec.encode.encode_numpy import find_sparse
from evaluator.inside.codec.encode.encoder import (
    Encoder,
    Node,
    OverLimit,
    Unknown,
    Writer,
    finds_writers,
    type_path,
    writes,
)
from evaluator.inside.codec.plain_access import MISSING, class_attribute, field_value, has_metaclass, instance_dict
from evaluator.inside.codec.protocols import is_special

MAX_DECIMAL_DIGITS: Final = 4300  # Python's own bound for integers as decimal text
MAX_BITS: Final = 1 << 20  # of an integer: with more, turning one into a decimal takes seconds
MAX_FRACTION_BITS: Final = 1 << 17  # of either part: reckoning with them looks for common divisors
MAX_DIGITS: Final = 20_000  # of a decimal, with the zeros that its exponent stands for
MAX_RANGE_BITS: Final = 1024
MAX_PATH: Final = 1 << 16
ZONE_KEY: Final = re.compile(r"[A-Za-z][A-Za-z0-9_+\-]{0,40}(/[A-Za-z][A-Za-z0-9_+\-]{0,40}){0,2}")
_INLINE_BYTES: Final = 512
_MAX_PATTERN: Final = 1000


@writes(type(None))
def _none(encoder: Encoder, value: None) -> Node:
    return ["none"]


@writes(bool)
def _bool(encoder: Encoder, value: bool) -> Node:
    return ["b", value]


@writes(int)
def _int(encoder: Encoder, value: int) -> Node:
    if value.bit_length() < MAX_DECIMAL_DIGITS * 3:
        encoder.charge(value.bit_length() // 3)
        return ["i", value]
    if value.bit_length() > MAX_BITS:
        raise OverLimit("digits")
    return ["I", encoder.buffer(hex(value).encode())]


@writes(float)
def _float(encoder: Encoder, value: float) -> Node:
    return ["f", value.hex()]


@writes(complex)
def _complex(encoder: Encoder, value: complex) -> Node:
    return ["c", value.real.hex(), value.imag.hex()]


@writes(str)
def _str(encoder: Encoder, value: str) -> Node:
    return encoder.text(value)


@writes(bytes)
def _bytes(encoder: Encoder, value: bytes) -> Node:
    return ["y", _raw(encoder, value)]


@writes(bytearray)
def _bytearray(encoder: Encoder, value: bytearray) -> Node:
    return ["ya", _raw(encoder, bytes(value))]


def _raw(encoder: Encoder, value: bytes) -> int | str:
    if len(value) > _INLINE_BYTES:
        return encoder.buffer(value)
    encoder.charge(2 * len(value))
    return base64.b64encode(value).decode()


@writes(type(...), type(NotImplemented))
def _singleton(encoder: Encoder, value: Any) -> Node:
    return ["singleton", "Ellipsis" if value is ... else "NotImplemented"]


@writes(decimal.Decimal)
def _decimal(encoder: Encoder, value: decimal.Decimal) -> Node:
    text = str(value)
    if len(text) > MAX_DIGITS or abs(value.adjusted()) > MAX_DIGITS:
        raise OverLimit("digits")
    return ["dec", encoder.text(text)]


@writes(fractions.Fraction)
def _fraction(encoder: Encoder, value: fractions.Fraction) -> Node:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_FRACTION_BITS:
        raise OverLimit("digits")
    return ["frac", encoder.node(value.numerator), encoder.node(value.denominator)]


@writes(range)
def _range(encoder: Encoder, value: range) -> Node:
    parts = (value.start, value.stop, value.step)
    if any(part.bit_length() > MAX_RANGE_BITS for part in parts):
        raise OverLimit("digits")
    return ["range", *(encoder.node(part) for part in parts)]


@writes(slice)
def _slice(encoder: Encoder, value: slice) -> Node:
    return encoder.container(value, lambda: ["slice", *map(encoder.node, (value.start, value.stop, value.step))])


@writes(re.Pattern)
def _pattern(encoder: Encoder, value: "re.Pattern[Any]") -> Node:
    if len(value.pattern) > _MAX_PATTERN:
        raise Unknown
    return ["re", encoder.node(value.pattern), value.flags]


@writes(pathlib.PosixPath, pathlib.PurePosixPath)
def _path(encoder: Encoder, value: pathlib.PurePosixPath) -> Node:
    text = str(value)
    if len(text) > MAX_PATH:
        raise OverLimit("characters")
    return ["path", type(value) is pathlib.PosixPath, encoder.text(text)]


def zone_node(zone: datetime.tzinfo | None) -> Node:
    """Return the node of a time zone.

    Raises:
        Unknown: If it is of no known kind.
    """
    if zone is None:
        return None
    kind = type(zone)
    if kind is zoneinfo.ZoneInfo and isinstance(zone, zoneinfo.ZoneInfo) and zone.key is not None:
        return ["zone", zone.key]
    if kind is datetime.timezone:
        offset = zone.utcoffset(None)
        assert offset is not None
        name = zone.tzname(None)
        is_named = datetime.timezone(offset).tzname(None) != name
        return ["fixed", offset // datetime.timedelta(microseconds=1), name if is_named else None]
    return _foreign_zone(zone, type_path(kind))


def _foreign_zone(zone: datetime.tzinfo, path: str) -> Node:
    """Return the node of a time zone of pytz or dateutil."""
    if path.startswith("pytz."):
        name, minutes = getattr(zone, "zone", None), field_value(zone, "_minutes")
        if type(name) is str:
            return ["pytz", name]
        if type(minutes) is int:
            return ["pytz offset", minutes]
    if path == "dateutil.tz.tz.tzutc":
        return ["dateutil", 0, None]
    if path.startswith("dateutil.") and path.endswith(".tzfile"):
        return ["dateutil zone", _dateutil_key(zone)]
    offset = field_value(zone, "_offset") if path == "dateutil.tz.tz.tzoffset" else None
    if type(offset) is datetime.timedelta:
        name = field_value(zone, "_name")
        return ["dateutil", offset // datetime.timedelta(microseconds=1), name if type(name) is str else ""]
    raise Unknown


def _dateutil_key(zone: datetime.tzinfo) -> str:
    """Return the name by which dateutil finds a zone that it has read from a file."""
    from dateutil import tz  # here already: the zone is dateutil's

    path = field_value(zone, "_filename")
    key = path.rpartition("zoneinfo/")[2] if type(path) is str else ""
    if not ZONE_KEY.fullmatch(key) or tz.gettz(key) != zone:
        raise Unknown
    return str(key)


@writes(datetime.timezone, zoneinfo.ZoneInfo)
def _zone(encoder: Encoder, value: datetime.tzinfo) -> Node:
    return ["tz", zone_node(value)]


@writes(datetime.date)
def _date(encoder: Encoder, value: datetime.date) -> Node:
    return ["date", value.year, value.month, value.day]


@writes(datetime.time)
def _time(encoder: Encoder, value: datetime.time) -> Node:
    parts = [value.hour, value.minute, value.second, value.microsecond, value.fold]
    return ["time", *parts, zone_node(value.tzinfo)]


@writes(datetime.datetime)
def _datetime(encoder: Encoder, value: datetime.datetime) -> Node:
    parts = [value.year, value.month, value.day, value.hour, value.minute, value.second, value.microsecond]
    return ["datetime", *parts, _fold(value), zone_node(value.tzinfo)]


def _fold(value: datetime.datetime) -> int:
    """Tell the two times apart that a clock shows twice; pytz says by the zone, and not by `fold`, which one it is."""
    saved = field_value(value.tzinfo, "_dst") if type_path(type(value.tzinfo)).startswith("pytz.") else None
    return int(not saved) if type(saved) is datetime.timedelta else value.fold


@writes(datetime.timedelta)
def _timedelta(encoder: Encoder, value: datetime.timedelta) -> Node:
    return ["td", value.days, value.seconds, value.microseconds]


@writes(list)
def _list(encoder: Encoder, value: list[Any]) -> Node:
    return encoder.container(value, lambda: ["list", encoder.sequence(list.copy(value))])


@writes(tuple)
def _tuple(encoder: Encoder, value: tuple[Any, ...]) -> Node:
    return encoder.container(value, lambda: ["tuple", encoder.sequence([*tuple.__iter__(value)])])


@writes(collections.deque)
def _deque(encoder: Encoder, value: "collections.deque[Any]") -> Node:
    return encoder.container(value, lambda: ["deque", value.maxlen, encoder.sequence(list(value))])


@writes(dict)
def _dict(encoder: Encoder, value: dict[Any, Any]) -> Node:
    return encoder.container(value, lambda: ["dict", *mapping_parts(encoder, value)])


def mapping_parts(encoder: Encoder, value: dict[Any, Any]) -> list[Node]:
    """Return keys and values of a dict or of a subclass, whose own methods are not called."""
    items = list(dict.items(value))
    return [encoder.sequence([key for key, _ in items]), encoder.sequence([item for _, item in items])]


@writes(set)
def _set(encoder: Encoder, value: set[Any]) -> Node:
    return encoder.container(value, lambda: ["set", encoder.inline(list(set.copy(value)))])


@writes(frozenset)
def _frozenset(encoder: Encoder, value: frozenset[Any]) -> Node:
    return encoder.container(value, lambda: ["frozenset", encoder.inline(list(frozenset.__iter__(value)))])


@writes(type)
def _type(encoder: Encoder, value: type) -> Node:
    encoder.is_exact = encoder.comes_back = False
    return ["type", type_path(value)]


@finds_writers
def _find_type(kind: type) -> Writer | None:
    return _type if issubclass(kind, type) else None  # classes of metaclasses


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
    """Return whether a name can be that of a part; those of protocols cannot."""
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
    """Return whether an entry of a dataclass is a field: no class variable, no mere argument of `__init__`."""
    return type(field) is dataclasses.Field and field._field_type is dataclasses._FIELD  # pyrefly: ignore[missing-attribute]  # the only place where it stands


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
