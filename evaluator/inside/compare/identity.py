"""Whether two decoded values are the same down to their types, and whether a value can be compared at all.

An identical value matches under every option of the sound rules: a reference accepts itself by construction.
"""

import datetime as dt
import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePath
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evaluator.inside.codec.decode.decoded import DecodedRecord, Marker, Opaque
from evaluator.inside.codec.encode.encode_pandas import PLAIN_ARRAY
from evaluator.inside.codec.encode.encode_plain import VIEWS

_VIEWS: Final = tuple(kind for kinds in VIEWS.values() for kind in kinds)
_FINDS_NO_LABELS: Final = int(pd.__version__.split(".")[0]) >= 3  # before, `items` looks each of them up
PLAIN: Final = frozenset({bool, int, float, str, bytes, type(None)})  # types without parts whose `==` is harmless


def columns_of(frame: pd.DataFrame) -> list[pd.Series]:
    """Return the columns of a table, whatever its labels are."""
    if _FINDS_NO_LABELS:
        return [column for _, column in frame.items()]  # in a third of the time
    return [frame.iloc[:, place] for place in range(frame.shape[1])]


def find_incomparable(value: Any) -> Marker | Opaque | None:
    """Return the first part of `value` that equals nothing (opaque, over limit, failed, absent), or None."""
    return _find(value, (Marker, Opaque))


def find_marker(value: Any) -> Marker | None:
    """Return the first part of `value` that is no value at all (over limit, failed, absent), or None."""
    found = _find(value, (Marker,))
    return found if isinstance(found, Marker) else None


def _find(value: Any, kinds: tuple[type, ...]) -> Marker | Opaque | None:
    pending: list[Any] = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, kinds):
            assert isinstance(item, (Marker, Opaque))
            return item
        parts = _parts(item)
        if not frozenset(map(type, parts)) <= PLAIN:
            pending.extend(parts)
    return None


def _parts(item: Any) -> list[Any]:
    if isinstance(item, (list, tuple, set, frozenset, deque)):
        return list(item)
    if isinstance(item, DecodedRecord):
        return list(item.fields.values())
    if isinstance(item, _VIEWS):
        return list(item)
    if isinstance(item, slice):
        return [item.start, item.stop, item.step]
    if isinstance(item, dict):
        return [*item.keys(), *item.values()]
    if isinstance(item, np.ndarray) and item.dtype.hasobject:
        return _flat(np.ma.getdata(item))
    if isinstance(item, pd.DataFrame):
        return [item.index, item.columns, *(column.array for column in columns_of(item))]
    if isinstance(item, pd.Series):
        return [item.index, item.array, item.name]
    if isinstance(item, pd.MultiIndex):
        return [*item.levels, *item.names]
    if isinstance(item, pd.Index):
        return [item.array, item.name]
    return _array_parts(item)


def _array_parts(item: Any) -> list[Any]:
    if isinstance(item, PLAIN_ARRAY):
        return _parts(item.to_numpy())
    if isinstance(item, (pd.Categorical, pd.CategoricalDtype)):
        return [item.categories]
    return []


def identical(one: Any, other: Any) -> bool:
    """Return whether two values are equal with equal types; NaN equals NaN, an unknown type equals nothing."""
    if type(one) is not type(other):
        return False
    for kind, check in _CHECKS:
        if isinstance(one, kind):
            return check(one, other)
    return False


def canonical(value: Any) -> Any:
    """Return a hashable stand-in for a dict key or set element that is equal for equal values only.

    True and 1 differ, 1 and 1.0 do not, NaN equals NaN.
    """
    if type(value) is str:
        return value
    if isinstance(value, (bool, np.bool_)):
        return ("bool", bool(value))
    if isinstance(value, (tuple, frozenset)):
        parts = [canonical(part) for part in value]
        return (type(value).__name__, tuple(parts) if isinstance(value, tuple) else frozenset(parts))
    if value is pd.NaT or value is pd.NA:
        return ("missing", str(value))
    if isinstance(value, dt.datetime) and value.tzinfo is not None:
        return ("moment", value, str(value.tzinfo))  # the same instant in two time zones is not the same value
    return ("nan",) if _is_nan(value) else value


def _is_nan(value: Any) -> bool:
    if isinstance(value, Decimal):
        return value.is_nan()
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    return isinstance(value, (float, complex, np.inexact)) and bool(value != value)


