"""Readers of Python's own types."""
# ruff: noqa: ARG001  # every reader has the same signature

import base64
import binascii
import collections
import datetime
import decimal
import fractions
import functools
import keyword
import pathlib
import re
import zoneinfo
from typing import Any, Final

from evaluator.inside.codec.decode.decoded import ABSENT, DecodedRecord, Opaque
from evaluator.inside.codec.decode.decoder import BadPayload, Decoder, reads
from evaluator.inside.codec.encode.encode_plain import (
    FACTORIES,
    MAX_BITS,
    MAX_DIGITS,
    MAX_FRACTION_BITS,
    MAX_PATH,
    MAX_RANGE_BITS,
    ZONE_KEY,
    is_field,
)

_MAX_HEX: Final = MAX_BITS // 4 + 4  # with sign and 0x
_MAX_PATTERN: Final = 1000
_KNOWN_TYPES: Final[dict[str, type]] = {}


@reads("none", 0)
def _none(decoder: Decoder) -> None:
    return None


@reads("absent", 0)
def _absent(decoder: Decoder) -> Any:
    return ABSENT


@reads("b", 1)
def _bool(decoder: Decoder, value: Any) -> bool:
    if type(value) is not bool:
        raise BadPayload("no boolean")
    return value


@reads("i", 1)
def _int(decoder: Decoder, value: Any) -> int:
    if type(value) is not int:
        raise BadPayload("no integer")
    return value


@reads("I", 1)
def _long_int(decoder: Decoder, reference: Any) -> int:
    digits = bytes(decoder.raw(reference))
    if len(digits) > _MAX_HEX:
        raise BadPayload("an integer has too many digits")
    return int(digits.decode("ascii"), 16)


@reads("f", 1)
def _float(decoder: Decoder, value: Any) -> float:
    return float.fromhex(decoder.string(value, longest=40))


@reads("c", 2)
def _complex(decoder: Decoder, real: Any, imaginary: Any) -> complex:
    return complex(_float(decoder, real), _float(decoder, imaginary))


@reads("s", 1)
def _str(decoder: Decoder, value: Any) -> str:
    if type(value) is not str:
        raise BadPayload("no string")
    return value


@reads("S", 1)
def _long_str(decoder: Decoder, reference: Any) -> str:
    return bytes(decoder.raw(reference)).decode("utf-8", "surrogatepass")


@reads("y", 1)
def _bytes(decoder: Decoder, reference: Any) -> bytes:
    return _raw(decoder, reference)


@reads("ya", 1)
def _bytearray(decoder: Decoder, reference: Any) -> bytearray:
    return bytearray(_raw(decoder, reference))


def _raw(decoder: Decoder, reference: Any) -> bytes:
    try:
        return bytes(decoder.raw(reference)) if type(reference) is int else base64.b64decode(reference, validate=True)
    except (binascii.Error, TypeError) as error:
        raise BadPayload("bytes are not in base64") from error


@reads("singleton", 1)
def _singleton(decoder: Decoder, name: Any) -> Any:
    return ... if name == "Ellipsis" else NotImplemented


@reads("dec", 1)
def _decimal(decoder: Decoder, text: Any) -> decimal.Decimal:
    value = decimal.Decimal(_text(decoder, text, longest=MAX_DIGITS))
    if abs(value.adjusted()) > MAX_DIGITS:
        raise BadPayload("a decimal has too many digits")
    return value


def _text(decoder: Decoder, node: Any, *, longest: int) -> str:
    return decoder.string(decoder.value(node), longest=longest)


@reads("frac", 2)
def _fraction(decoder: Decoder, numerator: Any, denominator: Any) -> fractions.Fraction:
    top = _whole(decoder, numerator, bits=MAX_FRACTION_BITS)
    bottom = _whole(decoder, denominator, bits=MAX_FRACTION_BITS)
    if bottom < 1:
        raise BadPayload("no fraction")
    return fractions.Fraction(top, bottom)


def _whole(decoder: Decoder, node: Any, *, bits: int) -> int:
    value = decoder.value(node)
    if type(value) is not int or value.bit_length() > bits:
        raise BadPayload("no integer, or one of too many digits")
    return value


@reads("range", 3)
def _range(decoder: Decoder, *parts: Any) -> range:
    start, stop, step = (_whole(decoder, part, bits=MAX_RANGE_BITS) for part in parts)
    return range(start, stop, step)


@reads("slice", 3)
def _slice(decoder: Decoder, *parts: Any) -> slice:
    start, stop, step = (decoder.value(part) for part in parts)
    return slice(start, stop, step)


