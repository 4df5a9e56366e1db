"""Taking in what was made elsewhere: a notebook, records of completions, a problemset file."""

from collections.abc import Sequence
from typing import Final

import streamlit as st

from authoring.store import Role, Seed, Workspace
from authoring.ui import state
from authoring.ui.auth import current_user
from authoring.ui.boundary import writes
from authoring.ui.jobs import order
from authoring.ui.seeds.author_options import draw_name, name_of
from authoring.ui.seeds.order_results import draw_made_job
from authoring.ui.workplace import workspace
from evaluator.errors import ContentError

KEY: Final = "import"
FORMS: Final = {
    "notebook": "a notebook of questions and answers, or one that was exported here (.ipynb)",
    "completions": "records of prompt, solution and test (JSON Lines, or one JSON list)",
    "problemset": "a problemset file (.py)",
}
ENDINGS: Final = {"notebook": ("ipynb",), "completions": ("jsonl", "json", "ndjson"), "problemset": ("py",)}


def draw_take_in(ws: Workspace, seeds: Sequence[Seed]) -> None:
    """Draw the form, and what the newest conversion leaves to a person."""
    st.caption(
        "Its text and code are read, nothing is executed. What a rule cannot settle is listed for you; the rest "
        "becomes a problemset in the queue."
    )
    round_no = state.recall(f"{KEY}:round", 0)
    form = st.selectbox("What it is", list(FORMS), format_func=FORMS.__getitem__, key=f"{KEY}:form", width=520)
    st.file_uploader("File", type=list(ENDINGS[form]), key=f"{KEY}:file:{form}:{round_no}")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        draw_name(KEY, "as the file")
        st.selectbox(
            "Seed", [seed.name for seed in seeds], index=None, placeholder="none", key=f"{KEY}:seed", width=240,
            help="The data that it is about: its files become the inputs.", on_change="ignore",
        )  # fmt: skip
        st.button("Take it in", key=f"{KEY}:send", type="primary", icon=":material/upload_file:", on_click=import_file)
    draw_made_job(ws, KEY)


@writes(Role.MAINTAINER)
def import_file() -> None:
    """Store the uploaded bytes and order the job that reads them."""
    form = str(state.widget_value(f"{KEY}:form") or next(iter(FORMS)))
    round_no = state.recall(f"{KEY}:round", 0)
    upload = state.widget_value(f"{KEY}:file:{form}:{round_no}")
    if upload is None:
        raise ContentError("no file was chosen", where="File", fix="choose one, then press the button again")
    file = {"name": upload.name, "digest": workspace().put_bytes(upload.getvalue())}
    seed = state.widget_value(f"{KEY}:seed")
    fields = {"form": form, "file": file, "name": name_of(KEY), "seed": seed, "created_by": current_user()}
    order("import", fields, key=KEY)
    state.remember(f"{KEY}:round", round_no + 1)
    state.put_widget_value(f"{KEY}:name", "")
