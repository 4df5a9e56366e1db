"""Settings: your name, the sandbox, the worker, the model, the workspace."""

import streamlit as st

from authoring.store import live_workers
from authoring.ui.choices import draw_choices
from authoring.ui.consent import draw_sandbox
from authoring.ui.modelinfo import model_in_words
from authoring.ui.people import draw_people
from authoring.ui.upkeep import back_up, check_integrity, folder_size
from authoring.ui.widgets import draw_facts
from authoring.ui.wording import ago, label, plural, size_words
from authoring.ui.workplace import worker_command, workspace

ws = workspace()
st.title("Settings", anchor=False)

st.header("People", anchor=False)
draw_people(ws)

st.header("Your choices", anchor=False)
draw_choices()

st.header("Sandbox", anchor=False)
draw_sandbox(ws)

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
