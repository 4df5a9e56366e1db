"""Marking an attempt as suspect: its problem goes to the roundtable."""

from typing import Final

import streamlit as st

from authoring.store import AttemptRow, ProblemPlace, Role, Workspace, find_attempt, items_about, mark_suspect
from authoring.ui import state
from authoring.ui.auth import current_user
from authoring.ui.boundary import writes
from authoring.ui.navigation import page_link
from authoring.ui.widgets import draw_chip
from authoring.ui.wording import Chip, ago, label
from authoring.ui.workplace import workspace

OPEN: Final = Chip("open", ":material/forum:", "blue")
MAX_SHOWN: Final = 5


def draw_suspicion(ws: Workspace, attempt: AttemptRow, place: ProblemPlace) -> None:
    """Draw what the roundtable has about the problem, and the way to put this attempt there."""
    items = items_about(ws, place)
    for item in items[-MAX_SHOWN:]:
        is_open = item.resolution is None
        with st.container(horizontal=True, vertical_alignment="center"):
            draw_chip(
                Chip("open", ":material/forum:", "blue") if is_open else Chip("settled", ":material/check:", "green")
            )
            st.caption(
                f"{label(item.reason, limit=300)} · {label(item.opened_by)}, {ago(item.created_at)}", width="content"
            )
            page_link("roundtable", "Roundtable", icon=":material/forum:", set=place.problemset_id)
    if any(item.evidence.get("attempt") == attempt.id for item in items):
        return
    key = f"suspect:{attempt.id}"
    with st.popover("Mark suspect", icon=":material/flag:", key=f"{key}:popover"):
        st.caption("The problem then waits at the Roundtable, with this submission as evidence.")
        st.text_area("What is suspect", key=f"{key}:note", max_chars=500, persist_state="session", on_change="ignore")
        st.button(
            "Send to the roundtable", key=f"{key}:send", icon=":material/forum:", on_click=mark, args=(attempt.id,)
        )


@writes(*Role)
def mark(attempt_id: int) -> None:
    """Mark an attempt as suspect."""
    note = str(state.widget_value(f"suspect:{attempt_id}:note") or "")
    item = mark_suspect(workspace(), find_attempt(workspace(), attempt_id), note=note, by=current_user())
    state.flash("success", f"the problem waits at the roundtable as item {item}")
