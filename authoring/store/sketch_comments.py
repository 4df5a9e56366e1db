"""Comments on sketches and their items."""

from dataclasses import dataclass

from authoring.store.clock import timestamp
from authoring.store.reviews import COMMENT_KINDS
from authoring.store.sketches import find_sketch
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, UsageError


@dataclass(frozen=True)
class SketchComment:
    """A remark on a version of a sketch or on one of its items."""

    id: int
    sketch_id: int
    number: int  # of the version that its author saw
    item: int | None  # number of the item; None: on the whole sketch
    kind: str  # one of COMMENT_KINDS
    text: str
    author: str
    created_at: str
    resolved_at: str | None
    resolved_by: str | None


def add_sketch_comment(
    ws: Workspace, sketch_ref: str | int, *, author: str, text: str, kind: str = "other", item: int | None = None
) -> int:
    """Keep a comment on the newest version of a sketch and return its id.

    Raises:
        UsageError: If the sketch, the item or the kind is unknown.
        ContentError: If the text is empty.
    """
    if kind not in COMMENT_KINDS:
        raise UsageError(f"there is no kind of comment {kind!r}", fix=f"use one of {', '.join(COMMENT_KINDS)}")
    if not text.strip():
        raise ContentError("the comment is empty", fix="write what should change")
    sketch = find_sketch(ws, sketch_ref)
    if item is not None and item not in {each.number for each in sketch.items}:
        what = f"sketch {sketch.name!r} has no item {item}"
        raise UsageError(what, where=f"sketch {sketch.id}", fix=f"name one of 1 to {len(sketch.items)}")
    row = {
        "sketch_id": sketch.id,
        "number": sketch.head_number,
        "item": item,
        "kind": kind,
        "text": text,
        "author": author,
        "created_at": timestamp(),
    }
    with ws.write() as db:
        return int(db.table("sketch_comment").insert(row).last_pk)


def list_sketch_comments(ws: Workspace, sketch_id: int) -> list[SketchComment]:
    """Return the comments on all versions of a sketch, oldest first."""
    with ws.read() as db:
        rows = db.query("SELECT * FROM sketch_comment WHERE sketch_id = ? ORDER BY id", [sketch_id])
        return [SketchComment(**row) for row in rows]


def resolve_sketch_comment(ws: Workspace, comment_id: int, *, by: str) -> None:
    """Mark a comment as dealt with; once resolved, it keeps who did it first.

    Raises:
        UsageError: If there is none.
    """
    with ws.write() as db:
        if db.execute("SELECT 1 FROM sketch_comment WHERE id = ?", [comment_id]).fetchone() is None:
            raise UsageError(f"no comment on a sketch has the id {comment_id}", fix="see 'benchwright sketch show'")
        sql = "UPDATE sketch_comment SET resolved_at = ?, resolved_by = ? WHERE id = ? AND resolved_at IS NULL"
        db.execute(sql, [timestamp(), by, comment_id])
