"""Reading one value in several forms, so that values in different containers can be held against one another."""

import collections
import itertools
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from evaluator.inside.codec.decode.decoded import DecodedRecord, Marker, Opaque
from evaluator.inside.codec.encode.encode_plain import VIEWS
from evaluator.inside.text_enum import TextEnum

MAX_ITEMS: Final = (
    10_000_000  # of what is laid out to be compared: more is in no payload, except as the bounds of a range
)


class ValueKind(TextEnum):
    """What a value is, as far as another container is a difference."""

    SCALAR = "scalar"
    SEQUENCE = "list or tuple"
    QUEUE = "deque"
    RANGE = "range"
    VALUES = "values of a dict"
    SET = "set"
    KEYS = "keys or items of a dict"
    DICT = "dict"
    RECORD = "record"
    ARRAY = "array"
    GRID = "array of several dimensions"
    STRUCTURED = "structured array"
    INDEX = "index"
    SERIES = "Series"
    FRAME = "DataFrame"
    SPARSE = "sparse matrix"
    NOTHING = "no value"


_BY_TYPE: Final[tuple[tuple[Any, ValueKind], ...]] = (
    ((Marker, Opaque), ValueKind.NOTHING),
    (pd.DataFrame, ValueKind.FRAME),
    (pd.Series, ValueKind.SERIES),
    (pd.Index, ValueKind.INDEX),
    (pd.api.extensions.ExtensionArray, ValueKind.ARRAY),
    (dict, ValueKind.DICT),
    ((list, tuple), ValueKind.SEQUENCE),
    ((set, frozenset), ValueKind.SET),
    (range, ValueKind.RANGE),
    (collections.deque, ValueKind.QUEUE),
    ((*VIEWS["keys"], *VIEWS["items"]), ValueKind.KEYS),
    (VIEWS["values"], ValueKind.VALUES),
    (DecodedRecord, ValueKind.RECORD),
)


def kind_of(value: Any) -> ValueKind:
    """Return the kind of a value."""
    if isinstance(value, np.ndarray):
        if value.dtype.names is not None:
            return ValueKind.STRUCTURED
        return ValueKind.SCALAR if value.ndim == 0 else ValueKind.ARRAY if value.ndim == 1 else ValueKind.GRID
    for types, kind in _BY_TYPE:
        if isinstance(value, types):
            return kind
    sparse = sys.modules.get("scipy.sparse")  # no value can be of a type that was never imported
    return ValueKind.SPARSE if sparse is not None and sparse.issparse(value) else ValueKind.SCALAR


def plain_scalar(value: Any) -> Any:
    """Return what an array without dimensions holds; any other value as it is."""
    return value[()] if isinstance(value, np.ndarray) and value.ndim == 0 else value


def length_of(value: Any) -> int:
    """Return the number of elements or rows; more than `MAX_ITEMS` counts as so many."""
    try:
        return min(len(value), MAX_ITEMS + 1)
    except OverflowError:
        return MAX_ITEMS + 1


def has_plain_index(value: Any) -> bool:
    """Return whether the rows of a Series or frame are only numbered."""
    index = value.index
    if isinstance(index, pd.RangeIndex):
        return bool(index.start == 0 and index.step == 1) or len(index) == 0
    if isinstance(index, pd.MultiIndex) or not isinstance(index.dtype, np.dtype) or index.dtype.kind not in "iu":
        return len(index) == 0
    return bool(np.array_equal(index.to_numpy(), np.arange(len(index))))


def may_label(value: Any) -> bool:
    """Return whether the row labels of a Series or frame may be a column elsewhere: flags 0 and 1 have a name."""
    index = value.index
    has_name = index.name is not None and not isinstance(index, pd.RangeIndex)
    return not has_plain_index(value) or (has_name and len(index) > 0)


@dataclass(frozen=True)
class Flat:
    """Values in a row, as a list or a vector."""

    values: Any  # a list, an array, a Series' array, an Index without levels
    labels: Any = None  # of the same length, an Index or a list; None: the values are only numbered
    has_order: bool = True
    is_keyed: bool = False  # a dict's: other keys are other values, where other labels of rows are another form


def flat_forms(value: Any, kind: ValueKind) -> Iterator[Flat]:
    """Yield the ways to read a value as values in a row."""
    if kind is ValueKind.SCALAR:
        yield Flat([plain_scalar(value)])
    elif kind is ValueKind.SPARSE or length_of(value) > MAX_ITEMS:
        return
    elif kind in (ValueKind.SEQUENCE, ValueKind.QUEUE, ValueKind.RANGE, ValueKind.VALUES):
        yield Flat(list(value))
    elif kind in (ValueKind.SET, ValueKind.KEYS):
        yield Flat(list(value), has_order=False)
    elif kind is ValueKind.ARRAY:
        yield Flat(value)
    elif kind is ValueKind.GRID:
        if max(value.shape, default=0) == value.size:
            yield Flat(value.reshape(-1))
    elif kind is ValueKind.INDEX:
        yield Flat(list(value) if isinstance(value, pd.MultiIndex) else value.array)
    elif kind is ValueKind.DICT:
        yield Flat(list(value.values()), list(value), is_keyed=True)
    elif kind is ValueKind.SERIES:
        yield Flat(value.array, _labels(value))
    elif kind is ValueKind.FRAME:
        yield from _flat_frames(value)


