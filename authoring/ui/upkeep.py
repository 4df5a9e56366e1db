"""Looking after the workspace: its size, a backup, an integrity check."""

from pathlib import Path
from typing import NamedTuple

import streamlit as st

from authoring.store import Role
from authoring.ui import state
from authoring.ui.boundary import writes
from authoring.ui.workplace import workspace


class FolderSize(NamedTuple):
    """What a folder takes."""

    bytes: int
    files: int


@st.cache_data(ttl=10, max_entries=4, show_spinner=False)
def folder_size(folder: Path) -> FolderSize:
    """Return the size of a folder; asked at most every ten seconds."""
    sizes = [path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    return FolderSize(sum(sizes), len(sizes))


@writes(Role.MAINTAINER)
def back_up() -> None:
    """Write a consistent copy of the database."""
    path = workspace().back_up()
    state.flash("success", "backed up", where=str(path))


@writes(Role.MAINTAINER)
def check_integrity() -> None:
    """Let SQLite look through the database."""
    findings = workspace().integrity()
    if findings:
        state.flash("error", f"the database is damaged: {findings[0]}", fix="restore the newest backup")
    else:
        state.flash("success", "the database is sound")
