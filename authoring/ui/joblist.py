"""The list of jobs: what works, what waits, what ended and how."""

from collections import Counter

import streamlit as st

from authoring.store import JOB_STATES, Workspace, list_jobs
from authoring.ui.jobs import draw_job
from authoring.ui.navigation import page_link
from authoring.ui.widgets import PAGE_SIZE, draw_empty
from authoring.ui.wording import job_title, plural, status_chip

MAX_READ = 400  # jobs among which kinds are counted


def draw_jobs(ws: Workspace) -> None:
    """Draw the newest jobs, by state and kind where these are chosen, each with progress, Cancel and Resume."""
    newest = list_jobs(ws, MAX_READ)
    if not newest:
        draw_empty("No job yet", "Dry runs, drafts, releases and runs appear here with their progress.")
        return
    states = Counter(job.state for job in newest)
    kinds = Counter(job.kind for job in newest)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        wanted = st.pills(
            "State",
            [name for name in JOB_STATES if states[name]],
            format_func=lambda name: f"{status_chip(name).word} {states[name]}",
            key="jobs:state",
        )
        kind = st.selectbox(
            "Kind",
            sorted(kinds),
            index=None,
            placeholder="all kinds",
            format_func=job_title,
            key="jobs:kind",
            width=240,
        )
    found = [job for job in newest if wanted in (None, job.state) and kind in (None, job.kind)]
    if not found:
        draw_empty("Nothing matches", "Choose another state, or all kinds.")
    for job in found[:PAGE_SIZE]:
        with st.container(border=True, gap="xsmall"):
            draw_job(job)
            page_link("runs", "Log and details", icon=":material/notes:", job=job.id)
    if len(found) > PAGE_SIZE:
        st.caption(f"{plural(len(found) - PAGE_SIZE, 'older job')} not shown: choose a state or a kind.")
