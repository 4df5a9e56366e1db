"""An order of any decoded values that does not depend on how they came."""

import datetime as dt
import itertools
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import IntEnum
from fractions import Fraction
from typing import Any, Final

import numpy as np
import pandas as pd

from evaluator.inside.compare.equality.likeness import Context
from evaluator.inside.compare.equality.lines import Judgement, Line
from evaluator.inside.compare.equality.scalars import is_close, is_duration, is_missing, is_truth, plain_number

_ENOUGH: Final = 8.0  # times the narrower type's precision
_DOUBLED: Final = 2.0  # so that two values within the tolerance share a rank whatever lies between them
_REAL: Final = (int, float, np.number, Decimal, Fraction)


class _Rank(IntEnum):
    """The kinds of values in the order in which they are sorted."""

    TRUTH = 0
    NUMBER = 1
    TEXT = 2
    BYTES = 3
    SEQUENCE = 4
    MAPPING = 5
    SET = 6
    MOMENT = 7
    DURATION = 8
    OTHER = 9
    MISSING = 10


_BY_TYPE: Final = (
    (str, _Rank.TEXT),
    (bytes, _Rank.BYTES),
    ((list, tuple), _Rank.SEQUENCE),
    (dict, _Rank.MAPPING),
    ((set, frozenset), _Rank.SET),
)


_TAKEN_FOR: Final[Mapping[Line, frozenset[_Rank]]] = {
    Line.TRUTH_FOR_NUMBER: frozenset({_Rank.TRUTH, _Rank.NUMBER}),
    Line.TEXT_FOR_NUMBER: frozenset({_Rank.TEXT, _Rank.NUMBER}),
    Line.DURATION_FOR_NUMBER: frozenset({_Rank.DURATION, _Rank.NUMBER}),
    Line.TIME_WITHOUT_ZONE: frozenset({_Rank.MOMENT}),
}
"""Values of which kinds may be alike under two ranks, where an option makes a line right."""


def order_key(value: Any) -> tuple[Any, ...]:
    """Return a key that orders any decoded values: numbers among numbers, the rest by type and text, gaps last."""
    rank = _rank_of(value)
    if rank is _Rank.SEQUENCE:
        return (rank, tuple(map(order_key, value)))
    if rank is _Rank.MAPPING:
        return (rank, tuple(sorted((order_key(key), order_key(part)) for key, part in value.items())))
    if rank is _Rank.SET:
        return (rank, tuple(sorted(map(order_key, value))))
    return _scalar_key(value, rank)


def _scalar_key(value: Any, rank: _Rank) -> tuple[Any, ...]:
    if rank is _Rank.MISSING:
        return (rank,)
    if rank is _Rank.NUMBER:
        return (rank, plain_number(value))
    if rank in (_Rank.MOMENT, _Rank.DURATION):
        try:
            return (rank, *_time_key(value, rank))
        except (ValueError, OverflowError):  # beyond what pandas holds, months and years
            rank = _Rank.OTHER
    return (rank, type(value).__name__, str(value)) if rank is _Rank.OTHER else (rank, value)


def _time_key(value: Any, rank: _Rank) -> tuple[Any, ...]:
    if rank is _Rank.DURATION:
        return (pd.Timedelta(value),)
    moment = pd.Timestamp(value)
    return (moment.tz is not None, moment)


def _rank_of(value: Any) -> _Rank:
    if is_missing(value):
        return _Rank.MISSING
    for types, rank in _BY_TYPE:
        if isinstance(value, types):
            return rank
    if is_truth(value):
        return _Rank.TRUTH
    if is_duration(value):
        return _Rank.DURATION
    if isinstance(value, (dt.date, np.datetime64)):
        return _Rank.MOMENT
    is_real = isinstance(value, _REAL) and not isinstance(value, np.complexfloating)
    return _Rank.NUMBER if is_real else _Rank.OTHER


@dataclass(frozen=True)
class _Grain:
    """What values are told apart by."""

    rtol: float
    atol: float
    joins_integers: bool  # within the tolerance, too
    has_order: bool  # of the parts of lists


@dataclass(frozen=True)
class CommonOrder:
    """The elements of two lists in an order that rounding does not change."""

    places: tuple[list[int], list[int]]  # where the elements stand in the expected and in the found list
    groups: tuple[list[int], list[int]]  # the rank of each, in that order: elements that are alike share one

    def runs(self) -> Iterator[slice]:
        """Yield the stretches of elements of one rank; only where both sides have the same ranks."""
        start = 0
        for _, members in itertools.groupby(self.groups[0]):
            stop = start + sum(1 for _ in members)
            yield slice(start, stop)
            start = stop


def order_together(expected: Sequence[Any], found: Sequence[Any], context: Context) -> CommonOrder:
    """Sort the elements of two lists, those within the tolerance beside one another.

    Args:
        expected: Of the reference.
        found: Of the submission.
        context: With `deep`, the elements of inner lists have no order either.
    """
    options = context.options
    pooled = [*expected, *found]
    joins = bool(options.tolerances_set)
    loose = _ranks(pooled, _Grain(options.rtol, options.atol, joins, has_order=not options.deep))
    exact = _ranks(pooled, _Grain(0.0, 0.0, joins_integers=True, has_order=not options.deep))
    keys = list(zip(loose, exact, strict=True))
    sides = keys[: len(expected)], keys[len(expected) :]
    one, other = (sorted(range(len(side)), key=side.__getitem__) for side in sides)
    return CommonOrder((one, other), ([sides[0][i][0] for i in one], [sides[1][i][0] for i in other]))


