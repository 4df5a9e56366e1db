"""What becomes of jobs, on one worker for all of them."""

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from authoring.store.jobs import Job, enqueue, job_result
from authoring.store.jobs import cancel as cancel_job
from authoring.store.jobs import resume as resume_job
from authoring.store.workspace import Workspace
from tests.waiting import eventually
from tests.worker.conftest import Workers, is_running

WaitFor = Callable[..., Job]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def workspace(empty_workspace: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    served = Workspace.open(shutil.copytree(empty_workspace, tmp_path_factory.mktemp("served") / "workspace"))
    with Workers(served) as workers:
        workers.start()
        yield served


def test_progress_and_log_are_seen_while_a_job_runs(workspace: Workspace, wait_for: WaitFor) -> None:
    job = enqueue(workspace, kind="count", payload={"to": 20})
    seen = wait_for(job.id, "running", log="at 3")
    assert (seen.total, seen.done >= 3) == (20, True)
    finished = wait_for(job.id, "done")
    assert (finished.done, finished.log_tail.endswith("counted\n")) == (20, True)
    assert (workspace.logs / f"job-{job.id}.log").read_text().startswith("at 0\n")


def test_an_interactive_job_waits_not_behind_a_long_one_that_is_cancelled(
    workspace: Workspace, wait_for: WaitFor, tmp_path: Path
) -> None:
    long = enqueue(workspace, kind="count", payload={"to": 10_000})
    short = enqueue(workspace, kind="note", payload={"file": str(tmp_path / "done.txt")})
    wait_for(short.id, "done")
    wait_for(long.id, "running", log="at 1")
    cancel_job(workspace, long.id)
    assert wait_for(long.id, "cancelled").error is None
    again = enqueue(workspace, kind="count", payload={"to": 1})
    wait_for(again.id, "done")  # the lane goes on


def test_a_job_that_ignores_the_request_is_killed_with_its_children(workspace: Workspace, wait_for: WaitFor) -> None:
    job = enqueue(workspace, kind="stubborn", payload={})
    child = int(wait_for(job.id, "running", log="child").log_tail.rpartition("child ")[2].split()[0])
    started = time.monotonic()
    cancel_job(workspace, job.id)
    wait_for(job.id, "cancelled")
    assert time.monotonic() - started > 4
    assert eventually(lambda: not is_running(child))


def test_a_refusal_stores_what_where_and_fix(workspace: Workspace, wait_for: WaitFor) -> None:
    job = enqueue(workspace, kind="refuse", payload={})
    failed = wait_for(job.id, "failed")
    assert failed.error == {"what": "the seed is empty", "where": "trips.csv", "fix": "add rows"}


def test_a_job_whose_budget_ends_goes_on_with_a_larger_one(workspace: Workspace, wait_for: WaitFor) -> None:
    job = enqueue(workspace, kind="spend", payload={"budget": {"tokens": 50}})
    error = wait_for(job.id, "interrupted").error
    assert error is not None
    assert "0 of 50 tokens" in error["what"]
    assert f"benchwright job resume {job.id}" in error["fix"]
    resume_job(workspace, job.id, {"budget": {"tokens": 200}})
    wait_for(job.id, "done")
    assert job_result(workspace, job.id) == {"granted": 200}


def test_an_unexpected_error_leaves_its_traceback_in_the_log(workspace: Workspace, wait_for: WaitFor) -> None:
    job = enqueue(workspace, kind="crash", payload={})
    error = wait_for(job.id, "failed").error
    assert error is not None
    assert error["what"] == "unexpected KeyError in the job: 'missing'"
    assert error["fix"]
    assert "Traceback" in Path(error["where"]).read_text()


def test_a_lane_that_dies_fails_its_job_and_comes_back(workspace: Workspace, wait_for: WaitFor, tmp_path: Path) -> None:
    job = enqueue(workspace, kind="die", payload={})
    error = wait_for(job.id, "failed").error
    assert error is not None
    assert "killed by SIGKILL" in error["what"]
    assert "memory" in error["fix"]
    again = enqueue(workspace, kind="note", payload={"file": str(tmp_path / "done.txt")})
    wait_for(again.id, "done")
