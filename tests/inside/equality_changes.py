"""Changes to a value that the table of equality calls equal, for the equality fuzzer, and what all changes share.

A change returns the changed value and the line of the table that it tests, or None where it would change nothing.
"""

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from tests.inside.equality_values import (
    NUMBERS,
    SETS,
    Bundle,
    Cells,
    Row,
    Spec,
    Table,
    at,
    draw_cells,
    dressed,
    fitting,
)

YES: Final = "yes"
PARTIAL: Final = "partial"
NO: Final = "no"
TWINS: Final = {
    "list": "tuple",
    "tuple": "list",
    "set": "frozenset",
    "frozenset": "set",
    "bare": "zero_d",
    "zero_d": "bare",
}
FAMILY: Final = {"tuple": "list", "frozenset": "set", "zero_d": "bare"}  # homes that equal another one
_TWIN_LINES: Final = {"list": "list and tuple", "set": "set and frozenset", "bare": "0-d array"}


class Changed(NamedTuple):
    """A value after a change."""

    value: Spec
    line: str


Apply = Callable[[Any, random.Random], Changed | None]


@dataclass(frozen=True)
class Change:
    """A change, and what must be answered where it stands alone."""

    name: str
    answer: str
    apply: Apply
    causes: frozenset[str] = frozenset()  # of a partial answer: at least one of these
    one_way: bool = False  # the other way round another answer is right
    loosened_by: str = ""  # the option under which it is equal
    inside: bool = False  # it counts as much within a part of a list, tuple or dict
    apart: frozenset[str] = frozenset()  # changes that it is not combined with

    def made(self, value: Spec, draw: random.Random) -> Changed | None:
        """Return the changed value, or None where it would be the same or cannot be written."""
        changed = self.apply(value, draw)
        if changed is not None or not self.inside or not isinstance(value, Bundle):
            return changed
        place = draw.randrange(len(value.parts))
        changed = self.apply(value.parts[place], draw)
        if (
            changed is None
            or isinstance(changed.value, Bundle)
            or _is_bare(changed.value) != _is_bare(value.parts[place])
        ):
            return None
        parts = (*value.parts[:place], changed.value, *value.parts[place + 1 :])
        return Changed(replace(value, parts=parts), f"inside: {changed.line}")


def _is_bare(value: Spec) -> bool:
    return value.home in ("bare", "zero_d")


def columns_of(value: Row | Table) -> list[Cells]:
    """Return all cells, column by column."""
    return [value.cells] if isinstance(value, Row) else list(value.columns)


def with_column(value: Row | Table, place: int, cells: Cells) -> Row | Table:
    """Return the value with other cells in one column."""
    if isinstance(value, Row):
        return replace(value, cells=cells)
    return replace(value, columns=(*value.columns[:place], cells, *value.columns[place + 1 :]))


def recast(value: Row | Table, place: int, kind: str, cells: Iterable[Any], draw: random.Random) -> Row | Table | None:
    """Return the value with other cells in one column: in the dress of the old ones, or else in any that fits."""
    old, cells = columns_of(value)[place], tuple(cells)
    if kind == old.kind and old.dress in fitting(kind, cells, value.home):
        return with_column(value, place, replace(old, values=cells))
    new = dressed(kind, cells, value.home, draw)
    return None if new is None else with_column(value, place, new)


def some_column(value: Spec, draw: random.Random, *kinds: str) -> int | None:
    """Return the place of a column of one of the kinds (none given: any) that holds a value."""
    if isinstance(value, Bundle):
        return None
    columns = columns_of(value)
    held = [i for i, cells in enumerate(columns) if any(each is not None for each in cells.values)]
    found = [i for i in held if not kinds or columns[i].kind in kinds]
    return draw.choice(found) if found else None


def retelling(told: Callable[[str], tuple[str, Callable[[Any], Any]]], line: str, *kinds: str) -> Apply:
    """Return a change of one column to another kind: `told(kind)` gives that kind and a function for its cells."""

    def apply(value: Spec, draw: random.Random) -> Changed | None:
        place = some_column(value, draw, *kinds)
        if isinstance(value, Bundle) or place is None or value.home == "matrix":
            return None
        cells = columns_of(value)[place]
        kind, function = told(cells.kind)
        changed = recast(value, place, kind, [None if c is None else function(c) for c in cells.values], draw)
        return Changed(changed, line) if changed else None

    return apply


