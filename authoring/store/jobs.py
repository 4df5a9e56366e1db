"""The queue of background work: one row per job, claimed and reported by workers under an owner token."""
# ruff: noqa: S608  # SQL is put together from fragments of this file only; values are always bound

import json
import os
import platform
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from authoring.store.database.connections import age_s, timestamp
from authoring.store.statuses import LIVE_STATES, JobState
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, UsageError

if TYPE_CHECKING:
    from sqlite_utils import Database

LOG_TAIL_CHARS = 8000
STALE_AFTER_S = 20.0
KEPT_RESULTS = 5  # newest results that are kept of the jobs with one key
_INTERRUPTED = {
    "what": "the worker stopped in the middle of the job",
    "where": "",
    "fix": "press Resume, or queue the job again; what it finished before is kept",
}


@dataclass(frozen=True)
class Job:
    """One piece of background work. Its result is read with `job_result`: it can be large."""

    id: int
    kind: str
    key: str | None  # at most one job with this key is queued or running
    payload: dict[str, Any]
    state: JobState
    done: int  # steps done of `total`
    total: int  # 0: not known yet
    log_tail: str  # the last characters of what the job reported
    created_by: str
    created_at: str
    started_at: str | None
    heartbeat_at: str | None
    finished_at: str | None
    owner: str | None  # the token under which a worker runs it
    cancel_requested: bool
    error: dict[str, str] | None  # what, where, fix; by_input; dismissed_by, once somebody has put its notice away
    attempts: int  # how often it was started

    @property
    def live(self) -> bool:
        """Whether it is queued or running."""
        return self.state in LIVE_STATES

    @property
    def fails_again(self) -> bool:
        """Whether it failed for what was sent with its order: to resume it is of no use."""
        return self.state == JobState.FAILED and bool((self.error or {}).get("by_input"))

    @property
    def dismissed_by(self) -> str:
        """Who has put the notice of its failure away; empty: nobody."""
        return str((self.error or {}).get("dismissed_by") or "")


class Heartbeat(NamedTuple):
    """What a worker learns when it reports."""

    still_ours: bool  # False: the row was taken away; stop, write nothing more
    cancel_requested: bool


def enqueue(
    ws: Workspace, *, kind: str, payload: Mapping[str, Any], key: str | None = None, created_by: str = ""
) -> Job:
    """Queue a job, or return the queued or running one with the same `key`: a double click is one job."""
    body = json.dumps(dict(payload))
    with ws.write() as db:
        if key is not None and (live := _live_with_key(db, key)) is not None:
            return live
        row = {
            "kind": kind,
            "key": key,
            "payload": body,
            "state": JobState.QUEUED,
            "created_by": created_by,
            "created_at": timestamp(),
        }
        return _find(db, int(db.table("job").insert(row).last_pk))


def find(ws: Workspace, job_id: int) -> Job:
    """Return a job.

    Raises:
        UsageError: If there is none with that id.
    """
    with ws.read() as db:
        return _find(db, job_id)


def find_latest(ws: Workspace, key: str) -> Job | None:
    """Return the newest job with that key, whatever its state; None when there was never one."""
    with ws.read() as db:
        rows = list(db.query("SELECT * FROM job WHERE key = ? ORDER BY id DESC LIMIT 1", [key]))
    return from_row(rows[0]) if rows else None


def job_result(ws: Workspace, job_id: int) -> dict[str, Any] | None:
    """Return what a finished job left; None when it has not finished, or newer jobs with its key replaced it."""
    with ws.read() as db:
        found = db.execute("SELECT body FROM job_result WHERE job_id = ?", [job_id]).fetchone()
    return None if found is None else dict(json.loads(found[0]))


