"""What every page stands in: the sidebar, the stylesheet, messages from callbacks, and the state of the workers."""

import os
import re
from pathlib import Path
from typing import Final

import streamlit as st

from authoring.store.jobs import WorkerStatus, live_subjects, worker_status
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import ANYONE, writes
from authoring.ui.help.guide_drawer import draw_guide_drawer, draw_guide_switch
from authoring.ui.help.shortcuts import show_shortcuts
from authoring.ui.jobs import job_name
from authoring.ui.preferences import letter
from authoring.ui.shell.auth import draw_person, stop_strangers
from authoring.ui.shell.connection import watch_connection
from authoring.ui.shell.consent import draw_consent_question
from authoring.ui.shell.menu import watch_menu
from authoring.ui.shell.navigation import go
from authoring.ui.shell.own_worker import draw_start
from authoring.ui.shell.signing import draw_signature
from authoring.ui.shell.theme import draw_theme_choice
from authoring.ui.wording import label, plural
from authoring.ui.workplace import check_workspace, workspace

STYLED: Final = "BENCHWRIGHT_STYLED"  # in the environment: the server has put the stylesheet into its document
_PULSE: Final = "pulse"
MAX_NAMED: Final = 3  # jobs beside their number
STYLESHEET: Final = Path(__file__).parent.parent / "app.css"
# Sent to every tab: without what only its readers need.
STYLE: Final = re.sub(r"/\*.*?\*/\s*|^\s+", "", STYLESHEET.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def draw_frame() -> None:
    """Draw who is here, and the question whether code may run without a sandbox; the page follows."""
    # Our own file, nothing from outside. Where it is there already, an empty one is sent all the same: the first
    # element of a kind is shown a third of a second late, and that must not be the list that one waits for.
    st.html(f"<style>{'' if os.environ.get(STYLED) else STYLE}</style>")
    ws = check_workspace()
    with st.sidebar:
        draw_person(ws)
    stop_strangers(ws)
    state.remember(_PULSE, pulse := worker_status(ws))
    state.remember("workers", pulse.workers)
    with st.container():  # always there: what comes and goes must not move the page below it
        draw_consent_question(ws)
        watch_connection()
    with st.container():
        draw_guide_drawer(ws)


def draw_sidebar() -> None:
    """Draw the state of the workers and what stands by on every page; last, for the page is what one waits for."""
    ws = workspace()
    with st.sidebar:
        draw_signature()
        _draw_work(ws, state.recall(_PULSE))
        _draw_help()
        watch_menu()


def _draw_work(ws: Workspace, pulse: WorkerStatus) -> None:
    if pulse.live_jobs:
        count = work_words(pulse)
        names = [label(job_name(*each), limit=60) for each in live_subjects(ws, MAX_NAMED)]
        more = f", and {pulse.live_jobs - len(names)} more" if pulse.live_jobs > len(names) else ""
        st.button(
            count, key="frame:jobs", type="tertiary", icon=":material/progress_activity:", on_click=_see_jobs,
            help=f"{', '.join(names)}{more}. Press to see their progress.",
        )  # fmt: skip
    if pulse.workers:
        st.caption(f":material/check_circle: worker running · {label(ws.root.name)}")
        return
    draw_start(ws)


def work_words(pulse: WorkerStatus) -> str:
    """Return how many jobs are at work and how many wait; without a worker all of them wait."""
    at_work = pulse.live_jobs - pulse.waiting if pulse.workers else 0
    if not at_work:
        return f"{plural(pulse.live_jobs, 'job')} waiting"
    return f"{plural(at_work, 'job')} at work{f', {pulse.waiting} waiting' if pulse.waiting else ''}"


def _draw_help() -> None:
    """Draw what stands by on every page: the guide, and the keys."""
    pressed = st.button(
        "Shortcuts", key="frame:keys", type="tertiary", icon=":material/keyboard:", shortcut=letter("H"),
        help="The keys of the app.",
    )  # fmt: skip
    draw_guide_switch()
    draw_theme_choice()
    if pressed:
        show_shortcuts()


@writes(ANYONE)
def _see_jobs() -> None:
    go("runs", view="jobs")
