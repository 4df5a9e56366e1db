"""The experiments of a workspace, the one that was changed last first."""

import streamlit as st

from authoring.store import experiments
from authoring.store.jobs import Job, find_latest_of_all
from authoring.store.workspace import Workspace
from authoring.ui.shell.navigation import page_link
from authoring.ui.widgets import PAGE_SIZE, draw_chip, draw_empty, draw_pager
from authoring.ui.wording import Chip, ago, label, plural, status_chip


def job_key(name: str) -> str:
    """Return the key of the job that runs an experiment: there is one at a time."""
    return f"experiment:{name}"


def check_key(name: str) -> str:
    """Return the key of the job that checks an experiment."""
    return f"experiment_check:{name}"


def draw_experiments(ws: Workspace) -> None:
    """Draw the list, fifty a page."""
    rows = experiments.select(ws)
    if not rows:
        draw_empty("There is no experiment yet", "Make one above, or put a YAML file into the folder named below.")
        st.caption(f"Folder: {label(str(experiments.folder_of(ws)), limit=300)}")
        return
    st.caption(f"{plural(len(rows), 'experiment')} in {label(str(experiments.folder_of(ws)), limit=300)}")
    slot = st.container(border=True, gap="small")
    offset = draw_pager(len(rows), key="experiments:page")
    shown = rows[offset : offset + PAGE_SIZE]
    jobs = find_latest_of_all(ws, [job_key(row.name) for row in shown])
    with slot:
        for row in shown:
            _draw_row(row, jobs.get(job_key(row.name)))


def _draw_row(row: experiments.ExperimentRow, job: Job | None) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        page_link("experiments", f"**{label(row.name, limit=80)}**", icon=":material/science:", experiment=row.name)
        draw_chip(Chip("not started here", ":material/hourglass_empty:", "gray") if job is None else _chip(job))
        st.caption(f"changed {ago(row.changed_at)}", width="content")


def _chip(job: Job) -> Chip:
    return status_chip(job.state)