def claim(ws: Workspace, *, owner: str | None = None, kinds: Sequence[str]) -> Job | None:
    """Take the oldest queued job of these kinds and return it as running; None when there is none.

    Args:
        ws: The workspace.
        owner: The token of the claim; a random one when it is None.
        kinds: The kinds of job that the caller can do.
    """
    marks = ", ".join("?" for _ in kinds)
    queued = f"SELECT id FROM job WHERE state = 'queued' AND kind IN ({marks}) ORDER BY id LIMIT 1"
    with ws.read() as db:  # a look costs nobody anything, a write transaction makes others wait
        if db.execute(queued, list(kinds)).fetchone() is None:
            return None
    now = timestamp()
    with ws.write() as db:
        found = db.execute(queued, list(kinds)).fetchone()
        if found is None:
            return None
        db.execute(
            "UPDATE job SET state = 'running', owner = ?, started_at = ?, heartbeat_at = ?, attempts = attempts + 1,"
            " done = 0, total = 0, log_tail = '', error = NULL WHERE id = ?",
            [owner or uuid.uuid4().hex, now, now, found[0]],
        )
        return _find(db, int(found[0]))


def heartbeat(ws: Workspace, job_id: int, owner: str, *, done: int, total: int, log_tail: str) -> Heartbeat:
    """Report progress and learn whether the job is still the caller's and whether it is to be cancelled."""
    with ws.write() as db:
        rows = db.execute(
            "UPDATE job SET heartbeat_at = ?, done = ?, total = ?, log_tail = ?"
            " WHERE id = ? AND owner = ? AND state = 'running' RETURNING cancel_requested",
            [timestamp(), done, total, log_tail[-LOG_TAIL_CHARS:], job_id, owner],
        ).fetchall()
    return Heartbeat(still_ours=bool(rows), cancel_requested=bool(rows and rows[0][0]))


def finish(ws: Workspace, job_id: int, owner: str, *, result: Mapping[str, Any]) -> bool:
    """Store the result of a job that succeeded; False, and nothing stored, when the job is no longer the caller's."""
    body = json.dumps(dict(result))
    with ws.write() as db:
        if not _end(db, job_id, owner, state=JobState.DONE, error=None):
            return False
        db.execute("INSERT OR REPLACE INTO job_result VALUES (?, ?)", [job_id, body])
        db.execute(
            """DELETE FROM job_result WHERE job_id IN (SELECT id FROM job WHERE key = (SELECT key FROM job WHERE id = ?)
            AND state NOT IN ('queued', 'running') ORDER BY id DESC LIMIT -1 OFFSET ?)""",
            [job_id, KEPT_RESULTS],
        )
    return True


def fail(ws: Workspace, job_id: int, owner: str, *, error: Mapping[str, str]) -> bool:
    """Store why a job failed (what, where, fix); False when the job is no longer the caller's."""
    with ws.write() as db:
        return _end(db, job_id, owner, state=JobState.FAILED, error=error)


def end_cancelled(ws: Workspace, job_id: int, owner: str) -> bool:
    """Mark a job as cancelled after its work has stopped; False when the job is no longer the caller's."""
    with ws.write() as db:
        return _end(db, job_id, owner, state=JobState.CANCELLED, error=None)


def end_interrupted(ws: Workspace, job_id: int, owner: str, *, error: Mapping[str, str] | None = None) -> bool:
    """Mark a job as interrupted; `resume` queues it again. False when the job is no longer the caller's."""
    with ws.write() as db:
        return _end(db, job_id, owner, state=JobState.INTERRUPTED, error=error or _INTERRUPTED)


def cancel(ws: Workspace, job_id: int) -> Job:
    """Cancel a job: a queued one at once, a running one by asking its worker; an ended one stays as it is."""
    with ws.write() as db:
        now = timestamp()
        db.execute(
            "UPDATE job SET state = 'cancelled', finished_at = ? WHERE id = ? AND state = 'queued'", [now, job_id]
        )
        db.execute("UPDATE job SET cancel_requested = 1 WHERE id = ? AND state = 'running'", [job_id])
        return _find(db, job_id)


def dismiss(ws: Workspace, job_id: int, *, by: str) -> None:
    """Put the notice of a failed or interrupted job away, for everybody; it stays in the list, and can be resumed."""
    with ws.write() as db:
        db.execute(
            "UPDATE job SET error = json_set(coalesce(error, '{}'), '$.dismissed_by', ?)"
            " WHERE id = ? AND state IN ('failed', 'interrupted')",
            [by, job_id],
        )


