"""Readers of pandas' types."""

# ruff: noqa: ARG001  # every reader has the same signature

import contextlib
from typing import Any, Final

import numpy as np
import pandas as pd
from pandas.tseries.frequencies import to_offset

from evaluator.inside.codec.decode.decode_arrow import read_arrow_type
from evaluator.inside.codec.decode.decode_plain import read_zone
from evaluator.inside.codec.decode.decoded import Opaque
from evaluator.inside.codec.decode.decoder import BadPayload, Decoder, reads
from evaluator.inside.codec.encode.encode_pandas import MASKED_DTYPES, MAX_ROWS, MAX_SPARSE, PLAIN_ARRAY, STAND_IN

_UNITS: Final = ("s", "ms", "us", "ns")
_MISSING: Final = ("NA", "nan")


def _unit(item: Any) -> str:
    if item not in _UNITS:
        raise BadPayload("no unit of time")
    return str(item)


def _array_of(decoder: Decoder, node: Any) -> Any:
    """Return a one-dimensional array of NumPy or pandas."""
    value = decoder.value(node)
    is_array = type(value) is np.ndarray and value.ndim == 1
    if not is_array and not isinstance(value, pd.api.extensions.ExtensionArray):
        raise BadPayload("no column")
    return value


def _index_of(decoder: Decoder, node: Any) -> Any:
    value = decoder.value(node)
    if not isinstance(value, pd.Index):
        raise BadPayload("no index")
    return value


@reads("nat", 0)
def _nat(decoder: Decoder) -> Any:
    return pd.NaT


@reads("na", 0)
def _na(decoder: Decoder) -> Any:
    return pd.NA


@reads("ts", 4)
def _timestamp(decoder: Decoder, value: Any, unit: Any, zone: Any, fold: Any) -> Any:
    moment = np.array([decoder.number(value)], f"M8[{_unit(unit)}]")
    place = read_zone(decoder, zone)
    stamp = pd.Timestamp(moment[0]) if place is None else pd.DatetimeIndex(moment, tz="UTC").tz_convert(place)[0]
    return stamp.replace(fold=1) if fold == 1 and stamp.fold != 1 else stamp


@reads("ptd", 2)
def _timedelta(decoder: Decoder, value: Any, unit: Any) -> Any:
    return pd.Timedelta(np.array([decoder.number(value)], f"m8[{_unit(unit)}]")[0])


@reads("period", 2)
def _period(decoder: Decoder, ordinal: Any, frequency: Any) -> Any:
    return pd.Period(ordinal=decoder.number(ordinal), freq=decoder.string(frequency, longest=60))


@reads("offset", 1)
def _offset(decoder: Decoder, alias: Any) -> Any:
    return to_offset(decoder.string(alias, longest=60))


@reads("interval", 3)
def _interval(decoder: Decoder, left: Any, right: Any, closed: Any) -> Any:
    return pd.Interval(decoder.value(left), decoder.value(right), closed=decoder.string(closed, longest=10))


@reads("pdt", 1)
def _pandas_dtype(decoder: Decoder, parts: Any) -> Any:
    kind, *rest = decoder.items(parts)
    return _read_pandas_dtype(decoder, kind, *rest)


def _read_pandas_dtype(decoder: Decoder, kind: Any, *parts: Any) -> Any:
    if kind == "masked" and len(parts) == 1 and parts[0] in MASKED_DTYPES:
        return pd.api.types.pandas_dtype(parts[0])
    if kind == "string" and len(parts) == 2:
        return _string_dtype(*parts)
    if kind == "category" and len(parts) == 2:
        return pd.CategoricalDtype(decoder.value(parts[0]), ordered=parts[1])
    if kind == "datetimetz" and len(parts) == 2:
        return pd.DatetimeTZDtype(_unit(parts[0]), read_zone(decoder, parts[1]))
    if kind == "period" and len(parts) == 1:
        return pd.PeriodDtype(decoder.string(parts[0], longest=60))
    if kind == "interval" and len(parts) == 2:
        return pd.IntervalDtype(decoder.value(parts[0]), closed=parts[1])
    if kind == "sparse" and len(parts) == 2:
        return pd.SparseDtype(decoder.value(parts[0]), decoder.value(parts[1]))
    if kind == "arrow" and len(parts) == 1:
        return pd.ArrowDtype(read_arrow_type(parts[0]))
    raise BadPayload("no pandas dtype")


