"""Changes to a value that the table of equality calls a presentation error, for the equality fuzzer."""

import random
from dataclasses import replace
from typing import Final

from tests.inside.equality_cells import KINDS, ZONES
from tests.inside.equality_changes import (
    FAMILY,
    PARTIAL,
    Change,
    Changed,
    columns_of,
    permuted_columns,
    recast,
    retelling,
    shuffled,
    some_column,
    taken,
)
from tests.inside.equality_values import (
    NUMBERS,
    SETS,
    Bundle,
    Cells,
    Labels,
    Row,
    Spec,
    Table,
    dressed,
    is_distinct,
    is_unique,
)

_FEW: Final = 3  # surplus columns that still make a superset
SEQUENCES: Final = ("list", "tuple", "array", "index", "series")
_CONTAINERS: Final = (*SEQUENCES, *SETS, "frame", "column", "bare")
_FRESH: Final = ("speed", "height", "colour", "ratio")  # headings that no value has


def _rehome(value: Spec, draw: random.Random) -> Changed | None:
    if isinstance(value, Bundle):
        return None
    changed = _rehomed_row(value, draw) if isinstance(value, Row) else _rehomed_table(value, draw)
    return Changed(changed, f"{FAMILY.get(value.home, value.home)} as {changed.home}") if changed else None


def _rehomed_row(value: Row, draw: random.Random) -> Row | None:
    family = FAMILY.get(value.home, value.home)
    homes = [home for home in _CONTAINERS if FAMILY.get(home, home) != family]
    if family == "dict" or not homes:
        return None
    home = draw.choice(homes)
    cells = value.cells
    if home in SETS and not (is_distinct(cells) and len(value)):
        return None
    if "bare" in (home, family) and (len(value) != 1 or None in cells.values):
        return None
    return _in_home(value.cells, home, value.labels if home == "frame" and family == "series" else Labels(), draw)


def _in_home(cells: Cells, home: str, labels: Labels, draw: random.Random) -> Row | None:
    found = dressed(cells.kind, cells.values, home, draw)
    return Row(found, home, labels) if found else None


def _rehomed_table(value: Table, draw: random.Random) -> Row | Table | None:
    if not len(value):
        return None
    if value.home == "frame":
        homes = ["rows", "matrix"] if isinstance(value.headings[0], tuple) else ["records", "rows", "matrix"]
    else:
        homes = {"records": ["frame"], "matrix": ["frame", "rows"], "rows": ["frame", "matrix"]}.get(
            value.home, ["rows"]
        )
    if value.home == "lists":
        return None
    if value.home == "frame" and len(value.columns) == 1 and draw.random() < 0.5:
        home = draw.choice(SEQUENCES)
        return _in_home(value.columns[0], home, value.labels if home == "series" else Labels(), draw)
    return _table_in(value, draw.choice(homes), draw)


def _table_in(value: Table, home: str, draw: random.Random) -> Table | None:
    if home == "matrix":
        if any(cells.kind not in NUMBERS or None in cells.values for cells in value.columns):
            return None
        plain = [replace(cells, dress="float" if cells.kind == "float" else "int") for cells in value.columns]
        return replace(value, columns=tuple(plain), home=home, labels=Labels(), axis_name=None)
    columns = [dressed(cells.kind, cells.values, home, draw) for cells in value.columns]
    found = tuple(cells for cells in columns if cells is not None)
    if len(found) < len(columns):
        return None
    return replace(value, columns=found, home=home, labels=Labels(), axis_name=None)


def _to_or_from_dict(value: Spec, draw: random.Random) -> Changed | None:
    """A Series as a dict of its labels, a frame as a dict of lists, and back."""
    if isinstance(value, Table) and value.home in ("frame", "lists") and not isinstance(value.headings[0], tuple):
        table = _table_in(value, "lists" if value.home == "frame" else "frame", draw)
        return Changed(table, "frame and dict of lists") if table else None
    if not isinstance(value, Row) or value.home not in ("series", "dict") or not len(value):
        return None
    if not is_unique(value.labels) or None in value.cells.values:
        return None
    home = "dict" if value.home == "series" else "series"
    cells = dressed(value.cells.kind, value.cells.values, home, draw)
    keys = [
        dressed(level.kind, level.values, "dict" if home == "dict" else "index", draw) for level in value.labels.levels
    ]
    levels = tuple(level for level in keys if level is not None)
    if cells is None or len(levels) < len(keys):
        return None
    return Changed(Row(cells, home, Labels(levels)), "Series and dict")


