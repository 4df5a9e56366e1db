"""From a problem of a run back to the workspace: its problemset there, and what its released reference showed."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from authoring.store.workspace import Workspace


class ProblemPlace(NamedTuple):
    """Where a problem stands in the workspace now."""

    problemset_id: int
    problem_id: str
    same_query: bool  # otherwise only its number is the same


def find_problem_place(ws: Workspace, problemset: str, position: int, query: str) -> ProblemPlace | None:
    """Return where the workspace holds a problem: that with the same query, else that with the same number, else None.

    Args:
        ws: The workspace.
        problemset: Its name.
        position: The problem's number in the run, from 1.
        query: As the run asked it.
    """
    sql = """SELECT p.id, i.problem_id, trim(i.query) = trim(:query) FROM problemset p
        JOIN problem_index i ON i.problemset_id = p.id
        WHERE p.name = :name AND (trim(i.query) = trim(:query) OR i.position = :position)
        ORDER BY trim(i.query) = trim(:query) DESC, i.position = :position DESC LIMIT 1"""
    with ws.read() as db:
        found = db.execute(sql, {"name": problemset, "position": position, "query": query}).fetchone()
    return ProblemPlace(int(found[0]), str(found[1]), bool(found[2])) if found else None


def reference_outputs(ws: Workspace, release: str, problemset: str, position: int) -> list[Mapping[str, Any]] | None:
    """Return the outputs of a reference in the newest dry run of the released revision; None without one.

    Args:
        ws: The workspace.
        release: Name and version, as runs call it: "core 1.0".
        problemset: Its name in the release.
        position: The problem's number, from 1.
    """
    sql = """SELECT p.body FROM release r JOIN release_item i ON i.release_id = r.id
        JOIN dry_run d ON d.revision_id = i.revision_id
        JOIN dry_run_problem p ON p.dry_run_id = d.id AND p.position = :position
        WHERE r.name || ' ' || r.version = :release AND i.problemset_name = :name ORDER BY d.id DESC LIMIT 1"""
    with ws.read() as db:
        found = db.execute(sql, {"release": release, "name": problemset, "position": position}).fetchone()
    return list(json.loads(found[0]).get("outputs") or []) if found else None
