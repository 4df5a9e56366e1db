"""Experiments on the screen: their text, which is never lost, what is new, how one is started, and what came of it."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from authoring.jobs.experiments import parse_experiment, plan_in_workspace, report_of
from authoring.store import experiments, jobs, runs
from authoring.store.people import Role, give_roles
from authoring.store.runs import count_attempts, ids_by_folder
from authoring.store.workspace import Workspace
from authoring.ui.experiments.checking import check_text, needs_maintainer
from authoring.ui.experiments.new_experiment import in_small, short_text
from evaluator.experiments.execution import run_experiment
from evaluator.experiments.shipped import renamed, shipped_file, shipped_names
from tests.lent_engines import Lend, share
from tests.ui.acts import OURS, Open, errors, fail, finish, payloads, said, says
from tests.ui.conftest import TEXT

Stored = experiments.ExperimentText
FILE = """\
name: two agents
benchmarks: [{benchmark: benchmarks/shop.py, label: shop}]
agents:
- oracle
- {agent: empty, label: nothing}
"""
MINE, THEIRS = f"{FILE}epochs: 2\n", f"{FILE}epochs: 5\n"


def store(ws: Workspace) -> Stored:
    (ws.root / "benchmarks").mkdir()
    (ws.root / "benchmarks" / "shop.py").write_text(TEXT)
    return experiments.save(ws, "two", FILE, base=None)


@pytest.fixture
def stored(ws: Workspace) -> Stored:
    """An experiment on a small benchmark, not started."""
    return store(ws)


@pytest.fixture
def look(open_page: Open, stored: Stored) -> Open:
    """Open the page of the stored experiment."""
    del stored
    return lambda: open_page("experiments", experiment="two")


def carry_out(ws: Workspace) -> None:
    """Run an experiment as its job does, in this process."""
    experiment = parse_experiment("two", experiments.read(ws, "two").text)
    run_experiment(experiment, plan_in_workspace(ws, experiment))


@pytest.fixture(scope="session")
def carried_out(empty_workspace: Path, tmp_path_factory: pytest.TempPathFactory, lender: Lend) -> Path:
    """A workspace in which that experiment was run."""
    ws = Workspace.open(shutil.copytree(empty_workspace, tmp_path_factory.mktemp("carried_out") / "workspace"))
    store(ws)
    with pytest.MonkeyPatch.context() as patch:
        share(lender, patch)
        carry_out(ws)
    return ws.root


@pytest.fixture
def run_at_command_line(carried_out: Path, ws: Workspace) -> Callable[[], None]:
    """Put its outputs into the workspace of the test, as the command line does in this folder."""

    def run() -> None:
        shutil.copytree(carried_out / "runs", ws.root / "runs")
        for path in ws.root.glob("runs/**/*.json"):
            path.write_text(path.read_text().replace(str(carried_out), str(ws.root)))

    return run


def forecast(requests: tuple[int, int] = (0, 0), *, is_large: bool = False) -> dict[str, Any]:
    run = {"problems_left": 2, "requests": list(requests), "tokens": [10, 20], "tokens_measured": True, "cost": [0, 0]}
    totals = {"requests": list(requests), "tokens": [10, 20], "cost": [0.5, 1.5], "is_large": is_large}
    return {"name": "two", "runs": [run, run], **totals, "text": "as told"}


def field(app: AppTest) -> Any:
    (area,) = [each for each in app.text_area if each.label == "Text of the experiment"]
    return area


def press(app: AppTest, title: str) -> AppTest:
    (button,) = [each for each in app.main.button if each.label == title]
    return button.click().run()


def labels(app: AppTest) -> list[str]:
    return [each.label for each in app.main.button]


def text_of(ws: Workspace) -> str:
    return experiments.read(ws, "two").text


def test_what_is_wrong_with_a_text_is_told_by_its_line(ws: Workspace, stored: Stored) -> None:
    wrong = [
        ("benchmarks:", "benchmark:", 2, "no key is called 'benchmark'", "use 'benchmarks'"),
        ("- oracle", "- oracel", 4, "no agent is called 'oracel'", "write 'oracle'"),
        ("- oracle", '- {agent: "chat:m", options: {encodin: lida}}', 4, "no option 'encodin'", "use 'encoding'"),
        ("- oracle", '- {agent: "cmd:python gone.py"}', 4, "there is no file 'gone.py'", "check the path"),
        ("shop.py", "shopp.py", 2, "there is nothing at 'benchmarks/shopp.py'", "name a folder"),
        ("label: nothing", "label: oracle", 3, "two entries are called 'oracle'", "another 'label'"),
        ("benchmarks/shop.py", "x" * 3_000, 2, "File name too long", "look at the named place"),
        ("- oracle", r'- {agent: oracle, label: "a\ud800"}', 4, "half a character", "correct it"),
        ("- oracle", "- {oracle", 4, "the bracket '{' in column 3 is not closed", "write '}'"),
        (FILE, "", 1, "the file is empty", "write name"),
    ]
    assert check_text(ws, "two", FILE).diagnostics == ()
    for old, new, line, what, fix in wrong:
        (fault,) = check_text(ws, "two", FILE.replace(old, new)).diagnostics
        assert (fault.line, what in fault.what, fix in fault.fix) == (line, True, True), new[:80]


def test_a_wrong_text_is_told_while_it_is_typed_and_saved_all_the_same(look: Open, ws: Workspace) -> None:
    app = look()
    assert "The text can be read" in said(app)
    typed = FILE.replace("- oracle", "- oracel")
    field(app).set_value(typed).run()
    (error,) = app.main.error
    for told in ("line 4 ", "no agent is called 'oracel'", "write 'oracle'"):
        assert told in error.value.replace("\\", "")
    press(app, "Save")
    assert text_of(ws) == typed  # unfinished work is kept, too
    assert "can be started once its text is right" in said(app)
    assert payloads(ws, "experiment_check") == []


def test_what_is_typed_outlives_a_change_of_the_file_and_its_loss(look: Open, ws: Workspace, stored: Stored) -> None:
    field(look()).set_value(MINE).run()
    experiments.save(ws, "two", THEIRS, base=stored.digest)
    app = look()
    assert field(app).value == MINE
    assert "The file was changed while you wrote" in said(app)
    press(app, "Save over the file")
    assert text_of(ws) == MINE
    assert "changed while you wrote" not in said(app)
    file = experiments.folder_of(ws).joinpath("two.yaml")
    field(app).set_value(THEIRS).run()
    file.unlink()
    assert "there is no experiment 'two'" in said(app.run())
    app = look()
    press(app, "Save it as the file")
    assert text_of(ws) == field(app).value == THEIRS
    field(app).set_value("name: other").run()
    file.unlink()
    app = press(look(), "Give it up")
    assert ("there is no experiment 'two'" in said(app), list(app.text_area), file.exists()) == (True, [], False)
    job = jobs.enqueue(ws, kind="experiment", payload={"name": "two", "digest": ""}, key="experiment:two")
    press(look(), "Cancel")
    assert not jobs.find(ws, job.id).live


def make(open_page: Open, name: str, start: str = "", **choices: str) -> str:
    """Make a new one on the page, and return what it says then."""
    app = open_page("experiments")
    app.text_input(key="experiment:new:name").set_value(name)
    if start:
        app.selectbox(key="experiment:new:start").select(start).run()
    for key, text in choices.items():
        app.text_area(key=f"experiment:new:{key}").set_value(text)
    app.button(key="experiment:new:make").click().run()
    assert not app.exception
    return said(app)


def test_a_new_one_can_be_run_as_it_is(open_page: Open, ws: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "There is no experiment yet" in said(open_page("experiments"))
    make(open_page, "shots")
    checked = check_text(ws, "shots", experiments.read(ws, "shots").text)
    assert checked.diagnostics == ()
    assert checked.experiment is not None
    assert [each.agent for each in checked.experiment.agents] == ["oracle", "empty"]
    assert "there is already an experiment" in make(open_page, "shots")
    assert "the name holds" in make(open_page, "../evil")
    monkeypatch.setenv("BENCHWRIGHT_MODEL", 'odd:"name')
    asked = check_text(ws, "x", short_text(ws, "x: y", [])).experiment
    assert asked is not None
    assert (asked.name, len(asked.policies)) == ("x: y", 2)
    assert [each.text for each in asked.agents][2:] == ['chat:odd:"name', 'chat:odd:"name?shots=none']


def test_copies_pasted_texts_and_shipped_ones_are_taken(open_page: Open, ws: Workspace, stored: Stored) -> None:
    make(open_page, "again", "copy:two")
    assert experiments.read(ws, "again").text == FILE.replace("name: two agents", 'name: "again"')
    make(open_page, "pasted", "paste", pasted="name: [unfinished")
    assert experiments.read(ws, "pasted").text == "name: [unfinished"  # kept to be mended
    app = open_page("experiments")
    app.text_input(key="experiment:new:name").set_value("shots")
    app.selectbox(key="experiment:new:start").select("shipped:dseval-shots").run()
    says(app, "ablation of examples", "get DSEval's repository")
    app.checkbox(key="experiment:new:small").uncheck()
    app.button(key="experiment:new:make").click().run()
    made = experiments.read(ws, "shots")
    assert made.text == shipped_file("dseval-shots").read_text().replace("name: dseval-shots", 'name: "shots"')
    (fault,) = check_text(ws, "shots", made.text).diagnostics
    assert made.text.splitlines()[fault.line - 1] == "- benchmark: dseval/benchmarks/exercise"
    assert fault.fix.startswith("get DSEval's repository")


def test_shipped_ones_can_be_tried_in_small_and_their_agents_are_known(ws: Workspace) -> None:
    assert shipped_names()
    for name in shipped_names():
        text = shipped_file(name).read_text()
        whole, small = parse_experiment(name, text), parse_experiment(name, in_small(renamed(text, "my: trial")))
        assert (small.name, small.benchmarks) == ("my: trial", whole.small or whole.benchmarks)
        assert (small.agents, small.policies) == (whole.agents, whole.policies)
        for fault in check_text(ws, name, text).diagnostics:
            assert "there is nothing at" in fault.what  # a benchmark that has to be got, and nothing else


def test_nothing_starts_before_its_forecast_is_agreed_to(look: Open, ws: Workspace, stored: Stored) -> None:
    app = look()
    assert "Start the experiment" not in labels(app)
    press(app, "Check and forecast")
    fail(ws, "experiment_check", "there is no key", where="OPENAI_API_KEY")
    app = look()
    says(app, "there is no key", "OPENAI_API_KEY")
    assert "Start the experiment" not in labels(app)
    press(app, "Check and forecast")
    order = {"name": "two", "digest": stored.digest}
    checked = finish(ws, "experiment_check", {**forecast((30_000, 90_000), is_large=True), **order})
    assert checked.payload == order
    app = look()
    assert app.button(key="experiment:start").disabled
    totals = next(list(table.value.iloc[:, 0]) for table in app.table)
    assert totals == ["2", "4", "30,000 to 90,000", "10 to 20", "0.50 to 1.50"]
    (agree,) = app.main.checkbox
    assert "30,000 requests or more" in agree.label
    agree.check().run()
    app.button(key="experiment:start").click().run()
    assert payloads(ws, "experiment") == [order]
    assert "Cancel" in labels(app)
    assert "Check and forecast" not in labels(app)  # one at a time


def test_a_text_that_was_changed_after_its_check_is_checked_again(look: Open, ws: Workspace) -> None:
    press(look(), "Check and forecast")
    finish(ws, "experiment_check", {**forecast(), "name": "two"})
    app, stale = look(), look()
    field(app).set_value(MINE).run()
    assert "save your text first" in said(app)
    press(app, "Save")
    assert "Start the experiment" not in labels(app)
    assert "checked before this change" in said(app)
    stale.button(key="experiment:start").click().run()
    assert "the file was changed meanwhile" in said(stale)
    assert payloads(ws, "experiment") == []


def test_what_leads_out_is_for_maintainers(ws: Workspace, stored: Stored) -> None:
    (ws.root / "mine.py").write_text("")
    (ws.root.parent / "elsewhere.py").write_text(TEXT)
    assert needs_maintainer(ws, parse_experiment("two", FILE)) == ""
    for old, new in (
        ("oracle", '"mine.py:solve"'),
        ("oracle", '"replay:mine.py"'),
        ("oracle", '{agent: "chat:m", options: {shots: mine.py}}'),
        ("oracle", "{agent: empty, variables: [OPENAI_API_KEY]}"),
        ("benchmarks/shop.py", "../elsewhere.py"),
        ("name: two", "out: ../elsewhere\nname: two"),
    ):
        assert needs_maintainer(ws, parse_experiment("two", FILE.replace(old, new, 1))) != "", new


def test_who_may_not_run_them_changes_and_loses_nothing(
    sign_in: Open, ws: Workspace, stored: Stored, run_at_command_line: Callable[[], None]
) -> None:
    for name, roles in (("boss", [Role.MAINTAINER]), ("ann", [Role.ANNOTATOR]), ("eva", [Role.EVALUATOR])):
        give_roles(ws, f"{name}@example.org", roles)
    run_at_command_line()
    app = sign_in("ann@example.org", "experiments", experiment="two")
    field(app).set_value(MINE).run()
    for title in ("Save", "Check and forecast", "Link them"):
        press(app, title)
        assert "evaluator" in said(app)
        assert field(app).value == MINE
    assert (text_of(ws), jobs.select(ws), runs.select(ws)) == (FILE, [], [])
    (ws.root / "mine.py").write_text("")
    experiments.save(ws, "two", FILE.replace("oracle", '"cmd:python mine.py"'), base=stored.digest)
    app = sign_in("eva@example.org", "experiments", experiment="two")
    assert "A maintainer has to start it" in said(app)
    assert "Check and forecast" not in labels(app)
    assert "Check and forecast" in labels(sign_in("boss@example.org", "experiments", experiment="two"))


def table_with(app: AppTest, *columns: str) -> pd.DataFrame:
    (found,) = [each.value for each in app.table if set(columns) <= set(each.value.columns)]
    return found


def test_attempts_are_curves_and_published_rows_beside_ours(
    look: Open, ws: Workspace, stored: Stored, lent_engines: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BENCHWRIGHT_SANDBOX")  # as the engine that is lent
    ours = FILE.replace("label: shop", "label: DSEval-SO").replace(
        "- oracle", "- {agent: oracle, label: CoML + GPT-3.5}"
    )
    others = "{label: three, max_attempts: 3, feedback: [error]}, {label: own, history: own}"
    text = f"{ours}policies: [{{label: one}}, {others}]\npublished: dseval\n"
    experiments.save(ws, "two", text, base=stored.digest)
    carry_out(ws)
    app = look()
    assert len(app.get("vega_lite_chart")) >= 2
    says(app, "Pass rate over attempts", "Losses between policies", "data, not measured here")
    assert "Published" in table_with(app, "Judged").columns
    assert any(each.label.endswith("without a run here") for each in app.expander)


def test_the_table_has_intervals_downloads_and_linked_runs(
    look: Open, open_page: Open, ws: Workspace, run_at_command_line: Callable[[], None]
) -> None:
    assert "Nothing is judged yet" in said(look())
    assert "not started" in said(open_page("experiments"))
    run_at_command_line()
    listed = said(open_page("experiments"))
    assert ("run from the command line" in listed, "not started" in listed) == (True, False)
    app = look()
    table = table_with(app, "Correct", "Judged")
    assert list(table["Agent"]) == ["oracle", "nothing"]
    assert list(table["Correct"]) == ["100.0 (34.2 to 100.0)", "0.0 (0.0 to 65.8)"]
    says(app, "was started at the command line", "rules sound; scoring version")
    assert list(table_with(app, "Ran as")["Ran as"]) == ["oracle", "empty"]
    press(app, "Link them")
    assert "linked 2 runs" in said(app)
    assert "was started at the command line" not in said(app)
    folders = [str(path.parent) for path in (ws.root / "runs").rglob("records.jsonl")]
    linked = ids_by_folder(ws, folders)
    assert sorted(linked) == sorted(folders)
    assert count_attempts(ws, linked[folders[0]]) != {}
    assert [row.summary["experiment"] for row in runs.select(ws)] == ["two", "two"]
    offered = [str(each.proto.label) for each in app.get("download_button")]
    assert offered[-3:] == ["Table (.csv)", "All of it (.json)", "Report (.html)"]
    assert len(app.get("vega_lite_chart")) == 1


def test_a_run_that_is_broken_or_another_one_or_gone_has_no_rates(
    look: Open, ws: Workspace, stored: Stored, run_at_command_line: Callable[[], None]
) -> None:
    run_at_command_line()
    (records,) = (ws.root / "runs" / "two-agents" / "shop" / "nothing").rglob("records.jsonl")
    whole = records.read_bytes()
    records.write_bytes(b'{"half": \n' + whole)
    app = look()
    for told in ("nothing: the line is no result record", "reference-reference/records.jsonl:1", "remove the line"):
        assert told in errors(app)
    table = table_with(app, "Judged", "Correct")
    assert list(table["Judged"]) == ["2", "cannot be read"]
    assert list(table["Correct"]) == ["100.0 (34.2 to 100.0)", "–"]
    experiment = parse_experiment("two", FILE)
    body = report_of(experiment, plan_in_workspace(ws, experiment))
    assert [(run["state"], run["judged"]) for run in body.to_json()["runs"]] == [("done", 2), ("broken", None)]
    assert not body.is_done
    assert "1 of 2 runs cannot be read" in body.to_text()
    records.write_bytes(whole)
    experiments.save(ws, "two", FILE.replace("agent: empty", "agent: cheat"), base=stored.digest)
    app = look()
    assert list(table_with(app, "Judged", "Correct")["Judged"]) == ["2", "another run"]
    assert "its agent is 'empty', not 'cheat'" in said(app)
    made = {"name": "two", "runs": [], "not_judged": 1, "refused": ["shop"], "diagnostics": []}
    jobs.enqueue(ws, kind="experiment", payload={"name": "two", "digest": ""}, key="experiment:two")
    finish(ws, "experiment", made)
    assert "Refused, and in no rate: shop" in said(look())
    shutil.rmtree(ws.root / "runs")
    app = look()
    assert ("Its outputs are gone" in said(app), OURS in said(app)) == (True, False)
    assert "Check and forecast" in labels(app)
