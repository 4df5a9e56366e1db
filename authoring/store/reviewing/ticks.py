"""Ticks of a reviewer: which problems of a set they have read, each with the text that they read."""

from authoring.store.database.connections import timestamp
from authoring.store.workspace import Workspace


def tick_problem(ws: Workspace, problemset_id: int, problem: str, *, digest: str, person: str) -> None:
    """Keep that a person has read a problem; a later tick replaces an earlier one.

    Args:
        ws: The workspace.
        problemset_id: The set.
        problem: The problem's key within it, such as its id.
        digest: Of the text that the person saw: with another text the tick no longer counts.
        person: Who read it, however capitalized.

    Raises:
        UsageError: If there is no such problemset.
    """
    with ws.write() as db:
        sql = """INSERT OR REPLACE INTO reviewed_problem (problemset_id, person, problem, digest, created_at)
            VALUES (?, ?, ?, ?, ?)"""
        db.execute(sql, [problemset_id, person, problem, digest, timestamp()])


def untick_problem(ws: Workspace, problemset_id: int, problem: str, *, person: str) -> None:
    """Take a person's tick back; where there is none, nothing changes."""
    with ws.write() as db:
        sql = "DELETE FROM reviewed_problem WHERE problemset_id = ? AND person = ? AND problem = ?"
        db.execute(sql, [problemset_id, person, problem])


def list_ticks(ws: Workspace, problemset_id: int, person: str) -> dict[str, str]:
    """Return the problems of a set that a person has ticked: key -> digest of the text that they saw."""
    with ws.read() as db:
        sql = "SELECT problem, digest FROM reviewed_problem WHERE problemset_id = ? AND person = ? ORDER BY problem"
        return dict(db.execute(sql, [problemset_id, person]).fetchall())
