"""DataFrame, Series and Index beside one of their own kind, and tables read out of other containers."""

from collections.abc import Iterator
from dataclasses import replace
from math import inf
from typing import Any, Final

import numpy as np
import pandas as pd

from evaluator.inside.compare.equality.columns import Element, are_permutable, compare_vectors, rows_in_order
from evaluator.inside.compare.equality.forms import Grid, has_plain_index, may_label
from evaluator.inside.compare.equality.likeness import SAME, Context, Likeness, different, same
from evaluator.inside.compare.equality.lines import Line
from evaluator.inside.compare.equality.vectors import Vector, vector_of
from evaluator.inside.compare.identity import canonical
from evaluator.inside.compare.match_model import Cause
from evaluator.inside.compare.value_text import brief, listed

MAX_EXTRA_COLUMNS: Final = 20  # a table that holds everything is no answer
MAX_EXTRA_UNNAMED: Final = 2  # where names do not count, more would be as many guesses at one value
MAX_VALUES_SEARCHED: Final = 2_000_000  # times that a value is held beside another, to find columns by what they hold


_OTHER_LABELS: Final = frozenset({Line.TRUTH_FOR_NUMBER, Line.TEXT_FOR_NUMBER, Line.DURATION_FOR_NUMBER})
"""Differences that no option makes right in labels: the label "1" is not the label 1."""


def context_of_labels(context: Context) -> Context:
    """Return the context in which labels, keys and members of sets are compared: they are no scores."""
    if context.options.metrictol is None:
        return context
    return replace(context, options=replace(context.options, metrictol=None))


def compare_indexes(expected: pd.Index, found: pd.Index, context: Context, element: Element) -> Likeness:
    """Compare two indexes label by label; their names are a difference of their own."""
    if len(expected) != len(found):
        return different(f"expected {len(expected)} labels, got {len(found)}", Cause.SHAPE)
    if expected.nlevels != found.nlevels:
        return different(f"expected {expected.nlevels} levels of labels, got {found.nlevels}", Cause.SHAPE)
    likeness = SAME if _names(expected) == _names(found) else same(Line.NAMES)
    if isinstance(expected, pd.RangeIndex) and isinstance(found, pd.RangeIndex):
        return likeness if expected.equals(found) else different("the index differs", Cause.VALUE)
    for i in range(expected.nlevels):
        one, other = (vector_of(index.get_level_values(i)) for index in (expected, found))
        inner = context_of_labels(context).within()
        likeness = likeness & compare_vectors(one, other, inner, element, "the index")
    if likeness.lines is not None and likeness.lines & _OTHER_LABELS:
        return different("the labels are of another type", Cause.VALUE)
    return likeness


def _names(index: pd.Index) -> list[Any]:
    return [canonical(name) for name in index.names]


def compare_series(expected: pd.Series, found: pd.Series, context: Context, element: Element) -> Likeness:
    """Compare two Series: the values, the labels, the name."""
    name = SAME if canonical(expected.name) == canonical(found.name) else same(Line.NAMES)
    if len(expected) != len(found):
        return different(f"expected {len(expected)} values, got {len(found)}", Cause.SHAPE)
    columns = [(vector_of(expected), vector_of(found), "the Series")]
    return _best_rows(expected, found, columns, context, element, name)


def compare_frames(expected: pd.DataFrame, found: pd.DataFrame, context: Context, element: Element) -> Likeness:
    """Compare two frames: the columns, their labels, the rows and theirs."""
    readings = context.best(_frame_readings(expected, found, context, element))
    assert readings is not None
    return readings


def _frame_readings(
    expected: pd.DataFrame, found: pd.DataFrame, context: Context, element: Element
) -> Iterator[Likeness]:
    if expected.shape == found.shape:
        yield from (
            _aligned(expected, *how, context, element) for how in _alignments(expected, found, context, element)
        )
        yield _labels_differ(expected, found)
    else:
        yield _shapes_differ(expected, found)
    if len(expected) == len(found):
        yield from _labels_as_columns(expected, found, context, element)
        if context.is_outermost:
            yield from _parts(expected, found, context, element)
            if context.options.ignore_names:
                yield from _parts_by_values(expected, found, context, element)


