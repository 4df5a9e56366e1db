"""Revisions: numbered, saved texts of a problemset. They are never changed; a save adds the next one."""
# SQL is put together from fragments of this file only; values are always bound

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from authoring.store.autosaves import Autosave, drop_merged
from authoring.store.database.connections import ConflictError, timestamp
from authoring.store.database.names import find_row
from authoring.store.problem_index import IndexedProblem, index_problems, write_index
from authoring.store.statuses import Origin, ProblemsetStatus
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, UsageError
from evaluator.language import OwnValidators
from evaluator.language.document import Document

if TYPE_CHECKING:
    from sqlite_utils import Database


_SELECT = "SELECT r.*, p.name AS problemset_name FROM revision r JOIN problemset p ON p.id = r.problemset_id"
_NUMBERED = re.compile(r"(?P<name>.+)@(?P<number>[0-9]{1,9})")


@dataclass(frozen=True)
class Revision:
    """A saved text of a problemset."""

    id: int
    problemset_id: int
    problemset_name: str
    number: int  # from 1 within the problemset
    parent_id: int | None  # the revision that the author saw when changing it
    text: str
    digest: str  # sha256 of the text in UTF-8
    author: str
    origin: Origin
    message: str
    provenance: dict[str, Any]
    minutes: float  # active minutes spent on it
    created_at: str
    guide_number: int | None = None  # of the guide that its author, a model or a template, was given

    def document(self, own_validators: OwnValidators | None = None) -> Document:
        """Return its text as cells; `own_validators`: those of the workspace."""
        return Document.parse(self.text, name=self.problemset_name, own_validators=own_validators)


@dataclass(frozen=True)
class NewRevision:
    """A revision before it has an id and a number."""

    text: str
    author: str
    origin: Origin
    message: str = ""
    provenance: str = "{}"  # JSON
    minutes: float = 0.0
    guide_number: int | None = None


def save(
    ws: Workspace,
    problemset_id: int,
    text: str,
    *,
    base_revision_id: int,
    author: str,
    origin: Origin = Origin.PERSON,
    message: str = "",
    minutes: float = 0.0,
    provenance: Mapping[str, Any] | None = None,
    merged: Sequence[Autosave] = (),
    guide_number: int | None = None,
) -> Revision:
    """Add `text` as the new head of a problemset.

    The status becomes `draft` again: decisions hold for the revision they name. A text that is already the head's
    is not saved twice; the head is returned.

    Args:
        ws: The workspace.
        problemset_id: The problemset.
        text: The whole DSEAL text; it may be broken.
        base_revision_id: The head that the author saw.
        author: Who changed it.
        origin: `model`, `template`, `person` or `import`.
        message: What was changed.
        minutes: Active minutes spent.
        provenance: How the text was made, plain JSON.
        merged: Autosaves that `text` contains; they are dropped with the save unless they were changed meanwhile.
        guide_number: The guide revision that `text` was written with, when a model wrote it.

    Raises:
        ConflictError: If the head is no longer `base_revision_id`; its `head` is the head now. Nothing is saved.
    """
    with ws.read() as db:
        name = find_row(db, "problemset", problemset_id, kind="problemset")["name"]
    problems = index_problems(name, text)
    new = NewRevision(text, author, origin, message, json.dumps(dict(provenance or {})), minutes, guide_number)
    digest = text_digest(text)
    with ws.write() as db:
        head = _head(db, problemset_id)
        if head.digest != digest:
            refuse_moved_head(db, problemset_id, base_revision_id)
            head = add(db, problemset_id, new, parent=head, problems=problems)
        drop_merged(db, merged)
        return head


def find(ws: Workspace, ref: str | int) -> Revision:
    """Return the revision with that id, `NAME@3` (number 3 of a problemset) or `NAME` (its head).

    Raises:
        UsageError: If there is none.
    """
    text = str(ref).strip()
    with ws.read() as db:
        if text.isascii() and text.isdigit():
            return _only(db, "r.id = ?", [int(text) if len(text) <= 18 else -1], f"no revision has the id {text}")
        numbered = _NUMBERED.fullmatch(text)
        if numbered is None:
            row = find_row(db, "problemset", text, kind="problemset")
            return _only(db, "r.id = ?", [row["head_revision_id"]], f"problemset {text!r} has no revision")
        row = find_row(db, "problemset", numbered["name"], kind="problemset")
        what = f"problemset {row['name']!r} has no revision {numbered['number']}; its newest is {row['head_number']}"
        return _only(db, "r.problemset_id = ? AND r.number = ?", [row["id"], int(numbered["number"])], what)


def select(ws: Workspace, problemset_id: int) -> list[Revision]:
    """Return all revisions of a problemset, oldest first."""
    with ws.read() as db:
        return [
            _revision(row)
            for row in db.query(f"{_SELECT} WHERE r.problemset_id = ? ORDER BY r.number", [problemset_id])
        ]


