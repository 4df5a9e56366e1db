"""Columns of every kind that pandas accepts, for tests of the codec under any version of pandas."""

import collections
import contextlib
import dataclasses
import datetime as dt
import decimal
import enum
import pathlib
import tempfile
import warnings
import zoneinfo
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import dateutil.tz
import numpy as np
import pandas as pd
import pyarrow as pa

ROWS = 4
MASK = [False, True, False, False]
MOMENTS = ["2021-03-28", "2021-10-31", None, "1999-12-31"]


@dataclasses.dataclass(frozen=True)
class Point:
    """A record in a cell."""

    x: int
    y: float


class Shade(enum.Enum):
    """A member of an enum in a cell."""

    DARK = 1


try:
    import pytz
except ImportError:  # pandas 3 does without
    pytz = None

Pair = collections.namedtuple("Pair", "left right")


class Length(np.ndarray[Any, Any]):
    """An array with a unit, as libraries of quantities make them."""

    unit = "m"


class Custom:
    """A value of a class that nobody else knows."""


class Frame(pd.DataFrame):
    """A frame of a class of its own."""


Make = Callable[[], Any]
Values = list[Any]
_UNITS = ("s", "ms", "us", "ns")
_FREQUENCIES = ["D", "M", "Q-NOV", "2M", "W-TUE", "B", "3D", "s", "Y-JUN", "A-JUN", "h", "H", "5min"]
_PERIODS = ["2020-01-07", None, "1999-12-31", "2021-06-30"]
_PRICES = [decimal.Decimal("1.20"), None, decimal.Decimal("-3.45"), decimal.Decimal(0)]
_DAYS = [dt.date(2020, 1, 1), None, dt.date(1, 1, 1), dt.date(9999, 1, 1)]
_BYTES = [b"a", None, b"", b"\xff" * 20]
_RECORDS = [{"a": 1, "b": "x"}, None, {"a": None, "b": None}, {"a": 2, "b": ""}]


def _each(label: str, keys: Iterable[str], make: Callable[[str], Any]) -> dict[str, Make]:
    """One entry for each key."""
    return {f"{label}{key}": partial(make, key) for key in keys}


