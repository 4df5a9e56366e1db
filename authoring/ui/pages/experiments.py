"""Experiments: agents x benchmarks x policies in one file; checked, forecast, run, and read as one table."""

import streamlit as st

from authoring.ui import state
from authoring.ui.experiments.experiment_list import draw_experiments
from authoring.ui.experiments.experiment_view import draw_experiment
from authoring.ui.experiments.new_experiment import draw_new_experiment
from authoring.ui.inputs.typed_text import keep_typed_text
from authoring.ui.shell.navigation import page_link
from authoring.ui.wording import label
from authoring.ui.workplace import workspace

ws = workspace()
name = state.param("experiment")

if name is not None:
    page_link("experiments", "All experiments", icon=":material/arrow_back:")
    st.title(label(name, limit=80), anchor=False)
    draw_experiment(ws, name)
else:
    st.title("Experiments", anchor=False)
    st.caption(
        "An experiment runs agents with their options on benchmarks, under policies and for epochs, all stated in one "
        "file, and makes one table. Relative paths in the file start at the workspace folder."
    )
    draw_new_experiment(ws)
    draw_experiments(ws)
keep_typed_text()
