import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from authoring.store.jobs import Job, enqueue, job_result, live_workers, mark_interrupted
from authoring.store.jobs import cancel as cancel_job
from authoring.store.jobs import find as find_job
from authoring.store.jobs import resume as resume_job
from authoring.store.jobs import select as list_jobs
from authoring.store.workspace import Workspace

StartWorker = Callable[..., subprocess.Popen[bytes]]
WaitFor = Callable[..., Job]

pytestmark = pytest.mark.slow


def pids_of(lane_log: str) -> set[int]:
    return {int(line.split()[1]) for line in lane_log.splitlines() if line.startswith("child ")}


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


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


def wait_until(condition: Callable[[], bool], timeout_s: float = 30.0) -> None:
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_jobs_of_both_lanes_are_done_and_their_results_kept(
    workspace: Workspace, start_worker: StartWorker, tmp_path: Path
) -> None:
    file = tmp_path / "done.txt"
    jobs = [enqueue(workspace, kind=kind, payload={"file": str(file)}) for kind in ("note", "note_batch", "note")]
    assert start_worker("--once").wait(30) == 0
    assert [find_job(workspace, job.id).state for job in jobs] == ["done"] * 3
    results = [job_result(workspace, job.id) for job in jobs]
    assert results[0] == results[2] != results[1]  # one process per lane, kept from job to job
    assert live_workers(workspace) == []
    assert lane_processes(workspace) == []


def test_two_workers_do_fifty_jobs_each_once(workspace: Workspace, start_worker: StartWorker, tmp_path: Path) -> None:
    file = tmp_path / "done.txt"
    jobs = [
        enqueue(workspace, kind="note" if number % 2 else "note_batch", payload={"file": str(file)})
        for number in range(50)
    ]
    workers = [start_worker("--once"), start_worker("--once")]
    assert [worker.wait(60) for worker in workers] == [0, 0]
    done = Counter(int(line) for line in file.read_text().splitlines())
    assert done == Counter({job.id: 1 for job in jobs})
    assert {job.attempts for job in list_jobs(workspace, 100)} == {1}


def test_progress_and_log_are_seen_while_a_job_runs(
    workspace: Workspace, start_worker: StartWorker, wait_for: WaitFor
) -> None:
    job = enqueue(workspace, kind="count", payload={"to": 30, "pause_s": 0.1})
    start_worker()
    seen = wait_for(job.id, "running", log="at 3")
    assert (seen.total, seen.done >= 3) == (30, True)
    finished = wait_for(job.id, "done")
    assert (finished.done, finished.log_tail.endswith("counted\n")) == (30, True)
    assert (workspace.logs / f"job-{job.id}.log").read_text().startswith("at 0\n")


def test_an_interactive_job_does_not_wait_behind_a_long_one(
    workspace: Workspace, start_worker: StartWorker, wait_for: WaitFor, tmp_path: Path
) -> None:
    long = enqueue(workspace, kind="count", payload={"to": 200})
    short = enqueue(workspace, kind="note", payload={"file": str(tmp_path / "done.txt")})
    start_worker()
    wait_for(short.id, "done")
    assert find_job(workspace, long.id).live


def test_a_cancelled_job_stops_and_the_lane_goes_on(
    workspace: Workspace, start_worker: StartWorker, wait_for: WaitFor
) -> None:
    job = enqueue(workspace, kind="count", payload={"to": 10_000})
    start_worker()
    wait_for(job.id, "running", log="at 1")
    cancel_job(workspace, job.id)
    ended = wait_for(job.id, "cancelled")
    assert ended.error is None
    again = enqueue(workspace, kind="count", payload={"to": 1})
    wait_for(again.id, "done")


def test_a_job_that_ignores_the_request_is_killed_with_its_children(
    workspace: Workspace, start_worker: StartWorker, wait_for: WaitFor
) -> None:
    job = enqueue(workspace, kind="stubborn", payload={})
    start_worker()
    (child,) = pids_of(wait_for(job.id, "running", log="child").log_tail)
    started = time.monotonic()
    cancel_job(workspace, job.id)
    wait_for(job.id, "cancelled")
    assert time.monotonic() - started > 4
    wait_until(lambda: not is_running(child))


