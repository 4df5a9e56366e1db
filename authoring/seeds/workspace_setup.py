"""A workspace as every command and the app open it: the shipped seeds are in it from the start."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from authoring.seeds import load_shipped_seeds
from authoring.store.settings import get_setting, set_setting
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, ToolkitError

SHIPPED_SETTING: Final = "shipped_seeds"


def open_workspace(root: Path, *, create: bool = True) -> Workspace:
    """Open a workspace; a new one gets the shipped seeds.

    Args:
        root: Its folder.
        create: Whether to make it when it is missing.

    Raises:
        UsageError: If the folder is no workspace.
        ToolkitError: If it cannot be written or has a newer schema.
    """
    ws = Workspace.open(root, create=create)
    if get_setting(ws, SHIPPED_SETTING) is None:
        with _alone(ws.root):
            if get_setting(ws, SHIPPED_SETTING) is None:  # otherwise another process was faster
                _load_seeds(ws)
                set_setting(ws, SHIPPED_SETTING, "loaded")
    return ws


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Let one process at a time in; the lock ends with its holder, however that ends."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _load_seeds(ws: Workspace) -> None:
    try:
        load_shipped_seeds(ws)
    except ContentError:
        raise
    except ToolkitError:
        from evaluator.session import Engine

        with Engine(trusted=True) as engine:  # a stored profile is out of date: our own data is read anew
            load_shipped_seeds(ws, engine)
