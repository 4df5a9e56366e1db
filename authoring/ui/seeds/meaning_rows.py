"""What columns mean as rows of a table on the screen, and back."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from authoring.seeds.meanings.settings import with_meaning
from authoring.seeds.meanings.wording import said_by
from authoring.seeds.profile import TableProfile
from authoring.seeds.semantics import AddsUp, ColumnMeaning, Meaning, Origin, TableMeaning

Row = dict[str, Any]
NOTHING: Final = "–"  # chosen in a list for nothing: an empty choice would be shown as None
ALONE: Final = " alone"  # behind a step of time: one part of a moment, such as the month without its year
TEXTS: Final = ("unit", "weighted_by", "refers_to")
EDITED: Final = ("meaning", "adds_up", "levels", "granularity", *TEXTS)


def rows_of(table: TableMeaning) -> list[Row]:
    """Return one row per column, with texts and choices only."""
    return [_row_of(column) for column in table.columns]


def _row_of(column: ColumnMeaning) -> Row:
    return {
        "column": column.name,
        "meaning": column.meaning.value,
        "adds_up": column.adds_up.value,
        "levels": ", ".join(str(level) for level in column.levels),
        "granularity": (column.granularity or NOTHING) + (ALONE if column.is_part else ""),
        "unit": column.unit,
        "weighted_by": column.weighted_by or NOTHING,
        "refers_to": column.refers_to,
        "said": said_by(column),
    }


def edited_rows(rows: Sequence[Row], edited: Mapping[Any, Mapping[str, Any]]) -> list[Row]:
    """Return the rows with the cells that were edited, by position; an emptied cell is an empty text."""
    found = []
    for place, row in enumerate(rows):
        cells = edited.get(place) or edited.get(str(place)) or {}
        found.append({**row, **{name: "" if value is None else value for name, value in cells.items()}})
    return found


def table_of_rows(table: TableMeaning, rows: Sequence[Row], profiled: TableProfile) -> TableMeaning:
    """Return the table with what the rows say of its columns; rows of columns that are not there are left out."""
    for row in rows:
        column = table.column(str(row.get("column")))
        if column is None:
            continue
        before = _row_of(column)
        changed = [name for name in EDITED if row.get(name, before[name]) != before[name]]
        if changed:
            table = table.with_column(_changed(column, row, changed, profiled))
    return table


def _changed(column: ColumnMeaning, row: Row, changed: Sequence[str], profiled: TableProfile) -> ColumnMeaning:
    """Return the column with the changed cells; with another meaning alone what held of the old one goes."""
    new = replace(column, origin=Origin.PERSON, reason="")
    if "meaning" in changed:
        new = with_meaning(column, Meaning(row["meaning"]))
    texts: dict[str, Any] = {name: _chosen(str(row[name])) for name in TEXTS if name in changed}
    if "adds_up" in changed and row["adds_up"]:
        new = replace(new, adds_up=AddsUp(row["adds_up"]))
    if "levels" in changed:
        new = replace(new, levels=levels_of(str(row["levels"]), column.name, profiled))
    if "granularity" in changed:
        step = str(row["granularity"])
        new = replace(new, granularity=_chosen(step.removesuffix(ALONE)), is_part=step.endswith(ALONE))
    return replace(new, **texts)


def _chosen(text: str) -> str:
    return "" if text.strip() == NOTHING else text.strip()


def levels_of(text: str, name: str, profiled: TableProfile) -> tuple[str | int | float, ...]:
    """Return levels written with commas between them, as the values that the data hold where they are known."""
    column = profiled.column(name)
    values = () if column is None else (*column.levels, *(value for value, _ in column.top), *column.samples)
    known = {str(value): value for value in values if isinstance(value, str | int | float)}
    known |= {f"{value:g}": value for value in values if isinstance(value, float)}
    written = [one.strip() for one in text.split(",") if one.strip()]
    return tuple(known.get(one, one) for one in written)
