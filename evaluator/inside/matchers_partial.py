"""Finding the expected value inside a larger one (`match_partial` of the published rules; dseal.md, section 4)."""

from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd

from evaluator.inside.matchers_model import Match, mismatch
from evaluator.inside.matchers_text import brief, listed

_Candidate = tuple[Any, Any, str]  # expected, part of the found value, what the part is


def match_part(expected: Any, found: Any, match: Callable[[Any, Any], Match]) -> Match:
    """Look for the expected value inside the found one."""
    for want, part, what in _candidates(expected, found):
        if match(want, part).matched:
            return Match(True, f"the expected value is {what}", partial=True)
    return mismatch("the expected value is no part of the found one")


def _candidates(expected: Any, found: Any) -> Iterator[_Candidate]:
    if isinstance(found, pd.DataFrame):
        yield from _inside_frame(expected, found)
    elif isinstance(found, pd.Series):
        yield from _inside_series(expected, found)


def _inside_frame(expected: Any, found: pd.DataFrame) -> Iterator[_Candidate]:
    if isinstance(expected, pd.DataFrame):
        whole = _with_index_as_columns(found)
        labels, theirs = expected.columns.tolist(), whole.columns.tolist()
        if labels != theirs and all(label in theirs for label in labels):
            yield expected, whole[expected.columns], f"the columns {listed(labels)} of the found table"
    elif isinstance(expected, (pd.Series, list)):
        values = pd.Series(expected) if isinstance(expected, list) else expected
        for i, label in enumerate(found.columns):
            yield values, found.iloc[:, i], f"column {brief(label)} of the found table"
        yield values, pd.Series(found.index), "the index of the found table"


def _with_index_as_columns(found: pd.DataFrame) -> pd.DataFrame:
    try:
        return found.reset_index()
    except ValueError:  # a column has the index's name
        return found


def _inside_series(expected: Any, found: pd.Series) -> Iterator[_Candidate]:
    if isinstance(expected, (pd.Series, list)):
        values = pd.Series(expected) if isinstance(expected, list) else expected
        yield values, pd.Series(found.index), "the index of the found Series"
        yield values, pd.Series(found.values), "the values of the found Series"
    elif isinstance(expected, pd.DataFrame):
        yield expected, found.to_frame(), "the found Series as a table"
