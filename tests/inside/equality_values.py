"""Values of every shape for the equality fuzzer: what is in them, and the Python expression that makes each.

A `Row` is one sequence of cells, a `Table` several columns, a `Bundle` a list, tuple or dict of these.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from tests.inside.equality_cells import KINDS, Dress, draw_kind

ITEMS: Final = ("bare", "zero_d", "list", "tuple", "set", "frozenset", "dict", "records", "lists", "rows", "matrix")
"""Homes whose cells are objects of their own."""
SETS: Final = ("set", "frozenset")
LABELLED: Final = ("series", "frame", "dict")
NUMBERS: Final = ("int", "bit", "float")
_HEADINGS: Final = ("city", "fare", "n", "when", "share")
_LABEL_KINDS: Final = ("text", "int", "moment", "float", "UTC")


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

    def listed(self) -> str:
        return f"[{', '.join(self.literals())}]"

    def array(self) -> str:
        mask = [value is None for value in self.values]
        return self.worn.array.format(cells=self.listed(), mask=mask)

    def column(self, make: str, *more: str) -> str:
        """Return the expression of a Series or Index."""
        dtype = [f"dtype={self.worn.dtype}"] if self.worn.dtype else []
        return f"{make}({', '.join([self.listed(), *dtype, *more])})"


def fitting(kind: str, values: Sequence[Any], home: str) -> list[str]:
    """Return the names of the dresses that cells can wear in some home without losing anything."""
    found = []
    for dress in KINDS[kind].dresses:
        wearable = {
            "array": bool(dress.array),
            "column": dress.array.startswith("np."),
            "index": dress.dtype is not None and dress.index,
            "multi": dress.dtype is not None and dress.index,
        }.get(home, dress.item if home in ITEMS else dress.dtype is not None)
        gaps = dress.gaps or None not in values
        if wearable and gaps and all(value is None or dress.fits(value) for value in values):
            found.append(dress.name)
    return found


def dressed(kind: str, values: Sequence[Any], home: str, draw: random.Random) -> Cells | None:
    """Return the cells in any dress that fits, or None."""
    found = fitting(kind, values, home)
    return Cells(kind, tuple(values), draw.choice(found), draw.randrange(12)) if found else None


def draw_cells(draw: random.Random, home: str, size: int, *, kind: str = "", gaps: float = 0.0) -> Cells:
    """Return some cells; with gaps, some are missing."""
    while True:
        name = kind or draw_kind(draw)
        values = [None if draw.random() < gaps else KINDS[name].draw(draw) for _ in range(size)]
        found = dressed(name, values, home, draw)
        if found is not None:
            return found
        gaps = 0.0


@dataclass(frozen=True)
class Labels:
    """Row labels: levels of cells, or the default numbering."""

    levels: tuple[Cells, ...] = ()  # none: the default numbering
    names: tuple[str | None, ...] = (None,)
    written: bool = False  # the default numbering as an index of integers

    def expression(self, size: int) -> str:
        """Return the expression of an index, empty where it is the default one."""
        if not self.levels and not self.written:
            return "" if self.names == (None,) else f"pd.RangeIndex({size}, name={self.names[0]!r})"
        if len(self.levels) > 1:
            levels = ", ".join(level.column("pd.Index") for level in self.levels)
            return f"pd.MultiIndex.from_arrays([{levels}], names={list(self.names)!r})"
        name = f"name={self.names[0]!r}"
        return self.levels[0].column("pd.Index", name) if self.levels else f"pd.Index({list(range(size))}, {name})"

    def taken(self, places: Sequence[int]) -> "Labels":
        """Return the labels of some rows."""
        return replace(self, levels=tuple(at(level, places) for level in self.levels))


def at(cells: Cells, places: Sequence[int]) -> Cells:
    """Return the cells at some places."""
    return replace(cells, values=tuple(cells.values[i] for i in places))


@dataclass(frozen=True)
class Row:
    """One sequence of cells, or a single one."""

    cells: Cells
    home: str
    labels: Labels = Labels()
    name: str | None = None

    def __len__(self) -> int:
        return len(self.cells.values)

    def content(self) -> Any:
        """What it holds, to tell whether a change changes anything."""
        return self.cells.kind, self.cells.values

    def expression(self) -> str:
        items = self.cells.literals() if self.home in ITEMS else []
        index = self.labels.expression(len(self)) if self.home in LABELLED else ""
        listed, array = ", ".join(items), self.cells.array()
        entries = zip(self.keys(), items, strict=True) if self.home == "dict" else ()
        more = ([f"index={index}"] if index else []) + ([f"name={self.name!r}"] if self.name else [])
        column = f"{{{self.name or 'x'!r}: {self.cells.column('pd.Series')}}}"
        return {
            **{"bare": listed, "zero_d": f"np.array({listed})", "list": f"[{listed}]"},
            **{"tuple": f"({listed}{',' if len(items) == 1 else ''})", "set": f"{{{listed}}}" if items else "set()"},
            "frozenset": f"frozenset([{listed}])",
            "dict": f"{{{', '.join(f'{key}: {item}' for key, item in entries)}}}",
            **{"array": array, "column": f"{array}.reshape(-1, 1)"},
            "index": self.cells.column("pd.Index", f"name={self.name!r}"),
            "series": self.cells.column("pd.Series", *more),
            "frame": f"pd.DataFrame({column}){_with_index(index)}",
        }[self.home]

    def keys(self) -> list[str]:
        """Return the expressions of its labels as the keys of a dict."""
        return self.labels.levels[0].literals() if self.labels.levels else [str(i) for i in range(len(self))]


def _mapping(keys: Sequence[Any], expressions: Sequence[str]) -> str:
    return f"{{{', '.join(f'{key!r}: {each}' for key, each in zip(keys, expressions, strict=True))}}}"


def _with_index(index: str) -> str:
    return f".set_axis({index}, axis=0)" if index else ""


@dataclass(frozen=True)
class Table:
    """Columns of one length under headings."""

    headings: tuple[Any, ...]
    columns: tuple[Cells, ...]
    home: str  # frame, records, lists (a dict of them), matrix, rows (a list of tuples), multi (an index)
    labels: Labels = Labels()
    axis_name: str | None = None
    brackets: str = "()"  # of the rows

    def __len__(self) -> int:
        return len(self.columns[0].values)

    def content(self) -> Any:
        return tuple((cells.kind, cells.values) for cells in self.columns)

    def rows(self) -> list[tuple[Any, ...]]:
        return list(zip(*(cells.values for cells in self.columns), strict=True))

    def expression(self) -> str:
        if self.home == "multi":
            levels = ", ".join(cells.column("pd.Index") for cells in self.columns)
            return f"pd.MultiIndex.from_arrays([{levels}], names={list(self.headings)!r})"
        if self.home == "frame":
            return self._frame()
        literals = [cells.literals() for cells in self.columns]
        if self.home == "lists":
            return _mapping(self.headings, [f"[{', '.join(cells)}]" for cells in literals])
        rows = list(zip(*literals, strict=True))
        if self.home == "records":
            return f"[{', '.join(_mapping(self.headings, row) for row in rows)}]"
        start, end = ("[", "]") if self.home == "matrix" else (self.brackets[0], self.brackets[1])
        end = "," + end if start == "(" and len(self.columns) == 1 else end
        found = f"[{', '.join(start + ', '.join(row) + end for row in rows)}]"
        return f"np.array({found})" if self.home == "matrix" else found

    def _frame(self) -> str:
        columns = [cells.column("pd.Series") for cells in self.columns]
        axis = f".rename_axis(columns={self.axis_name!r})" if self.axis_name else ""
        return f"pd.DataFrame({_mapping(self.headings, columns)}){_with_index(self.labels.expression(len(self)))}{axis}"


@dataclass(frozen=True)
class Bundle:
    """Several values in a list, tuple or dict."""

    parts: "tuple[Row | Table, ...]"
    home: str
    keys: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.parts)

    def content(self) -> Any:
        return tuple(part.content() for part in self.parts)

    def expression(self) -> str:
        parts = [part.expression() for part in self.parts]
        if self.home == "dict":
            return _mapping(self.keys, parts)
        joined = ", ".join(parts)
        return f"[{joined}]" if self.home == "list" else f"({joined},)"


Spec = Row | Table | Bundle


def draw_labels(draw: random.Random, size: int) -> Labels:
    """Return row labels, which may stand twice."""
    if draw.random() < 0.5:
        return Labels(names=(draw.choice((None, None, "k")),), written=draw.random() < 0.3)
    count = 2 if draw.random() < 0.3 else 1
    levels = tuple(draw_cells(draw, "index", size, kind=draw.choice(_LABEL_KINDS)) for _ in range(count))
    return Labels(levels, tuple(draw.choice((None, "k", "day")) for _ in levels))


def is_unique(labels: Labels) -> bool:
    """Return whether a dict can have these labels as keys."""
    return not labels.levels or (len(labels.levels) == 1 and is_distinct(labels.levels[0]))


def is_distinct(cells: Cells) -> bool:
    """Return whether no cell stands twice and none is missing."""
    return None not in cells.values and len(set(cells.values)) == len(cells.values)


def _draw_row(draw: random.Random) -> Row:
    home = draw.choice(
        ("list", "list", "tuple", "set", "frozenset", "dict", "array", "array", "index", *["series"] * 4)
    )
    size = draw.choice((0, 1, 1, 2, 2, 3, 3, 4, 5))
    gaps = 0.25 if home not in (*SETS, "dict") and draw.random() < 0.4 else 0.0
    cells = draw_cells(draw, home, size, gaps=gaps)
    labels = draw_labels(draw, size) if home in LABELLED else Labels()
    if home in SETS:
        cells = replace(cells, values=tuple(dict.fromkeys(cells.values)))
    if home == "dict":
        levels = tuple(
            at_home for level in labels.levels[:1] if (at_home := dressed(level.kind, level.values, home, draw))
        )
        labels = Labels(levels) if is_unique(Labels(levels)) else Labels()
    return Row(cells, home, labels, draw.choice((None, None, "fare")) if home in ("series", "index") else None)


def _draw_table(draw: random.Random) -> Table:
    home = draw.choice((*["frame"] * 7, "records", "lists", "rows", "rows", "multi"))
    size = draw.choice((0, 1, 2, 2, 3, 3, 4)) if home in ("frame", "lists") else draw.choice((1, 2, 3, 4))
    width = draw.choice((1, 2, 2, 3, 4)) if home != "multi" else 2
    gaps = 0.2 if draw.random() < 0.4 else 0.0
    same = draw.choice(NUMBERS) if home == "rows" and draw.random() < 0.5 else ""
    columns = tuple(draw_cells(draw, home, size, kind=same, gaps=0.0 if same else gaps) for _ in range(width))
    headings: tuple[Any, ...] = tuple(draw.sample(_HEADINGS, width))
    if home == "frame" and draw.random() < 0.2:
        headings = tuple(range(width)) if draw.random() < 0.5 else tuple(("top", heading) for heading in headings)
    flat = not isinstance(headings[0], tuple)
    axis_name = draw.choice((None, None, "kind")) if home == "frame" and flat else None
    labels = draw_labels(draw, size) if home == "frame" else Labels()
    return Table(headings, columns, home, labels, axis_name, draw.choice(("()", "[]")))


def _draw_bare(draw: random.Random) -> Row:
    return Row(draw_cells(draw, "bare", 1), draw.choice(("bare", "bare", "zero_d")))


def draw_value(draw: random.Random) -> Spec:
    """Return a value of any shape."""
    place = draw.random()
    if place < 0.12:
        return _draw_bare(draw)
    if place < 0.5:
        return _draw_row(draw)
    if place < 0.85:
        return _draw_table(draw)
    makers = (_draw_bare, _draw_row, _draw_row, _draw_table)
    parts = tuple(draw.choice(makers)(draw) for _ in range(draw.choice((1, 2, 2, 3))))
    keys = tuple(draw.sample(("mean", "top", "rest", "n"), len(parts)))
    return Bundle(parts, draw.choice(("list", "tuple", "dict")), keys)
