"""Which cells of two columns differ, found quickly: pandas' own assertions walk cell by cell once they fail."""

import math
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evaluator.inside.matchers_model import MatchOptions

ROWS_WALKED: Final = 5_000  # rows of columns that only Python can compare
_DOUBT: Final = 10.0  # times the tolerance: beyond it, no way of reading the tolerance makes two numbers equal


def unequal_cells(expected: pd.Series, found: pd.Series) -> NDArray[np.bool_]:
    """Tell which cells differ, for a reason that people read; of mixed objects, for the first `ROWS_WALKED` only."""
    if _is_plain(expected) and _is_plain(found):
        exact = expected.dtype == found.dtype and expected.dtype.kind != "f"
        one, other = expected.to_numpy(), found.to_numpy()
        return np.asarray(one != other if exact else ~np.isclose(other, one, equal_nan=True))
    if expected.dtype == found.dtype and expected.dtype != object:
        return _unequal_extension(expected, found)
    pairs = zip(expected.array[:ROWS_WALKED], found.array[:ROWS_WALKED], strict=True)
    return np.array([not _cells_equal(a, b) for a, b in pairs], dtype=bool)


def differ_beyond_doubt(expected: Any, found: Any, options: MatchOptions) -> bool:
    """Tell whether two tables of one shape surely differ in a value; False means: ask pandas."""
    if isinstance(expected, pd.DataFrame):
        if expected.shape != found.shape:
            return False
        pairs = [(expected.iloc[:, i], found.iloc[:, i]) for i in range(expected.shape[1])]
    else:
        pairs = [(expected, found)] if isinstance(expected, pd.Series) and len(expected) == len(found) else []
    return any(_columns_differ(one, other, options) for one, other in pairs if one.dtype == other.dtype)


def _columns_differ(expected: pd.Series, found: pd.Series, options: MatchOptions) -> bool:
    if expected.dtype == object:
        return False
    try:
        if not _is_plain(expected):
            return isinstance(expected.dtype, pd.StringDtype) and bool(_unequal_extension(expected, found).any())
        one, other = expected.to_numpy(), found.to_numpy()
        if expected.dtype.kind != "f" and not options.tolerances_set:
            return bool((one != other).any())
        rtol, atol = (max(value, default) * _DOUBT for value, default in ((options.rtol, 1e-5), (options.atol, 1e-8)))
        return not np.isclose(other, one, rtol=rtol, atol=atol, equal_nan=True).all()
    except Exception:  # noqa: BLE001  whatever cannot be compared here is pandas' to decide
        return False


def _is_plain(column: pd.Series) -> bool:
    return isinstance(column.dtype, np.dtype) and column.dtype.kind in "iufb"


def _unequal_extension(expected: pd.Series, found: pd.Series) -> NDArray[np.bool_]:
    missing, missing_found = expected.isna().to_numpy(), found.isna().to_numpy()
    same = np.asarray((expected.array == found.array).astype(object), dtype=object)
    equal = np.where(missing | missing_found, missing == missing_found, same)
    return ~equal.astype(bool)


def _cells_equal(one: Any, other: Any) -> bool:
    if one is other or (_is_missing(one) and _is_missing(other)):
        return True
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return math.isclose(one, other, rel_tol=1e-5, abs_tol=1e-8)
    return bool(np.all(one == other))


def _is_missing(value: Any) -> bool:
    return bool(pd.api.types.is_scalar(value) and pd.isna(value))
