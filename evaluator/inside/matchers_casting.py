"""Casting a found table to the expected dtypes (`ignore_dtypes`), under the sound rules without losing a value."""

from typing import Any, TypeVar

import numpy as np
import pandas as pd

from evaluator.inside.matchers_model import MatchOptions

Table = TypeVar("Table", pd.DataFrame, pd.Series)


def cast_faithfully(found: Table, expected: Table, options: MatchOptions) -> Table:
    """Return `found` with the dtypes of `expected`; what cannot be cast stays as it is.

    The published rules cast a whole frame or nothing and do not look at what became of the values: 1.7 matches 1.
    The sound rules cast each column that keeps its meaning.
    """
    if isinstance(found, pd.Series):
        return _cast_series(found, expected.dtype, options)
    if not options.sound:
        try:
            return found.astype(expected.dtypes.to_dict())
        except Exception:  # noqa: BLE001  whatever pandas raises: the frame stays as it is
            return found
    if found.shape[1] != expected.shape[1] or list(found.columns) != list(expected.columns):
        return found
    columns = [_cast_series(found.iloc[:, i], expected.iloc[:, i].dtype, options) for i in range(found.shape[1])]
    return pd.concat(columns, axis=1).set_axis(found.columns, axis=1) if columns else found


def cast_labels(found: Table, expected: Table) -> Table:
    """Return `found` with labels of the expected dtypes where that keeps their meaning (sound rules only)."""
    found = found.set_axis(_cast_index(found.index, expected.index), axis=0)
    if isinstance(found, pd.DataFrame) and isinstance(expected, pd.DataFrame):
        found = found.set_axis(_cast_index(found.columns, expected.columns), axis=1)
    return found


def _cast_index(found: pd.Index, expected: pd.Index) -> pd.Index:
    if len(found) != len(expected) or found.nlevels != expected.nlevels:
        return found
    if isinstance(found, pd.MultiIndex):
        parts = [_cast_index(found.get_level_values(i), expected.get_level_values(i)) for i in range(found.nlevels)]
        same = all(part.dtype == found.get_level_values(i).dtype for i, part in enumerate(parts))
        return found if same else pd.MultiIndex.from_arrays(parts, names=found.names)
    if found.dtype == expected.dtype or _is_text(found) != _is_text(expected):
        return found  # the label "1" is not the label 1
    try:
        cast = found.astype(expected.dtype)
        kept = _is_faithful(found.to_series(index=range(len(found))), cast.to_series(index=range(len(found))))
    except Exception:  # noqa: BLE001  whatever pandas raises: the labels stay as they are
        return found
    return cast if kept else found


def _is_text(labels: pd.Index) -> bool:
    return labels.inferred_type == "string" or (
        isinstance(labels, pd.CategoricalIndex) and labels.categories.inferred_type == "string"
    )


def _cast_series(series: pd.Series, dtype: Any, options: MatchOptions) -> pd.Series:
    if series.dtype == dtype:
        return series
    try:
        cast = series.astype(dtype)
    except Exception:  # noqa: BLE001  whatever pandas raises: the column stays as it is
        return series
    return cast if not options.sound or _is_faithful(series, cast) else series


def _is_faithful(before: pd.Series, after: pd.Series) -> bool:
    try:
        if not np.array_equal(before.isna().to_numpy(), after.isna().to_numpy()):
            return False
        known = before.notna().to_numpy()
        return _kept_meaning(before[known], after[known])
    except (TypeError, ValueError, OverflowError):
        return False


def _kept_meaning(before: pd.Series, after: pd.Series) -> bool:
    numeric = pd.api.types.is_numeric_dtype
    if pd.api.types.is_bool_dtype(after.dtype) and not pd.api.types.is_bool_dtype(before.dtype):
        return all(value in (0, 1) and not isinstance(value, str) for value in before.array)
    if numeric(before.dtype) and numeric(after.dtype):
        return bool(np.isclose(after.to_numpy(complex), before.to_numpy(complex)).all())
    if before.dtype == object and numeric(after.dtype):
        return all(
            isinstance(value, str) or np.isclose(complex(value), complex(cast))
            for value, cast in zip(before.array, after.array, strict=True)
        )
    if pd.api.types.is_datetime64_any_dtype(before.dtype) or pd.api.types.is_timedelta64_dtype(before.dtype):
        return bool((after.astype(before.dtype) == before).all()) or after.dtype.kind in "OUT"
    return True
