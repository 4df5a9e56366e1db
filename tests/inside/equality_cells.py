"""Cells for the equality fuzzer: kinds of values, and the ways of writing each kind that must count as the same.

A cell is a plain Python value; how a column or a list of cells is written (its dress) is chosen apart. Everything
becomes a Python expression, so that a failing case can be pasted into a session. What is drawn depends on the seed
alone, never on what is installed: one seed means the same cases under every pandas.

Imported under each pandas that is compared: it needs the standard library, NumPy and pandas only.
"""

import datetime as dt
import importlib
import importlib.util
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd

Literal = Callable[[Any], str]
EPOCH: Final = dt.datetime(1970, 1, 1)  # moments are seconds from here, durations nanoseconds
SECOND_NS: Final = 10**9
ANY_GAP: Final = ("None", "nan", "pd.NA")
TIME_GAP: Final = (*ANY_GAP, "pd.NaT")
_OPTIONAL: Final = {"pa": "pyarrow", "pytz": "pytz", "tz": "dateutil.tz"}


def namespace() -> dict[str, Any]:
    """Return the names that the expressions use; a package that is not here has none."""
    names = {
        **{"np": np, "pd": pd, "dt": dt, "nan": float("nan"), "inf": float("inf")},
        **{"Decimal": Decimal, "Fraction": Fraction, "ZoneInfo": ZoneInfo},
    }
    for name, module in _OPTIONAL.items():
        if importlib.util.find_spec(module.partition(".")[0]) is not None:
            names[name] = importlib.import_module(module)
    return names


@dataclass(frozen=True)
class Dress:
    """One way of writing cells of a kind."""

    name: str
    literal: Literal
    line: str = "dtypes"  # the line of the table of equality that it belongs to
    item: bool = False  # an element of a list, or a value by itself, can be written so
    array: str = ""  # expression of an array, with {cells} and perhaps {mask}; "": there is none
    dtype: str | None = None  # expression of a column's dtype, "" where pandas infers it; None: there is none
    gaps: tuple[str, ...] = ()  # how a missing value can be written; empty: not at all
    fits: Callable[[Any], bool] = lambda _value: True  # whether a value keeps its content
    index: bool = True  # whether an index can have the dtype
    needs: str = ""  # a package that must be installed


@dataclass(frozen=True)
class Kind:
    """What cells of one kind are."""

    name: str
    draw: Callable[[random.Random], Any]  # two values that differ, differ beyond any tolerance
    other: Callable[[Any, random.Random], Any]  # another value, by any tolerance
    dresses: tuple[Dress, ...]


def _items(name: str, literal: Literal, *, gaps: tuple[str, ...] = ANY_GAP, **more: Any) -> Dress:
    """Python or NumPy scalars: in lists, and in arrays and columns of objects."""
    more = {"line": "scalar types", **more}
    return Dress(name, literal, item=True, array="np.array({cells}, dtype=object)", dtype="object", gaps=gaps, **more)


def _numpy(literal: Literal, *dtypes: str, **more: Any) -> list[Dress]:
    form = "np.array({{cells}}, dtype={!r})"
    return [Dress(each, literal, array=form.format(each), dtype=repr(each), **more) for each in dtypes]


def _extension(literal: Literal, *dtypes: str, **more: Any) -> list[Dress]:
    """Extension dtypes, given by name or as an expression that begins with `pd.`; Arrow's need PyArrow."""
    found = []
    for each in dtypes:
        form = each if each.startswith("pd.") else repr(each)
        needs = "pa" if "pa." in each or "pyarrow" in each else ""
        line = "Arrow dtypes" if needs else "dtypes"
        kept = {"gaps": ("None", "pd.NA"), "line": line, "needs": needs, **more}
        found.append(Dress(each, literal, array=f"pd.array({{cells}}, dtype={form})", dtype=form, **kept))
    return found


def _inferred(literal: Literal, *, gaps: tuple[str, ...] = ("None", "nan"), **more: Any) -> Dress:
    return Dress("inferred", literal, dtype="", gaps=gaps, **more)


def _category(literal: Literal, **more: Any) -> Dress:
    form = "pd.Categorical({cells})"
    return Dress("category", literal, line="category", array=form, dtype="'category'", gaps=("None", "nan"), **more)


def _calls(function: str) -> Literal:
    return lambda value: f"{function}({value!r})"


def _float(value: Any) -> str:
    return repr(float(value))


def _masked(dtype: str, literal: Literal, gap: str, **more: Any) -> Dress:
    form = f"np.ma.array({{cells}}, mask={{mask}}, dtype={dtype!r})"
    return Dress(f"masked {dtype}", literal, line="masked arrays", array=form, gaps=(gap,), **more)


