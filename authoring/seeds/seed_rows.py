"""One page of the rows of a seed's table, read in a sandboxed session; a large file is never read whole for it."""

import json
import math
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from authoring.seeds.profile import ColumnProfile, ColumnRole, Profile, TableProfile
from authoring.seeds.profiling import cell_source, hostile_mapping, inputs_folder, printed_by
from authoring.store.drafting.seeds import Seed
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, ToolkitError, UsageError

if TYPE_CHECKING:
    from evaluator.session import Engine

MAX_ROWS: Final = 200  # of a page
MAX_COUNT: Final = 10**10  # of rows: more pages than these make cannot be counted on a screen
ROWS_LIMIT_S: Final = 120.0


class Condition(StrEnum):
    """How the rows that are shown are chosen by one column."""

    ALL = "all rows"
    CONTAINS = "contains"
    EQUALS = "equals"
    RANGE = "from … to"
    EMPTY = "is empty"


@dataclass(frozen=True, kw_only=True)
class RowFilter:
    """Which rows are wanted."""

    condition: Condition = Condition.ALL
    column: str = ""
    text: str = ""  # that is contained or equalled
    low: str = ""  # of a range; empty: no limit
    high: str = ""


@dataclass(frozen=True)
class RowPage:
    """Rows of a table, cells as text."""

    columns: tuple[str, ...]
    columns_left: int  # columns that are not shown (count)
    total: int  # rows that fit the filter, or all
    numbers: tuple[int, ...]  # of the rows in their table, from 1
    rows: tuple[tuple[str | None, ...], ...]  # None: a missing value
    cell_chars: int  # longer cells are cut here

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return dict(vars(self))


def read_rows(
    ws: Workspace, seed: Seed, place: int, *, engine: "Engine", chosen: RowFilter, offset: int, count: int
) -> RowPage:
    """Read one page of the rows of a seed's table, in a session of `engine`.

    Args:
        ws: The workspace.
        seed: Whose table.
        place: Of the table in the seed's profile, from 0.
        engine: Where the file is read.
        chosen: Which rows.
        offset: How many of them come before the page.
        count: Rows of the page, at most `MAX_ROWS`.

    Raises:
        UsageError: If there is no such table or column, or a limit does not fit the column.
        ContentError: If the file can no longer be read as it was profiled.
    """
    table = table_at(seed, place)
    stored = next((file for file in seed.files if file.name == table.file), None)
    if stored is None or not ws.blob_path(stored.digest).is_file():
        fix = "restore the workspace from a backup, or add the seed again"
        raise ToolkitError(f"the stored file {table.file!r} is missing from the workspace", fix=fix)
    names = [column.name for column in table.columns]
    asked: dict[str, Any] = {
        "table": {
            "file": table.file,
            "reader": table.reader,
            "options": dict(table.options),
            "reset_index": table.reset_index,
        },
        "columns": names,
        "rows": table.rows,
        "offset": max(offset, 0),
        "count": min(max(count, 1), MAX_ROWS),
        **_asked_filter(table, chosen),
    }
    source = f"{cell_source('rows')}\nshow_rows(__import__('json').loads({json.dumps(json.dumps(asked))}))\n"
    with inputs_folder({table.file: ws.blob_path(stored.digest)}) as folder:
        printed = printed_by(engine, source, folder, limit_s=ROWS_LIMIT_S, about=table.file)
    return _page(hostile_mapping(printed), names, asked["count"])


def table_at(seed: Seed, place: int) -> TableProfile:
    """Return a table of a seed's profile.

    Raises:
        UsageError: If it has none at that place.
    """
    tables = Profile.from_json(seed.profile).tables if seed.profile else ()
    if not 0 <= place < len(tables):
        raise UsageError(f"seed {seed.name!r} has no table {place + 1}", fix="choose one of its tables")
    return tables[place]


def _asked_filter(table: TableProfile, chosen: RowFilter) -> dict[str, Any]:
    """Return the filter as the cell takes it."""
    nothing = {"form": "", "column": "", "low": "", "high": "", "decimal": ".", "date_format": ""}
    if chosen.condition is Condition.ALL:
        return nothing
    column = table.column(chosen.column)
    if column is None:
        raise UsageError(f"{table.file!r} has no column {chosen.column!r}", where="Column", fix="choose another one")
    given = {**nothing, "column": column.name, "decimal": str(table.options.get("decimal", "."))}
    if chosen.condition is Condition.EMPTY:
        return {**given, "form": "empty"}
    if chosen.condition is Condition.RANGE:
        return {**given, **_range(column, chosen.low.strip(), chosen.high.strip())}
    if not chosen.text:
        raise UsageError("there is no text to look for", where="Text", fix="type one, or choose all rows")
    return {**given, "form": chosen.condition.value, "low": chosen.text}


def _range(column: ColumnProfile, low: str, high: str) -> dict[str, Any]:
    """Return the limits of a range by what the column holds: numbers, dates, else text in the order of its signs."""
    if not low and not high:
        raise UsageError("the range has no limit", where="From, To", fix="type one limit or both")
    limits = {"low": low, "high": high}
    if column.role is ColumnRole.DATE:
        for limit in filter(None, limits.values()):
            _refuse_other_than_date(limit, column)
        return {**limits, "form": "dates", "date_format": column.date_format}
    if column.role is ColumnRole.NUMBER or column.number_text or column.quantiles:
        for limit in filter(None, limits.values()):
            _refuse_other_than_number(limit, column)
        return {**limits, "form": "numbers"}
    return {**limits, "form": "texts"}


def _refuse_other_than_date(limit: str, column: ColumnProfile) -> None:
    try:
        datetime.fromisoformat(limit)
    except ValueError:
        what = f"{limit!r} is no date; {column.name!r} holds dates"
        raise UsageError(what, where="From, To", fix="write it like 2024-05-01 or 2024-05-01 13:30") from None


def _refuse_other_than_number(limit: str, column: ColumnProfile) -> None:
    try:
        is_number = math.isfinite(float(limit))
    except ValueError:
        is_number = False
    if not is_number:
        what = f"{limit!r} is no number; {column.name!r} holds numbers"
        raise UsageError(what, where="From, To", fix="write it like 1200.5, without signs for thousands")


def _page(printed: dict[str, Any], names: list[str], count: int) -> RowPage:
    """Return what the cell printed, checked: a stranger's file was open where it came from."""
    rows, numbers = printed.get("rows"), printed.get("numbers")
    total, size = _count(printed.get("total")), _count(printed.get("cell_chars"))
    fault = ContentError("the rows could not be read", fix="add the file again; if that does not help, report this")
    if not (isinstance(rows, list) and isinstance(numbers, list) and len(rows) == len(numbers) <= count):
        raise fault
    if total is None or size is None or any(_count(number) is None for number in numbers):
        raise fault
    width = len(rows[0]) if rows and isinstance(rows[0], list) else len(names)
    if not all(isinstance(row, list) and len(row) == width <= len(names) for row in rows):
        raise fault
    cells = tuple(tuple(None if cell is None else str(cell) for cell in row) for row in rows)
    return RowPage(tuple(names[:width]), len(names) - width, total, tuple(numbers), cells, size)


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_COUNT else None
