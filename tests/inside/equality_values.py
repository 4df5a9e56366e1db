"""Random values for the table of equality: kinds of cells, the ways to write each, and what can be built of them.

A cell is a plain Python value; how cells are written (their dress) is chosen apart. Everything becomes a Python
expression, so that a failing case can be pasted. Imported under each pandas that is compared: it needs the standard
library, NumPy, pandas and PyArrow only, and what is drawn depends on the seed alone.
"""

import datetime as dt
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any, Final
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pyarrow as pa

Literal = Callable[[Any], str]
NAMES: Final[dict[str, Any]] = {
    **{"np": np, "pd": pd, "pa": pa, "dt": dt, "datetime": dt, "nan": float("nan"), "inf": float("inf")},
    **{"Decimal": Decimal, "Fraction": Fraction, "ZoneInfo": ZoneInfo},
}
"""What the expressions use."""
EPOCH: Final = dt.datetime(1970, 1, 1)  # moments are seconds from here, durations nanoseconds
SECOND_NS: Final = 10**9
ANY_GAP: Final = ("None", "nan", "pd.NA")
TIME_GAP: Final = (*ANY_GAP, "pd.NaT")


@dataclass(frozen=True)
class Dress:
    """One way of writing cells of a kind."""

    name: str
    literal: Literal
    item: bool = False  # an element of a list, or a value by itself, can be written so
    array: str = ""  # expression of an array, with {cells} and perhaps {mask}; "": there is none
    dtype: str | None = None  # expression of a column's dtype, "" where pandas infers it; None: there is none
    gaps: tuple[str, ...] = ()  # how a missing value can be written; empty: not at all
    fits: Callable[[Any], bool] = lambda _value: True  # whether a value keeps its content
    index: bool = True  # whether an index can have the dtype


@dataclass(frozen=True)
class Kind:
    """What cells of one kind are."""

    draw: Callable[[random.Random], Any]  # two values that differ, differ beyond any tolerance
    other: Callable[[Any, random.Random], Any]  # another value, by any tolerance
    dresses: tuple[Dress, ...]


def _items(name: str, literal: Literal, **more: Any) -> Dress:
    """Python or NumPy scalars: in lists, and in arrays and columns of objects."""
    more = {"gaps": ANY_GAP, "array": "np.array({cells}, dtype=object)", "dtype": "object", **more}
    return Dress(name, literal, item=True, **more)


def _scalars(*functions: str, **more: Any) -> list[Dress]:
    return [_items(each, partial(_called, each), **more) for each in functions]


def _called(function: str, value: Any) -> str:
    return f"{function}({value!r})"


def _numpy(literal: Literal, *dtypes: str, **more: Any) -> list[Dress]:
    return [
        Dress(each, literal, array=f"np.array({{cells}}, dtype={each!r})", dtype=repr(each), **more) for each in dtypes
    ]


def _extension(literal: Literal, *dtypes: str, **more: Any) -> list[Dress]:
    """Extension dtypes, given by name or as an expression that begins with `pd.`."""
    forms = {each: each if each.startswith("pd.") else repr(each) for each in dtypes}
    more = {"gaps": ("None", "pd.NA"), **more}
    return [
        Dress(n, literal, array=f"pd.array({{cells}}, dtype={form})", dtype=form, **more) for n, form in forms.items()
    ]


def _inferred(literal: Literal, gaps: tuple[str, ...] = ("None", "nan")) -> Dress:
    return Dress("inferred", literal, dtype="", gaps=gaps)


def _category(literal: Literal) -> Dress:
    return Dress("category", literal, array="pd.Categorical({cells})", dtype="'category'", gaps=("None", "nan"))


def _packed(dtype: str, gap: str) -> list[Dress]:
    """Masked and sparse arrays."""
    sparse = f"pd.SparseDtype({dtype!r})"
    array, gaps = f"pd.arrays.SparseArray({{cells}}, dtype={sparse})", ("nan",) if gap == "nan" else ()
    masked = f"np.ma.array({{cells}}, mask={{mask}}, dtype={dtype!r})"
    return [
        Dress("masked", repr, array=masked, gaps=(gap,)),
        Dress("sparse", repr, False, array, sparse, gaps, index=False),
    ]


# Numbers and texts

_QUARTERS: Final = frozenset(k / 4 for k in range(-256, 257)) | {0.1, 1 / 3, 3.14159, 12.7, -0.7}
_FLOATS: Final = (*sorted(_QUARTERS), 2.5e6, 1e-3, -7.5e5, 1e10, float("inf"), float("-inf"))
_WORDS: Final = ("a", "b", "Oslo", "oslo", "", "4", "1.0", "é列", "True", "None", "nan", "a b", "2024-01-01")


