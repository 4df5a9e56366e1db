"""What can be done to a value, and what the table of equality answers to it: equal, shown otherwise, or wrong."""

import datetime as dt
import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from zoneinfo import ZoneInfo

from tests.inside.equality_values import (
    BARE,
    EPOCH,
    KINDS,
    NUMBERS,
    SECOND_NS,
    SEQUENCES,
    SETS,
    TABLES,
    ZONES,
    Cells,
    Value,
    draw_cells,
    dressed,
    fitting,
    moment_text,
)

YES: Final = "yes"
PARTIAL: Final = "partial"
NO: Final = "no"
FAMILY: Final = {"tuple": "list", "frozenset": "set", "zero_d": "bare", "row_lists": "rows"}  # these equal another
TWINS: Final = {**FAMILY, **{one: other for other, one in FAMILY.items()}}
Apply = Callable[[Value, random.Random], Value | None]


@dataclass(frozen=True)
class Change:
    """A change, and what must be answered where it stands alone."""

    name: str
    answer: str
    apply: Apply  # None: it would change nothing, or cannot be written
    causes: frozenset[str] = frozenset()  # of a partial answer: one of these
    one_way: bool = False  # the other way round another answer is right
    loosened_by: str = ""  # the option under which it is equal
    inside: bool = True  # it counts as much within a list, tuple or dict


def retelling(told: Callable[[str], tuple[str, Callable[[Any], Any]]], *kinds: str) -> Apply:
    """Return a change of one column to another kind: `told(kind)` gives that kind and a function for its cells."""

    def apply(value: Value, draw: random.Random) -> Value | None:
        place = some_column(value, draw, *kinds)
        if place is None or value.home == "matrix":
            return None
        cells = value.columns[place]
        kind, function = told(cells.kind)
        return recast(value, place, kind, [None if c is None else function(c) for c in cells.values], draw)

    return apply


def with_column(value: Value, place: int, cells: Cells) -> Value:
    return replace(value, columns=put(value.columns, place, cells))


def recast(value: Value, place: int, kind: str, cells: Iterable[Any], draw: random.Random) -> Value | None:
    """Return the value with other cells in one column: in the dress of the old ones, or else in any that fits."""
    old, cells = value.columns[place], tuple(cells)
    if kind == old.kind and old.dress in fitting(kind, cells, value.home):
        return with_column(value, place, replace(old, values=cells))
    new = dressed(kind, cells, value.home, draw)
    return None if new is None else with_column(value, place, new)


def some_column(value: Value, draw: random.Random, *kinds: str) -> int | None:
    """Return the place of a column of one of the kinds (none given: any) that holds a value."""
    held = [i for i, cells in enumerate(value.columns) if any(each is not None for each in cells.values)]
    found = [i for i in held if not kinds or value.columns[i].kind in kinds]
    return draw.choice(found) if found else None


def put(values: tuple[Any, ...], place: int, value: Any) -> tuple[Any, ...]:
    return (*values[:place], value, *values[place + 1 :])


def taken(value: Value, places: Sequence[int]) -> Value:
    """Return the value with the rows at these places, which carry their labels."""
    labels = value.labels and value.labels.at(places)
    return replace(value, columns=tuple(cells.at(places) for cells in value.columns), labels=labels)


def shuffled(size: int, draw: random.Random) -> list[int] | None:
    """Return another order of places, or None where there is one only."""
    order = list(range(size))
    while size > 1 and order == sorted(order):
        draw.shuffle(order)
    return order if size > 1 else None


def with_columns(value: Value, places: Sequence[int] | None) -> Value | None:
    """Return a table with the columns at these places, under their headings."""
    if not places:
        return None
    columns, headings = (tuple(each[i] for i in places) for each in (value.columns, value.headings))
    return replace(value, columns=columns, headings=headings)


def numbered(size: int) -> Cells:
    return Cells("int", tuple(range(size)), "int64")


def keys_home(value: Value) -> str:
    return "dict" if value.home == "dict" else "index"


# Equal


def redress(value: Value, draw: random.Random) -> Value | None:
    place = some_column(value, draw)
    if value.home == "matrix" or place is None:
        return None
    old = value.columns[place]
    choices = [name for name in fitting(old.kind, old.values, value.home) if name != old.dress]
    return (
        with_column(value, place, replace(old, dress=draw.choice(choices), gap=draw.randrange(12))) if choices else None
    )


