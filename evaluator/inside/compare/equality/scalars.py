"""Values without parts: numbers, truth values, texts, times and what else is compared by `==`."""

import datetime as dt
import math
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

import numpy as np
import pandas as pd

from evaluator.inside.codec.decode.decoded import Marker, Opaque
from evaluator.inside.compare.equality.likeness import SAME, Context, Likeness, different, same, unlike_values
from evaluator.inside.compare.equality.lines import Line
from evaluator.inside.compare.match_model import Cause
from evaluator.inside.compare.value_text import brief, kind_name

_UTC: Final = frozenset(
    {
        *("UTC", "Etc/UTC", "Zulu", "Etc/Zulu", "UCT", "Etc/UCT", "Universal", "Etc/Universal"),
        *(
            "Greenwich",
            "Etc/Greenwich",
            *(f"{area}GMT{sign}" for area in ("", "Etc/") for sign in ("", "0", "+0", "-0")),
        ),
    }
)
_FIXED: Final = dt.datetime(2000, 1, 1)  # any moment: what has a fixed offset has it then
HALF: Final = math.nextafter(0.5, 0)  # an integer is told as a float by nothing that is as near to another integer
_EXACT: Final = (int, Fraction)
_ROUNDING: Final = 1e-12  # relative: what computing a limit costs
_LONGEST_NUMBER: Final = 60  # characters of a text that may say one
_MAX_BITS: Final = 20_000  # of numbers that are compared exactly with others than themselves


def is_truth(value: Any) -> bool:
    """Return whether a value is a truth value."""
    return isinstance(value, (bool, np.bool_))


def is_number(value: Any) -> bool:
    """Return whether a value is a number: no truth value and no duration."""
    if is_truth(value) or isinstance(value, (np.timedelta64, np.datetime64)):
        return False
    return isinstance(value, (int, float, complex, np.number, Decimal, Fraction))


def is_missing(value: Any) -> bool:
    """Return whether a value stands for a missing one."""
    if value is None or value is pd.NaT or value is pd.NA:
        return True
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    if isinstance(value, Decimal):
        return value.is_nan()
    return isinstance(value, (float, np.floating)) and bool(value != value)


def compare_scalars(expected: Any, found: Any, context: Context) -> Likeness:
    """Compare two values without parts."""
    if isinstance(expected, (Marker, Opaque)) or isinstance(found, (Marker, Opaque)):
        cause = Cause.VALUE if isinstance(expected, (Marker, Opaque)) else Cause.TYPE
        return different(f"expected {brief(expected)}, got {brief(found)}", cause)
    if is_missing(expected) or is_missing(found):
        return _compare_missing(expected, found)
    for is_kind, compare in _KINDS:
        if is_kind(expected) and is_kind(found):
            return _with_type(expected, found, compare(expected, found, context))
    return _compare_others(expected, found, context)


def _compare_missing(expected: Any, found: Any) -> Likeness:
    if is_missing(expected) and is_missing(found):
        is_same = type(expected) is type(found)
        return SAME if is_same else same(Line.MISSING_KIND)
    return unlike_values(expected, found)


def _with_type(expected: Any, found: Any, likeness: Likeness) -> Likeness:
    return likeness if type(expected) is type(found) else likeness.plus(Line.SCALAR_KIND)


def _compare_truths(expected: Any, found: Any, _: Context) -> Likeness:
    return SAME if bool(expected) == bool(found) else unlike_values(expected, found)


def _compare_numbers(expected: Any, found: Any, context: Context) -> Likeness:
    options = context.options
    if options.metrictol is not None:
        return _compare_metric(expected, found, options.metrictol)
    one, other = plain_number(expected), plain_number(found)
    if one == other:
        return SAME
    if isinstance(one, int) and isinstance(other, int) and not options.tolerances_set:
        return unlike_values(expected, found)
    rtol = max(options.rtol, *map(_precision, (expected, found))) if type(expected) is not type(found) else options.rtol
    near = is_close(one, other, rtol=rtol, atol=options.atol)
    if near and (isinstance(one, int) or isinstance(other, int)) and not options.tolerances_set:
        near = is_close(one, other, rtol=0.0, atol=HALF)
    return SAME if near else unlike_values(expected, found)


