"""Rounds: plans of the outer loop, what waits for whom, and the next step."""

import streamlit as st

from authoring.rounds.plan_progress import rounds_status
from authoring.store import jobs
from authoring.store.drafting.bootstrap import find_bootstrap, list_bootstrap_items, list_bootstraps
from authoring.store.drafting.seeds import list_seeds
from authoring.ui import state
from authoring.ui.inputs.typed_text import keep_typed_text
from authoring.ui.rounds.one_step_release import draw_auto_form, draw_auto_job
from authoring.ui.rounds.rounds import draw_items, draw_plan_form, draw_plans, draw_status, job_key
from authoring.ui.shell.navigation import page_link
from authoring.ui.widgets import draw_empty, draw_facts
from authoring.ui.wording import ago, label, plural
from authoring.ui.workplace import workspace

ws = workspace()
reference = state.param("plan")

if reference is not None:
    plan = find_bootstrap(ws, reference)
    settings = plan.plan
    page_link("bootstrap", "All plans", icon=":material/arrow_back:")
    st.title(label(plan.name), anchor=False)
    st.caption(f"stored by {label(plan.created_by or 'somebody')}, {ago(plan.created_at)}")
    if settings.get("kind") == "rounds":
        job = jobs.find_latest(ws, job_key(plan))  # before what it makes
        draw_status(ws, plan, rounds_status(ws, plan), job)
    else:
        st.info("This plan is carried out in one step and has no rounds: its release is under Releases.")
    draw_items(ws, list_bootstrap_items(ws, plan.id))
    with st.expander("Settings of the plan"):
        draw_facts({name: label(str(value), limit=300) for name, value in settings.items() if value is not None})
else:
    st.title("Rounds", anchor=False)
    st.caption(
        "A plan drafts one problemset on each seed. People revise and accept a few; the rest is drafted anew with the "
        "accepted ones as examples and with the amended guide, round by round."
    )
    plans, seeds = list_bootstraps(ws), list_seeds(ws)
    if not seeds:
        draw_empty("There is no seed to plan with", "Add a dataset under Seeds & ideas first.")
        page_link("seeds", "Go to Seeds & ideas", icon=":material/database:")
    with st.expander(f"New plan on {plural(len(seeds), 'seed')}", icon=":material/add:", expanded=not plans):
        draw_plan_form(seeds)
    with st.expander("A release in one step", icon=":material/rocket_launch:"):
        draw_auto_form(seeds)
    draw_auto_job(ws)
    if plans:
        draw_plans(plans)
    else:
        draw_empty("There is no plan yet", "Name one above and store it: nothing is drafted before its first step.")
keep_typed_text()
