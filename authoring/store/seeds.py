"""Idea seeds: data files with their source, an optional notebook, and the profile made of them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from authoring.store.clock import timestamp
from authoring.store.names import check_name, find_row, refuse_taken
from authoring.store.workspace import Workspace

if TYPE_CHECKING:
    from sqlite_utils import Database


@dataclass(frozen=True)
class SeedFile:
    """One data file of a seed; its bytes are in the store under `digest`."""

    name: str
    digest: str  # sha256
    size_bytes: int
    kind: str  # csv, tsv, json, parquet, excel, ...


@dataclass(frozen=True)
class Seed:
    """Raw material for problemsets."""

    id: int
    name: str
    description: str
    source_url: str
    licence: str
    created_by: str
    created_at: str
    files: tuple[SeedFile, ...]
    notebook: str | None  # sha256 of the .ipynb in the store
    profile: dict[str, Any] | None  # as `authoring.seeds` made it; None: not profiled yet
    title: str = ""


def insert_seed(
    ws: Workspace,
    *,
    name: str,
    files: Sequence[SeedFile],
    notebook: str | None = None,
    profile: Mapping[str, Any] | None = None,
    description: str = "",
    source_url: str = "",
    licence: str = "",
    created_by: str = "",
    title: str = "",
) -> int:
    """Add a seed whose files are already in the store, and return its id.

    Raises:
        UsageError: If the name is taken or cannot be a name.
    """
    check_name(name, kind="seed")
    body = None if profile is None else json.dumps(profile)
    row = {
        "name": name,
        "title": title,
        "description": description,
        "source_url": source_url,
        "licence": licence,
        "notebook": notebook,
        "created_by": created_by,
        "created_at": timestamp(),
    }
    with ws.write() as db:
        refuse_taken(db, "seed", name, kind="seed")
        seed_id = int(db.table("seed").insert(row).last_pk)
        for position, file in enumerate(files, start=1):
            db.execute(
                "INSERT INTO seed_file VALUES (?, ?, ?, ?, ?, ?)",
                [seed_id, position, file.name, file.digest, file.size_bytes, file.kind],
            )
        if body is not None:
            _put_profile(db, seed_id, body)
    return seed_id


def find_seed(ws: Workspace, ref: str | int) -> Seed:
    """Return the seed with that id or name.

    Raises:
        UsageError: If there is none.
    """
    with ws.read() as db:
        return _seed(db, find_row(db, "seed", ref, kind="seed"))


def list_seeds(ws: Workspace) -> list[Seed]:
    """Return all seeds in the order in which they were added."""
    with ws.read() as db:
        return [_seed(db, row) for row in list(db.query("SELECT * FROM seed ORDER BY id"))]


def save_profile(ws: Workspace, seed_id: int, profile: Mapping[str, Any]) -> None:
    """Store the profile of a seed in place of an earlier one."""
    body = json.dumps(profile)
    with ws.write() as db:
        find_row(db, "seed", seed_id, kind="seed")
        _put_profile(db, seed_id, body)


def _put_profile(db: "Database", seed_id: int, body: str) -> None:
    db.table("profile").upsert({"seed_id": seed_id, "body": body, "created_at": timestamp()}, pk="seed_id")


def _seed(db: "Database", row: Mapping[str, Any]) -> Seed:
    files = db.query(
        "SELECT name, digest, size_bytes, kind FROM seed_file WHERE seed_id = ? ORDER BY position", [row["id"]]
    )
    profile = db.execute("SELECT body FROM profile WHERE seed_id = ?", [row["id"]]).fetchone()
    return Seed(
        **{key: row[key] for key in ("id", "name", "description", "source_url", "licence", "notebook", "title")},
        created_by=row["created_by"],
        created_at=row["created_at"],
        files=tuple(SeedFile(**file) for file in files),
        profile=None if profile is None else json.loads(profile[0]),
    )
