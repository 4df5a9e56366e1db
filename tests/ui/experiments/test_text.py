"""The text of an experiment: begun from something, checked while it is typed, and never lost."""

import pytest

from authoring.jobs.experiments import parse_experiment
from authoring.store import experiments, jobs
from authoring.store.workspace import Workspace
from authoring.ui.experiments.checking import check_text
from authoring.ui.experiments.new_experiment import in_small, short_text
from evaluator.experiments.shipped import renamed, shipped_file, shipped_names
from tests.ui.acts import Open, claim, payloads, said, says
from tests.ui.experiments.screen import FILE, field, press

Stored = experiments.ExperimentText


def text_of(ws: Workspace) -> str:
    return experiments.read(ws, "two").text


@pytest.fixture
def look(open_page: Open, stored: Stored) -> Open:
    """Open the page of the stored experiment."""
    del stored
    return lambda: open_page("experiments", experiment="two")


def test_what_is_wrong_with_a_text_is_told_by_its_line(workspace: Workspace, stored: Stored) -> None:
    wrong = [
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
        ("- oracle", "- {oracle", 4, "the bracket '{' in column 3 is not closed", "write '}'"),
        (FILE, "", 1, "the file is empty", "write name"),
    ]
    assert check_text(workspace, "two", FILE).diagnostics == ()
    for old, new, line, what, fix in wrong:
        (fault,) = check_text(workspace, "two", FILE.replace(old, new)).diagnostics
        assert fault.line == line, new[:80]
        assert what in fault.what
        assert fix in fault.fix


def test_a_wrong_text_is_told_while_it_is_typed_and_saved_all_the_same(look: Open, workspace: Workspace) -> None:
    app = look()
    assert "The text can be read" in said(app)
    typed = FILE.replace("- oracle", "- oracel")
    field(app).set_value(typed).run()
    (error,) = app.main.error
    for told in ("line 4 ", "no agent is called 'oracel'", "write 'oracle'"):
        assert told in error.value.replace("\\", "")
    press(app, "Save")
    assert text_of(workspace) == typed  # unfinished work is kept, too
    assert "can be started once its text is right" in said(app)
    assert payloads(workspace, "experiment_check") == []


# Nothing typed is lost


def test_what_is_typed_outlives_a_change_of_the_file(look: Open, workspace: Workspace, stored: Stored) -> None:
    field(look()).set_value(f"{FILE}epochs: 2\n").run()
    assert field(look()).value == f"{FILE}epochs: 2\n"
    theirs = experiments.save(workspace, "two", f"{FILE}epochs: 3\n", base=stored.digest)
    again = look()
    assert field(again).value == f"{FILE}epochs: 2\n"
    assert "The file was changed while you wrote" in said(again)
    press(again, "Save over the file")
    assert text_of(workspace) == f"{FILE}epochs: 2\n"
    assert "changed while you wrote" not in said(again)
    assert theirs.digest != experiments.read(workspace, "two").digest


def test_what_is_typed_outlives_its_file_whose_job_can_still_be_cancelled(look: Open, workspace: Workspace) -> None:
    app = look()
    file = experiments.folder_of(workspace).joinpath("two.yaml")
    field(app).set_value(f"{FILE}epochs: 2\n").run()
    press(app, "Check and forecast")
    claim(workspace, "experiment_check")
    file.unlink()
    assert "there is no experiment 'two'" in said(app.run())
    again = look()
    assert field(again).value == f"{FILE}epochs: 2\n"
    press(again, "Save it as the file")
    assert text_of(workspace) == field(again).value == f"{FILE}epochs: 2\n"
    assert not again.main.error
    field(again).set_value("name: other").run()
    file.unlink()
    again = look()
    press(again, "Give it up")
    assert "there is no experiment 'two'" in said(again)
    assert [each.label for each in again.text_area] == []
    assert not file.exists()
    job = jobs.enqueue(workspace, kind="experiment", payload={"name": "two", "digest": ""}, key="experiment:two")
    press(look(), "Cancel")
    assert not jobs.find(workspace, job.id).live


def test_of_two_tabs_the_second_one_is_told_and_may_take_the_file(look: Open, workspace: Workspace) -> None:
    first, second = look(), look()
    field(first).set_value(f"{FILE}epochs: 2\n").run()
    press(first, "Save")
    field(second).set_value(f"{FILE}epochs: 5\n")
    press(second, "Save")
    assert "somebody else saved this experiment meanwhile" in said(second)
    assert field(second).value == f"{FILE}epochs: 5\n"
    assert text_of(workspace) == f"{FILE}epochs: 2\n"
    press(second, "Take the file as it is")
    assert field(second).value == f"{FILE}epochs: 2\n"


