"""Writers for pandas: scalars, dtypes, the arrays behind columns, Index, Series and DataFrame."""

# ruff: noqa: ARG001  # every writer has the same signature

from typing import Any, Final

import numpy as np
import pandas as pd
from pandas.tseries.frequencies import to_offset

from evaluator.inside.arrow_types import parse_arrow_type, plain_storage
from evaluator.inside.encode_numpy import dtype_node
from evaluator.inside.encode_plain import zone_node
from evaluator.inside.encoder import Encoder, Node, Unknown, Writer, finds_writers, writes

MASKED_DTYPES: Final = {
    **{f"Int{bits}": f"i{bits // 8}" for bits in (8, 16, 32, 64)},
    **{f"UInt{bits}": f"u{bits // 8}" for bits in (8, 16, 32, 64)},
    "Float32": "f4",
    "Float64": "f8",
    "boolean": "b1",
}
_MASKED_CLASSES: Final = tuple(
    {type(pd.api.types.pandas_dtype(name)) for name in MASKED_DTYPES}  # Int64Dtype and its like
)
PLAIN_ARRAY: Final[Any] = getattr(pd.arrays, "NumpyExtensionArray", None) or pd.arrays.PandasArray  # before 2.1
_PYARROW_NAN: Final = "pyarrow_numpy"  # storage and missing value in one word, in pandas 2.1 to 2.3


def _string_arrays() -> tuple[type, ...]:
    """Return the classes of string columns; the one behind "str" has had several homes."""
    found: list[type] = [pd.arrays.StringArray, pd.arrays.ArrowStringArray]
    for module in (pd.core.arrays.string_, pd.core.arrays.string_arrow):
        for name in ("StringArrayNumpySemantics", "ArrowStringArrayNumpySemantics"):
            kind = getattr(module, name, None)
            if kind is not None and kind not in found:
                found.append(kind)
    return tuple(found)


_STRING_ARRAYS: Final = _string_arrays()


@writes(type(pd.NaT))
def _nat(encoder: Encoder, value: Any) -> Node:
    return ["nat"]


@writes(type(pd.NA))
def _na(encoder: Encoder, value: Any) -> Node:
    return ["na"]


@writes(pd.Timestamp)
def _timestamp(encoder: Encoder, value: Any) -> Node:
    return ["ts", value._value, value.unit, zone_node(value.tzinfo), value.fold]


@writes(pd.Timedelta)
def _timedelta(encoder: Encoder, value: Any) -> Node:
    return ["ptd", value._value, value.unit]


@writes(pd.Period)
def _period(encoder: Encoder, value: Any) -> Node:
    return ["period", value.ordinal, value.freqstr]


def _find_offset(kind: type) -> Writer | None:
    return _offset if getattr(pd.offsets, type.__getattribute__(kind, "__name__"), None) is kind else None


finds_writers(_find_offset)


def _offset(encoder: Encoder, value: Any) -> Node:
    """Write a frequency by its alias; those that no alias tells whole are opaque."""
    alias = value.freqstr
    try:
        is_told = to_offset(alias) == value
    except ValueError:
        is_told = False
    if not is_told:
        raise Unknown
    return ["offset", alias]


@writes(pd.Interval)
def _interval(encoder: Encoder, value: Any) -> Node:
    return ["interval", encoder.node(value.left), encoder.node(value.right), value.closed]


@writes(*_MASKED_CLASSES)
def _masked_dtype(encoder: Encoder, value: Any) -> Node:
    return ["pdt", ["masked", value.name]]


@writes(pd.StringDtype)
def _string_dtype(encoder: Encoder, value: Any) -> Node:
    return ["pdt", ["string", *_string_kind(value)]]


@writes(pd.CategoricalDtype)
def _categorical_dtype(encoder: Encoder, value: Any) -> Node:
    return ["pdt", ["category", encoder.node(value.categories), value.ordered]]


@writes(pd.DatetimeTZDtype)
def _zoned_dtype(encoder: Encoder, value: Any) -> Node:
    return ["pdt", ["datetimetz", value.unit, zone_node(value.tz)]]