def _sparse(dtype: str, literal: Literal, **more: Any) -> Dress:
    form = f"pd.SparseDtype({dtype!r})"
    array = f"pd.arrays.SparseArray({{cells}}, dtype={form})"
    return Dress(f"sparse {dtype}", literal, array=array, dtype=form, index=False, **more)


# Numbers


def _is_natural(value: Any) -> bool:
    return bool(value >= 0)


_HALVES: Final = frozenset(k / 4 for k in range(-256, 257)) | {0.1, 1 / 3, 3.14159, 12.7, -0.7}
_FLOATS: Final = (*sorted(_HALVES), 2.5e6, 1e-3, -7.5e5, 1e10, float("inf"), float("-inf"))


def _fits_half(value: Any) -> bool:
    return value in _HALVES


def _is_whole(value: Any) -> bool:
    return bool(abs(value) < 2**53 and value == int(value))


def _is_finite(value: Any) -> bool:
    return bool(abs(value) < float("inf"))


def _draw_float(draw: random.Random) -> float:
    if draw.random() < 0.3:
        return float(draw.randint(-20, 20))
    return draw.choice(_FLOATS)


def _other_float(value: Any, draw: random.Random) -> float:
    if not _is_finite(value):
        return draw.choice((-value, 1e300, 0.0))
    return float(value + draw.choice((-1, 1)) * 0.02 * (1 + abs(value)))


_INTEGERS: Final = (
    _items("int", repr),
    _items("np.int64", _calls("np.int64")),
    _items("np.int8", _calls("np.int8")),
    _items("np.uint16", _calls("np.uint16"), fits=_is_natural),
    _items("whole float", _float, line="int against float"),
    _items("np.float32", _calls("np.float32"), line="int against float"),
    _items("Decimal", lambda value: f"Decimal('{value}')", line="Decimal and Fraction"),
    _items("Fraction", _calls("Fraction"), line="Decimal and Fraction"),
    _inferred(repr),
    *_numpy(repr, "int8", "int16", "int32", "int64"),
    *_numpy(repr, "uint8", "uint64", fits=_is_natural),
    *_numpy(_float, "float64", "float32", gaps=("nan",), line="int against float"),
    *_numpy(_float, "float16", gaps=("nan",), index=False, line="int against float"),
    *_extension(repr, "Int64", "Int8", "Float64", "int64[pyarrow]", "double[pyarrow]"),
    *_extension(repr, "UInt16", fits=_is_natural),
    _category(repr),
    _masked("int64", repr, "0"),
    _sparse("int64", repr),
)
_FLOATING: Final = (
    _items("float", repr),
    _items("np.float64", _calls("np.float64")),
    _items("np.float32", _calls("np.float32")),
    Dress("np.float16", _calls("np.float16"), "scalar types", item=True, gaps=ANY_GAP, fits=_fits_half),
    _items("Decimal", lambda value: f"Decimal({str(value)!r})", line="Decimal and Fraction"),
    _items("Fraction", lambda value: f"Fraction('{value}')", fits=_is_finite, line="Decimal and Fraction"),
    _inferred(repr),
    *_numpy(repr, "float64", "float32", gaps=("nan",)),
    *_numpy(repr, "float16", gaps=("nan",), fits=_fits_half, index=False),
    *_numpy(lambda value: str(int(value)), "int64", fits=_is_whole, line="int against float"),
    *_extension(repr, "Float64", "Float32", "double[pyarrow]", "float[pyarrow]"),
    _category(repr),
    _masked("float64", repr, "nan"),
    _sparse("float64", repr, gaps=("nan",)),
)
_EXACT: Final = (  # no float among them: these integers differ by less than floats do
    _items("int", repr),
    _items("np.int64", _calls("np.int64")),
    _inferred(repr, gaps=()),
    *_numpy(repr, "int64"),
    *_numpy(repr, "uint64", fits=_is_natural),
    *_extension(repr, "Int64", "int64[pyarrow]"),
    _category(repr, fits=lambda _value: True),
)
_TRUTHS: Final = (
    _items("bool", repr),
    _items("np.bool_", _calls("np.bool_")),
    _inferred(repr),
    *_numpy(repr, "bool"),
    *_extension(repr, "boolean", "bool[pyarrow]"),
    _category(repr),
)
_COMPLEX: Final = (
    _items("complex", repr),
    _items("np.complex128", _calls("np.complex128")),
    *_numpy(repr, "complex128", "complex64", index=False),
)

# Texts

