"""Who is at the screen and what they may do. The only source of names and roles.

Where `[auth]` stands in `.streamlit/secrets.toml`, people sign in (OpenID Connect) and have the roles that the
workspace gives them; elsewhere one picks a name from a list and has all roles, as with any file on one's own disk.
"""

import getpass
import os
import time
from typing import Final

import streamlit as st

from authoring.store.people import Role, admit, list_people, roles_of
from authoring.store.reviewing.mentions import list_writers
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.workplace import workspace
from evaluator.errors import UsageError

FRESH_S: Final = 1.0  # seconds; each look at the secrets' file goes through the folders in which it may lie
_SIGN_IN: Final = "sign_in"
_ON_SCREEN: Final = "people"
DEFAULT_NAME: Final = "annotator"  # where neither the system nor the workspace names anybody
UNKNOWN_NAME: Final = "unknown_name"  # whom the address named and nobody is called, and who it is instead
_ASKED: Final = "asked_name"  # the last name in the address
ASK: Final = "ask a maintainer of this workspace to give you the role under Settings, People"


def uses_sign_in() -> bool:
    """Return whether people sign in here instead of picking a name, as read a moment ago at most."""
    read_at, found = state.recall(_SIGN_IN, (float("-inf"), False))
    if time.monotonic() - read_at > FRESH_S:
        found = st.secrets.load_if_toml_exists() and "auth" in st.secrets
        state.remember(_SIGN_IN, (time.monotonic(), found))
    return bool(found)


def is_signed_in() -> bool:
    """Return whether it is known who is at the screen."""
    return not uses_sign_in() or bool(st.user.get("is_logged_in"))


def annotator_names(ws: Workspace) -> list[str]:
    """Return the names to pick from, first the one that a new tab starts with."""
    return list_people(ws, sign_in=False, fallback=_login_name())


def known_people(ws: Workspace) -> list[str]:
    """Return whom work can be given to."""
    return list_people(ws, sign_in=uses_sign_in(), fallback=_login_name())


def people_to_mention(ws: Workspace) -> list[str]:
    """Return whom a comment can name: who can be given work and, where nobody signs in, who wrote a comment."""
    known = known_people(ws)
    if uses_sign_in():
        return known
    named = {name.casefold() for name in known}
    return [*known, *(name for name in list_writers(ws) if name.casefold() not in named)]


def people_to_choose(ws: Workspace) -> list[str]:
    """Return whom a list on this page offers: as the sidebar read it for the same screen, where it did."""
    shown = state.recall(_ON_SCREEN)
    return known_people(ws) if uses_sign_in() or not shown else list(shown)


def current_user() -> str:
    """Return the name under which this tab writes.

    Raises:
        UsageError: If people sign in here and this one did not, or came without a confirmed e-mail address.
    """
    if uses_sign_in():
        return _signed_in_name()
    return str(state.widget_value(state.USER_KEY) or annotator_names(workspace())[0])


def current_roles() -> frozenset[Role]:
    """Return what the person may do."""
    return roles_of(workspace(), current_user()) if uses_sign_in() else frozenset(Role)


def may(*roles: Role) -> bool:
    """Return whether the person has one of these roles, or is a maintainer."""
    held = current_roles()
    return Role.MAINTAINER in held or not held.isdisjoint(roles)


def require(*roles: Role) -> None:
    """Refuse whoever has none of these roles and is no maintainer.

    Raises:
        UsageError: Saying which role is needed.
    """
    if not may(*roles):
        needed = " or ".join(dict.fromkeys((*roles, Role.MAINTAINER)))
        held = ", ".join(sorted(current_roles())) or "no role"
        raise UsageError(f"this needs the role {needed}; {current_user()} has {held}", fix=ASK)


def draw_person(ws: Workspace) -> None:
    """Draw in the sidebar who writes in this tab; whoever has no access sees nothing else."""
    if uses_sign_in():
        _draw_signed_in(ws)
    else:
        names = annotator_names(ws)
        state.remember(_ON_SCREEN, names)
        asked = state.param(state.USER_KEY)  # before the list drops a name that is not in it
        st.selectbox(
            "You are",
            names,
            key=state.USER_KEY,
            bind="query-params",  # a reload keeps the choice
            help="Signs your revisions, comments and decisions. A new name is added on the page "
            "[Settings](settings), under *People*.",
        )
        if asked and asked != state.recall(_ASKED):
            state.remember(_ASKED, asked)
            state.remember(UNKNOWN_NAME, None if asked in names else (asked, current_user()))


def stop_strangers(ws: Workspace) -> None:
    """End the page for whoever did not sign in, or has no role here: they read nothing either."""
    if not is_signed_in():
        st.title("Benchwright", anchor=False)
        st.markdown("Sign in to read and change the problemsets of this workspace.")
        st.button("Sign in", key="auth:in", type="primary", icon=":material/login:", on_click=st.login)
        st.stop()
    if uses_sign_in() and not roles_of(ws, current_user()):
        if not admit(ws, current_user()):
            st.title("Benchwright", anchor=False)
            st.info(f"You are signed in and have no role in this workspace yet: {ASK}.")
            st.stop()
        state.flash("info", "you are the first person here, so you are this workspace's maintainer")


def _draw_signed_in(ws: Workspace) -> None:
    if not is_signed_in():
        return
    roles = ", ".join(sorted(roles_of(ws, current_user()))) or "no role yet"
    st.text(f"{current_user()}\n{roles}")
    st.button("Sign out", key="auth:out", type="tertiary", icon=":material/logout:", on_click=st.logout)


def _signed_in_name() -> str:
    if not st.user.get("is_logged_in"):
        raise UsageError("you are not signed in", fix="sign in, then repeat the action")
    name = " ".join(str(st.user.get("email") or "").split()).casefold()
    if not name or str(st.user.get("email_verified", True)).lower() == "false":
        raise UsageError("your sign-in names no confirmed e-mail address", fix="confirm it where you sign in")
    return name


def _login_name() -> str:
    try:
        login = os.environ.get("BENCHWRIGHT_USER") or getpass.getuser()
    except (KeyError, OSError):
        login = ""
    return login if login and login != "root" else DEFAULT_NAME
