"""Two tables as notebooks show them, cell by cell: what changed, what is missing, what is too many. No Streamlit here.

Both tables are hostile. They come in as HTML that was cleaned, and go out as HTML of ours around escaped text.
"""

import html
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from html.parser import HTMLParser
from typing import Final, NamedTuple

from authoring.ui.drawing import ansi
from authoring.ui.wording import plural

MAX_HTML: Final = 500_000  # characters of one table; a longer one is not compared by cell
MAX_ROWS: Final = 500  # of one table that are read
MAX_COLUMNS: Final = 100
MAX_DRAWN_ROWS: Final = 50
MAX_DRAWN_COLUMNS: Final = 30
MAX_NAMES: Final = 8  # of rows or columns in a sentence
MAX_CELL: Final = 120  # characters

Key = tuple[str, int]  # a name, and which of those that share it


@dataclass(frozen=True)
class ShownTable:
    """A table as its cells read."""

    columns: tuple[str, ...]  # names, those of several levels joined; without the row labels
    labels: tuple[str, ...]  # one a row; empty where the table has none
    rows: tuple[tuple[str, ...], ...]  # cells, as many in each row as there are columns
    is_cut: bool = False  # whether more rows or columns came than are read


def read_table(cleaned: str) -> ShownTable | None:
    """Return the first table of cleaned HTML; None where there is none, or one that is too long to read."""
    if len(cleaned) > MAX_HTML:
        return None
    reader = _Reader()
    reader.feed(cleaned)
    reader.close()
    heads, body = reader.grids()
    if not heads and not body:
        return None
    depth = max((_leading(row) for row in body), default=0)
    width = max((len(row) for row in (*heads, *body)), default=0)
    names = [" / ".join(_distinct(row[at].text for row in heads if at < len(row))) for at in range(depth, width)]
    rows = [[row[at].text if at < len(row) else "" for at in range(width)] for row in body]
    labels = [" / ".join(row[:depth]) for row in rows]
    return ShownTable(tuple(names), tuple(labels), tuple(tuple(row[depth:]) for row in rows), reader.is_cut)


class Mark(StrEnum):
    """On which side a row or column stands."""

    BOTH = ""
    MISSING = "missing"  # only in the expected table
    EXTRA = "extra"  # only in the found one


@dataclass(frozen=True)
class ComparedRow:
    """A row of both tables, or of one."""

    label: str
    mark: Mark
    cells: tuple[tuple[str | None, str | None], ...]  # by column: expected and found; None: the side has no such cell

    @property
    def is_different(self) -> bool:
        """Whether a cell that both have reads differently, or the row stands on one side only."""
        return self.mark is not Mark.BOTH or any(_changed(cell) for cell in self.cells)


@dataclass(frozen=True)
class TableDifference:
    """Two tables laid over each other."""

    columns: tuple[tuple[str, Mark], ...]
    rows: tuple[ComparedRow, ...]
    is_reordered: bool  # whether rows or columns that both have come in another order
    by_position: bool  # whether no row label is common: then rows were compared by their place
    is_cut: bool  # whether a table was longer than is read

    @property
    def changed_cells(self) -> int:
        """How many cells that both tables have read differently (count)."""
        return sum(_changed(cell) for row in self.rows for cell in row.cells)

    @property
    def is_same(self) -> bool:
        """Whether both tables read the same."""
        marked = any(mark is not Mark.BOTH for _, mark in self.columns)
        return not (marked or self.is_reordered or self.by_position or any(row.is_different for row in self.rows))

    def in_words(self) -> str:
        """Return what differs as one plain sentence, without names that are longer than a line."""
        parts = [f"{plural(self.changed_cells, 'cell')} changed"] if self.changed_cells else []
        for what, marked in (("column", self.columns), ("row", [(row.label, row.mark) for row in self.rows])):
            for mark in (Mark.MISSING, Mark.EXTRA):
                names = [name for name, each in marked if each is mark]
                if names:
                    parts.append(f"{mark} {what}{'' if len(names) == 1 else 's'}: {_listed(names)}")
        parts += ["another order"] if self.is_reordered else []
        parts += ["row labels differ, so rows are compared in order"] if self.by_position else []
        parts += ["only the first rows and columns were read"] if self.is_cut else []
        return " · ".join(parts)


