"""Nothing starts before its forecast, and code of the machine only for maintainers."""

from pathlib import Path

import pytest

from authoring.jobs.experiments import parse_experiment
from authoring.store import experiments, jobs, runs
from authoring.store.people import Role, give_roles
from authoring.store.workspace import Workspace
from authoring.ui.experiments.checking import needs_maintainer
from tests.ui.conftest import TEXT
from tests.ui.experiments.screen import FILE, Open, Said, carry_out, end, field, forecast, labels, press, queued


def test_nothing_starts_before_its_forecast_and_a_large_one_not_before_it_is_agreed_to(
    open_page: Open, workspace: Workspace, stored: experiments.ExperimentText, said: Said
) -> None:
    app = open_page("experiments", experiment="two")
    assert "Start the experiment" not in labels(app)
    press(app, "Check and forecast")
    order = {"name": "two", "digest": stored.digest}
    assert queued(workspace, "experiment_check") == [order]
    end(workspace, "experiment_check", {**forecast((30_000, 90_000), is_large=True), **order})
    app = open_page("experiments", experiment="two")
    assert app.button(key="experiment:start").disabled
    assert next(list(table.value.iloc[:, 0]) for table in app.table) == [
        *("2", "4", "30,000 to 90,000", "10 to 20", "0.50 to 1.50"),
    ]
    (agree,) = app.main.checkbox
    assert "30,000 requests or more" in agree.label
    agree.check().run()
    app.button(key="experiment:start").click().run()
    assert queued(workspace, "experiment") == [order]
    assert "Cancel" in labels(app)
    assert "Check and forecast" not in labels(app)  # one at a time
    again = open_page("experiments", experiment="two")  # a reload, or another tab
    assert "Cancel" in labels(again)


def test_a_text_that_was_changed_after_its_check_is_checked_again(
    open_page: Open, workspace: Workspace, stored: experiments.ExperimentText, said: Said
) -> None:
    app = open_page("experiments", experiment="two")
    press(app, "Check and forecast")
    end(workspace, "experiment_check", {**forecast(), "name": "two"})
    app = open_page("experiments", experiment="two")
    stale = open_page("experiments", experiment="two")
    field(app).set_value(f"{FILE}epochs: 2\n").run()
    assert "save your text first" in said(app)
    press(app, "Save")
    assert "Start the experiment" not in labels(app)
    assert "checked before this change" in said(app)
    stale.button(key="experiment:start").click().run()
    assert "the file was changed meanwhile" in said(stale)
    assert queued(workspace, "experiment") == []


def test_code_and_files_of_the_machine_are_started_by_maintainers(
    sign_in: Open, workspace: Workspace, stored: experiments.ExperimentText, said: Said
) -> None:
    give_roles(workspace, "boss@example.org", [Role.MAINTAINER])
    give_roles(workspace, "eva@example.org", [Role.EVALUATOR])
    (workspace.root / "mine.py").write_text("")
    app = sign_in("eva@example.org", "experiments", experiment="two")
    assert "Check and forecast" in labels(app)
    experiments.save(workspace, "two", FILE.replace("oracle", '"cmd:python mine.py"'), base=stored.digest)
    app = sign_in("eva@example.org", "experiments", experiment="two")
    assert "A maintainer has to start it" in said(app)
    assert "Check and forecast" not in labels(app)
    app = sign_in("boss@example.org", "experiments", experiment="two")
    assert "Check and forecast" in labels(app)


@pytest.mark.parametrize("role", [Role.ANNOTATOR, Role.REVIEWER])
def test_who_may_not_run_experiments_changes_nothing_and_loses_no_text(
    sign_in: Open, workspace: Workspace, stored: experiments.ExperimentText, said: Said, role: Role
) -> None:
    give_roles(workspace, "boss@example.org", [Role.MAINTAINER])
    give_roles(workspace, "ann@example.org", [role])
    carry_out(workspace)
    app = sign_in("ann@example.org", "experiments", experiment="two")
    field(app).set_value(f"{FILE}epochs: 2\n").run()
    for title in ("Save", "Check and forecast", "Link them"):
        press(app, title)
        assert "evaluator" in said(app)
        assert field(app).value == f"{FILE}epochs: 2\n"
    assert experiments.read(workspace, "two").text == FILE
    assert jobs.select(workspace) == []
    assert runs.select(workspace) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("oracle", '"mine.py:solve"'),
        ("oracle", '"replay:mine.py"'),
        ("oracle", '{agent: "chat:m", options: {shots: mine.py}}'),
        ("oracle", "{agent: empty, variables: [OPENAI_API_KEY]}"),
        ("benchmarks/shop.py", "../elsewhere.py"),
        ("name: two", "out: ../elsewhere\nname: two"),
    ],
)
def test_what_leads_out_of_the_workspace_is_for_maintainers(
    workspace: Workspace, stored: experiments.ExperimentText, old: str, new: str
) -> None:
    (workspace.root / "mine.py").write_text("")
    (workspace.root.parent / "elsewhere.py").write_text(TEXT)
    assert needs_maintainer(workspace, parse_experiment("two", FILE)) == ""
    assert needs_maintainer(workspace, parse_experiment("two", FILE.replace(old, new, 1))) != ""


def test_a_workspace_without_a_worker_or_a_key_still_shows_all_of_it(
    open_page: Open, workspace: Workspace, stored: experiments.ExperimentText, said: Said
) -> None:
    app = open_page("experiments", experiment="two")
    field(app).set_value(FILE.replace("- oracle", '- {agent: "chat:m"}')).run()
    press(app, "Save")
    press(app, "Check and forecast")
    job = jobs.claim(workspace, owner="w", kinds=["experiment_check"])
    assert job is not None
    error = {"what": "there is no key", "where": "OPENAI_API_KEY", "fix": "set it"}
    jobs.fail(workspace, job.id, "w", error=error)
    app = open_page("experiments", experiment="two")
    assert "there is no key" in said(app)
    assert "OPENAI\\_API\\_KEY" in said(app)
    assert "Start the experiment" not in labels(app)


def test_a_workspace_behind_a_link_is_the_workspace_all_the_same(tmp_path: Path) -> None:
    """Else nobody but maintainers could start an experiment in it."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    ws = Workspace.open(tmp_path / "link" / "ws")
    (ws.root / "bench.py").write_text("# %%\nx = 1\n")
    text = "name: e\nout: runs/e\nbenchmarks: [bench.py]\nagents: [oracle]\n"
    assert needs_maintainer(ws, parse_experiment("e", text)) == ""
