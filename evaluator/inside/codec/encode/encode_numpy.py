"""Writers for NumPy: scalars, dtypes, arrays."""
# ruff: noqa: ARG001  # every writer has the same signature

import itertools
import math
import sys
from typing import Any, Final

import numpy as np

from evaluator.inside.codec.encode.encoder import (
    VALUE_LIMITS,
    Encoder,
    Node,
    OverLimit,
    Unknown,
    Writer,
    finds_writers,
    type_path,
    writes,
)
from evaluator.inside.codec.protocols import is_private

SCALAR_KINDS: Final = "biufcSUMm"
MAX_ITEM: Final = 1 << 24  # bytes of an element
MAX_FIELDS: Final = 1000
MAX_DIMENSIONS: Final = 32
MAX_RECORD_BYTES: Final = 1 << 27  # of a record array, padding included
_MAX_SCALAR: Final = 1 << 20
_MAX_NAME: Final = 1000
_MAX_LEVELS: Final = 8  # of records within records
_LONG_BYTES: Final = 10  # of a long double, the rest of its 16 bytes is padding without a value
_SCALARS: Final = tuple({np.dtype(code).type for code in "?bhilqpBHILQPefdgFDGSUMm"})


def dtype_node(dtype: "np.dtype[Any]", *, depth: int = 0) -> Node:
    """Return the node of a dtype: its string, or a record's parts.

    Raises:
        OverLimit: If its elements are too large.
        Unknown: If it is of no known kind.
    """
    if dtype.itemsize > MAX_ITEM:
        raise OverLimit("bytes")
    if depth > _MAX_LEVELS:
        raise Unknown
    if dtype.names is not None:
        return _record_node(dtype, depth)
    if dtype.subdtype is not None:
        return ["sub", dtype_node(dtype.subdtype[0], depth=depth + 1), list(dtype.subdtype[1])]
    if dtype.kind not in SCALAR_KINDS + "O":
        raise Unknown
    return dtype.str


def _record_node(dtype: "np.dtype[Any]", depth: int) -> Node:
    names = list(dtype.names or ())
    fields = [] if dtype.fields is None else [dtype.fields[name] for name in names]  # pyrefly: ignore[bad-index]
    offsets = [int(field[1]) for field in fields]
    ends = [offset + field[0].itemsize for offset, field in zip(offsets, fields, strict=True)]
    borders = sorted(zip(offsets, ends, strict=True))
    overlap = any(after[0] < before[1] for before, after in itertools.pairwise(borders))
    if not 0 < len(names) <= MAX_FIELDS or overlap or max(map(len, names)) > _MAX_NAME:
        raise Unknown
    return ["rec", names, [dtype_node(field[0], depth=depth + 1) for field in fields], offsets, dtype.itemsize]


def _shape(array: "np.ndarray[Any, Any]") -> list[int]:
    if array.ndim > MAX_DIMENSIONS or math.prod(size for size in array.shape if size) > 2 * VALUE_LIMITS.size_bytes:
        raise OverLimit("dimensions")
    if array.dtype.itemsize == 0 and array.size > VALUE_LIMITS.nodes:
        raise OverLimit("elements")
    return list(array.shape)


@writes(np.dtype)
def _dtype(encoder: Encoder, value: "np.dtype[Any]") -> Node:
    return ["dtype", dtype_node(value)]


@finds_writers
def _find_dtype(kind: type) -> Writer | None:
    return _dtype if issubclass(kind, np.dtype) else None  # each dtype is of a class of its own


@writes(*_SCALARS)
def _scalar(encoder: Encoder, value: np.generic) -> Node:
    array = np.asarray(value)
    if array.dtype.itemsize > _MAX_SCALAR:
        raise OverLimit("bytes")
    encoder.charge(2 * array.dtype.itemsize)
    return ["np", array.dtype.str, _clean(array).tobytes().hex()]


@writes(np.void)
def _void(encoder: Encoder, value: np.void) -> Node:
    if value.dtype.names is None:
        raise Unknown
    return encoder.container(value, lambda: ["npv", encoder.known(np.array(value, dtype=value.dtype))])


