"""The one question before code runs without a sandbox."""

import os
from typing import TYPE_CHECKING, Final

import streamlit as st

from authoring.store.people import Role
from authoring.store.settings import get_setting, set_setting
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import writes
from authoring.ui.shell.auth import current_user
from authoring.ui.wording import label
from authoring.ui.workplace import workspace

if TYPE_CHECKING:
    from evaluator.session import SandboxReport

CONSENT_SETTING: Final = "sandbox_consent"  # absent: nobody was asked; false: refused; else who agreed
CONSENT_VARIABLE: Final = "BENCHWRIGHT_SANDBOX"


def sandbox_report() -> "SandboxReport":
    """Return whether this machine can run code in a sandbox; tried once per server."""
    from evaluator.session import probe_sandbox

    return probe_sandbox()


def consented_by(ws: Workspace) -> str:
    """Return who agreed that code may run without a sandbox here; empty when nobody did."""
    if os.environ.get(CONSENT_VARIABLE, "").strip().lower() == "none":
        return f"the environment ({CONSENT_VARIABLE}=none)"
    answer = get_setting(ws, CONSENT_SETTING)
    return str(answer.get("by") or "somebody") if isinstance(answer, dict) else "somebody" if answer else ""


def draw_consent_question(ws: Workspace) -> None:
    """Ask, once per workspace, when there is no sandbox."""
    if consented_by(ws) or get_setting(ws, CONSENT_SETTING) is not None:
        return
    report = sandbox_report()
    if report.available:
        return
    with st.container(border=True):
        st.warning(
            f"**This machine has no sandbox:** {label(report.reason, limit=300)}  \n"
            f"To fix it: {label(report.fix, limit=300)}, then start the app again.",
            icon=":material/gpp_maybe:",
        )
        st.markdown(
            "Code of problems and of agents would run with your own rights: it could read and change your files. "
            "The demo that comes with Benchwright is our own code and runs either way."
        )
        with st.container(horizontal=True):
            st.button("Do not run code", key="consent:no", type="primary", on_click=answer_consent, args=(False,))
            st.button("Run code without a sandbox here", key="consent:yes", on_click=answer_consent, args=(True,))


def draw_sandbox(ws: Workspace) -> None:
    """Draw whether code runs in a sandbox here, and the switch where it cannot."""
    report = sandbox_report()
    consent = consented_by(ws)
    if report.available:
        st.markdown(f":green[:material/verified_user:] Code runs in the sandbox **{label(report.backend)}**.")
        return
    st.markdown(f":orange[:material/gpp_maybe:] **No sandbox.** {label(report.reason, limit=300)}")
    st.caption(f"To get one: {label(report.fix, limit=300)}")
    st.markdown(f"Code may run without one: agreed by {label(consent)}." if consent else "No foreign code runs here.")
    st.toggle(
        "Run code without a sandbox in this workspace",
        value=bool(consent),
        key=f"settings:consent:{bool(consent)}",
        on_change=answer_consent,
        args=(not consent,),
    )


@writes(Role.MAINTAINER)
def answer_consent(agreed: bool) -> None:
    """Record the answer with the name of who gave it."""
    set_setting(workspace(), CONSENT_SETTING, {"by": current_user()} if agreed else False)
    state.flash("info", "recorded: code runs without a sandbox" if agreed else "recorded: no foreign code runs here")
