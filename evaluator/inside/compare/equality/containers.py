"""Lists, sets, dicts and records beside one of their own kind, and values in different containers."""

import datetime as dt
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import pandas as pd

from evaluator.inside.codec.decode.decoded import DecodedRecord
from evaluator.inside.compare.equality.columns import Element, are_permutable, compare_vectors
from evaluator.inside.compare.equality.forms import Flat, Grid, ValueKind, flat_forms, grid_forms, has_plain_index
from evaluator.inside.compare.equality.likeness import (
    SAME,
    Context,
    Likeness,
    different,
    same,
    unlike_kinds,
    unlike_values,
)
from evaluator.inside.compare.equality.lines import Line
from evaluator.inside.compare.equality.row_order import order_together, ranks_decide
from evaluator.inside.compare.equality.scalars import compare_scalars, is_missing, is_moment, is_number
from evaluator.inside.compare.equality.tables import (
    MAX_EXTRA_COLUMNS,
    compare_grids,
    compare_labelled,
    compare_permuted,
    context_of_labels,
)
from evaluator.inside.compare.equality.vectors import Holds, vector_of
from evaluator.inside.compare.identity import PLAIN, canonical
from evaluator.inside.compare.match_model import Cause
from evaluator.inside.compare.value_text import brief

_MAX_PAIRED: Final = 100  # elements that are paired off one by one where sorting does not tell which belong together
_LONG: Final = 50  # elements from which plain lists are compared as vectors
_WRAPPERS: Final = (ValueKind.SEQUENCE, ValueKind.DICT, ValueKind.QUEUE)
_STREAKS: Final = (
    ValueKind.SEQUENCE,
    ValueKind.ARRAY,
    ValueKind.INDEX,
    ValueKind.SERIES,
    ValueKind.SET,
    ValueKind.GRID,
)


def compare_sequences(
    expected: Sequence[Any], found: Sequence[Any], context: Context, element: Element, *, has_order: bool = True
) -> Likeness:
    """Compare two lists, tuples or the like element by element, at the outermost level in any order, too."""
    if len(expected) != len(found):
        return different(f"expected {len(expected)} elements, got {len(found)}", Cause.VALUE)
    likeness = compare_in_order(expected, found, context, element)
    if likeness.lines is not None and context.cost(likeness) == 0:
        return likeness
    if has_order and not context.is_outermost:
        return likeness
    permuted = compare_unordered(expected, found, context, element)
    permuted = permuted.plus(Line.ORDER) if has_order else permuted
    best = context.best((likeness, permuted))
    return likeness if best is None or best.lines is None else best


def compare_in_order(expected: Sequence[Any], found: Sequence[Any], context: Context, element: Element) -> Likeness:
    """Compare two rows of values of the same length place by place."""
    if len(expected) >= _LONG and context.options.metrictol is None and _are_plain(expected, found):
        return compare_vectors(
            vector_of(list(expected)), vector_of(list(found)), context.within(), element, "the elements"
        )
    likeness = SAME
    for i, (want, got) in enumerate(zip(expected, found, strict=True)):
        one = element(want, got, context.within())
        if one is not SAME:
            likeness = likeness & one.inside(f"element {i}")
            if likeness.lines is None:
                return likeness
    return likeness


def _are_plain(*sides: Sequence[Any]) -> bool:
    return all(frozenset(map(type, side)) <= PLAIN for side in sides)


def compare_unordered(expected: Sequence[Any], found: Sequence[Any], context: Context, element: Element) -> Likeness:
    """Compare elements whatever order they stand in: sorted, and each with each where that does not tell."""
    if context.options.metrictol is None and _are_plain(expected, found):
        one, other = vector_of(list(expected)), vector_of(list(found))
        if one.holds is other.holds and one.holds is not Holds.OBJECT:
            return compare_permuted([(one, other, "the elements")], context, element)
    order = order_together(expected, found, context)
    sides = [expected[i] for i in order.places[0]], [found[i] for i in order.places[1]]
    likeness = compare_in_order(*sides, context, element)
    if likeness.lines is not None or len(expected) < 2:
        return likeness
    if len(expected) <= _MAX_PAIRED and not ranks_decide(expected, found, context):
        return _paired_off(expected, found, context, element) or likeness
    if order.groups[0] != order.groups[1]:
        return likeness
    return _paired_in_groups(sides, order.runs(), context, element) or likeness