def _labels_differ(expected: pd.DataFrame, found: pd.DataFrame) -> Likeness:
    want, got = (listed(list(frame.columns)) for frame in (expected, found))
    return different(f"expected the columns {want}, got {got}", Cause.COLUMNS)


def _shapes_differ(expected: pd.DataFrame, found: pd.DataFrame) -> Likeness:
    missing = [label for label in expected.columns if label not in found.columns]
    more = f": missing columns {listed(missing)}" if missing else ""
    return different(f"expected shape {expected.shape}, got {found.shape}{more}", Cause.SHAPE)


def _alignments(
    expected: pd.DataFrame, found: pd.DataFrame, context: Context, element: Element
) -> Iterator[tuple[pd.DataFrame, Likeness]]:
    """Yield the found frame with its columns as expected, and what that took.

    Columns may be named otherwise. Under the same names, or under numbers and times, which are data, they may not.
    """
    labels, theirs = ([canonical(label) for label in frame.columns] for frame in (expected, found))
    axis = SAME if _names(expected.columns) == _names(found.columns) else same(Line.NAMES)
    if labels == theirs:
        yield found, axis
        return
    if len({*labels}) == len(labels) and {*labels} == {*theirs} and len(theirs) == len(labels):
        places = {label: place for place, label in enumerate(theirs)}
        yield found.iloc[:, [places[label] for label in labels]], axis.plus(Line.COLUMN_ORDER)
        if not context.options.ignore_names:
            return
    alike = compare_indexes(expected.columns, found.columns, context, element)
    if alike.lines is not None:  # floats after rounding, times of several types
        yield found, alike
    elif context.options.ignore_names or _may_be_renamed(expected.columns, found.columns):
        yield found, axis.plus(Line.COLUMN_NAMES)


def _may_be_renamed(expected: pd.Index, found: pd.Index) -> bool:
    """Return whether columns of one table may be those of the other under other names.

    A label that both have must be that of one column. Numbers and times as labels are data, unless they read alike.
    """
    if list(map(str, expected)) == list(map(str, found)):
        return True
    if not (_are_names(expected) and _are_names(found)):
        return False
    ours, theirs = ({canonical(label): i for i, label in enumerate(labels)} for labels in (expected, found))
    return all(theirs.get(label, place) == place for label, place in ours.items())


def _are_names(labels: pd.Index) -> bool:
    """Return whether the labels of columns are words, or only count them."""
    if not isinstance(labels, pd.MultiIndex) and labels.dtype.kind in "iu":
        return bool(labels.tolist() == list(range(len(labels))))
    parts = [part for label in labels for part in (label if isinstance(label, tuple) else (label,))]
    return any(isinstance(part, str) for part in parts) or not parts


def _aligned(
    expected: pd.DataFrame, found: pd.DataFrame, taken: Likeness, context: Context, element: Element
) -> Likeness:
    columns = [
        (vector_of(expected.iloc[:, i]), vector_of(found.iloc[:, i]), f"column {brief(label)}")
        for i, label in enumerate(expected.columns)
    ]
    if taken.lines is not None and Line.COLUMN_ORDER in taken.lines and not context.is_outermost:
        return different("the columns stand in another order", Cause.COLUMNS)
    likeness = _best_rows(expected, found, columns, context, element, taken)
    if likeness.lines is None and taken.lines is not None and Line.COLUMN_NAMES in taken.lines:
        return _labels_differ(expected, found)
    return likeness


def _index_lines(expected: pd.Index, found: pd.Index, context: Context) -> tuple[Line, ...]:
    """Return the difference that other labels of rows are: none where any order is right and they only number rows."""
    numbers = context.options.ignore_order and _are_integers(expected) and _are_integers(found)
    return () if numbers and Line.INDEX.value not in context.options.equality else (Line.INDEX,)


def _are_integers(index: pd.Index) -> bool:
    return not isinstance(index, pd.MultiIndex) and isinstance(index.dtype, np.dtype) and index.dtype.kind in "iu"


Columns = list[tuple[Vector, Vector, str]]