def _float(value: Any) -> str:
    return repr(float(value))


def _is_natural(value: Any) -> bool:
    return bool(value >= 0)


def _is_whole(value: Any) -> bool:
    return bool(abs(value) < 2**53 and value == int(value))


def _is_finite(value: Any) -> bool:
    return bool(abs(value) < float("inf"))


def _draw_float(draw: random.Random) -> float:
    return float(draw.randint(-20, 20)) if draw.random() < 0.3 else draw.choice(_FLOATS)


def _other_float(value: Any, draw: random.Random) -> float:
    if not _is_finite(value):
        return draw.choice((-value, 1e300, 0.0))
    return float(value + draw.choice((-1, 1)) * 0.02 * (1 + abs(value)))


def _other_word(value: Any, draw: random.Random) -> str:
    return draw.choice([word for word in (*_WORDS, f"{value}x", f" {value}") if word != value])


def _next(value: Any, draw: random.Random) -> Any:
    return value + draw.choice((-1, 1))


_INTEGERS: Final = (
    *(_items("int", repr), *_scalars("np.int64", "np.int8", "np.float32", "Fraction")),
    *(*_scalars("np.uint16", fits=_is_natural), _items("whole float", _float)),
    *(_items("Decimal", lambda value: f"Decimal('{value}')"), _inferred(repr), _category(repr), *_packed("int64", "0")),
    *(*_numpy(repr, "int8", "int16", "int32", "int64"), *_numpy(repr, "uint8", "uint64", fits=_is_natural)),
    *(*_numpy(_float, "float64", "float32", gaps=("nan",)), *_numpy(_float, "float16", gaps=("nan",), index=False)),
    *_extension(repr, "Int64", "Int8", "Float64", "int64[pyarrow]", "double[pyarrow]"),
    *_extension(repr, "UInt16", fits=_is_natural),
)
_FLOATING: Final = (
    *(
        _items("float", repr),
        *_scalars("np.float64", "np.float32"),
        *_scalars("np.float16", fits=_QUARTERS.__contains__),
    ),
    _items("Decimal", lambda value: f"Decimal({str(value)!r})"),
    _items("Fraction", lambda value: f"Fraction('{value}')", fits=_is_finite),
    *(_inferred(repr), _category(repr), *_packed("float64", "nan")),
    *_numpy(repr, "float64", "float32", gaps=("nan",)),
    *_numpy(repr, "float16", gaps=("nan",), fits=_QUARTERS.__contains__, index=False),
    *_numpy(lambda value: str(int(value)), "int64", fits=_is_whole),
    *_extension(repr, "Float64", "Float32", "double[pyarrow]", "float[pyarrow]"),
)
_EXACT: Final = (  # no float among them: these integers differ by less than floats do
    *(_items("int", repr), *_scalars("np.int64"), _inferred(repr, ()), _category(repr), *_numpy(repr, "int64")),
    *(*_numpy(repr, "uint64", fits=_is_natural), *_extension(repr, "Int64", "int64[pyarrow]")),
)
_TRUTHS: Final = (
    *(_items("bool", repr), *_scalars("np.bool_"), _inferred(repr), _category(repr), *_numpy(repr, "bool")),
    *_extension(repr, "boolean", "bool[pyarrow]"),
)
_TEXTS: Final = (
    *(_items("str", repr), *_scalars("np.str_"), _inferred(repr), _category(repr)),
    Dress("array of str", repr, array="np.array({cells}, dtype=str)"),
    *_extension(repr, "string[python]", "string[pyarrow]", "pd.ArrowDtype(pa.string())"),
)

# Times


def moment_text(seconds: int) -> str:
    """Return a moment as ISO 8601 writes it."""
    return (EPOCH + dt.timedelta(seconds=seconds)).isoformat(" ")


def _timestamp(value: Any) -> str:
    return f"pd.Timestamp('{moment_text(value)}')"


def _quoted(value: Any) -> str:
    return repr(moment_text(value))


def _date(value: Any) -> str:
    return f"dt.date.fromisoformat('{moment_text(value)[:10]}')"


def _duration(value: Any) -> str:
    return f"pd.Timedelta({value}, 'ns')"


