"""What is stated of the columns and rows of seeds, as text that `authoring.seeds.meanings` reads, and who states it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from authoring.store.database.connections import timestamp
from authoring.store.database.names import find_row
from authoring.store.workspace import Workspace

if TYPE_CHECKING:
    from sqlite_utils import Database


class Layer(StrEnum):
    """Which statement: later ones go on top of earlier ones, but a proposal counts only once it is accepted."""

    CARD = "card"  # came with the seed's files
    PROPOSAL = "proposal"  # a model's, not accepted yet
    PERSON = "person"  # what people corrected, and accepted of proposals


@dataclass(frozen=True)
class StoredSemantics:
    """One statement as it is kept."""

    text: str
    provenance: Mapping[str, Any]
    created_by: str
    created_at: str


def find_semantics(ws: Workspace, seed_id: int) -> dict[Layer, StoredSemantics]:
    """Return what is stated of a seed, by layer."""
    with ws.read() as db:
        rows = list(db.query("SELECT * FROM seed_semantics WHERE seed_id = ?", [seed_id]))
    return {Layer(row["layer"]): _stored(row) for row in rows}


def _stored(row: Mapping[str, Any]) -> StoredSemantics:
    return StoredSemantics(row["body"], json.loads(row["provenance"]), row["created_by"], row["created_at"])


def save_semantics(
    ws: Workspace,
    seed_id: int,
    layer: Layer,
    change: Callable[[str], str],
    *,
    provenance: Mapping[str, Any] | None = None,
    created_by: str = "",
) -> None:
    """Store what `change` makes of a layer's text in one transaction; an empty text removes the layer.

    Args:
        ws: The workspace.
        seed_id: The seed.
        layer: Whose statement it is.
        change: Takes the text that is stored, empty without one, and returns the new one.
        provenance: How the text came about.
        created_by: Who states it.

    Raises:
        UsageError: If there is no such seed.
    """
    with ws.write() as db:
        find_row(db, "seed", seed_id, kind="seed")
        where = [seed_id, layer.value]
        row = db.execute("SELECT body FROM seed_semantics WHERE seed_id = ? AND layer = ?", where).fetchone()
        text = change("" if row is None else str(row[0]))
        if text:
            put_semantics(db, seed_id, layer, text, provenance=provenance, created_by=created_by)
        else:
            db.execute("DELETE FROM seed_semantics WHERE seed_id = ? AND layer = ?", where)


def put_semantics(
    db: "Database",
    seed_id: int,
    layer: Layer,
    text: str,
    *,
    provenance: Mapping[str, Any] | None = None,
    created_by: str = "",
) -> None:
    """Store a layer's text in place of an earlier one, inside a transaction."""
    row = {
        "seed_id": seed_id,
        "layer": layer.value,
        "body": text,
        "provenance": json.dumps(dict(provenance or {})),
        "created_by": created_by,
        "created_at": timestamp(),
    }
    db.table("seed_semantics").upsert(row, pk=("seed_id", "layer"))