def _best_rows(
    expected: Any, found: Any, columns: Columns, context: Context, element: Element, taken: Likeness
) -> Likeness:
    """Compare rows in the order they stand in and, where that fails, in any."""
    labels = compare_indexes(expected.index, found.index, context, element)
    values = _compare_columns(columns, context, element)
    follow = labels.lines is None and labels_tell_rows(expected, found, context, element)
    if follow and values.lines is not None:
        values = different("the values stand at other labels", Cause.VALUE)
    straight = values & (
        taken.plus(*_index_lines(expected.index, found.index, context)) if labels.lines is None else labels & taken
    )
    if not context.is_outermost or not len(expected) or context.cost(values) == 0:
        return straight
    permuted = _permuted_rows(expected, found, columns, labels, context, element, follow=follow)
    best = context.best((straight, *(reading & taken for reading in permuted)))
    return straight if best is None or best.lines is None else best


def labels_tell_rows(expected: Any, found: Any, context: Context, element: Element) -> bool:
    """Return whether both tables hold the same labels, in another order: values then belong to labels."""
    if has_plain_index(expected) or has_plain_index(found):
        return False
    return _tell_rows(expected.index, found.index, context, element)


def _tell_rows(expected: pd.Index, found: pd.Index, context: Context, element: Element) -> bool:
    if context.options.ignore_index or expected.nlevels != found.nlevels or len(expected) != len(found):
        return False
    return compare_permuted(_levels(expected, found), context_of_labels(context), element).lines is not None


def _levels(expected: pd.Index, found: pd.Index) -> Columns:
    return [
        (vector_of(expected.get_level_values(i)), vector_of(found.get_level_values(i)), "the index")
        for i in range(expected.nlevels)
    ]


def _compare_columns(columns: Columns, context: Context, element: Element) -> Likeness:
    likeness = SAME
    for expected, found, what in columns:
        likeness = likeness & compare_vectors(expected, found, context.within(), element, what)
        if likeness.lines is None:
            break
    return likeness


def _permuted_rows(
    expected: Any,
    found: Any,
    columns: Columns,
    labels: Likeness,
    context: Context,
    element: Element,
    *,
    follow: bool,
) -> Iterator[Likeness]:
    """Yield the readings in which the rows stand in another order, with their labels and without."""
    are_plain = has_plain_index(expected) and has_plain_index(found)
    if not are_plain and expected.index.nlevels == found.index.nlevels:
        whole = compare_permuted([*_levels(expected.index, found.index), *columns], context, element).plus(Line.ORDER)
        yield whole
        if whole.lines is not None:
            return
    if follow or (labels.lines is not None and not has_plain_index(expected) and not context.options.ignore_index):
        return  # whatever the order, each value belongs to its label
    with_index = () if labels.lines is not None else _index_lines(expected.index, found.index, context)
    yield compare_permuted(columns, context, element).plus(Line.ORDER, *with_index)


def compare_labelled(
    labels: tuple[pd.Index, pd.Index], values: tuple[Any, Any], context: Context, element: Element
) -> Likeness:
    """Compare values that belong to labels; under other labels, in the order they stand in."""
    columns = [(vector_of(values[0]), vector_of(values[1]), "the values")]
    straight = _compare_columns(columns, context, element)
    index = compare_indexes(*labels, context, element)
    if index.lines is not None:
        return index & straight
    if labels[0].nlevels == labels[1].nlevels:
        levels = _levels(*labels)
        if compare_permuted(levels, context_of_labels(context), element).lines is not None:
            permuted = compare_permuted([*levels, *columns], context, element)
            if permuted.lines is not None or not context.options.ignore_index:
                return permuted
    return straight.plus(*_index_lines(*labels, context))


def compare_permuted(columns: Columns, context: Context, element: Element) -> Likeness:
    """Compare the rows of two tables whatever order they stand in."""
    if not all(are_permutable(one, other, context) for one, other, _ in columns):
        return different("the rows differ", Cause.VALUE)
    order = rows_in_order([(one, other) for one, other, _ in columns], context)
    if order is None:
        return different("the rows differ", Cause.VALUE)
    placed = [(one.take(order[0]), other.take(order[1]), what) for one, other, what in columns]
    return _compare_columns(placed, context, element)