def _sequences(one: Any, other: Any) -> bool:
    """Compare element by element; NaN is the one plain value that differs from itself."""
    if len(one) != len(other):
        return False
    kinds = list(map(type, one))
    if kinds != list(map(type, other)):
        return False
    if frozenset(kinds) <= PLAIN:
        return bool(one == other) or all(a == b or (a != a and b != b) for a, b in zip(one, other, strict=True))
    return all(identical(a, b) for a, b in zip(one, other, strict=True))


def _mappings(one: Mapping[Any, Any], other: Mapping[Any, Any]) -> bool:
    return _sequences(list(one), list(other)) and _sequences(list(one.values()), list(other.values()))


def _sets(one: Iterable[Any], other: Iterable[Any]) -> bool:
    kept = {(type(item).__name__, canonical(item)) for item in one}
    return kept == {(type(item).__name__, canonical(item)) for item in other}


def _arrays(one: NDArray[Any], other: NDArray[Any]) -> bool:
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    if isinstance(one, np.ma.MaskedArray):
        same_mask = _arrays(np.ma.getmaskarray(one), np.ma.getmaskarray(other))
        return same_mask and _arrays(np.ma.getdata(one), np.ma.getdata(other))
    if one.dtype.hasobject:
        return _sequences(_flat(one), _flat(other))
    left, right = np.ascontiguousarray(one), np.ascontiguousarray(other)
    return bool(np.array_equal(left.reshape(-1).view(np.uint8), right.reshape(-1).view(np.uint8)))


def _flat(array: NDArray[Any]) -> list[Any]:
    return list(array.reshape(-1)) if array.dtype.kind == "O" else list(array.reshape(-1).tolist())


def _extension_arrays(one: Any, other: Any) -> bool:
    if one.dtype != other.dtype or len(one) != len(other):
        return False
    if isinstance(one, pd.Categorical):
        return identical(one.categories, other.categories) and _arrays(np.asarray(one.codes), np.asarray(other.codes))
    if isinstance(one, PLAIN_ARRAY):
        return _arrays(one.to_numpy(), other.to_numpy())
    return bool(one.equals(other))


def _indexes(one: Any, other: Any) -> bool:
    if not _sequences(list(one.names), list(other.names)):
        return False
    if isinstance(one, pd.MultiIndex):
        return one.nlevels == other.nlevels and all(
            identical(one.get_level_values(i), other.get_level_values(i)) for i in range(one.nlevels)
        )
    return getattr(one, "freq", None) == getattr(other, "freq", None) and identical(one.array, other.array)


def _series(one: pd.Series, other: pd.Series) -> bool:
    return identical(one.name, other.name) and identical(one.index, other.index) and identical(one.array, other.array)


def _frames(one: pd.DataFrame, other: pd.DataFrame) -> bool:
    return (
        one.shape == other.shape
        and identical(one.columns, other.columns)
        and identical(one.index, other.index)
        and all(identical(a.array, b.array) for a, b in zip(columns_of(one), columns_of(other), strict=True))
    )


def _scalars(one: Any, other: Any) -> bool:
    if one is pd.NaT or one is pd.NA:
        return one is other
    if isinstance(one, dt.datetime) and str(one.tzinfo) != str(other.tzinfo):
        return False  # the same instant told in another time zone
    return (_is_nan(one) and _is_nan(other)) or bool(one == other)


_CHECKS: Final[tuple[tuple[Any, Callable[[Any, Any], bool]], ...]] = (
    ((Marker, Opaque), lambda _one, _other: False),
    ((list, tuple, deque), _sequences),
    (_VIEWS, lambda one, other: _sequences(list(one), list(other))),
    (DecodedRecord, lambda one, other: one.type_name == other.type_name and _mappings(one.fields, other.fields)),
    (dict, _mappings),
    ((set, frozenset), _sets),
    (np.ndarray, _arrays),
    (pd.DataFrame, _frames),
    (pd.Series, _series),
    (pd.Index, _indexes),
    (pd.api.extensions.ExtensionArray, _extension_arrays),
    ((type(None), bool, int, float, complex, str, bytes, bytearray, Decimal, np.generic), _scalars),
    ((type(pd.NaT), type(pd.NA), pd.Timestamp, pd.Timedelta, pd.Period, pd.Interval), _scalars),
    ((dt.date, dt.time, dt.timedelta, dt.tzinfo, Fraction, range, re.Pattern, PurePath), _scalars),
    (slice, lambda one, other: _sequences(_parts(one), _parts(other))),
    ((np.dtype, pd.api.extensions.ExtensionDtype, pd.offsets.BaseOffset), _scalars),
)