def _paired_in_groups(
    sides: tuple[Sequence[Any], Sequence[Any]], groups: Iterator[slice], context: Context, element: Element
) -> Likeness | None:
    """Compare sorted elements group by group, where sorting left open which belong together; None where they differ."""
    whole = SAME
    for group in groups:
        one, other = (side[group] for side in sides)
        likeness: Likeness | None = compare_in_order(one, other, context, element)
        if likeness is not None and likeness.lines is None:
            likeness = _paired_off(one, other, context, element) if 1 < len(one) <= _MAX_PAIRED else None
        if likeness is None:
            return None
        whole = whole & likeness
    return whole


def _paired_off(expected: Sequence[Any], found: Sequence[Any], context: Context, element: Element) -> Likeness | None:
    """Give every expected element a found one that is alike; None where that cannot be done."""
    alike = [[element(want, got, context.within()) for got in found] for want in expected]
    partner: dict[int, int] = {}

    def place(want: int, tried: set[int]) -> bool:
        for got, likeness in enumerate(alike[want]):
            if likeness.lines is not None and got not in tried:
                tried.add(got)
                if got not in partner or place(partner[got], tried):
                    partner[got] = want
                    return True
        return False

    if not all(place(want, set()) for want in range(len(expected))):
        return None
    likeness = SAME
    for got, want in partner.items():
        likeness = likeness & alike[want][got]
    return likeness


def compare_mappings(
    expected: Mapping[Any, Any], found: Mapping[Any, Any], context: Context, element: Element
) -> Likeness:
    """Compare two dicts key by key; with `ignore_index`, where that fails, value by value."""
    by_key = _compare_by_key(expected, found, context, element)
    if not (context.options.ignore_index and context.is_outermost) or len(expected) != len(found):
        return by_key
    if context.cost(by_key) == 0:
        return by_key
    in_order = compare_in_order(list(expected.values()), list(found.values()), context, element)
    return context.best((in_order, by_key)) or by_key


def _compare_by_key(
    expected: Mapping[Any, Any], found: Mapping[Any, Any], context: Context, element: Element
) -> Likeness:
    pairs = _keys_paired(expected, found, context)
    surplus = len(found) - len(expected)
    if pairs is None or surplus > MAX_EXTRA_COLUMNS or (surplus and not context.is_outermost):
        return different(f"expected the keys {brief(list(expected))}, got {brief(list(found))}", Cause.VALUE)
    likeness = same(Line.EXTRA) if surplus and expected else SAME
    if surplus and not expected:
        return different("expected no entries", Cause.VALUE)
    for want, got in pairs:
        likeness = likeness & element(expected[want], found[got], context.within()).inside(f"entry {brief(want)}")
        if type(want) not in PLAIN:  # two keys may be one instant in two time zones
            likeness = likeness & element(want, got, context_of_labels(context).within())
        if likeness.lines is None:
            break
    return likeness


def _keys_paired(
    expected: Mapping[Any, Any], found: Mapping[Any, Any], context: Context
) -> list[tuple[Any, Any]] | None:
    """Return which found key stands for each expected one: an equal one, else one within the tolerance.

    None where one has none.
    """
    if len(found) < len(expected):
        return None
    theirs: dict[Any, list[Any]] = {}
    for key in found:
        theirs.setdefault(_key_of(key), []).append(key)
    pairs: list[tuple[Any, Any]] = []
    rest: list[Any] = []
    for key in expected:
        equal = theirs.get(_key_of(key))
        if equal:
            pairs.append((key, equal.pop(next((i for i, got in enumerate(equal) if type(got) is type(key)), 0))))
        else:
            rest.append(key)
    near = _near_keys(rest, list(itertools.chain.from_iterable(theirs.values())), context_of_labels(context))
    return None if near is None else pairs + near


