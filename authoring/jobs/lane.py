"""The long-lived process of one lane: takes jobs from its supervisor, one at a time, and keeps an engine warm."""

import argparse
import contextlib
import json
import signal
import socket
import sys
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from authoring.jobs.context import JobCancelled, JobContext
from authoring.jobs.declaring import JobKind
from authoring.jobs.engines import WarmEngine
from authoring.jobs.kinds import find_kind, load_kinds
from authoring.jobs.reporter import Reporter, stop_own_group
from authoring.store import jobs
from authoring.store.jobs import Job, end_interrupted
from authoring.store.statuses import JobState
from authoring.store.workspace import Workspace
from evaluator.errors import ToolkitError, error_from_machine
from evaluator.models import BudgetSpentError

IDLE = b'{"idle": true}\n'  # what the process says when it can take a job


@dataclass(frozen=True)
class Lane:
    """Runs jobs one after the other in this process."""

    workspace: Workspace
    kinds: Mapping[str, JobKind[Any]]
    warm: WarmEngine
    supervisor_pid: int

    def run_job(self, job: Job) -> None:
        """Run a claimed job to its end and store how it ended.

        Raises:
            JobCancelled: If it was cancelled; the supervisor then marks it.
        """
        reporter = Reporter(self.workspace, job, supervisor_pid=self.supervisor_pid, stop=stop_own_group)
        context = JobContext(self.workspace, job, self.warm, reporter.report, reporter.cancelled)
        reporter.start()
        error: ToolkitError | None = None
        try:
            result = find_kind(self.kinds, job.kind).run(context, job.payload)
            reporter.end()
            jobs.finish(self.workspace, job.id, job.owner or "", result=result)
        except BudgetSpentError as failure:
            self._stop_at_budget(job, failure, reporter)
        except ToolkitError as failure:
            error = failure
            reporter.log(traceback.format_exc())
        except Exception as failure:  # noqa: BLE001 - the boundary of a job: any failure becomes a stored error
            error = _unexpected(failure, reporter.log_path)
            reporter.log(traceback.format_exc())
        if error is not None:
            self._fail(job, error, reporter)

    def _stop_at_budget(self, job: Job, error: BudgetSpentError, reporter: Reporter) -> None:
        """Leave the job as interrupted: it resumes when somebody grants it more."""
        reporter.report(0, 0, error.what)
        reporter.end()
        fix = f"grant more with 'benchwright job resume {job.id} --budget-...': answers that were paid are used again"
        record = {"what": error.what, "where": error.where, "fix": fix}
        end_interrupted(self.workspace, job.id, job.owner or "", error=record)

    def _fail(self, job: Job, error: ToolkitError, reporter: Reporter) -> None:
        if error.exit_code not in (1, 2):
            self.warm.drop()
        reporter.end()
        record = {"what": error.what, "where": error.where, "fix": error.fix}
        record |= {"by_input": "yes"} if error.is_by_input else {}
        try:
            jobs.fail(self.workspace, job.id, job.owner or "", error=record)
        except ToolkitError as failure:  # nothing can be written: the missing heartbeat will mark the job
            reporter.log(f"report failed: {failure}")


def serve(lane: Lane, control: socket.socket) -> None:
    """Run the jobs whose ids arrive on `control`, one line each; return when the supervisor closes it."""
    with control, control.makefile("r", encoding="utf-8") as orders:
        control.sendall(IDLE)
        for line in orders:
            order = json.loads(line)
            job = jobs.find(lane.workspace, order["job"])
            if job.owner == order["owner"] and job.state == JobState.RUNNING:
                lane.run_job(job)
                lane.warm.rest()
            control.sendall(IDLE)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a lane; started by the worker only."""
    parser = argparse.ArgumentParser(prog="python -m authoring.jobs.lane")
    parser.add_argument("--workspace", type=Path, required=True)
    parser.add_argument("--kinds", required=True)
    parser.add_argument("--control", type=int, required=True, help="descriptor of the socket to the supervisor")
    parser.add_argument("--supervisor", type=int, required=True, help="process id of the worker")
    parser.add_argument("--warm", action="store_true", help="make the engine before the first job")
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, _end_by_signal)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the supervisor's to handle
    warm = WarmEngine()
    try:
        workspace = Workspace.open(options.workspace, create=False)
        lane = Lane(workspace, load_kinds(options.kinds), warm, options.supervisor)
        with contextlib.suppress(JobCancelled):
            if options.warm:
                warm.prepare(workspace)
            serve(lane, socket.socket(fileno=options.control))
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        warm.drop()
    return 0


def _end_by_signal(_number: int, _frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a second one must not break the tidying up
    raise JobCancelled


def _unexpected(error: Exception, log: Path) -> ToolkitError:
    known = error_from_machine(error)
    if known is not None:
        return known
    what = f"unexpected {type(error).__name__} in the job: {' '.join(str(error).split())[:200]}"
    return ToolkitError(what, where=str(log), fix="please report it and attach the named file; then press Resume")


if __name__ == "__main__":
    sys.exit(main())
