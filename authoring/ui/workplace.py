"""Which workspace this server serves."""

import os
import shlex
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Final

import streamlit as st

from authoring.store.workspace import Workspace
from authoring.ui import state

ENVIRONMENT_VARIABLE: Final = "BENCHWRIGHT_WORKSPACE"
PATIENCE_S: Final = 10.0
"""How long a page waits for other writers: somebody sits in front of it, and what was typed stays on the screen."""
_CHECKED: Final = "workspace checked"
_GOOD_FOR_S: Final = 2.0  # a page is drawn within it


def workspace_root() -> Path:
    """Return the folder that the environment names, else `./workspace`."""
    return Path(os.environ.get(ENVIRONMENT_VARIABLE) or "workspace").absolute()


def check_workspace() -> Workspace:
    """Return the workspace after a look at its file; the first call of this server makes it and puts the seeds into it.

    Raises:
        UsageError: If it has gone since: what somebody deleted or moved away must not come back empty.
        ToolkitError: If it cannot be written, is damaged, or has a newer schema.
    """
    root = workspace_root()
    _prepare(root)
    ws = replace(Workspace.open(root, create=False), patience_s=PATIENCE_S)
    state.remember(_CHECKED, (root, time.monotonic()))
    return ws


def workspace() -> Workspace:
    """Return the workspace; what a page calls several times looks at its file once."""
    root = workspace_root()
    checked, at = state.recall(_CHECKED, (None, 0.0))
    if checked == root and time.monotonic() - at < _GOOD_FOR_S:
        return Workspace(root, PATIENCE_S)
    return check_workspace()


@st.cache_resource(max_entries=8, show_spinner="Preparing the workspace")
def _prepare(root: Path) -> None:
    from authoring.seeds.workspace_setup import open_workspace

    open_workspace(root)


def shown_path(path: str) -> str:
    """Return a path as pages show it: from the workspace's folder on when it lies inside."""
    root = workspace_root()
    try:
        return str(Path(root.name) / Path(path).relative_to(root))
    except ValueError:
        return path


def environment() -> str:
    """Return the id of the environment that dry runs must have run in to hold: ours, in which workers run them."""
    from evaluator.session import environment_id  # heavy, and asked once

    return environment_id()


def worker_command() -> str:
    """Return what to type at a terminal, in any folder, to start a worker for this workspace."""
    command = Path(sys.executable).with_name("benchwright")
    program = [str(command), "worker"] if command.exists() else [sys.executable, "-m", "authoring.worker"]
    return shlex.join([*program, "--workspace", str(workspace_root())])