_WORDS: Final = ("a", "b", "Oslo", "oslo", "", "4", "1.0", "é列", "True", "None", "nan", "a b", "2024-01-01")
_TEXTS: Final = (
    _items("str", repr),
    _items("np.str_", _calls("np.str_")),
    _inferred(repr),
    Dress("array of str", repr, array="np.array({cells}, dtype=str)"),
    *_extension(repr, "string[python]", "string[pyarrow]", "pd.ArrowDtype(pa.string())", line="text dtypes"),
    _category(repr),
)
_BYTES: Final = (_items("bytes", repr), Dress("array of bytes", repr, array="np.array({cells}, dtype='S')"))

# Times


def moment_text(seconds: int) -> str:
    """Return a moment as ISO 8601 writes it."""
    return (EPOCH + dt.timedelta(seconds=seconds)).isoformat(" ")


def _timestamp(value: Any) -> str:
    return f"pd.Timestamp('{moment_text(value)}')"


def _datetime(value: Any) -> str:
    return f"dt.datetime.fromisoformat('{moment_text(value)}')"


_MOMENTS: Final = (
    _items("Timestamp", _timestamp, gaps=TIME_GAP),
    _items("Timestamp in seconds", lambda value: f"{_timestamp(value)}.as_unit('s')", gaps=TIME_GAP, line="units"),
    _items("datetime", _datetime, gaps=TIME_GAP),
    Dress(
        "datetime64", lambda value: f"np.datetime64('{moment_text(value)}')", "scalar types", item=True, gaps=TIME_GAP
    ),
    _inferred(_timestamp, gaps=TIME_GAP[:1] + TIME_GAP[3:]),
    *_numpy(lambda value: repr(moment_text(value)), "datetime64[s]", gaps=("'NaT'",), line="units"),
    *_numpy(lambda value: repr(moment_text(value)), "datetime64[us]", "datetime64[ns]", gaps=("'NaT'",), line="units"),
    *_extension(_timestamp, "pd.ArrowDtype(pa.timestamp('us'))", gaps=("None",)),
    _category(_timestamp),
)


def _spelled(spelling: str, needs: str) -> list[Dress]:
    """The dresses of moments of one zone, written in one way."""

    def moment(value: Any) -> str:
        return f"pd.Timestamp('{moment_text(value)}', tz='UTC').tz_convert({spelling})"

    found = [
        _items(f"Timestamp {spelling}", moment, gaps=TIME_GAP),
        _items(f"datetime {spelling}", lambda value: f"{moment(value)}.to_pydatetime()", gaps=TIME_GAP),
    ]
    for unit in ("s", "ns"):
        form = f"pd.DatetimeTZDtype({unit!r}, {spelling})"
        found += _extension(moment, form, gaps=("None", "pd.NaT"))
    return [replace(dress, line="zone names", needs=needs) for dress in found]


ZONES: Final = {  # name -> spellings, with what they need
    "UTC": (
        *(("'UTC'", ""), ("dt.timezone.utc", ""), ("ZoneInfo('UTC')", ""), ("'Etc/UTC'", "")),
        *(("tz.tzutc()", "tz"), ("pytz.UTC", "pytz"), ("dt.timezone(dt.timedelta(0))", "")),
    ),
    "Europe/Oslo": (
        *(("'Europe/Oslo'", ""), ("ZoneInfo('Europe/Oslo')", "")),
        ("pytz.timezone('Europe/Oslo')", "pytz"),
    ),
    "Asia/Tokyo": (("'Asia/Tokyo'", ""), ("ZoneInfo('Asia/Tokyo')", "")),
    "America/New_York": (("'America/New_York'", ""),),
}


def _duration(value: Any) -> str:
    return f"pd.Timedelta({value}, 'ns')"


def _divisible(by: int) -> Callable[[Any], bool]:
    return lambda value: value % by == 0