@reads("re", 2)
def _pattern(decoder: Decoder, pattern: Any, flags: Any) -> "re.Pattern[Any]":
    text = decoder.value(pattern)
    if type(text) not in (str, bytes) or len(text) > _MAX_PATTERN:
        raise BadPayload("no pattern")
    compiled: re.Pattern[Any] = re.compile(text, decoder.number(flags, low=0, high=1023) & ~re.DEBUG)
    return compiled


@reads("path", 2)
def _path(decoder: Decoder, is_concrete: Any, text: Any) -> pathlib.PurePosixPath:
    kind = pathlib.PosixPath if is_concrete is True else pathlib.PurePosixPath
    return kind(_text(decoder, text, longest=MAX_PATH))


def read_zone(decoder: Decoder, node: Any) -> datetime.tzinfo | None:
    """Return the time zone of a node."""
    if node is None:
        return None
    kind, *parts = decoder.items(node)
    if kind == "fixed" and len(parts) == 2:
        offset = datetime.timedelta(microseconds=decoder.number(parts[0]))
        if parts[1] is not None:
            return datetime.timezone(offset, decoder.string(parts[1], longest=200))
        return datetime.timezone(offset)
    if kind == "zone" and len(parts) == 1:
        return zoneinfo.ZoneInfo(decoder.string(parts[0], longest=100))
    if kind in ("pytz", "pytz offset") and len(parts) == 1:
        return _pytz_zone(decoder, parts[0])
    if kind == "dateutil" and len(parts) == 2:
        return _dateutil_zone(datetime.timedelta(microseconds=decoder.number(parts[0])), parts[1])
    if kind == "dateutil zone" and len(parts) == 1:
        return _dateutil_place(decoder.string(parts[0], longest=150))
    raise BadPayload("no time zone")


def _pytz_zone(decoder: Decoder, place: Any) -> datetime.tzinfo:
    """Return a zone by name or by minutes; the standard library's own where the environment has no pytz."""
    try:
        import pytz  # only where the environment has it
    except ImportError:
        if type(place) is int:
            return datetime.timezone(datetime.timedelta(minutes=decoder.number(place)))
        return zoneinfo.ZoneInfo(decoder.string(place, longest=100))
    if type(place) is int:
        fixed: datetime.tzinfo = pytz.FixedOffset(decoder.number(place, low=-1439, high=1439))
        return fixed
    zone: datetime.tzinfo = pytz.timezone(decoder.string(place, longest=100))
    return zone


def _dateutil_zone(offset: datetime.timedelta, name: Any) -> datetime.tzinfo:
    from dateutil import tz  # pandas brings it

    zone: datetime.tzinfo
    if name is None:
        zone = tz.tzutc()
        return zone
    if type(name) is not str or len(name) > 200:
        raise BadPayload("no name of a time zone")
    zone = tz.tzoffset(name or None, offset)
    return zone


def _dateutil_place(key: str) -> datetime.tzinfo:
    from dateutil import tz  # as above

    zone: datetime.tzinfo | None = tz.gettz(key) if ZONE_KEY.fullmatch(key) else None
    if zone is None:
        raise BadPayload("no time zone of dateutil")
    return zone


@reads("tz", 1)
def _zone(decoder: Decoder, node: Any) -> datetime.tzinfo | None:
    return read_zone(decoder, node)


@reads("date", 3)
def _date(decoder: Decoder, year: Any, month: Any, day: Any) -> datetime.date:
    return datetime.date(year, month, day)


@reads("time", 6)
def _time(decoder: Decoder, hour: Any, minute: Any, second: Any, micro: Any, fold: Any, zone: Any) -> datetime.time:
    return datetime.time(hour, minute, second, micro, read_zone(decoder, zone), fold=fold)


@reads("datetime", 9)
def _datetime(decoder: Decoder, *parts: Any) -> datetime.datetime:
    year, month, day, hour, minute, second, micro, fold, zone = parts
    place = read_zone(decoder, zone)
    if place is not None and hasattr(place, "localize"):
        # pytz: given as `tzinfo`, such a zone would count as it was in the 19th century
        local: datetime.datetime = place.localize(
            datetime.datetime(year, month, day, hour, minute, second, micro), is_dst=not fold
        )
        return local
    return datetime.datetime(year, month, day, hour, minute, second, micro, place, fold=fold)


@reads("td", 3)
def _timedelta(decoder: Decoder, days: Any, seconds: Any, micros: Any) -> datetime.timedelta:
    return datetime.timedelta(decoder.number(days), decoder.number(seconds), decoder.number(micros))


@reads("list", 1)
def _list(decoder: Decoder, items: Any) -> list[Any]:
    return decoder.sequence(items)


@reads("tuple", 1)
def _tuple(decoder: Decoder, items: Any) -> tuple[Any, ...]:
    return tuple(decoder.sequence(items))


