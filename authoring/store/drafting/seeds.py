"""Idea seeds: data files with their source, an optional notebook, and the profile made of them."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final

from authoring.store.database.connections import timestamp
from authoring.store.database.names import check_name, find_row, refuse_taken
from authoring.store.drafting.seed_semantics import Layer, put_semantics
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, UsageError

if TYPE_CHECKING:
    from sqlite_utils import Database


@dataclass(frozen=True, kw_only=True)
class SeedFacts:
    """What is stated about a seed's data; empty: not stated."""

    title: str = ""
    description: str = ""
    source_url: str = ""
    licence: str = ""
    published_on: str = ""  # when the data was published, ISO 8601
    popularity: str = ""  # such as "1,200 votes"; sets that models may know by heart are told by it
    synthetic: bool = False  # made by a program, not collected: marked wherever the data is described

    @property
    def stated(self) -> dict[str, Any]:
        """Field -> value, of these fields only."""
        return {name: getattr(self, name) for name in FACTS}


NO_FACTS: Final = SeedFacts()
FACTS: Final = tuple(field.name for field in fields(SeedFacts))
FACT_TEXTS: Final = tuple(field.name for field in fields(SeedFacts) if field.type is str)
TEXT_FIELDS: Final = ("name", *FACT_TEXTS)
"""What a person may correct."""


@dataclass(frozen=True)
class SeedFile:
    """One data file of a seed; its bytes are in the store under `digest`."""

    name: str
    digest: str  # sha256
    size_bytes: int
    kind: str  # csv, tsv, json, parquet, excel, ...


@dataclass(frozen=True, kw_only=True)
class Seed(SeedFacts):
    """Raw material for problemsets."""

    id: int
    name: str
    created_by: str
    created_at: str
    files: tuple[SeedFile, ...]
    notebook: str | None  # sha256 of the .ipynb in the store
    profile: dict[str, Any] | None  # as `authoring.seeds` made it; None: not profiled yet
    statement: str = ""  # what the data were drawn from, YAML as `authoring.seeds.made` reads it; empty: not drawn


def insert_seed(
    ws: Workspace,
    *,
    name: str,
    files: Sequence[SeedFile],
    facts: SeedFacts = NO_FACTS,
    notebook: str | None = None,
    profile: Mapping[str, Any] | None = None,
    semantics: str = "",
    statement: str = "",
    created_by: str = "",
) -> int:
    """Add a seed whose files are already in the store, and return its id.

    Raises:
        UsageError: If the name is taken or cannot be a name.
    """
    check_name(name, kind="seed")
    body = None if profile is None else json.dumps(profile)
    row = {
        **facts.stated,
        "name": name,
        "notebook": notebook,
        "statement": statement,
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
        if semantics:
            put_semantics(db, seed_id, Layer.CARD, semantics, created_by=created_by)
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
        files: dict[int, list[SeedFile]] = {}
        for file in db.query("SELECT seed_id, name, digest, size_bytes, kind FROM seed_file ORDER BY position"):
            files.setdefault(file.pop("seed_id"), []).append(SeedFile(**file))
        profiles = dict(db.execute("SELECT seed_id, body FROM profile").fetchall())
        rows = list(db.query("SELECT * FROM seed ORDER BY id"))
    return [_seed_of(row, files.get(row["id"], ()), profiles.get(row["id"])) for row in rows]


def twin_of(ws: Workspace, digests: Collection[str]) -> Seed | None:
    """Return a seed whose data files are exactly those, whatever they are called; None when there is none."""
    wanted = set(digests)
    return next((seed for seed in list_seeds(ws) if {file.digest for file in seed.files} == wanted), None)


def describe_seed(ws: Workspace, ref: str | int, **texts: str) -> Seed:
    """Change what is stated about a seed: any of `TEXT_FIELDS`.

    Raises:
        UsageError: If there is no such seed, or the name is taken or cannot be a name.
    """
    unknown = sorted(set(texts) - set(TEXT_FIELDS))
    if unknown:
        raise UsageError(f"a seed has no field {unknown[0]!r}", fix=f"use one of {', '.join(TEXT_FIELDS)}")
    with ws.write() as db:
        row = find_row(db, "seed", ref, kind="seed")
        if texts.get("name", row["name"]).casefold() != row["name"].casefold():
            check_name(texts["name"], kind="seed")
            refuse_taken(db, "seed", texts["name"], kind="seed")
        if texts:
            db.table("seed").update(row["id"], dict(texts))
        return _seed(db, find_row(db, "seed", row["id"], kind="seed"))


def delete_seed(ws: Workspace, ref: str | int) -> Seed:
    """Delete a seed that nothing was made of, and return it; its files stay in the store, where others may use them.

    Raises:
        UsageError: If there is none.
        ContentError: If sketches or problemsets were made of it; they are named.
    """
    with ws.write() as db:
        seed = _seed(db, find_row(db, "seed", ref, kind="seed"))
        users = _users(db, seed.id)
        if users:
            more = f" and {len(users) - 5} more" if len(users) > 5 else ""
            what = f"seed {seed.name!r} is used by {', '.join(users[:5])}{more}"
            raise ContentError(what, where=f"seed {seed.id}", fix="keep it: what was made of it needs its data")
        db.execute("DELETE FROM seed WHERE id = ?", [seed.id])
    return seed


def _users(db: "Database", seed_id: int) -> list[str]:
    problemsets = db.query("SELECT name FROM problemset WHERE seed_id = ? ORDER BY name", [seed_id])
    sketches = db.query("SELECT name FROM sketch WHERE seed_id = ? ORDER BY name", [seed_id])
    plans = db.query(
        "SELECT DISTINCT b.name FROM bootstrap b JOIN bootstrap_item i ON i.bootstrap_id = b.id WHERE i.seed_id = ?",
        [seed_id],
    )
    named = (("problemset", problemsets), ("sketch", sketches), ("bootstrap", plans))
    return [f"{kind} {row['name']!r}" for kind, rows in named for row in rows]


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
    return _seed_of(row, [SeedFile(**file) for file in files], None if profile is None else profile[0])


def _seed_of(row: Mapping[str, Any], files: Sequence[SeedFile], profile: str | None) -> Seed:
    return Seed(
        **{key: row[key] for key in ("id", "notebook", "statement", "created_by", "created_at", *TEXT_FIELDS)},
        synthetic=bool(row["synthetic"]),
        files=tuple(files),
        profile=None if profile is None else _read_profile(profile),
    )


def _read_profile(body: str) -> dict[str, Any]:
    """Return a stored profile; of a body that is none nothing is left, which its strict reader refuses by name."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
