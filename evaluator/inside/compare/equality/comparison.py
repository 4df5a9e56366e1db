"""Comparing two decoded values under the sound rules (docs/dseal.md, "When two values are equal")."""

import warnings
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from evaluator.inside.codec.decode.decoded import DecodedRecord, Marker, Opaque
from evaluator.inside.compare.equality.columns import Element, compare_vectors
from evaluator.inside.compare.equality.containers import (
    compare_as_part,
    compare_crossed,
    compare_mappings,
    compare_records,
    compare_sequences,
    compare_sets,
    grid_readings,
    unwrapped_readings,
)
from evaluator.inside.compare.equality.forms import MAX_ITEMS, ValueKind, kind_of, length_of, plain_scalar
from evaluator.inside.compare.equality.likeness import (
    SAME,
    Context,
    Likeness,
    different,
    same,
    unlike_kinds,
    unlike_values,
)
from evaluator.inside.compare.equality.lines import Judgement, Line, cause_of, ruling_of
from evaluator.inside.compare.equality.scalars import compare_scalars
from evaluator.inside.compare.equality.tables import compare_arrays, compare_frames, compare_indexes, compare_series
from evaluator.inside.compare.equality.vectors import vector_of
from evaluator.inside.compare.identity import canonical, find_incomparable, identical
from evaluator.inside.compare.match_model import Answer, AuthorFaultError, Cause, Comparison, MatchOptions
from evaluator.inside.compare.value_text import brief, kind_name, listed


def compare_sparse(expected: Any, found: Any, context: Context, element: Element) -> Likeness:
    """Compare two sparse matrices by their elements; zeros that are stored are zeros."""
    if expected.shape != found.shape:
        return different(f"expected a matrix of shape {expected.shape}, got {found.shape}", Cause.SHAPE)
    one, other = _canonical_csr(expected), _canonical_csr(found)
    places = [_places(matrix) for matrix in (one, other)]
    every = np.union1d(*places)
    stored = [_stored(matrix, own, every) for matrix, own in zip((one, other), places, strict=True)]
    values = [vector_of(data) for data in stored]
    return compare_vectors(values[0], values[1], context.within(), element, "the elements of the sparse matrix")


def _places(matrix: Any) -> Any:
    """Return where the elements stand, row by row, as one number each."""
    rows = np.repeat(np.arange(len(matrix.indptr) - 1, dtype=np.int64), np.diff(matrix.indptr))
    return rows * matrix.shape[-1] + matrix.indices


def _stored(matrix: Any, places: Any, every: Any) -> Any:
    """Return the elements at all of some places; where none is stored there is a zero."""
    values = np.zeros(len(every), dtype=matrix.data.dtype)
    values[np.searchsorted(every, places)] = matrix.data
    return values


def _canonical_csr(matrix: Any) -> Any:
    copy = matrix.tocsr(copy=True)
    copy.sum_duplicates()
    copy.sort_indices()
    copy.eliminate_zeros()
    return copy


_SHOWN_LABELS: Final = 3
_TELLING: Final = {
    Line.CONTAINER: "the same values in another container",
    Line.COLUMN_NAMES: "the same values under other column labels",
    Line.NAMES: "the same values under other names",
    Line.ORDER: "the same values in another order",
    Line.COLUMN_ORDER: "the same columns in another order",
    Line.EXTRA: "the expected values, and more",
    Line.INDEX: "the same values under other row labels",
    Line.ZONE: "the same instants told in another time zone",
    Line.DATE: "dates instead of midnights, or the other way round",
}


def compare_soundly(expected: Any, found: Any, options: MatchOptions) -> Comparison:
    """Compare two values by the table of differences.

    Args:
        expected: The reference's value.
        found: The submission's value.
        options: How a problem wants them compared.

    Returns:
        Yes where they are equal, partial where the same values came in another form (the causes say which), else no.

    Raises:
        AuthorFaultError: If the options name a line that the table does not have.
    """
    context = Context(options, _ruling(options))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            likeness = compare_whole(expected, found, context)
        except (RecursionError, MemoryError):
            raise
        except Exception as error:  # noqa: BLE001  libraries raise what they like for odd values: that is no match
            likeness = different(f"the values cannot be compared ({type(error).__name__})", Cause.VALUE)
    return _answered(likeness, context, expected, found)


def _ruling(options: MatchOptions) -> Any:
    try:
        return ruling_of(options)
    except ValueError as error:
        fix = f"use one of {', '.join(Line)}"
        raise AuthorFaultError(f"equality: there is no such line: {error}", where="equality", fix=fix) from error


