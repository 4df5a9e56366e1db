"""Problemsets: their place in the work (status, head revision, input files), not their text."""

# ruff: noqa: S608  # SQL is put together from fragments of this file only; values are always bound

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from authoring.store import revisions
from authoring.store.database.connections import ConflictError, timestamp
from authoring.store.database.names import check_name, find_row, id_or_name, refuse_taken
from authoring.store.problem_index import index_problems, match_expression
from authoring.store.revisions import NewRevision, Revision, refuse_moved_head
from authoring.store.statuses import Origin, ProblemsetStatus
from authoring.store.workspace import Workspace
from evaluator.errors import UsageError

if TYPE_CHECKING:
    from sqlite_utils import Database

STATUSES = tuple(status.value for status in ProblemsetStatus)
COLUMNS = """p.*, (SELECT count(*) FROM comment c WHERE c.problemset_id = p.id AND c.resolved_at IS NULL
    AND c.reply_to IS NULL) AS open_comments,
    (SELECT holder FROM claim c WHERE c.problemset_id = p.id AND c.expires_at > :now) AS holder,
    (SELECT expires_at FROM claim c WHERE c.problemset_id = p.id AND c.expires_at > :now) AS held_until,
    (SELECT json_object('by', d.by, 'reason', d.reason, 'at', d.created_at) FROM decision d
    WHERE d.id = (SELECT max(id) FROM decision l WHERE l.problemset_id = p.id) AND d.decision = 'sent_back'
    AND d.id > p.answered_decision) AS sent_back,
    (SELECT json_group_array(tag) FROM problemset_tag t WHERE t.problemset_id = p.id) AS tags"""


@dataclass(frozen=True)
class SentBack:
    """By whom, why and when (UTC) a problemset was sent back."""

    by: str
    reason: str
    at: str


@dataclass(frozen=True)
class ProblemsetRow:
    """One problemset as lists show it."""

    id: int
    name: str
    seed_id: int | None
    sketch_id: int | None
    status: ProblemsetStatus
    head_revision_id: int
    head_number: int
    created_at: str
    problem_count: int  # 0 also when the head does not parse
    updated_at: str = ""
    open_comments: int = 0
    holder: str | None = None  # who has claimed it, while the lease lasts
    held_until: str | None = None
    tags: tuple[str, ...] = ()  # by the alphabet
    sent_back: SentBack | None = None  # the last decision, until it is submitted again
    answered_decision: int = 0  # id of the last decision before it was last submitted


def create(
    ws: Workspace,
    *,
    name: str,
    text: str,
    author: str,
    origin: Origin,
    seed_id: int | None = None,
    sketch_id: int | None = None,
    message: str = "",
    provenance: Mapping[str, Any] | None = None,
    inputs: Mapping[str, str] | None = None,
    guide_number: int | None = None,
) -> Revision:
    """Make a problemset with its first revision.

    Args:
        ws: The workspace.
        name: Its name, not only digits.
        text: The DSEAL text; it may be broken, an annotator can repair it.
        author: Who wrote the text.
        origin: `model`, `template`, `person` or `import`.
        seed_id: The seed it is made from.
        sketch_id: The sketch it is made from.
        message: What the first revision is.
        provenance: How the text was made, plain JSON.
        inputs: File name in the session's `inputs/` -> sha256 of its bytes in the store.
        guide_number: The guide revision it was written with.

    Raises:
        UsageError: If the name is taken or cannot be a name, or an input is not in the store.
    """
    check_name(name, kind="problemset")
    for file_name, digest in (inputs or {}).items():
        if not ws.blob_path(digest).is_file():
            raise UsageError(f"input {file_name!r} is not in the store", where=digest, fix="add the file first")
    new = NewRevision(
        text=text,
        author=author,
        origin=origin,
        message=message,
        provenance=json.dumps(dict(provenance or {})),
        guide_number=guide_number,
    )
    problems, now = index_problems(name, text), timestamp()
    with ws.write() as db:
        refuse_taken(db, "problemset", name, kind="problemset")
        row = {
            "name": name,
            "seed_id": seed_id,
            "sketch_id": sketch_id,
            "status": ProblemsetStatus.DRAFT,
            "created_at": now,
            "updated_at": now,
        }
        problemset_id = int(db.table("problemset").insert(row).last_pk)
        for file_name, digest in sorted((inputs or {}).items()):
            db.execute("INSERT INTO problemset_input VALUES (?, ?, ?)", [problemset_id, file_name, digest])
        return revisions.add(db, problemset_id, new, parent=None, problems=problems)


def refuse_name(ws: Workspace, name: str) -> None:
    """Refuse what a new problemset cannot be called.

    Raises:
        UsageError: If the name is taken or cannot be a name.
    """
    check_name(name, kind="problemset")
    with ws.read() as db:
        refuse_taken(db, "problemset", name, kind="problemset")


def names(ws: Workspace, ids: Sequence[int]) -> dict[int, str]:
    """Return the names of problemsets by id; ids of none are left out."""
    marks = ", ".join("?" for _ in ids)
    with ws.read() as db:
        rows = db.query(f"SELECT id, name FROM problemset WHERE id IN ({marks})", list(ids))
        return {row["id"]: row["name"] for row in rows}


