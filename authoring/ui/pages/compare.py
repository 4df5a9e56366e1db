"""Compare: two revisions of a problemset, problem by problem, with what changed in verdicts."""

import streamlit as st

from authoring.store import find_problemset, find_revision, list_revisions
from authoring.ui import state
from authoring.ui.comparing import draw_comparison
from authoring.ui.navigation import page_link
from authoring.ui.widgets import draw_empty
from authoring.ui.wording import at_minute, label
from authoring.ui.workplace import workspace

reference = state.param("set")
if reference is None:
    draw_empty("No problemset is chosen", "Pick one in the queue.")
    page_link("queue", "Go to the queue", icon=":material/inbox:")
    st.stop()

ws = workspace()
row = find_problemset(ws, reference)
revisions = {revision.id: revision for revision in list_revisions(ws, row.id)}
newest = row.head_revision_id
after = state.int_param("b") if state.int_param("b") in revisions else newest
before = state.int_param("a") if state.int_param("a") in revisions else revisions[after or newest].parent_id

page_link("problemset", f"**{label(row.name)}**", icon=":material/arrow_back:", set=row.id)
st.title("Compare revisions", anchor=False)
options = sorted(revisions, reverse=True)


def name_of(revision_id: int) -> str:
    """Return a revision as the two lists call it."""
    revision = revisions[revision_id]
    return f"{revision.number} · {revision.author} · {at_minute(revision.created_at)}"


state.put_widget_value(f"compare:{row.id}:a", before or options[-1])
state.put_widget_value(f"compare:{row.id}:b", after)
with st.container(horizontal=True):
    for side, title in (("a", "Before"), ("b", "After")):
        key = f"compare:{row.id}:{side}"
        st.selectbox(
            title, options, format_func=name_of, key=key, on_change=state.copy_to_param, args=(key, side), width=320
        )
if len(revisions) == 1:
    draw_empty("There is only one revision", "Edit a problem and save: then there are two to compare.")
    st.stop()
draw_comparison(ws, find_revision(ws, before or options[-1]), find_revision(ws, after or newest), state.param("pid"))
