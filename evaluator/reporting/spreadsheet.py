"""Tables for spreadsheet programs, in which no cell starts a formula."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Final

_STARTS: Final = ("=", "+", "-", "@", "\t", "\r")


def safe_cell(value: object) -> str:
    """Return a value as text that a spreadsheet program does not run: what would start a formula gets a `'` in front.

    Numbers stay as they are.
    """
    text = "" if value is None else str(value)
    if isinstance(value, int | float) or not text.startswith(_STARTS):
        return text
    return f"'{text}"


def csv_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """Return a table as CSV in UTF-8 with a mark at its start, by which spreadsheet programs know the encoding."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(header)
    writer.writerows([safe_cell(value) for value in row] for row in rows)
    return out.getvalue().encode("utf-8-sig", "replace")
