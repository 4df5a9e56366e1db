"""Booleans, numbers and the rest that has no parts (dseal.md, section 4, rules 3, 4 and 9)."""

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from evaluator.inside.decoded import Marker, Opaque
from evaluator.inside.matchers_model import MATCHED, Cause, Match, MatchOptions, mismatch
from evaluator.inside.matchers_text import brief, kind_name


def is_boolean(value: Any) -> bool:
    """Tell whether rule 3 applies."""
    return isinstance(value, (bool, np.bool_))


def is_number(value: Any, options: MatchOptions) -> bool:
    """Tell whether rule 4 applies; the published rules know no complex numbers, and take durations for integers."""
    if isinstance(value, (float, int, np.number)):
        return not (isinstance(value, np.timedelta64) and options.sound)
    return isinstance(value, complex) and options.sound


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
    if not (is_number(expected, options) and is_number(found, options)):
        return unlike_kinds(expected, found)
    if options.metrictol is not None:
        return _match_metric(expected, found, options.metrictol, options)
    if options.sound:
        close = numbers_close(expected, found, rtol=options.rtol, atol=options.atol)
    else:
        close = bool(np.isclose(found, expected, rtol=options.rtol, atol=options.atol).item())
    return MATCHED if close else unlike_values(expected, found, Cause.VALUE)


def _match_metric(expected: Any, found: Any, metrictol: float, options: MatchOptions) -> Match:
    below, above = bool(found < expected * metrictol), bool(found >= expected * metrictol)
    enough = above if options.sound else not below  # they differ for NaN
    if enough:
        return Match(True, f"{brief(found)} is at least {metrictol:g} x {brief(expected)}")
    reason = f"expected at least {metrictol:g} x {brief(expected)}, got {brief(found)}"
    return mismatch(reason, *([Cause.VALUE] if options.sound else []))


def numbers_close(expected: Any, found: Any, *, rtol: float, atol: float) -> bool:
    """Tell whether `found` is within `atol + rtol * |expected|`; NaN equals NaN, an infinity only itself."""
    left, right = _plain(expected), _plain(found)
    if _is_nan(left) or _is_nan(right):
        return _is_nan(left) and _is_nan(right)
    if left == right:
        return True
    if not (_is_finite(left) and _is_finite(right)):
        return False
    try:
        return bool(abs(right - left) <= atol + rtol * abs(left))
    except OverflowError:  # integers beyond the range of floats
        return abs(Fraction(right) - Fraction(left)) <= Fraction(atol) + Fraction(rtol) * abs(Fraction(left))


def _plain(number: Any) -> Any:
    return number.item() if isinstance(number, np.generic) else number


def _is_nan(number: Any) -> bool:
    return bool(number != number)


def _is_finite(number: Any) -> bool:
    if isinstance(number, int):
        return True
    if isinstance(number, complex):
        return math.isfinite(number.real) and math.isfinite(number.imag)
    return bool(np.isfinite(number))


def match_others(expected: Any, found: Any, options: MatchOptions) -> Match:
    """Compare with `==`; objects that equal nothing never get here with a yes."""
    if isinstance(expected, (Marker, Opaque)) or isinstance(found, (Marker, Opaque)):
        surprising = options.sound and isinstance(found, Opaque) and not isinstance(expected, (Marker, Opaque))
        return unlike_values(expected, found, *([Cause.TYPE] if surprising else []))
    try:
        equal = bool(expected == found) or (options.sound and _both_missing(expected, found))
    except (TypeError, ValueError, ArithmeticError):  # no truth value, or no comparison
        equal = options.sound and _both_missing(expected, found)
    if equal:
        return MATCHED
    if not options.sound:
        return unlike_values(expected, found)
    return unlike_values(expected, found, Cause.VALUE if type(expected) is type(found) else Cause.TYPE)


def _both_missing(expected: Any, found: Any) -> bool:
    if isinstance(expected, Decimal) and isinstance(found, Decimal):
        return expected.is_nan() and found.is_nan()
    if isinstance(expected, (np.datetime64, np.timedelta64)):
        return type(expected) is type(found) and bool(np.isnat(expected)) and bool(np.isnat(found))
    return expected is found and (expected is pd.NaT or expected is pd.NA)
