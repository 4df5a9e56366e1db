"""What Settings says of the machine, and how a worker is started from a page: model, environments, backups, demo."""

import json
import shlex
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from authoring.store import jobs
from authoring.store.jobs import enqueue, register_worker, worker_status
from authoring.store.people import give_roles
from authoring.store.settings import set_setting
from authoring.store.workspace import Workspace
from authoring.ui.queue import queueing
from authoring.ui.shell import own_worker
from authoring.ui.workplace import worker_command
from tests.ui.acts import Open, configure_model, errors, keys, page_links, payloads, press, said, says


def facts(app: AppTest) -> dict[str, str]:
    """Every two-column list of the page in one."""
    return {str(row[0]): str(row[1]) for table in app.table for row in table.value.reset_index().to_numpy().tolist()}


def test_a_worker_is_shown_with_its_report_and_lanes(open_page: Open, workspace: Workspace) -> None:
    assert {"settings:start_worker", "frame:start_worker"} & keys(open_page("settings"))
    register_worker(workspace)
    for kind in ("execute", "draft", "sketch"):
        enqueue(workspace, kind=kind, payload={}, key=None, created_by="mei")
    jobs.claim(workspace, owner="test", kinds=["draft"])
    app = open_page("settings")
    assert not keys(app) & {"settings:start_worker", "frame:start_worker"}
    assert "last report just now" in said(app)
    lanes = next(table.value for table in app.table if "Lane" in table.value)
    assert lanes["Lane"].tolist() == ["interactive", "batch"]
    assert lanes["Waiting"].tolist() == ["1", "1"]
    assert lanes["Works on"].tolist()[1].startswith("Draft")