@reads("deque", 2)
def _deque(decoder: Decoder, longest: Any, items: Any) -> "collections.deque[Any]":
    return collections.deque(decoder.sequence(items), None if longest is None else decoder.number(longest, low=0))


@reads("dict", 2)
def _dict(decoder: Decoder, keys: Any, values: Any) -> dict[Any, Any]:
    return read_mapping(decoder, keys, values)


def read_mapping(decoder: Decoder, keys: Any, values: Any) -> dict[Any, Any]:
    """Return the dict of two sequences; no key may be there twice."""
    names, items = decoder.sequence(keys), decoder.sequence(values)
    if len(names) != len(items):
        raise BadPayload("a dict has other keys than values")
    rebuilt = dict(zip(names, items, strict=True))
    if len(rebuilt) != len(names) and not any(_is_odd(name) for name in names):
        raise BadPayload("a dict has a key twice")
    return rebuilt


def _is_odd(key: Any) -> bool:
    """Return whether a key may legally be there twice: NaN is none, others may have been told apart by identity."""
    return isinstance(key, (Opaque, DecodedRecord, tuple, frozenset)) or key != key


@reads("set", 1)
def _set(decoder: Decoder, nodes: Any) -> set[Any]:
    return {decoder.value(node) for node in decoder.items(nodes)}


@reads("frozenset", 1)
def _frozenset(decoder: Decoder, nodes: Any) -> frozenset[Any]:
    return frozenset(decoder.value(node) for node in decoder.items(nodes))


@reads("type", 1)
def _type(decoder: Decoder, name: Any) -> Any:
    path = decoder.string(name)
    if not _KNOWN_TYPES:
        _KNOWN_TYPES.update(_known_types())
    return _KNOWN_TYPES.get(path) or Opaque("builtins.type", (), {"__qualname__": path})


def _known_types() -> dict[str, type]:
    """Return the types that are told apart as values."""
    from evaluator.inside.codec.encode.encoder import WRITERS, type_path

    return {type_path(kind): kind for kind in (*WRITERS, object, Exception, ValueError, TypeError, KeyError)}


_MAX_FIELDS: Final = 255


def _fields(decoder: Decoder, names: Any) -> tuple[str, ...]:
    fields = tuple(decoder.items(names))
    if not (0 < len(fields) <= _MAX_FIELDS and all(map(is_field, fields)) and len(set(fields)) == len(fields)):
        raise BadPayload("no names of parts")
    return fields


@reads("named", 3)
def _named_tuple(decoder: Decoder, path: Any, names: Any, items: Any) -> tuple[Any, ...]:
    fields, values = _fields(decoder, names), decoder.sequence(items)
    if len(fields) != len(values):
        raise BadPayload("a named tuple has other names than items")
    kind = _tuple_class(decoder.string(path), fields)
    return tuple(values) if kind is None else kind(*values)


@functools.lru_cache(maxsize=500)
def _tuple_class(path: str, fields: tuple[str, ...]) -> Any:
    """Return the class that stands for a class of named tuples; None where Python forbids its names."""
    module, _, name = path.rpartition(".")
    if not is_field(name) or any(keyword.iskeyword(part) or part.startswith("_") for part in (name, *fields)):
        return None
    return collections.namedtuple(name, fields, module=module)  # it is made at run time


@reads("record", 3)
def _record(decoder: Decoder, path: Any, names: Any, items: Any) -> DecodedRecord:
    fields, values = _fields(decoder, names), decoder.sequence(items)
    if len(fields) != len(values):
        raise BadPayload("a record has other names than parts")
    return DecodedRecord(decoder.string(path), dict(zip(fields, values, strict=True)))


@reads("mapping", 4)
def _mapping(decoder: Decoder, kind: Any, factory: Any, keys: Any, values: Any) -> Any:
    rebuilt = read_mapping(decoder, keys, values)
    if kind == "Counter":
        counter: collections.Counter[Any] = collections.Counter()
        dict.update(counter, rebuilt)
        return counter
    if kind == "OrderedDict":
        return collections.OrderedDict(rebuilt)
    if kind == "defaultdict" and (factory is None or type(factory) is str):
        return collections.defaultdict(None if factory is None else FACTORIES.get(factory), rebuilt)
    raise BadPayload("no mapping")


@reads("view", 2)
def _view(decoder: Decoder, kind: Any, items: Any) -> Any:
    values = decoder.sequence(items)
    if kind == "keys":
        return dict.fromkeys(values).keys()
    if kind == "values":
        return dict(enumerate(values)).values()
    if kind == "items" and all(type(pair) is tuple and len(pair) == 2 for pair in values):
        return dict(values).items()
    raise BadPayload("no view of a dict")
