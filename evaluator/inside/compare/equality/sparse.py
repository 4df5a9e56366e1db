"""SciPy's sparse matrices of every format."""

from typing import Any

import numpy as np

from evaluator.inside.compare.equality.columns import Element, compare_vectors
from evaluator.inside.compare.equality.likeness import Context, Likeness, different
from evaluator.inside.compare.equality.vectors import vector_of
from evaluator.inside.compare.match_model import Cause


def compare_sparse(expected: Any, found: Any, context: Context, element: Element) -> Likeness:
    """Compare two sparse matrices by their elements; zeros that are stored are zeros."""
    if expected.shape != found.shape:
        return different(f"expected a matrix of shape {expected.shape}, got {found.shape}", Cause.SHAPE)
    one, other = _canonical_csr(expected), _canonical_csr(found)
    places = [_places(matrix) for matrix in (one, other)]
    every = np.union1d(*places)
    stored = [_stored(matrix, own, every) for matrix, own in zip((one, other), places, strict=True)]
    values = [vector_of(data) for data in stored]
    return compare_vectors(values[0], values[1], context.within(), element, "the elements of the sparse matrix")


def _places(matrix: Any) -> Any:
    """Return where the elements stand, row by row, as one number each."""
    rows = np.repeat(np.arange(len(matrix.indptr) - 1, dtype=np.int64), np.diff(matrix.indptr))
    return rows * matrix.shape[-1] + matrix.indices


def _stored(matrix: Any, places: Any, every: Any) -> Any:
    """Return the elements at all of some places; where none is stored there is a zero."""
    values = np.zeros(len(every), dtype=matrix.data.dtype)
    values[np.searchsorted(every, places)] = matrix.data
    return values


def _canonical_csr(matrix: Any) -> Any:
    copy = matrix.tocsr(copy=True)
    copy.sum_duplicates()
    copy.sort_indices()
    copy.eliminate_zeros()
    return copy
