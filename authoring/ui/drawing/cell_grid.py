"""Rows of a table as HTML of our own: cells are text, whatever they hold; missing and changed ones are marked."""

import html
from collections.abc import Collection, Sequence
from typing import Final

from authoring.ui.drawing import ansi

Cell = str | None
MISSING: Final = '<td class="bw-missing">missing</td>'


def grid_html(
    columns: Sequence[str],
    numbers: Sequence[Cell],
    rows: Sequence[Sequence[Cell]],
    *,
    cell_chars: int,
    marked: Collection[tuple[int, int]] = (),
) -> str:
    """Return a table; None is a missing value.

    Args:
        columns: Names of the columns.
        numbers: What stands before each row.
        rows: As many cells as columns each.
        cell_chars: Longer cells are cut here.
        marked: Places (row, column), from 0, of cells that changed.
    """
    head = "".join(f'<th scope="col">{_shown(name, cell_chars)}</th>' for name in columns)
    body = []
    for at, (number, row) in enumerate(zip(numbers, rows, strict=True)):
        cells = (_cell(cell, cell_chars, is_marked=(at, place) in marked) for place, cell in enumerate(row))
        body.append(f'<tr><th scope="row">{_shown(number or "", cell_chars)}</th>{"".join(cells)}</tr>')
    return f"<table><thead><tr><th></th>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"


def _cell(cell: Cell, size: int, *, is_marked: bool) -> str:
    shown = MISSING if cell is None else f"<td>{_shown(cell, size)}</td>"
    if not is_marked:
        return shown
    return f'<td class="bw-changed"><ins>{"missing" if cell is None else _shown(cell, size)}</ins></td>'


def _shown(text: str, size: int) -> str:
    flat = " ".join(ansi.plain_text(text[: size + 1]).split())
    return html.escape(f"{flat[: size - 1]}…" if len(text) > size else flat, quote=True)
