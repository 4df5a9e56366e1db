"""Readers of NumPy's types."""

import math
import re
from typing import Any, Final

import numpy as np

from evaluator.inside.codec.decode.decoder import BadPayload, Decoder, check_elements, reads
from evaluator.inside.codec.encode.encode_numpy import (
    CLASSES,
    MAX_CELLS,
    MAX_SPAN,
    NUMBERS,
    SCALAR_KINDS,
    dense_cells,
)
from evaluator.inside.codec.protocols import is_private

_DTYPE: Final = re.compile(rf"[<>|=][{SCALAR_KINDS}O]\d{{0,8}}(\[\d{{0,4}}(Y|M|W|D|h|m|s|ms|us|ns|ps|fs|as)\])?")
_MAX_ITEM: Final = 1 << 24
_MAX_FIELDS: Final = 1000
_MAX_RECORDS: Final = 1 << 27  # bytes, padding included


def read_dtype(decoder: Decoder, node: Any, *, depth: int = 0) -> "np.dtype[Any]":
    """Return the dtype of a node."""
    if type(node) is str:
        if not _DTYPE.fullmatch(node):
            raise BadPayload(f"no dtype: {node[:40]!r}")
        dtype = np.dtype(node)
        if dtype.itemsize > _MAX_ITEM:
            raise BadPayload("elements are too large")
        return dtype
    parts = decoder.items(node)
    if depth > 8:
        raise BadPayload("a dtype is too deep")
    if len(parts) == 3 and parts[0] == "sub":
        base, shape = read_dtype(decoder, parts[1], depth=depth + 1), decoder.shape(parts[2])
        if base.itemsize * math.prod(shape) > _MAX_ITEM:
            raise BadPayload("elements are too large")
        return np.dtype((base, shape))
    if len(parts) == 5 and parts[0] == "rec":
        return _read_record(decoder, parts, depth)
    raise BadPayload("no dtype")


def _read_record(decoder: Decoder, parts: list[Any], depth: int) -> "np.dtype[Any]":
    names = [decoder.string(name, longest=1000) for name in decoder.items(parts[1])]
    formats = [read_dtype(decoder, part, depth=depth + 1) for part in decoder.items(parts[2])]
    offsets = [decoder.number(offset, low=0, high=_MAX_ITEM) for offset in decoder.items(parts[3])]
    size = decoder.number(parts[4], low=0, high=_MAX_ITEM)
    if not len(names) == len(formats) == len(offsets) or len(names) > _MAX_FIELDS:
        raise BadPayload("the fields of a record do not fit")
    end = 0
    for offset, kind in sorted(zip(offsets, formats, strict=True), key=lambda field: field[0]):
        if offset < end:
            raise BadPayload("fields of a record overlap")
        end = offset + kind.itemsize
    if end > size:
        raise BadPayload("a field lies outside its record")
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": size})


@reads("dtype", 1)
def _dtype(decoder: Decoder, node: Any) -> "np.dtype[Any]":
    return read_dtype(decoder, node)


@reads("np", 2)
def _scalar(decoder: Decoder, dtype: Any, digits: Any) -> Any:
    kind = read_dtype(decoder, dtype)
    raw = bytes.fromhex(decoder.string(digits, longest=1 << 24))
    if len(raw) != kind.itemsize or kind.hasobject or kind.names is not None or kind.subdtype is not None:
        raise BadPayload("no scalar")
    if not raw:
        return np.zeros((), kind)[()]
    elements = np.frombuffer(raw, kind)
    check_elements(elements)
    return elements[0]


@reads("npv", 1)
def _void(decoder: Decoder, node: Any) -> Any:
    array = decoder.value(node)
    if type(array) is not np.ndarray or array.shape != () or array.dtype.names is None:
        raise BadPayload("no record")
    return array[()]


@reads("nd", 3)
def _array(decoder: Decoder, dtype: Any, shape: Any, reference: Any) -> "np.ndarray[Any, Any]":
    kind, dimensions = read_dtype(decoder, dtype), decoder.shape(shape)
    if kind.hasobject or kind.names is not None or kind.subdtype is not None:
        raise BadPayload("no plain dtype")
    return decoder.array(reference, kind, math.prod(dimensions)).reshape(dimensions)


