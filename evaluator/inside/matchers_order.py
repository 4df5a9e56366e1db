"""Putting elements and rows in an order that does not depend on how they came (`ignore_order`)."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from evaluator.inside.matchers_model import MatchOptions

_UNIFORM: Final = frozenset({"string", "bytes", "integer", "boolean", "datetime", "date", "time", "timedelta", "empty"})
_RANKS: Final = ((bool, np.bool_), (int, float, np.longdouble), (str,), (bytes,), (list, tuple), (dict,))


def in_order(elements: Sequence[Any], options: MatchOptions) -> list[Any]:
    """Return the elements sorted by type and value.

    Raises:
        TypeError: Under the published rules, if two elements of one type have no order.
    """
    kinds = {*map(type, elements)}
    if kinds in ({int}, {str}):
        return sorted(elements)
    if options.sound and kinds == {float}:
        return list(np.sort(np.array(elements)).tolist())  # NaN last
    if options.sound:
        return sorted(elements, key=order_key)
    return sorted(elements, key=lambda element: (str(type(element)), element))


def order_key(value: Any) -> tuple[Any, ...]:
    """Return a key that orders any decoded values: numbers among numbers, NaN last, the rest by type and text."""
    if isinstance(value, np.number) and not isinstance(value, np.timedelta64):
        value = value.item()
    rank = next((i for i, kinds in enumerate(_RANKS) if isinstance(value, kinds)), len(_RANKS))
    if rank == 1:
        missing = bool(value != value)
        return (rank, missing, 0 if missing else value)
    if rank in (4, 5):
        parts = value if rank == 4 else [*value.keys(), *value.values()]
        return (rank, tuple(sorted(map(order_key, parts))))
    if rank == len(_RANKS):
        return (rank, type(value).__name__, str(value))
    return (rank, value)


def sorted_rows(
    expected: pd.DataFrame, found: pd.DataFrame, options: MatchOptions
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the rows of both frames sorted by all columns, numbered anew; the frames have the same columns.

    Raises:
        TypeError: Under the published rules, if a column cannot be sorted.
        ValueError: Under the published rules, if a column's name stands twice.
    """
    if not options.sound:
        one, other = (frame.sort_values(by=expected.columns.tolist()) for frame in (expected, found))
        return one.reset_index(drop=True), other.reset_index(drop=True)
    dtypes = [(expected.iloc[:, i].dtype, found.iloc[:, i].dtype) for i in range(expected.shape[1])]
    exact_first = sorted(range(len(dtypes)), key=lambda i: any(_is_float(dtype) for dtype in dtypes[i]))
    return _rows_by(expected, exact_first), _rows_by(found, exact_first)  # rounding breaks no ties


def _is_float(dtype: Any) -> bool:
    return getattr(dtype, "kind", "") == "f"


def _rows_by(frame: pd.DataFrame, columns: list[int]) -> pd.DataFrame:
    if not columns or frame.empty:
        return frame.reset_index(drop=True)
    order = np.lexsort([_sortable(frame.iloc[:, i]) for i in reversed(columns)])
    return frame.iloc[order].reset_index(drop=True)


def sorted_values(series: pd.Series, options: MatchOptions) -> pd.Series:
    """Return the values sorted and numbered anew; an unsortable Series keeps its order under the published rules."""
    if options.sound:
        return series.iloc[np.argsort(_sortable(series), kind="stable")].reset_index(drop=True)
    try:
        return series.sort_values().reset_index(drop=True)
    except Exception:  # noqa: BLE001  whatever the values raise: they keep their order
        return series


def _sortable(series: pd.Series) -> Any:
    """Return an array that NumPy can sort like the values: numbers as they are, all else as ranks."""
    if isinstance(series.dtype, np.dtype) and series.dtype.kind in "iuf":
        return series.to_numpy()
    if isinstance(series.dtype, pd.CategoricalDtype):
        series = series.astype(series.dtype.categories.dtype)
    if series.dtype != object or pd.api.types.infer_dtype(series, skipna=True) in _UNIFORM:
        try:
            return pd.factorize(series, sort=True)[0]
        except (TypeError, ValueError, ArithmeticError):
            pass  # values without an order among themselves
    keys = [order_key(None if value is pd.NA else value) for value in series.array]
    ranks = {key: rank for rank, key in enumerate(sorted(set(keys)))}
    return np.array([ranks[key] for key in keys], dtype=np.int64)