def _labels_as_columns(
    expected: pd.DataFrame, found: pd.DataFrame, context: Context, element: Element
) -> Iterator[Likeness]:
    """Yield the readings in which one side has as a column what the other one has as labels."""
    for one, other, takes in ((expected, found, "found"), (found, expected, "expected")):
        whole = with_index_as_columns(other) if may_label(other) else None
        if whole is None or whole.shape != one.shape:
            continue
        whole = _restored(whole, other.index.nlevels, one)
        plain = one.reset_index(drop=True)
        pair = (plain, whole) if takes == "found" else (whole, plain)
        for aligned, taken in _alignments(*pair, context, element):
            yield _aligned(pair[0], aligned, taken.plus(Line.INDEX), context, element)


def _restored(whole: pd.DataFrame, levels: int, like: pd.DataFrame) -> pd.DataFrame:
    """Return a frame whose leading columns, its labels until now, stand where another frame has them."""
    labels = [canonical(label) for label in like.columns]
    leading = [canonical(label) for label in whole.columns[:levels]]
    if len({*labels}) < len(labels) or not {*leading} <= {*labels} or len({*leading}) < levels:
        return whole
    rest = iter(range(levels, whole.shape[1]))
    return whole.iloc[:, [leading.index(label) if label in leading else next(rest) for label in labels]]


def with_index_as_columns(table: pd.DataFrame) -> pd.DataFrame | None:
    """Return a frame whose leading columns are its labels; None where their names stand in it already."""
    try:
        return table.reset_index()
    except (ValueError, TypeError, NotImplementedError):
        return None


def _parts(expected: pd.DataFrame, found: pd.DataFrame, context: Context, element: Element) -> Iterator[Likeness]:
    """Yield the readings in which the found frame has all that is expected, and more."""
    if not expected.shape[1] or found.shape[1] > expected.shape[1] + MAX_EXTRA_COLUMNS:
        return
    has_levels = may_label(found) and found.index.nlevels <= MAX_EXTRA_COLUMNS
    wholes = [found, with_index_as_columns(found)] if has_levels else [found]
    for whole in wholes:
        part = None if whole is None else _columns_of(whole, expected)
        if part is None or part.shape[1] >= found.shape[1] + found.index.nlevels:
            continue
        if whole is found and found.shape[1] == expected.shape[1]:
            continue  # nothing is surplus
        if whole is not found and _columns_of(found, expected) is not None:
            continue  # no label of a row is asked for
        if whole is not found:
            part = part.set_axis(expected.index, axis=0) if has_plain_index(expected) else part
        yield _aligned(expected, part, same(Line.EXTRA), context, element)


def _parts_by_values(
    expected: pd.DataFrame, found: pd.DataFrame, context: Context, element: Element
) -> Iterator[Likeness]:
    """Yield the readings in which columns of other names, in any order, hold what is expected, and few others."""
    labelled = with_index_as_columns(found) if may_label(found) else None
    for whole, lines in ((found, ()), (labelled, (Line.INDEX,))):
        surplus = 0 if whole is None else whole.shape[1] - expected.shape[1]
        if whole is None or not expected.shape[1] or not 0 <= surplus <= MAX_EXTRA_UNNAMED:
            continue
        if expected.size * whole.shape[1] > MAX_VALUES_SEARCHED:
            continue
        part = _columns_that_hold(whole, expected, context, element)
        if part is None:
            continue
        taken = same(Line.COLUMN_NAMES, Line.EXTRA if surplus else Line.COLUMN_ORDER, *lines)
        yield _aligned(expected, part.set_axis(expected.index, axis=0) if lines else part, taken, context, element)


def _columns_that_hold(
    whole: pd.DataFrame, expected: pd.DataFrame, context: Context, element: Element
) -> pd.DataFrame | None:
    """Return for each expected column the column of `whole` that is most like it; None where one has none.

    A label that both have must be that of one column: under exchanged names stand other values.
    """
    names = [canonical(label) for label in whole.columns]
    theirs = {place: vector_of(whole.iloc[:, place]) for place in range(whole.shape[1])}
    places = []
    for i in range(expected.shape[1]):
        ours = vector_of(expected.iloc[:, i])
        costs = {place: _cost(ours, one, context, element) for place, one in theirs.items()}
        place = min(costs, key=lambda one: costs[one])
        label = canonical(expected.columns[i])
        if costs[place] == inf or (label in names and names[place] != label):
            return None
        places.append(place)
        del theirs[place]
    return whole.iloc[:, places]