def _compare_metric(expected: Any, found: Any, metrictol: float) -> Likeness:
    """Accept a score from `metrictol` times the expected one on; of negative scores, as far below it."""
    one, other = plain_number(expected), plain_number(found)
    if isinstance(one, complex) or isinstance(other, complex):
        return unlike_values(expected, found)
    if one == other:
        return SAME
    low = float(one) - (1 - metrictol) * abs(float(one))
    score = float(other)
    if math.isfinite(score) and (score >= low or math.isclose(score, low, rel_tol=_ROUNDING)):
        return SAME
    return different(f"expected at least {low:g} ({metrictol:g} x {brief(expected)}), got {brief(found)}", Cause.VALUE)


def plain_number(number: Any) -> Any:
    """Return Python's number for any; a Decimal as the fraction it is, where that is not too large."""
    if isinstance(number, np.generic):
        number = number.item()
    if isinstance(number, Decimal):
        exponent = number.as_tuple().exponent
        fits = (
            isinstance(exponent, int) and abs(exponent) < _MAX_BITS // 4 and len(number.as_tuple().digits) < _MAX_BITS
        )
        return Fraction(number) if number.is_finite() and fits else float(number)
    return int(number) if isinstance(number, np.integer) else number


def is_close(expected: Any, found: Any, *, rtol: float, atol: float) -> bool:
    """Return whether `found` is within `atol + rtol * |expected|` of a number; an infinity is only near itself."""
    if expected == found or (expected != expected and found != found):  # complex numbers that are none
        return True
    if not (_is_finite(expected) and _is_finite(found)):
        return False
    try:
        return bool(abs(complex(found) - complex(expected)) <= atol + rtol * abs(complex(expected)))
    except OverflowError:  # integers beyond the range of floats
        pass
    if not all(isinstance(number, _EXACT) and _bits(number) < _MAX_BITS for number in (expected, found)):
        return False
    gap = abs(Fraction(found) - Fraction(expected))
    return gap <= Fraction(atol) + Fraction(rtol) * abs(Fraction(expected))


def _bits(number: Any) -> int:
    return int(number.numerator.bit_length() + number.denominator.bit_length())


def _is_finite(number: Any) -> bool:
    if isinstance(number, complex):
        return math.isfinite(number.real) and math.isfinite(number.imag)
    return isinstance(number, _EXACT) or bool(np.isfinite(number))


def _precision(number: Any) -> float:
    return float(np.finfo(type(number)).eps) if isinstance(number, (np.float16, np.float32)) else 0.0


def _compare_texts(expected: Any, found: Any, _: Context) -> Likeness:
    return SAME if str(expected) == str(found) else unlike_values(expected, found)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_bytes(value: Any) -> bool:
    return isinstance(value, bytes)


def _compare_bytes(expected: Any, found: Any, _: Context) -> Likeness:
    return SAME if bytes(expected) == bytes(found) else unlike_values(expected, found)


def is_moment(value: Any) -> bool:
    """Return whether a value is a point in time, with a zone or without."""
    return isinstance(value, (dt.datetime, np.datetime64))


def _compare_moments(expected: Any, found: Any, _: Context) -> Likeness:
    try:
        one, other = pd.Timestamp(expected), pd.Timestamp(found)
    except (ValueError, OverflowError):
        return SAME if bool(expected == found) else unlike_values(expected, found)
    if (one.tz is None) != (other.tz is None):
        alike = one.tz_localize(None) == other.tz_localize(None)
        return same(Line.TIME_WITHOUT_ZONE) if alike else unlike_values(expected, found)
    if one != other:
        return unlike_values(expected, found)
    return same(*zone_lines(one.tz, other.tz), *([Line.TIME_UNIT] if one.unit != other.unit else []))


def zone_lines(expected: Any, found: Any) -> list[Line]:
    """Return the difference between two time zones, where there is one."""
    if expected is None or str(expected) == str(found):
        return []
    one, other = zone_key(expected), zone_key(found)
    if one != other:
        return [Line.ZONE]
    return [Line.UTC_NAME]


