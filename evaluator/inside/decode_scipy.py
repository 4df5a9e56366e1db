"""The reader of SciPy's sparse matrices and arrays."""

from typing import Any

import numpy as np

from evaluator.inside.decoder import BadClaim, Decoder, reads
from evaluator.inside.encode_scipy import CLASSES, MAX_CELLS, MAX_SPAN, NUMBERS, dense_cells


def _flat(decoder: Decoder, node: Any) -> "np.ndarray[Any, Any]":
    array = decoder.value(node)
    if type(array) is not np.ndarray or array.ndim != 1 or array.dtype.kind not in NUMBERS:
        raise BadClaim("no elements of a sparse matrix")
    return array


@reads("sparse", 4)
def _sparse(decoder: Decoder, name: Any, shape: Any, places: Any, data: Any) -> Any:
    dimensions = decoder.shape(shape, cells=MAX_SPAN)
    if name not in CLASSES or not 1 <= len(dimensions) <= 8 or max(dimensions) > MAX_SPAN:
        raise BadClaim("no sparse matrix")
    coordinates, values = [_flat(decoder, place) for place in decoder.items(places)], _flat(decoder, data)
    _check_places(coordinates, dimensions, len(values))
    if dense_cells(name, dimensions, coordinates) > MAX_CELLS:
        raise BadClaim("a sparse matrix has too many cells")
    from scipy import sparse  # only when a value needs it

    kind, _, form = name.partition("_")
    make = sparse.coo_array if form == "array" else sparse.coo_matrix
    rebuilt = make((values, tuple(coordinates)), shape=dimensions)
    return rebuilt.asformat(kind)


def _check_places(places: "list[np.ndarray[Any, Any]]", shape: tuple[int, ...], count: int) -> None:
    if len(places) != len(shape):
        raise BadClaim("a sparse matrix has other dimensions than places")
    for place, size in zip(places, shape, strict=True):
        is_whole = place.dtype == np.int64 and len(place) == count
        if not is_whole or (count and not (place.min() >= 0 and place.max() < size)):
            raise BadClaim("an element lies outside its sparse matrix")
    if count > 1 and (np.diff(np.ravel_multi_index(tuple(places), shape)) <= 0).any():
        raise BadClaim("the elements of a sparse matrix are out of order, or one is there twice")
