"""An experiment is started after its forecast by who may; its tables, curves and files, also where some are broken."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from authoring.jobs.experiments import parse_experiment, plan_in_workspace, report_of
from authoring.store import experiments, jobs, runs
from authoring.store.people import Role, give_roles
from authoring.store.runs import count_attempts, ids_by_folder
from authoring.store.workspace import Workspace
from authoring.ui.experiments.checking import needs_maintainer
from authoring.ui.experiments.outcome_charts import curve_lines, rate_points
from authoring.ui.experiments.outcome_tables import board_table, forgiving_table, main_table, published_table
from tests.ui.acts import OURS, Open, errors, fail, finish, payloads, said, says
from tests.ui.conftest import TEXT
from tests.ui.experiments.screen import FILE, carry_out, field, forecast, labels, press

Stored = experiments.ExperimentText
HOSTILE = "<script>alert(1)</script>[x](javascript:1) **b** :red[r] $a$ `c`"


@pytest.fixture
def look(open_page: Open, stored: Stored) -> Open:
    """Open the page of the stored experiment."""
    del stored
    return lambda: open_page("experiments", experiment="two")


def table_with(app: AppTest, *columns: str) -> pd.DataFrame:
    (found,) = [each.value for each in app.table if set(columns) <= set(each.value.columns)]
    return found


# Starting


def test_nothing_starts_before_its_forecast_is_agreed_to(look: Open, workspace: Workspace, stored: Stored) -> None:
    app = look()
    assert "Start the experiment" not in labels(app)
    press(app, "Check and forecast")
    fail(workspace, "experiment_check", "there is no key", where="OPENAI_API_KEY")
    app = look()
    says(app, "there is no key", "OPENAI_API_KEY")
    assert "Start the experiment" not in labels(app)
    press(app, "Check and forecast")
    order = {"name": "two", "digest": stored.digest}
    checked = finish(workspace, "experiment_check", {**forecast((30_000, 90_000), is_large=True), **order})
    assert checked.payload == order
    app = look()
    assert app.button(key="experiment:start").disabled
    totals = next(list(table.value.iloc[:, 0]) for table in app.table)
    assert totals == ["2", "4", "30,000 to 90,000", "10 to 20", "0.50 to 1.50"]
    (agree,) = app.main.checkbox
    assert "30,000 requests or more" in agree.label
    agree.check().run()
    stale = look()
    app.button(key="experiment:start").click().run()
    assert payloads(workspace, "experiment") == [order]
    assert "Cancel" in labels(app)
    assert "Check and forecast" not in labels(app)  # one at a time
    assert "Cancel" in labels(stale.run())


def test_a_text_that_was_changed_after_its_check_is_checked_again(look: Open, workspace: Workspace) -> None:
    press(look(), "Check and forecast")
    finish(workspace, "experiment_check", {**forecast(), "name": "two"})
    app, stale = look(), look()
    field(app).set_value(f"{FILE}epochs: 2\n").run()
    assert "save your text first" in said(app)
    press(app, "Save")
    assert "Start the experiment" not in labels(app)
    assert "checked before this change" in said(app)
    stale.button(key="experiment:start").click().run()
    assert "the file was changed meanwhile" in said(stale)
    assert payloads(workspace, "experiment") == []


def test_code_of_the_machine_is_started_by_maintainers(sign_in: Open, workspace: Workspace, stored: Stored) -> None:
    give_roles(workspace, "boss@example.org", [Role.MAINTAINER])
    give_roles(workspace, "eva@example.org", [Role.EVALUATOR])
    (workspace.root / "mine.py").write_text("")
    experiments.save(workspace, "two", FILE.replace("oracle", '"cmd:python mine.py"'), base=stored.digest)
    app = sign_in("eva@example.org", "experiments", experiment="two")
    assert "A maintainer has to start it" in said(app)
    assert "Check and forecast" not in labels(app)
    assert "Check and forecast" in labels(sign_in("boss@example.org", "experiments", experiment="two"))


def test_what_leads_out_is_for_maintainers(workspace: Workspace, stored: Stored, tmp_path: Path) -> None:
    (workspace.root / "mine.py").write_text("")
    (workspace.root.parent / "elsewhere.py").write_text(TEXT)
    assert needs_maintainer(workspace, parse_experiment("two", FILE)) == ""
    for old, new in (
        ("oracle", '"mine.py:solve"'),
        ("oracle", '"replay:mine.py"'),
        ("oracle", '{agent: "chat:m", options: {shots: mine.py}}'),
        ("oracle", "{agent: empty, variables: [OPENAI_API_KEY]}"),
        ("benchmarks/shop.py", "../elsewhere.py"),
        ("name: two", "out: ../elsewhere\nname: two"),
    ):
        assert needs_maintainer(workspace, parse_experiment("two", FILE.replace(old, new, 1))) != "", new
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    linked = Workspace.open(tmp_path / "link" / "ws")  # a workspace behind a link is the workspace all the same
    (linked.root / "bench.py").write_text("# %%\nx = 1\n")
    text = "name: e\nout: runs/e\nbenchmarks: [bench.py]\nagents: [oracle]\n"
    assert needs_maintainer(linked, parse_experiment("e", text)) == ""


def test_who_may_not_run_them_changes_and_loses_nothing(
    sign_in: Open, workspace: Workspace, stored: Stored, run_at_command_line: Callable[[], None]
) -> None:
    give_roles(workspace, "boss@example.org", [Role.MAINTAINER])
    give_roles(workspace, "ann@example.org", [Role.ANNOTATOR, Role.REVIEWER])
    run_at_command_line()
    app = sign_in("ann@example.org", "experiments", experiment="two")
    field(app).set_value(f"{FILE}epochs: 2\n").run()
    for title in ("Save", "Check and forecast", "Link them"):
        press(app, title)
        assert "evaluator" in said(app)
        assert field(app).value == f"{FILE}epochs: 2\n"
    assert experiments.read(workspace, "two").text == FILE
    assert jobs.select(workspace) == []
    assert runs.select(workspace) == []


# Outcomes


def test_attempts_are_curves_and_published_rows_beside_ours(look: Open, workspace: Workspace, stored: Stored) -> None:
    others = "{label: three, max_attempts: 3, feedback: [error]}, {label: own, history: own}"
    ours = FILE.replace("label: shop", "label: DSEval-SO").replace(
        "- oracle", "- {agent: oracle, label: CoML + GPT-3.5}"
    )
    text = f"{ours}policies: [{{label: one}}, {others}]\npublished: dseval\n"
    experiments.save(workspace, "two", text, base=stored.digest)
    carry_out(workspace)
    app = look()
    assert len(app.get("vega_lite_chart")) >= 2
    for told in ("Pass rate over attempts", "Losses between policies", "data, not measured here"):
        assert told in said(app)
    assert "Published" in table_with(app, "Judged").columns
    assert any(each.label.endswith("without a run here") for each in app.expander)


def test_the_table_has_intervals_downloads_and_linked_runs(
    look: Open, open_page: Open, workspace: Workspace, run_at_command_line: Callable[[], None]
) -> None:
    assert "Nothing is judged yet" in said(look())
    assert "not started" in said(open_page("experiments"))
    run_at_command_line()
    listed = said(open_page("experiments"))
    assert "run from the command line" in listed
    assert "not started" not in listed
    app = look()
    table = table_with(app, "Correct", "Judged")
    assert list(table["Agent"]) == ["oracle", "nothing"]
    assert list(table["Correct"]) == ["100.0 (34.2 to 100.0)", "0.0 (0.0 to 65.8)"]
    says(app, "was started at the command line", "rules sound; scoring version")
    assert list(table_with(app, "Ran as")["Ran as"]) == ["oracle", "empty"]
    press(app, "Link them")
    assert "linked 2 runs" in said(app)
    assert "was started at the command line" not in said(app)
    folders = [str(path.parent) for path in (workspace.root / "runs").rglob("records.jsonl")]
    linked = ids_by_folder(workspace, folders)
    assert sorted(linked) == sorted(folders)
    assert count_attempts(workspace, linked[folders[0]]) != {}
    assert [row.summary["experiment"] for row in runs.select(workspace)] == ["two", "two"]
    offered = [str(each.proto.label) for each in app.get("download_button")]
    assert offered[-3:] == ["Table (.csv)", "All of it (.json)", "Report (.html)"]
    assert len(app.get("vega_lite_chart")) == 1


def test_a_run_that_is_broken_or_another_one_has_no_rates(
    look: Open, workspace: Workspace, stored: Stored, run_at_command_line: Callable[[], None]
) -> None:
    run_at_command_line()
    (records,) = (workspace.root / "runs" / "two-agents" / "shop" / "nothing").rglob("records.jsonl")
    whole = records.read_bytes()
    records.write_bytes(b'{"half": \n' + whole)
    app = look()
    assert "nothing: the line is no result record" in errors(app)
    assert "reference-reference/records.jsonl:1" in errors(app)
    assert "To fix it: remove the line" in errors(app)
    table = table_with(app, "Judged", "Correct")
    assert list(table["Agent"]) == ["oracle", "nothing"]
    assert list(table["Judged"]) == ["2", "cannot be read"]
    assert list(table["Correct"]) == ["100.0 (34.2 to 100.0)", "–"]
    experiment = parse_experiment("two", FILE)
    body = report_of(experiment, plan_in_workspace(workspace, experiment))
    assert [(run["state"], run["judged"]) for run in body.to_json()["runs"]] == [("done", 2), ("broken", None)]
    assert not body.is_done
    assert "1 of 2 runs cannot be read" in body.to_text()
    records.write_bytes(whole)
    app = look()
    assert not app.main.error
    assert "cannot be read" not in said(app)
    experiments.save(workspace, "two", FILE.replace("agent: empty", "agent: cheat"), base=stored.digest)
    app = look()
    table = table_with(app, "Judged", "Correct")
    assert list(table["Judged"]) == ["2", "another run"]
    assert list(table["Correct"]) == ["100.0 (34.2 to 100.0)", "–"]
    assert "its agent is 'empty', not 'cheat'" in said(app)


def test_outputs_that_vanish_or_are_cut_short_are_told_and_the_file_stays(
    look: Open, workspace: Workspace, run_at_command_line: Callable[[], None]
) -> None:
    app = look()
    press(app, "Check and forecast")
    finish(workspace, "experiment_check", {**forecast(), "name": "two"})
    look().button(key="experiment:start").click().run()
    made = {"name": "two", "runs": [], "not_judged": 1, "refused": ["shop"], "diagnostics": []}
    finish(workspace, "experiment", made)
    run_at_command_line()
    records = sorted((workspace.root / "runs").rglob("records.jsonl"))[0]
    records.write_bytes(records.read_bytes()[:-20])
    app = look()
    assert any("1 of 2" in str(table.value.to_dict()) for table in app.table)
    assert "Refused, and in no rate: shop" in said(app)
    shutil.rmtree(workspace.root / "runs")
    app = look()
    assert "Its outputs are gone" in said(app)
    assert OURS not in said(app)
    assert field(app).value == FILE
    assert "Check and forecast" in labels(app)


def test_files_that_cannot_be_read_are_told_in_place(open_page: Open, workspace: Workspace) -> None:
    folder = experiments.folder_of(workspace)
    folder.mkdir()
    (folder / "binary.yaml").write_bytes(b"\xff\x00")
    os.mkfifo(folder / "pipe.yaml")
    (folder / f"{'x' * 80} & <b>.yaml").write_text("a: 1")
    assert not open_page("experiments").main.error
    assert "no UTF-8 text" in said(open_page("experiments", experiment="binary"))
    assert "open 'binary'" in said(open_page("experiments", experiment="bineary"))


def test_names_of_strangers_are_text_wherever_they_are_shown() -> None:
    run = {
        **{"benchmark": HOSTILE, "agent": HOSTILE, "policy": HOSTILE, "state": "done", "problems": 2, "judged": 2},
        **{"not_judged": 0, "pass_rate": 0.5, "interval": [0.1, 0.9], "without_intact": 0.5, "out": "/x"},
        **{"without_presentation": 0.5, "without_both": 0.5, "tokens": None, "cost": None, "published": 0.7},
        "scores": {HOSTILE: 0.5},
    }
    scores = {"model": HOSTILE, "published": True, "scores": {HOSTILE: 0.5}}
    published = published_table([{"benchmark": HOSTILE, "agent": HOSTILE, "correct": 0.5}])
    board = board_table({"columns": [HOSTILE], "rows": [scores]})
    for (row,) in (main_table([run]), forgiving_table([run]), board, published):
        assert "<script>" not in json.dumps(row)
        assert "](" not in json.dumps(row)
    spec, lines = rate_points([(HOSTILE, run)]), curve_lines([("a", [[1, 0.5], [2, 0.75]])], over="attempts")
    assert spec is not None
    assert lines is not None
    assert [each["from"] for each in spec["data"]["values"]] == ["this workspace", "published"]
    assert [each["rate"] for each in lines["data"]["values"]] == [0.5, 0.75]
    assert curve_lines([("a", [])], over="attempts") is None
    assert "://" not in json.dumps([spec, lines])
