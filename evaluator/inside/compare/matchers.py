"""Comparing two decoded values: by the table of equality under the sound rules, else by the published rules.

The published rules, here and in the modules `matchers_*`, are those of DSEval's own implementation to the letter
(dseal.md, section 4): the first rule that knows a type of either side decides. They are not to be improved.
"""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from evaluator.inside.codec.decode.decoded import DecodedRecord, Marker, Opaque
from evaluator.inside.compare.equality.comparison import compare_soundly
from evaluator.inside.compare.identity import find_incomparable
from evaluator.inside.compare.match_model import MATCHED, Answer, Cause, Comparison, Match, MatchOptions, mismatch
from evaluator.inside.compare.published_tables import TABLES, match_tables
from evaluator.inside.compare.published_values import (
    is_boolean,
    is_container,
    is_number,
    is_sparse,
    match_arrays,
    match_booleans,
    match_containers,
    match_numbers,
    match_others,
    match_part,
    match_sparse,
    unlike_kinds,
)
from evaluator.inside.compare.value_text import brief


def compare(expected: Any, found: Any, options: MatchOptions) -> Comparison:
    """Compare two values: by the table of equality (sound rules), or strictly and then loosely (published).

    Raises:
        AuthorFaultError: If the options name what the rules do not have.
    """
    return (compare_soundly if options.sound else _compare_as_published)(expected, found, options)


def _compare_as_published(expected: Any, found: Any, options: MatchOptions) -> Comparison:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            strict = _match_values(expected, found, options)
        except Exception as error:  # noqa: BLE001  an exception inside a comparison is no match
            strict = _broken(error)
            return Comparison(Answer.NO, strict.reason, strict.causes)
        if strict.matched:
            return Comparison(Answer.YES, strict.reason, frozenset())
        try:
            loose = _match_values(expected, found, options.loosened())
        except Exception as error:  # noqa: BLE001  as above
            loose = _broken(error)
    if loose.matched:
        causes = frozenset({Cause.PARTIAL_MATCH}) if loose.partial else frozenset[Cause]()
        return Comparison(Answer.PARTIAL, loose.reason or strict.reason, causes, frozenset())
    return Comparison(Answer.NO, loose.reason, loose.causes, loose.causes)


def _broken(error: Exception) -> Match:
    return mismatch(f"the values cannot be compared ({type(error).__name__})")


def _match_values(expected: Any, found: Any, options: MatchOptions) -> Match:
    """Match two whole values: rules 1 and 2 first, a part of the found value last."""
    if options.type_only:
        return _match_types(expected, found)
    if options.value_only:
        expected, found = _stripped(expected), _stripped(found)
    match = _match_comparable(expected, found, options)
    if not match.matched and options.match_partial:
        part = match_part(expected, found, lambda a, b: _match_comparable(a, b, options))
        return part if part.matched else match
    return match


def _match_comparable(expected: Any, found: Any, options: MatchOptions) -> Match:
    """Match two values by kind; a value that holds something incomparable matches nothing, whatever `==` says."""
    match = _match_kinds(expected, found, options)
    if match.matched:
        for side, value in (("expected", expected), ("found", found)):
            part = find_incomparable(value)
            if part is not None:
                return mismatch(f"the {side} value holds {brief(part)}, which cannot be compared")
    return match


def _match_kinds(expected: Any, found: Any, options: MatchOptions) -> Match:
    """Match two values, or two parts of values, by the kind of either (rules 3 to 9)."""
    if type(expected) is str and type(found) is str:
        return match_others(expected, found)
    if _either(expected, found, is_boolean):
        return match_booleans(expected, found)
    if _either(expected, found, is_number):
        return match_numbers(expected, found, options)
    if _either(expected, found, isinstance, np.ndarray):
        return match_arrays(expected, found, options)
    if _either(expected, found, is_sparse):
        return match_sparse(expected, found, options)
    if _either(expected, found, isinstance, TABLES):
        return match_tables(expected, found, options)
    if _either(expected, found, is_container):
        return match_containers(expected, found, options, lambda a, b: _match_kinds(a, b, options))
    return match_others(expected, found)


def _either(expected: Any, found: Any, test: Callable[..., bool], *how: Any) -> bool:
    return test(expected, *how) or test(found, *how)


def _match_types(expected: Any, found: Any) -> Match:
    if isinstance(expected, (Opaque, DecodedRecord)) and isinstance(found, (Opaque, DecodedRecord)):
        same = expected.type_name == found.type_name
    else:
        same = type(expected) is type(found) and not isinstance(expected, Marker)
    return MATCHED if same else unlike_kinds(expected, found)


def _stripped(value: Any) -> Any:
    """Turn containers into nested lists and unwrap lists of one element, recursively (`value_only`)."""
    if isinstance(value, pd.DataFrame):
        value = value.to_numpy().tolist()
    elif isinstance(value, (pd.Series, pd.Index, np.ndarray)):
        value = value.tolist()
    if isinstance(value, (list, tuple, set)):
        value = [_stripped(item) for item in value]
    return value[0] if isinstance(value, list) and len(value) == 1 else value
