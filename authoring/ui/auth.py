"""Who is at the screen: a name picked from the workspace's list of annotators. The only source of names."""

import getpass
import os
import re
from typing import Final

import streamlit as st

from authoring.store import Workspace, get_setting, set_setting
from authoring.ui import state
from authoring.ui.boundary import writes
from authoring.ui.workplace import workspace
from evaluator.errors import UsageError

NAMES_SETTING: Final = "annotator_names"
_NAME = re.compile(r"[^\x00-\x1f\x7f]{1,60}")


def annotator_names(ws: Workspace) -> list[str]:
    """Return the names to pick from, first the one that a new tab starts with."""
    stored = get_setting(ws, NAMES_SETTING)
    names = [str(name) for name in stored] if isinstance(stored, list) else []
    return names or [_login_name()]


def current_user() -> str:
    """Return the name under which this tab writes."""
    return str(state.widget_value(state.USER_KEY) or annotator_names(workspace())[0])


def draw_user_picker(ws: Workspace) -> None:
    """Let the reader say who writes in this tab; the choice stands in the address, so a reload keeps it."""
    st.selectbox(
        "You are",
        annotator_names(ws),
        key=state.USER_KEY,
        bind="query-params",
        help="Your name stands beside what you write. Add names under Settings.",
    )


@writes
def add_name() -> None:
    """Add the name that was typed under Settings to the list of annotators."""
    cleaned = " ".join(str(state.widget_value("settings:name") or "").split())
    if not _NAME.fullmatch(cleaned):
        raise UsageError("a name has 1 to 60 characters", where="Your name", fix="type a shorter name")
    ws = workspace()
    names = annotator_names(ws)
    if cleaned in names:
        state.flash("info", f"{cleaned} is already in the list")
        return
    set_setting(ws, NAMES_SETTING, [*names, cleaned])
    state.flash("success", f"added {cleaned}: pick the name in the sidebar to write under it")


def _login_name() -> str:
    try:
        login = os.environ.get("BENCHWRIGHT_USER") or getpass.getuser()
    except (KeyError, OSError):
        login = ""
    return login if login and login != "root" else "annotator"