def compare_tables(expected: ShownTable, found: ShownTable) -> TableDifference:
    """Lay two tables over each other: columns by name, rows by label, or by place where no label is common."""
    columns = _laid_over(_keys(expected.columns), _keys(found.columns))
    before, after = _keys(expected.labels), _keys(found.labels)
    by_position = bool(before and after) and not {*before} & {*after}
    if by_position:
        before, after = ([("", number) for number in range(len(each))] for each in (before, after))
    rows = _laid_over(before, after)
    return TableDifference(
        tuple((key[0], _mark(places)) for key, places in columns),
        tuple(_row(key, places, columns, (expected, found)) for key, places in rows),
        any(_is_reordered(pairs) for pairs in (columns, rows)),
        by_position,
        expected.is_cut or found.is_cut,
    )


def difference_html(difference: TableDifference) -> str:
    """Return the rows that differ as a table: what is only expected struck out, what is only found underlined."""
    shown = _shown_columns(difference)
    head = "".join(f'<th scope="col">{_marked(*difference.columns[at])}</th>' for at in shown)
    body = []
    for row in [row for row in difference.rows if row.is_different][:MAX_DRAWN_ROWS]:
        cells = "".join(_cell_html(row.cells[at]) for at in shown)
        body.append(f'<tr><th scope="row">{_marked(row.label, row.mark)}</th>{cells}</tr>')
    head = f'<th scope="col">row</th>{head}'
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"


def left_out_words(difference: TableDifference) -> str:
    """Return what `difference_html` does not draw, as a plain sentence; empty where it draws all that differs."""
    rows = sum(row.is_different for row in difference.rows) - MAX_DRAWN_ROWS
    columns = len(difference.columns) - MAX_DRAWN_COLUMNS
    named = ((rows, "row that differs", "rows that differ"), (columns, "column", "columns"))
    parts = [f"{number:,} more {one if number == 1 else many}" for number, one, many in named if number > 0]
    return f"Not shown: {' and '.join(parts)}." if parts else ""


class _Cell(NamedTuple):
    text: str
    is_head: bool


