"""Lists, tuples, dicts and sets (published rules; dseal.md, section 4, rule 8)."""

import operator
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evaluator.inside.codec.decode.decoded import Marker, Opaque
from evaluator.inside.compare.match_model import MATCHED, Cause, Match, MatchOptions, mismatch
from evaluator.inside.compare.value_text import brief, kind_name, listed

Element = Callable[[Any, Any], Match]  # compares two parts under the same options
_LONG: Final = 1_000  # elements from which lists of plain values are compared as arrays


def is_container(value: Any) -> bool:
    """Return whether rule 8 applies; of frozensets, views and records `==` decides."""
    return isinstance(value, (list, tuple, dict, set))


def match_containers(expected: Any, found: Any, options: MatchOptions, element: Element) -> Match:
    """Compare where either side is a list, tuple, dict or set."""
    if isinstance(expected, (list, tuple)) and isinstance(found, (list, tuple)):
        return _match_sequences(expected, found, options, element)
    if isinstance(expected, dict) and isinstance(found, dict):
        return _match_mappings(expected, found, options, element)
    if isinstance(expected, set) and isinstance(found, set):
        return MATCHED if expected == found else unlike_values(expected, found)
    return unlike_kinds(expected, found)


def _match_sequences(expected: Sequence[Any], found: Sequence[Any], options: MatchOptions, element: Element) -> Match:
    if len(expected) != len(found):
        return mismatch(f"expected {len(expected)} elements, got {len(found)}", Cause.VALUE)
    if options.ignore_order:
        expected, found = in_order(expected), in_order(found)
    first = _first_unlike(expected, found, options) if len(expected) >= _LONG else 0
    for i in range(first, len(expected)):
        match = element(expected[i], found[i])
        if not match.matched:
            return _inside(f"element {i}", match)
    return MATCHED


def _first_unlike(expected: Sequence[Any], found: Sequence[Any], options: MatchOptions) -> int:
    """Return the first place where two long lists of plain numbers or texts may differ, or their length."""
    kinds = {*map(type, expected), *map(type, found)}
    if kinds <= {str, bool} and len(kinds) == 1:
        unlike = np.fromiter(map(operator.ne, expected, found), dtype=bool, count=len(expected))
    elif kinds <= {int, float} and options.metrictol is None:
        try:
            unlike = ~np.isclose(np.array(found), np.array(expected), rtol=options.rtol, atol=options.atol)
        except (TypeError, OverflowError):  # integers beyond 64 bits
            return 0
    else:
        return 0
    return int(unlike.argmax()) if unlike.any() else len(expected)


def _inside(place: str, match: Match) -> Match:
    return replace(match, reason=f"{place}: {match.reason}", causes=match.causes | {Cause.VALUE})


def _match_mappings(expected: dict[Any, Any], found: dict[Any, Any], options: MatchOptions, element: Element) -> Match:
    if options.ignore_index:
        if len(expected) != len(found):
            return mismatch(f"expected {len(expected)} entries, got {len(found)}", Cause.VALUE)
        pairs = [(key, want, got) for (key, want), got in zip(expected.items(), found.values(), strict=True)]
    else:
        if sorted(expected) != sorted(found):  # keys without an order are an exception, hence no match
            return mismatch(f"expected the keys {brief(list(expected))}, got {brief(list(found))}", Cause.VALUE)
        pairs = [(key, want, found[key]) for key, want in expected.items()]
    for key, want, got in pairs:
        match = element(want, got)
        if not match.matched:
            return _inside(f"entry {brief(key)}", match)
    return MATCHED


def is_boolean(value: Any) -> bool:
    """Return whether rule 3 applies."""
    return isinstance(value, (bool, np.bool_))


def is_number(value: Any) -> bool:
    """Return whether rule 4 applies: not to Python's complex numbers, but to NumPy's durations."""
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


Array = NDArray[Any]


def match_arrays(expected: Any, found: Any, options: MatchOptions) -> Match:
    """Compare where either side is a NumPy array."""
    if not (isinstance(expected, np.ndarray) and isinstance(found, np.ndarray)):
        return unlike_kinds(expected, found)
    if expected.shape != found.shape:
        return mismatch(f"expected an array of shape {expected.shape}, got {found.shape}")
    if options.strict_type and expected.dtype != found.dtype:
        return mismatch(f"expected an array of dtype {expected.dtype}, got {found.dtype}")
    if _same_values(expected, found, options):
        return MATCHED
    return mismatch(f"the values of two arrays of shape {expected.shape} differ")


def _same_values(expected: Array, found: Array, options: MatchOptions) -> bool:
    if expected.dtype.kind == "f" and found.dtype.kind == "f":
        return _close(expected, found, options)
    try:
        return bool(np.array_equal(expected, found))
    except (TypeError, ValueError):
        return False


def _close(expected: Array, found: Array, options: MatchOptions) -> bool:
    missing, missing_found = np.isnan(expected), np.isnan(found)
    if not np.array_equal(missing, missing_found) or not np.array_equal(np.isinf(expected), np.isinf(found)):
        return False
    return bool(np.allclose(found[~missing_found], expected[~missing], rtol=options.rtol, atol=options.atol))


def is_sparse(value: Any) -> bool:
    """Return whether rule 6 applies: to CSR matrices only."""
    sparse = sys.modules.get("scipy.sparse")  # no value can be of a type that was never imported
    return sparse is not None and isinstance(value, sparse.csr_matrix)


def match_sparse(expected: Any, found: Any, options: MatchOptions) -> Match:
    """Compare where either side is a sparse matrix."""
    if not (is_sparse(expected) and is_sparse(found)):
        return unlike_kinds(expected, found)
    if expected.shape != found.shape:
        return mismatch(f"expected a matrix of shape {expected.shape}, got {found.shape}")
    same = (
        len(expected.indices) == len(found.indices)
        and np.allclose(expected.data, found.data, rtol=options.rtol, atol=options.atol)
        and np.array_equal(expected.indices, found.indices)
        and np.array_equal(expected.indptr, found.indptr)
    )
    return MATCHED if same else mismatch("the elements of two sparse matrices differ")


def in_order(elements: Sequence[Any]) -> list[Any]:
    """Return the elements sorted by type and value.

    Raises:
        TypeError: If two elements of one type have no order.
    """
    if {*map(type, elements)} in ({int}, {str}):
        return sorted(elements)
    return sorted(elements, key=lambda element: (str(type(element)), element))


def sorted_rows(expected: pd.DataFrame, found: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the rows of both frames sorted by all columns, numbered anew; the frames have the same columns.

    Raises:
        TypeError: If a column cannot be sorted.
        ValueError: If a column's name stands twice.
    """
    one, other = (frame.sort_values(by=expected.columns.tolist()) for frame in (expected, found))
    return one.reset_index(drop=True), other.reset_index(drop=True)


def sorted_values(series: pd.Series) -> pd.Series:
    """Return the values sorted and numbered anew; a Series that cannot be sorted keeps its order."""
    try:
        return series.sort_values().reset_index(drop=True)
    except Exception:  # noqa: BLE001  whatever the values raise: they keep their order
        return series


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
