"""Autosaves: text as it stands in somebody's editor, kept per person, problem and field until it is saved."""
# ruff: noqa: S608  # SQL is put together from fragments of this file only; values are always bound

import json
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from authoring.store.database.connections import ConflictError, timestamp
from authoring.store.reviewing.leases import extend_lease
from authoring.store.workspace import Workspace

if TYPE_CHECKING:
    from sqlite_utils import Database

ANSWER = "try:"  # before the id of a problem, which holds no colon: an answer that a person tries on it
_STRAY: Final = "stray:"
_KEY = "person = ? AND problemset_id = ? AND problem = ? AND field = ?"


@dataclass(frozen=True)
class Autosave:
    """Unsaved text of one field of one problem."""

    person: str
    problemset_id: int
    problem: str  # a problem id, or any name the editor gives to a part of the set
    field: str  # query | code | settings | ...
    text: str
    base_revision_id: int  # the head when the editing began
    saved_no: int  # rises with every autosave of the workspace, never repeats
    writer: str  # the editor (its mount) that wrote it
    saved_at: str

    @property
    def is_stray(self) -> bool:
        """Whether it was put aside: its problem is gone, or another text stands where it belongs."""
        return self.problem.removeprefix(ANSWER).startswith(_STRAY)

    @property
    def stray_name(self) -> str:
        """What it is kept under when it is put aside."""
        return stray_name(self.base_revision_id, self.problem)


def stray_name(base_revision_id: int, problem: str) -> str:
    """Return what a text is kept under that was begun on a revision and put aside; no problem's id holds a colon."""
    start = ANSWER if problem.startswith(ANSWER) else ""
    return f"{start}{_STRAY}{base_revision_id}:{problem.removeprefix(ANSWER)}"


def save(
    ws: Workspace,
    *,
    person: str,
    problemset_id: int,
    problem: str,
    field: str,
    text: str,
    base_revision_id: int,
    writer: str,
    expected_saved_no: int | None,
) -> int:
    """Keep unsaved text, extend the person's claim, and return the text's number.

    Args:
        ws: The workspace.
        person: Whose text it is.
        problemset_id: The problemset.
        problem: The problem within it.
        field: The field of the problem.
        text: The whole text of the field.
        base_revision_id: The head when the editing began.
        writer: The editor that sends it; an editor never conflicts with itself.
        expected_saved_no: The number of the last autosave that the editor knows of; None when it knows of none.

    Raises:
        ConflictError: If another tab of the same person has saved since; its `head` is that autosave.
    """
    with ws.write() as db:
        key = [person, problemset_id, problem, field]
        there = _find(db, key)
        if there is not None and there.writer != writer and there.saved_no != expected_saved_no:
            raise ConflictError(
                f"another tab of {person!r} has changed the {field} of {problem!r}",
                where=f"saved at {there.saved_at}",
                fix="compare both texts and keep one",
                head=there,
            )
        saved_no = next_number(db, "autosave")
        db.execute(
            "INSERT OR REPLACE INTO autosave VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [*key, text, base_revision_id, saved_no, writer, timestamp()],
        )
        extend_lease(db, problemset_id, person)
    return saved_no


def select(ws: Workspace, person: str, problemset_id: int) -> list[Autosave]:
    """Return the unsaved texts of a person in a problemset."""
    with ws.read() as db:
        sql = "SELECT * FROM autosave WHERE person = ? AND problemset_id = ? ORDER BY problem, field"
        return [_autosave(row) for row in db.query(sql, [person, problemset_id])]


def people(ws: Workspace, problemset_id: int) -> list[str]:
    """Return who has unsaved text in a problemset; answers that somebody tries are no text of it."""
    with ws.read() as db:
        sql = "SELECT DISTINCT person FROM autosave WHERE problemset_id = ? AND problem NOT LIKE ? ORDER BY person"
        return [str(row[0]) for row in db.execute(sql, [problemset_id, f"{ANSWER}%"])]


def drop(
    ws: Workspace, person: str, problemset_id: int, *, problem: str | None = None, field: str | None = None
) -> int:
    """Forget unsaved texts (all of a problemset, of one problem, or one field) and return how many there were."""
    sql = """DELETE FROM autosave WHERE person = :person AND problemset_id = :id
        AND (:problem IS NULL OR problem = :problem) AND (:field IS NULL OR field = :field)"""
    with ws.write() as db:
        values = {"person": person, "id": problemset_id, "problem": problem, "field": field}
        return int(db.execute(sql, values).rowcount)


