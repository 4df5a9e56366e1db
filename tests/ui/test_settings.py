"""What Settings says of the machine, and how a worker is started from a page: model, environments, backups, demo."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from authoring.store import jobs
from authoring.store.jobs import enqueue, register_worker
from authoring.store.settings import set_setting
from authoring.store.workspace import Workspace
from authoring.ui.queue import queueing
from authoring.ui.shell import own_worker
from authoring.ui.workplace import worker_command
from tests.ui.acts import Open, configure_model, errors, finish, keys, page_links, payloads, press, said, says


def facts(app: AppTest) -> dict[str, str]:
    """Every two-column list of the page in one."""
    return {str(row[0]): str(row[1]) for table in app.table for row in table.value.reset_index().to_numpy().tolist()}


def test_a_worker_is_shown_with_its_report_and_lanes(open_page: Open, ws: Workspace) -> None:
    assert {"settings:start_worker", "frame:start_worker"} & keys(open_page("settings"))
    register_worker(ws)
    for kind in ("execute", "draft", "sketch"):
        enqueue(ws, kind=kind, payload={}, key=None, created_by="mei")
    jobs.claim(ws, owner="test", kinds=["draft"])
    app = open_page("settings")
    assert not keys(app) & {"settings:start_worker", "frame:start_worker"}
    assert "last report just now" in said(app)
    lanes = next(table.value for table in app.table if "Lane" in table.value)
    assert lanes["Lane"].tolist() == ["interactive", "batch"]
    assert lanes["Waiting"].tolist() == ["1", "1"]
    assert lanes["Works on"].tolist()[1].startswith("Draft")
    command, *rest = shlex.split(worker_command())
    assert Path(command).is_absolute()
    assert Path(command).exists()
    assert rest[-2:] == ["--workspace", str(ws.root)]


def test_a_model_is_shown_and_never_a_key(open_page: Open, ws: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    app = open_page("settings")
    assert facts(app)["`NAME`"] == "OPENAI_API_KEY; OPENAI_BASE_URL"
    assert facts(app)["`google:NAME`"] == "GOOGLE_API_KEY or GEMINI_API_KEY; GOOGLE_GEMINI_BASE_URL"
    assert [link for link in page_links(app) if link.startswith("Models of")]
    configure_model(monkeypatch, "gpt-4o-mini")
    assert "no worker has asked it yet" in facts(app.run())["Last look"]
    press(app, "settings:model")
    assert [job.kind for job in jobs.select(ws)] == ["model_check"]
    seen = {"model": "gpt-4o-mini", "host": "127.0.0.1:9", "at": "2026-01-01T00:00:00+00:00", "seconds": 1.0}
    set_setting(ws, "model_seen", {**seen, "reachable": True})
    assert "it answered a worker" in facts(app.run())["Last look"]
    set_setting(ws, "model_seen", {**seen, "reachable": False, "what": "refused [x]", "fix": "check the key"})
    told = facts(app.run())
    assert r"refused \[x\]. To fix it: check the key" in told["Last look"]
    assert "300 s for a request" in told["Limits"]
    assert "sk-secret" not in said(app) + json.dumps(told)


def test_environments_are_listed_ordered_and_removed(open_page: Open, ws: Workspace, environments: Path) -> None:
    app = open_page("settings")
    assert "There is no environment yet" in said(app)
    app.text_input(key="environment:name").set_value("older")
    assert "has no requirements" in errors(press(app, "environment:send"))
    app.text_area(key="environment:requirements").set_value("pandas==2.2.*\n")
    press(app, "environment:send")
    assert payloads(ws, "environment") == [{"name": "older", "requirements": "pandas==2.2.*", "python": None}]
    finish(ws, "environment", {})
    (environments / "older").mkdir(parents=True)
    facts_of = {"python": "3.11.2", "platform": "Linux", "digest": "d" * 16, "created": "2026-01-01T00:00:00Z"}
    record = {**facts_of, "format": 1, "installer": "pip", "requirements": [], "packages": {"pandas": "2.2.3"}}
    record_file = environments / "older" / "environment.json"
    record_file.write_text(json.dumps({**record, "fork_check": {}, "size_bytes": 1}))
    app = open_page("settings")
    assert "pandas 2.2.3" in said(app)
    press(app, "environment:older:remove")
    assert not record_file.exists()
    app.selectbox(key="environment:agent").set_value("coml").run()
    assert app.text_input(key="environment:name").value == "coml", "filled in for an agent that is a package"
    assert not press(app, "environment:send").main.error
    assert "mlcopilot==" in payloads(ws, "environment")[0]["requirements"]


def test_a_backup_is_named_with_its_folder(open_page: Open, ws: Workspace) -> None:
    app = open_page("settings")
    assert facts(app)["Backups"] == "none yet"
    press(app, "settings:backup")
    assert facts(app)["Backups"].startswith("1 in ")
    (backup,) = ws.backups.iterdir()
    assert backup.name in facts(app)["Newest backup"].replace("\\", "")
    assert str(backup) in said(app)
    assert "the database is sound" in said(press(app, "settings:check"))


@pytest.fixture(autouse=True)
def ended() -> Iterator[None]:
    yield
    own_worker.end_all()


def test_a_worker_is_started_from_the_page_once_and_ends_with_the_server(
    open_page: Open, ws: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, started = subprocess.Popen, []

    def start(command: list[str], **options: Any) -> Any:
        started.append(command)
        return real(["/bin/sleep", "60"], **options)

    monkeypatch.setattr("authoring.ui.shell.own_worker.subprocess.Popen", start)
    app = open_page()
    assert "No worker is running" in app.warning[0].value
    assert f"benchwright worker --workspace {ws.root}" in app.button(key="frame:start_worker").help
    press(app, "frame:start_worker")
    assert "A worker is starting" in said(app)
    assert "frame:start_worker" not in keys(app)
    own_worker.start()  # as a tab would that was drawn before
    (process,) = own_worker._started.values()
    asked = ["--workspace", str(ws.root), "--parent-pid", str(os.getpid())]
    assert started == [[sys.executable, "-m", "authoring.worker", *asked]]
    process.kill()
    process.wait()
    assert "ended with code -9: the server's log says why" in said(open_page())


def test_an_empty_queue_offers_the_demo(open_page: Open, ws: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Workspace] = []
    monkeypatch.setattr(queueing, "start_if_none", started.append)
    app = press(open_page(), "queue:demo")
    (job,) = jobs.select(ws, kinds=("demo",))
    assert [each.root for each in started] == [ws.root]
    says(app, "Build the demo", "The demo waits for a worker")
    assert "queue:demo" not in keys(app)
    assert {f"job:{job.id}:cancel", f"job:{job.id}:start_worker"} <= keys(app)
    register_worker(ws)
    app = open_page()
    assert not keys(app) & {f"job:{job.id}:start_worker", "frame:start_worker"}
    assert "waiting for its turn" in app.main.get("progress")[0].proto.text
