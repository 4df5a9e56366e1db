"""Booleans, numbers and the rest that has no parts (published rules; dseal.md, section 4, rules 3, 4 and 9)."""

from typing import Any

import numpy as np

from evaluator.inside.decoded import Marker, Opaque
from evaluator.inside.matchers_model import MATCHED, Cause, Match, MatchOptions, mismatch
from evaluator.inside.matchers_text import brief, kind_name


def is_boolean(value: Any) -> bool:
    """Tell whether rule 3 applies."""
    return isinstance(value, (bool, np.bool_))


def is_number(value: Any) -> bool:
    """Tell whether rule 4 applies: not to Python's complex numbers, but to NumPy's durations."""
    return isinstance(value, (float, int, np.number))


def unlike_kinds(expected: Any, found: Any) -> Match:
    """Return the mismatch of two values of different kinds."""
    return mismatch(f"expected a value of type {kind_name(expected)}, got {kind_name(found)}", Cause.TYPE)


def unlike_values(expected: Any, found: Any, *causes: Cause) -> Match:
    """Return the mismatch of two values of one kind."""
    return mismatch(f"expected {brief(expected)}, got {brief(found)}", *causes)


def match_booleans(expected: Any, found: Any) -> Match:
    """Compare where either side is a boolean."""
    if not (is_boolean(expected) and is_boolean(found)):
        return unlike_kinds(expected, found)
    return MATCHED if bool(expected) == bool(found) else unlike_values(expected, found, Cause.VALUE)


def match_numbers(expected: Any, found: Any, options: MatchOptions) -> Match:
    """Compare where either side is a number."""
    if not (is_number(expected) and is_number(found)):
        return unlike_kinds(expected, found)
    if options.metrictol is not None:
        return _match_metric(expected, found, options.metrictol)
    close = bool(np.isclose(found, expected, rtol=options.rtol, atol=options.atol).item())
    return MATCHED if close else unlike_values(expected, found, Cause.VALUE)


def _match_metric(expected: Any, found: Any, metrictol: float) -> Match:
    if bool(found < expected * metrictol):
        return mismatch(f"expected at least {metrictol:g} x {brief(expected)}, got {brief(found)}")
    return Match(True, f"{brief(found)} is at least {metrictol:g} x {brief(expected)}")  # and so is NaN


def match_others(expected: Any, found: Any) -> Match:
    """Compare with `==`; objects that equal nothing never get here with a yes."""
    if isinstance(expected, (Marker, Opaque)) or isinstance(found, (Marker, Opaque)):
        return unlike_values(expected, found)
    try:
        equal = bool(expected == found)
    except (TypeError, ValueError, ArithmeticError):  # no truth value, or no comparison
        equal = False
    return MATCHED if equal else unlike_values(expected, found)
