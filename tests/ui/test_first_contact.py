"""An empty workspace in the app: what leads on without a terminal."""

import shlex
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from authoring.store import jobs
from authoring.store.jobs import enqueue, register_worker, worker_status
from authoring.store.people import give_roles
from authoring.store.workspace import Workspace
from authoring.ui.queue import queueing
from authoring.ui.shell import own_worker
from authoring.ui.workplace import worker_command

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]


@pytest.fixture(autouse=True)
def ended() -> Iterator[None]:
    yield
    own_worker.end_all()


def keys(app: AppTest) -> set[str]:
    return {str(button.key) for button in app.button}


def wait_for_worker(ws: Workspace, patience_s: float = 60) -> None:
    deadline = time.monotonic() + patience_s
    while not worker_status(ws).workers:
        assert time.monotonic() < deadline, "no worker reported"
        time.sleep(0.1)


def test_a_worker_is_started_from_the_page_once_and_ends_with_the_server(
    open_page: Open, workspace: Workspace, said: Said
) -> None:
    app = open_page()
    app.button(key="frame:start_worker").click().run()
    assert "A worker is starting" in said(app)
    assert "frame:start_worker" not in keys(app)
    (process,) = own_worker._started.values()
    wait_for_worker(workspace)
    app = open_page()
    assert "worker running" in said(app)
    own_worker.start()  # as a tab would that was drawn before
    assert list(own_worker._started.values()) == [process]
    own_worker.end_all()
    assert process.poll() is not None
    assert not worker_status(workspace).workers


def test_a_worker_that_ended_at_once_is_told_and_can_be_started_again(
    open_page: Open, workspace: Workspace, said: Said
) -> None:
    app = open_page()
    app.button(key="frame:start_worker").click().run()
    (process,) = own_worker._started.values()
    process.kill()
    process.wait()
    app = open_page()
    assert "ended with code -9: the server's log says why" in said(app)
    assert "frame:start_worker" in keys(app)


def test_settings_offer_a_worker_too(open_page: Open, workspace: Workspace) -> None:
    assert "settings:start_worker" in keys(open_page("settings"))
    register_worker(workspace)
    assert not keys(open_page("settings")) & {"settings:start_worker", "frame:start_worker"}


def test_a_worker_that_has_not_reported_yet_is_told_as_starting(
    open_page: Open, workspace: Workspace, said: Said
) -> None:
    own_worker._started[workspace.root] = subprocess.Popen(["/bin/sleep", "60"])
    enqueue(workspace, kind="demo", payload={}, key="demo", created_by="benchwright")
    app = open_page("settings")
    assert "No worker is running" not in said(app)
    assert "settings:start_worker" not in keys(app)
    app = open_page()
    app.button(key="tour:next").click().run()
    assert "no worker is running" not in said(app)
    assert "the draft is not there yet: it takes about half a minute" in said(app).replace("\\", "")
    assert "The bar on this page shows how far it is" in said(app)


def test_who_may_start_no_worker_is_told_whom_to_ask(
    sign_in: Callable[..., AppTest], workspace: Workspace, said: Said
) -> None:
    give_roles(workspace, "root@example.org", ["maintainer"])
    give_roles(workspace, "mei@example.org", ["annotator"])
    enqueue(workspace, kind="demo", payload={}, key="demo", created_by="benchwright")
    app = sign_in("mei@example.org")
    assert "Ask a maintainer to start one: the first draft" in said(app)
    app.button(key="tour:next").click().run()
    assert "Ask a maintainer to start one, then press this button" in said(app)
    assert "Press “Start a worker”" not in said(app)


def test_an_empty_queue_offers_the_demo_starts_a_worker_and_shows_its_job(
    open_page: Open, workspace: Workspace, said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Workspace] = []
    monkeypatch.setattr(queueing, "start_if_none", started.append)
    app = open_page()
    app.button(key="queue:demo").click().run()
    job = jobs.find_latest(workspace, "demo")
    assert job is not None
    assert job.kind == "demo"
    assert [ws.root for ws in started] == [workspace.root]
    assert "Build the demo" in said(app)
    assert f"job:{job.id}:cancel" in keys(app)
    assert "The demo waits for a worker" in said(app)
    assert app.button(key="frame:jobs").label == "1 job waiting"
    assert len([warning for warning in app.warning if "No worker is running" in warning.value]) == 1
    assert "in the sidebar" not in app.main.get("progress")[0].proto.text
    assert "queue:demo" not in keys(app)
    assert f"job:{job.id}:start_worker" in keys(app)
    register_worker(workspace)
    app = open_page()
    assert not keys(app) & {f"job:{job.id}:start_worker", "frame:start_worker"}
    assert "waiting for its turn" in app.main.get("progress")[0].proto.text
    assert "The first draft of the demo is being made" in said(app)


def test_the_command_for_a_terminal_can_be_typed_in_any_folder(workspace: Workspace) -> None:
    command, *rest = shlex.split(worker_command())
    assert Path(command).is_absolute()
    assert Path(command).exists()
    assert rest[-2:] == ["--workspace", str(workspace.root)]
