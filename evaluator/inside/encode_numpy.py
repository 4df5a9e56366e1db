"""Writers for NumPy: scalars, dtypes, arrays."""

# ruff: noqa: ARG001  # every writer has the same signature

from typing import Any, Final

import numpy as np

from evaluator.inside.encoder import Encoder, Node, Unknown, Writer, finds_writers, writes

SCALAR_KINDS: Final = "biufcSUMm"
_LONG_BYTES: Final = 10  # of a long double, the rest of its 16 bytes is padding without a value
_SCALARS: Final = tuple({np.dtype(code).type for code in "?bhilqpBHILQPefdgFDGSUMm"})


def dtype_node(dtype: "np.dtype[Any]") -> Node:
    """Return the node of a dtype: its string, or a record's parts.

    Raises:
        Unknown: If it is of no known kind.
    """
    if dtype.names is not None:
        fields = [dtype.fields[name] for name in dtype.names] if dtype.fields is not None else []
        parts = [dtype_node(field[0]) for field in fields]
        return ["rec", list(dtype.names), parts, [field[1] for field in fields], dtype.itemsize]
    if dtype.subdtype is not None:
        return ["sub", dtype_node(dtype.subdtype[0]), list(dtype.subdtype[1])]
    if dtype.kind not in SCALAR_KINDS + "O":
        raise Unknown
    return dtype.str


@writes(np.dtype)
def _dtype(encoder: Encoder, value: "np.dtype[Any]") -> Node:
    return ["dtype", dtype_node(value)]


@finds_writers
def _find_dtype(kind: type) -> Writer | None:
    return _dtype if issubclass(kind, np.dtype) else None  # each dtype is of a class of its own


@writes(*_SCALARS)
def _scalar(encoder: Encoder, value: np.generic) -> Node:
    array = np.asarray(value)
    return ["np", array.dtype.str, _clean(array).tobytes().hex()]


@writes(np.void)
def _void(encoder: Encoder, value: np.void) -> Node:
    if value.dtype.names is None:
        raise Unknown
    return encoder.container(value, lambda: ["npv", encoder.node(np.array(value, dtype=value.dtype))])


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
        return encoder.container(value, lambda: ["ndo", list(value.shape), encoder.sequence(items)])
    return ["nd", dtype_node(value.dtype), list(value.shape), encoder.array(_clean(value))]


def _records(encoder: Encoder, value: "np.ndarray[Any, Any]") -> Node:
    names = value.dtype.names or ()
    return ["ndr", dtype_node(value.dtype), list(value.shape), [encoder.node(value[name]) for name in names]]


@writes(np.recarray)
def _recarray(encoder: Encoder, value: "np.recarray[Any, Any]") -> Node:
    plain = np.asarray(value)
    if plain.dtype.names is None:
        raise Unknown
    unwrapped = plain.view(np.dtype((np.void, plain.dtype)))
    return ["rec", encoder.node(unwrapped)]


@writes(np.matrix)
def _matrix(encoder: Encoder, value: "np.matrix[Any, Any]") -> Node:
    return ["matrix", encoder.node(np.asarray(value))]


@writes(np.ma.MaskedArray)
def _masked(encoder: Encoder, value: "np.ma.MaskedArray[Any, Any]") -> Node:
    data, mask = np.asarray(value.data), np.ma.getmaskarray(value)
    return ["ma", encoder.node(data), encoder.node(mask), encoder.node(np.asarray(value.fill_value))]
