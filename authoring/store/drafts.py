"""What was drafted on a seed or from a sketch, and what the drafting cost."""

import json
from dataclasses import dataclass
from typing import Any

from authoring.store.workspace import Workspace


@dataclass(frozen=True)
class DraftRow:
    """A problemset as it was first drafted, and how it stands now."""

    problemset_id: int
    name: str
    status: str  # draft | submitted | accepted | sent_back
    sketch_id: int | None
    head_revision_id: int
    problem_count: int  # now
    origin: str  # of its first revision: model | template | person | import
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
