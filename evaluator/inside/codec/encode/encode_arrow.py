"""The writer of Arrow's columns: type, and for each level which values are missing and what the others are.

The form does not depend on how Arrow keeps the values: chunks, offsets, and what lies under missing values are gone.
"""

from typing import Any

import numpy as np
import pandas as pd

from evaluator.inside.codec.arrow_types import LISTS, fixed_width, is_kind, is_text, plain_storage, write_arrow_type
from evaluator.inside.codec.encode.encoder import Encoder, Node, Unknown, writes


@writes(pd.arrays.ArrowExtensionArray)
def _arrow_array(encoder: Encoder, value: Any) -> Node:
    import pyarrow as pa  # here already, since the value is Arrow's

    try:
        column = arrow_column(value)
        node = write_arrow_type(column.type)
        array = _in_one_piece(column)
        array.validate(full=True)
        return ["arrow", node, _array_node(encoder, array)]
    except pa.ArrowException as error:  # this version of Arrow cannot take such an array apart
        raise Unknown from error


def _in_one_piece(column: Any) -> Any:
    import pyarrow as pa

    if column.num_chunks == 1:
        return column.chunk(0)
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)


def arrow_column(value: Any) -> Any:
    """Return the Arrow column behind a column of pandas."""
    column = getattr(value, "_pa_array", None)
    return value._data if column is None else column  # before pandas 2.1


def weighs_nothing(kind: Any) -> bool:
    """Return whether values of a type take no bytes of their own, so that the mask has to tell how many there are."""
    return (
        is_kind(kind, "null") or fixed_width(kind) == 0 or is_kind(kind, "struct") or is_kind(kind, "fixed_size_list")
    )


def _array_node(encoder: Encoder, array: Any) -> Node:
    absent = np.asarray(array.is_null().to_numpy(zero_copy_only=False), dtype=np.bool_)
    mask = encoder.array(absent) if absent.any() or weighs_nothing(array.type) else None
    return [len(array), mask, *_parts(encoder, array, absent)]


def _parts(encoder: Encoder, array: Any, absent: "np.ndarray[Any, Any]") -> list[Node]:
    kind = array.type
    if plain_storage(kind) is not None:
        return [encoder.array(_numbers(array, absent))]
    if is_text(kind):
        return _texts(encoder, array)
    if fixed_width(kind) is not None:
        return [encoder.array(_rows(array, absent))]
    if is_kind(kind, "null"):
        return []
    if is_kind(kind, "struct"):
        return [[_array_node(encoder, child) for child in array.flatten()]]
    if is_kind(kind, "dictionary"):
        return [_array_node(encoder, array.indices), _array_node(encoder, array.dictionary)]
    if is_kind(kind, "fixed_size_list"):
        return [_array_node(encoder, _fixed_items(array, absent))]
    if is_kind(kind, "map"):
        return _lists(encoder, array, absent, (array.keys, array.items))
    if any(is_kind(kind, name) for name in LISTS):
        return _lists(encoder, array, absent, (array.values,))
    raise Unknown


def _numbers(array: Any, absent: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    """Return numbers with a zero where one is missing."""
    storage = plain_storage(array.type)
    numbers = array.cast(storage) if storage != array.type else array
    if not absent.any():
        return np.asarray(numbers.to_numpy(zero_copy_only=False))
    result = np.zeros(len(array), storage.to_pandas_dtype())
    result[~absent] = numbers.drop_null().to_numpy(zero_copy_only=False)
    return result


def _texts(encoder: Encoder, array: Any) -> list[Node]:
    import pyarrow as pa

    is_string = "string" in str(array.type)
    wide = array.cast(pa.large_string() if is_string else pa.large_binary())
    filled = wide.fill_null("" if is_string else b"") if wide.null_count else wide
    _, places, data = filled.buffers()
    if places is None or len(filled) == 0:
        return [encoder.buffer(b""), encoder.buffer(b"")]
    ends = np.frombuffer(places, np.int64)[filled.offset : filled.offset + len(filled) + 1]
    text = b"" if data is None else bytes(memoryview(data)[ends[0] : ends[-1]])
    return [encoder.array(ends[1:] - ends[0]), encoder.buffer(text)]


def _rows(array: Any, absent: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    """Return the bytes of values of one width, a row of them for each."""
    width, count = fixed_width(array.type) or 0, len(array)
    data = array.buffers()[1]
    if data is None or not width or not count:
        return np.zeros((count, width), np.uint8)
    start = array.offset * width
    rows = np.frombuffer(data, np.uint8)[start : start + count * width].reshape(count, width).copy()
    rows[absent] = 0
    return rows


def _fixed_items(array: Any, absent: "np.ndarray[Any, Any]") -> Any:
    import pyarrow as pa

    size = array.type.list_size
    places = np.arange(len(array) * size, dtype=np.int64) + array.offset * size
    return array.values.take(pa.array(places, mask=np.repeat(absent, size)))


def _lists(encoder: Encoder, array: Any, absent: "np.ndarray[Any, Any]", children: tuple[Any, ...]) -> list[Node]:
    """Return the lengths of lists and, for each child, the items of all lists one after the other."""
    import pyarrow as pa

    offsets = np.asarray(array.offsets, dtype=np.int64)
    is_view = is_kind(array.type, "list_view") or is_kind(array.type, "large_list_view")
    sizes = np.asarray(array.sizes, dtype=np.int64) if is_view else np.diff(offsets)
    starts = offsets if is_view else offsets[:-1]
    lengths = np.where(absent, 0, sizes)
    before = np.cumsum(lengths) - lengths
    places = pa.array(np.repeat(starts - before, lengths) + np.arange(int(lengths.sum()), dtype=np.int64))
    return [encoder.array(lengths), *(_array_node(encoder, child.take(places)) for child in children)]