def find_latest_of_all(ws: Workspace, keys: Sequence[str]) -> dict[str, Job]:
    """Return key -> the newest job with it, for those keys that have any."""
    marks = ", ".join("?" for _ in keys)
    sql = f"SELECT * FROM job WHERE id IN (SELECT max(id) FROM job WHERE key IN ({marks}) GROUP BY key)"
    with ws.read() as db:
        return {row["key"]: from_row(row) for row in db.query(sql, list(keys))}


def cancel_wishes(ws: Workspace, job_ids: Sequence[int]) -> list[int]:
    """Return those of the running jobs that somebody wants cancelled."""
    marks = ", ".join("?" for _ in job_ids)
    sql = f"SELECT id FROM job WHERE id IN ({marks}) AND state = 'running' AND cancel_requested = 1"
    with ws.read() as db:
        return [int(row[0]) for row in db.execute(sql, list(job_ids))]


def resume(ws: Workspace, job_id: int, changes: Mapping[str, Any] | None = None) -> Job:
    """Queue an interrupted, failed or cancelled job again; a job with the same key that is live is returned instead.

    Args:
        ws: The workspace.
        job_id: Its id.
        changes: Fields of its payload that get other values, such as a larger budget.

    Raises:
        ContentError: If it is done.
    """
    with ws.write() as db:
        job = _find(db, job_id)
        if job.live:
            return job
        if job.state == JobState.DONE:
            raise ContentError(f"job {job_id} is done", fix="start a new one")
        if job.key is not None and (live := _live_with_key(db, job.key)) is not None:
            return live
        db.execute(
            "UPDATE job SET state = 'queued', owner = NULL, cancel_requested = 0, finished_at = NULL, error = NULL,"
            " payload = ? WHERE id = ?",
            [json.dumps({**job.payload, **(changes or {})}), job_id],
        )
        return _find(db, job_id)


def mark_interrupted(ws: Workspace, older_than_s: float = STALE_AFTER_S) -> list[int]:
    """Mark running jobs without a heartbeat in the last seconds: interrupted, or cancelled where that was asked."""
    values = {"now": timestamp(), "limit": timestamp(shift_s=-older_than_s), "error": json.dumps(_INTERRUPTED)}
    stale = "SELECT id FROM job WHERE state = 'running' AND heartbeat_at < :limit"
    with ws.read() as db:
        if db.execute(stale, values).fetchone() is None:
            return []
    with ws.write() as db:
        rows = db.execute(
            """UPDATE job SET owner = NULL, finished_at = :now,
            state = CASE cancel_requested WHEN 1 THEN 'cancelled' ELSE 'interrupted' END,
            error = CASE cancel_requested WHEN 1 THEN NULL ELSE :error END
            WHERE state = 'running' AND heartbeat_at < :limit RETURNING id""",
            values,
        ).fetchall()
    return sorted(int(row[0]) for row in rows)


def _end(db: "Database", job_id: int, owner: str, *, state: str, error: Mapping[str, str] | None) -> bool:
    cursor = db.execute(
        "UPDATE job SET state = ?, error = ?, finished_at = ?, owner = NULL"
        " WHERE id = ? AND owner = ? AND state = 'running'",
        [state, None if error is None else json.dumps(dict(error)), timestamp(), job_id, owner],
    )
    return bool(cursor.rowcount)


def _live_with_key(db: "Database", key: str) -> Job | None:
    rows = list(db.query("SELECT * FROM job WHERE key = ? AND state IN ('queued', 'running')", [key]))
    return from_row(rows[0]) if rows else None


def _find(db: "Database", job_id: int) -> Job:
    rows = list(db.query("SELECT * FROM job WHERE id = ?", [job_id]))
    if not rows:
        raise UsageError(f"no job has the id {job_id}", fix="see the list of jobs for those there are")
    return from_row(rows[0])


def from_row(row: Mapping[str, Any]) -> Job:
    """Return a row of the table `job` as an object."""
    error = row["error"]
    values: dict[str, Any] = {
        **row,
        "payload": json.loads(row["payload"]),
        "cancel_requested": bool(row["cancel_requested"]),
        "error": None if error is None else json.loads(error),
    }
    return Job(**values)


