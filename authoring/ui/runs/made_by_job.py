"""The way from a finished job's own page to what it made."""

import streamlit as st

from authoring.store.jobs import Job, job_result
from authoring.ui.releases.releasing import draw_made_release, draw_open_questions
from authoring.ui.runs.run_form import draw_made_run
from authoring.ui.seeds.order_results import draw_left, draw_made, is_placed
from authoring.ui.workplace import workspace


def draw_made_by(job: Job) -> None:
    """Say what a finished job made, with a link to it; nothing for jobs that make nothing of their own."""
    result = job_result(workspace(), job.id) or {}
    if job.kind == "release":
        with st.container(horizontal=True, vertical_alignment="center"):
            draw_made_release(job, result)
        draw_open_questions(result)
    elif is_placed(job.kind):
        with st.container(horizontal=True, vertical_alignment="center"):
            draw_made(job, result)
        draw_left(job, result)
    else:
        draw_made_run(job)
