"""Dry runs: what a revision's reference code left behind and how the built-in agents were judged on it."""

# ruff: noqa: S608  # SQL is put together from fragments of this file only; values are always bound

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from authoring.store.database.connections import timestamp
from authoring.store.workspace import Workspace
from evaluator.errors import UsageError

if TYPE_CHECKING:
    from sqlite_utils import Database

_IN_BODY = (
    *("outputs", "variables", "error", "reasons", "agent_code", "outcome_digest", "findings", "examples"),
    "warnings",
)
_PROBLEM_COLUMNS = "position, problem_id, seconds, reference_verdict, empty_verdict, agent_verdict"
_IN_SAMPLE = ("code", "reason", "cluster", "outputs", "error")


@dataclass(frozen=True)
class DryRunProblem:
    """One problem of a dry run."""

    index: int  # from 1, problems only
    problem_id: str
    seconds: float  # the reference code's
    reference_verdict: str  # of the reference against itself
    empty_verdict: str  # of the empty answer
    agent_verdict: str = "none"  # of the reference agent; "none" while no model is configured
    outputs: list[dict[str, Any]] = field(default_factory=list)  # nbformat-shaped, hostile
    variables: list[dict[str, Any]] = field(default_factory=list)
    error: dict[str, Any] | None = None
    reasons: dict[str, Any] = field(default_factory=dict)  # column (reference, empty, agent) -> why
    agent_code: str = ""
    outcome_digest: str = ""  # sha256 of what the reference left behind; empty in dry runs that did not keep it
    findings: dict[str, Any] = field(default_factory=dict)  # column -> what each validator answered
    examples: list[dict[str, Any]] = field(default_factory=list)  # the answers it keeps, judged again
    warnings: list[dict[str, Any]] = field(default_factory=list)  # code, severity, what, fix: what is doubtful about it


@dataclass(frozen=True)
class DryRunSample:
    """One of several answers of the reference agent to one problem."""

    index: int  # of the problem, from 1
    sample: int  # from 1
    agent: str
    verdict: str
    subverdict: str = ""
    code: str = ""
    reason: str = ""
    cluster: int = 0  # answers with the same number, from 1, came to the same; 0: not executed or not judged
    outputs: list[dict[str, Any]] = field(default_factory=list)  # hostile
    error: dict[str, Any] | None = None


@dataclass(frozen=True)
class DryRun:
    """One execution of a revision with its verdicts."""

    id: int
    revision_id: int
    created_at: str
    environment: str
    sandbox: str
    problems: tuple[DryRunProblem, ...]
    summary: dict[str, Any]


def save(
    ws: Workspace,
    *,
    revision_id: int,
    environment: str,
    sandbox: str,
    problems: Sequence[DryRunProblem],
    summary: Mapping[str, Any],
    samples: Sequence[DryRunSample] = (),
) -> int:
    """Store a dry run and return its id."""
    rows = [
        (
            *(problem.index, problem.problem_id, problem.seconds),
            *(problem.reference_verdict, problem.empty_verdict, problem.agent_verdict),
            json.dumps({name: getattr(problem, name) for name in _IN_BODY}),
        )
        for problem in problems
    ]
    sampled = [
        (*(s.index, s.sample, s.agent, s.verdict, s.subverdict), json.dumps({k: getattr(s, k) for k in _IN_SAMPLE}))
        for s in samples
    ]
    row = {
        "revision_id": revision_id,
        "environment": environment,
        "sandbox": sandbox,
        "summary": json.dumps(dict(summary)),
        "created_at": timestamp(),
    }
    with ws.write() as db:
        dry_run_id = int(db.table("dry_run").insert(row).last_pk)
        db.conn.executemany(
            "INSERT INTO dry_run_problem VALUES (?, ?, ?, ?, ?, ?, ?, ?)", [(dry_run_id, *values) for values in rows]
        )
        db.conn.executemany(
            "INSERT INTO dry_run_sample VALUES (?, ?, ?, ?, ?, ?, ?)", [(dry_run_id, *values) for values in sampled]
        )
    return dry_run_id


def find(ws: Workspace, dry_run_id: int, *, light: bool = False) -> DryRun:
    """Return a dry run; `light` leaves out outputs, variables, errors and code, which can be megabytes.

    Raises:
        UsageError: If there is none with that id.
    """
    with ws.read() as db:
        found = _joined(db, "?", [dry_run_id], light=light)
    if not found:
        raise UsageError(f"no dry run has the id {dry_run_id}", fix="start a new one")
    return found[0]


