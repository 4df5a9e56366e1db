"""Writers for pandas: scalars, dtypes, the arrays behind columns, Index, Series and DataFrame."""
# ruff: noqa: ARG001  # every writer has the same signature

import functools
import warnings
from typing import Any, Final

import numpy as np
import pandas as pd
from pandas.tseries.frequencies import to_offset

from evaluator.inside.codec.arrow_types import write_arrow_type
from evaluator.inside.codec.encode.encode_arrow import arrow_column
from evaluator.inside.codec.encode.encode_plain import zone_node
from evaluator.inside.codec.encode.encoder import Encoder, Node, OverLimit, Unknown, Writer, finds_writers, writes

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
MAX_ROWS: Final = 1 << 27  # of a range, which takes no bytes to write but as many as any other to compare
MAX_SPARSE: Final = 1 << 25  # elements of a sparse column, filled or not
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
    return ["period", value.ordinal, _checked_alias(value.freqstr, value.freq)]


def _find_offset(kind: type) -> Writer | None:
    return _offset if getattr(pd.offsets, type.__getattribute__(kind, "__name__"), None) is kind else None


finds_writers(_find_offset)


def _offset(encoder: Encoder, value: Any) -> Node:
    """Write a frequency by its alias; those that no alias tells whole are opaque."""
    alias = value.freqstr
    if not _is_told(alias, value):
        raise Unknown
    return ["offset", alias]


def _is_told(alias: str, frequency: Any) -> bool:
    """Return whether an alias alone gives a frequency: not holidays, nor parts that aliases have no words for."""
    try:
        return bool(to_offset(alias) == frequency)
    except ValueError:
        return False


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
    return ["pdt", ["category", _firm_index(encoder, value.categories), value.ordered]]


@writes(pd.DatetimeTZDtype)
def _zoned_dtype(encoder: Encoder, value: Any) -> Node:
    return ["pdt", ["datetimetz", value.unit, zone_node(value.tz)]]


@writes(pd.PeriodDtype)
def _period_dtype(encoder: Encoder, value: Any) -> Node:
    return ["pdt", ["period", _period_frequency(value)]]


@writes(pd.IntervalDtype)
def _interval_dtype(encoder: Encoder, value: Any) -> Node:
    return ["pdt", ["interval", encoder.known(value.subtype), value.closed]]


@writes(pd.SparseDtype)
def _sparse_dtype(encoder: Encoder, value: Any) -> Node:
    return ["pdt", ["sparse", encoder.known(value.subtype), encoder.known(value.fill_value)]]


@writes(pd.ArrowDtype)
def _arrow_dtype(encoder: Encoder, value: Any) -> Node:
    return ["pdt", ["arrow", write_arrow_type(value.pyarrow_dtype)]]


def _period_frequency(dtype: Any) -> str:
    alias = str(dtype.name).removeprefix("period[").removesuffix("]")  # "M", where the offset itself says "ME"
    return _checked_alias(alias, dtype.freq)


def _checked_alias(alias: str, frequency: Any) -> str:
    """Return an alias of periods; one that does not give their frequency is no form."""
    if _frequency_of(alias) != frequency:
        raise Unknown
    return alias


@functools.lru_cache(maxsize=200)
def _frequency_of(alias: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some aliases are deprecated
        try:
            return pd.PeriodDtype(alias).freq
        except ValueError:
            return None


def _string_kind(dtype: Any) -> list[str]:
    storage = "pyarrow" if dtype.storage == _PYARROW_NAN else dtype.storage
    return [storage, "NA" if dtype.na_value is pd.NA else "nan"]


def _mask(encoder: Encoder, mask: "np.ndarray[Any, Any]") -> int | str | None:
    return encoder.array(mask) if mask.any() else None


@writes(PLAIN_ARRAY)
def _plain_array(encoder: Encoder, value: Any) -> Node:
    return ["npx", encoder.known(base_array(encoder, value._ndarray))]


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

    column = arrow_column(value)  # each step below copies memory, and in a fork the pages of what does it
    if column.type != pa.large_string():
        column = column.cast(pa.large_string())
    if column.null_count:
        column = pc.fill_null(column, "")
    if not len(column):
        return encoder.strings([])
    filled = column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks)
    _, places, data = filled.buffers()
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
    return ["ivl", _firm_index(encoder, value.left), _firm_index(encoder, value.right), value.closed]


@writes(pd.arrays.Categorical)
def _categorical(encoder: Encoder, value: Any) -> Node:
    codes, categories = encoder.known(np.asarray(value.codes)), _firm_index(encoder, value.categories)
    return ["cat", codes, categories, bool(value.ordered)]


@writes(pd.arrays.SparseArray)
def _sparse_array(encoder: Encoder, value: Any) -> Node:
    if len(value) > MAX_SPARSE:
        raise OverLimit("cells")
    places = np.asarray(value.sp_index.to_int_index().indices)
    parts = [encoder.known(np.asarray(value.sp_values)), encoder.known(places), len(value)]
    return ["sparr", *parts, encoder.known(value.dtype.subtype), encoder.known(value.fill_value)]


