"""What a submission showed against what its reference showed: tables by cell, texts by line, pictures side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import streamlit as st

from authoring.ui.drawing.blocks import MAX_BLOCKS, BlockKind, render_blocks
from authoring.ui.drawing.differences import draw_cells, draw_difference
from authoring.ui.drawing.markup import cell_text
from authoring.ui.drawing.picture_pairs import draw_pairs
from authoring.ui.drawing.table_difference import (
    TableDifference,
    compare_tables,
    left_out_words,
    read_table,
)
from authoring.ui.wording import label, plural

MAX_PAIRS: Final = 5  # of tables, and of pictures
HEAD_LINES: Final = 300  # of a text that is compared
TAIL_LINES: Final = 100
MAX_EXACT_LINES: Final = 400  # of hostile texts: many equal lines take time with the cube of their number
CELL_LEGEND: Final = "Struck out: only the reference shows it. Underlined: only the submission does."
LINE_LEGEND: Final = "Red, −: only the reference shows the line. Green, +: only the submission does."


@dataclass
class Shown:
    """What outputs show, sorted by how it is compared. All of it is hostile."""

    tables: list[str] = field(default_factory=list)  # cleaned HTML
    pictures: list[bytes] = field(default_factory=list)
    texts: list[tuple[str, int | None]] = field(default_factory=list)  # as printed; the table beside whose HTML it is
    others: int = 0  # charts, drawings, files (count)

    def text(self, *, beyond: int = 0) -> str:
        """Return all texts but those of the first `beyond` tables; of very many lines the first and the last ones."""
        texts = [text for text, table in self.texts if table is None or table >= beyond]
        lines = cell_text("\n".join(text.rstrip("\n") for text in texts)).splitlines()
        left_out = len(lines) - HEAD_LINES - TAIL_LINES
        if left_out <= 0:
            return "\n".join(lines)
        return "\n".join([*lines[:HEAD_LINES], f"… {left_out:,} lines left out …", *lines[-TAIL_LINES:]])


def sort_outputs(outputs: Sequence[Mapping[str, Any]]) -> Shown:
    """Sort nbformat-shaped outputs."""
    shown = Shown()
    for output in outputs[:MAX_BLOCKS]:
        for block in render_blocks([output]):
            if block.kind is BlockKind.TABLE:
                shown.texts.append((_plain(output), len(shown.tables)))
                shown.tables.append(block.text)
            elif block.kind is BlockKind.PICTURE:
                shown.pictures.append(block.data)
            elif block.kind in (BlockKind.TEXT, BlockKind.MARKDOWN):
                shown.texts.append((_plain(output), None))
            elif block.kind is not BlockKind.ERROR:
                shown.others += 1
    return shown


def draw_output_differences(
    expected: Sequence[Mapping[str, Any]], found: Sequence[Mapping[str, Any]], *, key: str, pictures: bool = True
) -> None:
    """Draw what differs between two lists of outputs.

    Args:
        expected: Of the reference, nbformat-shaped, hostile.
        found: Of the submission, likewise.
        key: Names what they belong to.
        pictures: Whether to compare pictures; not where they stand beside each other already.
    """
    before, after = sort_outputs(expected), sort_outputs(found)
    tables = min(len(before.tables), len(after.tables), MAX_PAIRS)
    st.markdown("**What differs**")
    drawn = [_draw_tables(before.tables[at], after.tables[at], at, tables) for at in range(tables)]
    drawn.append(_draw_texts(before.text(beyond=tables), after.text(beyond=tables)))
    if pictures:
        drawn.append(_draw_pictures(before.pictures, after.pictures, key))
    if not any(drawn):
        st.caption("Both show the same. What a validator found lies in what is not shown, such as types or variables.")
    if before.others or after.others:
        st.caption("Charts, drawings and files are not compared here.")


def _draw_tables(expected: str, found: str, number: int, of: int) -> bool:
    name = f"Table {number + 1}" if of > 1 else "Table"
    difference = _compared(expected, found)
    if difference is None:
        st.caption(f"{name}: too large to be compared by cell.")
        return True
    if difference.is_same:
        return False
    st.markdown(f"{name}: {label(difference.in_words(), limit=800)}")
    if any(row.is_different for row in difference.rows):
        draw_cells(difference, f"{name}: cells that differ")
        st.caption(CELL_LEGEND)
    if left_out_words(difference):
        st.caption(left_out_words(difference))
    return True


@st.cache_data(max_entries=32, show_spinner=False)
def _compared(expected: str, found: str) -> TableDifference | None:
    one, other = read_table(expected), read_table(found)
    return None if one is None or other is None else compare_tables(one, other)


def _draw_texts(expected: str, found: str) -> bool:
    if expected == found:
        return False
    if expected and found:
        draw_difference(expected, found, exact_lines=MAX_EXACT_LINES)
        st.caption(LINE_LEGEND)
    else:
        st.caption("Only the reference shows text." if expected else "Only the submission shows text.")
    return True


def _draw_pictures(expected: Sequence[bytes], found: Sequence[bytes], key: str) -> bool:
    if list(expected) == list(found):
        return False
    if len(expected) != len(found):
        st.caption(f"{plural(len(expected), 'figure')} expected, {len(found)} found")
    draw_pairs(expected, found, key=key, most=MAX_PAIRS)
    return True


def _plain(output: Mapping[str, Any]) -> str:
    data = output.get("data")
    value = data.get("text/plain") or data.get("text/markdown") if isinstance(data, Mapping) else output.get("text")
    return "".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value or "")
