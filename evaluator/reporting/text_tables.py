"""Plain text tables for terminals: columns padded, numbers to the right."""

from collections.abc import Sequence


def text_table(headers: Sequence[str], rows: Sequence[Sequence[str]], *, numbers_from: int = 1) -> str:
    """Return a table with a line below its headers.

    Args:
        headers: One name per column.
        rows: Cells as text, one sequence per row; line breaks in one are shown as spaces.
        numbers_from: The column, counted from 0, from which on cells are set to the right.
    """
    rows = [[" ".join(cell.splitlines()) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in [headers, *rows]) for i in range(len(headers))]

    def line(cells: Sequence[str]) -> str:
        padded = [
            cell.ljust(width) if i < numbers_from else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        return "  ".join(padded).rstrip()

    return "\n".join([line(headers), line(["-" * width for width in widths]), *map(line, rows)])


def percent(rate: float | None) -> str:
    """Write a fraction in 0..1 as a percentage with one decimal, or a dash where there is none."""
    return "-" if rate is None else f"{rate:.1%}"
