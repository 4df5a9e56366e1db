"""Putting elements and rows in order (`ignore_order` of the published rules): what cannot be sorted is an exception."""

from collections.abc import Sequence
from typing import Any

import pandas as pd


def in_order(elements: Sequence[Any]) -> list[Any]:
    """Return the elements sorted by type and value.

    Raises:
        TypeError: If two elements of one type have no order.
    """
    if {*map(type, elements)} in ({int}, {str}):
        return sorted(elements)
    return sorted(elements, key=lambda element: (str(type(element)), element))


def sorted_rows(expected: pd.DataFrame, found: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the rows of both frames sorted by all columns, numbered anew; the frames have the same columns.

    Raises:
        TypeError: If a column cannot be sorted.
        ValueError: If a column's name stands twice.
    """
    one, other = (frame.sort_values(by=expected.columns.tolist()) for frame in (expected, found))
    return one.reset_index(drop=True), other.reset_index(drop=True)


def sorted_values(series: pd.Series) -> pd.Series:
    """Return the values sorted and numbered anew; a Series that cannot be sorted keeps its order."""
    try:
        return series.sort_values().reset_index(drop=True)
    except Exception:  # noqa: BLE001  whatever the values raise: they keep their order
        return series