@writes(pd.RangeIndex)
def _range_index(encoder: Encoder, value: Any) -> Node:
    if value.size > MAX_ROWS:
        raise OverLimit("rows")
    return ["rix", value.start, value.stop, value.step, encoder.node(value.name)]


@writes(pd.MultiIndex)
def _multi_index(encoder: Encoder, value: Any) -> Node:
    levels = [_index_node(encoder, level) for level in value.levels]
    codes = [encoder.known(np.asarray(code)) for code in value.codes]
    return encoder.container(value, lambda: ["mix", levels, codes, [encoder.node(name) for name in value.names]])


@writes(pd.Index, pd.PeriodIndex, pd.IntervalIndex, pd.CategoricalIndex)
def _index(encoder: Encoder, value: Any) -> Node:
    return encoder.container(value, lambda: _index_parts(encoder, value, None))


@writes(pd.DatetimeIndex, pd.TimedeltaIndex)
def _time_index(encoder: Encoder, value: Any) -> Node:
    frequency = None if value.freq is None else value.freq.freqstr
    if frequency is not None and not _is_told(frequency, value.freq):
        frequency, encoder.comes_back = None, False  # the moments are the index; how they came about is lost
    return _index_parts(encoder, value, frequency)


def _index_parts(encoder: Encoder, value: Any, frequency: str | None) -> Node:
    return ["ix", encoder.node(value.name), column_node(encoder, value._data, len(value)), frequency]


def _index_node(encoder: Encoder, value: Any) -> Node:
    """Return the node of a part that must be an index: a stand-in for one of a class without a form."""
    try:
        return encoder.known(value)
    except Unknown:
        return ["ix", ["none"], stand_in(encoder, value, len(value)), None]


def _firm_index(encoder: Encoder, value: Any) -> Node:
    """Return the node of an index that can be no stand-in, since nothing could be made of it; None for none."""
    node = encoder.known(value)
    if node[0] == "ix" and node[2][0] == STAND_IN:
        raise Unknown
    return node


@writes(pd.Series)
def _series(encoder: Encoder, value: Any) -> Node:
    return encoder.container(value, lambda: _series_parts(encoder, value))


def _series_parts(encoder: Encoder, value: Any) -> Node:
    index = _index_node(encoder, value.index)
    return ["series", encoder.node(value.name), index, column_node(encoder, value._values, len(value.index))]


@writes(pd.DataFrame)
def _frame(encoder: Encoder, value: Any) -> Node:
    return encoder.container(value, lambda: _frame_parts(encoder, value))


def _frame_parts(encoder: Encoder, value: Any) -> Node:
    count = len(value.index)
    columns = [column_node(encoder, value._get_column_array(i), count) for i in range(value.shape[1])]
    return ["frame", _index_node(encoder, value.columns), _index_node(encoder, value.index), columns]


STAND_IN: Final = "unread"
_OBJECTS_OF: Final = "SUTV"  # kinds of NumPy that pandas keeps in a column, but does not make anew of an array


def column_node(encoder: Encoder, values: Any, count: int) -> Node:
    """Return the node of the array behind a column; of one without a form, a stand-in for each of its rows.

    Args:
        encoder: Of the payload.
        values: The array; whatever its class, it is one that pandas has accepted.
        count: How many rows there are.
    """
    try:
        return encoder.known(base_array(encoder, values) if isinstance(values, np.ndarray) else values)
    except Unknown:
        return stand_in(encoder, values, count)


def stand_in(encoder: Encoder, values: Any, count: int) -> Node:
    """Return the node of an array of which only the type is told, in each of its rows; a byte for each is its price."""
    return [STAND_IN, encoder.buffer(bytes(count)), encoder.opaque(values)]


def base_array(encoder: Encoder, values: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    """Return an array of NumPy's own class that a column can be made of; what is masked is missing in it."""
    if values.ndim != 1:
        raise Unknown
    if type(values) is not np.ndarray:
        encoder.comes_back = False
        values = _without_mask(values) if isinstance(values, np.ma.MaskedArray) else np.asarray(values)
    if values.dtype.kind in _OBJECTS_OF:
        encoder.comes_back = False
        items, values = values.tolist(), np.empty(len(values), dtype=object)
        for place, item in enumerate(items):
            values[place] = item
    return values


def _without_mask(values: "np.ma.MaskedArray[Any, Any]") -> "np.ndarray[Any, Any]":
    """Return the values of a masked array, missing where they are masked, as pandas makes a column of them."""
    mask, data = np.ma.getmaskarray(values), np.asarray(np.ma.getdata(values, subok=False))
    if mask.dtype != np.bool_ or not mask.any():
        return data
    if data.dtype.kind in "biu":
        data = data.astype(object if data.dtype.kind == "b" else np.float64)
    plain = pd.Series(data, copy=True)
    plain[mask] = None if data.dtype.kind in "mM" else np.nan
    return np.asarray(plain)
