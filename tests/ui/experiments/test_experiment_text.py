"""The text of an experiment in its editor: checked while typed, and never lost."""

import pytest

from authoring.store import experiments, jobs
from authoring.store.workspace import Workspace
from tests.ui.experiments.screen import FILE, Open, Said, field, labels, press, queued


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
        ("- oracle", "- {oracle", 4, "the bracket '{' in column 3 is not closed", "write '}'"),
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