def _cost(expected: Vector, found: Vector, context: Context, element: Element) -> float:
    """Return how unlike two columns are: least place by place, more in another order, infinite otherwise."""
    columns = [(expected, found, "the column")]
    straight = _compare_columns(columns, context, element)
    if straight.lines is not None:
        return context.cost(straight)
    permuted = compare_permuted(columns, context, element)
    return inf if permuted.lines is None else context.cost(permuted) + 0.5


def _columns_of(whole: pd.DataFrame, expected: pd.DataFrame) -> pd.DataFrame | None:
    """Return the columns of `whole` that are labelled as the expected ones; None where one is missing or ambiguous."""
    places: dict[Any, int] = {}
    for place, label in enumerate(whole.columns):
        places.setdefault(canonical(label), place)
    labels = [canonical(label) for label in expected.columns]
    if len({*labels}) < len(labels) or not {*labels} <= places.keys():
        return None
    return whole.iloc[:, [places[label] for label in labels]]


def compare_grids(expected: Grid, found: Grid, context: Context, element: Element) -> Likeness:
    """Compare two tables that were read out of other containers; names count where both have them."""
    if len(expected.columns) != len(found.columns):
        return different(f"expected {len(expected.columns)} columns, got {len(found.columns)}", Cause.SHAPE)
    one, other = ([vector_of(column) for column in grid.columns] for grid in (expected, found))
    likeness, order = _named_alike(expected, found)
    if expected.labels is not None and found.labels is not None:  # where they are alike, another reading holds them
        if _tell_rows(expected.labels, found.labels, context, element):
            return different("the values stand at other labels", Cause.VALUE)
        likeness = likeness.plus(Line.INDEX)
    other = [other[i] for i in order]
    columns = [(a, b, f"column {i + 1}") for i, (a, b) in enumerate(zip(one, other, strict=True))]
    if len({len(vector) for vector in (*one, *other)}) != 1:
        return different("the numbers of rows differ", Cause.SHAPE)
    if expected.has_order and found.has_order:
        straight = _compare_columns(columns, context, element)
        if straight.lines is not None or not context.is_outermost:
            return straight & likeness
        return compare_permuted(columns, context, element).plus(Line.ORDER) & likeness
    return compare_permuted(columns, context, element) & likeness


def _named_alike(expected: Grid, found: Grid) -> tuple[Likeness, list[int]]:
    """Return what the names say, and which found column stands for each expected one."""
    straight = list(range(len(found.columns)))
    if expected.names is None or found.names is None:
        return SAME, straight
    skipped = max(expected.levels, found.levels)
    labels, theirs = ([canonical(name) for name in grid.names or ()] for grid in (expected, found))
    named = list(zip(labels, theirs, strict=True))[skipped:]
    if all(one == other or None in (one, other) for one, other in named):
        return SAME, straight
    if skipped == 0 and len({*labels}) == len(labels) and {*labels} == {*theirs}:
        return SAME, [theirs.index(label) for label in labels]  # a dict's keys have no order that counts
    return same(Line.COLUMN_NAMES), straight


def compare_arrays(expected: Any, found: Any, context: Context, element: Element) -> Likeness:
    """Compare two arrays of several dimensions, or two structured ones."""
    if expected.shape != found.shape:
        return different(f"expected an array of shape {expected.shape}, got {found.shape}", Cause.SHAPE)
    if expected.dtype.names is not None and found.dtype.names is not None:
        grids = [Grid(tuple(a[n].reshape(-1) for n in a.dtype.names), tuple(a.dtype.names)) for a in (expected, found)]
        return compare_grids(grids[0], grids[1], context, element)
    if expected.dtype.names is not None or found.dtype.names is not None:
        return different("one array is structured, the other one is not", Cause.DTYPE)
    one, other = (vector_of(_flattened(array)) for array in (expected, found))
    return compare_vectors(one, other, context.within(), element, f"the array of shape {expected.shape}")


def _flattened(array: Any) -> Any:
    return array.reshape(-1) if isinstance(array, np.ma.MaskedArray) else np.asarray(array).reshape(-1)
