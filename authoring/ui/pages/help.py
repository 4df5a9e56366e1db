"""Help: the documentation for annotators, maintainers and evaluators, searched by words."""

import streamlit as st

from authoring.ui import state
from authoring.ui.help.handbook import DOCS, draw_document
from authoring.ui.shell.navigation import page_link
from authoring.ui.widgets import draw_empty

wanted = state.param("doc") or next(iter(DOCS))

st.title("Help", anchor=False)
st.caption("Press H on any page for the list of keys. Settings starts the tour of the app again.")
with st.container(horizontal=True):
    for name, title in DOCS.items():
        chosen = name == wanted
        page_link(
            "help", f"**{title}**" if chosen else title, icon=":material/menu_book:" if chosen else None, doc=name
        )
if wanted in DOCS:
    words = st.text_input(
        "Find in it", key=f"help:{wanted}:words", placeholder="words of a section", width=320, persist_state="session"
    )
    draw_document(wanted, words or "")
else:
    draw_empty("There is no such document", "Choose one above.")
