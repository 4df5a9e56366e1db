"""Amendments of the guide on the screen: gathered from comments, decided one by one."""

from collections.abc import Mapping, Sequence
from typing import Final

import streamlit as st

from authoring.store.drafting.guide import (
    Amendment,
    AmendmentDecision,
    GuideComment,
    GuideRevision,
    decide_amendment,
    guide_sections,
)
from authoring.store.people import Role
from authoring.store.statuses import AmendmentStatus
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import writes
from authoring.ui.drawing.differences import draw_difference
from authoring.ui.drawing.markup import cell_text
from authoring.ui.inputs.typed_text import sent, typed_area, typed_line
from authoring.ui.jobs import order
from authoring.ui.model_setup import author_help
from authoring.ui.seeds.author_options import author_options_of, draw_author_options
from authoring.ui.seeds.order_results import draw_made_job
from authoring.ui.shell.auth import current_user
from authoring.ui.shell.timing import keep_guide_minutes
from authoring.ui.widgets import draw_chip, draw_empty
from authoring.ui.wording import ago, label, plural, status_chip
from authoring.ui.workplace import workspace
from evaluator.errors import ContentError

JOB_KEY: Final = "guide"
AUTHORS: Final = {"template": "by rule", "model": "by a model"}
MAX_SHOWN: Final = 12  # comments behind one amendment; more are counted
MAX_DECIDED: Final = 20


def draw_gathering(ws: Workspace, waiting: Sequence[GuideComment], older: int) -> None:
    """Draw how many comments wait to be turned into amendments, and the button that does it.

    Args:
        ws: The workspace.
        waiting: The comments since the newest guide.
        older: How many there are from before it that no amendment rests on.
    """
    st.caption(
        f"{plural(len(waiting), 'comment')} since the newest guide, on problemsets and sketches, and not behind an "
        f"amendment yet. {f'{older:,} older.' if older else ''}"
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "Gather", list(AUTHORS), format_func=AUTHORS.__getitem__, key="guide:author", width=200,
            help=f"By rule: one text for each kind of comment, to be edited. {author_help()}", on_change="ignore",
        )  # fmt: skip
        st.toggle(
            "Also older comments", key="guide:all_times", on_change="ignore",
            help="Those from before the newest guide that no amendment rests on.",
        )  # fmt: skip
        draw_author_options("guide:wishes", examples=False)
        st.button(
            "Gather amendments",
            key="guide:gather",
            type="primary",
            icon=":material/forum:",
            disabled=not waiting and not older,
            help=None if waiting else "There is no new comment.",
            on_click=gather,
        )
    draw_made_job(ws, JOB_KEY)


@writes(Role.MAINTAINER)
def gather() -> None:
    """Propose amendments by rule at once, or order the job in which a model proposes them."""
    author = str(state.widget_value("guide:author") or "template")
    all_times = bool(state.widget_value("guide:all_times"))
    if author == "model":
        wishes = author_options_of("guide:wishes")
        wishes.pop("examples")
        order("guide", {"author": author, "created_by": current_user(), "all_times": all_times, **wishes}, key=JOB_KEY)
        return
    from authoring.drafting.guide.amendment_proposals import propose_amendments

    found = propose_amendments(workspace(), proposed_by=current_user(), author=author, all_times=all_times)
    state.flash("success", f"{plural(len(found.amendments), 'amendment')} proposed: edit and decide each of them")


def draw_own_form(newest: GuideRevision) -> None:
    """Draw the fields of an amendment that a person proposes."""
    key = "guide:own"
    with st.expander("Propose one of your own", icon=":material/add:"):
        typed_area("Text of the guide to replace (empty: add)", f"{key}:old", height=80)
        typed_area("New text", f"{key}:new", height=100)
        st.selectbox(
            "Without a text to replace: at the end of",
            ["", *guide_sections(newest.text)],
            format_func=lambda title: cell_text(title) if title else "the guide",
            key=f"{key}:section:{newest.number}",
            on_change="ignore",
        )
        typed_line("Reason", f"{key}:reason", max_chars=300)
        st.button("Propose", key=f"{key}:send", icon=":material/add:", on_click=propose, args=(newest.number,))


@writes(Role.MAINTAINER)
def propose(number: int) -> None:
    """Keep a person's amendment."""
    from authoring.drafting.guide.amendment_proposals import propose_one

    key = "guide:own"
    fields = {name: str(state.widget_value(f"{key}:{name}") or "") for name in ("old", "new", "reason")}
    propose_one(
        workspace(),
        proposed_by=current_user(),
        new_text=fields["new"],
        old_text=fields["old"],
        section=str(state.widget_value(f"{key}:section:{number}") or "") if not fields["old"] else "",
        reason=fields["reason"],
    )
    sent(*(f"{key}:{name}" for name in fields))


