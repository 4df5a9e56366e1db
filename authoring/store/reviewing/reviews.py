"""Comments on revisions, and the decisions that accept them or send them back."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from authoring.store.database.connections import ConflictError, timestamp
from authoring.store.problemsets import set_status
from authoring.store.reviewing.mentions import store_mentions
from authoring.store.revisions import refuse_moved_head
from authoring.store.settings import get_setting, set_setting
from authoring.store.statuses import CommentKind, ReviewDecision
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, UsageError

if TYPE_CHECKING:
    from sqlite_utils import Database

COMMENT_KINDS = tuple(kind.value for kind in CommentKind)
_SECOND_PERSON = "second_person_review"


@dataclass(frozen=True)
class Comment:
    """A remark on a revision, one of its problems, or one of its lines, with what people answered."""

    id: int
    problemset_id: int
    revision_id: int
    problem: str | None  # problem id; None: on the whole set
    line: int | None  # from 1, in the revision's text
    kind: CommentKind
    text: str
    author: str
    created_at: str
    resolved_at: str | None
    resolved_by: str | None
    blocking: bool = False  # while it is open, nobody accepts the problemset
    reply_to: int | None = None  # the comment that this one answers; threads have one level
    edited_at: str | None = None
    mentions: tuple[str, ...] = ()  # people it names with @
    replies: tuple["Comment", ...] = ()  # oldest first


@dataclass(frozen=True)
class Objection:
    """Why a revision cannot be accepted, whatever its dry run says."""

    what: str
    fix: str


@dataclass(frozen=True)
class Decision:
    """Who accepted a revision or sent it back, and why."""

    id: int
    problemset_id: int
    revision_id: int
    decision: ReviewDecision
    by: str
    reason: str
    created_at: str


def add_comment(
    ws: Workspace,
    *,
    revision_id: int,
    author: str,
    text: str,
    kind: str = CommentKind.OTHER,
    problem: str | None = None,
    line: int | None = None,
    blocking: bool = False,
    people: Collection[str] = (),
) -> int:
    """Keep a comment and return its id; while a `blocking` one is open, nobody accepts the problemset.

    Those of `people` that the text names with @ are kept as mentioned.

    Raises:
        UsageError: If the revision or the kind is unknown.
        ContentError: If the text is empty.
    """
    if kind not in COMMENT_KINDS:
        raise UsageError(f"there is no kind of comment {kind!r}", fix=f"use one of {', '.join(COMMENT_KINDS)}")
    _refuse_empty(text)
    with ws.write() as db:
        row = {
            "problemset_id": _problemset_of(db, revision_id),
            "revision_id": revision_id,
            "problem": problem,
            "line": line,
            "kind": kind,
            "text": text,
            "author": author,
            "created_at": timestamp(),
            "blocking": int(blocking),
        }
        return _insert(db, row, people)


def add_reply(ws: Workspace, comment_id: int, *, author: str, text: str, people: Collection[str] = ()) -> int:
    """Answer a comment and return the answer's id; an answer to an answer joins the same thread.

    Raises:
        UsageError: If there is no such comment.
        ContentError: If the text is empty, or the thread is resolved.
    """
    _refuse_empty(text)
    with ws.write() as db:
        thread = _stored(db, comment_id)
        if thread.reply_to is not None:
            thread = _stored(db, thread.reply_to)
        if thread.resolved_at is not None:
            what = f"comment {thread.id} is resolved"
            raise ContentError(what, fix="press Reopen beside it, then reply")
        row = {
            "problemset_id": thread.problemset_id,
            "revision_id": thread.revision_id,
            "problem": thread.problem,
            "line": thread.line,
            "kind": thread.kind,
            "text": text,
            "author": author,
            "created_at": timestamp(),
            "reply_to": thread.id,
        }
        return _insert(db, row, people)


def edit_comment(
    ws: Workspace, comment_id: int, *, by: str, text: str, before: str, people: Collection[str] = ()
) -> None:
    """Replace the text of one's own comment; `before` is the text that the person saw.

    Raises:
        UsageError: If there is no such comment, or somebody else wrote it.
        ContentError: If the text is empty.
        ConflictError: If the text is not `before` any more.
    """
    _refuse_empty(text)
    with ws.write() as db:
        found = _stored(db, comment_id)
        if not is_same_person(found.author, by):
            what = f"comment {comment_id} is by {found.author or 'somebody else'}"
            raise UsageError(what, fix="reply to it instead: only its author edits a comment")
        if found.text != before:
            what = f"comment {comment_id} was edited meanwhile"
            raise ConflictError(what, fix="read its text, then press Edit again")
        if text != before:
            db.execute("UPDATE comment SET text = ?, edited_at = ? WHERE id = ?", [text, timestamp(), comment_id])
            store_mentions(db, comment_id, text, people)


def list_comments(ws: Workspace, problemset_id: int) -> list[Comment]:
    """Return the comments on all revisions of a problemset, oldest first, each with its replies."""
    sql = """SELECT c.*, (SELECT json_group_array(person) FROM comment_mention m WHERE m.comment_id = c.id) AS mentions
        FROM comment c WHERE c.problemset_id = ? ORDER BY c.id"""
    with ws.read() as db:
        every = [_comment(row) for row in db.query(sql, [problemset_id])]
    replies: dict[int, list[Comment]] = {}
    for each in every:
        if each.reply_to is not None:
            replies.setdefault(each.reply_to, []).append(each)
    return [replace(each, replies=tuple(replies.get(each.id, ()))) for each in every if each.reply_to is None]


def find_comment(ws: Workspace, comment_id: int) -> Comment:
    """Return a comment.

    Raises:
        UsageError: If there is none with that id.
    """
    with ws.read() as db:
        return _stored(db, comment_id)


def resolve_comment(ws: Workspace, comment_id: int, *, by: str) -> None:
    """Mark a comment as dealt with; once resolved, a comment keeps who did it first."""
    with ws.write() as db:
        sql = "UPDATE comment SET resolved_at = ?, resolved_by = ? WHERE id = ? AND resolved_at IS NULL"
        if not db.execute(sql, [timestamp(), by, comment_id]).rowcount:
            _expect_comment(db, comment_id)


def reopen_comment(ws: Workspace, comment_id: int) -> None:
    """Mark a comment as open again."""
    with ws.write() as db:
        sql = "UPDATE comment SET resolved_at = NULL, resolved_by = NULL WHERE id = ?"
        if not db.execute(sql, [comment_id]).rowcount:
            _expect_comment(db, comment_id)


def record_decision(ws: Workspace, *, revision_id: int, decision: str, by: str, reason: str = "") -> int:
    """Accept the head revision or send it back, set the problemset's status, and return the decision's id.

    Raises:
        UsageError: If the revision is unknown, nobody is named, or there is no such decision.
        ConflictError: If the revision is not the head: nobody decides on what they did not see.
        ContentError: If it is sent back without a reason, or accepted while a blocking comment is open or, where a
            second person must, by its author.
    """
    if decision not in list(ReviewDecision):
        raise UsageError(f"there is no decision {decision!r}", fix=f"use one of {', '.join(ReviewDecision)}")
    if not by.strip():
        raise UsageError("a decision needs a name", fix="say who decides")
    if decision == ReviewDecision.SENT_BACK and not reason.strip():
        raise ContentError("sending back needs a reason", fix="say what should change")
    with ws.write() as db:
        return _decide(db, revision_id, decision, by, reason)


def record_acceptances(ws: Workspace, revision_ids: Collection[int], *, by: str) -> dict[int, ContentError]:
    """Accept those head revisions that may be, in one transaction, and return what refused the others, by id.

    Raises:
        UsageError: If a revision is unknown; then none is accepted.
    """
    refused = {}
    with ws.write() as db:
        for revision_id in revision_ids:
            try:
                _decide(db, revision_id, ReviewDecision.ACCEPTED, by, "")
            except ContentError as error:  # which comes before anything is written
                refused[revision_id] = error
    return refused


def _decide(db: "Database", revision_id: int, decision: str, by: str, reason: str) -> int:
    problemset_id = _problemset_of(db, revision_id)
    refuse_moved_head(db, problemset_id, revision_id)
    if (same := _repeated(db, revision_id, decision, by)) is not None:
        return same
    if decision == ReviewDecision.ACCEPTED:
        _refuse_acceptance(db, revision_id, by)
    row = {
        "problemset_id": problemset_id,
        "revision_id": revision_id,
        "decision": decision,
        "by": by,
        "reason": reason,
        "created_at": timestamp(),
    }
    decision_id = int(db.table("decision").insert(row).last_pk)
    set_status(db, problemset_id, decision)
    return decision_id


def list_decisions(ws: Workspace, problemset_id: int) -> list[Decision]:
    """Return the decisions on a problemset, oldest first."""
    with ws.read() as db:
        return [
            Decision(**(row | {"decision": ReviewDecision(row["decision"])}))
            for row in db.query("SELECT * FROM decision WHERE problemset_id = ? ORDER BY id", [problemset_id])
        ]


def needs_second_person(ws: Workspace) -> bool:
    """Return whether a revision can only be accepted by somebody who did not write it; a new workspace does not ask."""
    return bool(get_setting(ws, _SECOND_PERSON))


def require_second_person(ws: Workspace, wanted: bool) -> None:
    """Say whether a revision can only be accepted by somebody who did not write it."""
    set_setting(ws, _SECOND_PERSON, True if wanted else None)


def is_same_person(name: str, other: str) -> bool:
    """Return whether two names mean one person, however they are spaced and capitalized."""
    return " ".join(name.split()).casefold() == " ".join(other.split()).casefold()


def find_objection(ws: Workspace, revision_id: int, by: str) -> Objection | None:
    """Return what keeps a person from accepting a revision: a blocking comment, or that they wrote it themselves."""
    with ws.read() as db:
        return _objection(db, revision_id, by)


def refuse_acceptance(ws: Workspace, revision_id: int, by: str) -> None:
    """Refuse early what accepting the revision would refuse anyway, before any work is done for it.

    Raises:
        ContentError: If a blocking comment is open, or the author accepts where a second person must.
    """
    with ws.read() as db:
        _refuse_acceptance(db, revision_id, by)


def _refuse_acceptance(db: "Database", revision_id: int, by: str) -> None:
    if (found := _objection(db, revision_id, by)) is not None:
        raise ContentError(found.what, where=_label(db, revision_id), fix=found.fix)


def _label(db: "Database", revision_id: int) -> str:
    sql = "SELECT p.name, r.number FROM revision r JOIN problemset p ON p.id = r.problemset_id WHERE r.id = ?"
    name, number = db.execute(sql, [revision_id]).fetchone()
    return f"{name}@{number}"


def _objection(db: "Database", revision_id: int, by: str) -> Objection | None:
    sql = """SELECT r.author, (SELECT value FROM setting WHERE key = ?), c.id, c.author, c.problem FROM revision r
        LEFT JOIN comment c ON c.problemset_id = r.problemset_id AND c.resolved_at IS NULL AND c.blocking
        WHERE r.id = ? LIMIT 1"""
    found = db.execute(sql, [_SECOND_PERSON, revision_id]).fetchone()
    if found is None:
        raise _unknown_revision(revision_id)
    author, setting, comment_id, commenter, problem = found
    if comment_id is not None:
        what = f"comment {comment_id} by {commenter} on {problem or 'the whole set'} blocks accepting"
        return Objection(what, "repair what it says, then resolve it")
    if setting == "true" and is_same_person(author, by):
        what = f"{by} wrote this revision, and a second person must accept it"
        return Objection(what, "ask somebody else to review it")
    return None


def _comment(row: Mapping[str, Any]) -> Comment:
    values: dict[str, Any] = {
        **row,
        "kind": CommentKind.stored(row["kind"]),
        "blocking": bool(row["blocking"]),
        "mentions": tuple(json.loads(row.get("mentions") or "[]")),
    }
    return Comment(**values)


def _stored(db: "Database", comment_id: int) -> Comment:
    _expect_comment(db, comment_id)
    (row,) = db.query("SELECT * FROM comment WHERE id = ?", [comment_id])
    return _comment(row)


def _insert(db: "Database", row: Mapping[str, Any], people: Collection[str]) -> int:
    comment_id = int(db.table("comment").insert(dict(row)).last_pk)
    store_mentions(db, comment_id, str(row["text"]), people)
    return comment_id


def _refuse_empty(text: str) -> None:
    if not text.strip():
        raise ContentError("the comment is empty", fix="write what you want to say")


def _problemset_of(db: "Database", revision_id: int) -> int:
    found = db.execute("SELECT problemset_id FROM revision WHERE id = ?", [revision_id]).fetchone()
    if found is None:
        raise _unknown_revision(revision_id)
    return int(found[0])


def _unknown_revision(revision_id: int) -> UsageError:
    return UsageError(f"no revision has the id {revision_id}", fix="name a revision that the problemset has")


def _expect_comment(db: "Database", comment_id: int) -> None:
    if db.execute("SELECT 1 FROM comment WHERE id = ?", [comment_id]).fetchone() is None:
        raise UsageError(f"no comment has the id {comment_id}", fix="see the list of comments for those there are")


def _repeated(db: "Database", revision_id: int, decision: str, by: str) -> int | None:
    """Return the last decision on the revision when it is the very same: a double click decides once."""
    sql = "SELECT id, decision, by FROM decision WHERE revision_id = ? ORDER BY id DESC LIMIT 1"
    last = db.execute(sql, [revision_id]).fetchone()
    return int(last[0]) if last is not None and (last[1], last[2]) == (decision, by) else None
