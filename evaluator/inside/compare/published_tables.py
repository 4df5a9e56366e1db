"""DataFrame, Series and Index (published rules; dseal.md, section 4, rule 7): pandas' own assertions decide."""

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evaluator.inside.compare.identity import columns_of
from evaluator.inside.compare.match_model import MATCHED, Cause, Match, MatchOptions, mismatch
from evaluator.inside.compare.published_values import sorted_rows, sorted_values, unlike_kinds
from evaluator.inside.compare.value_text import brief, listed

TABLES: Final = (pd.DataFrame, pd.Series, pd.Index)
_PLAIN_NAMES: Final = (type(None), str, int, bool)
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


def equals_itself(value: Any) -> bool:
    """Return whether a value surely equals another one of the same bytes: a table without gaps and without objects.

    For all others pandas is asked: a NaT, for instance, is another one than itself.
    """
    if type(value) is not pd.DataFrame:
        return False
    labels = (value.columns, value.index)
    if any(type(each.name) not in _PLAIN_NAMES for each in labels):
        return False
    return all(map(_has_no_gaps, (*labels, *columns_of(value))))


def _has_no_gaps(values: pd.Series | pd.Index) -> bool:
    dtype = values.dtype
    if isinstance(dtype, pd.StringDtype):
        return not values.isna().any()
    if not isinstance(dtype, np.dtype):
        return False
    if dtype.kind == "O":
        return len(values) > 0 and pd.api.types.infer_dtype(values, skipna=False) == "string"
    return dtype.kind in "iub" or (dtype.kind in "fmM" and not values.isna().any())


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
    columns = columns_of(table)
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


def difference(expected: Any, found: Any, options: MatchOptions) -> Match:
    """Describe how two tables of one kind differ."""
    if isinstance(expected, pd.DataFrame):
        parts = _frame_differences(expected, found, options)
    elif isinstance(expected, pd.Series):
        parts = _series_differences(expected, found, options)
    else:
        parts = _index_differences(expected, found, "the index")
        parts = [(text, cause or Cause.VALUE) for text, cause in parts]
    if not parts:
        parts = [("the values differ", Cause.VALUE)]
    reason = "; ".join(text for text, _ in parts[:3])
    first = parts[0][1]
    causes = [*([first] if first else []), *([] if _are_labelled_alike(expected, found) else [Cause.VALUE])]
    return mismatch(reason, *causes)


Difference = tuple[str, Cause | None]  # a sentence; None where the published rules know no cause


def _frame_differences(expected: pd.DataFrame, found: pd.DataFrame, options: MatchOptions) -> list[Difference]:
    if expected.shape != found.shape:
        shape: Difference = (f"expected shape {expected.shape}, got {found.shape}", Cause.SHAPE)
        return [shape, *_label_differences(expected, found)]
    parts = _index_differences(expected.index, found.index, "the index")
    parts += _column_label_differences(expected, found)
    for i, label in enumerate(expected.columns):
        parts += _value_differences(expected.iloc[:, i], found.iloc[:, i], f"column {brief(label)}", options)
    return parts


def _label_differences(expected: pd.DataFrame, found: pd.DataFrame) -> list[Difference]:
    missing = [label for label in expected.columns if label not in found.columns]
    if missing:
        return [(f"missing columns: {listed(missing)}", Cause.COLUMNS)]
    surplus = [label for label in found.columns if label not in expected.columns]
    return [(f"surplus columns: {listed(surplus)}", Cause.COLUMNS)] if surplus else []


def _column_label_differences(expected: pd.DataFrame, found: pd.DataFrame) -> list[Difference]:
    differences = _index_differences(expected.columns, found.columns, "the columns")
    if not differences:
        return []
    text = f"expected the columns {listed(list(expected.columns))}, got {listed(list(found.columns))}"
    first = differences[0]
    return [(first[0], Cause.DTYPE), (text, Cause.COLUMNS)] if first[1] is Cause.DTYPE else [(text, Cause.COLUMNS)]


