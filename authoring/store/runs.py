"""Runs of agents on releases, and an index of their attempts: the records themselves are JSON Lines on disk."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from authoring.store.database.attempt_counts import renew_counts
from authoring.store.database.connections import timestamp
from authoring.store.workspace import Workspace
from evaluator.errors import UsageError

if TYPE_CHECKING:
    from sqlite_utils import Database

_BATCH = 500  # records written per transaction: other writers get their turn in between


@dataclass(frozen=True)
class RunRow:
    """One agent on one release."""

    id: int
    release: str  # name and version, or the path of the benchmark
    agent: str
    out_dir: str
    summary: dict[str, Any]
    created_at: str
    newest_attempt: int = 0  # the id of the one written last: another one whenever the run's attempts changed


@dataclass(frozen=True)
class AttemptRow:
    """One judged attempt, indexed from a record."""

    id: int
    run_id: int
    agent: str
    problemset: str
    position: int  # the record's `index`: from 1, problems only
    epoch: int
    attempt: int
    verdict: str
    subverdict: str
    seconds: float
    created_at: str
    record: dict[str, Any]  # the whole record


def insert(
    ws: Workspace, *, release: str, agent: str, out_dir: str, summary: Mapping[str, Any], adds: bool = False
) -> int:
    """Enter a run and return its id; the run that wrote to the same folder is updated.

    Args:
        ws: The workspace.
        release: Name and version of what was run.
        agent: Its name.
        out_dir: The run's folder.
        summary: What the run came to, and what the workspace keeps beside it.
        adds: Whether that adds to a summary which is there, instead of replacing it.
    """
    with ws.write() as db:
        there = db.execute("SELECT id, summary FROM run WHERE out_dir = ? AND agent = ?", [out_dir, agent]).fetchone()
        kept = json.loads(there[1]) if there is not None and adds else {}
        body = json.dumps({**kept, **summary})
        if there is not None:
            db.execute("UPDATE run SET summary = ?, release = ? WHERE id = ?", [body, release, there[0]])
            return int(there[0])
        row = {
            **{"release": release, "agent": agent, "out_dir": out_dir},
            **{"summary": body, "created_at": timestamp()},
        }
        return int(db.table("run").insert(row).last_pk)


def select(ws: Workspace, limit: int = 50, offset: int = 0, *, release: str | None = None) -> list[RunRow]:
    """Return one page of runs, of one release or of all, newest first."""
    sql = """SELECT * FROM run WHERE (:release IS NULL OR release = :release) ORDER BY id DESC
        LIMIT :limit OFFSET :offset"""
    with ws.read() as db:
        return [_run(row) for row in db.query(sql, {"release": release, "limit": limit, "offset": offset})]


def count_runs(ws: Workspace) -> dict[str, int]:
    """Return release -> its runs (count), the release that ran last first."""
    with ws.read() as db:
        return dict(db.execute("SELECT release, count(*) FROM run GROUP BY release ORDER BY max(id) DESC").fetchall())


def newest_runs(ws: Workspace, release: str, limit: int) -> list[RunRow]:
    """Return the newest run of each agent on a release, newest first."""
    sql = """SELECT * FROM run WHERE id IN (SELECT max(id) FROM run WHERE release = ? GROUP BY agent)
        ORDER BY id DESC LIMIT ?"""
    with ws.read() as db:
        return [_run(row) for row in db.query(sql, [release, limit])]


def find(ws: Workspace, run_id: int) -> RunRow:
    """Return a run.

    Raises:
        UsageError: If there is none with that id.
    """
    with ws.read() as db:
        return _find(db, run_id)


def find_several(ws: Workspace, run_ids: Sequence[int], *, missing_ok: bool = False) -> list[RunRow]:
    """Return runs in the order of their ids as given; with `missing_ok` those that there are.

    Raises:
        UsageError: If there is none with one of the ids.
    """
    with ws.read() as db:
        sql = "SELECT * FROM run WHERE id IN (SELECT value FROM json_each(?))"
        found = {row["id"]: _run(row) for row in db.query(sql, [json.dumps(list(run_ids))])}
    missing = next((run_id for run_id in run_ids if run_id not in found), None)
    if missing is not None and not missing_ok:
        raise UsageError(f"no run has the id {missing}", fix="go back to the runs: the list shows those there are")
    return [found[run_id] for run_id in run_ids if run_id in found]


def ids_by_folder(ws: Workspace, folders: Iterable[str]) -> dict[str, int]:
    """Return folder -> the newest run that lies there, for those folders that have any."""
    names = json.dumps(list(folders))
    sql = "SELECT out_dir, max(id) FROM run WHERE out_dir IN (SELECT value FROM json_each(?)) GROUP BY out_dir"
    with ws.read() as db:
        return {str(folder): int(found) for folder, found in db.execute(sql, [names]).fetchall()}


def index_attempts(ws: Workspace, run_id: int, records: Iterable[Mapping[str, Any]]) -> int:
    """Enter the records of a run; one that is there already is replaced. Returns how many were entered."""
    count, source = 0, iter(records)
    with ws.read() as db:
        agent = _find(db, run_id).agent
    while batch := list(islice(source, _BATCH)):
        rows = [_attempt_values(run_id, agent, record) for record in batch]
        with ws.write() as db:
            db.conn.executemany(
                "INSERT OR REPLACE INTO attempt (run_id, agent, problemset, position, epoch, attempt, verdict,"
                " subverdict, seconds, created_at, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                rows,
            )
            renew_counts(db, run_id, (row[2] for row in rows))
        count += len(rows)
    return count


def list_attempts(
    ws: Workspace,
    run_id: int,
    verdict: str | None = None,
    limit: int = 50,
    offset: int = 0,
    *,
    problemset: str | None = None,
) -> list[AttemptRow]:
    """Return one page of a run's attempts in order of problemset and position."""
    sql = """SELECT * FROM attempt WHERE run_id = :run AND (:verdict IS NULL OR verdict = :verdict)
        AND (:set IS NULL OR problemset = :set) ORDER BY problemset, position, epoch, attempt
        LIMIT :limit OFFSET :offset"""
    values = {"run": run_id, "verdict": verdict, "set": problemset, "limit": limit, "offset": offset}
    with ws.read() as db:
        return [attempt_of(row) for row in db.query(sql, values)]


