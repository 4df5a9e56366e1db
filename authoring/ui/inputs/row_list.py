"""A long list of rows that lead to pages, as one table of our own.

Some hundred elements of the framework, each with its own message and its own place in the page, take seconds until
they stand. The table stands at once, with links that any browser follows; `static/row_list.js` then lets them open in
the tab without loading the app anew, and tells what is selected.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

import streamlit as st

from authoring.ui import state
from authoring.ui.boundary import ANYONE, writes
from authoring.ui.drawing.row_tables import Hinted, Prose, Row, RowColumn, RowLink, Strong, rows_html
from authoring.ui.inputs.static_script import static_component
from authoring.ui.wording import Chip

# Not isolated: its script attends to a table that stands beside it.
_LIST: Final = static_component("benchwright_rows", "row_list.js", "made.attend", isolated=False)
_MEMORY: Final = "rows"


class _Selection(NamedTuple):
    """What is selected, and how often the browser has told of it."""

    keys: frozenset[str] = frozenset()
    told: int = 0


def row_list(
    label: str, columns: Sequence[RowColumn], rows: Sequence[Row], *, key: str, selectable: bool = False
) -> None:
    """Draw a list.

    Args:
        label: What a screen reader calls it.
        columns: Heads and widths; without any head there is no line of heads.
        rows: What stands in it.
        key: Names it in the state of the tab.
        selectable: Whether each row has a box; `selected` tells which are chosen.
    """
    chosen = _selection(key)
    on_screen = {row.key for row in rows}
    if not chosen.keys <= on_screen:  # what one does not see is not meant
        chosen = _Selection(chosen.keys & on_screen, chosen.told)
        state.remember(_memory(key), chosen)
    st.html(rows_html(label, columns, rows, key=key, selectable=selectable))
    _LIST(
        key=_component(key), height=1,
        data={"list": key, "picked": sorted(chosen.keys), "told": chosen.told, "tab": state.tab_id()},
        on_picked_change=partial(_pick, key),
    )  # fmt: skip


def row_link(
    pieces: Sequence[str | Chip | Strong | Prose | Hinted],
    page: str,
    parameters: Mapping[str, str | int],
    *,
    icon: str = "",
) -> RowLink:
    """Return a link for a row; it carries on who writes in this tab."""
    return RowLink(pieces, page, {**parameters, **state.carried()}, icon)


def selected(key: str) -> frozenset[str]:
    """Return the keys of the rows that are selected."""
    return _selection(key).keys


def select(key: str, keys: Iterable[str]) -> None:
    """Select just these rows; only from a callback."""
    state.remember(_memory(key), _Selection(frozenset(keys), _selection(key).told))


def _selection(key: str) -> _Selection:
    """Return what is selected, also where a button's callback comes before that of a box ticked just before it."""
    known: _Selection = state.recall(_memory(key), _Selection())
    held = state.widget_value(_component(key))
    sent = held.get("picked") if isinstance(held, Mapping) else None
    keys, told = (sent.get("keys"), sent.get("told")) if isinstance(sent, Mapping) else (None, None)
    if isinstance(keys, Sequence) and isinstance(told, int) and told > known.told:
        return _Selection(frozenset(map(str, keys)), told)
    return known


def _component(key: str) -> str:
    return f"rows_{key}"


def _memory(key: str) -> str:
    return f"{_MEMORY}:{key}"


@writes(ANYONE)
def _pick(key: str) -> None:
    state.remember(_memory(key), _selection(key))
