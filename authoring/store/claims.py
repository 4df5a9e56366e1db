"""Claims: a lease on a problemset that tells others who works on it. Advisory: conflicts are refused at the save."""

# ruff: noqa: S608  # SQL is put together from fragments of this file only; values are always bound

from dataclasses import dataclass

from authoring.store.clock import timestamp
from authoring.store.workspace import Workspace

LEASE_S = 30 * 60.0


@dataclass(frozen=True)
class Claim:
    """Who works on a problemset, and until when unless it is extended."""

    problemset_id: int
    holder: str
    expires_at: str


def claim_problemset(ws: Workspace, problemset_id: int, *, holder: str, lease_s: float = LEASE_S) -> Claim:
    """Take or extend the lease and return who holds it now: `holder`, or somebody else whose lease still lasts."""
    with ws.write() as db:
        db.execute(
            """INSERT INTO claim VALUES (:id, :holder, :until) ON CONFLICT (problemset_id)
            DO UPDATE SET holder = :holder, expires_at = :until WHERE claim.holder = :holder OR expires_at <= :now""",
            {"id": problemset_id, "holder": holder, "until": timestamp(shift_s=lease_s), "now": timestamp()},
        )
        (row,) = db.query("SELECT * FROM claim WHERE problemset_id = ?", [problemset_id])
    return Claim(**row)


def release_claim(ws: Workspace, problemset_id: int, *, holder: str) -> None:
    """End the lease of `holder`; somebody else's stays."""
    with ws.write() as db:
        db.execute("DELETE FROM claim WHERE problemset_id = ? AND holder = ?", [problemset_id, holder])


def next_unclaimed(ws: Workspace, *, holder: str, statuses: tuple[str, ...] = ("draft", "sent_back")) -> int | None:
    """Return the problemset that waits longest and is free or already held by `holder`; None when there is none."""
    marks = ", ".join("?" for _ in statuses)
    sql = f"""SELECT p.id FROM problemset p LEFT JOIN claim c ON c.problemset_id = p.id AND c.expires_at > ?
        WHERE p.status IN ({marks}) AND (c.holder IS NULL OR c.holder = ?) ORDER BY p.updated_at, p.id LIMIT 1"""
    with ws.read() as db:
        found = db.execute(sql, [timestamp(), *statuses, holder]).fetchone()
    return None if found is None else int(found[0])
