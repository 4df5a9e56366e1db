"""Runs: jobs with their progress, and agents' results by problem."""

import streamlit as st

from authoring.store import find_job, find_run, list_jobs, list_runs
from authoring.ui import state
from authoring.ui.jobs import draw_job
from authoring.ui.navigation import page_link
from authoring.ui.running import draw_job_facts, draw_run_form, draw_run_rows, draw_run_summary
from authoring.ui.verdicts import draw_attempts
from authoring.ui.widgets import PAGE_SIZE, draw_empty
from authoring.ui.wording import ago, label
from authoring.ui.workplace import shown_path, workspace

ws = workspace()
run_id, job_id = state.int_param("run"), state.int_param("job")

if run_id is not None:
    run = find_run(ws, run_id)
    page_link("runs", "All runs", icon=":material/arrow_back:")
    st.title(f"{label(run.agent)} on {label(run.release)}", anchor=False)
    st.caption(f"run {run.id} · {ago(run.created_at)} · records in {label(shown_path(run.out_dir), limit=300)}")
    draw_run_summary(ws, run)
    draw_attempts(ws, run)
elif job_id is not None:
    job = find_job(ws, job_id)
    page_link("runs", "All jobs and runs", icon=":material/arrow_back:")
    st.title(f"Job {job.id}", anchor=False)
    draw_job(job, log=True)
    draw_job_facts(job)
else:
    st.title("Runs", anchor=False)
    st.caption("A run is one agent on one release. Everything that takes time is a job and shows here while it works.")
    draw_run_form(ws)
    runs, jobs = st.tabs(["Scored runs", "Jobs"], key="tabs:runs", on_change="rerun")
    if runs.open:
        with runs:
            draw_run_rows(list_runs(ws, PAGE_SIZE))
    if jobs.open:
        with jobs:
            rows = list_jobs(ws, PAGE_SIZE)
            if not rows:
                draw_empty("No job yet", "Dry runs, drafts, releases and runs appear here with their progress.")
            for job in rows:
                with st.container(border=True, gap="xsmall"):
                    draw_job(job)
                    page_link("runs", "Log and details", icon=":material/notes:", job=job.id)