def count_attempts(ws: Workspace, run_id: int) -> dict[str, int]:
    """Return the number of a run's attempts by verdict."""
    with ws.read() as db:
        sql = "SELECT verdict, count(*) FROM attempt WHERE run_id = ? GROUP BY verdict ORDER BY verdict"
        return dict(db.execute(sql, [run_id]).fetchall())


def count_attempts_by_set(ws: Workspace, run_id: int) -> dict[str, dict[str, int]]:
    """Return problemset -> verdict -> number of a run's attempts."""
    counts: dict[str, dict[str, int]] = {}
    sql = "SELECT problemset, verdict, count(*) FROM attempt WHERE run_id = ? GROUP BY problemset, verdict"
    with ws.read() as db:
        for problemset, verdict, number in db.execute(sql, [run_id]):
            counts.setdefault(problemset, {})[verdict] = number
    return counts


def _attempt_values(run_id: int, agent: str, record: Mapping[str, Any]) -> tuple[Any, ...]:
    return (
        run_id,
        agent,
        str(record["problemset"]),
        int(record["index"]),
        int(record.get("epoch") or 1),
        int(record.get("attempt") or 1),
        str(record["verdict"]),
        str(record.get("subverdict") or ""),
        float(record.get("seconds") or 0.0),
        timestamp(),
        json.dumps(dict(record)),
    )


def _find(db: "Database", run_id: int) -> RunRow:
    rows = list(db.query("SELECT * FROM run WHERE id = ?", [run_id]))
    if not rows:
        raise UsageError(f"no run has the id {run_id}", fix="reload the page: the list shows the runs there are")
    return _run(rows[0])


def _run(row: Mapping[str, Any]) -> RunRow:
    return RunRow(**{**row, "summary": json.loads(row["summary"])})


def attempt_of(row: Mapping[str, Any]) -> AttemptRow:
    """Return a row of the table `attempt` as an object."""
    plain = {key: value for key, value in row.items() if key not in ("body", "counts", "query")}
    return AttemptRow(**plain, record=json.loads(row["body"]))
