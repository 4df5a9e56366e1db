"""Refining a problemset by a model, and deciding on its suggestions one by one."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import streamlit as st

from authoring.store import problemsets
from authoring.store.jobs import Job, job_result
from authoring.store.people import Role
from authoring.store.reviewing.suggestions import Suggestion, find_suggestion, list_suggestions, refuse_suggestion
from authoring.store.revisions import Revision
from authoring.store.statuses import JobState, SuggestionStatus
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.actions import order_dry_run
from authoring.ui.boundary import writes
from authoring.ui.drawing.differences import draw_difference
from authoring.ui.editor.editing import OpenDraft
from authoring.ui.editor.evidence import refine_key
from authoring.ui.jobs import draw_job, order
from authoring.ui.model_setup import needs_model_help
from authoring.ui.problemset.deciding import draw_unsaved, unsaved_words
from authoring.ui.seeds.author_options import author_options_of, draw_author_options
from authoring.ui.shell.auth import current_user
from authoring.ui.shell.navigation import page_link
from authoring.ui.shell.timing import keep_set_minutes
from authoring.ui.widgets import draw_chip, draw_empty
from authoring.ui.wording import ago, label, plural, status_chip
from authoring.ui.workplace import workspace
from evaluator.errors import ContentError

if TYPE_CHECKING:
    from authoring.revising.suggestion_decisions import SuggestionView

MAX_DECIDED: Final = 20


def draw_refine_form(ws: Workspace, opened: OpenDraft, job: Job | None) -> None:
    """Draw what is needed to let a model change chosen problems, and the newest job that does."""
    key = refine_key(opened.row.id)
    if opened.draft.has_edits:
        st.info(f"{unsaved_words(opened)} A model is given the saved revision.")
        draw_unsaved(opened, where="refine")
    if lacks_model := needs_model_help():
        st.caption(f"{lacks_model} Refining needs one; everything else works without.")
    names = {cell.key: f"{cell.number}. {label(cell.texts['query'], limit=70)}" for cell in opened.draft.problems}
    st.multiselect(
        "Problems to change",
        list(names),
        format_func=names.__getitem__,
        key=f"{key}:problems",
        placeholder="choose at least one",
        help="All other cells keep their bytes.",
        on_change="ignore",
    )
    st.text_area(
        "Instruction",
        key=f"{key}:instruction",
        height=80,
        persist_state="session",
        on_change="ignore",
        placeholder="what is wanted, in words",
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        for name, title in (("comments", "Show it the open comments"), ("findings", "Show it what executing says")):
            state.start_widget_value(f"{key}:{name}", True)
            st.checkbox(title, key=f"{key}:{name}", on_change="ignore")
    state.start_widget_value(f"{key}:as", "suggestions")
    st.radio(
        "What becomes of it",
        ["suggestions", "revision"],
        captions=["each changed problem waits for a decision", "all changed problems at once, as the new head"],
        key=f"{key}:as",
        horizontal=True,
        on_change="ignore",
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Refine",
            key=f"{key}:send",
            type="primary",
            icon=":material/auto_fix_high:",
            disabled=opened.draft.has_edits or lacks_model is not None,
            help=lacks_model,
            on_click=refine,
            args=(opened.row.id, opened.revision.id),
        )
        draw_author_options(key, examples=False)
    _draw_job(ws, opened, job)


def _draw_job(ws: Workspace, opened: OpenDraft, job: Job | None) -> None:
    if job is None or job.state == JobState.CANCELLED or job.dismissed_by:
        return
    with st.container(border=True):
        draw_job(job, log=job.state != JobState.DONE)
        result = (job_result(ws, job.id) or {}) if job.state == JobState.DONE else {}
        if result.get("suggestions"):
            st.caption(f"{plural(len(result['suggestions']), 'suggestion')}: decide on them under Suggestions.")
        elif result.get("revision"):
            page_link(
                "compare", "What it changed", icon=":material/difference:", set=opened.row.id, b=int(result["revision"])
            )


@writes(Role.ANNOTATOR)
def refine(problemset_id: int, revision_id: int) -> None:
    """Order the job in which a model refines the chosen problems of the revision on the screen."""
    key = refine_key(problemset_id)
    problems = list(state.widget_value(f"{key}:problems") or [])
    if not problems:
        raise ContentError("no problem was chosen", fix="choose the problems that the model may change")
    wishes = author_options_of(key)
    wishes.pop("examples")
    order(
        "refine",
        {
            "problemset": problemset_id,
            "problems": problems,
            "instruction": str(state.widget_value(f"{key}:instruction") or ""),
            "comments": bool(state.widget_value(f"{key}:comments", True)),
            "findings": bool(state.widget_value(f"{key}:findings", True)),
            "suggest": state.widget_value(f"{key}:as") != "revision",
            "base_revision_id": revision_id,
            "created_by": current_user(),
            **wishes,
        },
        key=key,
    )


def announce_suggestions(ws: Workspace, problemset_id: int) -> list[Suggestion]:
    """Say how many suggestions wait for a decision, and return all there are."""
    found = list_suggestions(ws, problemset_id)
    waiting = sum(suggestion.status == SuggestionStatus.OPEN for suggestion in found)
    if waiting:
        said = f"{plural(waiting, 'suggestion')} of a model: decide on each under Suggestions."
        st.info(said, icon=":material/auto_fix_high:")
    return found


def draw_suggestions(ws: Workspace, found: Sequence[Suggestion]) -> None:
    """Draw the open suggestions one by one with their differences, then the decided ones."""
    from authoring.revising.suggestion_decisions import view_suggestion

    waiting = [each for each in found if each.status == SuggestionStatus.OPEN]
    decided = [each for each in reversed(found) if each.status != SuggestionStatus.OPEN]
    if not waiting:
        draw_empty("No suggestion waits for a decision", "Let a model refine chosen problems: see Refine.")
    for each in waiting:
        _draw_open(view_suggestion(ws, each))
    if decided:
        st.header("Decided", anchor=False)
    for each in decided[:MAX_DECIDED]:
        _draw_decided(each)


def _draw_open(view: "SuggestionView") -> None:
    found, gone = view.suggestion, view.current_text is None
    key = f"suggestion:{found.id}"
    with st.container(border=True):
        _draw_head(found)
        if gone:
            st.warning("The problem is no longer in the set. Refuse the suggestion, with the reason.")
        elif view.is_stale:
            st.warning("The problem was changed since it was suggested. Below: its text now, against the suggestion.")
        draw_difference(view.current_text or found.old_text, found.new_text)
        state.start_widget_value(f"{key}:text", found.new_text)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                "Accept over the newer text" if view.is_stale else "Accept",
                key=f"{key}:accept",
                type="secondary" if view.is_stale else "primary",
                icon=":material/check:",
                disabled=gone,
                help="Makes a revision in which only this problem changes.",
                on_click=accept,
                args=(found.id, view.is_stale, view.head.id),
            )
            with st.popover("Change", icon=":material/edit:", disabled=gone, width="content"):
                st.text_area(
                    "The problem as it shall be",
                    key=f"{key}:text",
                    height=280,
                    width=640,
                    persist_state="session",
                    on_change="ignore",
                )
                st.button(
                    "Accept this text",
                    key=f"{key}:change",
                    on_click=change,
                    args=(found.id, view.is_stale, view.head.id),
                )
            with st.popover("Refuse", icon=":material/block:"):
                st.text_area(
                    "What is wrong with it?",
                    key=f"{key}:reason",
                    height=100,
                    persist_state="session",
                    on_change="ignore",
                )
                st.button("Refuse it", key=f"{key}:refuse", on_click=refuse, args=(found.id,))


def _draw_head(found: Suggestion) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        page_link(
            "editor", f"**Problem {label(found.problem)}**", icon=":material/edit:", set=found.problemset_id,
            pid=found.problem,
        )  # fmt: skip
        draw_chip(status_chip(found.status))
        said = f" · {label(found.reason, limit=300)}" if found.reason else ""
        st.caption(f"suggestion {found.id} · {label(found.author)} · {ago(found.created_at)}{said}")


def _draw_decided(found: Suggestion) -> None:
    with st.container(border=True, gap="xsmall"):
        _draw_head(found)
        why = f": {label(found.decision_reason, limit=500)}" if found.decision_reason else ""
        st.caption(f"{label(found.decided_by or '')} · {ago(found.decided_at)}{why}")


@writes(Role.ANNOTATOR)
def accept(suggestion_id: int, over_newer: bool, head_id: int) -> None:
    """Take a suggestion as it is into a new revision; refused when the set is not the one on the screen any more."""
    from authoring.revising.suggestion_decisions import accept_suggestion

    _refuse_moved(suggestion_id, head_id)
    _tell(accept_suggestion(workspace(), suggestion_id, by=current_user(), over_newer=over_newer), suggestion_id)


@writes(Role.ANNOTATOR)
def change(suggestion_id: int, over_newer: bool, head_id: int) -> None:
    """Take a text of one's own in the place of a suggestion into a new revision."""
    from authoring.revising.suggestion_decisions import change_suggestion

    _refuse_moved(suggestion_id, head_id)
    cell = str(state.widget_value(f"suggestion:{suggestion_id}:text") or "")
    made = change_suggestion(workspace(), suggestion_id, cell, by=current_user(), over_newer=over_newer)
    _tell(made, suggestion_id)


@writes(Role.ANNOTATOR)
def refuse(suggestion_id: int) -> None:
    """Refuse a suggestion with a reason."""
    reason = str(state.widget_value(f"suggestion:{suggestion_id}:reason") or "")
    refuse_suggestion(workspace(), suggestion_id, by=current_user(), reason=reason)
    row = problemsets.find(workspace(), find_suggestion(workspace(), suggestion_id).problemset_id)
    keep_set_minutes(workspace(), "review", row)
    state.flash("success", f"suggestion {suggestion_id} is refused")


def _refuse_moved(suggestion_id: int, head_id: int) -> None:
    row = problemsets.find(workspace(), find_suggestion(workspace(), suggestion_id).problemset_id)
    if row.head_revision_id != head_id:
        raise ContentError(
            f"somebody saved revision {row.head_number} meanwhile",
            where=row.name,
            fix="look at the suggestion again: it is drawn against the new revision now",
        )


def _tell(made: Revision, suggestion_id: int) -> None:
    keep_set_minutes(workspace(), "revision", problemsets.find(workspace(), made.problemset_id))
    state.flash(
        "success", f"suggestion {suggestion_id} is taken into revision {made.number}; its dry run is on the way"
    )
    order_dry_run(made.id)