def accepted(ws: Workspace) -> list[Revision]:
    """Return the head revisions of all accepted problemsets, by name of the problemset."""
    with ws.read() as db:
        sql = f"{_SELECT} AND p.head_revision_id = r.id WHERE p.status = 'accepted' ORDER BY p.name"
        return [_revision(row) for row in db.query(sql)]


def text_digest(text: str) -> str:
    """Return the sha256 of `text` in UTF-8.

    Raises:
        ContentError: If the text holds characters that UTF-8 cannot express.
    """
    try:
        return hashlib.sha256(text.encode("utf-8")).hexdigest()
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise ContentError(
            f"the text holds a broken character, {text[error.start]!r}", where=f"line {line}", fix="delete or retype it"
        ) from error


def add(
    db: "Database",
    problemset_id: int,
    new: NewRevision,
    *,
    parent: Revision | None,
    problems: tuple[IndexedProblem, ...],
) -> Revision:
    """Insert a revision, make it the head and write its index rows, inside the caller's transaction."""
    now, number = timestamp(), 1 if parent is None else parent.number + 1
    row = {
        "problemset_id": problemset_id,
        "number": number,
        "parent_id": None if parent is None else parent.id,
        "text": new.text,
        "digest": text_digest(new.text),
        "author": new.author,
        "origin": new.origin,
        "message": new.message,
        "provenance": new.provenance,
        "minutes": new.minutes,
        "created_at": now,
        "guide_number": new.guide_number,
    }
    revision_id = int(db.table("revision").insert(row).last_pk)
    db.execute(
        "UPDATE problemset SET head_revision_id = ?, head_number = ?, problem_count = ?, status = 'draft',"
        " updated_at = ? WHERE id = ?",
        [revision_id, number, len(problems), now, problemset_id],
    )
    write_index(db, problemset_id, revision_id, problems)
    return _only(db, "r.id = ?", [revision_id], "the new revision is missing")


def refuse_moved_head(db: "Database", problemset_id: int, base_revision_id: int) -> None:
    """Refuse a change that rests on a revision which is not the head.

    Raises:
        ConflictError: With the head in `head`.
    """
    head = _head(db, problemset_id)
    if head.id != base_revision_id:
        raise ConflictError(
            f"problemset {head.problemset_name!r} was changed by {head.author!r}: revision {head.number} is newer than"
            " the one you see",
            where=f"problemset {head.problemset_name!r}",
            fix="compare both, then take theirs or save yours on top of it",
            head=head,
        )


def _head(db: "Database", problemset_id: int) -> Revision:
    return _only(
        db,
        "r.id = (SELECT head_revision_id FROM problemset WHERE id = ?)",
        [problemset_id],
        f"no problemset has the id {problemset_id}",
    )


def _only(db: "Database", condition: str, values: Sequence[Any], missing: str) -> Revision:
    rows = list(db.query(f"{_SELECT} WHERE {condition}", values))
    if not rows:
        raise UsageError(missing, fix="name a problemset, NAME@NUMBER, or the id of a revision")
    return _revision(rows[0])


def _revision(row: dict[str, Any]) -> Revision:
    return Revision(**(row | {"origin": Origin(row["origin"]), "provenance": json.loads(row["provenance"])}))


@dataclass(frozen=True)
class DraftRow:
    """A problemset as it was first drafted, and how it stands now."""

    problemset_id: int
    name: str
    status: ProblemsetStatus
    sketch_id: int | None
    head_revision_id: int
    problem_count: int  # now
    origin: Origin  # of its first revision
    created_at: str
    provenance: dict[str, Any]  # of its first revision


def count_drafts(ws: Workspace, *, seed_id: int, sketch_id: int | None = None) -> int:
    """Return how many problemsets `list_drafts` would go through."""
    sql = "SELECT count(*) FROM problemset WHERE seed_id = ? AND (? IS NULL OR sketch_id = ?)"
    with ws.read() as db:
        return int(db.execute(sql, [seed_id, sketch_id, sketch_id]).fetchone()[0])


def list_drafts(
    ws: Workspace, *, seed_id: int, sketch_id: int | None = None, limit: int = 50, offset: int = 0
) -> list[DraftRow]:
    """Return one page of the problemsets on a seed, or of those drafted from one of its sketches, newest first."""
    sql = """SELECT p.id AS problemset_id, p.name, p.status, p.sketch_id, p.head_revision_id, p.problem_count, r.origin,
        p.created_at, r.provenance FROM problemset p JOIN revision r ON r.problemset_id = p.id AND r.number = 1
        WHERE p.seed_id = :seed AND (:sketch IS NULL OR p.sketch_id = :sketch)
        ORDER BY p.id DESC LIMIT :limit OFFSET :offset"""
    values = {"seed": seed_id, "sketch": sketch_id, "limit": limit, "offset": offset}
    with ws.read() as db:
        return [DraftRow(**{**row, "provenance": json.loads(row["provenance"])}) for row in db.query(sql, values)]
