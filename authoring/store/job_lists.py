"""Lists of jobs by state and kind."""

# ruff: noqa: S608  # SQL is put together from fragments of this file only; values are always bound

import json
from collections.abc import Sequence
from typing import Any

from authoring.store.jobs import KEPT_RESULTS, Job, job_of
from authoring.store.workspace import Workspace


def list_jobs(
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
        return [job_of(row) for row in db.query(sql, [*values, limit, offset])]


def count_jobs(ws: Workspace) -> dict[tuple[str, str], int]:
    """Return (state, kind) -> jobs (count)."""
    with ws.read() as db:
        rows = db.execute("SELECT state, kind, count(*) FROM job GROUP BY state, kind ORDER BY state, kind").fetchall()
    return {(state, kind): number for state, kind, number in rows}


def list_job_results(ws: Workspace, key: str, limit: int = KEPT_RESULTS) -> list[tuple[Job, dict[str, Any] | None]]:
    """Return the newest jobs with that key, newest first, each with what it left; None: nothing, or not any more."""
    sql = "SELECT j.*, r.body FROM job j LEFT JOIN job_result r ON r.job_id = j.id WHERE j.key = ? ORDER BY j.id DESC"
    with ws.read() as db:
        rows = list(db.query(f"{sql} LIMIT ?", [key, limit]))
    bodies = [row.pop("body") for row in rows]
    return [(job_of(row), json.loads(body) if body else None) for row, body in zip(rows, bodies, strict=True)]


def latest_job_results(ws: Workspace, keys: Sequence[str]) -> list[tuple[Job, dict[str, Any]]]:
    """Return the newest job of each key together with what it left, where it left something."""
    sql = f"""SELECT j.*, r.body FROM job j JOIN job_result r ON r.job_id = j.id
        WHERE j.id IN ({_newest_of(keys)}) ORDER BY j.id"""
    with ws.read() as db:
        rows = list(db.query(sql, list(keys)))
    bodies = [row.pop("body") for row in rows]
    return [(job_of(row), json.loads(body)) for row, body in zip(rows, bodies, strict=True)]


def _newest_of(keys: Sequence[str]) -> str:
    return f"SELECT max(id) FROM job WHERE key IN ({', '.join('?' for _ in keys)}) GROUP BY key"


def spending_of_jobs(ws: Workspace, job_ids: Sequence[int]) -> dict[int, tuple[int, float, float]]:
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
