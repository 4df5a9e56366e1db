"""The pool of examples: accepted problemsets that prompts may show, without those that a person took out."""

from dataclasses import dataclass

from authoring.store import revisions
from authoring.store.database.connections import timestamp
from authoring.store.database.names import find_row
from authoring.store.revisions import Revision
from authoring.store.workspace import Workspace
from evaluator.errors import UsageError


@dataclass(frozen=True)
class ExampleRow:
    """An accepted problemset, and whether it stands in the pool."""

    problemset_id: int
    name: str
    revision_id: int  # the accepted head
    number: int
    excluded: bool
    by: str = ""  # who took it out or put it back; empty: nobody touched it
    created_at: str = ""


def list_examples(ws: Workspace) -> list[ExampleRow]:
    """Return all accepted problemsets, newest revision first, the excluded ones too."""
    with ws.read() as db:
        marks = {row["problemset_id"]: row for row in db.query("SELECT * FROM example")}
    rows = []
    for revision in sorted(revisions.accepted(ws), key=lambda revision: -revision.id):
        mark = marks.get(revision.problemset_id)
        plain = (revision.problemset_id, revision.problemset_name, revision.id, revision.number)
        rows.append(
            ExampleRow(*plain, bool(mark["excluded"]), mark["by"], mark["created_at"])
            if mark
            else ExampleRow(*plain, excluded=False)
        )
    return rows


def example_pool(ws: Workspace) -> list[Revision]:
    """Return the accepted revisions that prompts may show, newest first."""
    out = {row.problemset_id for row in list_examples(ws) if row.excluded}
    pool = [revision for revision in revisions.accepted(ws) if revision.problemset_id not in out]
    return sorted(pool, key=lambda revision: -revision.id)


def mark_example(ws: Workspace, problemset_ref: str | int, *, excluded: bool, by: str) -> int:
    """Take a problemset out of the pool, or put it back, and return its id; the mark outlasts later revisions.

    Raises:
        UsageError: If there is no such problemset, or nobody is named.
    """
    if not by.strip():
        raise UsageError("the pool of examples is changed by somebody", fix="say who, with --by")
    with ws.write() as db:
        problemset_id = int(find_row(db, "problemset", problemset_ref, kind="problemset")["id"])
        row = {"problemset_id": problemset_id, "excluded": int(excluded), "by": by, "created_at": timestamp()}
        db.table("example").upsert(row, pk="problemset_id")
    return problemset_id
