"""Starting runs, and what a job was asked."""

import json
from typing import Final

import streamlit as st

from authoring.store import Job, Role, Workspace, find_latest_job, job_result, list_releases
from authoring.ui import state
from authoring.ui.auth import current_user
from authoring.ui.boundary import writes
from authoring.ui.jobs import draw_job, order
from authoring.ui.markup import cell_text
from authoring.ui.navigation import page_link
from authoring.ui.widgets import draw_empty, draw_facts
from authoring.ui.wording import ago, label
from evaluator.errors import ContentError

AGENTS: Final = ("oracle", "empty", "cheat")
AGENT_HELP: Final = (
    "The oracle answers with the reference code: it must be CORRECT everywhere. The empty agent answers nothing: "
    "it must be CORRECT nowhere. Cheat guesses and lies: what it passes can be guessed, and Releases "
    "warns of it. Other agents run from the command line: benchwright run."
)
RUN_KEY: Final = "run:app"


def draw_run_form(ws: Workspace) -> None:
    """Draw what is needed to run an agent on a release."""
    releases = list_releases(ws)
    if not releases:
        draw_empty("There is no release to run on", "Accept a problemset, then create a release.")
        page_link("releases", "Go to Releases", icon=":material/inventory_2:")
        return
    names = {release.id: f"{release.name} {release.version}" for release in releases}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "Release", list(names), format_func=lambda each: names[each], key="run:release", width=280,
            on_change="ignore",
        )  # fmt: skip
        st.selectbox("Agent", AGENTS, key="run:agent", help=AGENT_HELP, width=200, on_change="ignore")
        st.button("Start the run", key="run:start", type="primary", icon=":material/play_arrow:", on_click=start)
    job = find_latest_job(ws, RUN_KEY)
    if job is not None and job.state not in ("done", "cancelled"):
        draw_job(job, log=True)
    elif job is not None and job.state == "done":
        found = (job_result(ws, job.id) or {}).get("run") or (job_result(ws, job.id) or {}).get("id")
        if isinstance(found, int):
            page_link("runs", "Open the newest run", icon=":material/arrow_forward:", run=found)


@writes(Role.EVALUATOR)
def start() -> None:
    """Order a run."""
    release = state.widget_value("run:release")
    if release is None:
        raise ContentError("no release was chosen", fix="choose a release")
    order(
        "run",
        {"release": int(release), "agent": str(state.widget_value("run:agent")), "created_by": current_user()},
        key=RUN_KEY,
    )


def draw_job_facts(job: Job) -> None:
    """Draw when a job ran and what it was asked."""
    draw_facts(
        {
            "Kind": label(job.kind),
            "Ordered": f"{ago(job.created_at)} by {label(job.created_by)}",
            "Started": ago(job.started_at),
            "Ended": ago(job.finished_at),
            "Attempts": str(job.attempts),
        }
    )
    with st.expander("What it was asked"):
        st.code(cell_text(json.dumps(job.payload, indent=2, ensure_ascii=False)), language="json", wrap_lines=True)
