"""`benchwright app`: what it refuses, what it starts, and that nothing is left behind."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from authoring.cli.main import run_command_line
from authoring.store import jobs
from authoring.store.jobs import live_workers
from authoring.store.workspace import Workspace

ROOT = Path(__file__).parents[2]
PATIENCE_S = 60


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_a_port_in_use_is_named_with_the_remedy(
    taken_port: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["app", "--port", str(taken_port), "--workspace", str(tmp_path / "w"), "--json"]
    assert run_command_line(arguments) == 3
    error = json.loads(capsys.readouterr().out)["error"]
    assert error["what"] == f"port {taken_port} is in use"
    assert f"make app PORT={taken_port + 1}" in error["fix"]


def test_a_port_that_is_none_is_a_usage_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["app", "--port", "99999", "--workspace", str(tmp_path / "w")]) == 2
    assert "99999 is no port" in capsys.readouterr().err


def test_a_workspace_of_a_newer_schema_is_refused_before_the_server_starts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Workspace.open(tmp_path / "w").write() as db:
        db.execute("INSERT INTO schema_version VALUES (99, '')")
    assert run_command_line(["app", "--port", str(free_port()), "--workspace", str(tmp_path / "w")]) == 3
    assert "99" in capsys.readouterr().err


def test_a_workspace_that_is_a_file_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "w").write_text("not a workspace")
    assert run_command_line(["app", "--port", str(free_port()), "--workspace", str(tmp_path / "w")]) in (2, 3)
    assert str(tmp_path / "w") in capsys.readouterr().err


def answer(url: str, process: "subprocess.Popen[bytes]") -> bytes:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        assert process.poll() is None, "it ended at once"
        try:
            with urllib.request.urlopen(url, timeout=2) as response:
                return bytes(response.read())
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"{url} did not answer")


def happens(check: Callable[[], object], *, within_s: float) -> bool:
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        if check():
            return True
        time.sleep(0.1)
    return False


@pytest.mark.slow
def test_the_app_serves_starts_a_worker_orders_the_demo_and_leaves_nothing_behind(tmp_path: Path) -> None:
    port, root = free_port(), tmp_path / "w"
    command = [sys.executable, "-c", "from authoring.cli.main import main; main()"]
    arguments = ["app", "--demo", "--port", str(port), "--workspace", str(root)]
    process = subprocess.Popen(
        [*command, *arguments], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        assert answer(f"http://127.0.0.1:{port}/_stcore/health", process) == b"ok"
        assert answer(f"http://127.0.0.1:{port}/app/static/favicon.png", process).startswith(b"\x89PNG")
        assert b"BACKEND_BASE_URL" in answer(f"http://127.0.0.1:{port}/editor?set=1", process)
        workspace = Workspace.open(root)
        assert [job.kind for job in jobs.select(workspace)] == ["demo"]
        assert happens(lambda: live_workers(workspace), within_s=PATIENCE_S)
        (worker,) = live_workers(workspace)
        health = json.loads(answer(f"http://127.0.0.1:{port}/healthz", process))
        assert health["schema_version"] >= 1
        assert health["worker_heartbeat_age_s"] < 30
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE_S)
        assert happens(lambda: not is_alive(worker.pid), within_s=10)
        assert live_workers(workspace) == []
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@pytest.mark.slow
def test_streamlit_run_works_too_and_listens_on_this_machine_only(tmp_path: Path) -> None:
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py"), "--server.port", str(port)],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        assert answer(f"http://127.0.0.1:{port}/_stcore/health", process) == b"ok"
    finally:
        process.terminate()
        said = process.communicate(timeout=PATIENCE_S)[0].decode()
    assert "Network URL" not in said
    assert f"http://127.0.0.1:{port}" in said


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
