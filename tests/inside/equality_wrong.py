"""Changes to a value that the table of equality calls wrong, for the equality fuzzer."""

import datetime as dt
import random
from collections import Counter
from dataclasses import replace
from typing import Any, Final
from zoneinfo import ZoneInfo

from tests.inside.equality_cells import EPOCH, KINDS, SECOND_NS, ZONES, moment_text
from tests.inside.equality_changes import (
    EQUAL,
    NO,
    Change,
    Changed,
    columns_of,
    put,
    recast,
    retelling,
    shuffled,
    some_cell,
    some_column,
    taken,
)
from tests.inside.equality_shown import OTHERWISE, SEQUENCES, SHAPES, add_surplus, permute
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
)

_MANY: Final = 21  # surplus columns: too many for a superset
_WHOLE: Final = ("int", "bit")


def _set_cell(value: Spec, draw: random.Random, other: Any, *kinds: str) -> Row | Table | None:
    """Return the value with `other(old)` in place of one cell of these kinds; None for no change."""
    place = some_column(value, draw, *kinds)
    if isinstance(value, Bundle) or place is None:
        return None
    cells = columns_of(value)[place]
    cell = some_cell(cells, draw)
    assert cell is not None, "such a column holds a value"
    new = other(cells.values[cell], cells)
    return None if new is None else recast(value, place, cells.kind, put(cells.values, cell, new), draw)


def _nudge(value: Spec, draw: random.Random) -> Changed | None:
    changed = _set_cell(value, draw, lambda old, cells: KINDS[cells.kind].other(old, draw))
    if changed is None or changed.content() == value.content():
        return None
    kinds = {cells.kind for cells in columns_of(changed)}
    return Changed(changed, "another value" if len(kinds) > 1 else f"another value: {kinds.pop()}")


def _nudge_slightly(value: Spec, draw: random.Random) -> Changed | None:
    def other(old: float, cells: Cells) -> float | None:
        if not 0.01 <= abs(old) < 1e300 or "16" in cells.dress or value.home == "matrix":
            return None
        return old * (1 + draw.choice((-1, 1)) * 5e-5)

    changed = _set_cell(value, draw, other, "float")
    return Changed(changed, "a float just beyond tolerance") if changed else None


def _tell_durations(value: Spec, draw: random.Random) -> Changed | None:
    size = draw.choice((1, 1_000, SECOND_NS))
    return retelling(lambda _kind: ("duration", lambda n: n * size), "timedelta for int", *_WHOLE)(value, draw)


def _wall_clock(seconds: int, zone: str) -> dt.datetime:
    instant = (EPOCH + dt.timedelta(seconds=seconds)).replace(tzinfo=dt.timezone.utc)  # noqa: UP017  Python 3.10
    return instant.astimezone(ZoneInfo(zone)).replace(tzinfo=None, fold=0)


def _seconds(moment: dt.datetime) -> int:
    return int((moment.replace(tzinfo=None) - EPOCH).total_seconds())


def _keep_wall_clock(value: Spec, draw: random.Random) -> Changed | None:
    place = some_column(value, draw, *ZONES)
    if isinstance(value, Bundle) or place is None:
        return None
    old = columns_of(value)[place]
    zone = draw.choice([zone for zone in ZONES if zone != old.kind])

    def moved(seconds: int) -> int:
        there = _wall_clock(seconds, old.kind).replace(tzinfo=ZoneInfo(zone))
        return _seconds(there.astimezone(ZoneInfo("UTC")))

    values = tuple(None if each is None else moved(each) for each in old.values)
    changed = recast(value, place, zone, values, draw) if values != old.values else None
    return Changed(changed, "the same clock in another zone") if changed else None


def _drop_zone(value: Spec, draw: random.Random) -> Changed | None:
    local = draw.random() < 0.5

    def told(zone: str) -> Any:
        return "moment", (lambda s: _seconds(_wall_clock(s, zone))) if local else int

    return retelling(told, "naive for aware", *ZONES)(value, draw)


def _drop_row(value: Spec, draw: random.Random) -> Changed | None:
    if isinstance(value, Bundle) or value.home in ("bare", "zero_d", "dict") or not len(value):
        return None
    gone = draw.randrange(len(value))
    return Changed(taken(value, [i for i in range(len(value)) if i != gone]), "a dropped row or element")


