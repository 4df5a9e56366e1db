"""A workspace as every command and the app open it: the shipped seeds are in it from the start."""

from pathlib import Path
from typing import Final

from authoring.seeds import load_shipped_seeds
from authoring.store import Workspace, get_setting, set_setting
from evaluator.session import Engine

SHIPPED_SETTING: Final = "shipped_seeds"


def open_workspace(root: Path, *, create: bool = True, engine: Engine | None = None) -> Workspace:
    """Open a workspace; a new one gets the shipped seeds.

    Args:
        root: Its folder.
        create: Whether to make it when it is missing.
        engine: Profiles shipped seeds whose stored profile is out of date; only then is it started.

    Raises:
        UsageError: If the folder is no workspace.
        ToolkitError: If it cannot be written or has a newer schema.
    """
    ws = Workspace.open(root, create=create)
    if get_setting(ws, SHIPPED_SETTING) is None:
        load_shipped_seeds(ws, engine)
        set_setting(ws, SHIPPED_SETTING, "loaded")
    return ws
