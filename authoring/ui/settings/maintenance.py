"""Looking after the workspace: who works for it, its size, a backup, an integrity check."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

import streamlit as st

from authoring.jobs import JOB_KINDS, LANES
from authoring.store.jobs import Job, live_workers
from authoring.store.jobs import select as list_jobs
from authoring.store.jobs import subjects as subjects_of_jobs
from authoring.store.people import Role
from authoring.store.statuses import LIVE_STATES, JobState
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import writes
from authoring.ui.jobs import job_name
from authoring.ui.shell.auth import may
from authoring.ui.shell.own_worker import draw_start_button, is_starting
from authoring.ui.widgets import draw_facts
from authoring.ui.wording import ago, label, plural, size_words
from authoring.ui.workplace import workspace

MAX_JOBS: Final = 200


class FolderSize(NamedTuple):
    """What a folder takes."""

    bytes: int
    files: int


@st.cache_data(ttl=10, max_entries=4, show_spinner=False)
def folder_size(folder: Path) -> FolderSize:
    """Return the size of a folder; asked at most every ten seconds."""
    sizes = [path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    return FolderSize(sum(sizes), len(sizes))


@writes(Role.MAINTAINER)
def back_up() -> None:
    """Write a consistent copy of the database."""
    path = workspace().back_up()
    state.flash("success", "backed up", where=str(path))


@writes(Role.MAINTAINER)
def check_integrity() -> None:
    """Let SQLite look through the database."""
    findings = workspace().integrity()
    if findings:
        state.flash("error", f"the database is damaged: {findings[0]}", fix="restore the newest backup")
    else:
        state.flash("success", "the database is sound")


def draw_workers(ws: Workspace) -> None:
    """Draw the workers with their last report, and what each lane does."""
    workers = live_workers(ws)
    for worker in workers:
        st.markdown(
            f":green[:material/check_circle:] process {worker.pid} on {label(worker.host)}, started "
            f"{ago(worker.started_at)}, last report {ago(worker.heartbeat_at)}"
        )
    if not workers and is_starting(ws):
        st.caption("A worker is starting: a few seconds.")
    elif not workers:
        st.caption("No worker is running: jobs wait.")
        if may(Role.MAINTAINER):
            draw_start_button(where="settings")  # the sidebar has the command of the terminal, too
    jobs = list_jobs(ws, MAX_JOBS, LIVE_STATES)
    about = subjects_of_jobs(ws, [job.id for job in jobs])
    rows = [_lane_row(lane, jobs, about) for lane in LANES]
    st.table(rows, border="horizontal", width="content", alt="lanes of the workers")
    st.caption("Interactive jobs never wait behind long ones: each worker has a process for each lane.")


def _lane_row(lane: str, jobs: Sequence[Job], about: Mapping[int, str]) -> dict[str, str]:
    mine = [job for job in jobs if job.kind in JOB_KINDS and JOB_KINDS[job.kind].lane == lane]
    running = [
        f"{label(job_name(job.kind, about.get(job.id, '')))} (job {job.id}, {ago(job.started_at)})"
        for job in mine
        if job.state == JobState.RUNNING
    ]
    waiting = sum(job.state == JobState.QUEUED for job in mine)
    return {"Lane": lane, "Works on": ", ".join(running) or "nothing", "Waiting": str(waiting)}


def draw_workspace(ws: Workspace) -> None:
    """Draw where the workspace is, how large, and its backups."""
    size = folder_size(ws.root)
    backups = sorted(ws.backups.glob("*"), key=lambda path: path.stat().st_mtime) if ws.backups.is_dir() else []
    newest = backups[-1] if backups else None
    facts = {
        "Folder": label(str(ws.root), limit=300),
        "Size": f"{size_words(size.bytes)} in {plural(size.files, 'file')}",
        "Database": size_words(ws.database_path.stat().st_size),
        "Backups": f"{len(backups)} in {label(str(ws.backups), limit=300)}" if backups else "none yet",
    }
    if newest is not None:
        made = datetime.fromtimestamp(newest.stat().st_mtime, UTC).isoformat()
        facts["Newest backup"] = f"{label(newest.name)}, {size_words(newest.stat().st_size)}, {ago(made)}"
    draw_facts(facts)
    with st.container(horizontal=True):
        st.button("Back up", key="settings:backup", icon=":material/backup:", on_click=back_up)
        st.button("Check integrity", key="settings:check", icon=":material/fact_check:", on_click=check_integrity)
    st.caption(
        "A backup is a consistent copy of the database. Files of seeds and releases lie beside it: copy the folders "
        "blobs and releases too."
    )