def _repeat_row(value: Spec, draw: random.Random) -> Changed | None:
    if isinstance(value, Bundle) or value.home in ("bare", "zero_d", "dict", *SETS) or not len(value):
        return None
    places = list(range(len(value)))
    places.insert(draw.randint(0, len(value)), draw.choice(places))
    return Changed(taken(value, places), "a repeated row or element")


def _swap_across(value: Spec, draw: random.Random) -> Changed | None:
    """Two cells of one row change places."""
    if not isinstance(value, Table) or value.home in ("lists", "records", "multi") or len(value.columns) < 2:
        return None
    left, right = draw.sample(range(len(value.columns)), 2)
    row = draw.randrange(len(value)) if len(value) else 0
    one, other = value.columns[left], value.columns[right]
    if one.kind != other.kind or not len(value) or one.values[row] == other.values[row]:
        return None
    changed = recast(value, left, one.kind, put(one.values, row, other.values[row]), draw)
    changed = changed and recast(changed, right, one.kind, put(other.values, row, one.values[row]), draw)
    if not isinstance(changed, Table) or Counter(changed.rows()) == Counter(value.rows()):
        return None
    if value.home != "rows" and Counter(changed.content()) == Counter(value.content()):
        return None  # the columns changed places
    return Changed(changed, "a swapped inner pair")


def _swap_down(value: Spec, draw: random.Random) -> Changed | None:
    """Two cells of one column change places, so that rows are mixed up."""
    if not isinstance(value, Table) or value.home == "multi" or len(value.columns) < 2 or len(value) < 2:
        return None
    place = draw.randrange(len(value.columns))
    one, other = draw.sample(range(len(value)), 2)
    cells = value.columns[place]
    values = put(put(cells.values, one, cells.values[other]), other, cells.values[one])
    changed = replace(
        value, columns=(*value.columns[:place], replace(cells, values=values), *value.columns[place + 1 :])
    )
    mixed = Counter(changed.rows()) != Counter(value.rows())
    return Changed(changed, "cells of two rows mixed up") if mixed else None


def _fill(value: Spec, draw: random.Random) -> Changed | None:
    if isinstance(value, Bundle):
        return None
    found = [i for i, cells in enumerate(columns_of(value)) if None in cells.values]
    if not found:
        return None
    place = draw.choice(found)
    cells = columns_of(value)[place]
    cell = some_cell(cells, draw, missing=True)
    assert cell is not None, "one is missing"
    new = draw.choice(("None", "nan", "", "NaT")) if cells.kind == "text" else KINDS[cells.kind].draw(draw)
    changed = recast(value, place, cells.kind, put(cells.values, cell, new), draw)
    return Changed(changed, "a value for a missing one") if changed else None


def _lose(value: Spec, draw: random.Random) -> Changed | None:
    place = some_column(value, draw)
    if isinstance(value, Bundle) or place is None or value.home in (*SETS, "matrix"):
        return None
    cells = columns_of(value)[place]
    cell = some_cell(cells, draw)
    assert cell is not None, "such a column holds a value"
    changed = recast(value, place, cells.kind, put(cells.values, cell, None), draw)
    return Changed(changed, "a missing value for one") if changed else None


def _add_too_much(value: Spec, draw: random.Random) -> Changed | None:
    if not isinstance(value, Table) or value.home != "frame":
        return None
    return Changed(add_surplus(value, _MANY, draw), "too many surplus columns")


def _drop_column(value: Spec, draw: random.Random) -> Changed | None:
    if not isinstance(value, Table) or value.home not in ("frame", "records", "lists") or len(value.columns) < 2:
        return None
    gone = draw.randrange(len(value.columns))
    kept = [i for i in range(len(value.columns)) if i != gone]
    columns, headings = tuple(value.columns[i] for i in kept), tuple(value.headings[i] for i in kept)
    return Changed(replace(value, columns=columns, headings=headings), "a dropped column")