def test_a_refusal_stores_what_where_and_fix(
    workspace: Workspace, start_worker: StartWorker, wait_for: WaitFor
) -> None:
    job = enqueue(workspace, kind="refuse", payload={})
    start_worker()
    failed = wait_for(job.id, "failed")
    assert failed.error == {"what": "the seed is empty", "where": "trips.csv", "fix": "add rows"}


def test_a_job_whose_budget_ends_is_interrupted_and_goes_on_with_a_larger_one(
    workspace: Workspace, start_worker: StartWorker, wait_for: WaitFor
) -> None:
    job = enqueue(workspace, kind="spend", payload={"budget": {"tokens": 50}})
    start_worker()
    error = wait_for(job.id, "interrupted").error
    assert error is not None
    assert "0 of 50 tokens" in error["what"]
    assert f"benchwright job resume {job.id}" in error["fix"]
    resume_job(workspace, job.id, {"budget": {"tokens": 200}})
    wait_for(job.id, "done")
    assert job_result(workspace, job.id) == {"granted": 200}


def test_an_unexpected_error_is_told_in_one_line_and_its_traceback_is_in_the_log(
    workspace: Workspace, start_worker: StartWorker, wait_for: WaitFor
) -> None:
    job = enqueue(workspace, kind="crash", payload={})
    start_worker()
    error = wait_for(job.id, "failed").error
    assert error is not None
    assert error["what"] == "unexpected KeyError in the job: 'missing'"
    assert error["fix"]
    assert "Traceback" in Path(error["where"]).read_text()


def test_a_lane_that_dies_fails_its_job_and_comes_back(
    workspace: Workspace, start_worker: StartWorker, wait_for: WaitFor, tmp_path: Path
) -> None:
    job = enqueue(workspace, kind="die", payload={})
    start_worker()
    error = wait_for(job.id, "failed").error
    assert error is not None
    assert "killed by SIGKILL" in error["what"]
    assert "memory" in error["fix"]
    again = enqueue(workspace, kind="note", payload={"file": str(tmp_path / "done.txt")})
    wait_for(again.id, "done")


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
    wait_until(lambda: lane_processes(workspace) == [])
    start_worker()
    time.sleep(1)
    assert find_job(workspace, job.id).state == "interrupted"  # nothing restarts by itself
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
    workspace: Workspace, start_worker: StartWorker, wait_for: WaitFor, wait_for_workers: Callable[[int], None]
) -> None:
    job = enqueue(workspace, kind="count", payload={"to": 10_000})
    worker = start_worker()
    wait_for_workers(1)
    wait_for(job.id, "running", log="at 1")
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(30) == 0
    assert find_job(workspace, job.id).state == "interrupted"
    assert live_workers(workspace) == []
    assert lane_processes(workspace) == []


def test_a_worker_ends_with_its_parent(workspace: Workspace, start_worker: StartWorker) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as parent:
        worker = start_worker("--parent-pid", str(parent.pid))
        wait_until(lambda: len(live_workers(workspace)) == 1)
    assert worker.wait(30) == 0


def test_a_lane_that_lost_its_row_stops_and_writes_nothing_more(
    workspace: Workspace, start_worker: StartWorker, wait_for: WaitFor, tmp_path: Path
) -> None:
    job = enqueue(workspace, kind="count", payload={"to": 10_000})
    start_worker()
    wait_for(job.id, "running", log="at 1")
    before = lane_processes(workspace)
    assert mark_interrupted(workspace, older_than_s=-1) == [job.id]
    seen = find_job(workspace, job.id)
    wait_until(lambda: set(before) - set(lane_processes(workspace)) != set())
    time.sleep(1)
    assert find_job(workspace, job.id) == seen


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