def permute(value: Spec, draw: random.Random) -> Changed | None:
    """Return the value with its elements, rows or parts in another order."""
    order = shuffled(len(value), draw)
    if order is None or value.home in (*SETS, "dict", "lists"):
        return None
    if isinstance(value, Bundle):
        parts = tuple(value.parts[i] for i in order)
        unlike = [part.content() for part in parts] != [part.content() for part in value.parts]
        unlike = unlike and all(len(part) for part in parts)  # of two empty ones nobody can tell which is which
        return Changed(replace(value, parts=parts), "order of parts") if unlike else None
    moved = taken(value, order)
    if moved.content() == value.content():
        return None
    line = "order of rows" if isinstance(value, Table) else "order of elements"
    if value.home in ("series", "frame"):
        if value.labels.levels and moved.labels == value.labels:
            return None  # one label for all: which row is which cannot be told
        if not value.labels.levels and draw.random() < 0.5:
            labels = Labels((Cells("int", tuple(order), "int64"),), value.labels.names)
            return Changed(replace(moved, labels=labels), f"{line}, with their labels")
    return Changed(moved, line)


def _permute_columns(value: Spec, draw: random.Random) -> Changed | None:
    if not isinstance(value, Table) or value.home != "frame":
        return None
    changed = permuted_columns(value, draw)
    return Changed(changed, "order of columns") if changed else None


def _relabel(value: Spec, draw: random.Random) -> Changed | None:
    if isinstance(value, Bundle) or value.home not in ("series", "frame") or not len(value):
        return None
    if value.labels.levels:
        if value.labels.levels[0].values == tuple(range(len(value))):
            return None
        return Changed(replace(value, labels=Labels()), "row labels dropped")
    kind, start = draw.choice((("text", "row {}"), ("int", "")))
    labels = tuple(start.format(i) if start else i + 7 for i in range(len(value)))
    level = dressed(kind, labels, "index", draw)
    return Changed(replace(value, labels=Labels((level,))), "other row labels") if level else None


def _retitle(value: Spec, draw: random.Random) -> Changed | None:
    if not isinstance(value, Table) or value.home != "frame":
        return None
    titles = draw.sample(_FRESH, len(value.headings))
    count = draw.randint(1, len(titles))
    headings = [("new", title) if isinstance(value.headings[0], tuple) else title for title in titles]
    return Changed(replace(value, headings=(*headings[:count], *value.headings[count:])), "other column labels")


def add_surplus(value: Table, count: int, draw: random.Random) -> Table:
    """Return the table with more columns among its own."""
    columns, headings = list(value.columns), list(value.headings)
    for number in range(count):
        extra = Cells("text", tuple(f"extra {number} {i}" for i in range(len(value))), "inferred")
        place = draw.randint(0, len(columns))
        columns.insert(place, extra)
        headings.insert(place, ("extra", str(number)) if isinstance(headings[0], tuple) else f"extra {number}")
    return replace(value, columns=tuple(columns), headings=tuple(headings))


def _add_columns(value: Spec, draw: random.Random) -> Changed | None:
    if not isinstance(value, Table) or value.home != "frame":
        return None
    return Changed(add_surplus(value, draw.randint(1, _FEW), draw), "surplus columns")


