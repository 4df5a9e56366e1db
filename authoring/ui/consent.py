"""The one question before code runs without a sandbox."""

from typing import TYPE_CHECKING

import streamlit as st

from authoring.store import Workspace, get_setting, set_setting
from authoring.ui import state
from authoring.ui.auth import current_user
from authoring.ui.boundary import writes
from authoring.ui.wording import label
from authoring.ui.workplace import workspace

if TYPE_CHECKING:
    from evaluator.session import SandboxReport

CONSENT_SETTING = "sandbox_consent"


@st.cache_data(ttl=60, max_entries=1, show_spinner=False)
def sandbox_report() -> "SandboxReport":
    """Return whether this machine can run code in a sandbox; asked once a minute."""
    from evaluator.session import probe_sandbox

    return probe_sandbox()


def consent_given(ws: Workspace) -> bool:
    """Tell whether somebody agreed that code may run without a sandbox here."""
    return bool(get_setting(ws, CONSENT_SETTING))


def draw_consent_question(ws: Workspace) -> None:
    """Ask, once per workspace, when there is no sandbox."""
    report = sandbox_report()
    if report.available or get_setting(ws, CONSENT_SETTING) is not None:
        return
    with st.container(border=True):
        st.warning(
            f"**This machine has no sandbox.** {label(report.reason, limit=300)}  \n"
            f"To fix it: {label(report.fix, limit=300)}",
            icon=":material/gpp_maybe:",
        )
        st.markdown(
            "Code of problems and of agents would run with your own rights: it could read and change your files. "
            "The demo that comes with Benchwright is our own code and runs either way."
        )
        with st.container(horizontal=True):
            st.button("Run code without a sandbox here", key="consent:yes", on_click=answer_consent, args=(True,))
            st.button("Do not run code", key="consent:no", type="primary", on_click=answer_consent, args=(False,))


@writes
def answer_consent(agreed: bool) -> None:
    """Record the answer with the name of who gave it."""
    set_setting(workspace(), CONSENT_SETTING, {"by": current_user()} if agreed else False)
    state.flash("info", "recorded: code runs without a sandbox" if agreed else "recorded: no code runs here")
