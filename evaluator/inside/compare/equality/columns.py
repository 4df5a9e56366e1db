"""Comparing two vectors value by value, and putting vectors in an order that rounding does not change."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evaluator.inside.compare.equality.likeness import SAME, Context, Likeness, different, same
from evaluator.inside.compare.equality.lines import Line
from evaluator.inside.compare.equality.row_order import order_key
from evaluator.inside.compare.equality.scalars import HALF, compare_scalars, reads_as, zone_lines
from evaluator.inside.compare.equality.vectors import Array, Holds, Vector
from evaluator.inside.compare.match_model import Cause
from evaluator.inside.compare.value_text import brief

Element = Callable[[Any, Any, Context], Likeness]  # compares two parts
_CALENDAR: Final = ("Y", "M")  # units of no fixed length; their moments begin with a day
_UNITS: Final = {
    **{"W": 604_800 * 10**18, "D": 86_400 * 10**18, "h": 3_600 * 10**18, "m": 60 * 10**18, "s": 10**18},
    **{"ms": 10**15, "us": 10**12, "ns": 10**9, "ps": 10**6, "fs": 10**3, "as": 1},
}
_DTYPE_LINES: Final = {
    Holds.TEXT: Line.TEXT_KIND,
    Holds.TRUTH: Line.TRUTH_KIND,
    Holds.MOMENT: Line.TIME_UNIT,
    Holds.DURATION: Line.TIME_UNIT,
    Holds.OBJECT: Line.OBJECT_KIND,
}


def compare_vectors(expected: Vector, found: Vector, context: Context, element: Element, what: str) -> Likeness:
    """Compare two vectors place by place.

    Args:
        expected: Of the reference.
        found: Of the submission.
        context: Of a part.
        element: Compares objects.
        what: Names them in a reason, such as "column 'a'".
    """
    if len(expected) != len(found):
        return different(f"{what}: expected {len(expected)} values, got {len(found)}", Cause.SHAPE)
    if not len(expected):
        return SAME
    gaps = expected.missing != found.missing
    if gaps.any():
        both = ~(expected.missing | found.missing)
        if expected.holds is found.holds and expected.holds is not Holds.OBJECT:
            gaps |= unequal(expected, found, context) & both
        return _unlike(expected, found, gaps, what)
    likeness = _compare_present(expected, found, context, element, what)
    if likeness.lines is None:
        return likeness
    lines = {*zone_lines(expected.zone, found.zone)} if expected.zone is not None and found.zone is not None else set()
    if expected.dtype != found.dtype and not lines and not likeness.lines:
        lines.add(_dtype_line(expected, found))
    if expected.gaps != found.gaps:
        lines.add(Line.MISSING_KIND)
    return likeness.plus(*lines)


def _dtype_line(expected: Vector, found: Vector) -> Line:
    if Holds.NUMBER in (expected.holds, found.holds):
        return Line.NUMBER_WIDTH if expected.is_whole == found.is_whole else Line.INTEGER_FOR_FLOAT
    return _DTYPE_LINES[expected.holds]


def _compare_present(expected: Vector, found: Vector, context: Context, element: Element, what: str) -> Likeness:
    if expected.missing.all():
        return SAME
    present = ~expected.missing
    if expected.holds is found.holds and expected.holds is not Holds.OBJECT:
        if (expected.zone is None) != (found.zone is None):
            alike = not unequal(expected, found, context)[present].any()
            return _read_otherwise(alike, expected, found, what, Line.TIME_WITHOUT_ZONE)
        wrong = unequal(expected, found, context) & present
        return _unlike(expected, found, wrong, what) if wrong.any() else SAME
    if Holds.OBJECT in (expected.holds, found.holds):
        return _compare_objects(expected, found, context, element, what)
    return _compare_crossed(expected, found, present, context, what)


def _unlike(expected: Vector, found: Vector, wrong: NDArray[np.bool_], what: str) -> Likeness:
    place = int(wrong.argmax())
    count = f"{int(wrong.sum())} of {len(expected)} values differ, first in place {place}"
    one, other = ("a missing value" if v.missing[place] else brief(v.item(place)) for v in (expected, found))
    return different(f"{what}: {count}: expected {one}, got {other}", Cause.VALUE)


def unequal(expected: Vector, found: Vector, context: Context) -> NDArray[np.bool_]:
    """Tell where two vectors of one kind, but not of objects, differ; where one is missing, anything."""
    one, other = expected.values, found.values
    if expected.holds in (Holds.MOMENT, Holds.DURATION):
        return _unequal_times(one, other)
    if expected.holds is Holds.NUMBER:
        return _unequal_numbers(one, other, context)
    return np.asarray(one != other, dtype=np.bool_)


def _unequal_numbers(expected: Array, found: Array, context: Context) -> NDArray[np.bool_]:
    options = context.options
    if expected.dtype == object or found.dtype == object or options.metrictol is not None:
        pairs = zip(expected.tolist(), found.tolist(), strict=True)
        unlike = [compare_scalars(a, b, context).lines is None for a, b in pairs]
        return np.array(unlike, dtype=np.bool_)
    if expected.dtype.kind in "iu" and found.dtype.kind in "iu" and not options.tolerances_set:
        return _unequal_integers(expected, found)
    rtol = options.rtol
    if expected.dtype != found.dtype:
        rtol = max(rtol, *(_precision(values.dtype) for values in (expected, found)))
    one, other = _widened(expected), _widened(found)
    with np.errstate(all="ignore"):
        far = ~np.isclose(other, one, rtol=rtol, atol=options.atol, equal_nan=True)
        if (expected.dtype.kind in "iu") is not (found.dtype.kind in "iu") and not options.tolerances_set:
            far |= ~np.isclose(other, one, rtol=0.0, atol=HALF, equal_nan=True)
    return np.asarray(far)


def _widened(values: Array) -> Array:
    return values.astype(np.float64) if values.dtype.kind in "iu" or values.dtype.itemsize < 8 else values


def _precision(dtype: "np.dtype[Any]") -> float:
    """Return the relative precision of floats that are narrower than a double; 0.0 of all else."""
    return float(np.finfo(dtype).eps) if dtype.kind == "f" and dtype.itemsize < 8 else 0.0


def _unequal_integers(expected: Array, found: Array) -> NDArray[np.bool_]:
    if expected.dtype.kind != found.dtype.kind:  # as a common type NumPy takes floats
        negative = (expected if expected.dtype.kind == "i" else found) < 0
        return np.asarray(negative | (expected.astype(np.uint64) != found.astype(np.uint64)))
    return np.asarray(expected != found)


def _unequal_times(expected: Array, found: Array) -> NDArray[np.bool_]:
    """Compare times of any units without cutting or overflowing."""
    (unit, count), (unit_found, count_found) = (np.datetime_data(values.dtype) for values in (expected, found))
    if unit == unit_found and count == count_found:
        return np.asarray(expected != found)
    if unit in _CALENDAR and expected.dtype.kind == "M":
        return _unequal_times(expected.astype("M8[D]"), found)
    if unit_found in _CALENDAR and found.dtype.kind == "M":
        return _unequal_times(expected, found.astype("M8[D]"))
    if unit not in _UNITS or unit_found not in _UNITS:
        return np.asarray(expected != found)
    step, step_found = _UNITS[unit] * count, _UNITS[unit_found] * count_found
    fine, coarse = (expected, found) if step <= step_found else (found, expected)
    if max(step, step_found) % min(step, step_found):  # seconds by seven and by three: in numbers of any size
        one, other = (values.view("i8").astype(object) for values in (expected, found))
        return np.asarray(one * step != other * step_found, dtype=np.bool_)
    factor = max(step, step_found) // min(step, step_found)
    numbers, wide = coarse.view("i8"), fine.view("i8")
    fits = np.abs(numbers.astype(np.float64)) < float(1 << 62) / factor
    scaled = np.where(fits, numbers, 0) * np.int64(min(factor, (1 << 62)))
    return np.asarray(~fits | (scaled != wide))


def _compare_objects(expected: Vector, found: Vector, context: Context, element: Element, what: str) -> Likeness:
    likeness = SAME
    for place in np.flatnonzero(~expected.missing).tolist():
        one = element(expected.item(place), found.item(place), context)
        if one.lines is None or one.lines:
            likeness = likeness & one.inside(f"{what}, place {place}")
            if likeness.lines is None:
                return likeness
    return likeness


def _compare_crossed(
    expected: Vector, found: Vector, present: NDArray[np.bool_], context: Context, what: str
) -> Likeness:
    """Compare vectors of different kinds, where one can be read as the other."""
    kinds = {expected.holds, found.holds}
    numbers, others = (expected, found) if expected.holds is Holds.NUMBER else (found, expected)
    if kinds == {Holds.NUMBER, Holds.TRUTH}:
        alike = bool((numbers.values[present] == others.values[present].astype(np.int64)).all())
        return _read_otherwise(alike, expected, found, what, Line.TRUTH_FOR_NUMBER)
    if kinds == {Holds.NUMBER, Holds.TEXT}:
        pairs = zip(others.values[present].tolist(), numbers.values[present].tolist(), strict=True)
        alike = all(reads_as(*pair, context) for pair in pairs)
        return _read_otherwise(alike, expected, found, what, Line.TEXT_FOR_NUMBER)
    if kinds == {Holds.NUMBER, Holds.DURATION}:
        alike = bool((others.values[present].view("i8") == numbers.values[present]).all())
        return _read_otherwise(alike, expected, found, what, Line.DURATION_FOR_NUMBER)
    return _read_otherwise(False, expected, found, what)


def _read_otherwise(alike: bool, expected: Vector, found: Vector, what: str, *lines: Line) -> Likeness:
    reason = f"{what} holds {found.holds} values ({found.dtype}) instead of {expected.holds} values ({expected.dtype})"
    return Likeness(frozenset(lines), reason) if alike else different(reason, Cause.DTYPE)


def ranks_together(expected: Vector, found: Vector, context: Context) -> tuple[Array, Array] | None:
    """Return numbers that order the values of both vectors alike; values within the tolerance get one number.

    None where the two are of kinds that have no common order.
    """
    is_mixed = Holds.OBJECT in (expected.holds, found.holds)
    if not is_mixed and expected.holds is not found.holds and not (expected.missing.all() or found.missing.all()):
        return None
    if expected.holds is Holds.NUMBER and found.holds is Holds.NUMBER:
        pooled = [_floats(vector) for vector in (expected, found)]
        if pooled[0] is not None and pooled[1] is not None:
            return _clusters(pooled[0], pooled[1], context)
    if not is_mixed and expected.holds is found.holds:
        numbers = _sortable(expected, found)
        if numbers is not None:
            return numbers
    keys = [_mixed_keys(vector) if is_mixed else _keys(vector) for vector in (expected, found)]
    order = {key: rank for rank, key in enumerate(sorted({*keys[0], *keys[1]}))}
    one, other = (np.array([order[key] for key in some], dtype=np.int64) for some in keys)
    return one, other


def _sortable(expected: Vector, found: Vector) -> tuple[Array, Array] | None:
    """Return ranks of texts, truth values and times of one unit as NumPy and pandas sort them."""
    if expected.values.dtype != found.values.dtype:
        return None
    pooled = np.concatenate([expected.values, found.values])
    missing = np.concatenate([expected.missing, found.missing])
    if expected.holds is Holds.TEXT:
        pooled[missing] = None
        ranks = np.asarray(pd.factorize(pooled, sort=True)[0])
    elif expected.holds in (Holds.TRUTH, Holds.MOMENT, Holds.DURATION):
        ranks = np.unique(pooled.view("i1" if expected.holds is Holds.TRUTH else "i8"), return_inverse=True)[1]
    else:
        return None
    ranks = np.where(missing, len(pooled), ranks)
    return ranks[: len(expected)], ranks[len(expected) :]


def are_permutable(expected: Vector, found: Vector, context: Context) -> bool:
    """Return whether two vectors may hold the same values in another order; false is certain."""
    if int(expected.missing.sum()) != int(found.missing.sum()):
        return False
    if not (expected.holds is Holds.NUMBER and found.holds is Holds.NUMBER):
        return True
    one, other = _floats(expected), _floats(found)
    if one is None or other is None:
        return True
    rtol = max(context.options.rtol, *(_precision(vector.values.dtype) for vector in (expected, found)))
    with np.errstate(all="ignore"):
        return bool(
            np.isclose(np.sort(other), np.sort(one), rtol=rtol, atol=context.options.atol, equal_nan=True).all()
        )


def _floats(vector: Vector) -> Array | None:
    if vector.values.dtype.kind not in "iuf":
        return None
    values = vector.values.astype(np.float64)
    return np.where(vector.missing, np.nan, values)


def _clusters(expected: Array, found: Array, context: Context) -> tuple[Array, Array]:
    """Number the values of both by size; neighbours within the tolerance of one another get one number."""
    pooled = np.concatenate([expected, found])
    order = np.argsort(pooled, kind="stable")  # NaN last
    ordered = pooled[order]
    with np.errstate(all="ignore"):
        far = np.diff(ordered) > context.options.atol + context.options.rtol * np.abs(ordered[:-1])
    far |= np.isnan(ordered[1:]) & ~np.isnan(ordered[:-1])
    ranks = np.empty(len(pooled), dtype=np.int64)
    ranks[order] = np.concatenate([[0], np.cumsum(far)]) if len(pooled) else ranks[order]
    return ranks[: len(expected)], ranks[len(expected) :]


def _keys(vector: Vector) -> list[Any]:
    if vector.holds in (Holds.MOMENT, Holds.DURATION):
        unit = np.datetime_data(vector.values.dtype)
        step = _UNITS.get(unit[0], 1) * unit[1]
        numbers = vector.values.view("i8").tolist()
        return [(2,) if gone else (1, step * n) for n, gone in zip(numbers, vector.missing.tolist(), strict=True)]
    if vector.holds in (Holds.TEXT, Holds.TRUTH):
        return [
            (2,) if gone else (1, v) for v, gone in zip(vector.values.tolist(), vector.missing.tolist(), strict=True)
        ]
    return _mixed_keys(vector)


def _mixed_keys(vector: Vector) -> list[Any]:
    return [(2,) if vector.missing[i] else (1, order_key(vector.item(i))) for i in range(len(vector))]


def rows_in_order(columns: Sequence[tuple[Vector, Vector]], context: Context) -> tuple[Array, Array] | None:
    """Return the places of the rows of two tables in one common order; the columns come in pairs, expected and found.

    Rows that are equal within the tolerance stand together; ties are broken by the exact values.
    """
    keys: tuple[list[Array], list[Array]] = ([], [])
    for pair in columns:
        ranks = ranks_together(*pair, context)
        if ranks is None:
            return None
        keys[0].append(ranks[0])
        keys[1].append(ranks[1])
    for pair in columns:
        exact = [_floats(vector) if vector.holds is Holds.NUMBER else None for vector in pair]
        if exact[0] is not None and exact[1] is not None:
            keys[0].append(exact[0])
            keys[1].append(exact[1])
    one, other = (np.lexsort(side[::-1]) for side in keys)
    return one, other


__all__ = ["Element", "are_permutable", "compare_vectors", "rows_in_order", "same", "unequal"]
