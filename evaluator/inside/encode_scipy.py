"""The writer of SciPy's sparse matrices and arrays: class, shape and the elements in canonical order."""

import math
import sys
from typing import Any, Final

import numpy as np

from evaluator.inside.encoder import Encoder, Node, OverLimit, Unknown, Writer, finds_writers, type_path

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