def zone_key(zone: Any) -> Any:
    """Return what two spellings of one time zone have in common: a name, or an offset in seconds."""
    name = getattr(zone, "zone", None) or getattr(zone, "key", None)
    if isinstance(name, str):
        return 0.0 if name in _UTC else name
    offset = zone.utcoffset(None)
    if offset is None:
        try:
            offset = zone.utcoffset(_FIXED)
        except (TypeError, ValueError, NotImplementedError):
            return str(zone)
    return str(zone) if offset is None else offset.total_seconds()


def is_duration(value: Any) -> bool:
    """Return whether a value is a length of time."""
    return isinstance(value, (dt.timedelta, np.timedelta64))


def _compare_durations(expected: Any, found: Any, _: Context) -> Likeness:
    try:
        one, other = pd.Timedelta(expected), pd.Timedelta(found)
    except (ValueError, OverflowError):  # months and years
        return SAME if type(expected) is type(found) and bool(expected == found) else unlike_values(expected, found)
    return SAME if one == other else unlike_values(expected, found)


def _is_date(value: Any) -> bool:
    return isinstance(value, dt.date) and not isinstance(value, dt.datetime)


def _is_interval(value: Any) -> bool:
    return isinstance(value, pd.Interval)


def _compare_intervals(expected: Any, found: Any, context: Context) -> Likeness:
    if expected.closed != found.closed:
        return unlike_values(expected, found)
    ends = [compare_scalars(getattr(expected, end), getattr(found, end), context) for end in ("left", "right")]
    return ends[0] & ends[1]


_KINDS: Final = (
    (is_truth, _compare_truths),
    (is_number, _compare_numbers),
    (_is_text, _compare_texts),
    (_is_bytes, _compare_bytes),
    (is_moment, _compare_moments),
    (is_duration, _compare_durations),
    (_is_interval, _compare_intervals),
)


def _compare_others(expected: Any, found: Any, context: Context) -> Likeness:
    crossed = _compare_crossed(expected, found, context)
    if crossed is not None:
        return crossed
    if type(expected) is not type(found):
        return different(_both_kinds(expected, found), Cause.TYPE)
    try:
        equal = bool(expected == found)
    except (TypeError, ValueError, ArithmeticError):  # no truth value, or no comparison
        equal = False
    return SAME if equal else unlike_values(expected, found)


def _compare_crossed(expected: Any, found: Any, context: Context) -> Likeness | None:
    """Compare two values of kinds that are not equal, where one can be read as the other."""
    for one, other in ((expected, found), (found, expected)):
        for line, alike in _taken_readings(one, other, context):
            if alike:
                return _taken_for(line, expected, found)
        if is_moment(one) and _is_date(other):
            try:
                return same(Line.DATE) if pd.Timestamp(one) == pd.Timestamp(other) else None
            except (TypeError, ValueError, OverflowError):  # a moment with a zone is on more than one date
                return None
    return None


def _taken_readings(one: Any, other: Any, context: Context) -> Iterator[tuple[Line, bool]]:
    if not is_number(one):
        return
    if is_truth(other):
        yield Line.TRUTH_FOR_NUMBER, plain_number(one) == int(other)
    elif _is_text(other):
        yield Line.TEXT_FOR_NUMBER, reads_as(str(other), plain_number(one), context)
    elif is_duration(other):
        yield Line.DURATION_FOR_NUMBER, _units_of(other) == plain_number(one)


def _taken_for(line: Line, expected: Any, found: Any) -> Likeness:
    return Likeness(frozenset({line}), _both_kinds(expected, found), frozenset({Cause.TYPE}))


def _both_kinds(expected: Any, found: Any) -> str:
    return f"expected {brief(expected)} ({kind_name(expected)}), got {brief(found)} ({kind_name(found)})"


def _units_of(duration: Any) -> int | None:
    return int(duration.astype("i8")) if isinstance(duration, np.timedelta64) else None


def reads_as(text: str, number: Any, context: Context) -> bool:
    """Return whether a text says a number, within the tolerance of numbers."""
    if len(text) >= _LONGEST_NUMBER:
        return False
    for read in (int, float):
        try:
            return compare_scalars(read(text), number, context).lines is not None
        except (ValueError, OverflowError, TypeError):
            continue
    return False
