import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from authoring import worker
from authoring.store.jobs import Job, claim, enqueue, job_result, live_workers, mark_interrupted
from authoring.store.jobs import find as find_job
from authoring.store.jobs import resume as resume_job
from authoring.store.jobs import select as list_jobs
from authoring.store.workspace import Workspace
from tests.waiting import eventually
from tests.worker.conftest import is_running

StartWorker = Callable[..., subprocess.Popen[bytes]]
WaitFor = Callable[..., Job]

pytestmark = pytest.mark.slow


def lane_processes(workspace: Workspace) -> list[int]:
    """The processes that serve this workspace's lanes."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            command = (entry / "cmdline").read_bytes().split(b"\0") if entry.name.isdigit() else []
        except OSError:
            continue
        if b"authoring.jobs.lane" in command and str(workspace.root).encode() in command:
            found.append(int(entry.name))
    return [pid for pid in found if is_running(pid)]


@pytest.fixture
def work_here(workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., threading.Thread]:
    """Return what starts a worker as a thread of this process; its lanes are processes."""
    paths = [str(tmp_path), str(Path(__file__).parent), str(Path(__file__).parents[2])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    monkeypatch.setattr(sys, "path", [*paths, *sys.path])

    def work(*, once: bool = False, parent_pid: int | None = None) -> threading.Thread:
        def serve() -> None:
            worker.Supervisor(workspace, kinds_module="scripted_kinds", parent_pid=parent_pid).work(once=once)

        thread = threading.Thread(target=serve)
        thread.start()
        return thread

    return work


def test_two_workers_do_twenty_jobs_of_both_lanes_each_once(
    workspace: Workspace, work_here: Callable[..., threading.Thread], tmp_path: Path
) -> None:
    file = tmp_path / "done.txt"
    kinds = ("note", "note_batch")
    jobs = [enqueue(workspace, kind=kinds[number % 2], payload={"file": str(file)}) for number in range(20)]
    for started in [work_here(once=True), work_here(once=True)]:
        started.join(60)
    done = Counter(int(line) for line in file.read_text().splitlines())
    assert done == Counter({job.id: 1 for job in jobs})
    assert {(job.state, job.attempts) for job in list_jobs(workspace, 100)} == {("done", 1)}
    lanes = [{(job_result(workspace, job.id) or {})["pid"] for job in jobs if job.kind == kind} for kind in kinds]
    assert all(1 <= len(pids) <= 2 for pids in lanes)  # one process per lane of a worker, kept from job to job
    assert lanes[0].isdisjoint(lanes[1])
    assert live_workers(workspace) == []
    assert lane_processes(workspace) == []


def test_what_was_running_is_interrupted_however_its_worker_ended(
    workspace: Workspace, start_worker: StartWorker, wait_for: WaitFor
) -> None:
    job = enqueue(workspace, kind="count", payload={"to": 20}, key="count")
    first = start_worker()
    wait_for(job.id, "running", log="at 1")
    first.kill()
    first.wait()
    interrupted = wait_for(job.id, "interrupted", timeout_s=15)  # its orphaned lane notices before the 20 s are over
    assert interrupted.error is not None
    assert "Resume" in interrupted.error["fix"]
    assert eventually(lambda: lane_processes(workspace) == [], within_s=30)

    lost = enqueue(workspace, kind="stubborn", payload={})
    claim(workspace, owner="a worker that was killed with its lanes", kinds=["stubborn"])
    with workspace.write() as db:
        db.execute("UPDATE job SET heartbeat_at = '2020-01-01T00:00:00.000+00:00' WHERE id = ?", [lost.id])
    second = start_worker()
    wait_for(lost.id, "interrupted")  # the next worker marks it
    assert not eventually(lambda: find_job(workspace, job.id).state != "interrupted", within_s=0.5)  # by itself
    assert resume_job(workspace, job.id).id == job.id
    finished = wait_for(job.id, "done")
    assert (finished.attempts, job_result(workspace, job.id)) == (2, {"counted": 20})

    job = enqueue(workspace, kind="count", payload={"to": 10_000})
    wait_for(job.id, "running", log="at 1")
    before = lane_processes(workspace)
    assert mark_interrupted(workspace, older_than_s=-1) == [job.id]
    seen = find_job(workspace, job.id)  # a lane that lost its row stops and writes nothing more
    assert eventually(lambda: set(before) - set(lane_processes(workspace)) != set(), within_s=30)
    last = enqueue(workspace, kind="count", payload={"to": 10_000})
    wait_for(last.id, "running", log="at 1")
    assert find_job(workspace, job.id) == seen

    assert eventually(lambda: len(live_workers(workspace)) == 1, within_s=30)  # the killed one is no longer heard of
    second.send_signal(signal.SIGTERM)
    assert second.wait(60) == 0
    assert find_job(workspace, last.id).state == "interrupted"
    assert live_workers(workspace) == []
    assert lane_processes(workspace) == []


def test_a_worker_ends_with_its_parent(workspace: Workspace, work_here: Callable[..., threading.Thread]) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as parent:
        started = work_here(parent_pid=parent.pid)
        assert eventually(lambda: len(live_workers(workspace)) == 1, within_s=30)
    started.join(60)
    assert (started.is_alive(), live_workers(workspace)) == (False, [])


@pytest.mark.usefixtures("work_here")
def test_a_lane_that_cannot_start_is_told(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    enqueue(workspace, kind="note", payload={})
    (tmp_path / "broken_kinds.py").write_text(
        "import sys\nif 'lane' in sys.argv[0]: raise ImportError('a package is missing')\n"
        "from scripted_kinds import JOB_KINDS\n"
    )
    assert worker.MAX_FAILED_STARTS == 3
    monkeypatch.setattr(worker, "MAX_FAILED_STARTS", 1)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    assert worker.main(["--workspace", str(workspace.root), "--once", "--kinds", "broken_kinds"]) == 3
    told = capsys.readouterr().err
    assert "ends as soon as it is started" in told
    log = next(log for log in workspace.logs.glob("worker-*.log") if str(log) in told)
    assert "a package is missing" in log.read_text()


def test_a_worker_refuses_what_is_no_workspace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "notes.txt"
    place.write_text("hello")
    assert worker.main(["--workspace", str(place), "--once"]) == 2
    assert "is a file, not a workspace folder" in capsys.readouterr().err
