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
from authoring.store.jobs import Job
from authoring.store.workspace import Workspace

HERE = Path(__file__).parent
Worker = subprocess.Popen[bytes]


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


class Workers:
    """Real workers that do scripted kinds of job; whatever is left of them ends with the block."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._started: list[Worker] = []

    def start(self, *arguments: str) -> Worker:
        command = [sys.executable, "-m", "authoring.worker", "--workspace", str(self._workspace.root)]
        command += ["--kinds", "scripted_kinds", *arguments]
        paths = [str(HERE), str(HERE.parent.parent), os.environ.get("PYTHONPATH", "")]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
        self._started.append(subprocess.Popen(command, env=environment, start_new_session=True))
        return self._started[-1]

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *error: object) -> None:
        for worker in self._started:
            if worker.poll() is None:
                worker.send_signal(signal.SIGTERM)
        for worker in self._started:
            try:
                worker.wait(10)
            except subprocess.TimeoutExpired:
                worker.kill()
                worker.wait()


@pytest.fixture
def start_worker(workspace: Workspace) -> Iterator[Callable[..., Worker]]:
    with Workers(workspace) as workers:
        yield workers.start


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
