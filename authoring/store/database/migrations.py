"""Brings a workspace's tables to the version that this program knows, in one transaction."""

from pathlib import Path
from typing import TYPE_CHECKING

from authoring.store.database.attempt_counts import VERSION_12, VERSION_13
from authoring.store.database.connections import reading, timestamp
from authoring.store.database.schema import (
    VERSION_1,
    VERSION_2,
    VERSION_3,
    VERSION_4,
    VERSION_5,
    VERSION_6,
    VERSION_7,
    VERSION_8,
    VERSION_9,
    VERSION_10,
    VERSION_11,
)
from evaluator.errors import ToolkitError

if TYPE_CHECKING:
    from sqlite_utils import Database

APPLICATION_ID = 0x42454E57  # stands in the header of our files; tells them from other programs' databases


def _first_version(db: "Database") -> None:
    for statement in VERSION_1:
        db.conn.execute(statement)
    db.table("problem_index").enable_fts(["query"], create_triggers=True, tokenize="unicode61")
    db.table("comment").enable_fts(["text"], create_triggers=True, tokenize="unicode61")


def _model_calls(db: "Database") -> None:
    for statement in VERSION_2:
        db.conn.execute(statement)


def _loops(db: "Database") -> None:
    for statement in VERSION_3:
        db.conn.execute(statement)


def _authors(db: "Database") -> None:
    for statement in VERSION_4:
        db.conn.execute(statement)


def _meanings(db: "Database") -> None:
    for statement in VERSION_5:
        db.conn.execute(statement)


def _error_modes(db: "Database") -> None:
    for statement in VERSION_6:
        db.conn.execute(statement)


def _made_and_personal_data(db: "Database") -> None:
    for statement in VERSION_7:
        db.conn.execute(statement)


def _repaired_items(db: "Database") -> None:
    for statement in VERSION_8:
        db.conn.execute(statement)


def _threads(db: "Database") -> None:
    for statement in VERSION_9:
        db.conn.execute(statement)


def _tags_and_ticks(db: "Database") -> None:
    for statement in VERSION_10:
        db.conn.execute(statement)


def _answered_decisions(db: "Database") -> None:
    for statement in VERSION_11:
        db.conn.execute(statement)


def _counted_attempts(db: "Database") -> None:
    for statement in VERSION_12:
        db.conn.execute(statement)


def _queries(db: "Database") -> None:
    for statement in VERSION_13:
        db.conn.execute(statement)


MIGRATIONS = (
    _first_version,
    _model_calls,
    _loops,
    _authors,
    _meanings,
    _error_modes,
    _made_and_personal_data,
    _repaired_items,
    _threads,
    _tags_and_ticks,
    _answered_decisions,
    _counted_attempts,
    _queries,
)  # number n (from 1) leads from schema n - 1 to schema n; never edit one, add the next
SCHEMA_VERSION = len(MIGRATIONS)


def schema_version(db: "Database") -> int:
    """Return the schema version of the open file; -1 when it is not one of our files."""
    return schema_state(db)[0]


def schema_state(db: "Database") -> tuple[int, bool]:
    """Return the schema version of the open file, and whether its search index waits to be made anew."""
    if db.conn.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        return -1, False
    sql = "SELECT version, applied_at FROM schema_version ORDER BY version DESC LIMIT 1"
    version, applied_at = db.conn.execute(sql).fetchone()
    return int(version), not applied_at


def note_index_due(db: "Database") -> None:
    """Note that the newest migration is not at its end before the search index is made anew."""
    db.execute("UPDATE schema_version SET applied_at = '' WHERE version = ?", [SCHEMA_VERSION])


def note_index_made(db: "Database") -> None:
    """Note that the newest migration is at its end."""
    db.execute("UPDATE schema_version SET applied_at = ? WHERE version = ?", [timestamp(), SCHEMA_VERSION])


def migrate(db: "Database") -> None:
    """Apply the migrations that are missing; call it inside `writing`, so that only one process does it."""
    for version in range(max(0, schema_version(db)) + 1, SCHEMA_VERSION + 1):
        if version == 1:
            db.conn.execute(f"PRAGMA application_id={APPLICATION_ID}")
            db.conn.execute("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER PRIMARY KEY, applied_at TEXT)")
        MIGRATIONS[version - 1](db)
        db.table("schema_version").insert({"version": version, "applied_at": timestamp()})


def back_up(path: Path, backups: Path, *, label: str) -> Path:
    """Copy the database consistently to a new file below `backups` and return that file."""
    backups.mkdir(exist_ok=True)
    stamp = timestamp().replace(":", "").replace("+0000", "Z")
    target = backups / f"{label}-{stamp}.sqlite"
    unfinished = target.with_suffix(".unfinished")  # a killed process leaves nothing that looks like a backup
    unfinished.unlink(missing_ok=True)
    with reading(path) as db:
        db.conn.execute("COMMIT")  # VACUUM INTO refuses to run inside a transaction
        db.conn.execute("PRAGMA query_only=OFF")
        try:
            db.conn.execute("VACUUM INTO ?", [str(unfinished)])
            unfinished.replace(target)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise
    return target


def refuse_newer(version: int, path: Path) -> None:
    """Refuse a workspace that a newer program made.

    Raises:
        ToolkitError: If `version` is above the one known here; both are named.
    """
    if version > SCHEMA_VERSION:
        raise ToolkitError(
            f"the workspace has schema {version}, this program knows schema {SCHEMA_VERSION}",
            where=str(path),
            fix="use the newer Benchwright that made it, or choose another folder with --workspace",
        )
