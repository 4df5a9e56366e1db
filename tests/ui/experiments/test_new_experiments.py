"""Experiments that are new: of a short text, a copy, a file or a shipped one."""

import pytest

from authoring.jobs.experiments import parse_experiment
from authoring.store import experiments
from authoring.store.workspace import Workspace
from authoring.ui.experiments.checking import check_text
from authoring.ui.experiments.new_experiment import in_small, short_text
from evaluator.experiments.shipped import renamed, shipped_file, shipped_names
from tests.ui.experiments.screen import FILE, Open, Said


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