_ARROW_VALUES: list[tuple[str, Make, Values]] = [
    *((f"uint{bits}", getattr(pa, f"uint{bits}"), [1, None, 0, 7]) for bits in (8, 16, 32, 64)),
    *((f"int{bits}", getattr(pa, f"int{bits}"), [1, None, -1, 7]) for bits in (8, 16, 32, 64)),
    ("float16", pa.float16, [np.float16(1.5), None, np.float16("nan"), np.float16(0)]),
    ("float32", pa.float32, [1.5, None, float("nan"), 0.0]),
    *(("float64", pa.float64, [1.5, None, float("inf"), -0.0]), ("bool", pa.bool_, [True, None, False, True])),
    *(("null", pa.null, [None] * 4), ("string", pa.string, ["a", None, "", "é\0"])),
    ("large_string", pa.large_string, ["a", None, "", "é" * 2000]),
    ("string_view", lambda: pa.string_view(), ["a", None, "", "long enough to be kept apart"]),
    *(("binary", pa.binary, _BYTES), ("large_binary", pa.large_binary, _BYTES)),
    ("binary_view", lambda: pa.binary_view(), _BYTES),
    ("fixed_size_binary", lambda: pa.binary(3), [b"abc", None, b"\0\0\0", b"xyz"]),
    *(("decimal32", lambda: pa.decimal32(5, 2), _PRICES), ("decimal64", lambda: pa.decimal64(9, 2), _PRICES)),
    ("decimal128", lambda: pa.decimal128(20, 4), _PRICES),
    ("decimal256", lambda: pa.decimal256(50, 4), [*_PRICES[:3], decimal.Decimal(10**40)]),
    *(("date32", pa.date32, _DAYS), ("date64", pa.date64, _DAYS)),
    *((f"time32 {unit}", partial(pa.time32, unit), [1, None, 0, 3600]) for unit in ("s", "ms")),
    *((f"time64 {unit}", partial(pa.time64, unit), [1, None, 0, 3600]) for unit in ("us", "ns")),
    *((f"timestamp {unit}", partial(pa.timestamp, unit), [1, None, -5, 99]) for unit in _UNITS),
    *(
        (f"timestamp {zone}", partial(pa.timestamp, "us", zone), [1, None, -5, 99])
        for zone in ("UTC", "Europe/Berlin", "+02:00")
    ),
    *((f"duration {unit}", partial(pa.duration, unit), [1, None, -5, 99]) for unit in _UNITS),
    ("interval", lambda: pa.month_day_nano_interval(), [(1, 2, 3), None, (0, 0, 0), (-1, 5, 9)]),
    ("list", lambda: pa.list_(pa.int64()), [[1, None], None, [], [3]]),
    ("list of texts", lambda: pa.list_(pa.field("word", pa.string(), nullable=False)), [["a"], None, [], ["", "b"]]),
    ("large_list", lambda: pa.large_list(pa.float32()), [[1.5], None, [], [3.0, None]]),
    ("fixed_size_list", lambda: pa.list_(pa.int8(), 2), [[1, 2], None, [None, 4], [5, 6]]),
    ("fixed_size_list of none", lambda: pa.list_(pa.int8(), 0), [[], None, [], []]),
    ("list_view", lambda: pa.list_view(pa.int64()), [[1, None], None, [], [3]]),
    ("large_list_view", lambda: pa.large_list_view(pa.string()), [["a"], None, [], ["b", None]]),
    ("list of lists", lambda: pa.list_(pa.list_(pa.bool_())), [[[True], None], None, [], [[]]]),
    ("struct", lambda: pa.struct([("a", pa.int64()), ("b", pa.string())]), _RECORDS),
    ("struct of none", lambda: pa.struct([]), [{}, None, {}, {}]),
    (
        "struct of lists",
        lambda: pa.struct([("a", pa.list_(pa.date32()))]),
        [{"a": [dt.date(2020, 1, 1)]}, None, {"a": None}, {"a": []}],
    ),
    ("map", lambda: pa.map_(pa.string(), pa.int64()), [[("a", 1)], None, [], [("b", None), ("c", 3)]]),
    (
        "map of maps",
        lambda: pa.map_(pa.int8(), pa.map_(pa.int8(), pa.string())),
        [[(1, [(2, "a")])], None, [], [(3, None)]],
    ),
    (
        "list of structs",
        lambda: pa.list_(pa.struct([("when", pa.timestamp("ns", "UTC"))])),
        [[{"when": 1}], None, [], [None]],
    ),
    ("list of decimals", lambda: pa.list_(pa.decimal128(9, 1)), [[decimal.Decimal("1.5")], None, [], [None]]),
]


def _chunked(make: Make, values: Values) -> Any:
    """An Arrow column of two pieces, each a slice of something longer."""
    kind = make()
    array = pa.array([values[-1], *values], type=kind)
    return pd.arrays.ArrowExtensionArray(pa.chunked_array([array[1:3], array[3:]], type=kind))


def _dictionary(index: Any, values: list[Any], value_type: Any = None) -> Any:
    plain = pa.array(values, type=value_type).dictionary_encode()
    return pd.arrays.ArrowExtensionArray(pa.DictionaryArray.from_arrays(plain.indices.cast(index), plain.dictionary))


def _zoned(name: str) -> Any:
    moments = pd.DatetimeIndex(MOMENTS, tz="UTC").tz_convert(ZONES[name])
    assert len(moments.astype(object)) == ROWS  # older versions fail here with zones of dateutil
    return moments.array


def _union() -> Any:
    children = [pa.array([1, 2, 3, 4]), pa.array(["a", "b", "c", "d"])]
    return pd.arrays.ArrowExtensionArray(pa.UnionArray.from_sparse(pa.array([0, 1, 0, 1], pa.int8()), children))


