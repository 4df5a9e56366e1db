"""Tables of our own as HTML: rows that lead to pages, and bars. All that they show is escaped here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Final, NamedTuple
from urllib.parse import urlencode

from authoring.ui.wording import Chip, code_parts, one_line

_ICON: Final = ":material/"


class Strong(NamedTuple):
    """Words of more weight."""

    text: str


class Hinted(NamedTuple):
    """Words with a sentence that comes up under the pointer."""

    text: str
    about: str


class Prose(NamedTuple):
    """A text of people, in which what stands in backticks is code."""

    text: str
    limit: int = 160  # characters


@dataclass(frozen=True)
class RowLink:
    """Words that lead to a page."""

    pieces: Sequence[str | Chip | Strong | Prose | Hinted]
    page: str
    parameters: Mapping[str, str | int] = field(default_factory=dict)
    icon: str = ""

    @property
    def href(self) -> str:
        """The address, beside that of the page."""
        query = urlencode(self.parameters)
        return f"{self.page}?{query}" if query else self.page


class Caption(NamedTuple):
    """Words of less weight, perhaps with a sentence that comes up under the pointer."""

    text: str
    about: str = ""


Piece = str | Chip | RowLink | Caption | Prose | Strong | Hinted


@dataclass(frozen=True)
class RowColumn:
    """A column of the list."""

    head: Sequence[Piece]
    width: float  # relative to the others


@dataclass(frozen=True)
class Row:
    """A row of the list."""

    key: str
    cells: Sequence[Sequence[Piece]]  # one per column
    select: str = ""  # what the box that selects the row is called


def rows_html(label: str, columns: Sequence[RowColumn], rows: Sequence[Row], *, key: str, selectable: bool) -> str:
    """Return a list of rows; `key` names it to the script that attends to it, `selectable`: each row has a box."""
    whole = sum(column.width for column in columns)
    box = '<col class="bw-box" />' if selectable else ""
    widths = "".join(f'<col style="width: {100 * column.width / whole:.2f}%" />' for column in columns)
    heads = "".join(f'<th scope="col">{_html(column.head)}</th>' for column in columns)
    corner = '<td class="bw-box"></td>' if selectable else ""
    head = f"<thead><tr>{corner}{heads}</tr></thead>" if any(column.head for column in columns) else ""
    lines = "".join(_line(row, selectable=selectable) for row in rows)
    return (
        f'<table class="bw-rows{" bw-lines" if selectable else ""}" data-list="{escape(key)}" '
        f'aria-label="{escape(label)}"><colgroup>{box}{widths}</colgroup>{head}<tbody>{lines}</tbody></table>'
    )


def _line(row: Row, *, selectable: bool) -> str:
    box = f'<input type="checkbox" value="{escape(row.key)}" aria-label="{escape(one_line(row.select))}" />'
    first = f'<td class="bw-box">{box}</td>' if selectable else ""
    cells = "".join(f"<td>{_html(cell)}</td>" for cell in row.cells)
    return f'<tr data-key="{escape(row.key)}">{first}{cells}</tr>'


def _html(pieces: Sequence[Piece]) -> str:
    return " ".join(_piece(piece) for piece in pieces)


def _piece(piece: Piece) -> str:
    match piece:
        case str():
            return escape(one_line(piece))
        case Chip():
            shown = f"{_icon(piece.icon)}{escape(one_line(piece.word))}"
            return f'<span class="bw-chip bw-on-{piece.colour}"{_title(piece.about)}>{shown}</span>'
        case Hinted(text, about):
            return f"<span{_title(about)}>{escape(one_line(text))}</span>"
        case Caption(text, about):
            return f'<span class="bw-caption"{_title(about)}>{escape(one_line(text))}</span>'
        case Strong(text):
            return f"<strong>{escape(one_line(text))}</strong>"
        case Prose(text, limit):
            parts = code_parts(text, limit=limit)
            return "".join(f"<code>{escape(part)}</code>" if is_code else escape(part) for part, is_code in parts)
        case RowLink():
            return f'<a href="{escape(piece.href)}">{_icon(piece.icon)}{_html(piece.pieces)}</a>'


def _title(about: str) -> str:
    return f' title="{escape(one_line(about))}"' if about else ""


def _icon(name: str) -> str:
    word = name.removeprefix(_ICON).rstrip(":")
    return f'<span class="bw-icon" aria-hidden="true">{escape(word)}</span>' if word else ""


def bars_html(label: str, counts: Mapping[str, Mapping[str, int]], colours: Mapping[str, str]) -> str:
    """Return one bar per name, split by state, with the numbers in words.

    Args:
        label: What a screen reader calls it.
        counts: Name -> state -> count; at least one, none empty.
        colours: Of the states, in CSS; our own.
    """
    most = max(sum(states.values()) for states in counts.values())
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td class="bw-bar" aria-hidden="true">{_bar(states, most, colours)}'
        f"</td><td>{escape(', '.join(f'{number} {state}' for state, number in states.items()))}</td></tr>"
        for name, states in counts.items()
    )
    return f'<table class="bw-bars" aria-label="{escape(label)}"><tbody>{rows}</tbody></table>'


def _bar(states: Mapping[str, int], most: int, colours: Mapping[str, str]) -> str:
    return "".join(
        f'<span style="width: {100 * number / most:.1f}%; background: {colours[state]}"></span>'
        for state, number in states.items()
    )
