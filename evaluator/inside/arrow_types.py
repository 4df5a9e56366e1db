"""Arrow types that the codec has a form for, by the names Arrow prints."""

import re
from typing import Any, Final

_SIMPLE: Final = frozenset(
    {
        *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
        *("halffloat", "float", "double", "bool", "string", "large_string", "binary", "large_binary", "null"),
        *("date32[day]", "date64[ms]", "time32[s]", "time32[ms]", "time64[us]", "time64[ns]"),
        *(f"{kind}[{unit}]" for kind in ("timestamp", "duration") for unit in ("s", "ms", "us", "ns")),
    }
)
_FACTORIES: Final = {"halffloat": "float16", "float": "float32", "double": "float64", "bool": "bool_"}
_ZONED: Final = re.compile(r"timestamp\[(s|ms|us|ns), tz=([A-Za-z0-9_+\-/:]{1,64})\]")
_DECIMAL: Final = re.compile(r"decimal128\((\d{1,2}), (-?\d{1,2})\)")


def parse_arrow_type(text: str) -> Any:
    """Return the Arrow type of that name; None when the codec has no form for it."""
    import pyarrow as pa  # only when a value needs it

    if zoned := _ZONED.fullmatch(text):
        return pa.timestamp(zoned[1], zoned[2])
    if number := _DECIMAL.fullmatch(text):
        return pa.decimal128(int(number[1]), int(number[2]))
    if text not in _SIMPLE:
        return None
    name, _, unit = text.partition("[")
    factory = getattr(pa, _FACTORIES.get(name, name))
    return factory(unit.rstrip("]")) if unit and name not in ("date32", "date64") else factory()


def plain_storage(kind: Any) -> Any:
    """Return the number type in which a type's values are kept; None when it has none."""
    import pyarrow as pa

    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
        return kind
    if pa.types.is_date32(kind) or pa.types.is_time32(kind):
        return pa.int32()
    if pa.types.is_temporal(kind):
        return pa.int64()
    return None