def _spans(unit: str, size: int) -> list[Dress]:
    """The NumPy dresses of durations in one unit."""
    fits, line = _divisible(size), "units"
    scalar = Dress(
        f"timedelta64 {unit}",
        lambda value: f"np.timedelta64({value // size}, '{unit}')",
        "scalar types",
        item=True,
        gaps=TIME_GAP,
        fits=fits,
    )
    form = f"timedelta64[{unit}]"
    as_array = f"np.array({{cells}}, dtype={form!r})"
    array = Dress(form, lambda value: str(value // size), line, array=as_array, gaps=("'NaT'",), fits=fits)
    column = Dress(f"column of {form}", _duration, line, dtype=repr(form), gaps=("None", "pd.NaT"), fits=fits)
    return [scalar, array, column]


_DURATIONS: Final = (
    _items("Timedelta", _duration, gaps=TIME_GAP),
    _items("timedelta", lambda v: f"dt.timedelta(microseconds={v // 1000})", gaps=TIME_GAP, fits=_divisible(1000)),
    _inferred(_duration, gaps=("None", "pd.NaT")),
    *(dress for unit, size in (("s", SECOND_NS), ("us", 1000), ("ns", 1)) for dress in _spans(unit, size)),
    *_extension(_duration, "pd.ArrowDtype(pa.duration('ns'))", gaps=("None",)),
    _category(_duration),
)


def _date(value: Any) -> str:
    day = EPOCH + dt.timedelta(seconds=value)
    return f"dt.date({day.year}, {day.month}, {day.day})"


_DATES: Final = (
    _items("date", _date),
    _inferred(_date),
    _category(_date),
    *_extension(_date, "pd.ArrowDtype(pa.date32())", gaps=("None",)),
)


def _period(value: Any) -> str:
    return f"pd.Period('{2020 + value // 12}-{value % 12 + 1:02d}', 'M')"


def _interval(value: Any) -> str:
    return f"pd.Interval({value}, {value + 2})"


def _draw_moment(draw: random.Random) -> int:
    day = draw.randint(18_000, 20_000) if draw.random() < 0.9 else draw.randint(-20_000, 40_000)
    return day * 86_400 + draw.choice((0, 0, 3_600, 43_200, draw.randrange(86_400)))


def _other_moment(value: Any, draw: random.Random) -> int:
    return int(value) + draw.choice((-1, 1)) * draw.choice((1, 60, 3_600, 86_400))


def _next(value: Any, draw: random.Random) -> Any:
    return value + draw.choice((-1, 1))


def _other_word(value: Any, draw: random.Random) -> str:
    return draw.choice([word for word in (*_WORDS, f"{value}x", f" {value}") if word != value])


def _draw_mixed(draw: random.Random) -> Any:
    return draw.choice((draw.randint(-9, 99), draw.choice(_WORDS), draw.randint(-99, 99) / 4))


def _other_mixed(value: Any, draw: random.Random) -> Any:
    return f"{value}x" if isinstance(value, str) else value + draw.choice((-1, 1))


def _kinds() -> dict[str, Kind]:
    found = [
        Kind("int", lambda draw: draw.randint(-9, 99), _next, _INTEGERS),
        Kind("bit", lambda draw: draw.randint(0, 1), lambda value, _draw: 1 - value, _INTEGERS),
        Kind("large", lambda draw: 2**53 + draw.randrange(40), _next, _EXACT),
        Kind("float", _draw_float, _other_float, _FLOATING),
        Kind("bool", lambda draw: draw.random() < 0.5, lambda value, _draw: not value, _TRUTHS),
        Kind("complex", lambda draw: complex(draw.randint(-9, 9), draw.randint(1, 9)), _next, _COMPLEX),
        Kind("text", lambda draw: draw.choice(_WORDS), _other_word, _TEXTS),
        Kind("bytes", lambda draw: draw.choice((b"a", b"bc", b"\xff")), lambda value, _draw: value + b"x", _BYTES),
        Kind("moment", _draw_moment, _other_moment, _MOMENTS),
        Kind("duration", lambda draw: draw.randint(-9, 99) * SECOND_NS, lambda v, _draw: v + SECOND_NS, _DURATIONS),
        Kind("date", lambda draw: draw.randint(18_000, 20_000) * 86_400, lambda v, _draw: v + 86_400, _DATES),
        Kind("period", lambda draw: draw.randrange(48), _next, _plain(_period, "'period[M]'")),
        Kind("interval", lambda draw: draw.randrange(9), _next, _plain(_interval, "'interval[int64]'")),
        Kind("mixed", _draw_mixed, _other_mixed, (_items("objects", repr), _inferred(repr), _category(repr))),
    ]
    for zone, spellings in ZONES.items():
        dresses = [dress for spelling, needs in spellings for dress in _spelled(spelling, needs)]
        found.append(Kind(zone, _draw_moment, _other_moment, tuple(dresses)))
    return {kind.name: kind for kind in found}


def _plain(literal: Literal, dtype: str) -> tuple[Dress, ...]:
    array = f"pd.array({{cells}}, dtype={dtype})"
    return (
        _items("objects", literal),
        Dress(dtype, literal, array=array, dtype=dtype),
        _category(literal),
    )


KINDS: Final = _kinds()
COMMON: Final = ("int", "float", "text", "bool", "moment", "bit")  # drawn more often than the others


def draw_kind(draw: random.Random) -> str:
    """Return the name of a kind."""
    return draw.choice(COMMON) if draw.random() < 0.6 else draw.choice(list(KINDS))
