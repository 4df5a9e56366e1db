"""DataFrame, Series and Index (published rules; dseal.md, section 4, rule 7): pandas' own assertions decide."""

from collections.abc import Callable
from typing import Any, Final

import pandas as pd

from evaluator.inside.matchers_cells import differ_beyond_doubt
from evaluator.inside.matchers_model import MATCHED, Cause, Match, MatchOptions, mismatch
from evaluator.inside.matchers_order import sorted_rows, sorted_values
from evaluator.inside.matchers_scalars import unlike_kinds
from evaluator.inside.matchers_tables_causes import difference
from evaluator.inside.matchers_text import listed

TABLES: Final = (pd.DataFrame, pd.Series, pd.Index)
_ASSERTIONS: Final[dict[type, Callable[..., None]]] = {
    pd.DataFrame: pd.testing.assert_frame_equal,
    pd.Series: pd.testing.assert_series_equal,
    pd.Index: pd.testing.assert_index_equal,
}


class _ColumnsDifferError(Exception):
    """Two frames do not have the same set of columns, which ignoring order or index asks for."""


def match_tables(expected: Any, found: Any, options: MatchOptions) -> Match:
    """Compare where either side is a DataFrame, Series or Index."""
    kind = next((kind for kind in TABLES if isinstance(expected, kind) and isinstance(found, kind)), None)
    if kind is None:
        return unlike_kinds(expected, found)
    try:
        if kind is pd.DataFrame:
            expected, found = _prepared_frames(expected, found, options)
        elif kind is pd.Series:
            expected, found = _prepared_series(expected, found, options)
    except _ColumnsDifferError:
        columns = f"expected the columns {listed(list(expected.columns))}, got {listed(list(found.columns))}"
        return mismatch(columns, Cause.COLUMNS)
    if _are_equal(expected, found, _ASSERTIONS[kind], options):
        return MATCHED
    return difference(expected, found, options)


def _are_equal(expected: Any, found: Any, assertion: Callable[..., None], options: MatchOptions) -> bool:
    if differ_beyond_doubt(expected, found, options):
        return False
    if _asserted(expected, found, assertion):
        return True
    alike = [_with_one_gap(table) for table in (expected, found)]
    return alike[0] is not expected and alike[1] is not found and _asserted(alike[0], alike[1], assertion)


def _asserted(expected: Any, found: Any, assertion: Callable[..., None]) -> bool:
    try:
        assertion(expected, found)
    except AssertionError:
        return False
    except Exception:  # noqa: BLE001  pandas' assertion itself broke: its own method decides
        return bool(expected.equals(found))
    return True


def _with_one_gap(table: Any) -> Any:
    """Return a table with None for every missing value of its object columns; itself where there is none.

    To pandas before 3.0 all missing values of such columns were equal: None, NaN, NA and NaT.
    """
    if isinstance(table, pd.Series):
        if table.dtype != object or not table.isna().any():
            return table
        values = table.to_numpy(copy=True)
        values[table.isna().to_numpy()] = None
        return pd.Series(values, table.index, dtype=object, name=table.name)
    if not isinstance(table, pd.DataFrame):
        return table
    columns = [table.iloc[:, i] for i in range(table.shape[1])]
    filled = {i: _with_one_gap(column) for i, column in enumerate(columns)}
    changed = {i: column for i, column in filled.items() if column is not columns[i]}
    copy = table.copy() if changed else table
    for i, column in changed.items():
        copy.isetitem(i, column)
    return copy


def _prepared_frames(
    expected: pd.DataFrame, found: pd.DataFrame, options: MatchOptions
) -> tuple[pd.DataFrame, pd.DataFrame]:
    if options.ignore_names:
        found = _renamed_frame(expected, found)
    if options.ignore_order or options.ignore_index:
        found = _with_columns_of(expected, found).reset_index(drop=True)
        expected = expected.reset_index(drop=True)
        if options.ignore_order:
            expected, found = sorted_rows(expected, found)
    return expected, _cast(found, expected.dtypes.to_dict()) if options.ignore_dtypes else found


def _with_columns_of(expected: pd.DataFrame, found: pd.DataFrame) -> pd.DataFrame:
    labels = list(expected.columns)
    if set(labels) != set(found.columns):
        raise _ColumnsDifferError
    return found[labels]


def _renamed_frame(expected: pd.DataFrame, found: pd.DataFrame) -> pd.DataFrame:
    labels = list(expected.columns)
    if set(labels) == set(found.columns):
        found = found[labels]
    found = _renamed_index(expected, found)
    if found.shape[1] != expected.shape[1]:
        return found
    return found.rename(columns=dict(zip(found.columns.tolist(), labels, strict=True)))


def _renamed_index(expected: Any, found: Any) -> Any:
    if expected.index.shape != found.index.shape or expected.index.nlevels != found.index.nlevels:
        return found
    return found.rename_axis(list(expected.index.names))


def _prepared_series(expected: pd.Series, found: pd.Series, options: MatchOptions) -> tuple[pd.Series, pd.Series]:
    if options.ignore_names:
        found = _renamed_index(expected, found).rename(expected.name)
    if options.ignore_order or options.ignore_index:
        expected, found = expected.reset_index(drop=True), found.reset_index(drop=True)
        if options.ignore_order:
            expected, found = sorted_values(expected), sorted_values(found)
    return expected, _cast(found, expected.dtype) if options.ignore_dtypes else found


def _cast(found: Any, dtypes: Any) -> Any:
    """Return the found table with other dtypes, whatever becomes of its values: 1.7 becomes 1."""
    try:
        return found.astype(dtypes)
    except Exception:  # noqa: BLE001  whatever pandas raises: the table stays as it is
        return found