def _near_keys(expected: list[Any], found: list[Any], context: Context) -> list[tuple[Any, Any]] | None:
    """Give every expected key one of the found ones that is equal within the tolerance; None where one has none."""
    if not expected:
        return []
    order = order_together(expected, found, context)
    theirs: dict[int, list[Any]] = {}
    for place, group in zip(order.places[1], order.groups[1], strict=True):
        theirs.setdefault(group, []).append(found[place])
    pairs: list[tuple[Any, Any]] = []
    for place, group in zip(order.places[0], order.groups[0], strict=True):
        want, others = expected[place], theirs.get(group, [])
        near = next((i for i, got in enumerate(others) if _compare_keys(want, got, context)), None)
        if near is None:
            return None
        pairs.append((want, others.pop(near)))
    return pairs


def _key_of(key: Any) -> Any:
    """Return what equal keys have in common, whatever type they are of."""
    if is_missing(key):
        return ("missing",)
    if is_moment(key) or isinstance(key, dt.date):
        try:
            return ("moment", pd.Timestamp(key))
        except (ValueError, OverflowError):
            return canonical(key)
    if isinstance(key, tuple):
        return ("tuple", tuple(map(_key_of, key)))
    return canonical(key)


def _compare_keys(expected: Any, found: Any, context: Context) -> bool:
    """Return whether two keys are equal within the tolerance."""
    if isinstance(expected, tuple) and isinstance(found, tuple):
        parts = zip(expected, found, strict=False)
        return len(expected) == len(found) and all(_compare_keys(a, b, context) for a, b in parts)
    if not (is_number(expected) and is_number(found)):
        return bool(_key_of(expected) == _key_of(found))
    likeness = compare_scalars(expected, found, context)
    return likeness.lines is not None and context.cost(likeness) == 0


def compare_sets(expected: Any, found: Any, context: Context, element: Element) -> Likeness:
    """Compare two sets; floats within the tolerance are equal."""
    if len(expected) != len(found):
        return unlike_values(expected, found)
    members = context_of_labels(context)
    likeness = compare_sequences(list(expected), list(found), members, element, has_order=False)
    return unlike_values(expected, found) if likeness.lines is None else likeness


def compare_records(expected: DecodedRecord, found: DecodedRecord, context: Context, element: Element) -> Likeness:
    """Compare two records of one class name part by part."""
    if expected.type_name != found.type_name:
        return unlike_kinds(expected, found)
    if expected.fields.keys() != found.fields.keys():
        return different("the records have other parts", Cause.VALUE)
    return compare_in_order(
        list(expected.fields.values()), [found.fields[name] for name in expected.fields], context, element
    )


def compare_crossed(
    expected: Any, found: Any, kinds: tuple[ValueKind, ValueKind], context: Context, element: Element
) -> Likeness:
    """Compare two values in different containers."""
    reasons: list[str] = []

    def readings() -> Iterator[Likeness]:
        for reading in _crossed_readings(expected, found, kinds, context, element):
            if reading.lines is None:
                reasons.append(reading.reason)
            yield reading
            if _is_mildest(reading, context):
                return

    best = context.best(readings())
    if best is not None and best.lines is not None:
        return best
    unlike = unlike_kinds(expected, found)
    if ValueKind.SCALAR in kinds or not reasons:
        return unlike
    return different(f"{unlike.reason}, and besides, {reasons[0]}", *unlike.causes)


