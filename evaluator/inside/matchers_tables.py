"""DataFrame, Series and Index (dseal.md, section 4, rule 7)."""

from collections.abc import Callable
from inspect import signature
from typing import Any, Final

import numpy as np
import pandas as pd

from evaluator.inside.matchers_casting import cast_faithfully, cast_labels
from evaluator.inside.matchers_cells import differ_beyond_doubt
from evaluator.inside.matchers_identity import canonical
from evaluator.inside.matchers_model import MATCHED, Cause, Match, MatchOptions, mismatch
from evaluator.inside.matchers_order import sorted_rows, sorted_values
from evaluator.inside.matchers_scalars import unlike_kinds
from evaluator.inside.matchers_tables_causes import difference
from evaluator.inside.matchers_text import listed
from evaluator.inside.matchers_units import in_units_of

TABLES: Final = (pd.DataFrame, pd.Series, pd.Index)
_ASSERTIONS: Final[dict[type, Callable[..., None]]] = {
    pd.DataFrame: pd.testing.assert_frame_equal,
    pd.Series: pd.testing.assert_series_equal,
    pd.Index: pd.testing.assert_index_equal,
}
_CHECK_FREQUENCY: Final = frozenset(
    assertion for assertion in _ASSERTIONS.values() if "check_freq" in signature(assertion).parameters
)  # indexes are among them since pandas 3


class _ColumnsDifferError(Exception):
    """Two frames do not have the same set of columns, which ignoring order or index asks for."""


def match_tables(expected: Any, found: Any, options: MatchOptions) -> Match:
    """Compare where either side is a DataFrame, Series or Index."""
    kind = next((kind for kind in TABLES if isinstance(expected, kind) and isinstance(found, kind)), None)
    if kind is None:
        return unlike_kinds(expected, found)
    try:
        if options.sound:
            found = in_units_of(expected, found)
        if options.sound and kind is pd.DataFrame:
            found = _without_axis_name(expected, found)
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


def _without_axis_name(expected: pd.DataFrame, found: pd.DataFrame) -> pd.DataFrame:
    """Return `found` without a name of its columns' axis, as pivoting leaves behind, where none is expected."""
    unnamed = all(name is None for name in expected.columns.names)
    if not unnamed or all(name is None for name in found.columns.names):
        return found
    return found.set_axis(found.columns.set_names([None] * found.columns.nlevels), axis=1)


def _are_equal(expected: Any, found: Any, assertion: Callable[..., None], options: MatchOptions) -> bool:
    if differ_beyond_doubt(expected, found, options):
        return False
    how = {name: getattr(options, name) for name in options.tolerances_set} if options.sound else {}
    if options.sound and assertion in _CHECK_FREQUENCY:
        how["check_freq"] = False  # the frequency of an index says nothing that its labels do not
    if not _asserted(expected, found, assertion, how):
        alike = [_with_one_gap(table) for table in (expected, found)]
        if alike[0] is expected or alike[1] is found or not _asserted(alike[0], alike[1], assertion, how):
            return False
    return not options.sound or _same_truths(expected, found)


def _asserted(expected: Any, found: Any, assertion: Callable[..., None], how: dict[str, Any]) -> bool:
    try:
        assertion(expected, found, **how)
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


def _same_truths(expected: Any, found: Any) -> bool:
    """Tell whether object columns hold booleans at the same places; pandas takes True for 1."""
    pairs = [(expected, found)]
    if isinstance(expected, pd.DataFrame):
        pairs = [(expected.iloc[:, i], found.iloc[:, i]) for i in range(expected.shape[1])]
    return all(_truths(one) == _truths(other) for one, other in pairs if one.dtype == object and other.dtype == object)


def _truths(values: Any) -> list[bool]:
    return [isinstance(value, (bool, np.bool_)) for value in values.array]


def _prepared_frames(
    expected: pd.DataFrame, found: pd.DataFrame, options: MatchOptions
) -> tuple[pd.DataFrame, pd.DataFrame]:
    if options.ignore_names:
        found = _renamed_frame(expected, found, options)
    if options.ignore_order or options.ignore_index:
        found = _with_columns_of(expected, found, options).reset_index(drop=True)
        expected = expected.reset_index(drop=True)
        if options.ignore_order:
            expected, found = sorted_rows(expected, found, options)
    return expected, _cast(found, expected, options) if options.ignore_dtypes else found


def _with_columns_of(expected: pd.DataFrame, found: pd.DataFrame, options: MatchOptions) -> pd.DataFrame:
    labels, theirs = list(expected.columns), list(found.columns)
    distinct = [{*map(canonical, names)} if options.sound else set(names) for names in (labels, theirs)]
    if distinct[0] != distinct[1]:
        raise _ColumnsDifferError
    if options.sound and (labels == theirs or not (expected.columns.is_unique and found.columns.is_unique)):
        return found
    return found[labels]


def _renamed_frame(expected: pd.DataFrame, found: pd.DataFrame, options: MatchOptions) -> pd.DataFrame:
    labels, theirs = list(expected.columns), list(found.columns)
    reorder = expected.columns.is_unique and found.columns.is_unique and labels != theirs
    if set(labels) == set(theirs) and (reorder or not options.sound):
        found = found[labels]
    found = _renamed_index(expected, found)
    if found.shape[1] != expected.shape[1]:
        return found
    if not options.sound:
        return found.rename(columns=dict(zip(found.columns.tolist(), labels, strict=True)))
    if expected.columns.nlevels != found.columns.nlevels:
        return found
    return found.set_axis(expected.columns.set_names(list(found.columns.names)), axis=1)


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
            expected, found = sorted_values(expected, options), sorted_values(found, options)
    return expected, _cast(found, expected, options) if options.ignore_dtypes else found


def _cast(found: Any, expected: Any, options: MatchOptions) -> Any:
    return cast_faithfully(cast_labels(found, expected) if options.sound else found, expected, options)