def _string_dtype(storage: Any, missing: Any) -> Any:
    if storage not in ("python", "pyarrow") or missing not in _MISSING:
        raise BadPayload("no string dtype")
    if missing == "NA":
        return pd.StringDtype(storage)
    try:
        return pd.StringDtype(storage, na_value=np.nan)
    except TypeError as error:  # pandas before 2.3
        if storage == "pyarrow":
            return pd.StringDtype("pyarrow_numpy")
        raise BadPayload("no string dtype of this version of pandas") from error


def _mask(decoder: Decoder, reference: Any, count: int) -> "np.ndarray[Any, Any]":
    return np.zeros(count, np.bool_) if reference is None else decoder.array(reference, "?", count)


@reads(STAND_IN, 2)
def _stand_in(decoder: Decoder, rows: Any, node: Any) -> Any:
    """Return an array of which only the type is known: in every row the same value, which equals nothing."""
    cells, value = np.empty(len(decoder.raw(rows)), dtype=object), decoder.value(node)
    if type(value) is not Opaque:
        raise BadPayload("no stand-in of a column")
    cells.fill(value)
    return cells


@reads("npx", 1)
def _plain_array(decoder: Decoder, node: Any) -> Any:
    return PLAIN_ARRAY(decoder.value(node))


@reads("mask", 4)
def _masked_array(decoder: Decoder, name: Any, count: Any, data: Any, mask: Any) -> Any:
    if name not in MASKED_DTYPES:
        raise BadPayload("no masked dtype")
    size = decoder.number(count, low=0)
    values = decoder.array(data, MASKED_DTYPES[name], size)
    kinds = {"i": pd.arrays.IntegerArray, "u": pd.arrays.IntegerArray, "f": pd.arrays.FloatingArray}
    return kinds.get(values.dtype.kind, pd.arrays.BooleanArray)(values, _mask(decoder, mask, size))


@reads("str", 6)
def _string_array(decoder: Decoder, storage: Any, missing: Any, mask: Any, count: Any, ends: Any, data: Any) -> Any:
    dtype = _string_dtype(storage, missing)
    size = decoder.count(count)
    absent = _mask(decoder, mask, size)
    if storage == "pyarrow" and size:
        return _arrow_strings(decoder, dtype, absent, ends, data)
    values = np.empty(size, dtype=object)
    values[:] = decoder.strings(count, ends, data)
    values[absent] = dtype.na_value
    return pd.array(values, dtype=dtype)


def _arrow_strings(decoder: Decoder, dtype: Any, absent: "np.ndarray[Any, Any]", ends: Any, data: Any) -> Any:
    import pyarrow as pa

    bounds = np.concatenate([np.zeros(1, np.int64), decoder.array(ends, "<i8", len(absent))])
    raw = bytes(decoder.raw(data))
    if (np.diff(bounds) < 0).any() or bounds[-1] != len(raw):
        raise BadPayload("offsets of strings do not fit")
    present = None if not absent.any() else pa.py_buffer(np.packbits(~absent, bitorder="little").tobytes())
    buffers = [present, pa.py_buffer(bounds), pa.py_buffer(raw)]
    column = pa.Array.from_buffers(pa.large_string(), len(absent), buffers)
    column.validate(full=True)  # UTF-8 included
    try:
        return dtype.__from_arrow__(column)
    except ValueError:  # pandas before 2.1 knows small strings only
        return dtype.__from_arrow__(column.cast(pa.string()))


@reads("dta", 4)
def _datetime_array(decoder: Decoder, unit: Any, zone: Any, count: Any, data: Any) -> Any:
    values = decoder.array(data, "<i8", decoder.number(count, low=0)).view(f"M8[{_unit(unit)}]")
    place = read_zone(decoder, zone)
    index = pd.DatetimeIndex(values) if place is None else pd.DatetimeIndex(values, tz="UTC").tz_convert(place)
    return index._data


