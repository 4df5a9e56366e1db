"""What people confirm about columns of seeds that look like data about persons."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from authoring.store.database.connections import timestamp
from authoring.store.database.names import find_row
from authoring.store.workspace import Workspace


class Said(StrEnum):
    """Why such a column may stay."""

    PUBLIC = "public"  # published by those it is about, or about public figures in their office
    SYNTHETIC = "synthetic"  # made up: no such person exists
    NOT_PERSONAL = "not-personal"  # it only looks like it


@dataclass(frozen=True)
class Confirmation:
    """One column, confirmed by somebody."""

    file: str
    column: str
    said: Said
    reason: str
    created_by: str
    created_at: str


class SeedProfile(NamedTuple):
    """A seed whose profile may tell of personal data."""

    id: int
    name: str
    is_synthetic: bool
    profile: str  # JSON


def list_confirmations(ws: Workspace, seed_id: int | None = None) -> dict[int, tuple[Confirmation, ...]]:
    """Return seed -> what was confirmed of its columns; of one seed, or of all."""
    found: dict[int, list[Confirmation]] = {}
    sql = """SELECT seed_id, file, column_name, said, reason, created_by, created_at FROM seed_confirmation
        WHERE :seed IS NULL OR seed_id = :seed ORDER BY seed_id, file, column_name"""
    with ws.read() as db:
        for seed, file, column, said, *rest in db.execute(sql, {"seed": seed_id}):
            found.setdefault(int(seed), []).append(Confirmation(file, column, Said(said), *map(str, rest)))
    return {seed: tuple(each) for seed, each in found.items()}


def confirm_column(
    ws: Workspace, seed_id: int, file: str, column: str, *, said: Said, reason: str = "", created_by: str = ""
) -> None:
    """Record why a column may stay, in place of an earlier confirmation.

    Raises:
        UsageError: If there is no such seed.
    """
    row = {
        **{"seed_id": seed_id, "file": file, "column_name": column, "said": said.value, "reason": reason},
        **{"created_by": created_by, "created_at": timestamp()},
    }
    with ws.write() as db:
        find_row(db, "seed", seed_id, kind="seed")
        db.table("seed_confirmation").upsert(row, pk=("seed_id", "file", "column_name"))


def withdraw_confirmation(ws: Workspace, seed_id: int, file: str, column: str) -> None:
    """Forget what was confirmed of a column."""
    with ws.write() as db:
        where = [seed_id, file, column]
        db.execute("DELETE FROM seed_confirmation WHERE seed_id = ? AND file = ? AND column_name = ?", where)


def profiles_of_sets(ws: Workspace) -> dict[int, SeedProfile]:
    """Return problemset -> the seed that it was made of, where that seed's profile names values about persons."""
    sql = """SELECT p.id, s.id, s.name, s.synthetic, f.body FROM problemset p JOIN seed s ON s.id = p.seed_id
        JOIN profile f ON f.seed_id = s.id WHERE instr(f.body, '"personal"') > 0"""
    with ws.read() as db:
        return {
            int(row[0]): SeedProfile(int(row[1]), str(row[2]), bool(row[3]), str(row[4])) for row in db.execute(sql)
        }
