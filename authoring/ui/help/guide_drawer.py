"""The guide beside the page: a switch in the sidebar, and a drawer at the side of whatever page is open."""

from typing import Final

import streamlit as st

from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import ANYONE, writes
from authoring.ui.drawing.markup import safe_markdown

SWITCH: Final = "frame:guide"


def draw_guide_switch() -> None:
    """Draw the switch that opens and closes the drawer."""
    st.toggle(
        "Guide beside the page",
        key=SWITCH,
        persist_state="session",
        help="Shows the guide for authors at the right of every page.",
    )


def draw_guide_drawer(ws: Workspace) -> None:
    """Draw the newest guide; the stylesheet says where."""
    if not state.widget_value(SWITCH):
        return
    from authoring.drafting.guide.guide_effects import shown_guide

    guide = shown_guide(ws)
    with st.container(key="guide_drawer", gap="xsmall"):
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            st.caption(f":material/rule: Guide, revision {guide.number}", width="content")
            st.button(
                "Close the guide", key="frame:guide_close", type="tertiary", icon=":material/close:", on_click=close
            )
        st.markdown(safe_markdown(guide.text))


@writes(ANYONE)
def close() -> None:
    """Close the drawer."""
    state.put_widget_value(SWITCH, False)
