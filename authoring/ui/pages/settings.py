"""Settings: your name, the sandbox, the worker, the model, the workspace."""

import streamlit as st

from authoring.store import live_workers
from authoring.ui.consent import answer_consent, consented_by, sandbox_report
from authoring.ui.modelinfo import model_in_words
from authoring.ui.people import draw_people
from authoring.ui.preferences import choose_plain_editors, prefers_plain_editors
from authoring.ui.upkeep import back_up, check_integrity, folder_size
from authoring.ui.widgets import draw_facts
from authoring.ui.wording import ago, label, plural, size_words
from authoring.ui.workplace import worker_command, workspace

ws = workspace()
st.title("Settings", anchor=False)

st.header("People", anchor=False)
draw_people(ws)

st.header("Editors", anchor=False)
st.toggle(
    "Plain editors",
    value=prefers_plain_editors(),
    key="settings:plain",
    help="Plain text fields instead of code editors with colours, completion and diagnostics beside the line.",
    on_change=choose_plain_editors,
    args=("settings:plain",),
)
st.caption(
    "Code editors keep what you type in this browser until it is stored, 7 days at most: "
    "on a shared computer others could read it there."
)

st.header("Sandbox", anchor=False)
report = sandbox_report()
consent = consented_by(ws)
if report.available:
    st.markdown(f":green[:material/verified_user:] Code runs in the sandbox **{label(report.backend)}**.")
else:
    st.markdown(f":orange[:material/gpp_maybe:] **No sandbox.** {label(report.reason, limit=300)}")
    st.caption(f"To get one: {label(report.fix, limit=300)}")
    st.markdown(f"Code may run without one: agreed by {label(consent)}." if consent else "No foreign code runs here.")
    st.toggle(
        "Run code without a sandbox in this workspace",
        value=bool(consent),
        key=f"settings:consent:{bool(consent)}",
        on_change=answer_consent,
        args=(not consent,),
    )

st.header("Worker", anchor=False)
workers = live_workers(ws)
if workers:
    for worker in workers:
        st.markdown(f":green[:material/check_circle:] process {worker.pid}, started {ago(worker.started_at)}")
else:
    st.markdown(":orange[:material/power_off:] No worker is running. Start one at a terminal:")
    st.code(worker_command(), language="bash", wrap_lines=True)

st.header("Model", anchor=False)
model = model_in_words()
if model:
    st.markdown(f":green[:material/smart_toy:] {label(model)}")
else:
    st.markdown("None. Everything works without one; drafts then come from the template author.")
    st.caption("To use one, set BENCHWRIGHT_MODEL and OPENAI_API_KEY (and OPENAI_BASE_URL), then start the app again.")

st.header("Workspace", anchor=False)
size = folder_size(ws.root)
draw_facts(
    {"Folder": label(str(ws.root), limit=300), "Size": f"{size_words(size.bytes)} in {plural(size.files, 'file')}"}
)
with st.container(horizontal=True):
    st.button("Back up", key="settings:backup", icon=":material/backup:", on_click=back_up)
    st.button("Check integrity", key="settings:check", icon=":material/fact_check:", on_click=check_integrity)
