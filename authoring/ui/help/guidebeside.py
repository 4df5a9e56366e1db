"""The guide beside the work: its newest revision in the sidebar, on whatever page a person writes."""

import streamlit as st

from authoring.store import Workspace
from authoring.ui.drawing.markup import cell_text

HEIGHT = 480


def draw_guide_beside(ws: Workspace) -> None:
    """Draw a switch, and below it the newest guide with its lines numbered, so that people can quote them."""
    shown = st.toggle(
        "Guide beside the page",
        key="frame:guide",
        persist_state="session",
        help="What authors keep to, on every page. Draw the sidebar wider to read it.",
    )
    if not shown:
        return
    from authoring.guide import shown_guide

    guide = shown_guide(ws)
    st.caption(f":material/rule: revision {guide.number}, lines numbered")
    st.code(cell_text(guide.text), language=None, line_numbers=True, wrap_lines=True, height=HEIGHT)