def _memory_mapped() -> Any:
    with tempfile.NamedTemporaryFile() as file:
        mapped = np.memmap(file.name, np.float64, "w+", shape=(ROWS,))
        mapped[:] = [1.5, 2, 3, 4]
        return mapped


def _winsorized() -> Any:
    from scipy.stats import mstats

    return mstats.winsorize(np.array([1.0, 2.0, 3.0, 100.0]), limits=(0.25, 0.25))


def _objects(*values: Any) -> Any:
    array = np.empty(len(values), dtype=object)
    for place, value in enumerate(values):
        array[place] = value
    return array


def _cut() -> Any:
    return pd.cut([1, 5, 9, np.nan], [0, 3, 6, 9])


def _strings(storage: str, missing: Any) -> Any:
    dtype = pd.StringDtype(storage) if missing is pd.NA else pd.StringDtype(storage, na_value=missing)
    return pd.array(["a", None, "", "é" * 40], dtype=dtype)


NUMPY: dict[str, Make] = {
    **_each("NumPy ", "?bhilqBHILQ", lambda code: np.array([0, 1, 2, 3], code)),
    **_each("NumPy ", "efdgFDG", lambda code: np.array([0, 1.5, np.nan, -np.inf], code)),
    **_each("in the order ", (">i2", ">i8", ">f8"), lambda code: np.array([1, 2, 3, 4], code)),
    "texts": lambda: np.array(["a", "", "é", "abc"]),
    "bytes": lambda: np.array([b"a", b"", b"\xff", b"abc"]),
    "scalars of texts": lambda: _objects(*(np.str_(each) for each in "abcd")),
    "characters": lambda: np.char.array(["a", "b", "c", "d"]),
    "StringDType": lambda: np.array(["a", "", "é", "b" * 60], dtype=np.dtypes.StringDType()),
    "StringDType with missing": lambda: np.array(["a", None, "é", "b"], dtype=np.dtypes.StringDType(na_object=None)),
    **_each(
        "moments ",
        ("Y", "M", "W", "D", "h", "s", "ms", "us", "ns", "ps", "25s"),
        lambda unit: np.array(["2020", "2021", "NaT", "1999"], f"M8[{unit}]"),
    ),
    **_each("spans ", ("W", "D", *_UNITS, "ps"), lambda unit: np.array([1, 2, "NaT", -3], f"m8[{unit}]")),
    "structured": lambda: np.array([(1, 2.5), (3, 4.5), (5, np.nan), (7, 8)], "i4,f8"),
    "records": lambda: np.rec.array([(1, "a"), (3, "b"), (5, "c"), (7, "d")], dtype="i4,U1"),
    "raw": lambda: np.array([b"ab", b"cd", b"ef", b"gh"], "V2"),
    "masked without mask": lambda: np.ma.array([1.5, 2, 3, 4]),
    "masked floats": lambda: np.ma.array([1.5, 2, 3, 4], mask=MASK),
    "masked integers": lambda: np.ma.array([1, 2, 3, 4], mask=MASK),
    "masked moments": lambda: np.ma.array(np.array([1, 2, 3, 4], "M8[s]"), mask=MASK),
    "winsorized": _winsorized,
    "memory-mapped": _memory_mapped,
    "of a class of its own": lambda: np.array([1.0, 2, 3, 4]).view(Length),
}

ZONES: dict[str, Any] = {
    "UTC": "UTC",
    "Berlin": "Europe/Berlin",
    "zoneinfo": zoneinfo.ZoneInfo("Asia/Kolkata"),
    "an offset": dt.timezone(dt.timedelta(hours=5, minutes=30)),
    "a named offset": dt.timezone(dt.timedelta(hours=-3), "BRT"),
    "dateutil's UTC": dateutil.tz.tzutc(),
    "dateutil's offset": dateutil.tz.tzoffset("X", 3600),
    "dateutil's Berlin": dateutil.tz.gettz("Europe/Berlin"),
    "pytz": "US/Eastern" if pytz is None else pytz.timezone("US/Eastern"),
    "the machine's zone": dateutil.tz.tzlocal(),
}

