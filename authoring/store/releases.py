"""Releases: frozen, content-hashed sets of accepted revisions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from authoring.store.clock import timestamp
from authoring.store.names import check_name
from authoring.store.workspace import Workspace
from evaluator.errors import UsageError
from evaluator.registry import nearest_name

if TYPE_CHECKING:
    from sqlite_utils import Database


@dataclass(frozen=True)
class Release:
    """A release and the revisions in it."""

    id: int
    name: str
    version: str
    digest: str  # sha256 over its files
    path: str  # the folder it was written to
    created_at: str
    items: tuple[tuple[int, str], ...]  # (revision id, problemset name), by name
    created_by: str = ""


def insert_release(
    ws: Workspace,
    *,
    name: str,
    version: str,
    digest: str,
    path: str,
    items: Sequence[tuple[int, str]],
    created_by: str = "",
) -> int:
    """Record a release and return its id; recording the same content again returns the id it has.

    Raises:
        UsageError: If the name cannot be a name, or this name and version stand for other content.
    """
    check_name(name, kind="release")
    row = {
        **{"name": name, "version": version, "digest": digest, "path": path},
        **{"created_by": created_by, "created_at": timestamp()},
    }
    with ws.write() as db:
        sql = "SELECT id, digest FROM release WHERE name = ? AND version = ?"
        if (there := db.execute(sql, [name, version]).fetchone()) is not None:
            if there[1] != digest:
                raise UsageError(
                    f"release {name!r} {version!r} exists with other content",
                    where=f"release {there[0]}",
                    fix="choose the next version",
                )
            db.execute("UPDATE release SET path = ? WHERE id = ?", [path, there[0]])
            return int(there[0])
        release_id = int(db.table("release").insert(row).last_pk)
        db.conn.executemany("INSERT INTO release_item VALUES (?, ?, ?)", [(release_id, *item) for item in items])
    return release_id


def list_releases(ws: Workspace) -> list[Release]:
    """Return all releases, newest first."""
    items: dict[int, list[tuple[int, str]]] = {}
    with ws.read() as db:
        rows = list(db.query("SELECT * FROM release ORDER BY id DESC"))
        sql = "SELECT release_id, revision_id, problemset_name FROM release_item ORDER BY release_id, problemset_name"
        for release_id, *item in db.execute(sql):
            items.setdefault(release_id, []).append((int(item[0]), str(item[1])))
    return [Release(**row, items=tuple(items.get(row["id"], ()))) for row in rows]


def find_release(ws: Workspace, ref: str | int) -> Release:
    """Return the release with that id, `NAME@VERSION`, or `NAME` (its newest).

    Raises:
        UsageError: If there is none.
    """
    text = str(ref).strip()
    name, _, version = text.partition("@")
    by_id = text.isascii() and text.isdigit() and len(text) <= 18
    with ws.read() as db:
        rows = list(
            db.query(
                "SELECT * FROM release WHERE (:id IS NOT NULL AND id = :id) OR (:id IS NULL AND name = :name AND"
                " (:version = '' OR version = :version)) ORDER BY id DESC LIMIT 1",
                {"id": int(text) if by_id else None, "name": name, "version": version},
            )
        )
        if rows:
            return _release(db, rows[0])
        known = sorted({str(row["name"]) for row in db.query("SELECT name FROM release")})
    near = nearest_name(name, known) or ", ".join(known[:8])
    raise UsageError(f"there is no release {text!r}", fix=f"use {near}" if near else "create one first")


def _release(db: "Database", row: Mapping[str, Any]) -> Release:
    sql = "SELECT revision_id, problemset_name FROM release_item WHERE release_id = ? ORDER BY problemset_name"
    return Release(**row, items=tuple((int(r[0]), str(r[1])) for r in db.execute(sql, [row["id"]])))
