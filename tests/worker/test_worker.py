import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from authoring.store.jobs import Job, enqueue, job_result, live_workers, mark_interrupted
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


def test_jobs_of_both_lanes_are_done_and_their_results_kept(
    workspace: Workspace, start_worker: StartWorker, tmp_path: Path
) -> None:
    file = tmp_path / "done.txt"
    jobs = [enqueue(workspace, kind=kind, payload={"file": str(file)}) for kind in ("note", "note_batch", "note")]
    assert start_worker("--once").wait(60) == 0
    assert [find_job(workspace, job.id).state for job in jobs] == ["done"] * 3
    results = [job_result(workspace, job.id) for job in jobs]
    assert results[0] == results[2] != results[1]  # one process per lane, kept from job to job
    assert live_workers(workspace) == []
    assert lane_processes(workspace) == []


def test_two_workers_do_twenty_jobs_each_once(workspace: Workspace, start_worker: StartWorker, tmp_path: Path) -> None:
    file = tmp_path / "done.txt"
    jobs = [
        enqueue(workspace, kind="note" if number % 2 else "note_batch", payload={"file": str(file)})
        for number in range(20)
    ]
    workers = [start_worker("--once"), start_worker("--once")]
    assert [worker.wait(60) for worker in workers] == [0, 0]
    done = Counter(int(line) for line in file.read_text().splitlines())
    assert done == Counter({job.id: 1 for job in jobs})
    assert {job.attempts for job in list_jobs(workspace, 100)} == {1}


def test_a_killed_worker_leaves_an_interrupted_job_that_resumes(
    workspace: Workspace, start_worker: StartWorker, wait_for: WaitFor
) -> None:
    job = enqueue(workspace, kind="count", payload={"to": 40}, key="count")
    first = start_worker()
    wait_for(job.id, "running", log="at 1")
    first.kill()
    first.wait()
    interrupted = wait_for(job.id, "interrupted", timeout_s=15)  # its orphaned lane notices before the 20 s are over
    assert interrupted.error is not None
    assert "Resume" in interrupted.error["fix"]
    assert eventually(lambda: lane_processes(workspace) == [], within_s=30)
    start_worker()
    assert not eventually(lambda: find_job(workspace, job.id).state != "interrupted", within_s=1)  # by itself
    assert resume_job(workspace, job.id).id == job.id
    finished = wait_for(job.id, "done")
    assert (finished.attempts, job_result(workspace, job.id)) == (2, {"counted": 40})


def test_when_everything_is_killed_the_next_worker_marks_the_job(
    workspace: Workspace, start_worker: StartWorker, wait_for: WaitFor
) -> None:
    job = enqueue(workspace, kind="count", payload={"to": 10_000})
    first = start_worker()
    wait_for(job.id, "running", log="at 1")
    lanes = lane_processes(workspace)
    for pid in [first.pid, *lanes]:
        os.kill(pid, signal.SIGKILL)
    first.wait()
    with workspace.write() as db:
        db.execute("UPDATE job SET heartbeat_at = '2020-01-01T00:00:00.000+00:00'")
    start_worker()
    wait_for(job.id, "interrupted")


def test_a_worker_that_is_told_to_end_interrupts_its_job_and_leaves_nothing_running(
    workspace: Workspace, start_worker: StartWorker, wait_for: WaitFor
) -> None:
    job = enqueue(workspace, kind="count", payload={"to": 10_000})
    worker = start_worker()
    assert eventually(lambda: len(live_workers(workspace)) == 1, within_s=30)
    wait_for(job.id, "running", log="at 1")
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(60) == 0
    assert find_job(workspace, job.id).state == "interrupted"
    assert live_workers(workspace) == []
    assert lane_processes(workspace) == []


def test_a_worker_ends_with_its_parent(workspace: Workspace, start_worker: StartWorker) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as parent:
        worker = start_worker("--parent-pid", str(parent.pid))
        assert eventually(lambda: len(live_workers(workspace)) == 1, within_s=30)
    assert worker.wait(60) == 0


def test_a_lane_that_lost_its_row_stops_and_writes_nothing_more(
    workspace: Workspace, start_worker: StartWorker, wait_for: WaitFor, tmp_path: Path
) -> None:
    job = enqueue(workspace, kind="count", payload={"to": 10_000})
    start_worker()
    wait_for(job.id, "running", log="at 1")
    before = lane_processes(workspace)
    assert mark_interrupted(workspace, older_than_s=-1) == [job.id]
    seen = find_job(workspace, job.id)
    assert eventually(lambda: set(before) - set(lane_processes(workspace)) != set(), within_s=30)
    assert not eventually(lambda: find_job(workspace, job.id) != seen, within_s=1)


def test_a_lane_that_cannot_start_is_told(workspace: Workspace, tmp_path: Path) -> None:
    enqueue(workspace, kind="note", payload={})
    (tmp_path / "broken_kinds.py").write_text(
        "import sys\nif 'lane' in sys.argv[0]: raise ImportError('a package is missing')\n"
        "from scripted_kinds import JOB_KINDS\n"
    )
    paths = [str(tmp_path), str(Path(__file__).parent), str(Path(__file__).parents[2])]
    command = [sys.executable, "-m", "authoring.worker", "--workspace", str(workspace.root), "--once"]
    ended = subprocess.run(
        [*command, "--kinds", "broken_kinds"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ended.returncode == 3
    assert "ends as soon as it is started" in ended.stderr
    log = next(log for log in workspace.logs.glob("worker-*.log") if str(log) in ended.stderr)
    assert "a package is missing" in log.read_text()


def test_a_worker_refuses_what_is_no_workspace(tmp_path: Path) -> None:
    place = tmp_path / "notes.txt"
    place.write_text("hello")
    command = [sys.executable, "-m", "authoring.worker", "--workspace", str(place), "--once"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)
    assert ended.returncode == 2
    assert "is a file, not a workspace folder" in ended.stderr
    assert "Traceback" not in ended.stderr
