"""Roundtable: what dry runs leave open between query, reference, validators and agents."""

import streamlit as st

from authoring.store import problemsets
from authoring.ui import state
from authoring.ui.problemset.roundtable import draw_opening, draw_roundtable
from authoring.ui.shell.navigation import page_link
from authoring.ui.wording import label
from authoring.ui.workplace import workspace

ws = workspace()
reference = state.param("set")

st.title("Roundtable", anchor=False)
st.caption(
    "A reference that fails itself, an empty answer that passes, an agent that is judged wrong: somebody looks at each "
    "and says which of query, reference, validator and agent was at fault."
)
row = None if reference is None else problemsets.find(ws, reference)
if row is not None:
    page_link("problemset", f"**{label(row.name)}**", icon=":material/arrow_back:", set=row.id)
    page_link("roundtable", "All problemsets", icon=":material/forum:")
draw_opening(ws, row)
draw_roundtable(ws, row)