_MOMENTS: Final = (
    _items("Timestamp", _timestamp, gaps=TIME_GAP),
    _items("Timestamp in seconds", lambda value: f"{_timestamp(value)}.as_unit('s')", gaps=TIME_GAP),
    _items("datetime", lambda value: f"dt.datetime.fromisoformat({_quoted(value)})", gaps=TIME_GAP),
    Dress("datetime64", lambda value: f"np.datetime64({_quoted(value)})", item=True, gaps=TIME_GAP),
    *(_inferred(_timestamp, ("None", "pd.NaT")), _category(_timestamp)),
    *_numpy(_quoted, "datetime64[s]", "datetime64[us]", "datetime64[ns]", gaps=("'NaT'",)),
    *_extension(_timestamp, "pd.ArrowDtype(pa.timestamp('us'))", gaps=("None",)),
)
ZONES: Final = {  # name -> spellings
    "UTC": ("'UTC'", "dt.timezone.utc", "ZoneInfo('UTC')", "'Etc/UTC'", "dt.timezone(dt.timedelta(0))"),
    "Europe/Oslo": ("'Europe/Oslo'", "ZoneInfo('Europe/Oslo')"),
    "America/New_York": ("'America/New_York'",),
}


def _zoned(spelling: str) -> list[Dress]:
    def moment(value: Any) -> str:
        return f"pd.Timestamp('{moment_text(value)}', tz='UTC').tz_convert({spelling})"

    forms = [f"pd.DatetimeTZDtype({unit!r}, {spelling})" for unit in ("s", "ns")]
    return [
        _items(f"Timestamp {spelling}", moment, gaps=TIME_GAP),
        _items(f"datetime {spelling}", lambda value: f"{moment(value)}.to_pydatetime()", gaps=TIME_GAP),
        *_extension(moment, *forms, gaps=("None", "pd.NaT")),
    ]


