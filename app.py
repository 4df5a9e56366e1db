"""The Streamlit entry: `streamlit run app.py`, or `benchwright app`, which also starts a worker."""

from functools import partial
from pathlib import Path

import streamlit as st

from authoring.ui.boundary import guard_page
from authoring.ui.help.tour import draw_tour
from authoring.ui.shell.clicks import keep_clicks
from authoring.ui.shell.frame import draw_frame, draw_sidebar
from authoring.ui.shell.navigation import run_page
from authoring.ui.shell.signing import draw_unknown_name

keep_clicks()
st.set_page_config(
    page_title="Benchwright",
    page_icon=str(Path(__file__).parent / "static" / "favicon.png"),  # an icon by name would come from a font host
    layout="wide",
    initial_sidebar_state="auto",
)
if guard_page(draw_frame):
    guard_page(partial(run_page, draw_unknown_name, draw_tour))
    guard_page(draw_sidebar)
