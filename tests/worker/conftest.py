"""A workspace, and real workers on it that do scripted kinds of job."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from authoring.store import jobs
from authoring.store.jobs import Job, live_workers
from authoring.store.workspace import Workspace

HERE = Path(__file__).parent
Worker = subprocess.Popen[bytes]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace.open(tmp_path / "ws")


@pytest.fixture
def start_worker(workspace: Workspace) -> Iterator[Callable[..., Worker]]:
    """Start workers; whatever is left of them ends with the test."""
    workers: list[Worker] = []

    def start(*arguments: str) -> Worker:
        command = [sys.executable, "-m", "authoring.worker", "--workspace", str(workspace.root)]
        command += ["--kinds", "scripted_kinds", *arguments]
        paths = [str(HERE), str(HERE.parent.parent), os.environ.get("PYTHONPATH", "")]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
        worker = subprocess.Popen(command, env=environment, start_new_session=True)
        workers.append(worker)
        return worker

    yield start
    for worker in workers:
        if worker.poll() is None:
            worker.send_signal(signal.SIGTERM)
    for worker in workers:
        try:
            worker.wait(10)
        except subprocess.TimeoutExpired:
            worker.kill()
            worker.wait()


@pytest.fixture
def wait_for(workspace: Workspace) -> Callable[..., Job]:
    def wait(job_id: int, *states: str, timeout_s: float = 60.0, log: str = "") -> Job:
        deadline = time.monotonic() + timeout_s
        while True:
            job = jobs.find(workspace, job_id)
            if job.state in states and log in job.log_tail:
                return job
            assert time.monotonic() < deadline, f"job {job_id} is {job.state}, not {states}: {job}"
            time.sleep(0.05)

    return wait


@pytest.fixture
def wait_for_workers(workspace: Workspace) -> Callable[[int], None]:
    def wait(number: int) -> None:
        deadline = time.monotonic() + 30
        while len(live_workers(workspace)) != number:
            assert time.monotonic() < deadline, "the workers did not come up"
            time.sleep(0.05)

    return wait
