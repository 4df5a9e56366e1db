"""Claims: a lease on a problemset that tells others who works on it. Advisory: conflicts are refused at the save."""

from collections.abc import Collection
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Final

from authoring.store.database.connections import timestamp
from authoring.store.workspace import Workspace

if TYPE_CHECKING:
    from sqlite_utils import Database

LEASE_S: Final = 30 * 60.0
ASSIGNED_S: Final = 24 * 3600.0  # who is assigned may not be at a screen
_EXTENDED_AFTER_S: Final = 60.0  # a lease is not written anew for each keystroke


@dataclass(frozen=True)
class Lease:
    """Who works on a problemset, and until when unless it is extended."""

    problemset_id: int
    holder: str
    expires_at: str


def lease_problemset(ws: Workspace, problemset_id: int, *, holder: str, lease_s: float = LEASE_S) -> Lease:
    """Take or extend the lease and return who holds it now: `holder`, or somebody else whose lease still lasts."""
    with ws.write() as db:
        db.execute(
            """INSERT INTO claim VALUES (:id, :holder, :until) ON CONFLICT (problemset_id)
            DO UPDATE SET holder = :holder,
                expires_at = CASE WHEN claim.holder = :holder THEN max(expires_at, :until) ELSE :until END
            WHERE claim.holder = :holder OR expires_at <= :now""",
            {"id": problemset_id, "holder": holder, "until": timestamp(shift_s=lease_s), "now": timestamp()},
        )
        return _find(db, problemset_id)


def assign_problemset(ws: Workspace, problemset_id: int, *, holder: str, lease_s: float = ASSIGNED_S) -> Lease:
    """Give the lease to somebody, whoever holds it now."""
    return assign_problemsets(ws, [problemset_id], holder=holder, lease_s=lease_s)[0]


def assign_problemsets(
    ws: Workspace, problemset_ids: Collection[int], *, holder: str, lease_s: float = ASSIGNED_S
) -> list[Lease]:
    """Give the leases of several problemsets to somebody in one transaction, whoever holds them now."""
    until = timestamp(shift_s=lease_s)
    given = [Lease(each, holder, until) for each in problemset_ids]
    with ws.write() as db:
        db.conn.executemany("INSERT OR REPLACE INTO claim VALUES (?, ?, ?)", [astuple(each) for each in given])
    return given


def release_lease(ws: Workspace, problemset_id: int, *, holder: str) -> bool:
    """End the lease of `holder` and tell whether there was one; somebody else's stays."""
    with ws.write() as db:
        sql = "DELETE FROM claim WHERE problemset_id = ? AND holder = ?"
        return int(db.conn.execute(sql, [problemset_id, holder]).rowcount) > 0


def extend_problemset_lease(ws: Workspace, problemset_id: int, *, holder: str) -> None:
    """Let the lease of `holder`, if it still lasts, begin anew."""
    with ws.write() as db:
        extend_lease(db, problemset_id, holder)


def extend_lease(db: "Database", problemset_id: int, holder: str) -> None:
    """Let a lease that still lasts begin anew, inside the caller's transaction."""
    db.execute(
        """UPDATE claim SET expires_at = :until
        WHERE problemset_id = :id AND holder = :holder AND expires_at > :now AND expires_at < :soon""",
        {
            "id": problemset_id,
            "holder": holder,
            "until": timestamp(shift_s=LEASE_S),
            "now": timestamp(),
            "soon": timestamp(shift_s=LEASE_S - _EXTENDED_AFTER_S),
        },
    )


def _find(db: "Database", problemset_id: int) -> Lease:
    (row,) = db.query("SELECT * FROM claim WHERE problemset_id = ?", [problemset_id])
    return Lease(**row)