@reads("tda", 3)
def _timedelta_array(decoder: Decoder, unit: Any, count: Any, data: Any) -> Any:
    values = decoder.array(data, "<i8", decoder.number(count, low=0)).view(f"m8[{_unit(unit)}]")
    return pd.TimedeltaIndex(values)._data


@reads("per", 3)
def _period_array(decoder: Decoder, frequency: Any, count: Any, data: Any) -> Any:
    ordinals = decoder.array(data, "<i8", decoder.number(count, low=0))
    return pd.arrays.PeriodArray(ordinals, dtype=pd.PeriodDtype(decoder.string(frequency, longest=60)))


@reads("ivl", 3)
def _interval_array(decoder: Decoder, left: Any, right: Any, closed: Any) -> Any:
    sides = _index_of(decoder, left), _index_of(decoder, right)
    return pd.arrays.IntervalArray.from_arrays(*sides, closed=decoder.string(closed, longest=10))


@reads("cat", 3)
def _categorical(decoder: Decoder, codes: Any, categories: Any, ordered: Any) -> Any:
    numbers = _array_of(decoder, codes)
    return pd.Categorical.from_codes(numbers, categories=_index_of(decoder, categories), ordered=ordered is True)


@reads("sparr", 5)
def _sparse_array(decoder: Decoder, values: Any, places: Any, count: Any, subtype: Any, fill: Any) -> Any:
    from pandas._libs.sparse import IntIndex  # pandas offers no public constructor

    index = IntIndex(decoder.number(count, low=0, high=MAX_SPARSE), _array_of(decoder, places).astype("i4"))
    dtype = pd.SparseDtype(decoder.value(subtype), decoder.value(fill))
    return pd.arrays.SparseArray(_array_of(decoder, values), sparse_index=index, dtype=dtype)


@reads("rix", 4)
def _range_index(decoder: Decoder, start: Any, stop: Any, step: Any, name: Any) -> Any:
    bounds = [decoder.number(part) for part in (start, stop, step)]
    if len(range(*bounds)) > MAX_ROWS:
        raise BadPayload("an index has too many rows")
    return pd.RangeIndex(*bounds, name=decoder.value(name))


@reads("mix", 3)
def _multi_index(decoder: Decoder, levels: Any, codes: Any, names: Any) -> Any:
    labels = [_index_of(decoder, level) for level in decoder.items(levels)]
    places = [_array_of(decoder, code) for code in decoder.items(codes)]
    if len({len(place) for place in places}) != 1 or len(labels) != len(places):
        raise BadPayload("the levels of an index do not fit")
    for level, place in zip(labels, places, strict=True):
        if place.dtype.kind != "i" or (len(place) and not -1 <= place.min() <= place.max() < len(level)):
            raise BadPayload("the levels of an index do not fit")
    captions = [decoder.value(name) for name in decoder.items(names)]
    # pandas' own check refuses levels that hold a value twice, which stand-ins do.
    return pd.MultiIndex(levels=labels, codes=places, names=captions, verify_integrity=False)


@reads("ix", 3)
def _index(decoder: Decoder, name: Any, data: Any, frequency: Any) -> Any:
    values = _array_of(decoder, data)
    index = pd.Index(values, dtype=values.dtype, name=decoder.value(name))
    if frequency is not None:
        with contextlib.suppress(ValueError):  # the values do not have it
            index.freq = decoder.string(frequency, longest=60)
    return index


@reads("series", 3)
def _series(decoder: Decoder, name: Any, index: Any, data: Any) -> Any:
    values = _array_of(decoder, data)
    return pd.Series(values, index=_index_of(decoder, index), dtype=values.dtype, name=decoder.value(name))


@reads("frame", 3)
def _frame(decoder: Decoder, columns: Any, index: Any, data: Any) -> Any:
    rows, labels = _index_of(decoder, index), _index_of(decoder, columns)
    arrays = [_array_of(decoder, column) for column in decoder.items(data)]
    if len(labels) != len(arrays) or any(len(array) != len(rows) for array in arrays):
        raise BadPayload("the columns of a frame do not fit")
    parts = {i: pd.Series(array, index=rows, dtype=array.dtype, copy=False) for i, array in enumerate(arrays)}
    frame = pd.DataFrame(parts, index=rows, copy=False)
    frame.columns = labels
    return frame
