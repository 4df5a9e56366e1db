"""Under which name this tab writes, where nobody signs in: what is to be said about it."""

import streamlit as st

from authoring.ui import state
from authoring.ui.boundary import ANYONE, writes
from authoring.ui.shell.auth import DEFAULT_NAME, UNKNOWN_NAME, current_user, people_to_choose, uses_sign_in
from authoring.ui.shell.navigation import page_link
from authoring.ui.wording import label
from authoring.ui.workplace import workspace


def draw_signature() -> None:
    """Say in the sidebar that work is signed with the name that nobody chose, and where one adds a name."""
    if not uses_sign_in() and current_user() == DEFAULT_NAME:
        st.caption("Your work is signed with this name.")
        page_link("settings", "Add your name", icon=":material/person_add:")


def draw_unknown_name() -> None:
    """Say that the address named somebody who is not in the list, until that is read or a name is chosen."""
    asked, instead = state.recall(UNKNOWN_NAME) or ("", "")
    if not asked or uses_sign_in() or instead != current_user() or asked in people_to_choose(workspace()):
        return
    who, me = label(asked, limit=60), label(current_user())
    with st.container(key="unknown_name"):
        st.warning(
            f"**There is nobody named {who} here: you are {me}**  \nTo fix it: add the name under Settings, or choose "
            "another one under *You are* in the sidebar.",
            icon=":material/person_off:",
        )
        with st.container(horizontal=True, vertical_alignment="center"):
            page_link("settings", "Go to Settings", icon=":material/arrow_forward:")
            st.button("Close", key="unknown_name:close", type="tertiary", on_click=forget_unknown_name)


@writes(ANYONE)
def forget_unknown_name() -> None:
    """Say no more that the address named somebody who is not in the list."""
    state.remember(UNKNOWN_NAME, None)
