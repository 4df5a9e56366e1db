"""NumPy arrays and sparse matrices (dseal.md, section 4, rules 5 and 6)."""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluator.inside.matchers_model import MATCHED, Cause, Match, MatchOptions, mismatch
from evaluator.inside.matchers_scalars import unlike_kinds

Array = NDArray[Any]
Element = Callable[[Any, Any], Match]  # compares two parts under the same options


def match_arrays(expected: Any, found: Any, options: MatchOptions, element: Element) -> Match:
    """Compare where either side is a NumPy array."""
    if not (isinstance(expected, np.ndarray) and isinstance(found, np.ndarray)):
        return unlike_kinds(expected, found)
    if expected.shape != found.shape:
        return _unlike(f"expected an array of shape {expected.shape}, got {found.shape}", Cause.SHAPE, options)
    if options.strict_type and expected.dtype != found.dtype:
        return _unlike(f"expected an array of dtype {expected.dtype}, got {found.dtype}", Cause.DTYPE, options)
    same = (
        _same_values(expected, found, options, element) if options.sound else _same_published(expected, found, options)
    )
    if same:
        return MATCHED
    return _unlike(f"the values of two arrays of shape {expected.shape} differ", Cause.VALUE, options)


def _unlike(reason: str, cause: Cause, options: MatchOptions) -> Match:
    return mismatch(reason, cause) if options.sound else mismatch(reason)


def _same_published(expected: Array, found: Array, options: MatchOptions) -> bool:
    if _both("f", expected, found):
        return _close(expected, found, options)
    try:
        return bool(np.array_equal(expected, found))
    except (TypeError, ValueError):
        return False


def _both(kinds: str, expected: Array, found: Array) -> bool:
    return expected.dtype.kind in kinds and found.dtype.kind in kinds


def _close(expected: Array, found: Array, options: MatchOptions) -> bool:
    missing, missing_found = np.isnan(expected), np.isnan(found)
    if not np.array_equal(missing, missing_found) or not np.array_equal(np.isinf(expected), np.isinf(found)):
        return False
    return bool(np.allclose(found[~missing_found], expected[~missing], rtol=options.rtol, atol=options.atol))


def _same_values(expected: Array, found: Array, options: MatchOptions, element: Element) -> bool:
    if isinstance(expected, np.ma.MaskedArray) or isinstance(found, np.ma.MaskedArray):
        return _same_masked(expected, found, options, element)
    expected, found = np.asarray(expected), np.asarray(found)  # record arrays and matrices select differently
    if expected.dtype.names is not None or found.dtype.names is not None:
        return expected.dtype.names == found.dtype.names and all(
            _same_values(expected[name], found[name], options, element) for name in expected.dtype.names or ()
        )
    if expected.dtype.kind == "O" or found.dtype.kind == "O":
        return all(element(a, b).matched for a, b in zip(expected.flat, found.flat, strict=True))
    if _both("fc", expected, found):
        return _close(expected, found, options)
    if expected.dtype.kind == found.dtype.kind and expected.dtype.kind in "mM":
        missing = np.isnat(expected)
        return bool(np.array_equal(missing, np.isnat(found)) and np.array_equal(expected[~missing], found[~missing]))
    return bool(np.array_equal(expected, found))


def _same_masked(expected: Array, found: Array, options: MatchOptions, element: Element) -> bool:
    if not (isinstance(expected, np.ma.MaskedArray) and isinstance(found, np.ma.MaskedArray)):
        return False
    mask = np.ma.getmaskarray(expected)
    if not np.array_equal(mask, np.ma.getmaskarray(found)):
        return False
    return _same_values(np.ma.getdata(expected)[~mask], np.ma.getdata(found)[~mask], options, element)


def is_sparse(value: Any, options: MatchOptions) -> bool:
    """Tell whether rule 6 applies: CSR matrices, under the sound rules every SciPy sparse format."""
    sparse = sys.modules.get("scipy.sparse")  # no value can be of a type that was never imported
    if sparse is None:
        return False
    return bool(sparse.issparse(value)) if options.sound else isinstance(value, sparse.csr_matrix)


def match_sparse(expected: Any, found: Any, options: MatchOptions) -> Match:
    """Compare where either side is a sparse matrix."""
    if not (is_sparse(expected, options) and is_sparse(found, options)):
        return unlike_kinds(expected, found)
    if expected.shape != found.shape:
        return _unlike(f"expected a matrix of shape {expected.shape}, got {found.shape}", Cause.SHAPE, options)
    one, other = (_canonical_csr(m) for m in (expected, found)) if options.sound else (expected, found)
    same = (
        len(one.indices) == len(other.indices)
        and np.allclose(one.data, other.data, rtol=options.rtol, atol=options.atol, equal_nan=options.sound)
        and np.array_equal(one.indices, other.indices)
        and np.array_equal(one.indptr, other.indptr)
    )
    return MATCHED if same else _unlike("the elements of two sparse matrices differ", Cause.VALUE, options)


def _canonical_csr(matrix: Any) -> Any:
    copy = matrix.tocsr(copy=True)
    copy.sum_duplicates()
    copy.sort_indices()
    return copy
