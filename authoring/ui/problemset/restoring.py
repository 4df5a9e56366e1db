"""The button that brings an older revision back as a new one."""

import streamlit as st

from authoring.store import Revision, Role, find_revision
from authoring.ui import state
from authoring.ui.actions import order_dry_run
from authoring.ui.auth import current_user
from authoring.ui.boundary import writes
from authoring.ui.workplace import workspace


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
    from authoring.revising import restore_revision  # heavy, and needed only here

    made = restore_revision(workspace(), revision_id, by=current_user(), base_revision_id=head_id)
    if made.id == head_id:
        state.flash("info", "nothing to restore: the newest revision has the same text")
        return
    number = find_revision(workspace(), revision_id).number
    order_dry_run(made.id)
    state.flash("success", f"restored revision {number} as revision {made.number}; its dry run is on the way")
