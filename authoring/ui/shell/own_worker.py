"""A worker that somebody started from a page: a child of the server, which ends with it.

`benchwright app` keeps a worker running by itself; this is for `streamlit run app.py`, and for a worker that ended.
"""

import atexit
import os
import subprocess
import sys
from pathlib import Path
from threading import Lock
from typing import Final

import streamlit as st

from authoring.store.jobs import worker_status
from authoring.store.people import Role
from authoring.store.workspace import Workspace
from authoring.ui.boundary import writes
from authoring.ui.shell.auth import may
from authoring.ui.workplace import worker_command, workspace
from evaluator.installation import HOME

LOOK_S: Final = 1.0  # how often a page looks whether a new worker has reported
GRACE_S: Final = 10.0  # for the jobs of a worker, at the end of the server

_started: dict[Path, "subprocess.Popen[bytes]"] = {}
_lock: Final = Lock()  # two tabs may press at once


def draw_start(ws: Workspace) -> None:
    """Draw in the sidebar that no worker runs, with the ways to start one."""
    if is_starting(ws):
        _draw_wait(ws)
        return
    process = _started.get(ws.root)
    if process is not None:
        st.error(
            f"The worker that was started here ended with code {process.returncode}: the server's log says why.",
            icon=":material/error:",
        )
    st.warning("**No worker is running.** Jobs wait until one is started.", icon=":material/power_off:")
    if may(Role.MAINTAINER):
        draw_start_button(where="frame")
    else:
        st.caption("Ask a maintainer to start one.")


def draw_start_button(*, where: str) -> None:
    """Draw the button that starts a worker, for a place where something else says that none runs."""
    st.button(
        "Start a worker",
        key=f"{where}:start_worker",
        icon=":material/power_settings_new:",
        help="It carries out the jobs of this workspace, in a sandbox where there is one, until this server ends. "
        f"For one that outlives the server, type at a terminal: `` {worker_command()} ``",
        on_click=start,
    )


def is_starting(ws: Workspace) -> bool:
    """Return whether a worker that was started here lives; the sidebar says so until it reports."""
    process = _started.get(ws.root)
    return process is not None and process.poll() is None


def _draw_wait(ws: Workspace) -> None:
    @st.fragment(run_every=LOOK_S)
    def panel() -> None:
        st.info("A worker is starting: a few seconds.", icon=":material/hourglass_empty:")
        if worker_status(ws).workers or _has_ended(ws.root):
            st.rerun()

    with st.container():
        panel()


def _has_ended(root: Path) -> bool:
    return _started[root].poll() is not None


@writes(Role.MAINTAINER)
def start() -> None:
    """Start a worker for this workspace, once however many tabs ask."""
    start_if_none(workspace())


def start_if_none(ws: Workspace) -> None:
    """Start a worker for a workspace that has none; for callbacks of maintainers."""
    with _lock:
        if worker_status(ws).workers or is_starting(ws):
            return
        _started[ws.root] = subprocess.Popen(
            [sys.executable, "-m", "authoring.worker", "--workspace", str(ws.root), "--parent-pid", str(os.getpid())],
            cwd=HOME,
            stdin=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C at the terminal reaches the server, which then ends the worker in order
        )


@atexit.register
def end_all() -> None:
    """End the workers that were started here; one that is killed with the server notices by itself."""
    with _lock:
        processes = list(_started.values())
        _started.clear()
    for process in processes:
        process.terminate()
    for process in processes:
        try:
            process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
