"""Who works off the jobs of a workspace, so that a screen can say that nobody does."""

import os
import platform
import uuid
from dataclasses import dataclass

from authoring.store.clock import age_s, timestamp
from authoring.store.workspace import Workspace

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


def worker_status(ws: Workspace) -> WorkerStatus:
    """Return how many jobs wait or run, and how many workers there are for them."""
    sql = """SELECT (SELECT count(*) FROM job WHERE state IN ('queued', 'running')),
        (SELECT count(*) FROM worker WHERE heartbeat_at >= ?)"""
    with ws.read() as db:
        return WorkerStatus(*db.execute(sql, [timestamp(shift_s=-ALIVE_WITHIN_S)]).fetchone())


def live_workers(ws: Workspace, *, within_s: float = ALIVE_WITHIN_S) -> list[WorkerRow]:
    """Return the workers that reported within the last seconds, the latest report first."""
    sql = "SELECT * FROM worker WHERE heartbeat_at >= ? ORDER BY heartbeat_at DESC"
    with ws.read() as db:
        return [WorkerRow(**row) for row in db.query(sql, [timestamp(shift_s=-within_s)])]
