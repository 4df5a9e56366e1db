"""Which line of which field a comment is about. Pure: no Streamlit.

The store keeps the line within a revision's text; people see and name lines of fields.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from authoring.ui.problem.desk import Cell

_QUERY: Final = re.compile(r"\s*(query|question)\s*:\s*([|>].*)?")


@dataclass(frozen=True)
class Place:
    """A line of a field."""

    field: str
    line: int  # from 1, within the field
    quote: str = ""  # the line as it stood in the commented revision


def line_in_text(text: str, cells: Sequence[Cell], cell: Cell, field: str, line: int) -> int | None:
    """Return the line of a revision's text that is a line of one of its fields; None where there is no such line."""
    wanted = cell.texts.get(field, "").split("\n")
    if not 1 <= line <= len(wanted):
        return None
    start = _start(text, cells, cell, field)
    return None if start is None else min(start + line - 1, _end(text, cells, cell))


def place_in(text: str, cells: Sequence[Cell], line: int) -> tuple[Cell, Place] | None:
    """Return the cell, and the line of its field, that a line of a revision's text is; None: it is in no cell."""
    cell = next((each for each in reversed(cells) if each.line <= line), None)
    lines = text.split("\n")
    if cell is None or line > len(lines):
        return None
    quote = lines[line - 1].strip()
    for field in ("code", "settings", "query"):
        start = _start(text, cells, cell, field) if field in cell.texts else None
        if start is not None and start <= line < start + cell.texts[field].rstrip("\n").count("\n") + 1:
            return cell, Place(field, line - start + 1, quote)
    return cell, Place("query" if "query" in cell.texts else "code", 1, quote)


def line_now(place: Place, text: str) -> int | None:
    """Return where a commented line stands in a field's text now; None: it is not there any more, or several times."""
    lines = [each.strip() for each in text.split("\n")]
    if place.field == "query":  # its lines may be folded in the revision
        return min(place.line, len(lines))
    if place.line <= len(lines) and lines[place.line - 1] == place.quote:
        return place.line
    return lines.index(place.quote) + 1 if place.quote and lines.count(place.quote) == 1 else None


def line_then(line: int, now: str, then: str) -> int | None:
    """Return which line of a field's saved text a line of its text on the screen is; None: none, or several."""
    lines, saved = now.split("\n"), then.split("\n")
    if not 1 <= line <= len(lines):
        return None
    if line <= len(saved) and saved[line - 1] == lines[line - 1]:
        return line
    return saved.index(lines[line - 1]) + 1 if saved.count(lines[line - 1]) == 1 else None


def _start(text: str, cells: Sequence[Cell], cell: Cell, field: str) -> int | None:
    """Return the line of the text on which a field begins."""
    lines = text.split("\n")
    last = _end(text, cells, cell)
    if field == "query":
        found = ((at, match) for at in range(cell.line, last) if (match := _QUERY.match(lines[at])))
        at, match = next(found, (None, None))
        return None if at is None or match is None else at + 1 + bool(match[2])
    wanted = [each.strip() for each in cell.texts[field].strip("\n").split("\n")]
    if not any(wanted):
        return None
    places = range(cell.line, last - len(wanted) + 1)
    same = (at for at in places if [each.strip() for each in lines[at : at + len(wanted)]] == wanted)
    at = max(same, default=None) if field == "code" else min(same, default=None)
    return None if at is None else at + 1


def _end(text: str, cells: Sequence[Cell], cell: Cell) -> int:
    """Return the last line of a cell."""
    later: Mapping[int, int] = {each.position: each.line for each in cells}
    return later.get(cell.position + 1, text.count("\n") + 2) - 1
