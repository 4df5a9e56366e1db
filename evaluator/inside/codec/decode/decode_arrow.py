"""The reader of Arrow's columns."""

from typing import Any, Final

import numpy as np
import pandas as pd

from evaluator.inside.codec.arrow_types import LISTS, fixed_width, is_kind, is_text, parse_arrow_type, plain_storage
from evaluator.inside.codec.decode.decoder import BadPayload, Decoder, reads
from evaluator.inside.codec.encode.encode_arrow import weighs_nothing

_MAX_ROWS: Final = (1 << 31) - 1


def read_arrow_type(node: Any) -> Any:
    """Return the Arrow type of a node."""
    kind = parse_arrow_type(node)
    if kind is None:
        raise BadPayload("no Arrow type")
    return kind


@reads("arrow", 2)
def _arrow_array(decoder: Decoder, kind: Any, node: Any) -> Any:
    array = _read(decoder, read_arrow_type(kind), node)
    array.validate(full=True)
    return pd.arrays.ArrowExtensionArray(array)


def _read(decoder: Decoder, kind: Any, node: Any) -> Any:
    """Return the array of a node; every child has as many values as its parent makes of it."""
    parts = decoder.items(node)
    if len(parts) < 2 or (parts[1] is None and weighs_nothing(kind)):
        raise BadPayload("no Arrow column")
    count = decoder.number(parts[0], low=0, high=_MAX_ROWS)
    absent = None if parts[1] is None else decoder.array(parts[1], "?", count)
    if plain_storage(kind) is not None:
        return _numbers(decoder, kind, count, absent, *parts[2:])
    if is_text(kind):
        return _texts(decoder, kind, count, absent, *parts[2:])
    if is_kind(kind, "null"):
        return _null(count, *parts[2:])
    if is_kind(kind, "dictionary"):
        return _dictionary(decoder, kind, count, *parts[2:])
    return _nested(decoder, kind, count, absent, parts[2:])


def _numbers(decoder: Decoder, kind: Any, count: int, absent: Any, data: Any) -> Any:
    import pyarrow as pa

    storage = plain_storage(kind)
    values = decoder.array(data, np.dtype(storage.to_pandas_dtype()), count)
    column = pa.array(values, type=storage, mask=absent, from_pandas=False)
    return column if storage == kind else column.cast(kind)


def _texts(decoder: Decoder, kind: Any, count: int, absent: Any, ends: Any, data: Any) -> Any:
    import pyarrow as pa

    stops, raw = decoder.array(ends, "<i8", count), bytes(decoder.raw(data))
    bounds = np.concatenate([np.zeros(1, np.int64), stops])
    if (np.diff(bounds) < 0).any() or bounds[-1] != len(raw):
        raise BadPayload("offsets of texts do not fit")
    wide = pa.large_string() if "string" in str(kind) else pa.large_binary()
    column = pa.Array.from_buffers(wide, count, [_validity(absent), pa.py_buffer(bounds), pa.py_buffer(raw)])
    column.validate(full=True)  # UTF-8 included
    return column if wide == kind else column.cast(kind)


def _null(count: int) -> Any:
    import pyarrow as pa

    return pa.nulls(count)


def _dictionary(decoder: Decoder, kind: Any, count: int, indices: Any, values: Any) -> Any:
    import pyarrow as pa

    places = _read(decoder, kind.index_type, indices)
    if len(places) != count:
        raise BadPayload("a dictionary of Arrow does not fit")
    return pa.DictionaryArray.from_arrays(places, _read(decoder, kind.value_type, values), ordered=kind.ordered)


def _nested(decoder: Decoder, kind: Any, count: int, absent: Any, parts: list[Any]) -> Any:
    import pyarrow as pa

    buffers: list[Any] = [_validity(absent)]
    children: list[Any] = []
    width = fixed_width(kind)
    if width is not None:
        (data,) = parts
        buffers.append(pa.py_buffer(_exactly(bytes(decoder.raw(data)), count * width)))
    elif is_kind(kind, "struct"):
        (nodes,) = parts
        fields = [kind.field(place) for place in range(kind.num_fields)]
        pairs = zip(fields, decoder.items(nodes), strict=True)
        children = [_exactly(_read(decoder, field.type, node), count) for field, node in pairs]
    elif is_kind(kind, "fixed_size_list"):
        (node,) = parts
        children = [_exactly(_read(decoder, kind.value_type, node), count * kind.list_size)]
    else:
        lengths, *nodes = parts
        total, places = _places(decoder, kind, count, lengths)
        buffers += places
        children = [_items(decoder, kind, total, nodes)]
    return pa.Array.from_buffers(kind, count, buffers, children=children or None)


def _places(decoder: Decoder, kind: Any, count: int, reference: Any) -> tuple[int, list[Any]]:
    """Return how many items there are in all, and the buffers that say where those of each list are."""
    import pyarrow as pa

    lengths = decoder.array(reference, "<i8", count)
    if count and (lengths.min() < 0 or lengths.max() > _MAX_ROWS):
        raise BadPayload("no lengths of lists")
    bounds = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    total = int(bounds[-1])
    if not 0 <= total <= _MAX_ROWS:
        raise BadPayload("no lengths of lists")
    size = "i8" if is_kind(kind, "large_list") or is_kind(kind, "large_list_view") else "i4"
    if is_kind(kind, "list_view") or is_kind(kind, "large_list_view"):
        return total, [pa.py_buffer(bounds[:-1].astype(size)), pa.py_buffer(lengths.astype(size))]
    return total, [pa.py_buffer(bounds.astype(size))]


def _items(decoder: Decoder, kind: Any, total: int, nodes: list[Any]) -> Any:
    import pyarrow as pa

    if is_kind(kind, "map"):
        kinds = (kind.key_type, kind.item_type)
        pairs = [_exactly(_read(decoder, part, node), total) for part, node in zip(kinds, nodes, strict=True)]
        entries = pa.struct([kind.key_field, kind.item_field])
        return pa.Array.from_buffers(entries, total, [None], children=pairs)
    if not any(is_kind(kind, name) for name in LISTS):
        raise BadPayload("no Arrow column")
    (node,) = nodes
    return _exactly(_read(decoder, kind.value_type, node), total)


def _exactly(part: Any, count: int) -> Any:
    if len(part) != count:
        raise BadPayload("a part of an Arrow column does not fit")
    return part


def _validity(absent: Any) -> Any:
    """Return Arrow's bits of what is there; None where nothing is missing."""
    import pyarrow as pa

    if absent is None or not absent.any():
        return None
    return pa.py_buffer(np.packbits(~absent, bitorder="little").tobytes())
