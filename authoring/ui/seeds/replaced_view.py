"""Which items of a sketch a draft does not ask as they are, below what made it and in its history."""

from collections.abc import Mapping
from typing import Any, Final

import streamlit as st

from authoring.drafting.replaced_items import replaced_items
from authoring.ui.wording import label, plural

MAX_LINES: Final = 60
FEW_LINES: Final = 5  # are shown at once, more in a box to open


def draw_replaced(provenance: object) -> None:
    """Draw the replaced items in a box with their number; nothing where there are none."""
    known: Mapping[str, Any] = provenance if isinstance(provenance, Mapping) else {}
    lines = replaced_items(known)
    if not lines:
        return
    verb = "was" if len(lines) == 1 else "were"
    title = f"{plural(len(lines), 'item')} of the sketch {verb} replaced or left out"
    with st.expander(title, icon=":material/swap_horiz:", expanded=len(lines) <= FEW_LINES):
        st.markdown("\n".join(f"- {label(line, limit=400)}" for line in lines[:MAX_LINES]))
        if len(lines) > MAX_LINES:
            st.caption(f"and {len(lines) - MAX_LINES} more")
