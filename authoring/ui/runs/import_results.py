"""Taking results that were recorded elsewhere into the workspace, as a run."""

from typing import Final

import streamlit as st

from authoring.store import Role, Workspace, find_latest_job, list_releases
from authoring.ui import state
from authoring.ui.auth import current_user
from authoring.ui.boundary import writes
from authoring.ui.jobs import draw_job, order
from authoring.ui.runs.run_form import draw_made_run
from authoring.ui.workplace import workspace
from evaluator.errors import ContentError

KEY: Final = "import:results"


def draw_take_results(ws: Workspace) -> None:
    """Draw the form, and the newest import until somebody has opened what it made."""
    named: dict[int | None, str] = {release.id: f"{release.name} {release.version}" for release in list_releases(ws)}
    releases = {None: "as the records say"} | named
    with st.popover("Import results", icon=":material/upload_file:", key=f"{KEY}:popover"):
        st.caption(
            "A file of result records, one JSON object a line: records.jsonl of a run, or DSEval's. They become a run "
            "as they are; *Score again* judges their submissions anew."
        )
        st.file_uploader("Records", type=["jsonl", "json"], key=f"{KEY}:file:{state.recall(KEY, 0)}")
        st.selectbox(
            "Release", list(releases), format_func=lambda each: releases[each],
            key=f"{KEY}:release", on_change="ignore", help="The records are checked against it.",
        )  # fmt: skip
        st.text_input("Agent", key=f"{KEY}:agent", placeholder="as the file", max_chars=80, on_change="ignore")
        st.button("Import them", key=f"{KEY}:send", icon=":material/upload_file:", on_click=import_file)
    job = find_latest_job(ws, KEY)
    if job is not None and job.state != "cancelled":
        with st.container(border=True):
            draw_job(job, on_done=draw_made_run)


@writes(Role.EVALUATOR)
def import_file() -> None:
    """Store the uploaded bytes and order the job that reads them."""
    round_no = state.recall(KEY, 0)
    upload = state.widget_value(f"{KEY}:file:{round_no}")
    if upload is None:
        raise ContentError("no file was chosen", where="Records", fix="choose one, then press the button again")
    fields = {
        "file": {"name": upload.name, "digest": workspace().put_bytes(upload.getvalue())},
        "release": state.widget_value(f"{KEY}:release"),
        "agent": str(state.widget_value(f"{KEY}:agent") or "").strip(),
        "created_by": current_user(),
    }
    order("import_results", fields, key=KEY)
    state.remember(KEY, round_no + 1)