def _regap(value: Value, draw: random.Random) -> Value | None:
    place = some_column(value, draw)
    if place is None or None not in value.columns[place].values or len(value.columns[place].worn.gaps) < 2:
        return None
    old = value.columns[place]
    count = len(old.worn.gaps)
    return with_column(value, place, replace(old, gap=draw.choice([i for i in range(count) if i != old.gap % count])))


def _twin(value: Value, draw: random.Random) -> Value | None:
    return replace(value, home=TWINS[value.home]) if value.home in TWINS else None


def _rename(value: Value, draw: random.Random) -> Value | None:
    choices = []
    if value.home in ("series", "index", "frame"):
        choices.append(replace(value, name=draw.choice([name for name in (None, "miles", "0") if name != value.name])))
    if value.home in ("series", "frame"):
        choices.append(replace(value, label_name=None if value.label_name else "renamed"))
    return draw.choice(choices) if choices else None


def _near(value: float, draw: random.Random) -> float:
    """Return a number within the tolerance."""
    return value * (1 + draw.choice((-1, 1)) * 3e-6) + draw.choice((-1, 1)) * 3e-9 if abs(value) < 1e300 else value


def _noise(value: Value, draw: random.Random) -> Value | None:
    place = some_column(value, draw, *NUMBERS)
    if place is None or value.home == "matrix":
        return None
    cells = value.columns[place]
    if "float16" in cells.dress or (value.home in SETS and cells.kind != "float"):
        return None
    near = {each: _near(float(each), draw) for each in cells.values if each is not None}  # what is tied stays so
    return recast(value, place, "float", [None if each is None else near[each] for each in cells.values], draw)


def _relabel_alike(value: Value, draw: random.Random) -> Value | None:
    old = value.labels
    if old is None:
        return replace(value, labels=numbered(len(value))) if value.home in ("series", "frame") else None
    choices = [name for name in fitting(old.kind, old.values, keys_home(value)) if name != old.dress]
    return replace(value, labels=replace(old, dress=draw.choice(choices))) if choices else None


def _reorder_entries(value: Value, draw: random.Random) -> Value | None:
    if value.home in ("records", "lists"):
        return with_columns(value, shuffled(len(value.columns), draw))
    order = shuffled(len(value), draw) if value.home == "dict" and value.labels else None
    return taken(value, order) if order else None


def _retype_nothing(value: Value, draw: random.Random) -> Value | None:
    if len(value) or value.home not in ("series", "frame", "array", "index"):
        return None
    return with_column(value, draw.randrange(len(value.columns)), draw_cells(draw, value.home, 0))


# Shown otherwise


def _rehome(value: Value, draw: random.Random) -> Value | None:
    if not len(value) or value.home in ("dict", "lists"):
        return None
    if value.home in TABLES:
        homes = {"frame": ["records", "rows", "matrix"], "matrix": ["frame", "rows"]}.get(value.home, ["frame"])
        if value.home == "frame" and len(value.columns) == 1 and draw.random() < 0.5:
            return _in_home(value, draw.choice(SEQUENCES), draw)
        return _in_home(value, draw.choice(homes), draw)
    family = FAMILY.get(value.home, value.home)
    homes = [home for home in (*SEQUENCES, *SETS, "frame", "bare") if FAMILY.get(home, home) != family]
    home, (cells,) = draw.choice(homes), value.columns
    if home in SETS and not cells.is_distinct():
        return None
    if "bare" in (home, family) and (len(value) != 1 or None in cells.values or value.wrap != "{}"):
        return None
    return _in_home(value, home, draw)


def _in_home(value: Value, home: str, draw: random.Random) -> Value | None:
    """Return the same in another home; row labels stay between frames and series alone."""
    if home == "matrix":
        if any(cells.kind not in NUMBERS or None in cells.values for cells in value.columns):
            return None
        columns = [replace(each, dress="float" if each.kind == "float" else "int") for each in value.columns]
    else:
        found = [dressed(cells.kind, cells.values, home, draw) for cells in value.columns]
        columns = [cells for cells in found if cells is not None]
        if len(columns) < len(found):
            return None
    headings = (value.headings or (value.name or "x",)) if home in TABLES else ()
    labels = value.labels if {home, value.home} == {"frame", "series"} else None
    return Value(tuple(columns), home, headings, labels, wrap=value.wrap)


