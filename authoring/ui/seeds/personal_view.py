"""Columns of a seed that look like data about persons, on the screen, and the confirmation that they may stay."""

from typing import Final

import streamlit as st

from authoring.seeds.personal_data import PersonalFinding, confirm, seed_findings
from authoring.store.drafting.confirmations import Said
from authoring.store.drafting.seeds import Seed, find_seed
from authoring.store.people import Role
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import writes
from authoring.ui.inputs.typed_text import sent, typed_line
from authoring.ui.shell.auth import current_user
from authoring.ui.wording import label
from authoring.ui.workplace import workspace
from evaluator.errors import ContentError

SAID: Final = {
    Said.PUBLIC: "It is public already",
    Said.SYNTHETIC: "It is made up",
    Said.NOT_PERSONAL: "It is about no person",
}


def draw_personal(ws: Workspace, seed: Seed) -> None:
    """Draw the findings, if there are any; those that nobody has confirmed first."""
    tables = (seed.profile or {}).get("tables") or []
    if not any(column.get("personal") for table in tables for column in table.get("columns") or []):
        return
    findings = sorted(seed_findings(ws, seed), key=lambda one: one.confirmed is not None)
    if not findings:
        return
    waiting = [one for one in findings if one.confirmed is None]
    lines = "\n".join(_line(one) for one in findings)
    title = "Looks like data about persons" if waiting else "Data about persons, confirmed"
    with st.container(border=True):
        st.markdown(f"**{title}**\n\n{lines}")
        with st.popover("Confirm columns", icon=":material/verified_user:", width="content"):
            columns = list(dict.fromkeys((one.file, one.column) for one in findings))
            several = len({file for file, _ in columns}) > 1
            st.selectbox(
                "Column",
                columns,
                format_func=lambda pair: f"{pair[1]} ({pair[0]})" if several else pair[1],
                key=_key(seed.id, "column"),
            )
            st.radio("Why it may stay", list(SAID), format_func=SAID.__getitem__, key=_key(seed.id, "said"))
            typed_line(
                "Reason", _key(seed.id, "reason"), in_box=True, placeholder="published in the yearbook of 2024",
                width=440,
            )  # fmt: skip
            with st.container(horizontal=True):
                st.button(
                    "Confirm", key=_key(seed.id, "confirm"), type="primary", on_click=confirm_column, args=(seed.id,)
                )
                st.button("Withdraw", key=_key(seed.id, "withdraw"), on_click=withdraw_column, args=(seed.id,))


def _line(finding: PersonalFinding) -> str:
    signed = finding.confirmed
    if signed is None:
        return f"- :orange[:material/warning:] {label(finding.what, limit=300)}. {label(finding.fix, limit=300)}."
    by = f" by {label(signed.created_by)}" if signed.created_by else ""
    reason = f": {label(signed.reason, limit=300)}" if signed.reason else ""
    return f"- :green[:material/check:] {label(finding.what, limit=300)}; confirmed as {signed.said}{by}{reason}"


@writes(Role.MAINTAINER)
def confirm_column(seed_id: int) -> None:
    """Record why the chosen column may stay."""
    said = Said(str(state.widget_value(_key(seed_id, "said"), Said.PUBLIC)))
    reason = str(state.widget_value(_key(seed_id, "reason"), "") or "").strip()
    column = _decide(seed_id, said, reason)
    sent(_key(seed_id, "reason"), shown=None)
    state.flash("success", f"confirmed: the column {column} may stay")


@writes(Role.MAINTAINER)
def withdraw_column(seed_id: int) -> None:
    """Forget what was confirmed of the chosen column."""
    state.flash("success", f"withdrawn: the column {_decide(seed_id, None, '')} is no longer confirmed")


def _decide(seed_id: int, said: Said | None, reason: str) -> str:
    ws = workspace()
    seed = find_seed(ws, seed_id)
    pair = state.widget_value(_key(seed_id, "column"))
    if pair is None:
        raise ContentError("no column was chosen", where="Column", fix="choose one, then press the button again")
    file, column = map(str, pair)
    confirm(ws, seed, column, said, file=file, reason=reason, by=current_user())
    return column


def _key(seed_id: int, field: str) -> str:
    return f"seed:{seed_id}:personal:{field}"
