"""Writers for Python's own types: scalars, dates, containers."""

# ruff: noqa: ARG001  # every writer has the same signature

import base64
import collections
import datetime
import decimal
import fractions
import pathlib
import re
import types
import zoneinfo
from typing import Any, Final

from evaluator.inside.encoder import Encoder, Node, Unknown, type_path, writes

MAX_DECIMAL_DIGITS: Final = 4300  # Python's own bound for integers as decimal text
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
        return ["i", value]
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
    return base64.b64encode(value).decode() if len(value) <= _INLINE_BYTES else encoder.buffer(value)


@writes(type(...), type(NotImplemented))
def _singleton(encoder: Encoder, value: Any) -> Node:
    return ["singleton", "Ellipsis" if value is ... else "NotImplemented"]


@writes(decimal.Decimal)
def _decimal(encoder: Encoder, value: decimal.Decimal) -> Node:
    return ["dec", encoder.text(str(value))]


@writes(fractions.Fraction)
def _fraction(encoder: Encoder, value: fractions.Fraction) -> Node:
    return ["frac", encoder.node(value.numerator), encoder.node(value.denominator)]


@writes(range)
def _range(encoder: Encoder, value: range) -> Node:
    return ["range", *(encoder.node(part) for part in (value.start, value.stop, value.step))]


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
    return ["path", type(value) is pathlib.PosixPath, encoder.text(str(value))]


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
    pytz_name = getattr(zone, "zone", None) if type_path(kind).startswith("pytz.") else None
    if type(pytz_name) is str:
        return ["pytz", pytz_name]
    raise Unknown


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
    parts = [value.year, value.month, value.day, value.hour, value.minute, value.second, value.microsecond, value.fold]
    return ["datetime", *parts, zone_node(value.tzinfo)]


@writes(datetime.timedelta)
def _timedelta(encoder: Encoder, value: datetime.timedelta) -> Node:
    return ["td", value.days, value.seconds, value.microseconds]


@writes(list)
def _list(encoder: Encoder, value: list[Any]) -> Node:
    return encoder.container(value, lambda: ["list", encoder.sequence(list.copy(value))])


@writes(tuple)
def _tuple(encoder: Encoder, value: tuple[Any, ...]) -> Node:
    """Write tuples, and named tuples as the tuples they are."""
    return encoder.container(value, lambda: ["tuple", encoder.sequence([*tuple.__iter__(value)])])


@writes(collections.deque)
def _deque(encoder: Encoder, value: "collections.deque[Any]") -> Node:
    return encoder.container(value, lambda: ["deque", value.maxlen, encoder.sequence(list(value))])


@writes(dict)
def _dict(encoder: Encoder, value: dict[Any, Any]) -> Node:
    """Write mappings; Counter, defaultdict and other subclasses as the dicts they are."""
    items = list(dict.items(value))
    return encoder.container(
        value,
        lambda: ["dict", encoder.sequence([key for key, _ in items]), encoder.sequence([item for _, item in items])],
    )


@writes(set)
def _set(encoder: Encoder, value: set[Any]) -> Node:
    return encoder.container(value, lambda: ["set", encoder.inline(list(set.copy(value)))])


@writes(frozenset)
def _frozenset(encoder: Encoder, value: frozenset[Any]) -> Node:
    return encoder.container(value, lambda: ["frozenset", encoder.inline(list(frozenset.__iter__(value)))])


@writes(types.MappingProxyType)
def _proxy(encoder: Encoder, value: Any) -> Node:
    raise Unknown


@writes(type)
def _type(encoder: Encoder, value: type) -> Node:
    encoder.is_exact = False
    return ["type", type_path(value)]
