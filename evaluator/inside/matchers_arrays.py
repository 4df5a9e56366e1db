"""NumPy arrays and sparse matrices (published rules; dseal.md, section 4, rules 5 and 6): their causes have no name."""

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluator.inside.matchers_model import MATCHED, Match, MatchOptions, mismatch
from evaluator.inside.matchers_scalars import unlike_kinds

Array = NDArray[Any]


def match_arrays(expected: Any, found: Any, options: MatchOptions) -> Match:
    """Compare where either side is a NumPy array."""
    if not (isinstance(expected, np.ndarray) and isinstance(found, np.ndarray)):
        return unlike_kinds(expected, found)
    if expected.shape != found.shape:
        return mismatch(f"expected an array of shape {expected.shape}, got {found.shape}")
    if options.strict_type and expected.dtype != found.dtype:
        return mismatch(f"expected an array of dtype {expected.dtype}, got {found.dtype}")
    if _same_values(expected, found, options):
        return MATCHED
    return mismatch(f"the values of two arrays of shape {expected.shape} differ")


def _same_values(expected: Array, found: Array, options: MatchOptions) -> bool:
    if expected.dtype.kind == "f" and found.dtype.kind == "f":
        return _close(expected, found, options)
    try:
        return bool(np.array_equal(expected, found))
    except (TypeError, ValueError):
        return False


def _close(expected: Array, found: Array, options: MatchOptions) -> bool:
    missing, missing_found = np.isnan(expected), np.isnan(found)
    if not np.array_equal(missing, missing_found) or not np.array_equal(np.isinf(expected), np.isinf(found)):
        return False
    return bool(np.allclose(found[~missing_found], expected[~missing], rtol=options.rtol, atol=options.atol))


def is_sparse(value: Any) -> bool:
    """Tell whether rule 6 applies: to CSR matrices only."""
    sparse = sys.modules.get("scipy.sparse")  # no value can be of a type that was never imported
    return sparse is not None and isinstance(value, sparse.csr_matrix)


def match_sparse(expected: Any, found: Any, options: MatchOptions) -> Match:
    """Compare where either side is a sparse matrix."""
    if not (is_sparse(expected) and is_sparse(found)):
        return unlike_kinds(expected, found)
    if expected.shape != found.shape:
        return mismatch(f"expected a matrix of shape {expected.shape}, got {found.shape}")
    same = (
        len(expected.indices) == len(found.indices)
        and np.allclose(expected.data, found.data, rtol=options.rtol, atol=options.atol)
        and np.array_equal(expected.indices, found.indices)
        and np.array_equal(expected.indptr, found.indptr)
    )
    return MATCHED if same else mismatch("the elements of two sparse matrices differ")
