"""Columns, indexes and flat arrays of every kind as plain vectors: what they hold, and which of it is missing."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evaluator.inside.codec.encode.encode_pandas import PLAIN_ARRAY
from evaluator.inside.compare.equality.scalars import (
    is_duration,
    is_missing,
    is_moment,
    is_number,
    is_truth,
    plain_number,
)
from evaluator.inside.text_enum import TextEnum

Array = NDArray[Any]
_MASKED: Final = (pd.arrays.IntegerArray, pd.arrays.FloatingArray, pd.arrays.BooleanArray)
_EXACT_FLOAT: Final = 1 << 53  # up to it every integer is a float of the same value
_NUMPY_KINDS: Final = {"b": "truth", "i": "number", "u": "number", "f": "number", "c": "number", "U": "text"}


class Holds(TextEnum):
    """What the values of a vector are."""

    NUMBER = "number"
    TRUTH = "truth"
    TEXT = "text"
    MOMENT = "moment"
    DURATION = "duration"
    OBJECT = "object"


@dataclass(frozen=True)
class Vector:
    """Values in a row. Where one is missing, what stands in `values` means nothing."""

    holds: Holds
    values: Array  # of numbers, truth values or objects (texts are objects); times are datetime64 or timedelta64
    missing: NDArray[np.bool_]
    dtype: str  # as the library calls it, to tell dtypes apart
    zone: Any = None  # of moments in UTC
    gaps: frozenset[str] = frozenset()  # the types of missing values, where the dtype does not tell them

    def __len__(self) -> int:
        return len(self.missing)

    def take(self, places: Array) -> "Vector":
        """Return the values at these places."""
        return Vector(self.holds, self.values[places], self.missing[places], self.dtype, self.zone, self.gaps)

    def item(self, place: int) -> Any:
        """Return one value as a scalar; None for a missing one."""
        if self.missing[place]:
            return None
        value = self.values[place]
        if self.holds is Holds.MOMENT:
            moment = pd.Timestamp(value)
            return moment if self.zone is None else moment.tz_localize("UTC").tz_convert(self.zone)
        if self.holds is Holds.DURATION:
            return value if _is_generic(self.values) else pd.Timedelta(value)
        return value.item() if isinstance(value, np.generic) and value.dtype.kind in "biuf" else value

    @property
    def is_whole(self) -> bool:
        """Whether its numbers are integers."""
        return self.values.dtype.kind in "iu" or (self.values.dtype == object and self.holds is Holds.NUMBER)


def _is_generic(values: Array) -> bool:
    return np.datetime_data(values.dtype)[0] in ("generic", "Y", "M")


def vector_of(values: Any) -> Vector:
    """Return a Series, an Index but no MultiIndex, an array of one dimension or a list as a vector."""
    if isinstance(values, (pd.Series, pd.Index)):
        values = values.array
    if isinstance(values, (list, tuple)):
        return _of_objects(list(values), "object")
    if isinstance(values, np.ndarray):
        return _of_array(values)
    return _of_extension(values)


def _of_array(values: Array) -> Vector:
    name = str(values.dtype)
    if isinstance(values, np.ma.MaskedArray):
        vector = _of_array(np.asarray(np.ma.getdata(values)))
        return Vector(vector.holds, vector.values, vector.missing | np.ma.getmaskarray(values), name, vector.zone)
    kind = values.dtype.kind
    if kind in "mM":
        if np.datetime_data(values.dtype)[0] == "generic":
            return _of_objects(list(values), name)
        return Vector(Holds.MOMENT if kind == "M" else Holds.DURATION, values, np.isnat(values), name)
    if kind in _NUMPY_KINDS:
        missing = np.isnan(values) if kind in "fc" else np.zeros(len(values), np.bool_)
        return Vector(Holds(_NUMPY_KINDS[kind]), values.astype(object) if kind == "U" else values, missing, name)
    return _of_objects(values.tolist() if kind != "V" else list(values), name)


def _of_extension(values: Any) -> Vector:
    name = str(values.dtype)
    if isinstance(values, PLAIN_ARRAY):
        return _of_array(np.asarray(values.to_numpy()))
    if isinstance(values, pd.Categorical):
        return _of_categories(values)
    if isinstance(values, _MASKED):
        missing = np.asarray(values.isna())
        plain = values.to_numpy(dtype=values.dtype.numpy_dtype, na_value=values.dtype.type(0))
        vector = _of_array(np.asarray(plain))
        return Vector(vector.holds, vector.values, vector.missing | missing, name)
    if isinstance(values, pd.arrays.DatetimeArray):
        plain = values if values.tz is None else values.tz_convert("UTC").tz_localize(None)
        moments = np.asarray(plain._ndarray)
        return Vector(Holds.MOMENT, moments, np.isnat(moments), name, values.tz)
    if isinstance(values, pd.arrays.TimedeltaArray):
        return _of_array(np.asarray(values._ndarray))
    if isinstance(values, pd.arrays.SparseArray):
        vector = _of_array(np.asarray(values))
        return Vector(vector.holds, vector.values, vector.missing, name)
    return _of_objects(list(values.to_numpy(dtype=object, na_value=None)), name)


def _of_categories(values: Any) -> Vector:
    kinds = vector_of(values.categories)
    codes = np.asarray(values.codes)
    name = f"category of {kinds.dtype}"
    if not len(kinds):
        return Vector(Holds.OBJECT, np.full(len(codes), None, dtype=object), np.ones(len(codes), np.bool_), name)
    one = kinds.take(np.where(codes < 0, 0, codes))
    return Vector(one.holds, one.values, one.missing | (codes < 0), name, one.zone)


def _of_objects(items: list[Any], name: str) -> Vector:
    """Return objects as what they all are; mixed ones stay objects."""
    if not frozenset(map(type, items)) <= {str, int, bool, bytes}:
        missing = np.fromiter(map(is_missing, items), np.bool_, len(items))
    else:
        missing = np.zeros(len(items), np.bool_)
    present = [item for item, gone in zip(items, missing, strict=True) if not gone] if missing.any() else items
    gaps = frozenset(type(item).__name__ for item, gone in zip(items, missing, strict=True) if gone)
    for holds, is_kind, convert in _CONVERSIONS:
        if present and all(map(is_kind, present)):
            vector = _converted(holds, present, convert, name)
            if vector is not None:
                return vector if len(present) == len(items) else _spread(vector, ~missing, gaps)
    values = np.empty(len(items), dtype=object)
    values[:] = items
    return Vector(Holds.OBJECT, values, missing, name, None, gaps)


def _converted(holds: Holds, items: list[Any], convert: Callable[[list[Any]], Any], name: str) -> Vector | None:
    try:
        converted = convert(items)
    except (TypeError, ValueError, OverflowError, ArithmeticError):
        return None
    if converted is None:
        return None
    values, zone = converted
    return Vector(holds, values, np.zeros(len(items), np.bool_), name, zone)


def _spread(vector: Vector, places: NDArray[np.bool_], gaps: frozenset[str]) -> Vector:
    """Return a vector with its values at these places and nothing elsewhere."""
    values = np.zeros(len(places), dtype=vector.values.dtype)
    values[places] = vector.values
    return Vector(vector.holds, values, ~places, vector.dtype, vector.zone, gaps)


def _truths(items: list[Any]) -> tuple[Array, Any]:
    return np.array([bool(item) for item in items], dtype=np.bool_), None


def _numbers(items: list[Any]) -> tuple[Array, Any] | None:
    types = frozenset(map(type, items))
    if len(types) == 1 and issubclass(next(iter(types)), np.floating):
        return np.array(items), None  # with the precision that they have
    plain = [plain_number(item) for item in items]
    kinds = frozenset(map(type, plain))
    if kinds == {int}:
        try:
            return np.array(plain, dtype=np.int64), None
        except OverflowError:
            values = np.empty(len(plain), dtype=object)
            values[:] = plain
            return values, None
    if any(isinstance(number, int) and abs(number) > _EXACT_FLOAT for number in plain):
        return None  # as floats they would not be what they are
    if complex in kinds:
        return np.array([complex(number) for number in plain], dtype=np.complex128), None
    return np.array([float(number) for number in plain], dtype=np.float64), None


def _texts(items: list[Any]) -> tuple[Array, Any]:
    values = np.empty(len(items), dtype=object)
    values[:] = [str(item) for item in items]
    return values, None


def _moments(items: list[Any]) -> tuple[Array, Any] | None:
    stamps = [pd.Timestamp(item) for item in items]
    zones = {str(stamp.tz) for stamp in stamps}
    if len(zones) != 1:
        return None  # each is compared for itself
    zone = stamps[0].tz
    plain = [stamp if zone is None else stamp.tz_convert("UTC").tz_localize(None) for stamp in stamps]
    units = [stamp.unit for stamp in plain]
    unit = max(units, key=("s", "ms", "us", "ns").index)
    return np.array([stamp.to_datetime64() for stamp in plain], dtype=f"M8[{unit}]"), zone


def _durations(items: list[Any]) -> tuple[Array, Any]:
    lengths = [pd.Timedelta(item) for item in items]
    unit = max((length.unit for length in lengths), key=("s", "ms", "us", "ns").index)
    return np.array([length.to_timedelta64() for length in lengths], dtype=f"m8[{unit}]"), None


_CONVERSIONS: Final = (
    (Holds.TEXT, lambda item: isinstance(item, str), _texts),
    (Holds.NUMBER, is_number, _numbers),
    (Holds.TRUTH, is_truth, _truths),
    (Holds.MOMENT, is_moment, _moments),
    (Holds.DURATION, is_duration, _durations),
)