def _add_entries(value: Spec, draw: random.Random) -> Changed | None:
    line = "surplus dict entries"
    if isinstance(value, Bundle):
        if value.home != "dict":
            return None
        extra = Row(Cells("int", (4,), "int"), "bare")
        return Changed(replace(value, parts=(*value.parts, extra), keys=(*value.keys, "surplus")), line)
    if not isinstance(value, Row) or value.home != "dict" or not len(value):
        return None
    cells = replace(
        value.cells, values=(*value.cells.values, KINDS[value.cells.kind].other(value.cells.values[0], draw))
    )
    if cells.dress not in {dress.name for dress in KINDS[cells.kind].dresses if dress.fits(cells.values[-1])}:
        return None
    levels = value.labels.levels
    if levels:
        fresh = KINDS[levels[0].kind].other(levels[0].values[0], draw)
        if fresh in levels[0].values or not levels[0].worn.fits(fresh):
            return None
        levels = (replace(levels[0], values=(*levels[0].values, fresh)),)
    return Changed(replace(value, cells=cells, labels=Labels(levels)), line)


def _place_in_frame(value: Spec, draw: random.Random) -> Changed | None:
    """One column, or the index, of a frame that holds more."""
    if not isinstance(value, Row) or value.home not in SEQUENCES or not len(value):
        return None
    extra = Cells("text", tuple(f"other {i}" for i in range(len(value))), "inferred")
    if draw.random() < 0.3 and value.cells.values != tuple(range(len(value))):  # which says no more than no labels
        level = dressed(value.cells.kind, value.cells.values, "index", draw)
        table = Table(("note", "more"), (extra, extra), "frame", Labels((level,))) if level else None
        return Changed(table, "index of a frame") if table else None
    cells = dressed(value.cells.kind, value.cells.values, "frame", draw)
    if cells is None:
        return None
    columns = [(value.name or "answer", cells), ("note", extra)]
    draw.shuffle(columns)
    headings, found = zip(*columns, strict=True)
    labels = value.labels if value.home == "series" else Labels()
    return Changed(Table(headings, found, "frame", labels), "column of a frame")


def _change_zone(value: Spec, draw: random.Random) -> Changed | None:
    place = some_column(value, draw, *ZONES)
    if isinstance(value, Bundle) or place is None:
        return None
    old = columns_of(value)[place]
    zone = draw.choice([zone for zone in ZONES if zone != old.kind])
    changed = recast(value, place, zone, old.values, draw)
    return Changed(changed, "zone") if changed else None


SHAPES: Final = frozenset(
    {"container", "dict", "headings", "columns", "surplus columns", "surplus entries", "in a frame"}
)
OTHERWISE: Final = SHAPES | {"rows", "index", "zone", "midnight"}

_MIDNIGHT: Final = retelling(lambda _kind: ("moment", int), "midnight for a date", "date")

SHOWN: Final = (
    Change("container", PARTIAL, _rehome, frozenset({"CONTAINER"}), inside=True, apart=SHAPES),
    Change("dict", PARTIAL, _to_or_from_dict, frozenset({"CONTAINER"}), inside=True, apart=SHAPES | {"rows", "index"}),
    Change("rows", PARTIAL, permute, frozenset({"ORDER"}), loosened_by="ignore_order"),
    Change("columns", PARTIAL, _permute_columns, frozenset({"ORDER"}), loosened_by="ignore_order"),
    Change("index", PARTIAL, _relabel, frozenset({"INDEX"}), loosened_by="ignore_index", inside=True),
    Change(
        name="headings",
        answer=PARTIAL,
        apply=_retitle,
        causes=frozenset({"NAME"}),
        loosened_by="ignore_names",
        inside=True,
        apart=SHAPES,
    ),
    Change("surplus columns", PARTIAL, _add_columns, frozenset({"EXTRA"}), one_way=True),
    Change("surplus entries", PARTIAL, _add_entries, frozenset({"EXTRA"}), one_way=True),
    Change("in a frame", PARTIAL, _place_in_frame, frozenset({"EXTRA", "CONTAINER"}), one_way=True, apart=OTHERWISE),
    Change("zone", PARTIAL, _change_zone, frozenset({"DTYPE"}), inside=True),
    Change("midnight", PARTIAL, _MIDNIGHT, frozenset({"DTYPE"}), inside=True),
)
