"""Unsaved text whose cell others deleted or changed: it is shown until its person has taken what they need of it."""

import streamlit as st

from authoring.store.autosaves import Autosave
from authoring.store.autosaves import drop as drop_autosaves
from authoring.store.people import Role
from authoring.ui.boundary import writes
from authoring.ui.drawing.differences import LANGUAGES
from authoring.ui.editor.editing import LABELS, OpenDraft
from authoring.ui.shell.auth import current_user
from authoring.ui.widgets import draw_code
from authoring.ui.workplace import workspace


def draw_strays(opened: OpenDraft) -> None:
    """Draw each unsaved text of the person that belongs to no cell of the set any more, and how to drop it."""
    for saved in opened.strays:
        with st.container(border=True):
            what = LABELS.get(saved.field, "Text").partition(" (")[0]
            st.warning(
                f"**{what}: unsaved text of yours whose cell somebody deleted or changed.** It is saved with nothing. "
                "Copy what you need to the cell it belongs to, then drop it here.",
                icon=":material/call_split:",
            )
            draw_code(saved.text, language=LANGUAGES.get(saved.field, "markdown"))
            st.button(
                "Drop this text",
                key=f"stray:{opened.row.id}:{saved.saved_no}",
                icon=":material/delete:",
                on_click=drop_stray,
                args=(saved,),
            )


@writes(Role.ANNOTATOR)
def drop_stray(saved: Autosave) -> None:
    """Forget an unsaved text that belongs to no cell."""
    drop_autosaves(workspace(), current_user(), saved.problemset_id, problem=saved.problem, field=saved.field)