def _spans(unit: str, size: int) -> list[Dress]:
    """The NumPy dresses of durations in one unit."""
    form = f"timedelta64[{unit}]"

    def scalar(value: Any) -> str:
        return f"np.timedelta64({value // size}, '{unit}')"

    def fits(value: Any) -> bool:
        return bool(value % size == 0)

    array = f"np.array({{cells}}, dtype={form!r})"
    return [
        Dress(f"timedelta64 {unit}", scalar, item=True, gaps=TIME_GAP, fits=fits),
        Dress(form, lambda value: str(value // size), array=array, gaps=("'NaT'",), fits=fits),
        Dress(f"column of {form}", _duration, dtype=repr(form), gaps=("None", "pd.NaT"), fits=fits),
    ]


_DURATIONS: Final = (
    _items("Timedelta", _duration, gaps=TIME_GAP),
    _items("timedelta", lambda value: f"dt.timedelta(microseconds={value // 1000})", fits=lambda v: v % 1000 == 0),
    *(_inferred(_duration, ("None", "pd.NaT")), _category(_duration)),
    *(*_spans("s", SECOND_NS), *_spans("us", 1000), *_spans("ns", 1)),
    *_extension(_duration, "pd.ArrowDtype(pa.duration('ns'))", gaps=("None",)),
)
_DATES: Final = (
    *(_items("date", _date), _inferred(_date), _category(_date)),
    *_extension(_date, "pd.ArrowDtype(pa.date32())", gaps=("None",)),
)


def _draw_moment(draw: random.Random) -> int:
    day = draw.randint(18_000, 20_000) if draw.random() < 0.9 else draw.randint(-20_000, 40_000)
    return day * 86_400 + draw.choice((0, 0, 3_600, 43_200, draw.randrange(86_400)))


def _other_moment(value: Any, draw: random.Random) -> int:
    return int(value) + draw.choice((-1, 1)) * draw.choice((1, 60, 3_600, 86_400))


KINDS: Final[dict[str, Kind]] = {
    "int": Kind(lambda draw: draw.randint(-9, 99), _next, _INTEGERS),
    "bit": Kind(lambda draw: draw.randint(0, 1), lambda value, _draw: 1 - value, _INTEGERS),
    "large": Kind(lambda draw: 2**53 + draw.randrange(40), _next, _EXACT),
    "float": Kind(_draw_float, _other_float, _FLOATING),
    "bool": Kind(lambda draw: draw.random() < 0.5, lambda value, _draw: not value, _TRUTHS),
    "text": Kind(lambda draw: draw.choice(_WORDS), _other_word, _TEXTS),
    "moment": Kind(_draw_moment, _other_moment, _MOMENTS),
    "duration": Kind(lambda draw: draw.randint(-9, 99) * SECOND_NS, lambda v, _draw: v + SECOND_NS, _DURATIONS),
    "date": Kind(lambda draw: draw.randint(18_000, 20_000) * 86_400, lambda v, _draw: v + 86_400, _DATES),
    **{
        zone: Kind(_draw_moment, _other_moment, tuple(dress for each in spellings for dress in _zoned(each)))
        for zone, spellings in ZONES.items()
    },
}
NUMBERS: Final = ("int", "bit", "float")
COMMON: Final = ("int", "float", "text", "bool", "moment", "bit")  # drawn more often than the others

# What is built of cells

SEQUENCES: Final = ("list", "tuple", "array", "index", "series")
SETS: Final = ("set", "frozenset")
BARE: Final = ("bare", "zero_d")
TABLES: Final = ("frame", "records", "lists", "rows", "row_lists", "matrix")
_ITEMS: Final = (*BARE, "list", "tuple", *SETS, "dict", *TABLES[1:])  # whose cells are objects of their own
_HEADINGS: Final = ("city", "fare", "n", "when", "share")
_LABEL_KINDS: Final = ("text", "int", "moment", "float", "UTC")
_WRAPS: Final = ("[{}, 'x']", "({}, 1)", "{{'mean': {}, 'n': 2}}")


@dataclass(frozen=True)
class Cells:
    """Cells of one kind and how they are written."""

    kind: str
    values: tuple[Any, ...]  # None: missing
    dress: str
    gap: int = 0  # which of the ways to write a missing value

    @property
    def worn(self) -> Dress:
        return next(dress for dress in KINDS[self.kind].dresses if dress.name == self.dress)

    def literals(self) -> list[str]:
        worn = self.worn
        gap = worn.gaps[self.gap % len(worn.gaps)] if worn.gaps else ""
        return [gap if value is None else worn.literal(value) for value in self.values]

    def array(self) -> str:
        return self.worn.array.format(cells=self._listed(), mask=[value is None for value in self.values])

    def _listed(self) -> str:
        return f"[{', '.join(self.literals())}]"

    def column(self, make: str, **more: str | None) -> str:
        """Return the expression of a Series or Index."""
        named = {"dtype": self.worn.dtype, **more}
        options = [f"{name}={each}" for name, each in named.items() if each]
        return f"{make}({', '.join([self._listed(), *options])})"

    def at(self, places: Sequence[int]) -> "Cells":
        return replace(self, values=tuple(self.values[i] for i in places))

    def is_distinct(self) -> bool:
        return None not in self.values and len(set(self.values)) == len(self.values)


def fitting(kind: str, values: Sequence[Any], home: str) -> list[str]:
    """Return the names of the dresses that cells can wear in some home without losing anything."""

    def can_wear(dress: Dress) -> bool:
        if home == "array":
            return bool(dress.array)
        return dress.item if home in _ITEMS else dress.dtype is not None and (home != "index" or dress.index)

    able = [dress for dress in KINDS[kind].dresses if can_wear(dress) and (dress.gaps or None not in values)]
    return [dress.name for dress in able if all(value is None or dress.fits(value) for value in values)]


def dressed(kind: str, values: Sequence[Any], home: str, draw: random.Random) -> Cells | None:
    """Return the cells in any dress that fits, or None."""
    found = fitting(kind, values, home)
    return Cells(kind, tuple(values), draw.choice(found), draw.randrange(12)) if found else None


def draw_cells(draw: random.Random, home: str, size: int, *, kind: str = "", gaps: float = 0.0) -> Cells:
    """Return some cells; with gaps, some are missing."""
    while True:
        name = kind or (draw.choice(COMMON) if draw.random() < 0.6 else draw.choice(list(KINDS)))
        values = [None if draw.random() < gaps else KINDS[name].draw(draw) for _ in range(size)]
        if (found := dressed(name, values, home, draw)) is not None:
            return found
        gaps = 0.0


@dataclass(frozen=True)
class Value:
    """Columns of cells in a home; all but tables have one column."""

    columns: tuple[Cells, ...]
    home: str
    headings: tuple[Any, ...] = ()  # of tables
    labels: Cells | None = None  # of rows, or the keys of a dict; None: numbered
    name: str | None = None  # of a series or index, or of a frame's column labels
    label_name: str | None = None
    wrap: str = "{}"  # what it stands in

    def __len__(self) -> int:
        return len(self.columns[0].values)

    def content(self) -> Any:
        """What it holds, to tell whether a change changes anything."""
        return tuple((cells.kind, cells.values) for cells in self.columns)

    def rows(self) -> list[tuple[Any, ...]]:
        return list(zip(*(cells.values for cells in self.columns), strict=True))

    def expression(self) -> str:
        return self.wrap.format(self._table() if self.home in TABLES else self._flat(self.columns[0]))

    def _index(self) -> str:
        name = f"name={self.label_name!r}"
        if self.labels is None:
            return f"pd.RangeIndex({len(self)}, {name})" if self.label_name else ""
        return self.labels.column("pd.Index", name=repr(self.label_name))

    def _flat(self, cells: Cells) -> str:
        if self.home == "series":
            return cells.column("pd.Series", index=self._index(), name=repr(self.name))
        if self.home == "index":
            return cells.column("pd.Index", name=repr(self.name))
        if self.home == "array":
            return cells.array()
        items = cells.literals()
        if self.home == "dict":
            return _mapping(self.labels.literals() if self.labels else map(str, range(len(self))), items)
        listed = ", ".join(items)
        empty = {"set": "set()"} if not items else {}
        forms = {"bare": listed, "zero_d": f"np.array({listed})", "list": f"[{listed}]", "set": f"{{{listed}}}"}
        forms |= {"tuple": f"({listed}{',' * (len(items) == 1)})", "frozenset": f"frozenset([{listed}])"}
        return {**forms, **empty}[self.home]

    def _table(self) -> str:
        headings = list(map(repr, self.headings))
        if self.home == "frame":
            index, axis = self._index(), f".rename_axis(columns={self.name!r})" if self.name else ""
            made = _mapping(headings, [cells.column("pd.Series") for cells in self.columns])
            return f"pd.DataFrame({made}){f'.set_axis({index}, axis=0)' if index else ''}{axis}"
        literals = [cells.literals() for cells in self.columns]
        if self.home == "lists":
            return _mapping(headings, [f"[{', '.join(cells)}]" for cells in literals])
        rows = list(zip(*literals, strict=True))
        if self.home == "records":
            return f"[{', '.join(_mapping(headings, row) for row in rows)}]"
        form = "({},)" if self.home == "rows" else "[{}]"
        listed = f"[{', '.join(form.format(', '.join(row)) for row in rows)}]"
        return f"np.array({listed})" if self.home == "matrix" else listed


def _mapping(keys: Any, expressions: Sequence[str]) -> str:
    return f"{{{', '.join(f'{key}: {each}' for key, each in zip(keys, expressions, strict=True))}}}"


def _draw_flat(draw: random.Random) -> Value:
    home = draw.choice((*SETS, "list", "list", "tuple", "dict", "array", "array", "index", *["series"] * 4))
    size = draw.choice((0, 1, 1, 2, 2, 3, 3, 4, 5))
    cells = draw_cells(draw, home, size, gaps=0.25 if home not in (*SETS, "dict") and draw.random() < 0.4 else 0.0)
    labels = None
    if home in SETS:
        cells = replace(cells, values=tuple(dict.fromkeys(cells.values)))
    if home in ("series", "dict") and draw.random() < 0.6:
        labels = draw_cells(draw, "index" if home == "series" else home, size, kind=draw.choice(_LABEL_KINDS))
        labels = None if home == "dict" and not labels.is_distinct() else labels
    name = draw.choice((None, None, "fare")) if home in ("series", "index") else None
    return Value((cells,), home, (), labels, name, draw.choice((None, "k")) if home == "series" else None)


def _draw_table(draw: random.Random) -> Value:
    home = draw.choice((*["frame"] * 7, "records", "lists", "rows", "row_lists"))
    size = draw.choice((0, 1, 2, 2, 3, 3, 4)) if home in ("frame", "lists") else draw.choice((1, 2, 3, 4))
    width = draw.choice((1, 2, 2, 3, 4))
    same = draw.choice(NUMBERS) if home in ("rows", "row_lists") and draw.random() < 0.5 else ""
    gaps = 0.2 if not same and draw.random() < 0.4 else 0.0
    columns = tuple(draw_cells(draw, home, size, kind=same, gaps=gaps) for _ in range(width))
    if home != "frame":
        return Value(columns, home, tuple(draw.sample(_HEADINGS, width)))
    headings: tuple[Any, ...] = tuple(range(width)) if draw.random() < 0.1 else tuple(draw.sample(_HEADINGS, width))
    labels = draw_cells(draw, "index", size, kind=draw.choice(_LABEL_KINDS)) if draw.random() < 0.5 else None
    return Value(columns, home, headings, labels, draw.choice((None, None, "kind")), draw.choice((None, "k")))


def draw_value(draw: random.Random) -> Value:
    """Return a value of any shape."""
    place = draw.random()
    if place < 0.12:
        return Value((draw_cells(draw, "bare", 1),), draw.choice(("bare", "bare", "zero_d")))
    value = _draw_flat(draw) if place < 0.55 else _draw_table(draw)
    return replace(value, wrap=draw.choice(_WRAPS)) if draw.random() < 0.2 else value