def find(ws: Workspace, ref: str | int) -> ProblemsetRow:
    """Return the problemset with that id or name.

    Raises:
        UsageError: If there is none.
    """
    column, value = id_or_name(ref)
    sql = f"SELECT {COLUMNS} FROM problemset p WHERE p.{column} = :ref"
    with ws.read() as db:
        for row in db.query(sql, {"ref": value, "now": timestamp()}):
            return problemset_row(row)
        return problemset_row(find_row(db, "problemset", ref, kind="problemset"))  # raises: it is as unknown there


def select(
    ws: Workspace, *, status: str | None = None, search: str | None = None, limit: int = 50, offset: int = 0
) -> list[ProblemsetRow]:
    """Return one page of problemsets, last changed first.

    Args:
        ws: The workspace.
        status: Only those with this status.
        search: Only those with these words in their name, in one query, or in one comment.
        limit: Rows of the page.
        offset: Rows before the page.
    """
    where, values = filters(status, search)
    sql = (
        f"SELECT {COLUMNS} FROM problemset p {where} ORDER BY p.updated_at DESC, p.id DESC LIMIT :limit OFFSET :offset"
    )
    with ws.read() as db:
        return [
            problemset_row(row)
            for row in db.query(sql, {**values, "now": timestamp(), "limit": limit, "offset": offset})
        ]


def count(ws: Workspace, *, status: str | None = None, search: str | None = None) -> int:
    """Return how many problemsets `select` would go through with the same filters."""
    where, values = filters(status, search)
    with ws.read() as db:
        return int(db.execute(f"SELECT count(*) FROM problemset p {where}", values).fetchone()[0])


def count_by_status(ws: Workspace) -> dict[str, int]:
    """Return the number of problemsets by status, all statuses named."""
    with ws.read() as db:
        found = dict(db.execute("SELECT status, count(*) FROM problemset GROUP BY status").fetchall())
    return {status: int(found.get(status, 0)) for status in STATUSES}


def problemset_inputs(ws: Workspace, problemset_id: int) -> dict[str, str]:
    """Return the input files of a problemset: name -> sha256."""
    with ws.read() as db:
        sql = "SELECT name, digest FROM problemset_input WHERE problemset_id = ? ORDER BY name"
        return dict(db.execute(sql, [problemset_id]).fetchall())


def submit(ws: Workspace, problemset_id: int, *, base_revision_id: int) -> None:
    """Hand a draft or sent-back problemset to the reviewers.

    Raises:
        ConflictError: If `base_revision_id` is no longer its head, or it is accepted.
    """
    with ws.write() as db:
        refuse_moved_head(db, problemset_id, base_revision_id)
        sql = "SELECT name FROM problemset WHERE id = ? AND status = ?"
        if (row := db.execute(sql, [problemset_id, ProblemsetStatus.ACCEPTED]).fetchone()) is not None:
            what = f"problemset {row[0]!r} is accepted as it is: there is nothing to submit"
            raise ConflictError(what, where=f"problemset {row[0]!r}", fix="reload the page")
        set_status(db, problemset_id, ProblemsetStatus.SUBMITTED)
        last = "(SELECT ifnull(max(id), 0) FROM decision WHERE problemset_id = :id)"
        db.execute(f"UPDATE problemset SET answered_decision = {last} WHERE id = :id", {"id": problemset_id})


def set_status(db: "Database", problemset_id: int, status: str) -> None:
    """Change a problemset's status, inside the caller's transaction."""
    sql = "UPDATE problemset SET status = ?, updated_at = ? WHERE id = ?"
    db.execute(sql, [status, timestamp(), problemset_id])


def filters(status: str | None, search: str | None) -> tuple[str, dict[str, Any]]:
    """Return the condition on `problemset p` for a status and words, and the values in it."""
    terms, values = [], dict[str, Any]()
    if status is not None:
        if status not in STATUSES:
            raise UsageError(f"there is no status {status!r}", fix=f"use one of {', '.join(STATUSES)}")
        terms.append("p.status = :status")
        values["status"] = status
    if search and search.strip():
        matches = ["instr(lower(p.name), lower(:search)) > 0"]
        values["search"] = search.strip()
        if words := match_expression(search):
            values["words"] = words
            matches.append(
                "p.id IN (SELECT i.problemset_id FROM problem_index_fts f JOIN problem_index i ON i.id = f.rowid"
                " WHERE problem_index_fts MATCH :words)"
            )
            matches.append(
                "p.id IN (SELECT c.problemset_id FROM comment_fts f JOIN comment c ON c.id = f.rowid"
                " WHERE comment_fts MATCH :words)"
            )
        terms.append(f"({' OR '.join(matches)})")
    return (f"WHERE {' AND '.join(terms)}" if terms else ""), values


def problemset_row(row: dict[str, Any]) -> ProblemsetRow:
    """Return a row of `COLUMNS` as a problemset."""
    tags = tuple(sorted(json.loads(row.get("tags") or "[]"), key=str.casefold))
    sent_back = SentBack(**json.loads(row["sent_back"])) if row.get("sent_back") else None
    return ProblemsetRow(**(row | {"status": ProblemsetStatus(row["status"]), "tags": tags, "sent_back": sent_back}))
