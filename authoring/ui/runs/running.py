"""Starting runs, and what a job was asked."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

import streamlit as st

from authoring.store import Job, Role, Workspace, job_result, list_jobs, list_releases
from authoring.ui import state
from authoring.ui.boundary import writes
from authoring.ui.drawing.markup import cell_text
from authoring.ui.jobs import draw_job, order
from authoring.ui.navigation import page_link
from authoring.ui.runs.runorders import draw_agent, draw_options, run_order
from authoring.ui.seeds.wishes import budget_of
from authoring.ui.widgets import draw_empty, draw_facts
from authoring.ui.wording import ago, label
from authoring.ui.workplace import workspace
from evaluator.errors import ContentError

MAX_UNDER_WAY: Final = 5


def draw_run_form(ws: Workspace) -> None:
    """Draw what is needed to run an agent on a release, and the runs that are under way."""
    releases = {release.id: release for release in list_releases(ws)}
    if not releases:
        draw_empty("There is no release to run on", "Accept a problemset, then create a release.")
        page_link("releases", "Go to Releases", icon=":material/inventory_2:")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        picked = st.selectbox(
            "Release", list(releases), format_func=lambda each: f"{releases[each].name} {releases[each].version}",
            key="run:release", width=280,
        )  # fmt: skip
        draw_agent(ws)
        draw_options(releases[picked])
        st.button("Start the run", key="run:start", type="primary", icon=":material/play_arrow:", on_click=start)
    _draw_under_way(ws)


def _draw_under_way(ws: Workspace) -> None:
    newest = list_jobs(ws, MAX_UNDER_WAY, kinds=("run",))
    for job in newest:
        if job.state not in ("done", "cancelled"):
            with st.container(border=True, gap="xsmall"):
                st.caption(asked_words(ws, job.payload))
                draw_job(job)
                page_link("runs", "Log and details", icon=":material/notes:", job=job.id)
    if newest and newest[0].state == "done":
        found = (job_result(ws, newest[0].id) or {}).get("id")
        if isinstance(found, int):
            page_link("runs", "Open the newest run", icon=":material/arrow_forward:", run=found)


def asked_words(ws: Workspace, payload: Mapping[str, Any]) -> str:
    """Return what a run's job was asked, in a line of Markdown."""
    if payload.get("again") is not None:
        return f"the problems of run {label(str(payload['again']))} that are not judged"
    if payload.get("rescore") is not None:
        return f"the stored submissions of run {label(str(payload['rescore']))}, judged anew"
    names = {release.id: f"{release.name} {release.version}" for release in list_releases(ws)}
    where = names.get(payload.get("release", 0)) or payload.get("benchmark") or payload.get("release")
    parts = [f"{payload.get('called') or payload.get('agent', 'oracle')} on {where}"]
    parts += [f"{name.replace('_', ' ')} {_plain(payload[name])}" for name in _TOLD if _is_told(payload, name)]
    return label(" · ".join(parts), limit=400)


_TOLD: Final[Mapping[str, Any]] = {
    **{"sets": [], "limit": None, "epochs": 1, "state": "reference", "history": "reference", "max_attempts": 1},
    **{"feedback": [], "environment": None, "rules": None, "engine": "auto"},
}  # what is told of a run when it is not the default


def _is_told(payload: Mapping[str, Any], name: str) -> bool:
    return name in payload and payload[name] != _TOLD[name]


def _plain(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


@writes(Role.EVALUATOR)
def start() -> None:
    """Order a run."""
    release = state.widget_value("run:release")
    if release is None:
        raise ContentError("no release was chosen", fix="choose a release")
    payload = run_order(workspace(), int(release))
    key = hashlib.sha256(json.dumps(payload, sort_keys=True).encode()).hexdigest()[:16]
    order("run", payload, key=f"run:{key}")  # the same order twice while the first is live is one run


@writes(Role.EVALUATOR)
def run_again(run_id: int) -> None:
    """Order what a run has not judged once more."""
    order("run", {"again": run_id, "budget": budget_of(f"again:{run_id}")}, key=f"run:again:{run_id}")


def draw_made_run(job: Job) -> None:
    """Lead from a finished job to the run that it made."""
    made = (job_result(workspace(), job.id) or {}).get("id") if job.kind in ("run", "import_results") else None
    if isinstance(made, int):
        page_link("runs", "Open the run", icon=":material/leaderboard:", run=made)


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
