"""Writers of what stands behind a column or an index: arrays by value, arrays without a form as stand-ins."""

from typing import Any, Final

import numpy as np
import pandas as pd

from evaluator.inside.encoder import Encoder, Node, Unknown

STAND_IN: Final = "unread"
_OBJECTS_OF: Final = "SUTV"  # kinds of NumPy that pandas keeps in a column, but does not make anew of an array


def column_node(encoder: Encoder, values: Any, count: int) -> Node:
    """Return the node of the array behind a column; of one without a form, a stand-in for each of its rows.

    Args:
        encoder: Of the claim.
        values: The array; whatever its class, it is one that pandas has accepted.
        count: How many rows there are.
    """
    try:
        return encoder.known(base_array(encoder, values) if isinstance(values, np.ndarray) else values)
    except Unknown:
        return stand_in(encoder, values, count)


def stand_in(encoder: Encoder, values: Any, count: int) -> Node:
    """Return the node of an array of which only the type is told, in each of its rows; a byte for each is its price."""
    return [STAND_IN, encoder.buffer(bytes(count)), encoder.opaque(values)]


def base_array(encoder: Encoder, values: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    """Return an array of NumPy's own class that a column can be made of; what is masked is missing in it."""
    if values.ndim != 1:
        raise Unknown
    if type(values) is not np.ndarray:
        encoder.comes_back = False
        values = _without_mask(values) if isinstance(values, np.ma.MaskedArray) else np.asarray(values)
    if values.dtype.kind in _OBJECTS_OF:
        encoder.comes_back = False
        items, values = values.tolist(), np.empty(len(values), dtype=object)
        for place, item in enumerate(items):
            values[place] = item
    return values


def _without_mask(values: "np.ma.MaskedArray[Any, Any]") -> "np.ndarray[Any, Any]":
    """Return the values of a masked array, missing where they are masked, as pandas makes a column of them."""
    mask, data = np.ma.getmaskarray(values), np.asarray(np.ma.getdata(values, subok=False))
    if mask.dtype != np.bool_ or not mask.any():
        return data
    if data.dtype.kind in "biu":
        data = data.astype(object if data.dtype.kind == "b" else np.float64)
    plain = pd.Series(data, copy=True)
    plain[mask] = None if data.dtype.kind in "mM" else np.nan
    return np.asarray(plain)