def select(
    ws: Workspace,
    limit: int = 50,
    states: Sequence[str] | None = None,
    *,
    kinds: Sequence[str] | None = None,
    offset: int = 0,
) -> list[Job]:
    """Return one page of jobs, newest first, of all states and kinds or of the named ones."""
    where, values = _chosen_jobs(states, kinds)
    with ws.read() as db:
        sql = f"SELECT * FROM job {where} ORDER BY id DESC LIMIT ? OFFSET ?"
        return [from_row(row) for row in db.query(sql, [*values, limit, offset])]


def _field(*path: str) -> str:
    """Return SQL for a field of an order; NULL where it is absent or empty."""
    return f"nullif(json_extract(payload, '$.{'.'.join(path)}'), '')"


_REVISION = f"coalesce({_field('revision_id')}, {_field('problemset')})"
_EARLIER = f"coalesce({_field('rescore')}, {_field('again')})"
_RELEASE = f"(SELECT name || ' ' || version FROM release WHERE id = {_field('release')})"
_PATH = f"rtrim({_field('benchmark')}, '/')"
_FOLDER = f"replace({_PATH}, rtrim({_PATH}, replace({_PATH}, '/', '')), '')"  # its last name
_SUBJECT = f"""coalesce(
    (SELECT p.name FROM revision r JOIN problemset p ON p.id = r.problemset_id WHERE r.id = {_REVISION}),
    (SELECT name FROM problemset WHERE id = {_field("problemset_id")}),
    (SELECT agent || ' on ' || release FROM run WHERE id = {_EARLIER}),
    {_field("title")}, {_field("name")} || coalesce(' ' || {_field("version")}, ''),
    (SELECT name FROM sketch WHERE id = {_field("sketch")}), {_field("sketch")},
    (SELECT name FROM seed WHERE id = {_field("seed")}), {_field("seed")},
    {_field("problemset")}, {_field("file", "name")},
    coalesce({_field("called")}, {_field("agent")}, 'oracle') || ' on '
        || coalesce({_RELEASE}, {_field("release")}, {_FOLDER}),
    '')"""


def subjects(ws: Workspace, job_ids: Sequence[int]) -> dict[int, str]:
    """Return job id -> what the job is about, by name: its problemset, seed, sketch, release or file; empty: nothing.

    What is stored under an id, and is gone by now, is named by the id.
    """
    marks = ", ".join("?" for _ in job_ids)
    with ws.read() as db:
        found = db.execute(f"SELECT id, {_SUBJECT} FROM job WHERE id IN ({marks})", list(job_ids)).fetchall()
    return {int(job_id): str(subject) for job_id, subject in found}


def live_subjects(ws: Workspace, limit: int) -> list[tuple[str, str]]:
    """Return the kinds of the first jobs that wait or run, each with what the job is about."""
    sql = f"SELECT kind, {_SUBJECT} FROM job WHERE state IN ('queued', 'running') ORDER BY id LIMIT ?"
    with ws.read() as db:
        rows = db.execute(sql, [limit]).fetchall()
    return [(str(kind), str(subject)) for kind, subject in rows]


def count(ws: Workspace) -> dict[tuple[str, str], int]:
    """Return (state, kind) -> jobs (count)."""
    with ws.read() as db:
        rows = db.execute("SELECT state, kind, count(*) FROM job GROUP BY state, kind ORDER BY state, kind").fetchall()
    return {(state, kind): number for state, kind, number in rows}


def select_results(ws: Workspace, key: str, limit: int = KEPT_RESULTS) -> list[tuple[Job, dict[str, Any] | None]]:
    """Return the newest jobs with that key, newest first, each with what it left; None: nothing, or not any more."""
    sql = "SELECT j.*, r.body FROM job j LEFT JOIN job_result r ON r.job_id = j.id WHERE j.key = ? ORDER BY j.id DESC"
    with ws.read() as db:
        rows = list(db.query(f"{sql} LIMIT ?", [key, limit]))
    bodies = [row.pop("body") for row in rows]
    return [(from_row(row), json.loads(body) if body else None) for row, body in zip(rows, bodies, strict=True)]


