"""Runs: agents' results by problem, one attempt in full, two runs compared; and jobs with their progress."""

import streamlit as st

from authoring.store.jobs import find as find_job
from authoring.store.run_results import seek_attempt
from authoring.store.runs import find as find_run
from authoring.store.runs import find_several
from authoring.ui import state
from authoring.ui.jobs import draw_job
from authoring.ui.runs.attempt import draw_attempt, draw_gone, draw_place
from authoring.ui.runs.attempt_steps import draw_steps, draw_way_back
from authoring.ui.runs.comparing.compare_runs import draw_versus
from authoring.ui.runs.comparing.selected_runs import MOST_RUNS
from authoring.ui.runs.comparing.several_runs import draw_several
from authoring.ui.runs.job_list import draw_jobs
from authoring.ui.runs.made_by_job import draw_made_by
from authoring.ui.runs.run_counts import verdicts_of_runs
from authoring.ui.runs.run_form import draw_job_facts, draw_run_form
from authoring.ui.runs.run_list import draw_agents, draw_run, draw_run_rows
from authoring.ui.runs.run_words import run_heading
from authoring.ui.shell.navigation import page_link
from authoring.ui.wording import ago, label
from authoring.ui.workplace import shown_path, workspace

ws = workspace()
run_id, attempt_id, job_id = state.int_param("run"), state.int_param("attempt"), state.int_param("job")
before_id, after_id = state.int_param("a"), state.int_param("b")
several = state.int_list_param("runs", least=2, most=MOST_RUNS)

attempt = None if attempt_id is None else seek_attempt(ws, attempt_id)

if attempt_id is not None and attempt is None:
    draw_gone(ws, attempt_id, run_id)
elif attempt is not None:
    run = find_run(ws, attempt.run_id)
    draw_way_back(run)
    st.title(f"{label(attempt.problemset, limit=80)} {attempt.position}", anchor=False)
    draw_steps(ws, attempt)
    draw_place(ws, attempt)
    draw_attempt(ws, run, attempt)
elif before_id is not None and after_id is not None:
    before, after = find_run(ws, before_id), find_run(ws, after_id)
    page_link("runs", "All runs", icon=":material/arrow_back:")
    st.title("Compare runs", anchor=False)
    draw_versus(ws, before, after, verdicts_of_runs(ws, [before.id, after.id]))
elif several is not None:
    page_link("runs", "All runs", icon=":material/arrow_back:")
    st.title(f"Compare {len(several)} runs", anchor=False)
    draw_several(ws, find_several(ws, several), verdicts_of_runs(ws, several))
elif run_id is not None:
    run = find_run(ws, run_id)
    page_link("runs", "All runs", icon=":material/arrow_back:")
    st.title(run_heading(run), anchor=False)
    st.caption(f"run {run.id} · {ago(run.created_at)} · records in {label(shown_path(run.out_dir), limit=300)}")
    draw_run(ws, run)
elif job_id is not None:
    job = find_job(ws, job_id)
    page_link("runs", "All jobs and runs", icon=":material/arrow_back:")
    st.title(f"Job {job.id}", anchor=False)
    draw_job(job, log=True, on_done=draw_made_by, listed=True)
    draw_job_facts(job)
else:
    st.title("Runs", anchor=False)
    st.caption("A run scores one agent on one release. Jobs lists runs and other long work, with how far each is.")
    draw_run_form(ws)
    first = "Jobs" if state.param("view") == "jobs" else "Scored runs"
    names = ["Scored runs", "Agents and verdicts", "Jobs"]
    runs, agents, jobs = st.tabs(names, default=first, key=f"tabs:runs:{first}", on_change="rerun")
    if runs.open:
        with runs:
            draw_run_rows(ws)
    if agents.open:
        with agents:
            draw_agents(ws)
    if jobs.open:
        with jobs:
            draw_jobs(ws)