def _drop_entry(value: Spec, draw: random.Random) -> Changed | None:
    kept = sorted(draw.sample(range(len(value)), len(value) - 1)) if len(value) else []
    line = "a dropped dict entry"
    if value.home != "dict" or not len(value):
        return None
    if isinstance(value, Bundle):
        parts, keys = tuple(value.parts[i] for i in kept), tuple(value.keys[i] for i in kept)
        return Changed(replace(value, parts=parts, keys=keys), line) if kept else None
    return Changed(taken(value, kept), line) if isinstance(value, Row) and value.labels.levels else None


def _change_key(value: Spec, draw: random.Random) -> Changed | None:
    line = "another dict key"
    if value.home != "dict" or not len(value):
        return None
    place = draw.randrange(len(value))
    if isinstance(value, Bundle):
        return Changed(replace(value, keys=put(value.keys, place, "other")), line)
    if not isinstance(value, Row) or not value.labels.levels:
        return None
    keys = value.labels.levels[0]
    key = KINDS[keys.kind].other(keys.values[place], draw)
    level = dressed(keys.kind, put(keys.values, place, key), "dict", draw) if key not in keys.values else None
    return Changed(replace(value, labels=Labels((level,))), line) if level else None


def _mix_inner_order(value: Spec, draw: random.Random) -> Changed | None:
    if isinstance(value, Table) and value.home == "lists":
        order = shuffled(len(value), draw)
        changed = taken(value, order) if order else value
        return Changed(changed, "inner order") if changed.content() != value.content() else None
    if not isinstance(value, Bundle):
        return None
    place = draw.randrange(len(value.parts))
    moved = permute(value.parts[place], draw)
    if moved is None or isinstance(moved.value, Bundle):
        return None
    return Changed(replace(value, parts=put(value.parts, place, moved.value)), "inner order")


def _lose_repeats(value: Spec, draw: random.Random) -> Changed | None:
    if not isinstance(value, Row) or value.home not in SEQUENCES or None in value.cells.values:
        return None
    values = tuple(dict.fromkeys(value.cells.values))
    cells = dressed(value.cells.kind, values, "set", draw) if len(values) < len(value) else None
    return Changed(Row(cells, draw.choice(SETS)), "set of a list with repeats") if cells else None


def _later(seconds: int) -> int:
    return seconds + 3_600


_TRUTHS: Final[dict[str, tuple[str, Any]]] = {"bit": ("bool", bool), "bool": ("bit", int)}
_WRITTEN_OUT: Final = retelling(
    lambda kind: ("text", moment_text if kind == "moment" else str),
    "text for number",
    *NUMBERS,
    "large",
    "moment",
    "bool",
)

WRONG: Final = (
    Change("nudge", NO, _nudge, inside=True),
    Change("slight nudge", NO, _nudge_slightly, apart=OTHERWISE | {change.name for change in EQUAL}, inside=True),
    Change("bool", NO, retelling(_TRUTHS.__getitem__, "bool for int", *_TRUTHS), inside=True),
    Change("text", NO, _WRITTEN_OUT, inside=True),
    Change("duration", NO, _tell_durations, inside=True),
    Change("moment", NO, retelling(lambda _kind: ("moment", int), "moment for int", *_WHOLE), inside=True),
    Change("hours", NO, retelling(lambda _k: ("moment", _later), "time of day for a date", "date"), inside=True),
    Change("wall clock", NO, _keep_wall_clock, inside=True),
    Change("naive", NO, _drop_zone, inside=True),
    Change("drop", NO, _drop_row, inside=True),
    Change("repeat", NO, _repeat_row, inside=True),
    Change("swap across", NO, _swap_across, inside=True, apart=SHAPES),
    Change("swap down", NO, _swap_down, inside=True, apart=SHAPES),
    Change("fill", NO, _fill, inside=True),
    Change("lose", NO, _lose, inside=True),
    Change("too much", NO, _add_too_much, apart=SHAPES),
    Change("drop column", NO, _drop_column, one_way=True, inside=True, apart=SHAPES),
    Change("drop entry", NO, _drop_entry, one_way=True, apart=SHAPES),
    Change("key", NO, _change_key, inside=True, apart=SHAPES),
    Change("inner order", NO, _mix_inner_order, apart=OTHERWISE),
    Change("lost repeats", NO, _lose_repeats, apart=SHAPES),
)
