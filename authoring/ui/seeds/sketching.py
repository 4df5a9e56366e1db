"""From a sketch to a draft: who writes it, with what wishes."""

from typing import Final

import streamlit as st

from authoring.store import Role, Sketch, Workspace
from authoring.ui import state
from authoring.ui.auth import current_user
from authoring.ui.boundary import writes
from authoring.ui.jobs import order
from authoring.ui.seeds.made import draw_made_job
from authoring.ui.seeds.wishes import draw_name, draw_wishes, name_of, wishes_of
from authoring.ui.settings.modelinfo import AUTHORS, author_help, refuse_missing_model

MAX_ROWS: Final = 16  # shown at once; more scroll
DIFFICULTIES: Final = ("easy", "medium", "hard")


def draw_draft_form(ws: Workspace, sketch: Sketch) -> None:
    """Draw what is needed to draft a problemset from a sketch, and what became of the newest such order."""
    key = f"draft:{sketch.id}"
    start = sketch.author if sketch.author in AUTHORS else AUTHORS[0]
    state.start_widget_value(f"{key}:author", start)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox("Author", AUTHORS, key=f"{key}:author", help=author_help(), width=220, on_change="ignore")
        st.number_input(
            "Random seed", 0, 2**31 - 1, value=None, key=f"{key}:rng_seed", width=160, on_change="ignore",
            placeholder="as sketch", help="Another number gives another draft.",
        )  # fmt: skip
        draw_name(key, "as the sketch")
        draw_wishes(key)
        st.button(
            "Draft the problemset",
            key=f"{key}:send",
            type="primary",
            icon=":material/edit_document:",
            help="Writes query, reference code and validators for each item, and executes them.",
            on_click=draft,
            args=(sketch.id,),
        )
    draw_made_job(ws, key)


@writes(Role.MAINTAINER)
def draft(sketch_id: int) -> None:
    """Order a draft."""
    key = f"draft:{sketch_id}"
    author = str(state.widget_value(f"{key}:author") or AUTHORS[0])
    refuse_missing_model(author)
    order(
        "draft",
        {
            "sketch": sketch_id,
            "author": author,
            "rng_seed": state.widget_value(f"{key}:rng_seed"),
            "name": name_of(key),
            "created_by": current_user(),
            **(wishes_of(key) if author == "model" else {}),
        },
        key=key,
    )