def some_cell(cells: Cells, draw: random.Random, *, missing: bool = False) -> int | None:
    """Return the place of a cell that is there, or of one that is missing."""
    found = [i for i, value in enumerate(cells.values) if (value is None) == missing]
    return draw.choice(found) if found else None


def put(values: tuple[Any, ...], place: int, value: Any) -> tuple[Any, ...]:
    """Return the values with another one at a place."""
    return (*values[:place], value, *values[place + 1 :])


def taken(value: Row | Table, places: list[int]) -> Row | Table:
    """Return the value with the rows at these places, which carry their labels."""
    labels = value.labels.taken(places)
    if isinstance(value, Row):
        return replace(value, cells=at(value.cells, places), labels=labels)
    return replace(value, columns=tuple(at(cells, places) for cells in value.columns), labels=labels)


def shuffled(size: int, draw: random.Random) -> list[int] | None:
    """Return another order of places, or None where there is one only."""
    if size < 2:
        return None
    order = list(range(size))
    while order == sorted(order):
        draw.shuffle(order)
    return order


def permuted_columns(value: Table, draw: random.Random) -> Table | None:
    """Return a table with its columns, under their headings, in another order."""
    order = shuffled(len(value.columns), draw)
    if order is None:
        return None
    headings, columns = tuple(value.headings[i] for i in order), tuple(value.columns[i] for i in order)
    return replace(value, headings=headings, columns=columns)


def _redress(spec: Spec, draw: random.Random) -> Changed | None:
    if isinstance(spec, Bundle) or spec.home == "matrix" or (place := some_column(spec, draw)) is None:
        return None
    old = columns_of(spec)[place]
    choices = [name for name in fitting(old.kind, old.values, spec.home) if name != old.dress]
    if not choices:
        return None
    new = replace(old, dress=draw.choice(choices), gap=draw.randrange(12))
    line = new.worn.line if new.worn.line not in ("dtypes", "scalar types") else old.worn.line
    return Changed(with_column(spec, place, new), line)


def _regap(spec: Spec, draw: random.Random) -> Changed | None:
    if isinstance(spec, Bundle) or spec.home == "bare" or (place := some_column(spec, draw)) is None:
        return None
    old = columns_of(spec)[place]
    gaps = old.worn.gaps
    if None not in old.values or len(gaps) < 2:
        return None
    other = draw.choice([i for i in range(len(gaps)) if i != old.gap % len(gaps)])
    return Changed(with_column(spec, place, replace(old, gap=other)), "missing values")


def _twin(spec: Spec, draw: random.Random) -> Changed | None:
    if isinstance(spec, Table):
        if spec.home != "rows":
            return None
        return Changed(replace(spec, brackets="[]" if spec.brackets == "()" else "()"), "list and tuple")
    twin = TWINS.get(spec.home)
    line = _TWIN_LINES.get(FAMILY.get(spec.home, spec.home), "")
    return Changed(replace(spec, home=twin), line) if twin else None


def _rename(spec: Spec, draw: random.Random) -> Changed | None:
    if isinstance(spec, Bundle):
        return None
    choices: list[Spec] = []
    if isinstance(spec, Row) and spec.home in ("series", "index"):
        choices.append(replace(spec, name=draw.choice([name for name in (None, "miles", "0") if name != spec.name])))
    if isinstance(spec, Table) and spec.home == "multi":
        choices.append(replace(spec, headings=tuple(f"{heading}_2" for heading in spec.headings)))
    if isinstance(spec, Table) and spec.home == "frame" and not isinstance(spec.headings[0], tuple):
        choices.append(replace(spec, axis_name=None if spec.axis_name else "variable"))
    if spec.home in ("series", "frame"):
        names = tuple("renamed" if name != "renamed" else None for name in spec.labels.names)
        choices.append(replace(spec, labels=replace(spec.labels, names=names)))
    return Changed(draw.choice(choices), "names") if choices else None