@reads("ndo", 2)
def _object_array(decoder: Decoder, shape: Any, items: Any) -> "np.ndarray[Any, Any]":
    dimensions, values = decoder.shape(shape), decoder.sequence(items)
    if len(values) != math.prod(dimensions):
        raise BadPayload("the number of elements does not fit the shape")
    flat = np.empty(len(values), dtype=object)
    for place, value in enumerate(values):
        flat[place] = value
    return flat.reshape(dimensions)


@reads("ndr", 3)
def _records(decoder: Decoder, dtype: Any, shape: Any, fields: Any) -> "np.ndarray[Any, Any]":
    kind, dimensions = read_dtype(decoder, dtype), decoder.shape(shape)
    parts = [decoder.value(field) for field in decoder.items(fields)]
    names = kind.names or ()
    if not names or len(parts) != len(names) or math.prod(dimensions) * kind.itemsize > _MAX_RECORDS:
        raise BadPayload("the fields of a record array do not fit")
    result = np.zeros(dimensions, kind)
    for name, part in zip(names, parts, strict=True):
        if type(part) is not np.ndarray or part.shape != result[name].shape or part.dtype != result[name].dtype:
            raise BadPayload("a field of a record array does not fit")
        result[name] = part
    return result


@reads("rec", 1)
def _recarray(decoder: Decoder, node: Any) -> Any:
    plain = _plain(decoder, node)
    if any(map(is_private, plain.dtype.names or ())):
        return plain  # a record array serves its fields as attributes, and such names may be protocols
    return plain.view(np.recarray)


@reads("matrix", 1)
def _matrix(decoder: Decoder, node: Any) -> Any:
    return _plain(decoder, node).view(np.matrix)


def _plain(decoder: Decoder, node: Any) -> "np.ndarray[Any, Any]":
    array = decoder.value(node)
    if type(array) is not np.ndarray:
        raise BadPayload("no array")
    return array


@reads("ma", 3)
def _masked(decoder: Decoder, data: Any, mask: Any, fill: Any) -> Any:
    values, flags = _plain(decoder, data), _plain(decoder, mask)
    filler: Any = _plain(decoder, fill)[()]
    if flags.shape != values.shape or flags.dtype != np.dtype("?"):
        raise BadPayload("a mask does not fit")
    return np.ma.array(values, mask=flags, fill_value=filler)


def _flat(decoder: Decoder, node: Any) -> "np.ndarray[Any, Any]":
    array = decoder.value(node)
    if type(array) is not np.ndarray or array.ndim != 1 or array.dtype.kind not in NUMBERS:
        raise BadPayload("no elements of a sparse matrix")
    return array


@reads("sparse", 4)
def _sparse(decoder: Decoder, name: Any, shape: Any, places: Any, data: Any) -> Any:
    dimensions = decoder.shape(shape, cells=MAX_SPAN)
    if name not in CLASSES or not 1 <= len(dimensions) <= 8 or max(dimensions) > MAX_SPAN:
        raise BadPayload("no sparse matrix")
    coordinates, values = [_flat(decoder, place) for place in decoder.items(places)], _flat(decoder, data)
    _check_places(coordinates, dimensions, len(values))
    if dense_cells(name, dimensions, coordinates) > MAX_CELLS:
        raise BadPayload("a sparse matrix has too many cells")
    from scipy import sparse  # only when a value needs it

    kind, _, form = name.partition("_")
    make = sparse.coo_array if form == "array" else sparse.coo_matrix
    rebuilt = make((values, tuple(coordinates)), shape=dimensions)
    return rebuilt.asformat(kind)


def _check_places(places: "list[np.ndarray[Any, Any]]", shape: tuple[int, ...], count: int) -> None:
    if len(places) != len(shape):
        raise BadPayload("a sparse matrix has other dimensions than places")
    for place, size in zip(places, shape, strict=True):
        is_whole = place.dtype == np.int64 and len(place) == count
        if not is_whole or (count and not (place.min() >= 0 and place.max() < size)):
            raise BadPayload("an element lies outside its sparse matrix")
    if count > 1 and (np.diff(np.ravel_multi_index(tuple(places), shape)) <= 0).any():
        raise BadPayload("the elements of a sparse matrix are out of order, or one is there twice")
