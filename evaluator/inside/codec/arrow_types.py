"""Arrow types that the codec has a form for: by the names Arrow prints, nested ones by their parts."""

import re
from typing import Any, Final

from evaluator.inside.codec.encode.encoder import Node, Unknown

_SIMPLE: Final = frozenset(
    {
        *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
        *("halffloat", "float", "double", "bool", "null", "month_day_nano_interval"),
        *("string", "large_string", "string_view", "binary", "large_binary", "binary_view"),
        *("date32[day]", "date64[ms]", "time32[s]", "time32[ms]", "time64[us]", "time64[ns]"),
        *(f"{kind}[{unit}]" for kind in ("timestamp", "duration") for unit in ("s", "ms", "us", "ns")),
    }
)
_FACTORIES: Final = {"halffloat": "float16", "float": "float32", "double": "float64", "bool": "bool_"}
_ZONED: Final = re.compile(r"timestamp\[(s|ms|us|ns), tz=([A-Za-z0-9_+\-/:]{1,64})\]")
_DECIMAL: Final = re.compile(r"(decimal32|decimal64|decimal128|decimal256)\((\d{1,2}), (-?\d{1,2})\)")
_FIXED: Final = re.compile(r"fixed_size_binary\[(\d{1,6})\]")
LISTS: Final = ("list", "large_list", "list_view", "large_list_view")
_MAX_DEPTH: Final = 8
_MAX_FIELDS: Final = 1000
_MAX_NAME: Final = 1000


def write_arrow_type(kind: Any) -> Node:
    """Return the node of an Arrow type.

    Raises:
        Unknown: If the codec has no form for it.
    """
    node = _node(kind, 0)
    if parse_arrow_type(node) != kind:
        raise Unknown
    return node


def _node(kind: Any, depth: int) -> Node:
    import pyarrow as pa  # here already, since the value is Arrow's

    if depth > _MAX_DEPTH or isinstance(kind, pa.BaseExtensionType):
        raise Unknown

    def field(part: Any) -> Node:
        if len(part.name) > _MAX_NAME:
            raise Unknown
        return [part.name, _node(part.type, depth + 1), part.nullable]

    for name in LISTS:
        if is_kind(kind, name):
            return [name, field(kind.value_field)]
    if is_kind(kind, "fixed_size_list"):
        return ["fixed_size_list", kind.list_size, field(kind.value_field)]
    if is_kind(kind, "struct"):
        return ["struct", [field(kind.field(place)) for place in range(kind.num_fields)]]
    if is_kind(kind, "map"):
        return ["map", field(kind.key_field), field(kind.item_field), bool(kind.keys_sorted)]
    if is_kind(kind, "dictionary"):
        return ["dictionary", _node(kind.index_type, depth + 1), _node(kind.value_type, depth + 1), kind.ordered]
    return str(kind)


def is_kind(kind: Any, name: str) -> bool:
    """Return whether an Arrow type is one of those that `pyarrow.types` calls so; older versions know fewer of them."""
    import pyarrow as pa

    test = getattr(pa.types, f"is_{name}", None)
    return test is not None and bool(test(kind))


def parse_arrow_type(node: Any, *, depth: int = 0) -> Any:
    """Return the Arrow type of a node; None when the codec has no form for it, or this version of Arrow has none."""
    if type(node) is str:
        return _parse_flat(node)
    if type(node) is not list or len(node) < 2 or depth > _MAX_DEPTH:
        return None
    return _parse_nested(node[0], node[1:], depth)


def _parse_nested(name: Any, parts: list[Any], depth: int) -> Any:
    import pyarrow as pa

    if name in LISTS and len(parts) == 1:
        make, item = getattr(pa, _list_factory(name), None), _parse_field(parts[0], depth)
        return None if make is None or item is None else make(item)
    if name == "fixed_size_list" and len(parts) == 2 and type(parts[0]) is int and 0 <= parts[0] < 1 << 31:
        item = _parse_field(parts[1], depth)
        return None if item is None else pa.list_(item, parts[0])
    if name == "struct" and len(parts) == 1 and type(parts[0]) is list and len(parts[0]) <= _MAX_FIELDS:
        fields = [_parse_field(part, depth) for part in parts[0]]
        return None if any(field is None for field in fields) else pa.struct(fields)
    if name == "map" and len(parts) == 3 and type(parts[2]) is bool:
        key, item = _parse_field(parts[0], depth), _parse_field(parts[1], depth)
        return None if key is None or item is None else pa.map_(key, item, keys_sorted=parts[2])
    if name == "dictionary" and len(parts) == 3 and type(parts[2]) is bool:
        index, value = (parse_arrow_type(part, depth=depth + 1) for part in parts[:2])
        is_whole = index is not None and value is not None and pa.types.is_integer(index)
        return pa.dictionary(index, value, parts[2]) if is_whole else None
    return None


def _list_factory(name: str) -> str:
    return "list_" if name == "list" else name


def _parse_field(node: Any, depth: int) -> Any:
    import pyarrow as pa

    if type(node) is not list or len(node) != 3 or type(node[0]) is not str or type(node[2]) is not bool:
        return None
    kind = parse_arrow_type(node[1], depth=depth + 1)
    return None if kind is None or len(node[0]) > _MAX_NAME else pa.field(node[0], kind, nullable=node[2])


def _parse_flat(text: str) -> Any:
    import pyarrow as pa  # only when a value needs it

    if zoned := _ZONED.fullmatch(text):
        return pa.timestamp(zoned[1], zoned[2])
    if number := _DECIMAL.fullmatch(text):
        make = getattr(pa, number[1], None)
        return None if make is None else make(int(number[2]), int(number[3]))
    if fixed := _FIXED.fullmatch(text):
        return pa.binary(int(fixed[1]))
    if text not in _SIMPLE:
        return None
    name, _, unit = text.partition("[")
    factory = getattr(pa, _FACTORIES.get(name, name), None)
    if factory is None:
        return None
    return factory(unit.rstrip("]")) if unit and name not in ("date32", "date64") else factory()


def plain_storage(kind: Any) -> Any:
    """Return the number type in which a type's values are kept; None when it has none."""
    import pyarrow as pa

    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
        return kind
    if pa.types.is_date32(kind) or pa.types.is_time32(kind):
        return pa.int32()
    if is_kind(kind, "interval"):
        return None
    if pa.types.is_temporal(kind):
        return pa.int64()
    return None


def fixed_width(kind: Any) -> int | None:
    """Return how many bytes each value of a type takes that is no number; None of a type without fixed width."""
    import pyarrow as pa

    if pa.types.is_decimal(kind) or pa.types.is_fixed_size_binary(kind) or is_kind(kind, "interval"):
        return int(kind.bit_width) // 8
    return None


def is_text(kind: Any) -> bool:
    """Return whether a type's values are texts or bytes of any length."""
    kinds = ("string", "large_string", "string_view", "binary", "large_binary", "binary_view")
    return any(is_kind(kind, name) for name in kinds)
