"""Who uses whose variables: the cells of a problemset as a small graph, and as a table in words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import streamlit as st

from authoring.ui.editor.draft_view import Cell
from authoring.ui.widgets import draw_empty
from authoring.ui.wording import label
from evaluator.language import names_read_and_written

MAX_DRAWN: Final = 60  # cells; a larger graph cannot be read
MAX_NAMES: Final = 4  # on one arrow
_PLAIN: Final = re.compile(r"[^0-9A-Za-z_]")


@dataclass(frozen=True)
class Use:
    """One cell that reads what another one wrote last."""

    writer: int  # position of the cell, from 0
    reader: int
    names: tuple[str, ...]


def uses_of(codes: Sequence[str]) -> list[Use]:
    """Return which cell reads variables of which earlier one, by the syntax of their code."""
    written: dict[str, int] = {}
    found: dict[tuple[int, int], list[str]] = {}
    for position, code in enumerate(codes):
        used = names_read_and_written(code)
        for name in sorted(used.reads):
            if name in written:
                found.setdefault((written[name], position), []).append(name)
        written |= dict.fromkeys(used.writes, position)
    return [Use(writer, reader, tuple(names)) for (writer, reader), names in sorted(found.items())]


def draw_dependences(cells: Sequence[Cell], codes: Sequence[str]) -> None:
    """Draw the graph and the table."""
    uses = uses_of(codes)
    if not uses:
        draw_empty("No cell uses a variable of another one", "Each problem stands alone.")
        return
    said = [f"{cells[use.reader].name} uses {_listed(use)} of {cells[use.writer].name}" for use in uses]
    if len(cells) <= MAX_DRAWN:
        st.mermaid_chart(graph_of(cells, uses), width="content", alt=f"Who uses whose variables: {'; '.join(said)}")
    rows = [
        {"cell": cells[use.reader].name, "uses": label(", ".join(use.names)), "made by": cells[use.writer].name}
        for use in sorted(uses, key=lambda use: (use.reader, use.writer))
    ]
    st.table(rows, border="horizontal", width="content")
    st.caption("Read from the code; what changes under another name shows only when it is executed.")


def graph_of(cells: Sequence[Cell], uses: Sequence[Use]) -> str:
    """Return the graph as Mermaid text; names from code come down to letters, digits and underscores."""
    shown = sorted({position for use in uses for position in (use.writer, use.reader)})
    lines = ["flowchart LR", *(f'c{position}["{_PLAIN.sub(" ", cells[position].name)}"]' for position in shown)]
    lines += [f'c{use.writer} -->|"{_listed(use)}"| c{use.reader}' for use in uses]
    return "\n".join(lines)


def _listed(use: Use) -> str:
    names = [_PLAIN.sub("", name)[:30] for name in use.names[:MAX_NAMES]]
    return ", ".join([*names, "…"] if len(use.names) > MAX_NAMES else names)
