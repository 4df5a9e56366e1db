"""Rows of a table as HTML of our own: cells are text, whatever they hold; missing and changed ones are marked."""

import html
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from authoring.ui.drawing import ansi

Cell = str | None
MISSING: Final = '<td class="bw-missing">missing</td>'
SIZES: Final = (250, 120, 60, 30, 15, 8, 5)  # characters of a cell, tried one after the other
MOST_BYTES: Final = 120_000  # of the texts of one page as HTML


def fitting_size(texts: Iterable[Cell], cell_chars: int) -> int:
    """Return how long a cell may be, at most `cell_chars`, so that the texts of a page stay few bytes of HTML."""
    held = [text for text in texts if text]
    for size in (cell_chars, *(size for size in SIZES if size < cell_chars)):
        if sum(len(_shown(text, size).encode()) for text in held) <= MOST_BYTES:
            return size
    return min(cell_chars, SIZES[-1])


def grid_html(
    columns: Sequence[str],
    numbers: Sequence[Cell],
    rows: Sequence[Sequence[Cell]],
    *,
    cell_chars: int,
    marked: Collection[tuple[int, int]] | Mapping[tuple[int, int], Cell] = (),
    numeric: Collection[int] = (),
    first: Collection[int] = (),
) -> str:
    """Return a table; None is a missing value.

    Args:
        columns: Names of the columns.
        numbers: What stands before each row.
        rows: As many cells as columns each.
        cell_chars: Longer cells are cut here.
        marked: Places (row, column), from 0, of cells that changed; a mapping says what each was.
        numeric: Columns, from 0, that hold numbers.
        first: Columns, from 0, that are drawn before the others.
    """
    order = sorted(range(len(columns)), key=lambda at: at not in first)
    head = "".join(f'<th scope="col"{_side(at, numeric)}>{_shown(columns[at], cell_chars)}</th>' for at in order)
    body = []
    for at, (number, row) in enumerate(zip(numbers, rows, strict=True)):
        cells = [
            _changed(row[place], cell_chars, marked, (at, place), _side(place, numeric))
            if (at, place) in marked
            else _cell(row[place], cell_chars, _side(place, numeric))
            for place in order
        ]
        body.append(f'<tr><th scope="row">{_shown(number or "", cell_chars)}</th>{"".join(cells)}</tr>')
    return f"<table><thead><tr><th></th>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"


def _side(column: int, numeric: Collection[int]) -> str:
    return ' align="right"' if column in numeric else ""


def _cell(cell: Cell, size: int, side: str) -> str:
    return MISSING if cell is None else f"<td{side}>{_shown(cell, size)}</td>"


def _changed(
    cell: Cell,
    size: int,
    marked: Collection[tuple[int, int]] | Mapping[tuple[int, int], Cell],
    at: tuple[int, int],
    side: str,
) -> str:
    was = f"<del>{_named(marked[at], size)}</del> " if isinstance(marked, Mapping) else ""
    return f'<td class="bw-changed"{side}>{was}<ins>{_named(cell, size)}</ins></td>'


def _named(cell: Cell, size: int) -> str:
    return "missing" if cell is None else _shown(cell, size)


def _shown(text: str, size: int) -> str:
    flat = " ".join(ansi.plain_text(text[: size + 1]).split())
    return html.escape(f"{flat[: size - 1]}…" if len(text) > size else flat, quote=True)
