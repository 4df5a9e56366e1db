"""People on the Settings page: names to pick from, or roles of those who sign in; and who may accept whose work."""

import re
from typing import Final

import streamlit as st

from authoring.checks import MACHINES
from authoring.store.people import NAMES_SETTING, Role, give_roles, list_roles
from authoring.store.reviewing.reviews import needs_second_person, require_second_person
from authoring.store.settings import set_setting
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import writes
from authoring.ui.shell.auth import annotator_names, current_user, may, uses_sign_in
from authoring.ui.wording import label
from authoring.ui.workplace import workspace
from evaluator.errors import UsageError

NEW: Final = "settings:name"
SECOND: Final = "settings:second_person"
_NAME = re.compile(r"[^\x00-\x1f\x7f]{1,60}")


def draw_people(ws: Workspace) -> None:
    """Draw who works here, and whether a second person must look at everything."""
    if uses_sign_in():
        _draw_roles(ws)
    else:
        names = ", ".join(label(name) for name in annotator_names(ws))
        st.caption(f"Names: {names}. Pick yours in the sidebar. Nobody signs in here, so everybody has all roles.")
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.text_input("New name", key=NEW, max_chars=60, width=280)
            st.button("Add the name", key="settings:add", icon=":material/person_add:", on_click=add_name)
    st.toggle(
        "A second person must accept",
        value=needs_second_person(ws),
        key=SECOND,
        disabled=not may(),
        help="Then nobody accepts a revision that they wrote themselves, here or at the command line.",
        on_change=choose_second_person,
    )


def _draw_roles(ws: Workspace) -> None:
    mine = may()
    st.caption(
        "Annotators edit and comment, reviewers accept and send back, evaluators start runs, maintainers do all of it. "
        "Whoever has no role sees nothing."
    )
    for number, (name, roles) in enumerate(sorted(list_roles(ws).items()), start=1):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.text(f"{number}. {name}", width=320)
            st.multiselect(
                f"Roles of person {number}",
                list(Role),
                default=sorted(roles),
                key=_key(name),
                label_visibility="collapsed",
                placeholder="waits for a role",
                disabled=not mine or name == current_user(),  # nobody locks themselves out by a slip
                on_change=change_roles,
                args=(name,),
            )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("E-mail address of a new person", key=NEW, max_chars=200, width=280, disabled=not mine)
        st.multiselect("Roles", list(Role), key="settings:roles", width=320, disabled=not mine, on_change="ignore")
        st.button(
            "Add the person", key="settings:add", icon=":material/person_add:", disabled=not mine, on_click=add_person
        )


@writes(Role.MAINTAINER)
def add_name() -> None:
    """Add the name that was typed under Settings to the list of annotators."""
    cleaned = " ".join(str(state.widget_value(NEW) or "").split())
    if not cleaned:
        raise UsageError("no name was typed", where="New name", fix="type a name, then press Add the name")
    if not _NAME.fullmatch(cleaned):
        raise UsageError("a name has at most 60 characters", where="New name", fix="type a shorter name")
    if cleaned.casefold() in MACHINES:
        what = f"the program itself works under the name {cleaned}, so its decisions would count as nobody's"
        raise UsageError(what, where="New name", fix="type another name")
    ws = workspace()
    names = annotator_names(ws)
    if cleaned in names:
        state.flash("info", f"{cleaned} is already in the list")
        return
    set_setting(ws, NAMES_SETTING, [*names, cleaned])
    state.flash("success", f"added {cleaned}: pick the name in the sidebar to write under it")


@writes(Role.MAINTAINER)
def add_person() -> None:
    """Give roles to somebody who has not signed in yet."""
    name, roles = str(state.widget_value(NEW) or ""), state.widget_value("settings:roles") or []
    give_roles(workspace(), name, roles)
    state.flash("success", f"{name} has the roles {', '.join(roles) or 'none'}")


@writes(Role.MAINTAINER)
def change_roles(name: str) -> None:
    """Let a person have the roles that their row shows."""
    give_roles(workspace(), name, state.widget_value(_key(name)) or [])
    state.flash("success", f"changed the roles of {name}")


@writes(Role.MAINTAINER)
def choose_second_person() -> None:
    """Keep whether a reviewer must not be the author."""
    require_second_person(workspace(), bool(state.widget_value(SECOND)))


def _key(name: str) -> str:
    return f"settings:roles:{name}"
