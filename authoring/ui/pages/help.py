"""Help: the documentation for annotators, maintainers and evaluators, searched by words."""

import streamlit as st

from authoring.ui import state
from authoring.ui.boundary import end_page
from authoring.ui.help.documents import DOCS
from authoring.ui.help.handbook import draw_document, draw_results, leave_document
from authoring.ui.shell.navigation import page_link
from authoring.ui.widgets import draw_empty

wanted = state.param("doc")

heading = st.container()
st.caption("Press H on any page for the list of keys. Settings starts the tour of the app again.")
words = st.text_input(
    "Search in all documents", key="help:words", placeholder="words of one section", width=420, persist_state="session",
    on_change=leave_document,
)  # fmt: skip
words = (words or "").strip()
with st.container(horizontal=True):
    for name, title in DOCS.items():
        chosen = name == wanted or (wanted is None and not words and name == next(iter(DOCS)))
        page_link(
            "help", f"**{title}**" if chosen else title, icon=":material/menu_book:" if chosen else None, doc=name
        )
if wanted is None and words:
    heading.title("Help", anchor=False)
    draw_results(words)
    end_page()
if words:
    page_link("help", "Back to what the search found", icon=":material/arrow_back:")
wanted = wanted or next(iter(DOCS))
heading.title(f"Help: {DOCS[wanted]}" if wanted in DOCS else "Help", anchor=False)
if wanted in DOCS:
    draw_document(wanted, state.param("section"))
else:
    draw_empty("There is no such document", "Choose one above.")
