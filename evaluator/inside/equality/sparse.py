"""SciPy's sparse matrices of every format."""

from typing import Any

import numpy as np

from evaluator.inside.equality.columns import Element, compare_vectors
from evaluator.inside.equality.likeness import Context, Likeness, different
from evaluator.inside.equality.vectors import vector_of
from evaluator.inside.matchers_model import Cause


def compare_sparse(expected: Any, found: Any, context: Context, element: Element) -> Likeness:
    """Compare two sparse matrices by their elements; zeros that are stored are zeros."""
    if expected.shape != found.shape:
        return different(f"expected a matrix of shape {expected.shape}, got {found.shape}", Cause.SHAPE)
    one, other = _canonical_csr(expected), _canonical_csr(found)
    if not (np.array_equal(one.indices, other.indices) and np.array_equal(one.indptr, other.indptr)):
        return different("two sparse matrices have elements in other places", Cause.VALUE)
    return compare_vectors(
        vector_of(one.data), vector_of(other.data), context.within(), element, "the elements of the sparse matrix"
    )


def _canonical_csr(matrix: Any) -> Any:
    copy = matrix.tocsr(copy=True)
    copy.sum_duplicates()
    copy.sort_indices()
    copy.eliminate_zeros()
    return copy
