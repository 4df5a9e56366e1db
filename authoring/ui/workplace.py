"""Which workspace this server serves."""

import os
from pathlib import Path
from typing import Final

import streamlit as st

from authoring.store import Workspace

ENVIRONMENT_VARIABLE: Final = "BENCHWRIGHT_WORKSPACE"


def workspace_root() -> Path:
    """Return the folder that the environment names, else `./workspace`."""
    return Path(os.environ.get(ENVIRONMENT_VARIABLE) or "workspace").absolute()


def workspace() -> Workspace:
    """Return the workspace, made when it is missing; the first call of this server puts the shipped seeds into it."""
    root = workspace_root()
    _prepare(root)
    return Workspace.open(root)


@st.cache_resource(max_entries=8, show_spinner="Preparing the workspace")
def _prepare(root: Path) -> None:
    from authoring.pipeline import open_workspace

    open_workspace(root)


def shown_path(path: str) -> str:
    """Return a path as pages show it: from the workspace's folder on when it lies inside."""
    root = workspace_root()
    try:
        return str(Path(root.name) / Path(path).relative_to(root))
    except ValueError:
        return path


def worker_command() -> str:
    """Return what to type at a terminal to start a worker for this workspace."""
    return f".venv/bin/benchwright worker --workspace {workspace_root()}"