def _answered(likeness: Likeness, context: Context, expected: Any, found: Any) -> Comparison:
    if likeness.lines is None:
        return Comparison(Answer.NO, likeness.reason, likeness.causes)
    severity = context.ruling.severity(likeness.lines)
    if severity == 0:
        return Comparison(Answer.YES, "", frozenset())
    lines = context.ruling.worst(likeness.lines)
    reason = "; ".join(_told(line, expected, found) for line in lines)
    causes = frozenset(map(cause_of, lines))
    if context.ruling.judged[lines[0]] is Judgement.WRONG:
        return Comparison(Answer.NO, likeness.reason or f"{reason} (wrong in this problem)", likeness.causes or causes)
    return Comparison(Answer.PARTIAL, reason, causes)


def _told(line: Line, expected: Any, found: Any) -> str:
    """Say what a difference is and, where that is one look at both values, which."""
    told = _TELLING.get(line, f"another type: {line.value}")
    detail = ""
    if line is Line.CONTAINER and kind_of(expected) is not kind_of(found):
        detail = f"{kind_name(found)} for {kind_name(expected)}"
    elif line in (Line.COLUMN_NAMES, Line.EXTRA):
        detail = _label_detail(line, expected, found)
    elif line is Line.INDEX and type(expected) is type(found) and isinstance(found, (pd.Series, pd.DataFrame)):
        detail = _index_detail(expected.index, found.index)
    return f"{told}: {detail}" if detail else told


def _index_detail(expected: pd.Index, found: pd.Index) -> str:
    """Name the first labels that differ."""
    pairs = [(one, other) for one, other in zip(expected, found, strict=False) if canonical(one) != canonical(other)]
    ours, theirs = ([pair[i] for pair in pairs[:_SHOWN_LABELS]] for i in (0, 1))
    return f"{listed(theirs)} for {listed(ours)}{', …' if len(pairs) > _SHOWN_LABELS else ''}" if pairs else ""


def _label_detail(line: Line, expected: Any, found: Any) -> str:
    """Name labels of columns, or keys of dicts, that only one side has."""
    ours, theirs = _labels_of(expected), _labels_of(found)
    if type(expected) is not type(found) or ours is None or theirs is None:
        return ""
    missing, more = (
        [side[key] for key in side if key not in other] for side, other in ((ours, theirs), (theirs, ours))
    )
    if line is Line.EXTRA:
        return listed(more)
    return f"{listed(more)} for {listed(missing)}" if more and missing else ""


def _labels_of(value: Any) -> dict[Any, Any] | None:
    if not isinstance(value, (pd.DataFrame, dict)):
        return None
    return {canonical(label): label for label in (value.columns if isinstance(value, pd.DataFrame) else value)}


def compare_whole(expected: Any, found: Any, context: Context) -> Likeness:
    """Compare two whole values."""
    options = context.options
    if options.type_only:
        return _compare_types(expected, found)
    if identical(expected, found):
        return SAME
    if (expected is None) is not (found is None):
        return unlike_kinds(expected, found)  # as a whole value, None says that there is none
    likeness = compare_parts(expected, found, context)
    if likeness.lines is not None and Line.EXTRA not in likeness.lines:
        for side, value in (("expected", expected), ("found", found)):
            part = find_incomparable(value)
            if part is not None:
                return different(f"the {side} value holds {brief(part)}, which cannot be compared", Cause.TYPE)
    if options.value_only and context.cost(likeness) > 0:
        stripped = compare_parts(_stripped(expected), _stripped(found), context)
        likeness = context.best((likeness, stripped)) or likeness
    return likeness


def _compare_types(expected: Any, found: Any) -> Likeness:
    if isinstance(expected, (Opaque, DecodedRecord)) and isinstance(found, (Opaque, DecodedRecord)):
        is_same = expected.type_name == found.type_name
    else:
        is_same = type(expected) is type(found) and not isinstance(expected, Marker)
    return SAME if is_same else unlike_kinds(expected, found)


def compare_parts(expected: Any, found: Any, context: Context) -> Likeness:
    """Compare two values, or two parts of values."""
    kinds = kind_of(expected), kind_of(found)
    if kinds == (ValueKind.SCALAR, ValueKind.SCALAR):
        likeness = compare_scalars(plain_scalar(expected), plain_scalar(found), context)
        is_array = isinstance(expected, np.ndarray) is not isinstance(found, np.ndarray)
        return likeness.plus(Line.SCALAR_KIND) if is_array else likeness
    if ValueKind.NOTHING in kinds:
        return compare_scalars(expected, found, context)
    if (
        ValueKind.RANGE in kinds
        and max(length_of(side) for side in (expected, found) if hasattr(side, "__len__")) > MAX_ITEMS
    ):
        return unlike_values(expected, found)
    if kinds[0] is not kinds[1]:
        return compare_crossed(expected, found, kinds, context, compare_parts)
    likeness = _compare_kind(expected, found, kinds[0], context)
    if likeness.lines is None and kinds[0] is ValueKind.SEQUENCE:
        return _read_as_table(expected, found, kinds, context) or likeness
    return likeness