class _Reader(HTMLParser):
    """Reads rows of cells out of the first table; cells that span several places are repeated there."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.is_cut = False
        self._heads: list[list[_Cell]] = []
        self._body: list[list[_Cell]] = []
        self._row: list[_Cell] | None = None
        self._open: tuple[str, int, int] | None = None  # tag, columns and rows that it spans
        self._text: list[str] = []
        self._below: dict[int, tuple[_Cell, int]] = {}  # by column: a cell that reaches into so many more rows
        self._in_head = False
        self._ended = False

    def grids(self) -> tuple[list[list[_Cell]], list[list[_Cell]]]:
        """Return the rows of headings, then the others."""
        if not self._heads and self._body and all(cell.is_head for cell in self._body[0]):
            return self._body[:1], self._body[1:]
        return self._heads, self._body

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._ended:
            return
        if tag == "thead":
            self._in_head = True
        elif tag == "tr":
            self._row = []
        elif tag in ("td", "th") and self._row is not None:
            given = dict(attrs)
            self._open, self._text = (tag, _span(given.get("colspan")), _span(given.get("rowspan"))), []

    def handle_endtag(self, tag: str) -> None:
        if self._ended:
            return
        if tag == "table":
            self._ended = True
        elif tag == "thead":
            self._in_head, self._below = False, {}
        elif tag in ("td", "th") and self._open is not None and self._row is not None:
            self._end_cell(self._row, *self._open)
            self._open = None
        elif tag == "tr" and self._row is not None:
            self._end_row(self._row)
            self._row = None

    def handle_data(self, data: str) -> None:
        if self._open is not None:
            self._text.append(data)

    def _end_cell(self, row: list[_Cell], tag: str, columns: int, rows: int) -> None:
        self._reach_down(row)
        cell = _Cell(" ".join("".join(self._text).split()), tag == "th")
        for _ in range(columns):
            if len(row) >= MAX_COLUMNS:
                self.is_cut = True
                return
            if rows > 1:
                self._below[len(row)] = (cell, rows - 1)
            row.append(cell)

    def _end_row(self, row: list[_Cell]) -> None:
        self._reach_down(row)
        kept = self._heads if self._in_head else self._body
        if len(kept) >= MAX_ROWS:
            self.is_cut = True
        elif row:
            kept.append(row)

    def _reach_down(self, row: list[_Cell]) -> None:
        while len(row) in self._below:
            cell, left = self._below.pop(len(row))
            if left > 1:
                self._below[len(row)] = (cell, left - 1)
            row.append(cell)


def _span(value: str | None) -> int:
    return min(int(value), MAX_ROWS) if value and value.isascii() and value.isdigit() and len(value) < 5 else 1


def _leading(row: Sequence[_Cell]) -> int:
    return next((number for number, cell in enumerate(row) if not cell.is_head), len(row))


def _distinct(texts: Iterable[str]) -> list[str]:
    return [text for text in dict.fromkeys(texts) if text]


def _keys(names: Iterable[str]) -> list[Key]:
    seen: Counter[str] = Counter()
    keys = []
    for name in names:
        keys.append((name, seen[name]))
        seen[name] += 1
    return keys


Places = tuple[int | None, int | None]  # in the expected table and in the found one


def _laid_over(before: Sequence[Key], after: Sequence[Key]) -> list[tuple[Key, Places]]:
    there = {key: place for place, key in enumerate(after)}
    here = {*before}
    laid: list[tuple[Key, Places]] = [(key, (place, there.get(key))) for place, key in enumerate(before)]
    return laid + [(key, (None, place)) for place, key in enumerate(after) if key not in here]


def _is_reordered(pairs: Iterable[tuple[Key, Places]]) -> bool:
    found = [after for _, (before, after) in pairs if before is not None and after is not None]
    return found != sorted(found)


def _mark(places: Places) -> Mark:
    return Mark.EXTRA if places[0] is None else Mark.MISSING if places[1] is None else Mark.BOTH


def _row(
    key: Key, places: Places, columns: Sequence[tuple[Key, Places]], tables: tuple[ShownTable, ShownTable]
) -> ComparedRow:
    def cell(side: int, column: Places) -> str | None:
        row, at = places[side], column[side]
        return None if row is None or at is None else tables[side].rows[row][at]

    labels = (table.labels[at] for table, at in zip(tables, places, strict=True) if at is not None)
    name = next((label for label in labels if label), str(key[1]))  # without labels its number, from 0 as pandas counts
    return ComparedRow(name, _mark(places), tuple((cell(0, column), cell(1, column)) for _, column in columns))


def _changed(cell: tuple[str | None, str | None]) -> bool:
    return None not in cell and cell[0] != cell[1]


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - MAX_NAMES:,} more" if len(names) > MAX_NAMES else ""
    return ", ".join(_short(name, 40) or "(no name)" for name in names[:MAX_NAMES]) + more


def _shown_columns(difference: TableDifference) -> list[int]:
    """Return the columns that are drawn: those that differ before others, all in their order."""
    numbers = range(len(difference.columns))
    changed = {at for row in difference.rows for at, cell in enumerate(row.cells) if _changed(cell)}
    changed |= {at for at in numbers if difference.columns[at][1] is not Mark.BOTH}
    return sorted(sorted(numbers, key=lambda at: at not in changed)[:MAX_DRAWN_COLUMNS])


def _cell_html(cell: tuple[str | None, str | None]) -> str:
    expected, found = cell
    if expected == found:
        return f"<td>{_escaped(expected or '')}</td>"
    parts = [
        f"<{tag}>{_escaped(text or '(empty)')}</{tag}>"
        for tag, text in (("del", expected), ("ins", found))
        if text is not None
    ]
    return f'<td class="bw-changed">{" ".join(parts)}</td>'


def _marked(name: str, mark: Mark) -> str:
    tag = {Mark.MISSING: "del", Mark.EXTRA: "ins"}.get(mark)
    return _escaped(name) if tag is None else f"<{tag}>{_escaped(name or '(no name)')}</{tag}>"


def _short(text: str, limit: int) -> str:
    plain = ansi.plain_text(text)
    return plain if len(plain) <= limit else f"{plain[: limit - 1]}…"


def _escaped(text: str) -> str:
    return html.escape(_short(text, MAX_CELL))
