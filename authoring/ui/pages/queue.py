"""Queue: what waits, by status, and one way into each problemset."""

import streamlit as st

from authoring.store import STATUSES, count_by_status, count_problemsets, latest_dry_run_ids, list_problemsets
from authoring.ui import actions
from authoring.ui.listing import draw_demo_job, draw_problemset_rows, load_dry_runs
from authoring.ui.navigation import page_link
from authoring.ui.preferences import letter
from authoring.ui.widgets import PAGE_SIZE, draw_empty, draw_pager
from authoring.ui.wording import status_chip
from authoring.ui.workplace import workspace

ws = workspace()
counts = count_by_status(ws)
total = sum(counts.values())

with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute"):
    st.title("Queue", anchor=False)
    st.button(
        "Next for me",
        key="queue:next",
        type="primary",
        icon=":material/arrow_forward:",
        shortcut=letter("N"),
        help="Takes the draft that has waited longest and opens it.",
        disabled=not counts.get("draft", 0) + counts.get("sent_back", 0),
        on_click=actions.claim_next,
    )

draw_demo_job(ws)
if not total:
    draw_empty(
        "There is no problemset yet",
        "Choose a dataset under Seeds, sketch problems on it and draft them. The draft then waits here.",
    )
    page_link("seeds", "Go to Seeds", icon=":material/database:")
    st.stop()

with st.container(horizontal=True, vertical_alignment="bottom"):
    status = st.segmented_control(
        "Status",
        STATUSES,
        format_func=lambda name: f"{status_chip(name).word} {counts.get(name, 0)}",
        key="q_status",
        help="Show only problemsets of one status.",
    )
    text = st.text_input("Search names", key="q_text", bind="query-params", width=260)

found = count_problemsets(ws, status=status, search=text or None)
slot = st.container()
offset = draw_pager(found, key="queue:page")
rows = list_problemsets(ws, status=status, search=text or None, limit=PAGE_SIZE, offset=offset)
with slot:
    if rows:
        heads = [row.head_revision_id for row in rows]
        draw_problemset_rows(rows, load_dry_runs(ws, latest_dry_run_ids(ws, heads)))
    else:
        draw_empty("Nothing matches", "Choose another status, or clear the search.")