@writes(pd.PeriodDtype)
def _period_dtype(encoder: Encoder, value: Any) -> Node:
    return ["pdt", ["period", _period_frequency(value)]]


@writes(pd.IntervalDtype)
def _interval_dtype(encoder: Encoder, value: Any) -> Node:
    return ["pdt", ["interval", encoder.node(value.subtype), value.closed]]


@writes(pd.SparseDtype)
def _sparse_dtype(encoder: Encoder, value: Any) -> Node:
    return ["pdt", ["sparse", encoder.node(value.subtype), encoder.node(value.fill_value)]]


@writes(pd.ArrowDtype)
def _arrow_dtype(encoder: Encoder, value: Any) -> Node:
    return ["pdt", ["arrow", _arrow_type(value.pyarrow_dtype)]]


def _period_frequency(dtype: Any) -> str:
    return str(dtype.name).removeprefix("period[").removesuffix("]")  # "M", where the offset itself says "ME"


def _string_kind(dtype: Any) -> list[str]:
    storage = "pyarrow" if dtype.storage == _PYARROW_NAN else dtype.storage
    return [storage, "NA" if dtype.na_value is pd.NA else "nan"]


def _arrow_type(kind: Any) -> str:
    if parse_arrow_type(str(kind)) != kind:
        raise Unknown
    return str(kind)


def _mask(encoder: Encoder, mask: "np.ndarray[Any, Any]") -> int | str | None:
    return encoder.array(mask) if mask.any() else None


@writes(PLAIN_ARRAY)
def _plain_array(encoder: Encoder, value: Any) -> Node:
    return ["npx", encoder.node(np.asarray(value._ndarray))]


@writes(pd.arrays.IntegerArray, pd.arrays.FloatingArray, pd.arrays.BooleanArray)
def _masked_array(encoder: Encoder, value: Any) -> Node:
    mask, data = value._mask, value._data
    if mask.any():
        data = np.where(mask, data.dtype.type(0), data)  # what lies under the mask is no value
    return ["mask", value.dtype.name, len(value), encoder.array(data), _mask(encoder, mask)]


@writes(*_STRING_ARRAYS)
def _string_array(encoder: Encoder, value: Any) -> Node:
    mask = np.asarray(value.isna(), dtype=np.bool_)
    packed = _arrow_strings(encoder, value)
    if packed is None:
        items = value.to_numpy(dtype=object, na_value="") if mask.any() else value.to_numpy(dtype=object)
        packed = encoder.strings(items.tolist())
    return ["str", *_string_kind(value.dtype), _mask(encoder, mask), *packed]


def _arrow_strings(encoder: Encoder, value: Any) -> list[Any] | None:
    """Return what `Encoder.strings` returns, straight from Arrow's buffers: 100 times faster on long columns."""
    if not isinstance(value, pd.arrays.ArrowStringArray):
        return None
    import pyarrow as pa  # here already, since the value is Arrow's
    import pyarrow.compute as pc

    chunks = _arrow_column(value).cast(pa.large_string())
    filled = pa.concat_arrays(pc.fill_null(chunks, "").chunks) if len(chunks) else pa.array([], pa.large_string())
    _, places, data = filled.buffers()
    if places is None or len(filled) == 0:
        return encoder.strings([])
    ends = np.frombuffer(places, np.int64)[filled.offset : filled.offset + len(filled) + 1]
    text = b"" if data is None else bytes(memoryview(data)[ends[0] : ends[-1]])
    return [len(filled), encoder.array(ends[1:] - ends[0]), encoder.buffer(text)]


@writes(pd.arrays.DatetimeArray)
def _datetime_array(encoder: Encoder, value: Any) -> Node:
    return ["dta", value.unit, zone_node(value.tz), len(value), encoder.array(value._ndarray.view("i8"))]


@writes(pd.arrays.TimedeltaArray)
def _timedelta_array(encoder: Encoder, value: Any) -> Node:
    return ["tda", value.unit, len(value), encoder.array(value._ndarray.view("i8"))]


