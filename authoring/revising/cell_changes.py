"""Add, move and delete cells of a problemset: each change is a revision on the head that the person saw."""

from authoring.store import problemsets, revisions
from authoring.store.revisions import Revision
from authoring.store.settings import workspace_validators
from authoring.store.workspace import Workspace
from evaluator.language.document import FIRST


def save_reshaped(
    ws: Workspace, problemset_id: int, text: str, *, what: str, by: str, base_revision_id: int | None = None
) -> Revision:
    """Save a text that was made from the head as the new head; `base_revision_id`: the head that the person saw.

    Raises:
        ConflictError: If the head is another one now.
    """
    base = base_revision_id or problemsets.find(ws, problemset_id).head_revision_id
    return revisions.save(ws, problemset_id, text, base_revision_id=base, author=by, message=what)


def add_problem(
    ws: Workspace, ref: str | int, *, after: str, query: str, code: str, by: str, base_revision_id: int | None = None
) -> Revision:
    """Save a new revision of a problemset with a new problem after a cell; raises as `Document.insert` does."""
    head = _head(ws, ref)
    text = head.document(workspace_validators(ws)).insert(after=after, query=query, code=code).text
    what = "added a problem first" if after == FIRST else f"added a problem after {after}"
    return save_reshaped(ws, head.problemset_id, text, what=what, by=by, base_revision_id=base_revision_id)


def move_cell(
    ws: Workspace, ref: str | int, cell: str, *, after: str, by: str, base_revision_id: int | None = None
) -> Revision:
    """Save a new revision of a problemset in which a cell stands elsewhere; raises as `Document.move` does."""
    head = _head(ws, ref)
    text = head.document(workspace_validators(ws)).move(cell, after=after).text
    what = f"moved {cell} to the {FIRST}" if after == FIRST else f"moved {cell} after {after}"
    return save_reshaped(ws, head.problemset_id, text, what=what, by=by, base_revision_id=base_revision_id)


def delete_cell(ws: Workspace, ref: str | int, cell: str, *, by: str, base_revision_id: int | None = None) -> Revision:
    """Save a new revision of a problemset without a cell; raises as `Document.delete` does."""
    head = _head(ws, ref)
    text = head.document(workspace_validators(ws)).delete(cell).text
    return save_reshaped(ws, head.problemset_id, text, what=f"deleted {cell}", by=by, base_revision_id=base_revision_id)


def _head(ws: Workspace, ref: str | int) -> Revision:
    return revisions.find(ws, problemsets.find(ws, ref).head_revision_id)
