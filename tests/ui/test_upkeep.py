"""What Settings says of the machine: workers and lanes, the model's last answer, environments, backups."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from authoring.store import jobs
from authoring.store.jobs import enqueue, register_worker
from authoring.store.settings import set_setting
from authoring.store.workspace import Workspace

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]


def facts(app: AppTest) -> dict[str, str]:
    """Every two-column list of the page in one."""
    return {str(row[0]): str(row[1]) for table in app.table for row in table.value.reset_index().to_numpy().tolist()}


def test_workers_are_shown_with_their_last_report_and_what_each_lane_does(
    open_page: Open, workspace: Workspace, said: Said
) -> None:
    register_worker(workspace)
    for kind in ("execute", "draft", "sketch"):
        enqueue(workspace, kind=kind, payload={}, key=None, created_by="mei")
    jobs.claim(workspace, owner="test", kinds=["draft"])
    app = open_page("settings")
    assert "last report just now" in said(app)
    lanes = next(table.value for table in app.table if "Lane" in table.value)
    assert lanes["Lane"].tolist() == ["interactive", "batch"]
    assert lanes["Waiting"].tolist() == ["1", "1"]
    assert lanes["Works on"].tolist()[1].startswith("Draft")


def test_a_configured_model_is_shown_with_limits_and_its_last_answer_and_never_a_key(
    open_page: Open, workspace: Workspace, said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (
        ("BENCHWRIGHT_MODEL", "gpt-4o-mini"),
        ("OPENAI_API_KEY", "sk-secret"),
        ("OPENAI_BASE_URL", "http://127.0.0.1:9/v1"),
    ):
        monkeypatch.setenv(name, value)
    app = open_page("settings")
    assert "no worker has asked it yet" in facts(app)["Last look"]
    app.button(key="settings:model").click().run()
    assert [job.kind for job in jobs.select(workspace)] == ["model_check"]
    seen = {"model": "gpt-4o-mini", "host": "127.0.0.1:9", "at": "2026-01-01T00:00:00+00:00", "seconds": 1.0}
    set_setting(workspace, "model_seen", {**seen, "reachable": True})
    assert "it answered a worker" in facts(open_page("settings"))["Last look"]
    set_setting(workspace, "model_seen", {**seen, "reachable": False, "what": "refused [x]", "fix": "check the key"})
    app = open_page("settings")
    assert r"refused \[x\]. To fix it: check the key" in facts(app)["Last look"]
    assert "300 s for a request" in facts(app)["Limits"]
    assert "sk-secret" not in said(app) + json.dumps(facts(app))


def test_without_a_model_settings_name_the_variables_of_each_provider(
    open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BENCHWRIGHT_MODEL", raising=False)
    app = open_page("settings")
    assert facts(app)["`NAME`"] == "OPENAI_API_KEY; OPENAI_BASE_URL"
    assert facts(app)["`google:NAME`"] == "GOOGLE_API_KEY or GEMINI_API_KEY; GOOGLE_GEMINI_BASE_URL"
    (link,) = [link.proto for link in app.main.get("page_link") if link.proto.label.startswith("Models of")]
    document = dict(part.split("=") for part in link.query_string.split("&"))
    shown = open_page("help", **document)
    assert [each.value for each in (*shown.header, *shown.subheader)] == [link.label]


def test_environments_are_listed_ordered_and_removed(
    open_page: Open, workspace: Workspace, environments: Path, said: Said
) -> None:
    app = open_page("settings")
    assert "There is no environment yet" in said(app)
    app.text_input(key="environment:name").set_value("older")
    app.button(key="environment:send").click().run()
    assert "has no requirements" in app.error[0].value
    app.text_area(key="environment:requirements").set_value("pandas==2.2.*\n")
    app.button(key="environment:send").click().run()
    (job,) = jobs.select(workspace)
    assert (job.kind, job.payload) == (
        "environment",
        {"name": "older", "requirements": "pandas==2.2.*", "python": None},
    )
    folder = environments / "older"
    folder.mkdir(parents=True)
    facts_of = {"python": "3.11.2", "platform": "Linux", "digest": "d" * 16, "created": "2026-01-01T00:00:00Z"}
    record = {**facts_of, "format": 1, "installer": "pip", "requirements": [], "packages": {"pandas": "2.2.3"}}
    (folder / "environment.json").write_text(json.dumps({**record, "fork_check": {}, "size_bytes": 1}))
    app = open_page("settings")
    assert r"pandas 2\.2\.3" in said(app)
    app.button(key="environment:older:remove").click().run()
    assert not folder.exists()


def test_the_form_fills_in_what_an_agent_that_is_a_package_needs(
    open_page: Open, workspace: Workspace, environments: Path
) -> None:
    app = open_page("settings")
    app.selectbox(key="environment:agent").set_value("coml").run()
    assert app.text_input(key="environment:name").value == "coml"
    app.button(key="environment:send").click().run()
    assert not app.main.error
    (job,) = jobs.select(workspace)
    assert job.payload["name"] == "coml"
    assert "mlcopilot==" in job.payload["requirements"]


def test_a_backup_is_named_with_its_folder(open_page: Open, workspace: Workspace, said: Said) -> None:
    app = open_page("settings")
    assert facts(app)["Backups"] == "none yet"
    app.button(key="settings:backup").click().run()
    assert facts(app)["Backups"].startswith("1 in ")
    (backup,) = workspace.backups.iterdir()
    assert backup.name in facts(app)["Newest backup"].replace("\\", "")
    assert str(backup) in said(app).replace("\\", "")
    app.button(key="settings:check").click().run()
    assert "the database is sound" in said(app)
