"""Experiments on the screen: made, edited, checked, agreed to, started, followed and read."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from authoring.jobs.experiments import parse_experiment, plan_in_workspace, report_of
from authoring.store import experiments, jobs, runs
from authoring.store.people import Role, give_roles
from authoring.store.runs import count_attempts, ids_by_folder
from authoring.store.workspace import Workspace
from authoring.ui.experiments.checking import check_text, needs_maintainer
from authoring.ui.experiments.new_experiment import in_small, short_text
from authoring.ui.experiments.outcome_charts import curve_lines, rate_points
from authoring.ui.experiments.outcome_tables import (
    board_table,
    forgiving_table,
    main_table,
    published_table,
)
from evaluator.experiments.execution import run_experiment
from evaluator.experiments.shipped import renamed, shipped_file, shipped_names
from evaluator.running import plan
from tests.ui.conftest import TEXT

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]
FILE = """\
name: two agents
benchmarks: [{benchmark: benchmarks/shop.py, label: shop}]
agents:
- oracle
- {agent: empty, label: nothing}
"""
HOSTILE = "<script>alert(1)</script>[x](javascript:1) **b** :red[r] $a$ `c`"


@pytest.fixture
def stored(workspace: Workspace) -> experiments.ExperimentText:
    """An experiment on a small benchmark, not started."""
    (workspace.root / "benchmarks").mkdir()
    (workspace.root / "benchmarks" / "shop.py").write_text(TEXT)
    return experiments.save(workspace, "two", FILE, base=None)


def carry_out(ws: Workspace, name: str = "two") -> None:
    """Run an experiment as its job does, in this process."""
    experiment = parse_experiment(name, experiments.read(ws, name).text)
    run_experiment(experiment, plan_in_workspace(ws, experiment))


def forecast(requests: tuple[int, int] = (0, 0), *, is_large: bool = False) -> dict[str, Any]:
    run = {"problems_left": 2, "requests": list(requests), "tokens": [10, 20], "tokens_measured": True, "cost": [0, 0]}
    totals = {"requests": list(requests), "tokens": [10, 20], "cost": [0.5, 1.5], "is_large": is_large}
    return {"name": "two", "runs": [run, run], **totals, "text": "as told"}


def end(ws: Workspace, kind: str, result: dict[str, Any]) -> None:
    """Do the oldest waiting job of a kind, as a worker does."""
    job = jobs.claim(ws, owner="w", kinds=[kind])
    assert job is not None
    jobs.finish(ws, job.id, "w", result=result)


def field(app: AppTest) -> Any:
    (area,) = [each for each in app.text_area if each.label == "Text of the experiment"]
    return area


def press(app: AppTest, title: str) -> AppTest:
    (button,) = [each for each in app.main.button if each.label == title]
    return button.click().run()


def labels(app: AppTest) -> list[str]:
    return [each.label for each in app.main.button]


def queued(ws: Workspace, kind: str) -> list[dict[str, Any]]:
    return [job.payload for job in jobs.select(ws, kinds=(kind,))]


def test_a_new_one_is_made_of_a_short_text_that_can_be_run_as_it_is(
    open_page: Open, workspace: Workspace, said: Said
) -> None:
    app = open_page("experiments")
    assert "There is no experiment yet" in said(app)
    app.text_input(key="experiment:new:name").set_value("shots")
    app.button(key="experiment:new:make").click().run()
    assert not app.exception
    made = experiments.read(workspace, "shots")
    checked = check_text(workspace, "shots", made.text)
    assert checked.diagnostics == ()
    assert checked.experiment is not None
    assert [each.agent for each in checked.experiment.agents] == ["oracle", "empty"]
    app = open_page("experiments")
    app.text_input(key="experiment:new:name").set_value("shots")
    app.button(key="experiment:new:make").click().run()
    assert "there is already an experiment" in said(app)
    app.text_input(key="experiment:new:name").set_value("../evil")
    app.button(key="experiment:new:make").click().run()
    assert "the name holds" in said(app)


def test_the_short_text_asks_the_model_that_is_configured(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCHWRIGHT_MODEL", 'odd:"name')
    checked = check_text(workspace, "x", short_text(workspace, "x: y", []))
    assert checked.experiment is not None
    assert checked.experiment.name == "x: y"
    assert [each.text for each in checked.experiment.agents][2:] == ['chat:odd:"name', 'chat:odd:"name?shots=none']
    assert len(checked.experiment.policies) == 2


def test_a_copy_and_pasted_text_are_taken_as_they_are(
    open_page: Open, workspace: Workspace, stored: experiments.ExperimentText
) -> None:
    app = open_page("experiments")
    app.text_input(key="experiment:new:name").set_value("again")
    app.selectbox(key="experiment:new:start").select("copy:two").run()
    app.button(key="experiment:new:make").click().run()
    assert experiments.read(workspace, "again").text == FILE.replace("name: two agents", 'name: "again"')
    app = open_page("experiments")
    app.text_input(key="experiment:new:name").set_value("pasted")
    app.selectbox(key="experiment:new:start").select("paste").run()
    app.text_area(key="experiment:new:pasted").set_value("name: [unfinished")
    app.button(key="experiment:new:make").click().run()
    assert experiments.read(workspace, "pasted").text == "name: [unfinished"  # kept to be mended
    assert not app.exception


def test_a_shipped_one_says_what_it_repeats_and_needs_and_is_taken_as_a_file(
    open_page: Open, workspace: Workspace, said: Said
) -> None:
    app = open_page("experiments")
    app.text_input(key="experiment:new:name").set_value("shots")
    app.selectbox(key="experiment:new:start").select("shipped:dseval-shots").run()
    assert "ablation of examples" in said(app)
    assert "get DSEval's repository" in said(app).replace("\\", "")
    app.checkbox(key="experiment:new:small").uncheck()
    app.button(key="experiment:new:make").click().run()
    made = experiments.read(workspace, "shots")
    assert made.text == shipped_file("dseval-shots").read_text().replace("name: dseval-shots", 'name: "shots"')
    (fault,) = check_text(workspace, "shots", made.text).diagnostics
    assert made.text.splitlines()[fault.line - 1] == "- benchmark: dseval/benchmarks/exercise"
    assert fault.fix.startswith("get DSEval's repository")


@pytest.mark.parametrize("name", shipped_names())
def test_a_shipped_one_can_be_tried_in_small_on_what_is_shipped(name: str, workspace: Workspace) -> None:
    whole = parse_experiment(name, shipped_file(name).read_text())
    small = parse_experiment(name, in_small(renamed(shipped_file(name).read_text(), "my: trial")))
    assert small.name == "my: trial"
    assert small.benchmarks == (whole.small or whole.benchmarks)
    assert (small.agents, small.policies) == (whole.agents, whole.policies)


@pytest.mark.parametrize("name", shipped_names())
def test_agents_of_shipped_experiments_are_known_to_the_check(name: str, workspace: Workspace) -> None:
    text = shipped_file(name).read_text()
    for fault in check_text(workspace, name, text).diagnostics:
        assert "there is nothing at" in fault.what  # a benchmark that has to be got, and nothing else


def test_attempts_and_published_rows_are_drawn_as_curves_and_beside_ours(
    open_page: Open, workspace: Workspace, stored: experiments.ExperimentText, said: Said
) -> None:
    others = "{label: three, max_attempts: 3, feedback: [error]}, {label: own, history: own}"
    policies = f"policies: [{{label: one}}, {others}]\n"
    text = FILE.replace("label: shop", "label: DSEval-SO").replace(
        "- oracle", "- {agent: oracle, label: CoML + GPT-3.5}"
    )
    experiments.save(workspace, "two", f"{text}{policies}published: dseval\n", base=stored.digest)
    carry_out(workspace)
    app = open_page("experiments", experiment="two")
    assert len(app.get("vega_lite_chart")) >= 2
    assert "Pass rate over attempts" in said(app)
    assert "Losses between policies" in said(app)
    assert "data, not measured here" in said(app).replace("\\", "")
    (table,) = [each.value for each in app.table if "Judged" in each.value.columns]
    assert "Published" in table.columns
    assert any(each.label.endswith("without a run here") for each in app.expander)


@pytest.mark.parametrize(
    ("old", "new", "line", "what", "fix"),
    [
        ("benchmarks:", "benchmark:", 2, "no key is called 'benchmark'", "use 'benchmarks'"),
        ("- oracle", "- oracel", 4, "no agent is called 'oracel'", "write 'oracle'"),
        ("- oracle", '- {agent: "chat:m", options: {encodin: lida}}', 4, "no option 'encodin'", "use 'encoding'"),
        ("- oracle", '- {agent: "cmd:python gone.py"}', 4, "there is no file 'gone.py'", "check the path"),
        ("shop.py", "shopp.py", 2, "there is nothing at 'benchmarks/shopp.py'", "name a folder"),
        ("label: nothing", "label: oracle", 3, "two entries are called 'oracle'", "another 'label'"),
        ("benchmarks/shop.py", "x" * 3_000, 2, "File name too long", "look at the named place"),
        ("- oracle", f'- "{"x" * 3_000}.py:solve"', 4, "there is no file", "name a file"),
        ("- oracle", r'- {agent: oracle, label: "a\ud800"}', 4, "half a character", "correct it"),
        ("- oracle", r'- {agent: "chat:m", options: {shots: "\ud800"}}', 4, "half a character", "correct it"),
        ("- oracle", r'- "cmd:\ud800"', 4, "half a character", "correct it"),
        ("- oracle", "- {oracle", 4, "the YAML cannot be read", "correct the YAML"),
        (FILE, "", 1, "the file is empty", "write name"),
    ],
)
def test_what_is_wrong_is_told_by_its_line_while_it_is_typed(
    open_page: Open, workspace: Workspace, stored: experiments.ExperimentText, said: Said,
    old: str, new: str, line: int, what: str, fix: str,
) -> None:  # fmt: skip
    app = open_page("experiments", experiment="two")
    assert "The text can be read" in said(app)
    field(app).set_value(FILE.replace(old, new)).run()
    (error,) = app.main.error
    text = error.value.replace("\\", "")
    assert f"line {line} " in text
    assert what in text
    assert fix in text
    press(app, "Save")
    assert experiments.read(workspace, "two").text == FILE.replace(old, new)  # unfinished work is kept, too
    assert "can be started once its text is right" in said(app)
    assert queued(workspace, "experiment_check") == []


def test_what_is_typed_outlives_a_reload_and_a_change_of_the_file(
    open_page: Open, workspace: Workspace, stored: experiments.ExperimentText, said: Said
) -> None:
    app = open_page("experiments", experiment="two")
    field(app).set_value(f"{FILE}epochs: 2\n").run()
    again = open_page("experiments", experiment="two")
    assert field(again).value == f"{FILE}epochs: 2\n"
    theirs = experiments.save(workspace, "two", f"{FILE}epochs: 3\n", base=stored.digest)
    again = open_page("experiments", experiment="two")
    assert field(again).value == f"{FILE}epochs: 2\n"
    assert "The file was changed while you wrote" in said(again)
    press(again, "Save over the file")
    assert experiments.read(workspace, "two").text == f"{FILE}epochs: 2\n"
    assert "changed while you wrote" not in said(again)
    assert theirs.digest != experiments.read(workspace, "two").digest


def test_what_is_typed_outlives_its_file(
    open_page: Open, workspace: Workspace, stored: experiments.ExperimentText, said: Said
) -> None:
    app = open_page("experiments", experiment="two")
    field(app).set_value(f"{FILE}epochs: 2\n").run()
    press(app, "Check and forecast")
    job = jobs.claim(workspace, owner="w", kinds=["experiment_check"])
    assert job is not None
    experiments.folder_of(workspace).joinpath("two.yaml").unlink()
    app.run()
    assert "there is no experiment 'two'" in said(app).replace("\\", "")
    again = open_page("experiments", experiment="two")
    assert field(again).value == f"{FILE}epochs: 2\n"
    press(again, "Save it as the file")
    assert experiments.read(workspace, "two").text == f"{FILE}epochs: 2\n"
    assert field(again).value == f"{FILE}epochs: 2\n"
    assert not again.main.error
    field(again).set_value("name: other").run()
    experiments.folder_of(workspace).joinpath("two.yaml").unlink()
    again = open_page("experiments", experiment="two")
    press(again, "Give it up")
    assert "there is no experiment 'two'" in said(again).replace("\\", "")
    assert [each.label for each in again.text_area] == []
    assert not experiments.folder_of(workspace).joinpath("two.yaml").exists()


def test_a_job_can_be_cancelled_though_its_file_is_gone(
    open_page: Open, workspace: Workspace, stored: experiments.ExperimentText, said: Said
) -> None:
    payload = {"name": "two", "digest": stored.digest}
    job = jobs.enqueue(workspace, kind="experiment", payload=payload, key="experiment:two")
    experiments.folder_of(workspace).joinpath("two.yaml").unlink()
    app = open_page("experiments", experiment="two")
    assert "there is no experiment 'two'" in said(app).replace("\\", "")
    press(app, "Cancel")
    assert not jobs.find(workspace, job.id).live


def test_of_two_tabs_the_second_one_is_told_and_may_take_the_file(
    open_page: Open, workspace: Workspace, stored: experiments.ExperimentText, said: Said
) -> None:
    first, second = (open_page("experiments", experiment="two") for _ in range(2))
    field(first).set_value(f"{FILE}epochs: 2\n").run()
    press(first, "Save")
    field(second).set_value(f"{FILE}epochs: 5\n")
    press(second, "Save")
    assert "somebody else saved this experiment meanwhile" in said(second)
    assert field(second).value == f"{FILE}epochs: 5\n"
    assert experiments.read(workspace, "two").text == f"{FILE}epochs: 2\n"
    press(second, "Take the file as it is")
    assert field(second).value == f"{FILE}epochs: 2\n"


@pytest.mark.parametrize("presses", ["Save", "Check and forecast"])
def test_what_one_tab_holds_outlives_what_the_same_person_saves_in_another(
    open_page: Open, workspace: Workspace, stored: experiments.ExperimentText, said: Said, presses: str
) -> None:
    first, second, third = (open_page("experiments", experiment="two") for _ in range(3))
    field(first).set_value(f"{FILE}epochs: 2\n").run()
    field(second).set_value(f"{FILE}epochs: 5\n").run()
    press(second, "Save")
    press(first, presses)
    assert "changed while you wrote" in said(first)
    assert field(first).value == f"{FILE}epochs: 2\n"
    again = open_page("experiments", experiment="two")
    assert field(again).value == f"{FILE}epochs: 2\n"
    third.run()  # nothing was typed there
    press(first, "Take the file as it is")
    assert field(first).value == f"{FILE}epochs: 5\n"
    assert "changed while you wrote" not in said(first.run())
    field(third).set_value(f"{FILE}epochs: 7\n").run()
    press(third, "Save over the file" if "Save over the file" in labels(third) else "Save")
    assert experiments.read(workspace, "two").text == f"{FILE}epochs: 7\n"
    assert "changed while you wrote" not in said(third.run())


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


def test_the_table_has_intervals_published_rows_links_and_downloads(
    open_page: Open, workspace: Workspace, stored: experiments.ExperimentText, said: Said
) -> None:
    app = open_page("experiments", experiment="two")
    assert "Nothing is judged yet" in said(app)
    carry_out(workspace)  # as the command line does in this folder
    app = open_page("experiments", experiment="two")
    (table,) = [each.value for each in app.table if "Correct" in each.value.columns and "Judged" in each.value.columns]
    assert list(table["Agent"]) == ["oracle", "nothing"]
    assert list(table["Correct"]) == ["100.0 (34.2 to 100.0)", "0.0 (0.0 to 65.8)"]
    assert "was started at the command line" in said(app)
    assert "rules sound; scoring version" in said(app).replace("\\", "")
    (agents,) = [each.value for each in app.table if "Ran as" in each.value.columns]
    assert list(agents["Ran as"]) == ["oracle", "empty"]
    press(app, "Link them")
    assert "linked 2 runs" in said(app)
    assert "was started at the command line" not in said(app)
    folders = [str(path.parent) for path in (workspace.root / "runs").rglob("records.jsonl")]
    linked = ids_by_folder(workspace, folders)
    assert sorted(linked) == sorted(folders)
    assert count_attempts(workspace, linked[folders[0]]) != {}
    assert [row.summary["experiment"] for row in runs.select(workspace)] == ["two", "two"]
    assert [str(each.proto.label) for each in app.get("download_button")][-3:] == [
        *("Table (.csv)", "All of it (.json)", "Report (.html)"),
    ]
    assert len(app.get("vega_lite_chart")) == 1


def test_another_run_in_the_folder_of_an_entry_is_told_and_shows_no_rates(
    open_page: Open, workspace: Workspace, stored: experiments.ExperimentText, said: Said
) -> None:
    carry_out(workspace)
    experiments.save(workspace, "two", FILE.replace("agent: empty", "agent: cheat"), base=stored.digest)
    app = open_page("experiments", experiment="two")
    (table,) = [each.value for each in app.table if "Correct" in each.value.columns and "Judged" in each.value.columns]
    assert list(table["Judged"]) == ["2", "another run"]
    assert list(table["Correct"]) == ["100.0 (34.2 to 100.0)", "–"]
    assert "its agent is 'empty', not 'cheat'" in said(app).replace("\\", "")


@pytest.mark.parametrize("damage", ["gone", "broken", "cut short"])
def test_outputs_that_vanish_or_break_are_told_and_the_file_stays(
    open_page: Open, workspace: Workspace, stored: experiments.ExperimentText, said: Said, damage: str
) -> None:
    app = open_page("experiments", experiment="two")
    press(app, "Check and forecast")
    end(workspace, "experiment_check", {**forecast(), "name": "two"})
    app = open_page("experiments", experiment="two")
    app.button(key="experiment:start").click().run()
    end(workspace, "experiment", {"name": "two", "runs": [], "not_judged": 1, "refused": ["shop"], "diagnostics": []})
    carry_out(workspace)
    records = sorted((workspace.root / "runs").rglob("records.jsonl"))[0]
    if damage == "gone":
        shutil.rmtree(workspace.root / "runs")
    elif damage == "broken":
        records.write_text('{"half": \n{}\n')
    else:
        records.write_bytes(records.read_bytes()[:-20])
    app = open_page("experiments", experiment="two")
    assert "the fault is ours" not in said(app)
    assert field(app).value == FILE
    wanted = {"gone": "Its outputs are gone", "broken": "records.jsonl:1", "cut short": "1 of 2"}[damage]
    told = said(app) + str([table.value.to_dict() for table in app.table])
    assert wanted in told.replace("\\", "")
    assert "Refused, and in no rate: shop" in said(app)
    assert "Check and forecast" in labels(app)


def test_a_run_that_cannot_be_read_is_named_and_the_others_stay_in_the_table(
    open_page: Open, workspace: Workspace, stored: experiments.ExperimentText, said: Said
) -> None:
    carry_out(workspace)
    (records,) = (workspace.root / "runs" / "two-agents" / "shop" / "nothing").rglob("records.jsonl")
    whole = records.read_bytes()
    records.write_bytes(b'{"half": \n' + whole)
    app = open_page("experiments", experiment="two")
    (error,) = [each.value.replace("\\", "") for each in app.main.error]
    assert "nothing: the line is no result record" in error
    assert "reference-reference/records.jsonl:1" in error
    assert "To fix it: remove the line" in error
    (table,) = [each.value for each in app.table if "Judged" in each.value.columns]
    assert list(table["Agent"]) == ["oracle", "nothing"]
    assert list(table["Judged"]) == ["2", "cannot be read"]
    assert list(table["Correct"]) == ["100.0 (34.2 to 100.0)", "–"]
    body = report_of(parse_experiment("two", FILE), plan_in_workspace(workspace, parse_experiment("two", FILE)))
    assert [(run["state"], run["judged"]) for run in body.to_json()["runs"]] == [("done", 2), ("broken", None)]
    assert not body.is_done
    assert "1 of 2 runs cannot be read" in body.to_text()
    records.write_bytes(whole)
    app = open_page("experiments", experiment="two")
    assert not app.main.error
    assert "cannot be read" not in said(app)


def test_files_that_cannot_be_read_are_told_in_place(open_page: Open, workspace: Workspace, said: Said) -> None:
    folder = experiments.folder_of(workspace)
    folder.mkdir()
    (folder / "binary.yaml").write_bytes(b"\xff\x00")
    os.mkfifo(folder / "pipe.yaml")
    (folder / f"{'x' * 80} & <b>.yaml").write_text("a: 1")
    app = open_page("experiments")
    assert not app.main.error
    app = open_page("experiments", experiment="binary")
    assert "no UTF\\-8 text" in said(app)
    app = open_page("experiments", experiment="bineary")
    assert "open 'binary'" in said(app).replace("\\", "")
    assert not app.exception


def test_names_of_strangers_are_text_wherever_they_are_shown() -> None:
    run = {
        **{"benchmark": HOSTILE, "agent": HOSTILE, "policy": HOSTILE, "state": "done", "problems": 2, "judged": 2},
        **{"not_judged": 0, "pass_rate": 0.5, "interval": [0.1, 0.9], "without_intact": 0.5, "out": "/x"},
        **{"without_presentation": 0.5, "without_both": 0.5, "tokens": None, "cost": None, "published": 0.7},
        "scores": {HOSTILE: 0.5},
    }
    scores = {"model": HOSTILE, "published": True, "scores": {HOSTILE: 0.5}}
    tables = [
        *(main_table([run]), forgiving_table([run])),
        board_table({"columns": [HOSTILE], "rows": [scores]}),
        published_table([{"benchmark": HOSTILE, "agent": HOSTILE, "correct": 0.5}]),
    ]
    for (row,) in tables:
        assert "<script>" not in json.dumps(row)
        assert "](" not in json.dumps(row)
    spec = rate_points([(HOSTILE, run)])
    assert spec is not None
    assert [each["from"] for each in spec["data"]["values"]] == ["this workspace", "published"]
    assert curve_lines([("a", [])], over="attempts") is None
    lines = curve_lines([("a", [[1, 0.5], [2, 0.75]])], over="attempts")
    assert lines is not None
    assert [each["rate"] for each in lines["data"]["values"]] == [0.5, 0.75]
    assert "://" not in json.dumps([spec, lines])


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


def test_what_was_gone_on_with_and_saved_elsewhere_is_not_typed_again(
    open_page: Open, workspace: Workspace, stored: experiments.ExperimentText, said: Said
) -> None:
    first = open_page("experiments", experiment="two")
    field(first).set_value(f"{FILE}epochs: 2\n").run()
    second = open_page("experiments", experiment="two")
    assert field(second).value == f"{FILE}epochs: 2\n"  # what the person typed, to be gone on with
    whole = f"{FILE}epochs: 2\nworkers: 2\n"
    field(second).set_value(whole).run()
    press(second, "Save")
    assert experiments.read(workspace, "two").text == whole
    first.run()  # nothing was typed there since
    again = open_page("experiments", experiment="two")
    assert field(again).value == whole
    assert "changed while you wrote" not in said(again)


ALONE = "name: two\nbenchmarks: [benchmarks/shop]\nagents: [oracle]\n"


def test_the_data_of_a_benchmark_are_read_once_while_its_runs_go_on(
    workspace: Workspace, open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = workspace.root / "benchmarks" / "shop"
    (bench / "_inputs").mkdir(parents=True)
    (bench / "_inputs" / "table.csv").write_text("a\n1\n")
    (bench / "shop.py").write_text(TEXT)
    (bench / "_manifest.yaml").write_text("name: shop\nversion: '1'\n")
    experiments.save(workspace, "two", ALONE, base=None)
    carry_out(workspace, "two")
    read: list[Path] = []
    digest: Any = plan.digest_of_folder

    def counted(folder: Path) -> str:
        read.append(folder)
        return str(digest(folder))

    monkeypatch.setattr(plan, "digest_of_folder", counted)
    app = open_page("experiments", experiment="two")
    (records,) = workspace.root.rglob("records.jsonl")
    for _ in range(3):
        with records.open("ab") as file:
            file.write(records.read_bytes().splitlines(keepends=True)[-1])
        app.run()
    assert not app.exception
    assert len(read) <= 1, f"the data are read {len(read)} times at 4 looks"