def _to_or_from_dict(value: Value, draw: random.Random) -> Value | None:
    """A Series as a dict of its labels, a frame as a dict of lists, and back."""
    if value.home in ("frame", "lists"):
        return _in_home(value, "lists" if value.home == "frame" else "frame", draw)
    if value.home not in ("series", "dict") or not len(value) or None in value.columns[0].values:
        return None
    if value.labels and not value.labels.is_distinct():
        return None
    changed = _in_home(value, "dict" if value.home == "series" else "series", draw)
    if changed is None or value.labels is None:
        return changed
    labels = dressed(value.labels.kind, value.labels.values, keys_home(changed), draw)
    return replace(changed, labels=labels) if labels else None


def permute(value: Value, draw: random.Random) -> Value | None:
    """Return the value with its elements or rows in another order."""
    order = shuffled(len(value), draw)
    if order is None or value.home in (*SETS, "dict", "lists"):
        return None
    moved = taken(value, order)
    if moved.content() == value.content() or (value.labels and moved.labels == value.labels):
        return None  # of rows with one label for all, which is which cannot be told
    if value.home in ("series", "frame") and not value.labels and draw.random() < 0.5:
        return replace(moved, labels=numbered(len(value)).at(order))
    return moved


def _permute_columns(value: Value, draw: random.Random) -> Value | None:
    return with_columns(value, shuffled(len(value.columns), draw)) if value.home == "frame" else None


def _relabel(value: Value, draw: random.Random) -> Value | None:
    size = len(value)
    if value.home not in ("series", "frame") or not size:
        return None
    if value.labels:
        return replace(value, labels=None) if value.labels.values != tuple(range(size)) else None
    if draw.random() < 0.5:
        return replace(value, labels=dressed("text", [f"row {i}" for i in range(size)], "index", draw))
    return replace(value, labels=dressed("int", [i + 7 for i in range(size)], "index", draw))


def _retitle(value: Value, draw: random.Random) -> Value | None:
    titles = draw.sample(("speed", "height", "colour", "ratio"), len(value.headings))
    count = draw.randint(1, len(titles)) if titles else 0
    return replace(value, headings=(*titles[:count], *value.headings[count:])) if value.home == "frame" else None


def _add_columns(most: int, least: int = 1) -> Apply:
    def apply(value: Value, draw: random.Random) -> Value | None:
        columns, headings = list(value.columns), list(value.headings)
        for number in range(draw.randint(least, most)):
            place = draw.randint(0, len(columns))
            columns.insert(place, Cells("text", tuple(f"extra {number} {i}" for i in range(len(value))), "inferred"))
            headings.insert(place, f"extra {number}")
        return replace(value, columns=tuple(columns), headings=tuple(headings)) if value.home == "frame" else None

    return apply


def _add_entry(value: Value, draw: random.Random) -> Value | None:
    if value.home != "dict" or not len(value):
        return None
    (cells,), labels = value.columns, value.labels
    more = (*cells.values, KINDS[cells.kind].other(cells.values[0], draw))
    fresh = KINDS[labels.kind].other(labels.values[0], draw) if labels else None
    keys = (*labels.values, fresh) if labels else ()
    if fresh in keys[:-1] or cells.dress not in fitting(cells.kind, more, "dict"):
        return None
    if labels and labels.dress not in fitting(labels.kind, keys, "dict"):
        return None
    return replace(value, columns=(replace(cells, values=more),), labels=labels and replace(labels, values=keys))


def _place_in_frame(value: Value, draw: random.Random) -> Value | None:
    """One column, or the index, of a frame that holds more."""
    if value.home not in SEQUENCES or not len(value):
        return None
    (cells,) = value.columns
    extra = Cells("text", tuple(f"other {i}" for i in range(len(value))), "inferred")
    if draw.random() < 0.3 and cells.values != tuple(range(len(value))):  # which says no more than no labels
        level = dressed(cells.kind, cells.values, "index", draw)
        return Value((extra, extra), "frame", ("note", "more"), level) if level else None
    column = dressed(cells.kind, cells.values, "frame", draw)
    if column is None:
        return None
    columns, order = ((value.name or "answer", column), ("note", extra)), draw.choice((1, -1))
    headings, made = zip(*columns[::order], strict=True)
    return Value(made, "frame", headings, value.labels if value.home == "series" else None)


def _other_zone(moved: Callable[[int, str, str], int]) -> Apply:
    """Return a change of moments in a zone to another one."""

    def apply(value: Value, draw: random.Random) -> Value | None:
        place = some_column(value, draw, *ZONES)
        if place is None:
            return None
        old = value.columns[place]
        zone = draw.choice([zone for zone in ZONES if zone != old.kind])
        values = [None if each is None else moved(each, old.kind, zone) for each in old.values]
        return recast(value, place, zone, values, draw)

    return apply


# Wrong


