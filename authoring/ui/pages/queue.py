"""Queue: what waits, by status, and one way into each problemset."""

import streamlit as st

from authoring.checks.standing import standings
from authoring.store.problemsets import count_by_status
from authoring.store.reviewing.queue import count_queue, list_queue, next_for, queue_facets, search_texts
from authoring.ui.boundary import end_page
from authoring.ui.preferences import letter
from authoring.ui.queue.bulk import draw_bulk_bar
from authoring.ui.queue.mentioning import draw_mentions
from authoring.ui.queue.queueing import (
    HITS,
    PAGE,
    draw_demo_job,
    draw_download,
    draw_filters,
    draw_hits,
    draw_no_set,
    draw_nothing_found,
    draw_problemset_rows,
    draw_progress,
    lease_next,
    next_help,
)
from authoring.ui.shell.auth import current_roles, current_user
from authoring.ui.widgets import PAGE_SIZE, draw_pager
from authoring.ui.workplace import environment, workspace

ws = workspace()

with st.container(horizontal=True, vertical_alignment="bottom", horizontal_alignment="distribute"):
    st.title("Queue", anchor=False)
    following = next_for(ws, current_user(), current_roles())
    st.button(
        "Next for me",
        key="queue:next",
        type="primary",
        icon=":material/arrow_forward:",
        shortcut=letter("N"),
        help=next_help(waits=following is not None),
        disabled=following is None,
        on_click=lease_next,
    )

builds_demo = draw_demo_job(ws)
counts = count_by_status(ws)  # after the job that makes them
if not sum(counts.values()):
    draw_no_set(ws, builds_demo=builds_demo)
    end_page()

draw_progress(ws, counts)
facets = queue_facets(ws)
chosen, sort = draw_filters(facets)
with st.container():  # always there: what comes and goes must not move the list below it
    if chosen.search:
        draw_hits(search_texts(ws, chosen.search, limit=HITS), chosen.search)
    else:
        draw_mentions(ws)

found = count_queue(ws, chosen)
slot = st.container()
offset = draw_pager(found, key=PAGE, in_address=True)
rows = list_queue(ws, chosen, sort=sort, limit=PAGE_SIZE, offset=offset)
with slot:
    if rows:
        bar = st.container(key="queue_bar")  # drawn last: the list is what one waits for
        heads = [row.head_revision_id for row in rows]
        draw_problemset_rows(rows, standings(ws, heads, environment()))
        with bar:
            draw_bulk_bar(rows, facets.tags)
        draw_download(ws, chosen, sort)
    else:
        draw_nothing_found()
