"""Draw what changed between two texts; the fields of a problem as the person prefers to see them."""

import html
from collections.abc import Mapping
from typing import Final

import streamlit as st

from authoring.ui import wording
from authoring.ui.drawing.markup import MAX_EXACT_DIFF_LINES, diff_html, word_diff_html
from authoring.ui.drawing.table_difference import TableDifference, difference_html
from authoring.ui.inputs.code_editor import Language, diff_view
from authoring.ui.preferences import prefers_plain_editors

LANGUAGES: Final[Mapping[str, Language]] = {
    "query": "markdown",
    "code": "python",
    "settings": "yaml",
    "text": "python",
}


def draw_difference(
    before: str, after: str, *, same: str = "Both texts are the same.", exact_lines: int = MAX_EXACT_DIFF_LINES
) -> None:
    """Draw the changed lines; `same` is said when there are none. `exact_lines` is that of `diff_html`."""
    changed = diff_html(before, after, exact_lines=exact_lines)
    if changed is None:
        st.caption(same)
    else:
        st.html(changed)  # tags of ours around escaped text


def draw_cells(difference: TableDifference, name: str) -> None:
    """Draw the rows of two tables that differ, their cells marked; `name` tells screen readers which tables."""
    group = f'class="bw-table" role="group" aria-label="{html.escape(name)}" tabindex="0"'
    st.html(f"<div {group}>{difference_html(difference)}</div>")  # tags of ours around escaped text


def draw_field_difference(
    before: str, after: str, field: str, *, key: str, titles: tuple[str, str] = ("Before", "After"), label: str = ""
) -> None:
    """Draw how a text changed: a query by words, code and settings side by side.

    Args:
        before: The older text.
        after: The newer text.
        field: Which field it is: query, code, settings or text.
        key: Names the comparison on its page.
        titles: What to call the two texts.
        label: What the comparison is about, for screen readers.
    """
    by_words = field == "query" and before != after
    if by_words:
        st.html(word_diff_html(before, after) or "")  # tags of ours around escaped text
    elif prefers_plain_editors() or before == after:
        if before != after:
            st.caption(f"− {wording.label(titles[0])} · + {wording.label(titles[1])}")
        draw_difference(before, after)
    else:
        diff_view(before, after, key=key, label=label or "Comparison", language=LANGUAGES[field], titles=titles)
