"""What speaks for and against releasing each problemset, in a few queries for all of them."""

# ruff: noqa: S608  # SQL is put together from fragments of this file only; values are always bound

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from authoring.store.dry_runs import DryRun, DryRunProblem
from authoring.store.workspace import Workspace


class Guess(NamedTuple):
    """An agent that solves nothing passed a problem that the workspace still asks in these words."""

    problemset_id: int
    problem_id: str
    agent: str
    run_id: int
    attempt_id: int


@dataclass(frozen=True)
class SetEvidence:
    """The head of one problemset with its newest dry run and decision."""

    problemset_id: int
    name: str
    status: str  # draft | submitted | accepted | sent_back
    revision_id: int
    number: int
    decided_by: str  # who decided on the revision last; empty: nobody
    dry_run: DryRun | None  # without outputs, code and reasons
    open_items: tuple[str, ...] = ()  # of the roundtable: problem and reason


def list_set_evidence(ws: Workspace) -> list[SetEvidence]:
    """Return the evidence about the head of every problemset, by name."""
    newest = "SELECT max(d.id) FROM problemset p JOIN dry_run d ON d.revision_id = p.head_revision_id GROUP BY p.id"
    heads = f"""SELECT p.id AS problemset_id, p.name, p.status, p.head_revision_id, p.head_number,
        (SELECT d.by FROM decision d WHERE d.revision_id = p.head_revision_id ORDER BY d.id DESC LIMIT 1) AS decided_by,
        (SELECT json_group_array(t.problem || ': ' || t.reason) FROM roundtable t
            WHERE t.problemset_id = p.id AND t.resolution IS NULL) AS items,
        d.id, d.revision_id, d.environment, d.sandbox, d.summary, d.created_at
        FROM problemset p LEFT JOIN dry_run d ON d.revision_id = p.head_revision_id AND d.id IN ({newest})
        ORDER BY p.name"""
    with ws.read() as db:
        rows = list(db.query(heads))
        problems: dict[int, list[DryRunProblem]] = {}
        for dry_run_id, *values in db.execute(
            f"""SELECT dry_run_id, position, problem_id, seconds, reference_verdict, empty_verdict, agent_verdict
            FROM dry_run_problem WHERE dry_run_id IN ({newest}) ORDER BY dry_run_id, position"""
        ):
            problems.setdefault(dry_run_id, []).append(DryRunProblem(*values))
    return [
        SetEvidence(
            problemset_id=row["problemset_id"],
            name=row["name"],
            status=row["status"],
            revision_id=row["head_revision_id"],
            number=row["head_number"],
            decided_by=row["decided_by"] or "",
            dry_run=_dry_run(row, problems),
            open_items=tuple(json.loads(row["items"])),
        )
        for row in rows
    ]


def _dry_run(row: Mapping[str, Any], problems: Mapping[int, Sequence[DryRunProblem]]) -> DryRun | None:
    if row["id"] is None:
        return None
    plain = {name: row[name] for name in ("id", "revision_id", "environment", "sandbox", "created_at")}
    return DryRun(**plain, summary=json.loads(row["summary"]), problems=tuple(problems.get(row["id"], ())))


def list_guesses(ws: Workspace) -> list[Guess]:
    """Return the problems of head revisions that the agents `cheat` passed, each with the newest attempt that shows it.

    A problem is the same while its problemset's name and its query are.
    """
    sql = """SELECT p.id, i.problem_id, a.agent, a.run_id, max(a.id) FROM attempt a
        JOIN problemset p ON p.name = a.problemset JOIN problem_index i ON i.problemset_id = p.id
        AND trim(i.query) = trim(json_extract(a.body, '$.question'))
        WHERE (a.agent = 'cheat' OR a.agent LIKE 'cheat:%') AND a.verdict = 'CORRECT'
        GROUP BY p.id, i.problem_id ORDER BY p.id, i.position"""
    with ws.read() as db:
        return [Guess(*row) for row in db.execute(sql)]


def head_texts(ws: Workspace, revision_ids: Sequence[int]) -> dict[int, str]:
    """Return revision -> text."""
    marks = ", ".join("?" for _ in revision_ids)
    with ws.read() as db:
        return dict(db.execute(f"SELECT id, text FROM revision WHERE id IN ({marks})", list(revision_ids)).fetchall())
