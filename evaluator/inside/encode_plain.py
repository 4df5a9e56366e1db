"""Writers for Python's own types: scalars, dates, containers."""

# ruff: noqa: ARG001  # every writer has the same signature

import base64
import collections
import datetime
import decimal
import fractions
import pathlib
import re
import zoneinfo
from typing import Any, Final

from evaluator.inside.encoder import Encoder, Node, OverLimit, Unknown, Writer, finds_writers, type_path, writes
from evaluator.inside.plain_access import field_value

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
    from dateutil import tz  # type: ignore[import-untyped, unused-ignore]  # here already: the zone is dateutil's

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