CELLS: dict[str, Make] = {
    "texts and none": lambda: _objects("a", None, "b", np.nan),
    "missing values": lambda: _objects(pd.NA, pd.NaT, None, np.nan),
    "more missing values": lambda: _objects(decimal.Decimal("NaN"), np.datetime64("NaT"), np.timedelta64("NaT"), 1j),
    "spans without unit": lambda: _objects(np.timedelta64(5), np.timedelta64("NaT"), np.timedelta64(1, "Y"), 0),
    "frames": lambda: _objects(pd.DataFrame({"a": [1]}), pd.DataFrame(), pd.Series([1.5]), pd.Index(["a"])),
    "arrays": lambda: _objects(np.zeros(2), np.zeros((2, 0)), np.array(1), pd.array([1, None], dtype="Int64")),
    "containers": lambda: _objects({1, "a"}, {"k": [1, {2}]}, (1, (2,)), frozenset({None})),
    "records": lambda: _objects(Point(1, 2.5), Shade.DARK, Pair(1, 2), collections.Counter("ab")),
    "moments": lambda: _objects(
        dt.date(2020, 1, 1), dt.datetime(2020, 1, 1), pd.Timestamp("2020", tz="UTC"), dt.time(3)
    ),
    "pandas' scalars": lambda: _objects(
        pd.Period("2020Q1"), pd.Interval(0, 1), pd.Timedelta("1D"), pd.offsets.MonthEnd()
    ),
    "types and paths": lambda: _objects(int, np.dtype("f4"), pd.Int64Dtype(), pathlib.PurePosixPath("a/b")),
    "large numbers": lambda: _objects(2**70, -(2**5000), 1e308, np.longdouble(1) / 3),
    "masked arrays": lambda: _objects(np.ma.array([1, 2], mask=[False, True]), np.matrix([[1]]), b"a", bytearray(b"b")),
}

