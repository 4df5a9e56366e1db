"""Taking a published benchmark into the workspace, from the .zip that a release or a repository offers."""

from typing import Any, Final

import streamlit as st

from authoring.store import Role, Workspace, find_latest_job, job_result
from authoring.ui import state
from authoring.ui.auth import current_user
from authoring.ui.boundary import writes
from authoring.ui.jobs import draw_job, order
from authoring.ui.navigation import page_link
from authoring.ui.wording import label, plural
from authoring.ui.workplace import workspace
from evaluator.errors import ContentError

KEY: Final = "import:benchmark"
MAX_NAMED: Final = 20


def draw_take_benchmark(ws: Workspace) -> None:
    """Draw the form, and what became of the newest import."""
    with st.popover("Import a benchmark", icon=":material/upload_file:", key=f"{KEY}:popover"):
        st.caption(
            "A .zip of a benchmark's folder, such as a downloaded release. Its problemsets come into the queue with "
            "their data; nothing is executed."
        )
        st.file_uploader("Archive", type=["zip"], key=f"{KEY}:file:{state.recall(KEY, 0)}")
        st.button("Import it", key=f"{KEY}:send", icon=":material/upload_file:", on_click=import_file)
    job = find_latest_job(ws, KEY)
    if job is None or job.state == "cancelled":
        return
    if job.state != "done":
        with st.container(border=True):
            draw_job(job, log=True)
        return
    _draw_result(job_result(ws, job.id) or {})


def _draw_result(made: dict[str, Any]) -> None:
    kept, refused = made.get("kept") or [], made.get("refused") or []
    with st.expander(f"Imported from {label(str(made.get('benchmark')))}: {plural(len(kept), 'problemset')}"):
        for each in kept[:MAX_NAMED]:
            page_link("problemset", label(str(each["name"])), icon=":material/menu_book:", set=each["problemset"])
        if len(kept) > MAX_NAMED:
            st.caption(f"and {len(kept) - MAX_NAMED} more: see the queue")
        for each in refused[:MAX_NAMED]:
            st.warning(f"{label(str(each['name']))}: {label(str(each['why']), limit=400)}", icon=":material/block:")
        if made.get("own_validators"):
            st.info(
                "It has validators of its own. Put its \\_validators.py into the workspace's folder to judge by them.",
                icon=":material/info:",
            )


@writes(Role.MAINTAINER)
def import_file() -> None:
    """Store the uploaded bytes and order the job that reads them."""
    round_no = state.recall(KEY, 0)
    upload = state.widget_value(f"{KEY}:file:{round_no}")
    if upload is None:
        raise ContentError("no archive was chosen", where="Archive", fix="choose a .zip, then press the button again")
    file = {"name": upload.name, "digest": workspace().put_bytes(upload.getvalue())}
    order("import_benchmark", {"file": file, "created_by": current_user()}, key=KEY)
    state.remember(KEY, round_no + 1)