def _read_as_table(expected: Any, found: Any, kinds: tuple[ValueKind, ValueKind], context: Context) -> Likeness | None:
    """Compare two lists that hold the same table in another layout; None where they do not."""
    if not context.is_outermost or not any(_holds_parts(value) for value in (expected, found)):
        return None
    if len(expected) == len(found) and {*map(kind_of, expected)} == {*map(kind_of, found)}:
        return None  # the same layout
    inner = Context(context.options, context.ruling, is_outermost=False)
    tables = grid_readings(expected, found, kinds, inner, compare_parts)
    best = context.best((*tables, *unwrapped_readings(expected, found, kinds, inner, compare_parts)))
    return None if best is None or best.lines is None else best


def _holds_parts(value: Sequence[Any]) -> bool:
    return bool(value) and all(kind_of(item) is not ValueKind.SCALAR for item in value[:100])


def _compare_kind(expected: Any, found: Any, kind: ValueKind, context: Context) -> Likeness:
    """Compare two values of one kind."""
    if kind is ValueKind.FRAME:
        return compare_frames(expected, found, context, compare_parts)
    if kind is ValueKind.SERIES:
        likeness = compare_series(expected, found, context, compare_parts)
        part = (
            compare_as_part(expected, found, (kind, kind), context, compare_parts) if likeness.lines is None else None
        )
        return part or likeness
    if kind is ValueKind.INDEX:
        return _compare_index(expected, found, context)
    if kind is ValueKind.ARRAY:
        return _compare_flat_arrays(expected, found, context)
    if kind in (ValueKind.GRID, ValueKind.STRUCTURED):
        return _compare_grids(expected, found, kind, context)
    if kind is ValueKind.DICT:
        return compare_mappings(expected, found, context, compare_parts)
    if kind in (ValueKind.SET, ValueKind.KEYS):
        return compare_sets(expected, found, context, compare_parts)
    if kind is ValueKind.RECORD:
        return compare_records(expected, found, context, compare_parts)
    if kind is ValueKind.SPARSE:
        return compare_sparse(expected, found, context, compare_parts)
    if kind is ValueKind.RANGE and max(map(length_of, (expected, found))) > MAX_ITEMS:
        return SAME if expected == found else unlike_values(expected, found)
    return compare_sequences(list(expected), list(found), context, compare_parts)


def _compare_index(expected: pd.Index, found: pd.Index, context: Context) -> Likeness:
    likeness = compare_indexes(expected, found, context, compare_parts)
    if likeness.lines is not None or not context.is_outermost or len(expected) != len(found):
        return likeness
    permuted = compare_sequences(list(expected), list(found), context, compare_parts)
    return likeness if permuted.lines is None else permuted


def _compare_flat_arrays(expected: Any, found: Any, context: Context) -> Likeness:
    if len(expected) != len(found):
        return different(f"expected an array of shape ({len(expected)},), got ({len(found)},)", Cause.SHAPE)
    one, other = vector_of(expected), vector_of(found)
    likeness = compare_vectors(one, other, context.within(), compare_parts, "the array")
    if type(expected) is not type(found):
        likeness = likeness.plus(Line.ARRAY_KIND)
    if likeness.lines is not None or not context.is_outermost or one.holds is not other.holds:
        return likeness
    items = [[vector.item(i) for i in range(len(vector))] for vector in (one, other)]
    permuted = compare_sequences(items[0], items[1], context, compare_parts)
    return likeness if permuted.lines is None else permuted


def _compare_grids(expected: Any, found: Any, kind: ValueKind, context: Context) -> Likeness:
    likeness = compare_arrays(expected, found, context, compare_parts)
    if likeness.lines is not None or not context.is_outermost:
        return likeness
    crossed = compare_crossed(expected, found, (kind, kind), context, compare_parts)
    if crossed.lines is None:
        return likeness
    if expected.shape == found.shape:  # rows in another order
        return Likeness(crossed.lines - {Line.CONTAINER}, crossed.reason)
    return crossed


def _stripped(value: Any) -> Any:
    """Turn containers into nested lists and unwrap lists of one element, recursively (`value_only`)."""
    if isinstance(value, pd.DataFrame):
        value = value.to_numpy().tolist()
    elif isinstance(value, (pd.Series, pd.Index, np.ndarray)):
        value = value.tolist()
    elif isinstance(value, pd.api.extensions.ExtensionArray):
        value = list(value)
    if isinstance(value, (list, tuple, set, frozenset)):
        value = [_stripped(item) for item in value]
    return value[0] if isinstance(value, list) and len(value) == 1 else value


__all__ = ["compare_parts", "compare_soundly", "same"]
