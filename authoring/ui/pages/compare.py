"""Compare: two revisions of a problemset, or unsaved texts over it: texts, outputs, verdicts; and decide."""

import streamlit as st

from authoring.store import problemsets, revisions
from authoring.ui import state
from authoring.ui.boundary import end_page
from authoring.ui.problemset.revision_comparison import (
    draw_both_outputs,
    draw_choice,
    draw_decisions,
    draw_moved_verdicts,
    draw_texts,
    draw_verdict_table,
    draw_view_choice,
    load_side,
    side_names,
)
from authoring.ui.shell.navigation import page_link
from authoring.ui.widgets import draw_chip, draw_empty
from authoring.ui.wording import label, status_chip
from authoring.ui.workplace import workspace

reference = state.param("set")
if reference is None:
    draw_empty("No problemset is chosen", "Pick one in the queue.")
    page_link("queue", "Go to the queue", icon=":material/inbox:")
    end_page()

ws = workspace()
row = problemsets.find(ws, reference)
names = side_names(ws, row, revisions.select(ws, row.id))

with st.container(horizontal=True, vertical_alignment="center"):
    page_link("problemset", f"**{label(row.name)}**", icon=":material/arrow_back:", set=row.id)
    draw_chip(status_chip(row.status))
st.title("Compare", anchor=False)
if len(names) == 1:
    draw_empty("There is only one revision", "Edit a problem and save: then there are two to compare.")
    end_page()

a, b = draw_choice(row, names)
before, after = load_side(ws, row, a), load_side(ws, row, b)
draw_decisions(ws, row, before, after)
draw_moved_verdicts(before, after)
view = draw_view_choice()
if view == "outputs":
    draw_both_outputs(before, after, state.param("pid"))
elif view == "verdicts":
    draw_verdict_table(before, after)
else:
    draw_texts(before, after, state.param("pid"))
