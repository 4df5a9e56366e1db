"""Lists of jobs by state and kind."""

# ruff: noqa: S608  # SQL is put together from fragments of this file only; values are always bound

from collections.abc import Sequence

from authoring.store.jobs import Job, job_of
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


def _chosen_jobs(states: Sequence[str] | None, kinds: Sequence[str] | None) -> tuple[str, list[str]]:
    terms: list[str] = []
    values: list[str] = []
    for column, names in (("state", states), ("kind", kinds)):
        if names:
            terms.append(f"{column} IN ({', '.join('?' for _ in names)})")
            values += names
    return f"WHERE {' AND '.join(terms)}" if terms else "", values