def _set_cell(value: Value, draw: random.Random, other: Callable[[Any, Cells], Any], *kinds: str) -> Value | None:
    """Return the value with `other(old)` in place of one cell of these kinds; None for no change."""
    place = some_column(value, draw, *kinds)
    if place is None:
        return None
    cells = value.columns[place]
    cell = draw.choice([i for i, each in enumerate(cells.values) if each is not None])
    new = other(cells.values[cell], cells)
    return None if new is None else recast(value, place, cells.kind, put(cells.values, cell, new), draw)


def _nudge(value: Value, draw: random.Random) -> Value | None:
    changed = _set_cell(value, draw, lambda old, cells: KINDS[cells.kind].other(old, draw))
    if changed is None or value.home not in SETS:
        return changed
    return changed if {*changed.columns[0].values} != {*value.columns[0].values} else None


def _nudge_slightly(value: Value, draw: random.Random) -> Value | None:
    def other(old: float, cells: Cells) -> float | None:
        is_fit = 0.01 <= abs(old) < 1e300 and "16" not in cells.dress and value.home != "matrix"
        return old * (1 + draw.choice((-1, 1)) * 5e-5) if is_fit else None

    return _set_cell(value, draw, other, "float")


def _tell_durations(value: Value, draw: random.Random) -> Value | None:
    size = draw.choice((1, 1_000, SECOND_NS))
    return retelling(lambda _kind: ("duration", lambda n: n * size), "int", "bit")(value, draw)


def _wall_clock(seconds: int, zone: str) -> dt.datetime:
    instant = (EPOCH + dt.timedelta(seconds=seconds)).replace(tzinfo=dt.timezone.utc)  # noqa: UP017  Python 3.10
    return instant.astimezone(ZoneInfo(zone)).replace(tzinfo=None, fold=0)


def _seconds(moment: dt.datetime) -> int:
    return int((moment.replace(tzinfo=None) - EPOCH).total_seconds())


def _same_clock(seconds: int, old: str, new: str) -> int:
    there = _wall_clock(seconds, old).replace(tzinfo=ZoneInfo(new))
    return _seconds(there.astimezone(ZoneInfo("UTC")))


def _keep_wall_clock(value: Value, draw: random.Random) -> Value | None:
    changed = _other_zone(_same_clock)(value, draw)
    kept = [cells.values for cells in value.columns]
    return changed if changed and [cells.values for cells in changed.columns] != kept else None


def _drop_zone(value: Value, draw: random.Random) -> Value | None:
    is_local = draw.random() < 0.5

    def told(zone: str) -> Any:
        return "moment", (lambda s: _seconds(_wall_clock(s, zone))) if is_local else int

    return retelling(told, *ZONES)(value, draw)


def _drop_row(value: Value, draw: random.Random) -> Value | None:
    if value.home in (*BARE, "dict") or not len(value):
        return None
    gone = draw.randrange(len(value))
    return taken(value, [i for i in range(len(value)) if i != gone])


def _repeat_row(value: Value, draw: random.Random) -> Value | None:
    if value.home in (*BARE, "dict", *SETS) or not len(value):
        return None
    places = list(range(len(value)))
    places.insert(draw.randint(0, len(value)), draw.choice(places))
    return taken(value, places)


def _swap_down(value: Value, draw: random.Random) -> Value | None:
    """Two cells of one column change places, so that rows are mixed up."""
    if len(value.columns) < 2 or len(value) < 2:
        return None
    place, (one, other) = draw.randrange(len(value.columns)), draw.sample(range(len(value)), 2)
    cells = value.columns[place].values
    values = put(put(cells, one, cells[other]), other, cells[one])
    changed = with_column(value, place, replace(value.columns[place], values=values))
    return changed if Counter(changed.rows()) != Counter(value.rows()) else None


def _fill(value: Value, draw: random.Random) -> Value | None:
    found = [i for i, cells in enumerate(value.columns) if None in cells.values]
    if not found:
        return None
    place = draw.choice(found)
    cells = value.columns[place]
    new = draw.choice(("None", "nan", "", "NaT")) if cells.kind == "text" else KINDS[cells.kind].draw(draw)
    return recast(value, place, cells.kind, put(cells.values, cells.values.index(None), new), draw)


def _lose(value: Value, draw: random.Random) -> Value | None:
    place = some_column(value, draw)
    if place is None or value.home in (*SETS, "matrix"):
        return None
    cells = value.columns[place]
    cell = draw.choice([i for i, each in enumerate(cells.values) if each is not None])
    return recast(value, place, cells.kind, put(cells.values, cell, None), draw)