def _series_differences(expected: pd.Series, found: pd.Series, options: MatchOptions) -> list[Difference]:
    if len(expected) != len(found):
        return [(f"expected {len(expected)} values, got {len(found)}", Cause.VALUE)]
    parts = _index_differences(expected.index, found.index, "the index")
    parts += _value_differences(expected, found, "the Series", options)
    if not _asserts(
        pd.testing.assert_series_equal, expected.iloc[:0], found.iloc[:0], check_index=False, check_dtype=False
    ):
        parts.append((f"expected the name {brief(expected.name)}, got {brief(found.name)}", Cause.VALUE))
    return parts


def _index_differences(expected: pd.Index, found: pd.Index, what: str) -> list[Difference]:
    if _asserts(pd.testing.assert_index_equal, expected, found):
        return []
    alike = _index_class(expected) is _index_class(found) and expected.inferred_type == found.inferred_type
    if alike and expected.dtype != found.dtype:
        return [(f"{what} has dtype {found.dtype} instead of {expected.dtype}", Cause.DTYPE)]
    if not expected.equals(found):
        return [(f"{what} differs", Cause.VALUE)]
    if list(expected.names) != list(found.names):
        return [(f"{what} is named {listed(list(found.names))} instead of {listed(list(expected.names))}", None)]
    return [(f"{what} is of another kind: {type(found).__name__} of {found.inferred_type}", None)]


def _index_class(index: pd.Index) -> type:
    return pd.Index if isinstance(index, pd.RangeIndex) else type(index)  # pandas takes the two for one


def _value_differences(expected: pd.Series, found: pd.Series, what: str, options: MatchOptions) -> list[Difference]:
    if expected.dtype != found.dtype:
        dtypes: Difference = (f"{what} has dtype {found.dtype} instead of {expected.dtype}", Cause.DTYPE)
        return [dtypes, *_unequal_cells(expected, found, what)]
    unequal = _unequal_cells(expected, found, what)
    if unequal and differ_beyond_doubt(expected, found, options):
        return unequal
    if _asserts(pd.testing.assert_series_equal, expected, found, check_index=False, check_names=False):
        return []
    return unequal or [(f"{what} differs", Cause.VALUE)]


def _unequal_cells(expected: pd.Series, found: pd.Series, what: str) -> list[Difference]:
    try:
        unequal = unequal_cells(expected, found)
    except Exception:  # noqa: BLE001  only a description: whatever pandas raises, there is none
        return []
    if not unequal.any():
        return []
    row = int(unequal.argmax())
    text = f"{what}: {int(unequal.sum())} of {len(expected)} values differ, first in row {row}"
    if len(unequal) < len(expected):
        text = f"{what}: the value in row {row} differs"
    return [(f"{text}: expected {brief(_plain(expected, row))}, got {brief(_plain(found, row))}", Cause.VALUE)]


def _plain(values: pd.Series, row: int) -> Any:
    value = values.array[row]
    return value.item() if isinstance(value, (np.number, np.bool_)) else value


def _asserts(assertion: Any, expected: Any, found: Any, **how: Any) -> bool:
    try:
        assertion(expected, found, **how)
    except Exception:  # noqa: BLE001  a broken assertion does not hold
        return False
    return True


def _are_labelled_alike(expected: Any, found: Any) -> bool:
    if isinstance(expected, pd.Index):
        return False
    if not expected.index.equals(found.index):
        return False
    return not isinstance(expected, pd.DataFrame) or bool(expected.columns.equals(found.columns))


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
    """Return whether two tables of one shape surely differ in a value; False means: ask pandas."""
    if isinstance(expected, pd.DataFrame):
        if expected.shape != found.shape:
            return False
        pairs = list(zip(columns_of(expected), columns_of(found), strict=True))
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
