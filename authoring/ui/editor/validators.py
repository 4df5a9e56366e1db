"""The editor's tab Validators: what judges a problem, what could, and a form for one more."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from authoring.store import Role, Workspace, list_job_results
from authoring.ui import state
from authoring.ui.auth import current_user
from authoring.ui.boundary import writes
from authoring.ui.editor.draft_view import Cell, digests
from authoring.ui.editor.editing import OpenDraft, change_settings, draft_on_screen, sound_text
from authoring.ui.editor.equality_table import draw_equality
from authoring.ui.editor.validator_form import draw_form, draw_written
from authoring.ui.jobs import draw_job, order
from authoring.ui.wording import label
from evaluator.errors import ContentError
from evaluator.language import changed_settings, write_yaml


def proposals_key(problemset_id: int, person: str, cell_key: str) -> str:
    """Return the key of the jobs that propose validators for a problem."""
    return f"validators:{problemset_id}:{person}:{cell_key}"


def draw_validators(ws: Workspace, opened: OpenDraft, cell: Cell, now: Mapping[str, str]) -> None:
    """Draw what judges the problem, when its values are equal, the form and the proposals."""
    draw_written(opened, cell)
    draw_equality(opened, cell)
    draw_form(opened, cell)
    st.markdown("**Proposals**")
    st.button(
        "Propose validators",
        key=f"propose:{opened.row.id}:{cell.key}",
        icon=":material/lightbulb:",
        help="Runs the reference and rewrites of it, and shows which of them each choice would accept.",
        on_click=propose,
        args=(opened.row.id, cell.key),
    )
    found = list_job_results(ws, proposals_key(opened.row.id, current_user(), cell.key), 1)
    with st.container():
        for job, result in found:
            if job.state != "done":
                draw_job(job)
            elif result is not None:
                if job.payload.get("digest") != now.get(cell.key):
                    st.caption(":material/history: stale: the text has changed since. Propose again.")
                for proposal in result.get("proposals") or ():
                    _draw_proposal(opened, cell, proposal, f"proposal:{job.id}:{proposal.get('number')}")


@writes(Role.ANNOTATOR, Role.REVIEWER)
def propose(problemset_id: int, cell_key: str) -> None:
    """Order proposals for a problem as it stands on the screen."""
    opened = draft_on_screen(problemset_id)
    cell = opened.draft.find(cell_key)
    if cell is None:
        raise ContentError("there is no such problem any more", where=opened.row.name, fix="open another one")
    payload = {"problemset_id": problemset_id, "text": sound_text(opened), "problem": cell.number}
    payload["digest"] = digests(opened.draft)[cell_key]
    order("validators", payload, key=proposals_key(problemset_id, current_user(), cell_key))


@writes(Role.ANNOTATOR)
def use(problemset_id: int, cell_key: str, validator: Mapping[str, Any], title: str) -> None:
    """Put the validators of a proposal into the settings, as an unsaved change."""
    change_settings(problemset_id, cell_key, lambda settings: changed_settings(settings, "validator", dict(validator)))
    state.flash("success", f"the settings judge by {title} now; save a revision to keep it")


def _draw_proposal(opened: OpenDraft, cell: Cell, proposal: Mapping[str, Any], key: str) -> None:
    rewrites = proposal.get("rewrites") or {}
    accepted = [name for name, verdict in rewrites.items() if verdict == "CORRECT"]
    refused = [name for name, verdict in rewrites.items() if verdict != "CORRECT"]
    with st.container(border=True, gap="xsmall"):
        st.markdown(f"**{label(str(proposal.get('title')))}**")
        st.code(write_yaml({"validator": proposal.get("validator") or {}}), language="yaml", wrap_lines=True)
        st.caption(f":material/check: accepts: {label(', '.join(accepted) or 'no rewrite', limit=600)}")
        st.caption(f":material/close: refuses: {label(', '.join(refused) or 'no rewrite', limit=600)}")
        if not proposal.get("reference_passes"):
            st.caption(":material/error: The reference itself does not pass.")
        st.button(
            "Use in settings",
            key=key,
            icon=":material/add:",
            disabled=not proposal.get("reference_passes"),
            on_click=use,
            args=(opened.row.id, cell.key, proposal.get("validator") or {}, str(proposal.get("title"))),
        )
