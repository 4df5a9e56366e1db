"""Comparing two decoded values (dseal.md, section 4): the first rule that knows a type of either side decides."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from evaluator.inside.decoded import Marker, Opaque, Record
from evaluator.inside.matchers_arrays import is_sparse, match_arrays, match_sparse
from evaluator.inside.matchers_containers import is_container, match_containers
from evaluator.inside.matchers_identity import find_incomparable, identical
from evaluator.inside.matchers_model import MATCHED, Cause, Match, MatchOptions, mismatch
from evaluator.inside.matchers_order import in_order
from evaluator.inside.matchers_partial import match_part
from evaluator.inside.matchers_scalars import (
    is_boolean,
    is_number,
    match_booleans,
    match_numbers,
    match_others,
    unlike_kinds,
)
from evaluator.inside.matchers_tables import TABLES, match_tables
from evaluator.inside.matchers_text import brief
from evaluator.inside.text_enum import TextEnum


class Answer(TextEnum):
    """What a validator says, best first."""

    YES = "yes"
    PARTIAL = "partial"
    NO = "no"


@dataclass(frozen=True)
class Comparison:
    """A strict comparison and, where that failed, the loose one."""

    answer: Answer  # yes: strictly equal; partial: loosely
    reason: str
    causes: frozenset[Cause]  # by the rule set: the strict one's (sound) or the last one's (published)
    loose_causes: frozenset[Cause] | None = None  # None: no loose comparison was needed


def compare(expected: Any, found: Any, options: MatchOptions) -> Comparison:
    """Compare strictly; if that fails, loosely."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            strict = match_values(expected, found, options)
        except Exception as error:  # noqa: BLE001  an exception inside a comparison is no match
            strict = _broken(error)
            if not options.sound:
                return Comparison(Answer.NO, strict.reason, strict.causes)
        if strict.matched:
            return Comparison(Answer.YES, strict.reason, frozenset())
        try:
            loose = match_values(expected, found, options.loosened())
        except Exception as error:  # noqa: BLE001  as above
            loose = _broken(error)
    if loose.matched:
        causes = frozenset({Cause.PARTIAL_MATCH}) if loose.partial else frozenset[Cause]()
        return Comparison(Answer.PARTIAL, loose.reason or strict.reason, causes, frozenset())
    decisive = strict if options.sound else loose
    return Comparison(Answer.NO, decisive.reason, decisive.causes, loose.causes)


def _broken(error: Exception) -> Match:
    return mismatch(f"the values cannot be compared ({type(error).__name__})")


def match_values(expected: Any, found: Any, options: MatchOptions) -> Match:
    """Match two whole values: rules 1 and 2 first, a part of the found value last."""
    if options.type_only:
        return _match_types(expected, found)
    if options.sound and identical(expected, found):
        return MATCHED
    if options.value_only:
        expected, found = _stripped(expected, options), _stripped(found, options)
    match = _match_comparable(expected, found, options)
    if not match.matched and options.match_partial:
        part = match_part(expected, found, options, lambda a, b: _match_comparable(a, b, options))
        return part if part.matched else match
    return match


def _match_comparable(expected: Any, found: Any, options: MatchOptions) -> Match:
    """Match two values by kind; a value that holds something incomparable matches nothing, whatever `==` says."""
    match = match_kinds(expected, found, options)
    if match.matched:
        for side, value in (("expected", expected), ("found", found)):
            part = find_incomparable(value)
            if part is not None:
                return mismatch(f"the {side} value holds {brief(part)}, which cannot be compared")
    return match


def match_kinds(expected: Any, found: Any, options: MatchOptions) -> Match:
    """Match two values, or two parts of values, by the kind of either (rules 3 to 9)."""

    def element(want: Any, got: Any) -> Match:
        return match_kinds(want, got, options)

    if type(expected) is str and type(found) is str:
        return match_others(expected, found, options)
    if _either(expected, found, is_boolean):
        return match_booleans(expected, found)
    if _either(expected, found, is_number, options):
        return match_numbers(expected, found, options)
    if _either(expected, found, isinstance, np.ndarray):
        return match_arrays(expected, found, options, element)
    if _either(expected, found, is_sparse, options):
        return match_sparse(expected, found, options)
    if _either(expected, found, isinstance, TABLES):
        return match_tables(expected, found, options)
    if _either(expected, found, is_container, options):
        return match_containers(expected, found, options, element)
    return match_others(expected, found, options)


def _either(expected: Any, found: Any, test: Callable[..., bool], *how: Any) -> bool:
    return test(expected, *how) or test(found, *how)


def _match_types(expected: Any, found: Any) -> Match:
    if isinstance(expected, (Opaque, Record)) and isinstance(found, (Opaque, Record)):
        same = expected.type_name == found.type_name
    else:
        same = type(expected) is type(found) and not isinstance(expected, Marker)
    return MATCHED if same else unlike_kinds(expected, found)


def _stripped(value: Any, options: MatchOptions) -> Any:
    """Turn containers into nested lists and unwrap lists of one element, recursively (`value_only`)."""
    if isinstance(value, pd.DataFrame):
        value = value.to_numpy().tolist()
    elif isinstance(value, (pd.Series, pd.Index, np.ndarray)):
        value = value.tolist()
    elif options.sound and isinstance(value, (set, frozenset)):
        value = in_order(list(value), options)
    if isinstance(value, (list, tuple, set)):
        value = [_stripped(item, options) for item in value]
    return value[0] if isinstance(value, list) and len(value) == 1 else value