def _noise(spec: Spec, draw: random.Random) -> Changed | None:
    if isinstance(spec, Bundle) or (place := some_column(spec, draw, *NUMBERS)) is None:
        return None
    cells = columns_of(spec)[place]
    if "float16" in cells.dress or spec.home == "matrix" or (spec.home in SETS and cells.kind != "float"):
        return None
    near = {value: _near(float(value), draw) for value in cells.values if value is not None}  # what is tied stays so
    values = [None if value is None else near[value] for value in cells.values]
    if values == list(cells.values):
        return None
    changed = recast(spec, place, "float", values, draw)
    return Changed(changed, "tolerance") if changed else None


def _near(value: float, draw: random.Random) -> float:
    """Return a number within the tolerance."""
    return value * (1 + draw.choice((-1, 1)) * 3e-6) + draw.choice((-1, 1)) * 3e-9 if abs(value) < 1e300 else value


def _relabel_alike(spec: Spec, draw: random.Random) -> Changed | None:
    if isinstance(spec, Bundle) or spec.home not in ("series", "frame", "dict"):
        return None
    labels = spec.labels
    if not labels.levels:
        if spec.home == "dict":
            return None
        return Changed(replace(spec, labels=replace(labels, written=not labels.written)), "RangeIndex and Index")
    place = draw.randrange(len(labels.levels))
    old = labels.levels[place]
    home = "dict" if spec.home == "dict" else "index"
    choices = [name for name in fitting(old.kind, old.values, home) if name != old.dress]
    if not choices:
        return None
    new = replace(old, dress=draw.choice(choices))
    levels = (*labels.levels[:place], new, *labels.levels[place + 1 :])
    line = "dict keys" if home == "dict" else f"labels: {new.worn.line}"
    return Changed(replace(spec, labels=replace(labels, levels=levels)), line)


def _noisy_labels(spec: Spec, draw: random.Random) -> Changed | None:
    if isinstance(spec, Bundle) or not spec.labels.levels:
        return None
    old = spec.labels.levels[0]
    if old.kind != "float" or "float16" in old.dress:
        return None
    cells = dressed(
        "float", [_near(value, draw) for value in old.values], "dict" if spec.home == "dict" else "index", draw
    )
    if cells is None or cells.values == old.values:
        return None
    levels = (cells, *spec.labels.levels[1:])
    return Changed(replace(spec, labels=replace(spec.labels, levels=levels)), "floats in keys and labels")


def _reorder_entries(spec: Spec, draw: random.Random) -> Changed | None:
    """Entries of dicts have no order."""
    line = "order of a dict's entries"
    if isinstance(spec, Bundle):
        order = shuffled(len(spec), draw)
        if spec.home != "dict" or order is None:
            return None
        keys, parts = tuple(spec.keys[i] for i in order), tuple(spec.parts[i] for i in order)
        return Changed(replace(spec, keys=keys, parts=parts), line)
    if isinstance(spec, Table):
        changed = permuted_columns(spec, draw) if spec.home in ("records", "lists") else None
        return Changed(changed, line) if changed else None
    order = shuffled(len(spec), draw)
    if spec.home != "dict" or order is None or not spec.labels.levels:
        return None
    return Changed(taken(spec, order), line)


def _retype_nothing(spec: Spec, draw: random.Random) -> Changed | None:
    if isinstance(spec, Bundle) or len(spec) or spec.home not in ("series", "frame", "array", "index"):
        return None
    place = draw.randrange(len(columns_of(spec)))
    new = draw_cells(draw, spec.home, 0)
    return Changed(with_column(spec, place, new), "dtype of empty tables")


EQUAL: Final = (
    Change("dress", YES, _redress, inside=True),
    Change("gap", YES, _regap, inside=True),
    Change("twin", YES, _twin, inside=True),
    Change("name", YES, _rename, inside=True),
    Change("noise", YES, _noise, inside=True),
    Change("labels", YES, _relabel_alike, inside=True),
    Change("label noise", YES, _noisy_labels, inside=True),
    Change("entries", YES, _reorder_entries, inside=True),
    Change("nothing", YES, _retype_nothing, inside=True),
)
