"""Putting elements and rows in an order that does not depend on how they came (`ignore_order`)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from evaluator.inside.matchers_model import MatchOptions

_RANKS = ((bool, np.bool_), (int, float, np.integer, np.floating), (str,), (bytes,), (list, tuple), (dict,))


def in_order(elements: Sequence[Any], options: MatchOptions) -> list[Any]:
    """Return the elements sorted by type and value.

    Raises:
        TypeError: Under the published rules, if two elements of one type have no order.
    """
    if options.sound:
        return sorted(elements, key=order_key)
    return sorted(elements, key=lambda element: (str(type(element)), element))


def order_key(value: Any) -> tuple[Any, ...]:
    """Return a key that orders any decoded values: numbers among numbers, NaN last, the rest by type and text."""
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


def sorted_rows(frame: pd.DataFrame, options: MatchOptions) -> pd.DataFrame:
    """Return the rows sorted by all columns, numbered anew.

    Raises:
        TypeError: Under the published rules, if a column cannot be sorted.
        ValueError: Under the published rules, if a column's name stands twice.
    """
    if not options.sound:
        return frame.sort_values(by=frame.columns.tolist()).reset_index(drop=True)
    columns = [_sortable(frame.iloc[:, i]) for i in range(frame.shape[1])]
    exact_first = sorted(range(len(columns)), key=lambda i: columns[i].dtype.kind == "f")  # rounding breaks no ties
    if not columns or frame.empty:
        return frame.reset_index(drop=True)
    order = np.lexsort([columns[i] for i in reversed(exact_first)])
    return frame.iloc[order].reset_index(drop=True)


def sorted_values(series: pd.Series, options: MatchOptions) -> pd.Series:
    """Return the values sorted and numbered anew; an unsortable Series keeps its order under the published rules."""
    if options.sound:
        return series.iloc[np.argsort(_sortable(series), kind="stable")].reset_index(drop=True)
    try:
        return series.sort_values().reset_index(drop=True)
    except (TypeError, ValueError):
        return series


def _sortable(series: pd.Series) -> Any:
    """Return an array that NumPy can sort like the values: floats as they are, all else as ranks."""
    if series.dtype.kind in "iuf" and isinstance(series.dtype, np.dtype):
        return series.to_numpy()
    keys = [order_key(None if value is pd.NA else value) for value in series.array]
    ranks = {key: rank for rank, key in enumerate(sorted(set(keys)))}
    return np.array([ranks[key] for key in keys], dtype=np.int64)