def _drop_column(value: Value, draw: random.Random) -> Value | None:
    if value.home not in ("frame", "records", "lists") or len(value.columns) < 2:
        return None
    gone = draw.randrange(len(value.columns))
    return with_columns(value, [i for i in range(len(value.columns)) if i != gone])


def _drop_entry(value: Value, draw: random.Random) -> Value | None:
    if value.home != "dict" or not value.labels or not len(value):
        return None
    return taken(value, sorted(draw.sample(range(len(value)), len(value) - 1)))


def _change_key(value: Value, draw: random.Random) -> Value | None:
    keys = value.labels
    if value.home != "dict" or keys is None or not len(value):
        return None
    place = draw.randrange(len(value))
    key = KINDS[keys.kind].other(keys.values[place], draw)
    level = dressed(keys.kind, put(keys.values, place, key), "dict", draw) if key not in keys.values else None
    return replace(value, labels=level) if level else None


def _mix_inner_order(value: Value, draw: random.Random) -> Value | None:
    if value.home != "lists":
        return permute(value, draw) if value.wrap != "{}" else None
    order = shuffled(len(value), draw)
    changed = taken(value, order) if order else value
    return changed if changed.content() != value.content() else None


def _lose_repeats(value: Value, draw: random.Random) -> Value | None:
    if value.home not in SEQUENCES or None in value.columns[0].values or value.columns[0].is_distinct():
        return None
    (cells,) = value.columns
    return _in_home(
        with_column(value, 0, replace(cells, values=(*dict.fromkeys(cells.values),))), draw.choice(SETS), draw
    )


_TRUTHS: Final[dict[str, tuple[str, Any]]] = {"bit": ("bool", bool), "bool": ("bit", int)}
_TEXTS: Final = retelling(
    lambda kind: ("text", moment_text if kind == "moment" else str), *NUMBERS, "large", "moment", "bool"
)


def _shown(name: str, cause: str, apply: Apply, **more: Any) -> Change:
    return Change(name, PARTIAL, apply, frozenset(cause.split()), **more)


CHANGES: Final = (
    Change("dress", YES, redress),
    Change("gap", YES, _regap),
    Change("twin", YES, _twin),
    Change("name", YES, _rename),
    Change("noise", YES, _noise),
    Change("labels", YES, _relabel_alike),
    Change("entries", YES, _reorder_entries),
    Change("nothing", YES, _retype_nothing),
    _shown("container", "CONTAINER", _rehome),
    _shown("dict", "CONTAINER", _to_or_from_dict),
    _shown("rows", "ORDER", permute, loosened_by="ignore_order", inside=False),
    _shown("columns", "ORDER", _permute_columns, loosened_by="ignore_order", inside=False),
    _shown("index", "INDEX", _relabel, loosened_by="ignore_index"),
    _shown("headings", "NAME", _retitle, loosened_by="ignore_names"),
    _shown("surplus columns", "EXTRA", _add_columns(3), one_way=True, inside=False),
    _shown("surplus entry", "EXTRA", _add_entry, one_way=True, inside=False),
    _shown("in a frame", "EXTRA CONTAINER", _place_in_frame, one_way=True, inside=False),
    _shown("zone", "DTYPE", _other_zone(lambda seconds, _old, _new: seconds)),
    _shown("midnight", "DTYPE", retelling(lambda _kind: ("moment", int), "date")),
    Change("nudge", NO, _nudge),
    Change("slight nudge", NO, _nudge_slightly),
    Change("bool", NO, retelling(_TRUTHS.__getitem__, *_TRUTHS)),
    Change("text", NO, _TEXTS),
    Change("duration", NO, _tell_durations),
    Change("moment", NO, retelling(lambda _kind: ("moment", int), "int", "bit")),
    Change("hours", NO, retelling(lambda _kind: ("moment", lambda seconds: seconds + 3_600), "date")),
    Change("wall clock", NO, _keep_wall_clock),
    Change("naive", NO, _drop_zone),
    Change("drop", NO, _drop_row),
    Change("repeat", NO, _repeat_row),
    Change("swap", NO, _swap_down),
    Change("fill", NO, _fill),
    Change("lose", NO, _lose),
    Change("too much", NO, _add_columns(21, 21), inside=False),
    Change("drop column", NO, _drop_column, one_way=True),
    Change("drop entry", NO, _drop_entry, one_way=True),
    Change("key", NO, _change_key),
    Change("inner order", NO, _mix_inner_order),
    Change("lost repeats", NO, _lose_repeats),
)