def _clean(array: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    """Zero the padding of long doubles, which no computation sets."""
    if array.dtype.kind not in "fc" or array.dtype.str[1:] not in ("f16", "c32"):
        return array
    clean = np.array(array, order="C", copy=True)
    raw = clean.reshape(-1).view(np.uint8).reshape(-1, 16)
    raw[:, _LONG_BYTES:] = 0
    return clean


@writes(np.ndarray)
def _array(encoder: Encoder, value: "np.ndarray[Any, Any]") -> Node:
    if value.dtype.names is not None:
        return encoder.container(value, lambda: _records(encoder, value))
    if value.dtype.kind == "O":
        items = value.reshape(-1).tolist()
        return encoder.container(value, lambda: ["ndo", _shape(value), encoder.sequence(items)])
    return ["nd", dtype_node(value.dtype), _shape(value), encoder.array(_clean(value))]


def _records(encoder: Encoder, value: "np.ndarray[Any, Any]") -> Node:
    if value.size * value.dtype.itemsize > MAX_RECORD_BYTES:
        raise OverLimit("bytes")
    names = value.dtype.names or ()
    return ["ndr", dtype_node(value.dtype), _shape(value), [encoder.known(value[name]) for name in names]]


@writes(np.recarray)
def _recarray(encoder: Encoder, value: "np.recarray[Any, Any]") -> Node:
    plain = np.asarray(value)
    if plain.dtype.names is None:
        raise Unknown
    encoder.comes_back = encoder.comes_back and not any(map(is_private, plain.dtype.names))
    unwrapped = plain.view(np.dtype((np.void, plain.dtype)))
    return ["rec", encoder.known(unwrapped)]


@writes(np.matrix)
def _matrix(encoder: Encoder, value: "np.matrix[Any, Any]") -> Node:
    return ["matrix", encoder.known(np.asarray(value))]


@writes(np.ma.MaskedArray)
def _masked(encoder: Encoder, value: "np.ma.MaskedArray[Any, Any]") -> Node:
    data, mask = np.asarray(value.data), np.ma.getmaskarray(value)
    if mask.dtype.names is not None:  # a mask for each field
        raise Unknown
    filler = np.asarray(value.fill_value)
    if data.dtype.kind in "SU":
        filler = filler.astype(data.dtype)  # a default one is longer than the texts
    return ["ma", encoder.known(data), encoder.known(mask), encoder.known(filler)]


FORMATS: Final = ("bsr", "coo", "csc", "csr", "dia", "dok", "lil")
CLASSES: Final = frozenset(f"{name}_{form}" for name in FORMATS for form in ("matrix", "array"))
NUMBERS: Final = "biufc"
MAX_SPAN: Final = 1 << 40  # cells, filled or not
_MAX_DIMENSIONS: Final = 8
MAX_CELLS: Final = 1 << 25  # rows, columns or diagonal cells that a format keeps whether or not they hold a value


@finds_writers
def find_sparse(kind: type) -> Writer | None:
    """Return the writer of SciPy's sparse classes; a class that only bears such a name has none."""
    sparse = sys.modules.get("scipy.sparse")  # no value is of a type that was never imported
    if sparse is None or not type_path(kind).startswith("scipy.sparse."):
        return None
    name = type.__getattribute__(kind, "__name__")
    return _sparse if name in CLASSES and vars(sparse).get(name) is kind else None


def _sparse(encoder: Encoder, value: Any) -> Node:
    if value.dtype.kind not in NUMBERS:
        raise Unknown
    name, shape = type(value).__name__, list(value.shape)
    if math.prod(size for size in shape if size) > MAX_SPAN or len(shape) > _MAX_DIMENSIONS:
        raise OverLimit("cells")
    elements = value.tocoo(copy=True)
    elements.sum_duplicates()
    places = [elements.row, elements.col] if len(shape) == 2 else list(elements.coords)
    order = np.lexsort(places[::-1]) if len(elements.data) else slice(None)  # by row, then by column
    places = [np.asarray(place, np.int64)[order] for place in places]
    if dense_cells(name, tuple(shape), places) > MAX_CELLS:
        raise OverLimit("cells")
    return ["sparse", name, shape, [encoder.node(place) for place in places], encoder.node(elements.data[order])]


def dense_cells(name: str, shape: tuple[int, ...], places: list[Any]) -> int:
    """Return how many cells a format keeps beside those that hold a value."""
    if name.startswith("dia") and len(shape) == 2:
        return len(np.unique(places[1] - places[0])) * shape[1]
    return max(shape, default=0) if not name.startswith(("coo", "dok")) else 0
