"""Bring an older revision back: as a new one on top, so that nothing that came after it is lost."""

from authoring.store import Revision, Workspace, find_problemset, find_revision, save_revision


def restore_revision(ws: Workspace, ref: str | int, *, by: str, base_revision_id: int | None = None) -> Revision:
    """Save the text of an older revision as the new head of its problemset, and return that.

    Args:
        ws: The workspace.
        ref: The revision: its id, or NAME@3.
        by: Who restores it.
        base_revision_id: The head that the person saw; None: whatever is the head now.

    Raises:
        UsageError: If there is no such revision.
        ConflictError: If the head is no longer the one that the person saw.
    """
    older = find_revision(ws, ref)
    head_id = base_revision_id or find_problemset(ws, older.problemset_id).head_revision_id
    return save_revision(
        ws,
        older.problemset_id,
        older.text,
        base_revision_id=head_id,
        author=by,
        message=f"restored revision {older.number}",
        provenance={"restored": older.id},
    )