def latest_results(ws: Workspace, keys: Sequence[str]) -> list[tuple[Job, dict[str, Any]]]:
    """Return the newest job of each key that left something, with that: one at work, or cancelled, hides no earlier."""
    names = ", ".join("?" for _ in keys)
    sql = f"""SELECT j.*, r.body FROM job j JOIN job_result r ON r.job_id = j.id
        WHERE j.id IN (SELECT max(o.id) FROM job_result JOIN job o ON o.id = job_id WHERE key IN ({names}) GROUP BY key)
        ORDER BY j.id"""
    with ws.read() as db:
        rows = list(db.query(sql, list(keys)))
    bodies = [row.pop("body") for row in rows]
    return [(from_row(row), json.loads(body)) for row, body in zip(rows, bodies, strict=True)]


def spending(ws: Workspace, job_ids: Sequence[int]) -> dict[int, tuple[int, float, float]]:
    """Return what the model calls of each job took, over all its starts: tokens, cost and seconds."""
    sql = f"""SELECT job_id, sum(prompt_tokens + completion_tokens), COALESCE(sum(cost), 0.0), sum(seconds)
        FROM model_call WHERE job_id IN ({", ".join("?" for _ in job_ids)}) GROUP BY job_id"""
    spent = dict.fromkeys(job_ids, (0, 0.0, 0.0))
    with ws.read() as db:
        for job_id, tokens, cost, seconds in db.execute(sql, list(job_ids)):
            spent[job_id] = (int(tokens), float(cost), float(seconds))
    return spent


def _chosen_jobs(states: Sequence[str] | None, kinds: Sequence[str] | None) -> tuple[str, list[str]]:
    terms: list[str] = []
    values: list[str] = []
    for column, names in (("state", states), ("kind", kinds)):
        if names:
            terms.append(f"{column} IN ({', '.join('?' for _ in names)})")
            values += names
    return f"WHERE {' AND '.join(terms)}" if terms else "", values


ALIVE_WITHIN_S = 10.0


@dataclass(frozen=True)
class WorkerRow:
    """A worker process as it last reported."""

    id: str
    pid: int
    host: str
    started_at: str
    heartbeat_at: str

    @property
    def age_s(self) -> float:
        """Seconds since its last report."""
        return age_s(self.heartbeat_at)


def register_worker(ws: Workspace) -> str:
    """Enter this process as a worker and return its id."""
    worker_id, now = uuid.uuid4().hex, timestamp()
    with ws.write() as db:
        db.execute("DELETE FROM worker WHERE heartbeat_at < ?", [timestamp(shift_s=-24 * 3600)])
        db.execute("INSERT INTO worker VALUES (?, ?, ?, ?, ?)", [worker_id, os.getpid(), platform.node(), now, now])
    return worker_id


def beat_worker(ws: Workspace, worker_id: str) -> None:
    """Report that the worker lives."""
    with ws.write() as db:
        db.execute("UPDATE worker SET heartbeat_at = ? WHERE id = ?", [timestamp(), worker_id])


def remove_worker(ws: Workspace, worker_id: str) -> None:
    """Take out a worker that ends."""
    with ws.write() as db:
        db.execute("DELETE FROM worker WHERE id = ?", [worker_id])


@dataclass(frozen=True)
class WorkerStatus:
    """What every page says of the work behind it."""

    live_jobs: int  # waiting or running (count)
    workers: int  # that reported lately (count)
    waiting: int = 0  # of `live_jobs`: nothing is done about them yet (count)


def worker_status(ws: Workspace) -> WorkerStatus:
    """Return how many jobs wait or run, and how many workers there are for them."""
    sql = """SELECT (SELECT count(*) FROM job WHERE state IN ('queued', 'running')),
        (SELECT count(*) FROM worker WHERE heartbeat_at >= ?), (SELECT count(*) FROM job WHERE state = 'queued')"""
    with ws.read() as db:
        return WorkerStatus(*db.execute(sql, [timestamp(shift_s=-ALIVE_WITHIN_S)]).fetchone())


def live_workers(ws: Workspace, *, within_s: float = ALIVE_WITHIN_S) -> list[WorkerRow]:
    """Return the workers that reported within the last seconds, the latest report first."""
    sql = "SELECT * FROM worker WHERE heartbeat_at >= ? ORDER BY heartbeat_at DESC"
    with ws.read() as db:
        return [WorkerRow(**row) for row in db.query(sql, [timestamp(shift_s=-within_s)])]
