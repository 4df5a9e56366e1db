"""Times of one kind in another resolution: days in microseconds and in nanoseconds are the same days (sound rules)."""

from typing import Any

import pandas as pd


def in_units_of(expected: Any, found: Any) -> Any:
    """Return `found` with its times, in values and labels, in the resolution of `expected` where nothing is lost."""
    if isinstance(found, pd.Index):
        return _index(expected, found)
    if len(expected) != len(found):
        return found
    index = _index(expected.index, found.index)
    if index is not found.index:
        found = found.set_axis(index, axis=0)
    if isinstance(found, pd.Series):
        return _series(expected, found)
    columns = _index(expected.columns, found.columns)
    if columns is not found.columns:
        found = found.set_axis(columns, axis=1)
    if not (expected.columns.is_unique and found.columns.is_unique):
        return found
    kinds = expected.dtypes
    other = [label for label in found.columns if label in kinds.index and _other_unit(kinds[label], found[label].dtype)]
    return _with_columns(expected, found, other) if other else found


def _with_columns(expected: pd.DataFrame, found: pd.DataFrame, labels: list[Any]) -> pd.DataFrame:
    found = found.copy()
    for label in labels:
        found[label] = _series(expected[label], found[label])
    return found


def _other_unit(expected: Any, found: Any) -> bool:
    """Tell whether both are dtypes of times of one kind and zone, in different resolutions."""
    kinds = (getattr(expected, "kind", ""), getattr(found, "kind", ""))
    if kinds not in (("M", "M"), ("m", "m")) or expected == found:
        return False
    return str(getattr(expected, "tz", None)) == str(getattr(found, "tz", None))


def _series(expected: pd.Series, found: pd.Series) -> pd.Series:
    if not _other_unit(expected.dtype, found.dtype):
        return found
    return _exactly(found, expected.dtype)


def _index(expected: pd.Index, found: pd.Index) -> pd.Index:
    if isinstance(expected, pd.MultiIndex) or not _other_unit(expected.dtype, found.dtype):
        return found
    return _exactly(found, expected.dtype)


def _exactly(found: Any, dtype: Any) -> Any:
    """Return `found` as `dtype`, or as it is when times would be cut or do not fit."""
    try:
        cast = found.astype(dtype)
        kept = bool(((cast.astype(found.dtype) == found) | found.isna()).all())
    except (OverflowError, ValueError):  # beyond what the finer resolution can hold
        return found
    return cast if kept else found
