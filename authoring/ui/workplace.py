"""Which workspace this server serves."""

import os
from pathlib import Path
from typing import Final

from authoring.store import Workspace

ENVIRONMENT_VARIABLE: Final = "BENCHWRIGHT_WORKSPACE"


def workspace_root() -> Path:
    """Return the folder that the environment names, else `./workspace`."""
    return Path(os.environ.get(ENVIRONMENT_VARIABLE) or "workspace").absolute()


def workspace() -> Workspace:
    """Return the workspace, made when it is missing."""
    return Workspace.open(workspace_root())


def worker_command() -> str:
    """Return what to type at a terminal to start a worker for this workspace."""
    return f".venv/bin/benchwright worker --workspace {workspace_root()}"
