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
from typing import Any

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


def test_what_cannot_be_served_is_named(taken_port: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def refused(port: int, workspace: str = "w", *more: str) -> tuple[int, str]:
        code = run_command_line(["app", "--port", str(port), "--workspace", str(tmp_path / workspace), *more])
        return code, "".join(capsys.readouterr())

    code, told = refused(taken_port, "w", "--json")
    error = json.loads(told)["error"]
    assert (code, error["what"]) == (3, f"port {taken_port} is in use")
    assert f"make app PORT={taken_port + 1}" in error["fix"]
    assert "99999 is no port" in refused(99999)[1]
    with Workspace.open(tmp_path / "new").write() as db:
        db.execute("INSERT INTO schema_version VALUES (99, '')")
    code, told = refused(free_port(), "new")
    assert (code, "99" in told) == (3, True)


def awaited(check: Callable[[], Any]) -> Any:
    """Return what a check finds, once it finds something."""
    deadline = time.monotonic() + PATIENCE_S
    while not (found := check()):
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.1)
    return found


@pytest.mark.slow
def test_the_app_serves_starts_a_worker_and_leaves_nothing_behind(tmp_path: Path) -> None:
    port, root = free_port(), tmp_path / "w"
    command = [sys.executable, "-c", "from authoring.cli.main import main; main()"]
    arguments = ["app", "--demo", "--port", str(port), "--workspace", str(root)]
    process = subprocess.Popen(
        [*command, *arguments], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )

    def answer(path: str) -> bytes:
        assert process.poll() is None, "it ended at once"
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", timeout=2) as response:
                return bytes(response.read())
        except OSError:
            return b""

    try:
        assert awaited(lambda: answer("_stcore/health")) == b"ok"
        assert answer("app/static/favicon.png").startswith(b"\x89PNG")
        assert b"BACKEND_BASE_URL" in answer("editor?set=1")
        ws = Workspace.open(root)
        assert [job.kind for job in jobs.select(ws)] == ["demo"]
        (worker,) = awaited(lambda: live_workers(ws))
        health = json.loads(answer("healthz"))
        assert health["schema_version"] >= 1
        assert health["worker_heartbeat_age_s"] < 30
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE_S)
        assert awaited(lambda: not Path(f"/proc/{worker.pid}").exists())
        assert live_workers(ws) == []
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
