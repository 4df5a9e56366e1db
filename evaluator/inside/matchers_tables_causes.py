"""What exactly differs between two tables that are not equal: causes as data and a sentence for people.

The causes are those that the published implementation read out of the text of pandas' assertion: the first part that
differs, in pandas' order (shape, index, columns, each column), and a value mismatch whenever the two tables are not
labelled alike.
"""

from typing import Any

import numpy as np
import pandas as pd

from evaluator.inside.matchers_cells import differ_beyond_doubt, unequal_cells
from evaluator.inside.matchers_model import Cause, Match, MatchOptions, mismatch
from evaluator.inside.matchers_text import brief, listed


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
