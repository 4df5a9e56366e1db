"""Settings: people, your choices, the sandbox, workers, the model, environments, the workspace."""

import streamlit as st

from authoring.ui.inputs.typed_text import keep_typed_text
from authoring.ui.settings.environments import draw_environments
from authoring.ui.settings.maintenance import draw_workers, draw_workspace
from authoring.ui.settings.model_status import draw_choices, draw_model
from authoring.ui.settings.people import draw_people
from authoring.ui.shell.consent import draw_sandbox
from authoring.ui.workplace import workspace

ws = workspace()
st.title("Settings", anchor=False)

st.header("People", anchor=False)
draw_people(ws)

st.header("Your choices", anchor=False)
draw_choices()

st.header("Sandbox", anchor=False)
draw_sandbox(ws)

st.header("Workers", anchor=False)
draw_workers(ws)

st.header("Model", anchor=False)
draw_model(ws)

st.header("Environments", anchor=False)
draw_environments(ws)

st.header("Workspace", anchor=False)
draw_workspace(ws)
keep_typed_text()
