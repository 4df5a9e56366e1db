import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from authoring import worker
from authoring.jobs.reporter import Reporter
from authoring.store import jobs
from authoring.store.jobs import Job, claim, enqueue, job_result, live_workers, mark_interrupted
from authoring.store.workspace import Workspace
from tests.waiting import eventually

HERE = Path(__file__).parent
PATHS = [str(HERE), str(HERE.parent.parent)]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def kinds_are_found() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PYTHONPATH", os.pathsep.join(filter(None, (*PATHS, os.environ.get("PYTHONPATH", "")))))
        patched.setattr(sys, "path", [*PATHS, *sys.path])
        yield


@pytest.fixture(scope="module")
def served(empty_workspace: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A workspace with a worker: a thread of this process; its lanes are processes."""
    workspace = Workspace.open(shutil.copytree(empty_workspace, tmp_path_factory.mktemp("served") / "workspace"))
    supervisor = worker.Supervisor(workspace, kinds_module="scripted_kinds")
    thread = threading.Thread(target=supervisor.work)
    thread.start()
    yield workspace
    supervisor.request_end()
    thread.join(60)
    assert (thread.is_alive(), live_workers(workspace), lane_processes(workspace)) == (False, [], [])


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


def wait_for(workspace: Workspace, job: Job, *states: str, log: str = "") -> Job:
    def is_there() -> bool:
        found = jobs.find(workspace, job.id)
        return found.state in states and log in found.log_tail

    assert eventually(is_there, within_s=60), jobs.find(workspace, job.id)
    return jobs.find(workspace, job.id)


def test_jobs_are_done_once_by_one_process_a_lane_with_progress_and_log(served: Workspace, tmp_path: Path) -> None:
    file = tmp_path / "done.txt"
    kinds = ("note", "note_batch")
    notes = [enqueue(served, kind=kinds[number % 2], payload={"file": str(file)}) for number in range(6)]
    last = enqueue(served, kind="count", payload={"to": 20})
    seen = wait_for(served, last, "running", log="at 3")
    assert (seen.total, seen.done >= 3) == (20, True)
    finished = wait_for(served, last, "done")
    assert (finished.done, finished.log_tail.endswith("counted\n")) == (20, True)
    assert (served.logs / f"job-{last.id}.log").read_text().startswith("at 0\n")
    assert {wait_for(served, note, "done").attempts for note in notes} == {1}
    assert Counter(map(int, file.read_text().split())) == Counter({note.id: 1 for note in notes})
    lanes = [{(job_result(served, note.id) or {})["pid"] for note in notes if note.kind == kind} for kind in kinds]
    assert [len(pids) for pids in lanes] == [1, 1]
    assert lanes[0] != lanes[1]
    assert len(live_workers(served)) == 1


def test_a_short_job_waits_not_behind_a_long_one_which_can_be_cancelled(served: Workspace, tmp_path: Path) -> None:
    """Also one that ignores the request: then it is killed with its children, and the lane goes on."""
    long = enqueue(served, kind="stubborn", payload={})
    child = int(wait_for(served, long, "running", log="child").log_tail.rpartition("child ")[2].split()[0])
    short = enqueue(served, kind="note", payload={"file": str(tmp_path / "done.txt")})
    wait_for(served, short, "done")
    started = time.monotonic()
    jobs.cancel(served, long.id)
    assert wait_for(served, long, "cancelled").error is None
    assert time.monotonic() - started > 4
    assert eventually(lambda: not is_running(child))
    wait_for(served, enqueue(served, kind="count", payload={"to": 1}), "done")


def test_a_refusal_and_an_unexpected_error_are_stored(served: Workspace) -> None:
    refused, crashed = (enqueue(served, kind=kind, payload={}) for kind in ("refuse", "crash"))
    error = wait_for(served, refused, "failed").error
    assert error == {"what": "the seed is empty", "where": "trips.csv", "fix": "add rows"}
    error = wait_for(served, crashed, "failed").error
    assert error is not None
    assert error["what"] == "unexpected KeyError in the job: 'missing'"
    assert error["fix"]
    assert "Traceback" in Path(error["where"]).read_text()


def test_a_job_whose_budget_ends_goes_on_with_a_larger_one(served: Workspace) -> None:
    job = enqueue(served, kind="spend", payload={"budget": {"tokens": 50}})
    error = wait_for(served, job, "interrupted").error
    assert error is not None
    assert "0 of 50 tokens" in error["what"]
    assert f"benchwright job resume {job.id}" in error["fix"]
    jobs.resume(served, job.id, {"budget": {"tokens": 200}})
    wait_for(served, job, "done")
    assert job_result(served, job.id) == {"granted": 200}


def test_a_lane_that_dies_fails_its_job_and_comes_back(served: Workspace, tmp_path: Path) -> None:
    error = wait_for(served, enqueue(served, kind="die", payload={}), "failed").error
    assert error is not None
    assert "killed by SIGKILL" in error["what"]
    assert "memory" in error["fix"]
    wait_for(served, enqueue(served, kind="note", payload={"file": str(tmp_path / "done.txt")}), "done")


def test_a_job_stops_that_lost_its_row_or_its_supervisor(workspace: Workspace) -> None:
    stopped = threading.Event()
    for supervisor_pid in (os.getppid(), -1):
        enqueue(workspace, kind="count", payload={})
        job = claim(workspace, owner="me", kinds=["count"])
        assert job is not None
        reporter = Reporter(workspace, job, supervisor_pid=supervisor_pid, stop=stopped.set)
        reporter.start()
        if supervisor_pid != -1:
            assert not stopped.wait(1.2)
            assert mark_interrupted(workspace, older_than_s=-1) == [job.id]
        reporter.report(1, 2, "never seen")
        assert stopped.wait(10)
        reporter.end()
        stopped.clear()
        found = jobs.find(workspace, job.id)
        assert (found.state, found.done, found.log_tail) == ("interrupted", 0, "")
        assert found.error is not None
        assert "Resume" in found.error["fix"]


def test_the_next_worker_marks_what_was_lost_and_a_signal_ends_it(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost = enqueue(workspace, kind="stubborn", payload={})
    claim(workspace, owner="a worker that was killed with its lanes", kinds=["stubborn"])
    with workspace.write() as db:
        db.execute("UPDATE job SET heartbeat_at = '2020-01-01T00:00:00.000+00:00' WHERE id = ?", [lost.id])
    running = enqueue(workspace, kind="count", payload={"to": 10_000})
    monkeypatch.setattr(worker, "LANES", ("batch",))

    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}

    def end_when_it_runs() -> None:
        try:
            wait_for(workspace, running, "running", log="at 1")
        finally:
            if signal.getsignal(signal.SIGTERM) != before[signal.SIGTERM]:  # else it would end all tests
                os.kill(os.getpid(), signal.SIGTERM)

    thread = threading.Thread(target=end_when_it_runs)
    thread.start()
    try:
        assert worker.main(["--workspace", str(workspace.root), "--kinds", "scripted_kinds"]) == 0
    finally:
        thread.join()
        for number, handler in before.items():
            signal.signal(number, handler)
    assert "asked to end" in (workspace.logs / f"job-{running.id}.log").read_text()
    ended = [jobs.find(workspace, job.id) for job in (lost, running)]
    assert [(job.state, job.attempts) for job in ended] == [("interrupted", 1)] * 2  # nothing resumes by itself
    assert jobs.resume(workspace, running.id).id == running.id
    assert (live_workers(workspace), lane_processes(workspace)) == ([], [])


@pytest.mark.deep
def test_what_a_killed_worker_process_ran_is_interrupted(workspace: Workspace) -> None:
    job = enqueue(workspace, kind="count", payload={"to": 10_000})
    command = [sys.executable, "-m", "authoring.worker", "--workspace", str(workspace.root)]
    with subprocess.Popen([*command, "--kinds", "scripted_kinds"], start_new_session=True) as first:
        wait_for(workspace, job, "running", log="at 1")
        first.kill()
    wait_for(workspace, job, "interrupted")  # its orphaned lane notices
    assert eventually(lambda: lane_processes(workspace) == [], within_s=30)


@pytest.mark.deep
def test_two_workers_do_twenty_jobs_of_both_lanes_each_once(workspace: Workspace, tmp_path: Path) -> None:
    file = tmp_path / "done.txt"
    kinds = ("note", "note_batch")
    notes = [enqueue(workspace, kind=kinds[number % 2], payload={"file": str(file)}) for number in range(20)]
    workers = [worker.Supervisor(workspace, kinds_module="scripted_kinds") for _ in range(2)]
    threads = [threading.Thread(target=one.work, kwargs={"once": True}) for one in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert Counter(map(int, file.read_text().split())) == Counter({note.id: 1 for note in notes})
    assert {(job.state, job.attempts) for job in jobs.select(workspace, 100)} == {("done", 1)}
    assert (live_workers(workspace), lane_processes(workspace)) == ([], [])


def test_a_worker_ends_with_its_parent(workspace: Workspace) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as parent:
        supervisor = worker.Supervisor(workspace, kinds_module="scripted_kinds", parent_pid=parent.pid)
        started = threading.Thread(target=supervisor.work)
        started.start()
        assert eventually(lambda: len(live_workers(workspace)) == 1, within_s=30)
    started.join(60)
    assert (started.is_alive(), live_workers(workspace)) == (False, [])


def test_a_lane_that_cannot_start_is_told(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    enqueue(workspace, kind="note", payload={})
    (tmp_path / "click.py").write_text("raise ImportError('a package is missing')\n")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ['PYTHONPATH']}")
    assert worker.MAX_FAILED_STARTS == 3
    monkeypatch.setattr(worker, "MAX_FAILED_STARTS", 1)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    assert worker.main(["--workspace", str(workspace.root), "--once", "--kinds", "scripted_kinds"]) == 3
    told = capsys.readouterr().err
    assert "ends as soon as it is started" in told
    log = next(log for log in workspace.logs.glob("worker-*.log") if str(log) in told)
    assert "a package is missing" in log.read_text()


def test_a_worker_refuses_what_is_no_workspace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "notes.txt"
    place.write_text("hello")
    assert worker.main(["--workspace", str(place), "--once"]) == 2
    assert "is a file, not a workspace folder" in capsys.readouterr().err