@writes(pd.arrays.PeriodArray)
def _period_array(encoder: Encoder, value: Any) -> Node:
    return ["per", _period_frequency(value.dtype), len(value), encoder.array(value._ndarray.view("i8"))]


@writes(pd.arrays.IntervalArray)
def _interval_array(encoder: Encoder, value: Any) -> Node:
    return ["ivl", encoder.node(value.left), encoder.node(value.right), value.closed]


@writes(pd.arrays.Categorical)
def _categorical(encoder: Encoder, value: Any) -> Node:
    return ["cat", encoder.node(np.asarray(value.codes)), encoder.node(value.categories), bool(value.ordered)]


@writes(pd.arrays.SparseArray)
def _sparse_array(encoder: Encoder, value: Any) -> Node:
    places = np.asarray(value.sp_index.to_int_index().indices)
    parts = [encoder.node(np.asarray(value.sp_values)), encoder.node(places), len(value)]
    return ["sparr", *parts, encoder.node(value.dtype.subtype), encoder.node(value.fill_value)]


@writes(pd.arrays.ArrowExtensionArray)
def _arrow_array(encoder: Encoder, value: Any) -> Node:
    kind = value.dtype.pyarrow_dtype
    name = _arrow_type(kind)
    mask = np.asarray(value.isna(), dtype=np.bool_)
    chunks = _arrow_column(value)
    storage = plain_storage(kind)
    if storage is None:
        return ["arrow", name, None, encoder.sequence(chunks.to_pylist())]
    numbers = chunks.cast(storage) if storage != kind else chunks
    data = numbers.fill_null(storage_zero(storage)).to_numpy(zero_copy_only=False)
    return ["arrow", name, _mask(encoder, mask), encoder.node(np.asarray(data))]


def _arrow_column(value: Any) -> Any:
    column = getattr(value, "_pa_array", None)
    return value._data if column is None else column  # before pandas 2.1


def storage_zero(storage: Any) -> Any:
    """Return what stands in a plain Arrow column where it has no value."""
    return False if str(storage) == "bool" else 0


@writes(pd.RangeIndex)
def _range_index(encoder: Encoder, value: Any) -> Node:
    return ["rix", value.start, value.stop, value.step, encoder.node(value.name)]


@writes(pd.MultiIndex)
def _multi_index(encoder: Encoder, value: Any) -> Node:
    levels = [encoder.node(level) for level in value.levels]
    codes = [encoder.node(np.asarray(code)) for code in value.codes]
    return encoder.container(value, lambda: ["mix", levels, codes, [encoder.node(name) for name in value.names]])


@writes(pd.Index, pd.PeriodIndex, pd.IntervalIndex, pd.CategoricalIndex)
def _index(encoder: Encoder, value: Any) -> Node:
    return encoder.container(value, lambda: ["ix", encoder.node(value.name), encoder.node(value._data), None])


@writes(pd.DatetimeIndex, pd.TimedeltaIndex)
def _time_index(encoder: Encoder, value: Any) -> Node:
    frequency = None if value.freq is None else value.freq.freqstr
    return ["ix", encoder.node(value.name), encoder.node(value._data), frequency]


@writes(pd.Series)
def _series(encoder: Encoder, value: Any) -> Node:
    return encoder.container(
        value, lambda: ["series", encoder.node(value.name), encoder.node(value.index), encoder.node(_values(value))]
    )


def _values(series: Any) -> Any:
    return series._values


@writes(pd.DataFrame)
def _frame(encoder: Encoder, value: Any) -> Node:
    return encoder.container(value, lambda: _frame_parts(encoder, value))


def _frame_parts(encoder: Encoder, value: Any) -> Node:
    columns = [encoder.node(value._get_column_array(i)) for i in range(value.shape[1])]
    return ["frame", encoder.node(value.columns), encoder.node(value.index), columns]


__all__ = ["MASKED_DTYPES", "dtype_node", "storage_zero"]
