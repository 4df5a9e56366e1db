"""The process that works off a workspace's jobs: two lanes, each a child process; imports no Streamlit.

`python -m authoring.worker --workspace W` runs until SIGTERM; several workers may serve one workspace.
"""

import argparse
import contextlib
import os
import selectors
import signal
import sys
import time
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from authoring.jobs import LANES, JobKind, load_kinds
from authoring.jobs.children import LaneProcess
from authoring.store.jobs import (
    Job,
    beat_worker,
    cancel_wishes,
    end_cancelled,
    end_interrupted,
    mark_interrupted,
    register_worker,
    remove_worker,
)
from authoring.store.jobs import claim as claim_job
from authoring.store.jobs import fail as fail_job
from authoring.store.jobs import find as find_job
from authoring.store.jobs import select as list_jobs
from authoring.store.statuses import JobState
from authoring.store.workspace import Workspace
from evaluator.errors import ToolkitError

POLL_S = 0.2
BEAT_S = 2.0  # the worker's own sign of life
SWEEP_S = 10.0  # how often jobs without heartbeat are looked for
GRACE_S = 5.0  # between SIGTERM and SIGKILL
MAX_FAILED_STARTS = 3  # of a lane in a row, then the worker says so
OUR_KINDS = "authoring.jobs"
WARM_LANE = "interactive"  # its engine is made at the start: the first Run in the editor waits for nothing


