"""Submit, accept, send back: each names the revision on the screen, and what is not possible now says why."""

from collections.abc import Sequence

import streamlit as st

from authoring.checks.standing import Standing
from authoring.store import problemsets, revisions
from authoring.store.people import Role
from authoring.store.problemsets import ProblemsetRow
from authoring.store.reviewing.reviews import Comment, find_objection
from authoring.store.revisions import Revision
from authoring.store.statuses import ProblemsetStatus
from authoring.ui import actions, state
from authoring.ui.actions import order_dry_run
from authoring.ui.boundary import show_message, writes
from authoring.ui.comments.open_comments import open_words
from authoring.ui.editor.draft_view import edited_words
from authoring.ui.editor.editing import OpenDraft
from authoring.ui.inputs.typed_text import keep_typed_text, typed_area
from authoring.ui.shell.auth import current_user, may
from authoring.ui.shell.navigation import page_link
from authoring.ui.standing import failing_words, sentence, unsaved_in, why_not_standing
from authoring.ui.wording import ago, label
from authoring.ui.workplace import workspace


def draw_decision(opened: OpenDraft, standing: Standing, comments: Sequence[Comment], *, where: str) -> None:
    """Draw what can be done with the revision on the screen as a whole: hand it in, accept it, send it back.

    What fails, and which `comments` are open, the help of the buttons names.

    In the editor's bar, which is one row, stands only what the person's roles and the set's status allow.
    """
    row, revision = opened.row, opened.revision
    in_bar = where == "editor"
    if row.status in (ProblemsetStatus.DRAFT, ProblemsetStatus.SENT_BACK) and (not in_bar or may(Role.ANNOTATOR)):
        st.button(
            "Submit",
            key=f"{where}:{row.id}:submit",
            icon=":material/outbox:",
            shortcut="Alt+U",
            disabled=opened.draft.has_edits,
            help=unsaved_words(opened) if opened.draft.has_edits else _submit_help(standing),
            on_click=actions.submit,
            args=(row.id, revision.id),
        )
    if not in_bar or may(Role.REVIEWER):
        sent_back = row.status == ProblemsetStatus.SENT_BACK
        remark = open_words(comments, opened.draft.cells)
        draw_verdict_on(revision, why_not_accept(opened, standing), where=where, sent_back=sent_back, remark=remark)
    if row.status == ProblemsetStatus.ACCEPTED and may(Role.MAINTAINER):
        page_link("releases", "Release it", icon=":material/inventory_2:")


def draw_verdict_on(revision: Revision, why_not: str, *, where: str, sent_back: bool, remark: str = "") -> None:
    """Draw Accept and Send back for a revision.

    Args:
        revision: The newest one.
        why_not: Why it cannot be accepted; empty when it can.
        where: The page.
        sent_back: Whether it is sent back already.
        remark: What to know before accepting it, such as comments that are open.
    """
    st.button(
        f"Accept revision {revision.number}",
        key=f"{where}:{revision.id}:accept",
        icon=":material/verified:",
        shortcut="Alt+A",
        disabled=bool(why_not),
        help=why_not or _accept_help(remark),
        on_click=actions.accept,
        args=(revision.id,),
    )
    asked = st.button(
        "Send back",
        key=f"{where}:{revision.id}:send_back",
        icon=":material/reply:",
        shortcut="Alt+X",
        disabled=sent_back or not may(Role.REVIEWER),
    )
    if why_not and where != "editor":  # there the bar has no room; the button's help says it
        st.caption(f":material/info: {label(why_not, limit=400)}", width="content")
    if asked:
        _ask_for_reason(revision.id, revision.number, revision.problemset_id)


def _submit_help(standing: Standing) -> str:
    failing = failing_words(standing)
    return f"Hands the newest revision to a reviewer{f', though {failing}' if failing else ''}."


def _accept_help(remark: str) -> str:
    told = "Accepts exactly the revision on this screen; refused if a newer one exists."
    return f"{told} It still has {label(remark, limit=300)}." if remark else told


def why_not_accept(opened: OpenDraft, standing: Standing) -> str:
    """Return why the revision on the screen cannot be accepted now; empty when it can."""
    if opened.row.status == ProblemsetStatus.ACCEPTED:
        return "This revision is accepted."
    if opened.draft.has_edits:
        return unsaved_words(opened)
    if not may(Role.REVIEWER):
        return "Reviewers accept; your roles do not include it."
    if objection := find_objection(workspace(), opened.revision.id, current_user()):
        return sentence(objection)
    return why_not_standing(standing)


def unsaved_words(opened: OpenDraft) -> str:
    """Return where a person has unsaved changes, and what helps, as one sentence."""
    return sentence(unsaved_in(edited_words(opened.draft)))


def draw_unsaved(opened: OpenDraft, *, where: str) -> None:
    """Draw what helps a person with unsaved changes outside of the editor: save them, or look at them."""
    cell = next((each for each in opened.draft.cells if opened.draft.is_edited(each)), None)
    st.button(
        "Save revision",
        key=f"{where}:{opened.row.id}:save_changes",
        icon=":material/save:",
        help=f"Saves your changes in {edited_words(opened.draft)} as a revision and orders its dry run.",
        on_click=actions.save,
        args=(opened.row.id,),
    )
    if cell is not None:  # else it is the whole text, which stands on this page
        name = f"Open {cell.label.lower()}"
        page_link("editor", name, icon=":material/edit_note:", set=opened.row.id, pid=cell.key)


@st.dialog("Send back", icon=":material/reply:")
def _ask_for_reason(revision_id: int, number: int, problemset_id: int) -> None:
    key = f"send_back:{revision_id}"
    typed_area("What should the author change?", f"{key}:reason", height=140, max_chars=2000)
    keep_typed_text(f"{key}:keeper")  # Escape closes the dialog, and the field reports nothing then
    pressed = st.button(
        f"Send revision {number} back",
        key=f"{key}:send",
        type="primary",
        icon=":material/reply:",
        on_click=actions.send_back,
        args=(revision_id, f"{key}:reason"),
    )
    if pressed and problemsets.find(workspace(), problemset_id).status == ProblemsetStatus.SENT_BACK:
        st.rerun()
    for message in state.take_flashes():  # what the press above came to; the page is behind the dialog
        show_message(message)


def draw_sent_back(row: ProblemsetRow, *, limit: int) -> None:
    """Say by whom and why a set was sent back, in so many characters, until it is submitted again."""
    if back := row.sent_back:
        reason = label(back.reason, limit=limit)
        st.markdown(f":orange[:material/reply:] **Sent back by {label(back.by)}**, {ago(back.at)}: {reason}")


def draw_restore(revision: Revision, head_id: int, *, where: str) -> None:
    """Draw the button for a revision that is not the newest; `head_id` is the newest one on this screen."""
    st.button(
        f"Restore revision {revision.number}",
        key=f"{where}:{revision.id}:restore",
        icon=":material/history:",
        help="Saves its text as a new revision; what came after it stays in the history.",
        on_click=restore,
        args=(revision.id, head_id),
    )


@writes(Role.ANNOTATOR)
def restore(revision_id: int, head_id: int) -> None:
    """Save an older revision's text as the newest one and order its dry run."""
    from authoring.revising.rebase import restore_revision  # heavy, and needed only here

    made = restore_revision(workspace(), revision_id, by=current_user(), base_revision_id=head_id)
    if made.id == head_id:
        state.flash("info", "nothing to restore: the newest revision has the same text")
        return
    number = revisions.find(workspace(), revision_id).number
    order_dry_run(made.id)
    state.flash("success", f"restored revision {number} as revision {made.number}; its dry run is on the way")
