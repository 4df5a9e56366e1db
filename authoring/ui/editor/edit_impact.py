"""What a saved edit reaches: later problems that use what was changed, and approvals that no longer hold."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from authoring.store.reviewing.reviews import Decision
from authoring.store.revisions import Revision
from authoring.store.statuses import ReviewDecision
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.wording import label
from authoring.ui.workplace import workspace

if TYPE_CHECKING:
    from authoring.revising.approvals import Approvals


def tell_reach(revision: Revision) -> None:
    """Say on the next screen which later problems a saved revision reaches, and which approvals it withdraws."""
    from authoring.revising.affected.dependence import Change  # heavy, and needed only here
    from authoring.revising.affected.rerunning import affected_by_edit  # heavy, and needed only here
    from authoring.revising.approvals import approvals_of  # heavy, and needed only here

    _, _, found = affected_by_edit(workspace(), revision.id)
    later = [each.cell.number for each in found if Change.STATE in each.changes]
    if later:
        verb = "uses" if len(later) == 1 else "use"
        state.flash("info", f"{numbered(later)} {verb} what you changed: the dry run shows what becomes of them")
    withdrawn = withdrawn_words(approvals_of(workspace(), revision.id))
    if withdrawn:
        state.flash("warning", withdrawn)


def withdrawn_words(approvals: "Approvals") -> str:
    """Return which approvals no longer hold, in one sentence; empty: none was given, or all hold."""
    from authoring.revising.approvals import ApprovalStanding

    gone = approvals.numbers(ApprovalStanding.WITHDRAWN)
    if approvals.decision is None or approvals.accepted is None or not gone:
        return ""
    by, number = approvals.decision.by, approvals.accepted.number
    return f"the approval that {by} gave revision {number} no longer holds for {numbered(gone)}"


def draw_approvals(ws: Workspace, revision: Revision, decisions: Sequence[Decision]) -> None:
    """Draw what has become of the last approval; nothing where none was given."""
    if not decisions or decisions[-1].decision != ReviewDecision.ACCEPTED:
        return
    from authoring.revising.approvals import ApprovalStanding, approvals_of

    approvals = approvals_of(ws, revision.id)
    words = withdrawn_words(approvals)
    if words:
        st.warning(f"{label(words[0].upper() + words[1:], limit=600)}.", icon=":material/gpp_maybe:")
    waiting = approvals.numbers(ApprovalStanding.UNKNOWN)
    if waiting:
        st.caption(f"Whether it holds for {numbered(waiting)} shows with the next dry run: nothing in them changed.")


def numbered(numbers: Sequence[int]) -> str:
    """Return `problem 4`, `problems 4 and 6`."""
    listed = [str(number) for number in numbers]
    if len(listed) == 1:
        return f"problem {listed[0]}"
    return f"problems {', '.join(listed[:-1])} and {listed[-1]}"