def test_a_model_is_shown_and_never_a_key(
    open_page: Open, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_page("settings")
    assert facts(app)["`NAME`"] == "OPENAI_API_KEY; OPENAI_BASE_URL"
    assert facts(app)["`google:NAME`"] == "GOOGLE_API_KEY or GEMINI_API_KEY; GOOGLE_GEMINI_BASE_URL"
    ((title, address),) = [link for link in page_links(app).items() if link[0].startswith("Models of")]
    shown = open_page("help", **dict(part.split("=") for part in address.split("&")))
    assert [each.value for each in (*shown.header, *shown.subheader)] == [title]

    configure_model(monkeypatch, "gpt-4o-mini")
    assert "no worker has asked it yet" in facts(app.run())["Last look"]
    press(app, "settings:model")
    assert [job.kind for job in jobs.select(workspace)] == ["model_check"]
    seen = {"model": "gpt-4o-mini", "host": "127.0.0.1:9", "at": "2026-01-01T00:00:00+00:00", "seconds": 1.0}
    set_setting(workspace, "model_seen", {**seen, "reachable": True})
    assert "it answered a worker" in facts(app.run())["Last look"]
    set_setting(workspace, "model_seen", {**seen, "reachable": False, "what": "refused [x]", "fix": "check the key"})
    told = facts(app.run())
    assert r"refused \[x\]. To fix it: check the key" in told["Last look"]
    assert "300 s for a request" in told["Limits"]
    assert "sk-secret" not in said(app) + json.dumps(told)


def test_environments_are_listed_ordered_and_removed(open_page: Open, workspace: Workspace, environments: Path) -> None:
    app = open_page("settings")
    assert "There is no environment yet" in said(app)
    app.text_input(key="environment:name").set_value("older")
    assert "has no requirements" in errors(press(app, "environment:send"))
    app.text_area(key="environment:requirements").set_value("pandas==2.2.*\n")
    press(app, "environment:send")
    assert payloads(workspace, "environment") == [{"name": "older", "requirements": "pandas==2.2.*", "python": None}]
    jobs.cancel(workspace, jobs.select(workspace)[0].id)
    folder = environments / "older"
    folder.mkdir(parents=True)
    facts_of = {"python": "3.11.2", "platform": "Linux", "digest": "d" * 16, "created": "2026-01-01T00:00:00Z"}
    record = {**facts_of, "format": 1, "installer": "pip", "requirements": [], "packages": {"pandas": "2.2.3"}}
    (folder / "environment.json").write_text(json.dumps({**record, "fork_check": {}, "size_bytes": 1}))
    app = open_page("settings")
    assert "pandas 2.2.3" in said(app)
    press(app, "environment:older:remove")
    assert not folder.exists()
    app = open_page("settings")
    app.selectbox(key="environment:agent").set_value("coml").run()
    assert app.text_input(key="environment:name").value == "coml", "filled in for an agent that is a package"
    assert not press(app, "environment:send").main.error
    assert "mlcopilot==" in payloads(workspace, "environment")[0]["requirements"]


def test_a_backup_is_named_with_its_folder(open_page: Open, workspace: Workspace) -> None:
    app = open_page("settings")
    assert facts(app)["Backups"] == "none yet"
    press(app, "settings:backup")
    assert facts(app)["Backups"].startswith("1 in ")
    (backup,) = workspace.backups.iterdir()
    assert backup.name in facts(app)["Newest backup"].replace("\\", "")
    assert str(backup) in said(app)
    assert "the database is sound" in said(press(app, "settings:check"))


# A worker of one's own, and the demo


@pytest.fixture(autouse=True)
def ended() -> Iterator[None]:
    yield
    own_worker.end_all()


def test_a_worker_is_started_from_the_page_once_and_ends_with_the_server(open_page: Open, workspace: Workspace) -> None:
    app = open_page()
    assert "No worker is running" in app.warning[0].value
    assert f"benchwright worker --workspace {workspace.root}" in app.button(key="frame:start_worker").help
    press(app, "frame:start_worker")
    assert "A worker is starting" in said(app)
    assert "frame:start_worker" not in keys(app)
    (process,) = own_worker._started.values()
    deadline = time.monotonic() + 60
    while not worker_status(workspace).workers:
        assert time.monotonic() < deadline, "no worker reported"
        time.sleep(0.1)
    assert "worker running" in said(open_page())
    own_worker.start()  # as a tab would that was drawn before
    assert list(own_worker._started.values()) == [process]
    own_worker.end_all()
    assert process.poll() is not None
    assert not worker_status(workspace).workers


def test_a_worker_that_has_not_reported_is_told_as_starting(open_page: Open, workspace: Workspace) -> None:
    process = own_worker._started[workspace.root] = subprocess.Popen(["/bin/sleep", "60"])
    enqueue(workspace, kind="demo", payload={}, key="demo", created_by="benchwright")
    app = open_page("settings")
    assert "No worker is running" not in said(app)
    assert "settings:start_worker" not in keys(app)
    app = press(open_page(), "tour:next")
    assert "no worker is running" not in said(app)
    assert "the draft is not there yet: it takes about half a minute" in said(app)
    process.kill()
    process.wait()
    app = open_page()
    assert "ended with code -9: the server's log says why" in said(app)
    assert "frame:start_worker" in keys(app)


def test_who_may_start_no_worker_is_told_whom_to_ask(sign_in: Open, workspace: Workspace) -> None:
    give_roles(workspace, "root@example.org", ["maintainer"])
    give_roles(workspace, "mei@example.org", ["annotator"])
    enqueue(workspace, kind="demo", payload={}, key="demo", created_by="benchwright")
    app = sign_in("mei@example.org")
    assert "Ask a maintainer to start one: the first draft" in said(app)
    press(app, "tour:next")
    assert "Ask a maintainer to start one, then press this button" in said(app)
    assert "Press “Start a worker”" not in said(app)


def test_an_empty_queue_offers_the_demo(open_page: Open, workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Workspace] = []
    monkeypatch.setattr(queueing, "start_if_none", started.append)
    app = press(open_page(), "queue:demo")
    (job,) = jobs.select(workspace, kinds=("demo",))
    assert [ws.root for ws in started] == [workspace.root]
    says(app, "Build the demo", "The demo waits for a worker")
    assert len([warning for warning in app.warning if "No worker is running" in warning.value]) == 1
    assert "in the sidebar" not in app.main.get("progress")[0].proto.text
    assert "queue:demo" not in keys(app)
    assert {f"job:{job.id}:cancel", f"job:{job.id}:start_worker"} <= keys(app)
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
