"""Guide: what authors keep to, the amendments that comments lead to, the examples, and what came of each revision."""

import streamlit as st

from authoring.drafting.guide.guide_effects import guide_effects, shown_guide
from authoring.store.drafting.examples import list_examples
from authoring.store.drafting.guide import comments_for_guide, guide_comments, list_amendments, list_guides
from authoring.store.statuses import AmendmentStatus
from authoring.ui import state
from authoring.ui.boundary import end_page
from authoring.ui.guide.amending import draw_amendments, draw_gathering, draw_own_form
from authoring.ui.guide.effects import draw_effects, draw_examples
from authoring.ui.guide.efforts import draw_effort
from authoring.ui.guide.text import draw_guide_history, draw_text
from authoring.ui.inputs.typed_text import keep_typed_text
from authoring.ui.shell.navigation import page_link
from authoring.ui.widgets import draw_empty, draw_tabs
from authoring.ui.wording import ago, label
from authoring.ui.workplace import workspace

ws = workspace()
newest = shown_guide(ws)
guides = list_guides(ws)
wanted = state.param("v")
shown = next((guide for guide in guides if str(guide.number) == wanted), newest if wanted is None else None)

st.title("Guide", anchor=False)
if shown is None:
    draw_empty("The guide has no such revision", f"Its newest is {newest.number}.")
    page_link("guide", "Go to the newest", icon=":material/arrow_forward:")
    end_page()
revision = shown
said = f": {label(shown.message, limit=300)}" if shown.message else ""
st.caption(f"Revision {shown.number} by {label(shown.author)}, {ago(shown.created_at)}{said}")


def draw_changes() -> None:
    """Draw the amendments and the ways to more of them."""
    amendments, comments = list_amendments(ws), comments_for_guide(ws, all_times=True)
    waiting = [each for each in comments if newest.number == 1 or each.created_at > newest.created_at]
    draw_gathering(ws, waiting, len(comments) - len(waiting))
    draw_own_form(newest)
    refs = {
        ref for amendment in amendments if amendment.status == AmendmentStatus.PROPOSED for ref in amendment.comment_ids
    }
    draw_amendments(amendments, guide_comments(ws, sorted(refs)), newest)


draw_tabs(
    "tabs:guide",
    {
        "Text": lambda: draw_text(revision, newest),
        "Amendments": draw_changes,
        "Examples": lambda: draw_examples(list_examples(ws)),
        "Effects": lambda: draw_effects(guide_effects(ws)),
        "Effort": lambda: draw_effort(ws),
        "History": lambda: draw_guide_history(guides),
    },
)
keep_typed_text()