def test_what_one_tab_holds_outlives_what_the_same_person_saves_in_another(look: Open, workspace: Workspace) -> None:
    first, second = look(), look()
    field(first).set_value(f"{FILE}epochs: 2\n").run()
    field(second).set_value(f"{FILE}epochs: 5\n").run()
    press(second, "Save")
    press(first, "Check and forecast")
    assert "changed while you wrote" in said(first)
    assert field(first).value == field(look()).value == f"{FILE}epochs: 2\n"
    press(first, "Take the file as it is")
    assert field(first).value == f"{FILE}epochs: 5\n"
    assert "changed while you wrote" not in said(first.run())
    assert text_of(workspace) == f"{FILE}epochs: 5\n"


def test_what_was_gone_on_with_and_saved_elsewhere_is_not_typed_again(look: Open, workspace: Workspace) -> None:
    first = look()
    field(first).set_value(f"{FILE}epochs: 2\n").run()
    second = look()
    assert field(second).value == f"{FILE}epochs: 2\n"  # what the person typed, to be gone on with
    whole = f"{FILE}epochs: 2\nworkers: 2\n"
    field(second).set_value(whole).run()
    press(second, "Save")
    assert text_of(workspace) == whole
    first.run()  # nothing was typed there since
    again = look()
    assert field(again).value == whole
    assert "changed while you wrote" not in said(again)


# Experiments that are new


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


def test_a_new_one_can_be_run_as_it_is(open_page: Open, workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "There is no experiment yet" in said(open_page("experiments"))
    make(open_page, "shots")
    checked = check_text(workspace, "shots", experiments.read(workspace, "shots").text)
    assert checked.diagnostics == ()
    assert checked.experiment is not None
    assert [each.agent for each in checked.experiment.agents] == ["oracle", "empty"]
    assert "there is already an experiment" in make(open_page, "shots")
    assert "the name holds" in make(open_page, "../evil")
    monkeypatch.setenv("BENCHWRIGHT_MODEL", 'odd:"name')
    asked = check_text(workspace, "x", short_text(workspace, "x: y", [])).experiment
    assert asked is not None
    assert (asked.name, len(asked.policies)) == ("x: y", 2)
    assert [each.text for each in asked.agents][2:] == ['chat:odd:"name', 'chat:odd:"name?shots=none']


def test_copies_pasted_texts_and_shipped_ones_are_taken(open_page: Open, workspace: Workspace, stored: Stored) -> None:
    make(open_page, "again", "copy:two")
    assert experiments.read(workspace, "again").text == FILE.replace("name: two agents", 'name: "again"')
    make(open_page, "pasted", "paste", pasted="name: [unfinished")
    assert experiments.read(workspace, "pasted").text == "name: [unfinished"  # kept to be mended
    app = open_page("experiments")
    app.text_input(key="experiment:new:name").set_value("shots")
    app.selectbox(key="experiment:new:start").select("shipped:dseval-shots").run()
    says(app, "ablation of examples", "get DSEval's repository")
    app.checkbox(key="experiment:new:small").uncheck()
    app.button(key="experiment:new:make").click().run()
    made = experiments.read(workspace, "shots")
    assert made.text == shipped_file("dseval-shots").read_text().replace("name: dseval-shots", 'name: "shots"')
    (fault,) = check_text(workspace, "shots", made.text).diagnostics
    assert made.text.splitlines()[fault.line - 1] == "- benchmark: dseval/benchmarks/exercise"
    assert fault.fix.startswith("get DSEval's repository")


def test_shipped_ones_can_be_tried_in_small_and_their_agents_are_known(workspace: Workspace) -> None:
    assert shipped_names()
    for name in shipped_names():
        text = shipped_file(name).read_text()
        whole, small = parse_experiment(name, text), parse_experiment(name, in_small(renamed(text, "my: trial")))
        assert (small.name, small.benchmarks) == ("my: trial", whole.small or whole.benchmarks)
        assert (small.agents, small.policies) == (whole.agents, whole.policies)
        for fault in check_text(workspace, name, text).diagnostics:
            assert "there is nothing at" in fault.what  # a benchmark that has to be got, and nothing else