def drop_merged(db: "Database", merged: Sequence[Autosave]) -> None:
    """Drop the autosaves that a revision contains, but not those that were typed on; in the caller's transaction."""
    for autosave in merged:
        _drop_exactly(db, autosave)


def relocate(ws: Workspace, moved: Sequence[tuple[Autosave, Autosave]]) -> None:
    """Keep unsaved texts under another problem; those that were changed meanwhile stay where they are.

    Where a newer text of the same editor stands already it is the one that counts; what another editor wrote there
    stays, and the moved text is put aside, under a name of its own where one was put aside before.
    """
    with ws.write() as db:
        gone = [_drop_exactly(db, old) for old, _ in moved]
        for old, new in (pair for pair, was_there in zip(moved, gone, strict=True) if was_there):
            there = _find(db, [new.person, new.problemset_id, new.problem, new.field])
            if there is not None and there.writer == new.writer and there.saved_no > new.saved_no:
                continue
            is_free = there is None or there.writer == new.writer
            kept = new if is_free else _put_aside(db, old)
            db.execute("INSERT OR REPLACE INTO autosave VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", list(astuple(kept)))


def _put_aside(db: "Database", saved: Autosave) -> Autosave:
    there = _find(db, [saved.person, saved.problemset_id, saved.stray_name, saved.field])
    is_free = there is None or there.writer == saved.writer
    return replace(saved, problem=saved.stray_name if is_free else f"{saved.stray_name}:{saved.saved_no}")


def _drop_exactly(db: "Database", saved: Autosave) -> bool:
    key = [saved.person, saved.problemset_id, saved.problem, saved.field, saved.saved_no]
    return bool(db.execute(f"DELETE FROM autosave WHERE {_KEY} AND saved_no = ?", key).rowcount)


def next_number(db: "Database", name: str) -> int:
    """Return the next number of a counter that never repeats, inside the caller's transaction."""
    sql = "INSERT INTO counter VALUES (?, 1) ON CONFLICT(name) DO UPDATE SET value = value + 1 RETURNING value"
    return int(db.execute(sql, [name]).fetchone()[0])


def _find(db: "Database", key: Sequence[Any]) -> Autosave | None:
    rows = list(db.query(f"SELECT * FROM autosave WHERE {_KEY}", key))
    return _autosave(rows[0]) if rows else None


def _autosave(row: Mapping[str, Any]) -> Autosave:
    return Autosave(**row)


_PREFIX: Final = "unsent:"  # of keys in the table of settings, followed by the person as JSON, and the field
KEPT_DAYS: Final = 30


def keep_unsent(ws: Workspace, person: str, field: str, value: Any) -> None:
    """Keep what stands in a field, plain JSON; None forgets it."""
    body = json.dumps({"value": value, "at": timestamp()})
    with ws.write() as db:
        if value is None:
            db.execute("DELETE FROM setting WHERE key = ?", [_key(person, field)])
            return
        db.execute("INSERT OR REPLACE INTO setting VALUES (?, ?)", [_key(person, field), body])
        db.execute(
            "DELETE FROM setting WHERE key >= ? AND key < ? AND json_extract(value, '$.at') < ?",
            [*_all_keys(), timestamp(shift_s=-KEPT_DAYS * 24 * 3600)],
        )


def list_unsent(ws: Workspace, person: str) -> dict[str, Any]:
    """Return what a person typed and did not send, by field."""
    start = _key(person, "")
    with ws.read() as db:
        rows = db.execute("SELECT key, value FROM setting WHERE key >= ? AND key < ?", [start, f"{start}\U0010ffff"])
        return {key[len(start) :]: json.loads(value)["value"] for key, value in rows.fetchall()}


def drop_unsent(ws: Workspace, person: str, *fields: str) -> None:
    """Forget what was typed into these fields: it was sent, or given up."""
    with ws.write() as db:
        for field in fields:
            db.execute("DELETE FROM setting WHERE key = ?", [_key(person, field)])


def _key(person: str, field: str) -> str:
    return f"{_PREFIX}{json.dumps(person)}:{field}"


def _all_keys() -> tuple[str, str]:
    return _PREFIX, f"{_PREFIX}\U0010ffff"