def draw_amendments(found: Sequence[Amendment], comments: Mapping[str, GuideComment], guide: GuideRevision) -> None:
    """Draw the proposed amendments one by one, then those that are decided."""
    proposed = [amendment for amendment in found if amendment.status == AmendmentStatus.PROPOSED]
    decided = [amendment for amendment in reversed(found) if amendment.status != AmendmentStatus.PROPOSED]
    if not proposed:
        draw_empty("No amendment waits for a decision", "Comment on drafts and sketches; then gather amendments here.")
    for amendment in proposed:
        _draw_proposed(amendment, comments, guide)
    if decided:
        st.header("Decided", anchor=False)
    for amendment in decided[:MAX_DECIDED]:
        _draw_decided(amendment)


def _draw_proposed(amendment: Amendment, comments: Mapping[str, GuideComment], guide: GuideRevision) -> None:
    key = f"amendment:{amendment.id}"
    with st.container(border=True):
        _draw_head(amendment)
        if amendment.stale:
            st.warning("The part of the guide that it changes was changed since. Refuse it, and propose another.")
        _draw_change(amendment, amendment.new_text)
        _draw_comments(amendment, comments)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                "Accept",
                key=f"{key}:accept",
                icon=":material/check:",
                type="primary",
                disabled=amendment.stale,
                help=f"Makes revision {guide.number + 1} of the guide.",
                on_click=decide,
                args=(amendment.id, AmendmentStatus.ACCEPTED),
            )
            with st.popover("Change", icon=":material/edit:", disabled=amendment.stale):
                typed_area("Text to use instead", f"{key}:text", amendment.new_text, in_box=True, height=160)
                st.button(
                    "Accept this text",
                    key=f"{key}:change",
                    on_click=decide,
                    args=(amendment.id, AmendmentStatus.CHANGED),
                )
            with st.popover("Refuse", icon=":material/block:"):
                typed_area("What is wrong with it?", f"{key}:reason", in_box=True, height=100)
                st.button(
                    "Refuse it", key=f"{key}:refuse", on_click=decide, args=(amendment.id, AmendmentStatus.REFUSED)
                )


def _draw_decided(amendment: Amendment) -> None:
    with st.container(border=True, gap="xsmall"):
        _draw_head(amendment)
        _draw_change(amendment, amendment.new_text)
        led = f" · led to revision {amendment.guide_number}" if amendment.guide_number else ""
        why = f": {label(amendment.decision_reason, limit=500)}" if amendment.decision_reason else ""
        st.caption(f"{label(amendment.decided_by or '')} · {ago(amendment.decided_at)}{led}{why}")


def _draw_head(amendment: Amendment) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**Amendment {amendment.id}**", width="content")
        draw_chip(status_chip(amendment.status))
        said = f" · {label(amendment.reason, limit=300)}" if amendment.reason else ""
        st.caption(f"{label(amendment.proposed_by)} · {ago(amendment.created_at)}{said}")


def _draw_change(amendment: Amendment, text: str) -> None:
    if not amendment.old_text:
        where = f"at the end of “{label(amendment.section)}”" if amendment.section else "at the end of the guide"
        st.caption(f"Added {where}")
    draw_difference(amendment.old_text, text)


def _draw_comments(amendment: Amendment, comments: Mapping[str, GuideComment]) -> None:
    known = [comments[ref] for ref in amendment.comment_ids if ref in comments]
    if not known:
        return
    with st.expander(f"{plural(len(known), 'comment')} behind it", icon=":material/comment:"):
        for comment in known[:MAX_SHOWN]:
            place = f" {label(comment.place)}" if comment.place else ""
            kind = label(comment.kind.replace("_", " "))
            st.caption(f"{label(comment.author)} · {kind} · {label(comment.subject)}{place}")
            st.text(cell_text(comment.text))
        if len(known) > MAX_SHOWN:
            st.caption(f"{len(known) - MAX_SHOWN} more")


@writes(Role.MAINTAINER)
def decide(amendment_id: int, decision: AmendmentDecision) -> None:
    """Accept, change or refuse an amendment; refusing needs a reason."""
    key = f"amendment:{amendment_id}"
    reason = str(state.widget_value(f"{key}:reason") or "").strip()
    if decision == AmendmentStatus.REFUSED and not reason:
        raise ContentError("a reason is needed to refuse an amendment", fix="say what is wrong with it")
    found = decide_amendment(
        workspace(),
        amendment_id,
        decision,
        by=current_user(),
        new_text=str(state.widget_value(f"{key}:text") or "") if decision == AmendmentStatus.CHANGED else None,
        reason=reason if decision == AmendmentStatus.REFUSED else "",
    )
    sent(f"{key}:text", f"{key}:reason", shown=None)
    keep_guide_minutes(workspace(), found.guide_number or found.base_number)
    led = f": the guide is revision {found.guide_number} now" if found.guide_number else ""
    state.flash("success", f"amendment {found.id} is {found.status}{led}")
