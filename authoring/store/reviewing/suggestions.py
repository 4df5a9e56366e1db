"""Suggestions: changed problems that wait for a person, who accepts, changes or refuses each of them."""

# SQL is put together from fragments of this file only; values are always bound

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from authoring.store import revisions
from authoring.store.database.connections import ConflictError, timestamp
from authoring.store.problem_index import index_problems
from authoring.store.revisions import NewRevision, Revision, refuse_moved_head
from authoring.store.statuses import SuggestionStatus
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, UsageError

if TYPE_CHECKING:
    from sqlite_utils import Database

_SELECT = """SELECT s.*, p.name AS problemset_name FROM suggestion s JOIN problemset p ON p.id = s.problemset_id"""


@dataclass(frozen=True)
class NewSuggestion:
    """One changed problem before it has an id."""

    problem: str  # problem id
    old_text: str  # the cell as it stands in the revision
    new_text: str  # the cell as it would stand
    reason: str = ""


@dataclass(frozen=True)
class Suggestion:
    """One changed problem and what became of it."""

    id: int
    problemset_id: int
    problemset_name: str
    revision_id: int  # the revision that its author saw
    problem: str
    old_text: str
    new_text: str
    reason: str
    author: str
    provenance: dict[str, Any]
    status: SuggestionStatus
    created_at: str
    decided_by: str | None
    decided_at: str | None
    decision_reason: str
    result_revision_id: int | None  # what accepting it made


def insert_suggestions(
    ws: Workspace,
    revision_id: int,
    changes: Sequence[NewSuggestion],
    *,
    author: str,
    provenance: Mapping[str, Any],
) -> list[int]:
    """Keep changed problems of a revision as open suggestions and return their ids.

    Raises:
        UsageError: If the revision is unknown.
    """
    revision, now = revisions.find(ws, revision_id), timestamp()
    shared = {
        "problemset_id": revision.problemset_id,
        "revision_id": revision.id,
        "author": author,
        "provenance": json.dumps(dict(provenance)),
        "status": SuggestionStatus.OPEN,
        "created_at": now,
    }
    with ws.write() as db:
        return [
            int(
                db.table("suggestion")
                .insert(
                    {
                        **shared,
                        "problem": change.problem,
                        "old_text": change.old_text,
                        "new_text": change.new_text,
                        "reason": change.reason,
                    }
                )
                .last_pk
            )
            for change in changes
        ]


def find_suggestion(ws: Workspace, suggestion_id: int) -> Suggestion:
    """Return the suggestion with that id.

    Raises:
        UsageError: If there is none.
    """
    with ws.read() as db:
        return _find(db, suggestion_id)


def list_suggestions(ws: Workspace, problemset_id: int | None = None, *, status: str | None = None) -> list[Suggestion]:
    """Return the suggestions, of one problemset and with one status where these are given, oldest first."""
    if status is not None and status not in list(SuggestionStatus):
        raise UsageError(f"there is no status {status!r}", fix=f"use one of {', '.join(SuggestionStatus)}")
    sql = f"""{_SELECT} WHERE (:problemset IS NULL OR s.problemset_id = :problemset)
        AND (:status IS NULL OR s.status = :status) ORDER BY s.id"""
    with ws.read() as db:
        return [_suggestion(row) for row in db.query(sql, {"problemset": problemset_id, "status": status})]


def refuse_suggestion(ws: Workspace, suggestion_id: int, *, by: str, reason: str) -> None:
    """Refuse a suggestion; the reason stays with it.

    Raises:
        UsageError: If there is none, or nobody is named.
        ContentError: If no reason is given.
        ConflictError: If it was decided before.
    """
    _expect_name(by)
    if not reason.strip():
        raise ContentError("refusing a suggestion needs a reason", fix="say what is wrong with it")
    with ws.write() as db:
        _expect_open(db, suggestion_id)
        _decide(db, suggestion_id, SuggestionStatus.REFUSED, by, reason, None)


def apply_suggestion(
    ws: Workspace, suggestion_id: int, new: NewRevision, *, base_revision_id: int, status: str, reason: str = ""
) -> Revision:
    """Make a text in which the suggestion's cell is changed the new head, and record the decision with it.

    Args:
        ws: The workspace.
        suggestion_id: The open suggestion.
        new: The revision to add; its author is who decides.
        base_revision_id: The head that its text was made from.
        status: `accepted` or `changed`.
        reason: Why, if there is more to say.

    Raises:
        UsageError: If there is no such suggestion, or nobody is named.
        ConflictError: If it was decided before, or the head has moved on; nothing is written.
    """
    _expect_name(new.author)
    base = revisions.find(ws, base_revision_id)
    problems = index_problems(base.problemset_name, new.text)
    with ws.write() as db:
        found = _expect_open(db, suggestion_id)
        refuse_moved_head(db, found.problemset_id, base.id)
        made = revisions.add(db, found.problemset_id, new, parent=base, problems=problems)
        _decide(db, suggestion_id, status, new.author, reason, made.id)
        return made


def _expect_name(by: str) -> None:
    if not by.strip():
        raise UsageError("a decision needs a name", fix="say who decides")


def _expect_open(db: "Database", suggestion_id: int) -> Suggestion:
    found = _find(db, suggestion_id)
    if found.status != SuggestionStatus.OPEN:
        raise ConflictError(
            f"suggestion {suggestion_id} was decided before: {found.status} by {found.decided_by!r}",
            where=f"suggestion {suggestion_id}",
            fix="reload the list; a new change is a new revision",
            head=found,
        )
    return found


def _decide(
    db: "Database", suggestion_id: int, status: str, by: str, reason: str, result_revision_id: int | None
) -> None:
    db.execute(
        "UPDATE suggestion SET status = ?, decided_by = ?, decided_at = ?, decision_reason = ?,"
        " result_revision_id = ? WHERE id = ?",
        [status, by, timestamp(), reason, result_revision_id, suggestion_id],
    )


def _find(db: "Database", suggestion_id: int) -> Suggestion:
    rows = list(db.query(f"{_SELECT} WHERE s.id = ?", [suggestion_id]))
    if not rows:
        raise UsageError(f"no suggestion has the id {suggestion_id}", fix="see 'benchwright suggestion list'")
    return _suggestion(rows[0])


def _suggestion(row: dict[str, Any]) -> Suggestion:
    return Suggestion(
        **(row | {"status": SuggestionStatus(row["status"]), "provenance": json.loads(row["provenance"])})
    )