def _ranks(values: Sequence[Any], grain: _Grain) -> list[int]:
    """Number values by their order; those that may be alike get one number."""
    kinds = [_rank_of(value) for value in values]
    ranks = [0] * len(values)
    first = 0
    for kind in sorted({*kinds}):
        places = [i for i, other in enumerate(kinds) if other is kind]
        own = _RANKINGS.get(kind, _scalar_ranks)([values[i] for i in places], grain)
        for place, rank in zip(places, own, strict=True):
            ranks[place] = first + rank
        first += max(own) + 1
    return ranks


def _numbered(keys: Sequence[Hashable]) -> list[int]:
    order = {key: rank for rank, key in enumerate(sorted({*keys}))}  # pyrefly: ignore[bad-specialization]
    return [order[key] for key in keys]


def _scalar_ranks(values: Sequence[Any], _: _Grain) -> list[int]:
    return _numbered([_scalar_key(value, _rank_of(value)) for value in values])


def _number_ranks(values: Sequence[Any], grain: _Grain) -> list[int]:
    numbers = [plain_number(value) for value in values]
    rtol = max(grain.rtol, *map(_precision, {*map(type, values)})) if grain.rtol or grain.atol else 0.0
    order = sorted(range(len(numbers)), key=numbers.__getitem__)
    ranks = [0] * len(numbers)
    for before, place in itertools.pairwise(order):
        joined = _may_be_near(numbers[before], numbers[place], rtol, grain)
        ranks[place] = ranks[before] + (not joined)
    return ranks


def _may_be_near(lower: Any, higher: Any, rtol: float, grain: _Grain) -> bool:
    if lower == higher or (isinstance(lower, int) and isinstance(higher, int) and not grain.joins_integers):
        return bool(lower == higher)
    largest = max(lower, higher, key=abs)
    other = lower if largest is higher else higher
    return is_close(largest, other, rtol=_DOUBLED * rtol, atol=_DOUBLED * grain.atol)


def _precision(kind: type) -> float:
    return float(np.finfo(kind).eps * _ENOUGH) if issubclass(kind, (np.float16, np.float32)) else 0.0


def _sequence_ranks(values: Sequence[Any], grain: _Grain) -> list[int]:
    parts = _parts_ranked(list(map(list, values)), grain)
    return _numbered([tuple(ranks if grain.has_order else sorted(ranks)) for ranks in parts])


def _set_ranks(values: Sequence[Any], grain: _Grain) -> list[int]:
    return _numbered([tuple(sorted(ranks)) for ranks in _parts_ranked(list(map(list, values)), grain)])


def _mapping_ranks(values: Sequence[Mapping[Any, Any]], grain: _Grain) -> list[int]:
    keys = _parts_ranked([list(value.keys()) for value in values], grain)
    parts = _parts_ranked([list(value.values()) for value in values], grain)
    return _numbered([tuple(sorted(zip(*pair, strict=True))) for pair in zip(keys, parts, strict=True)])


def _parts_ranked(values: Sequence[list[Any]], grain: _Grain) -> list[list[int]]:
    """Rank the parts of all values together: the cost grows with their number alone, however deep they lie."""
    ranks = iter(_ranks(list(itertools.chain.from_iterable(values)), grain))
    return [list(itertools.islice(ranks, len(value))) for value in values]


_RANKINGS: Final[Mapping[_Rank, Callable[[Sequence[Any], _Grain], list[int]]]] = {
    _Rank.NUMBER: _number_ranks,
    _Rank.SEQUENCE: _sequence_ranks,
    _Rank.MAPPING: _mapping_ranks,
    _Rank.SET: _set_ranks,
}


def ranks_decide(expected: Sequence[Any], found: Sequence[Any], context: Context) -> bool:
    """Return whether elements of two ranks can by no option be alike: then there is no need to try each with each."""
    kinds, theirs = ({*_kinds_within(side, 0)} for side in (expected, found))
    ranks = {rank for _, rank in kinds}
    if kinds != theirs or _Rank.OTHER in ranks or context.options.metrictol is not None:
        return False
    if context.options.deep and _Rank.MAPPING in ranks:
        return False  # which may hold surplus entries
    loosened = [line for line in _TAKEN_FOR if context.ruling.judged[line] is not Judgement.WRONG]
    return not any(_TAKEN_FOR[line] <= ranks for line in loosened)


def _kinds_within(values: Sequence[Any], depth: int) -> Iterator[tuple[int, _Rank]]:
    """Yield the kinds of values and of their parts, each with its depth."""
    parts: list[Any] = []
    for value in values:
        rank = _rank_of(value)
        yield depth, rank
        if rank is _Rank.MAPPING:
            parts += [*value.keys(), *value.values()]
        elif rank in (_Rank.SEQUENCE, _Rank.SET):
            parts += value
    if parts:
        yield from _kinds_within(parts, depth + 1)
