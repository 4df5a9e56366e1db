"""One experiment: its file, how it is started, and what it came to."""

import streamlit as st

from authoring.store import experiments, jobs
from authoring.store.statuses import JobState
from authoring.store.workspace import Workspace
from authoring.ui.boundary import guard_page, show_error
from authoring.ui.experiments.checking import check_text
from authoring.ui.experiments.experiment_list import job_key
from authoring.ui.experiments.outcome import draw_outcome
from authoring.ui.experiments.starting import draw_experiment_job, draw_starting
from authoring.ui.experiments.text_editor import draw_orphaned, draw_text
from authoring.ui.wording import label
from evaluator.errors import ToolkitError


def draw_experiment(ws: Workspace, name: str) -> None:
    """Draw all of it; a file that is gone or cannot be read is told, beside what was typed into it and its job."""
    job = jobs.find_latest(ws, job_key(name))
    try:
        stored = experiments.read(ws, name)
    except ToolkitError as error:
        show_error(error)
        draw_orphaned(name)
        if job is not None:
            draw_experiment_job(job)
        return
    checked = check_text(ws, name, stored.text)
    with st.expander("The file", icon=":material/edit_note:", expanded=job is None or bool(checked.diagnostics)):
        is_changed = draw_text(ws, stored)
    guard_page(lambda: draw_starting(ws, stored, is_changed=is_changed))
    if checked.experiment is None or checked.diagnostics:
        st.caption(f"Its table is shown once {label(stored.name)}.yaml can be read.")
        return
    is_live, was_done = job is not None and job.live, job is not None and job.state == JobState.DONE
    draw_outcome(ws, name, checked.experiment, is_live=is_live, was_done=was_done)