def _labels(value: Any) -> pd.Index | None:
    return None if has_plain_index(value) else value.index


def _flat_frames(frame: pd.DataFrame) -> Iterator[Flat]:
    if frame.shape[1] == 1:
        yield Flat(frame.iloc[:, 0].array, _labels(frame))
    if frame.shape[0] == 1 and frame.shape[1] > 1:
        yield Flat([frame.iloc[0, i] for i in range(frame.shape[1])], list(frame.columns))


@dataclass(frozen=True)
class Grid:
    """Columns of one length."""

    columns: tuple[Any, ...]  # lists, arrays, indexes
    names: tuple[Any, ...] | None = None  # of the columns; None: they are only numbered
    levels: int = 0  # how many leading columns are levels of an index, whose names do not count
    labels: pd.Index | None = None  # of its rows, where this reading leaves them out
    has_order: bool = True  # of the rows


def grid_forms(value: Any, kind: ValueKind) -> Iterator[Grid]:
    """Yield the ways to read a value as a table."""
    if kind is ValueKind.FRAME:
        columns = [value.iloc[:, i] for i in range(value.shape[1])]
        yield from _with_index(value, columns, tuple(value.columns))
    elif kind is ValueKind.SERIES:
        yield from _with_index(value, [value], (value.name,))
    elif kind is ValueKind.INDEX and isinstance(value, pd.MultiIndex):
        yield Grid(tuple(value.get_level_values(i) for i in range(value.nlevels)))
    elif kind is ValueKind.GRID and value.ndim == 2:
        yield Grid(tuple(value[:, i] for i in range(value.shape[1])))
    elif kind is ValueKind.STRUCTURED and value.ndim == 1:
        yield Grid(tuple(value[name] for name in value.dtype.names), tuple(value.dtype.names))
    elif kind is ValueKind.SPARSE and value.shape[0] * value.shape[1] <= MAX_ITEMS:
        yield from grid_forms(np.asarray(value.todense()), ValueKind.GRID)
    elif kind is ValueKind.DICT:
        yield from _dict_grids(value)
    elif kind in (
        ValueKind.SEQUENCE,
        ValueKind.ARRAY,
        ValueKind.SET,
        ValueKind.KEYS,
        ValueKind.QUEUE,
        ValueKind.VALUES,
    ):
        yield from _row_grids(list(value), has_order=kind not in (ValueKind.SET, ValueKind.KEYS))


def _with_index(table: Any, columns: list[Any], names: tuple[Any, ...]) -> Iterator[Grid]:
    is_plain = has_plain_index(table)
    yield Grid(tuple(columns), names, labels=None if is_plain else table.index)
    if may_label(table):
        index = table.index
        levels = [index.get_level_values(i) for i in range(index.nlevels)]
        yield Grid((*levels, *columns), (*index.names, *names), levels=len(levels))


def _dict_grids(value: Mapping[Any, Any]) -> Iterator[Grid]:
    items = list(value.values())
    kinds = {kind_of(item) for item in items}
    if not kinds:
        return
    if kinds == {ValueKind.DICT}:
        labels = list(items[0])
        if all(list(item) == labels for item in items[1:]):
            rows = [[item[label] for label in labels] for item in items]
            yield Grid((labels, *rows), (None, *value), levels=1)
            yield Grid(tuple(rows), tuple(value))
            yield Grid((list(value), *map(list, zip(*rows, strict=True))), (None, *labels), levels=1)
    elif (
        kinds <= {ValueKind.SEQUENCE, ValueKind.ARRAY, ValueKind.SERIES, ValueKind.INDEX}
        and len({len(item) for item in items}) == 1
    ):
        yield Grid(tuple(items), tuple(value))
        yield from _keyed_rows(value)
    if ValueKind.DICT not in kinds:
        yield Grid((list(value), items), (None, None), levels=1)


def _keyed_rows(value: Mapping[Any, Any]) -> Iterator[Grid]:
    rows = [list(item) for item in value.values()]
    yield Grid((list(value), *map(list, zip(*rows, strict=True))), None, levels=1)


def _row_grids(rows: list[Any], *, has_order: bool) -> Iterator[Grid]:
    if not rows:
        return
    if all(isinstance(row, dict) for row in rows):
        names = list(dict.fromkeys(itertools.chain.from_iterable(rows)))
        if all(len(row) == len(names) for row in rows):
            yield Grid(tuple([row[name] for row in rows] for name in names), tuple(names), has_order=has_order)
        return
    if all(isinstance(row, (list, tuple)) for row in rows) and len({len(row) for row in rows}) == 1:
        yield Grid(tuple(map(list, zip(*rows, strict=True))), has_order=has_order)
    elif all(isinstance(row, (np.ndarray, pd.Series)) and row.shape == rows[0].shape and row.ndim == 1 for row in rows):
        yield Grid(tuple([row.tolist()[i] for row in rows] for i in range(len(rows[0]))), has_order=has_order)