class Supervisor:
    """Claims jobs and hands them to the lanes; runs no job itself, so it can always end one."""

    def __init__(self, workspace: Workspace, *, kinds_module: str = OUR_KINDS, parent_pid: int | None = None) -> None:
        """Prepare a worker.

        Args:
            workspace: Whose jobs are done.
            kinds_module: The module with the table `JOB_KINDS`.
            parent_pid: End when this process is gone; None: run on.
        """
        self._workspace = workspace
        self._parent_pid = parent_pid
        self._kinds: Mapping[str, JobKind[Any]] = load_kinds(kinds_module)
        self._token = uuid.uuid4().hex
        self._lanes = {
            name: LaneProcess(name, workspace, kinds_module, warm=name == WARM_LANE and kinds_module == OUR_KINDS)
            for name in LANES
        }
        self._watch = workspace.watch()
        self._found_nothing: dict[str, tuple[int, int]] = {}  # by lane: the database as it was at the last look in vain
        self._worker_id = ""
        self._ending = False
        self._last_beat = self._last_sweep = 0.0

    def request_end(self, *_signal: object) -> None:
        """Let the running loop end soon: the lanes are stopped, their jobs become interrupted."""
        self._ending = True

    def work(self, *, once: bool = False) -> None:
        """Work until `request_end`; with `once`, until no job is queued or running here."""
        self._worker_id = register_worker(self._workspace)
        try:
            while not self._ending and not (self._parent_pid and not _is_alive(self._parent_pid)):
                try:
                    self._step()
                    if once and self._is_idle():
                        break
                except ToolkitError as error:
                    if once or not self._workspace.database_path.exists():
                        raise  # nobody waits for better times, or the workspace was deleted
                    # locked or full for a while: say so, try again
                    print(f"worker: {error}", file=sys.stderr, flush=True)
                    time.sleep(1.0)
        finally:
            self._close()

    def _step(self) -> None:
        now = time.monotonic()
        if now - self._last_beat >= BEAT_S:
            beat_worker(self._workspace, self._worker_id)
            self._last_beat = now
        if now - self._last_sweep >= SWEEP_S:
            mark_interrupted(self._workspace)
            self._last_sweep = now
        for lane in self._lanes.values():
            self._reap(lane)
            lane.start()
            if lane.is_free:
                self._feed(lane)
        self._pass_on_cancels()
        self._wait()

    def _feed(self, lane: LaneProcess) -> None:
        version = self._watch.version()  # read before the look: what is written after it is looked for again
        if self._found_nothing.get(lane.name) == version:
            return
        kinds = [name for name, kind in self._kinds.items() if kind.lane == lane.name]
        job = claim_job(self._workspace, owner=f"{self._token}-{uuid.uuid4().hex}", kinds=kinds)
        if job is None:
            self._found_nothing[lane.name] = version
        else:
            lane.give(job)

    def _wait(self) -> None:
        """Sleep until a lane speaks or the next poll is due."""
        with selectors.DefaultSelector() as selector:
            for lane in self._lanes.values():
                if lane.control is not None:
                    selector.register(lane.control, selectors.EVENT_READ)
            if not selector.get_map():
                time.sleep(POLL_S)
                return
            selector.select(POLL_S)
        for lane in self._lanes.values():
            lane.listen()

    def _pass_on_cancels(self) -> None:
        running = {lane.job.id: lane for lane in self._lanes.values() if lane.job is not None}
        if running:
            for job_id in cancel_wishes(self._workspace, list(running)):
                running[job_id].terminate()
        for lane in self._lanes.values():
            lane.kill_if_overdue(GRACE_S)

    def _reap(self, lane: LaneProcess) -> None:
        """Store how a job ended whose process is gone."""
        job, code = lane.job, lane.exit_code()
        if code is None:
            return
        was_cancelled = lane.clear()
        if job is None:
            if lane.failed_starts >= MAX_FAILED_STARTS:
                raise _cannot_start(lane)
            return
        if was_cancelled or find_job(self._workspace, job.id).cancel_requested:
            end_cancelled(self._workspace, job.id, job.owner or "")
        else:
            fail_job(self._workspace, job.id, job.owner or "", error=_death(job, lane, code))

    def _is_idle(self) -> bool:
        if any(lane.job is not None for lane in self._lanes.values()):
            return False
        queued = list_jobs(self._workspace, limit=1000, states=[JobState.QUEUED])
        return not any(job.kind in self._kinds for job in queued)

    def _close(self) -> None:
        self._watch.close()
        jobs = [lane.job for lane in self._lanes.values() if lane.job is not None]
        for lane in self._lanes.values():
            lane.terminate()
        for lane in self._lanes.values():
            lane.wait(GRACE_S)
        with contextlib.suppress(ToolkitError):  # what cannot be told now, the missing heartbeats will tell
            for job in jobs:
                end_interrupted(self._workspace, job.id, job.owner or "")
            remove_worker(self._workspace, self._worker_id)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a worker from the command line and return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m authoring.worker", description=__doc__)
    parser.add_argument("--workspace", type=Path, default=Path("./workspace"))
    parser.add_argument("--once", action="store_true", help="end when no job is left")
    parser.add_argument("--parent-pid", type=int, help="end when this process is gone")
    parser.add_argument("--kinds", default=OUR_KINDS, help="module with the table JOB_KINDS")
    options = parser.parse_args(arguments)
    try:
        run_worker(options.workspace, once=options.once, parent_pid=options.parent_pid, kinds_module=options.kinds)
    except ToolkitError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    return 0


def run_worker(
    workspace: Path, *, once: bool = False, parent_pid: int | None = None, kinds_module: str = OUR_KINDS
) -> None:
    """Work off the jobs of a workspace until SIGTERM or Ctrl-C; with `once`, until there is none left.

    Raises:
        UsageError: If `workspace` is not a workspace.
        ToolkitError: If it cannot be used.
    """
    supervisor = Supervisor(Workspace.open(workspace), kinds_module=kinds_module, parent_pid=parent_pid)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, supervisor.request_end)
    supervisor.work(once=once)


def _cannot_start(lane: LaneProcess) -> ToolkitError:
    return ToolkitError(
        f"the process for {lane.name} jobs ends as soon as it is started",
        where=str(lane.log_path),
        fix="look at the end of that log; if packages are missing, run 'make setup'",
    )


def _death(job: Job, lane: LaneProcess, code: int) -> dict[str, str]:
    how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
    hint = "the machine may have run out of memory: close other programs or use smaller data, then press Resume"
    return {
        "what": f"the process that ran the job {how}",
        "where": f"job {job.id} ({job.kind}); log {lane.log_path}",
        "fix": hint if code == -signal.SIGKILL else "look at the log, then press Resume",
    }


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


if __name__ == "__main__":
    sys.exit(main())