def _is_mildest(likeness: Likeness, context: Context) -> bool:
    """Return whether no other reading of a value in another container can be milder, so that none need be tried."""
    if likeness.lines is None or context.ruling.worst(likeness.lines) != (Line.CONTAINER,):
        return False
    return context.cost(likeness) <= context.ruling.severity((Line.EXTRA,))  # the readings without CONTAINER have that


def _crossed_readings(
    expected: Any, found: Any, kinds: tuple[ValueKind, ValueKind], context: Context, element: Element
) -> Iterator[Likeness]:
    for one in flat_forms(expected, kinds[0]):
        for other in flat_forms(found, kinds[1]):
            yield _compare_flat(one, other, context, element)
    if ValueKind.SCALAR not in kinds and context.is_outermost:
        yield from unwrapped_readings(expected, found, kinds, context, element)
    if ValueKind.SCALAR not in kinds:
        yield from grid_readings(expected, found, kinds, context, element)
    if context.is_outermost:
        yield from _parts(expected, found, kinds, context, element)


def grid_readings(
    expected: Any, found: Any, kinds: tuple[ValueKind, ValueKind], context: Context, element: Element
) -> Iterator[Likeness]:
    """Yield the readings in which both sides are tables in another layout."""
    for table in grid_forms(expected, kinds[0]):
        for another in grid_forms(found, kinds[1]):
            yield compare_grids(table, another, context, element).plus(Line.CONTAINER)


def _compare_flat(expected: Flat, found: Flat, context: Context, element: Element) -> Likeness:
    if len(expected.values) != len(found.values):
        return different(f"expected {len(expected.values)} values, got {len(found.values)}", Cause.VALUE)
    labels = expected.labels, found.labels
    if all(isinstance(side, pd.Index) for side in labels) and context.options.metrictol is None:
        inner = Context(context.options, context.ruling, is_outermost=False)
        return compare_labelled(labels, (expected.values, found.values), inner, element).plus(Line.CONTAINER)
    values, theirs = _items(expected.values), _items(found.values)
    if expected.labels is not None and found.labels is not None:
        return _compare_labelled(expected, found, (values, theirs), context, element)
    has_order = expected.has_order and found.has_order
    of_values = context if has_order else context_of_labels(context)
    return compare_sequences(values, theirs, of_values, element, has_order=has_order).plus(Line.CONTAINER)


def _compare_labelled(
    expected: Flat, found: Flat, values: tuple[list[Any], list[Any]], context: Context, element: Element
) -> Likeness:
    pairs = [
        list(zip(map(_hashable, flat.labels), side, strict=True))
        for flat, side in zip((expected, found), values, strict=True)
    ]
    if all(len(dict(side)) == len(side) for side in pairs):
        inner = Context(context.options, context.ruling, is_outermost=False)
        by_label = compare_mappings(dict(pairs[0]), dict(pairs[1]), inner, element)
        is_keyed = (expected.is_keyed or found.is_keyed) and not context.options.ignore_index
        if by_label.lines is not None or is_keyed or _keys_paired(dict(pairs[0]), dict(pairs[1]), inner) is not None:
            return by_label.plus(Line.CONTAINER)
    likeness = compare_in_order(*values, context, element)
    return likeness.plus(Line.CONTAINER, Line.INDEX)


def _hashable(label: Any) -> Any:
    try:
        hash(label)
    except TypeError:
        return str(label)
    return label


def _items(values: Any) -> list[Any]:
    if isinstance(values, list):
        return values
    vector = vector_of(values)
    return [vector.item(i) for i in range(len(vector))]


def compare_as_part(
    expected: Any, found: Any, kinds: tuple[ValueKind, ValueKind], context: Context, element: Element
) -> Likeness | None:
    """Compare where the expected values may be a column of the found table, or its labels; None where they are not."""
    best = context.best(_parts(expected, found, kinds, context, element)) if context.is_outermost else None
    return None if best is None or best.lines is None else best


