"""Sketches: the list of sub-problems that a draft is written from; edited ones are kept as further versions."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from authoring.languages import Language
from authoring.store.database.connections import ConflictError, timestamp
from authoring.store.database.names import check_name, find_row, refuse_taken
from authoring.store.statuses import CommentKind
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, UsageError

if TYPE_CHECKING:
    from sqlite_utils import Database

_SELECT = """SELECT s.*, r.items, r.number AS head_number FROM sketch s JOIN sketch_revision r ON r.sketch_id = s.id
    AND r.number = (SELECT max(number) FROM sketch_revision WHERE sketch_id = s.id)"""
_NEW_REVISION = """INSERT INTO sketch_revision (sketch_id, number, items, author, created_at, message, minutes)
    VALUES (?, ?, ?, ?, ?, ?, ?)"""


@dataclass(frozen=True)
class SketchItem:
    """One sub-problem in words, before it has code."""

    number: int  # from 1
    query_idea: str
    knowledge_points: tuple[str, ...] = ()
    depends_on: tuple[int, ...] = ()  # numbers of earlier items
    difficulty: str = ""
    family: str = ""  # the template family, when the template author made it
    slots: Mapping[str, Any] = field(default_factory=dict)  # the template's filled places, plain JSON


@dataclass(frozen=True)
class Sketch:
    """A sketch with its newest items."""

    id: int
    name: str
    seed_id: int
    author: str  # template | model | a person
    rng_seed: int
    items: tuple[SketchItem, ...]
    provenance: dict[str, Any]
    created_at: str
    created_by: str = ""
    head_number: int = 1  # counts the saved versions of the items
    language: Language = Language.ENGLISH  # of its ideas and of the queries of its drafts


@dataclass(frozen=True)
class SketchRevision:
    """One saved version of a sketch's items."""

    sketch_id: int
    number: int  # from 1
    items: tuple[SketchItem, ...]
    author: str
    message: str
    minutes: float  # active minutes spent on it
    created_at: str


def insert_sketch(
    ws: Workspace,
    *,
    seed_id: int,
    author: str,
    rng_seed: int,
    items: Sequence[SketchItem],
    provenance: Mapping[str, Any],
    name: str | None = None,
    created_by: str = "",
    language: Language = Language.ENGLISH,
) -> int:
    """Add a sketch and return its id; without `name` it is called after the seed and numbered.

    Raises:
        UsageError: If the seed is unknown, or the name is taken or cannot be a name.
    """
    if name is not None:
        check_name(name, kind="sketch")
    body, now = _items_json(items), timestamp()
    with ws.write() as db:
        seed = find_row(db, "seed", seed_id, kind="seed")
        name = name or _free_name(db, seed["name"])
        refuse_taken(db, "sketch", name, kind="sketch")
        row = {
            "name": name,
            "seed_id": seed_id,
            "author": author,
            "rng_seed": rng_seed,
            "provenance": json.dumps(provenance),
            "created_by": created_by,
            "created_at": now,
            "language": language.value,
        }
        sketch_id = int(db.table("sketch").insert(row).last_pk)
        db.execute(_NEW_REVISION, [sketch_id, 1, body, author, now, "", 0.0])
    return sketch_id


def save_sketch(
    ws: Workspace,
    sketch_id: int,
    items: Sequence[SketchItem],
    *,
    author: str,
    base_number: int,
    message: str = "",
    minutes: float = 0.0,
) -> Sketch:
    """Keep edited items as the sketch's next version; items that are already the newest are not kept twice.

    Raises:
        ConflictError: If somebody saved another version since `base_number`; its `head` is the newest sketch.
    """
    body = _items_json(items)
    with ws.write() as db:
        find_row(db, "sketch", sketch_id, kind="sketch")
        head = _sketch(next(iter(db.query(f"{_SELECT} WHERE s.id = ?", [sketch_id]))))
        if head.items == tuple(items):
            return head
        if head.head_number != base_number:
            raise ConflictError(
                f"sketch {sketch_id} was changed by somebody else: version {head.head_number} is newer than"
                f" {base_number}"
                if base_number < head.head_number
                else f"sketch {sketch_id} has no version {base_number}; its newest is {head.head_number}",
                where=f"sketch {head.name!r}",
                fix="reload the sketch and repeat the change",
                head=head,
            )
        db.execute(_NEW_REVISION, [sketch_id, base_number + 1, body, author, timestamp(), message, minutes])
    return find_sketch(ws, sketch_id)


def list_sketch_revisions(ws: Workspace, sketch_id: int) -> list[SketchRevision]:
    """Return the saved versions of a sketch, oldest first."""
    with ws.read() as db:
        rows = list(db.query("SELECT * FROM sketch_revision WHERE sketch_id = ? ORDER BY number", [sketch_id]))
    plain = ("sketch_id", "number", "author", "message", "minutes", "created_at")
    return [SketchRevision(items=_items(row["items"]), **{key: row[key] for key in plain}) for row in rows]


def find_sketch(ws: Workspace, ref: str | int) -> Sketch:
    """Return the sketch with that id or name.

    Raises:
        UsageError: If there is none.
    """
    with ws.read() as db:
        found = find_row(db, "sketch", ref, kind="sketch")
        (row,) = db.query(f"{_SELECT} WHERE s.id = ?", [found["id"]])
    return _sketch(row)


def list_sketches(ws: Workspace, seed_id: int | None = None) -> list[Sketch]:
    """Return all sketches, or those of one seed, oldest first."""
    with ws.read() as db:
        rows = list(db.query(f"{_SELECT} WHERE :seed IS NULL OR s.seed_id = :seed ORDER BY s.id", {"seed": seed_id}))
    return [_sketch(row) for row in rows]


def _free_name(db: "Database", seed_name: str) -> str:
    taken = {row["name"].lower() for row in db.query("SELECT name FROM sketch")}
    stem = seed_name[:50]
    return next(name for n in range(1, len(taken) + 2) if (name := f"{stem}-{n}").lower() not in taken)


def _items_json(items: Sequence[SketchItem]) -> str:
    return json.dumps([{**asdict(item), "slots": dict(item.slots)} for item in items])


def _items(body: str) -> tuple[SketchItem, ...]:
    tuples = ("knowledge_points", "depends_on")
    return tuple(SketchItem(**(item | {key: tuple(item[key]) for key in tuples})) for item in json.loads(body))


def _sketch(row: Mapping[str, Any]) -> Sketch:
    plain = {key: row[key] for key in ("id", "name", "seed_id", "author", "rng_seed", "created_at", "created_by")}
    provenance, number = json.loads(row["provenance"]), int(row["head_number"])
    language = Language(row["language"])
    return Sketch(**plain, items=_items(row["items"]), provenance=provenance, head_number=number, language=language)


@dataclass(frozen=True)
class SketchComment:
    """A remark on a version of a sketch or on one of its items."""

    id: int
    sketch_id: int
    number: int  # of the version that its author saw
    item: int | None  # number of the item; None: on the whole sketch
    kind: CommentKind
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
    if kind not in list(CommentKind):
        raise UsageError(f"there is no kind of comment {kind!r}", fix=f"use one of {', '.join(CommentKind)}")
    if not text.strip():
        raise ContentError("the comment is empty", fix="write what you want to say")
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
        return [SketchComment(**(row | {"kind": CommentKind.stored(row["kind"])})) for row in rows]


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