def latest(ws: Workspace, revision_id: int, *, light: bool = False) -> DryRun | None:
    """Return the newest dry run of a revision, or None; `light` as in `find`."""
    with ws.read() as db:
        found = _joined(db, "SELECT max(id) FROM dry_run WHERE revision_id = ?", [revision_id], light=light)
    return found[0] if found else None


def list_dry_run_samples(ws: Workspace, dry_run_id: int) -> list[DryRunSample]:
    """Return the sampled answers of a dry run by problem and sample; none where the agent was asked once or never."""
    sql = """SELECT position AS "index", sample, agent, verdict, subverdict, body FROM dry_run_sample
        WHERE dry_run_id = ? ORDER BY position, sample"""
    with ws.read() as db:
        rows = list(db.query(sql, [dry_run_id]))
    plain = ({key: value for key, value in row.items() if key != "body"} for row in rows)
    return [DryRunSample(**values, **json.loads(row["body"])) for values, row in zip(plain, rows, strict=True)]


@dataclass(frozen=True)
class NewestDryRun:
    """The newest dry run that says something about a revision: its own, else that of the newest one before it."""

    number: int  # of the revision that was executed
    dry_run: DryRun


def newest_up_to(ws: Workspace, revision_ids: Sequence[int]) -> dict[int, NewestDryRun]:
    """Return revision id -> its newest dry run, light, or that of the newest earlier revision of its set that has one.

    One statement for a page of a list; a revision of a set that never had a dry run is left out.
    """
    marks = ", ".join("?" for _ in revision_ids)
    newest = f"""SELECT asked.id AS asked, (SELECT d.id FROM dry_run d JOIN revision r ON r.id = d.revision_id
            WHERE r.problemset_id = asked.problemset_id AND r.number <= asked.number
            ORDER BY r.number DESC, d.id DESC LIMIT 1) AS dry_run
        FROM revision asked WHERE asked.id IN ({marks})"""
    sql = f"""WITH newest AS ({newest})
        SELECT n.asked, r.number, d.*, {_PROBLEM_COLUMNS}, '{{}}' AS body
        FROM newest n JOIN dry_run d ON d.id = n.dry_run JOIN revision r ON r.id = d.revision_id
        LEFT JOIN dry_run_problem p ON p.dry_run_id = d.id ORDER BY n.asked, p.position"""
    rows: dict[int, list[dict[str, Any]]] = {}
    numbers: dict[int, int] = {}
    with ws.read() as db:
        for row in db.query(sql, list(revision_ids)):
            asked = int(row.pop("asked"))
            numbers[asked] = int(row.pop("number"))
            rows.setdefault(asked, []).append(row)
    return {asked: NewestDryRun(numbers[asked], _gather(found)[0]) for asked, found in rows.items()}


def _joined(db: "Database", which: str, values: Sequence[int], *, light: bool) -> list[DryRun]:
    """Return the dry runs whose ids `which` names in SQL, with their problems."""
    sql = f"""SELECT d.*, {_PROBLEM_COLUMNS}, {"'{}'" if light else "p.body"} AS body
        FROM dry_run d LEFT JOIN dry_run_problem p ON p.dry_run_id = d.id WHERE d.id IN ({which})
        ORDER BY d.id, p.position"""
    return _gather(db.query(sql, values))


def _gather(rows: Iterable[dict[str, Any]]) -> list[DryRun]:
    """Return the dry runs of rows that stand in the order of dry runs and their problems."""
    found: list[DryRun] = []
    for row in rows:
        of_problem = {name: row.pop(name) for name in ("body", *_PROBLEM_COLUMNS.split(", "))}
        if not found or found[-1].id != row["id"]:
            found.append(DryRun(**{**row, "summary": json.loads(row["summary"])}, problems=()))
        if of_problem["position"] is not None:
            found[-1] = replace(found[-1], problems=(*found[-1].problems, _problem(of_problem)))
    return found


def _problem(row: Mapping[str, Any]) -> DryRunProblem:
    plain = {key: value for key, value in row.items() if key not in ("position", "body")}
    return DryRunProblem(index=row["position"], **plain, **json.loads(row["body"]))