def _parts(
    expected: Any, found: Any, kinds: tuple[ValueKind, ValueKind], context: Context, element: Element
) -> Iterator[Likeness]:
    """Yield the readings in which the expected values are one column of the found table, or its labels."""
    if kinds[0] not in _STREAKS or kinds[1] not in (ValueKind.FRAME, ValueKind.SERIES, ValueKind.DICT):
        return
    if len(expected) != len(found) or not len(found):
        return
    if kinds[1] is ValueKind.DICT:
        flats = flat_forms(expected, kinds[0]) if kinds[0] is not ValueKind.SERIES else ()
        yield from (_compare_part(flat, list(found), context, element) for flat in flats)
        return
    yield from _columns_as_parts(expected, found, kinds, context, element)


def _columns_as_parts(
    expected: Any, found: Any, kinds: tuple[ValueKind, ValueKind], context: Context, element: Element
) -> Iterator[Likeness]:
    levels = 0 if has_plain_index(found) else found.index.nlevels
    columns = found.shape[1] if kinds[1] is ValueKind.FRAME else 0
    if columns + levels > MAX_EXTRA_COLUMNS + 1 or (kinds[1] is ValueKind.FRAME and columns < 2):
        return
    candidates = [found.iloc[:, i].array for i in range(columns)]
    candidates += [found.index.get_level_values(i).array for i in range(levels)]
    carriers: list[Any] = []
    has_labels = kinds[0] is ValueKind.SERIES and not has_plain_index(expected)
    if has_labels and expected.index.nlevels == 1:
        carriers = [each for each in candidates if _hold_the_same(expected.index.array, each, context, element)]
    labels = (Line.INDEX,) if has_labels else ()  # which stand nowhere beside the values
    for flat in flat_forms(expected, kinds[0]):
        for candidate in candidates:
            if not carriers:
                part = Flat(flat.values, has_order=flat.has_order)
                yield _compare_part(part, candidate, context, element).plus(*labels)
            for carrier in (each for each in carriers if each is not candidate):  # each value belongs to its label
                grids = (Grid((expected.index, expected)), Grid((carrier, candidate)))
                yield compare_grids(*grids, context, element).plus(Line.EXTRA)


def _hold_the_same(expected: Any, found: Any, context: Context, element: Element) -> bool:
    one, other = vector_of(expected), vector_of(found)
    straight = compare_vectors(one, other, context.within(), element, "the labels")
    return (
        straight.lines is not None or compare_permuted([(one, other, "the labels")], context, element).lines is not None
    )


def unwrapped_readings(
    expected: Any, found: Any, kinds: tuple[ValueKind, ValueKind], context: Context, element: Element
) -> Iterator[Likeness]:
    """Yield the readings in which one side is a container of one that holds what the other side is."""
    for value, other, kind, is_found in ((found, expected, kinds[1], True), (expected, found, kinds[0], False)):
        if kind in _WRAPPERS and len(value) == 1:
            (part,) = value.values() if kind is ValueKind.DICT else value
            pair = (other, part) if is_found else (part, other)
            yield element(*pair, context).plus(Line.CONTAINER)


def _compare_part(expected: Flat, candidate: Any, context: Context, element: Element) -> Likeness:
    are_vectors = not isinstance(expected.values, list) and not isinstance(candidate, list)
    if are_vectors and context.options.metrictol is None:
        one, other = vector_of(expected.values), vector_of(candidate)
        if not are_permutable(one, other, context):  # which is quickly told of columns of numbers
            return different("the values differ", Cause.VALUE)
    likeness = compare_sequences(
        _items(expected.values), _items(candidate), context, element, has_order=expected.has_order
    )
    return likeness.plus(Line.EXTRA)


__all__ = [
    "compare_as_part",
    "compare_crossed",
    "compare_mappings",
    "compare_records",
    "compare_sequences",
    "compare_sets",
    "grid_readings",
    "unwrapped_readings",
]