PANDAS: dict[str, Make] = {
    **_each(
        "",
        [f"{sign}Int{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64)] + ["Float32", "Float64"],
        lambda name: pd.array([1, None, 0, 3], dtype=name),
    ),
    "boolean": lambda: pd.array([True, None, False, True], dtype="boolean"),
    "string of Python": lambda: _strings("python", pd.NA),
    "string of Arrow": lambda: _strings("pyarrow", pd.NA),
    "str of Python": lambda: _strings("python", np.nan),
    "str of Arrow": lambda: _strings("pyarrow", np.nan),
    "pyarrow_numpy": lambda: pd.array(["a", None, "", "b"], dtype=pd.StringDtype("pyarrow_numpy")),
    "default texts": lambda: pd.Series(["a", None, "b", "c"]).array,
    "NumPy in pandas": lambda: pd.Series([1.5, 2, 3, 4]).array,
    **_each("moments of ", _UNITS, lambda unit: pd.DatetimeIndex(MOMENTS).as_unit(unit).array),
    **_each("moments in ", ZONES, _zoned),
    **_each("spans of ", _UNITS, lambda unit: pd.TimedeltaIndex(["1D", None, "-3s", "0s"]).as_unit(unit).array),
    **_each("periods of ", _FREQUENCIES, lambda alias: pd.PeriodIndex(_PERIODS, freq=alias).array),
    "intervals of integers": lambda: pd.arrays.IntervalArray.from_breaks(range(5), closed="left"),
    "intervals with missing": lambda: pd.arrays.IntervalArray.from_tuples(
        [(0, 1), None, (2.5, 3), (0, 1)], closed="both"
    ),
    "intervals of moments": lambda: (
        pd.interval_range(pd.Timestamp("2020"), periods=ROWS, freq="MS", closed="neither").array
    ),
    "cut": _cut,
    "categories of texts": lambda: pd.Categorical(["a", None, "b", "a"], ["b", "a", "unused"]),
    "ordered categories": lambda: pd.Categorical([2, 1, None, 2], [2, 1], ordered=True),
    "no categories": lambda: pd.Categorical([None] * 4),
    "categories of tuples": lambda: pd.Categorical(_objects((1, 2), (3, 4), None, (1, 2))),
    "categories of mixed values": lambda: pd.Categorical(_objects("a", 1, None, 2.5), ["a", 1, 2.5]),
    "categories of moments": lambda: pd.Categorical(pd.date_range("2020", periods=ROWS, freq="D")),
    "categories of string": lambda: pd.Categorical(pd.array(["a", "b", None, "a"], dtype="string")),
    "categories of Arrow": lambda: pd.Categorical(_chunked(pa.string, ["a", "b", None, "a"])),
    "categories of custom values": lambda: pd.Categorical.from_codes(
        [0, 1, 0, 1], pd.Index(_objects(Custom(), Custom()))
    ),
    "sparse integers": lambda: pd.arrays.SparseArray([0, 0, 1, 0]),
    "sparse floats": lambda: pd.arrays.SparseArray([1.5, np.nan, 1.5, 2]),
    "sparse flags": lambda: pd.arrays.SparseArray([True, True, False, True], fill_value=True),
    "sparse integers filled with NaN": lambda: pd.arrays.SparseArray(np.array([1, 2, 3, 4]), fill_value=np.nan),
    "sparse texts": lambda: pd.arrays.SparseArray(_objects("a", "x", "a", "b"), fill_value="a"),
    "sparse moments": lambda: pd.arrays.SparseArray(np.array(["2020", "NaT", "2021", "NaT"], "M8[ns]")),
    "sparse in blocks": lambda: pd.arrays.SparseArray([0, 0, 1, 2], kind="block"),
}

ARROW: dict[str, Make] = {
    **{f"Arrow {name}": partial(_chunked, make, values) for name, make, values in _ARROW_VALUES},
    "Arrow dictionary": lambda: _dictionary(pa.int32(), ["a", None, "b", "a"]),
    "Arrow dictionary of int8": lambda: _dictionary(pa.int8(), [1.5, None, 2.5, 1.5]),
    "Arrow run ends": lambda: pd.arrays.ArrowExtensionArray(pa.RunEndEncodedArray.from_arrays([3, 4], ["a", "b"])),
    "Arrow UUIDs": lambda: pd.arrays.ArrowExtensionArray(pa.array([bytes(16)] * ROWS, pa.uuid())),
    "Arrow union": _union,
}

UNKNOWN: dict[str, Make] = {
    "custom cells": lambda: _objects(Custom(), len, Frame({"a": [1]}), iter([1])),
    "custom cells among others": lambda: _objects(1, "a", Custom(), None),
}
NO_FORM = {
    *UNKNOWN,
    *("moments in the machine's zone", "Arrow run ends", "Arrow UUIDs", "Arrow union"),
    "categories of custom values",
}
"""Columns whose values equal nothing."""


def arrays() -> dict[str, Any]:
    """Return an array of each kind that the installed pandas, NumPy and Arrow know."""
    made: dict[str, Any] = {}
    for name, make in {**NUMPY, **PANDAS, **ARROW}.items():
        with warnings.catch_warnings(), contextlib.suppress(Exception):  # these versions have no such array
            warnings.simplefilter("ignore")
            made[name] = make()
    return made


def columns() -> dict[str, pd.Series]:
    """Return a column of each kind that the installed pandas, NumPy and Arrow know, all of the same length."""
    made: dict[str, pd.Series] = {}
    for name, make in {**NUMPY, **CELLS, **PANDAS, **ARROW, **UNKNOWN}.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                frame = pd.DataFrame(index=range(ROWS))
                frame["x"] = make()
                made[name] = frame["x"]
            except Exception:  # noqa: BLE001  # these versions have no such column
                continue
    return made
