"""What CIBench and the Qwen benchmark know of a problem, in the editor: shown, changed, and nothing else lost."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from authoring.store import autosaves, problemsets
from authoring.store.database.connections import ConflictError
from authoring.store.revisions import Revision
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from authoring.ui.editor.family import family_form
from authoring.ui.editor.family.family_settings import (
    counted_tags,
    differs_from_setup,
    fitting_validator,
    qwen_fields,
    told_by,
    with_field,
    with_qwen_field,
)
from evaluator.errors import ContentError
from evaluator.language import parse_problemset, read_yaml

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]
SETS = Path(__file__).parents[2] / "problemsets"
STEP = """family:
  cibench:
    step: 3
    thought: I look.
    step_type: num
    strange: [1, {a: 2}]
  other: {kept: yes}
# how
validator: {template: basic, numeric: }
"""
RECORD = """tags: [visualization-hard]
family:
  qwen:
    fields: {tags: 'all_ci,visualization', lang: en, input_file_path: [a.csv], x: 1}
"""


def test_one_field_changes_and_everything_else_a_family_has_written_stays() -> None:
    made = with_field(STEP, "cibench", "thought", "I think: *more*\n")
    before, after = read_yaml(STEP).value, read_yaml(made).value
    before["family"]["cibench"]["thought"] = "I think: *more*\n"
    assert after == before
    assert "# how" in made
    gone = with_field(made, "cibench", "thought", "")
    assert told_by(gone, "cibench") == {"step": 3, "step_type": "num", "strange": [1, {"a": 2}]}
    assert told_by(with_field("id: x\n", "cibench", "step_type", "vis"), "cibench") == {"step_type": "vis"}


def test_tags_of_a_record_are_followed_by_those_that_the_problem_is_found_by() -> None:
    assert counted_tags(RECORD) == ("visualization-hard",)
    easy = with_qwen_field(RECORD, "prefill", "<|im_end|>\nThought:")
    assert read_yaml(easy).value["tags"] == ["visualization-easy"]
    both = with_qwen_field(easy, "tags", "all_ci,visualization,math")
    assert read_yaml(both).value["tags"] == ["visualization-easy", "math"]
    assert qwen_fields(both) == {"tags": "all_ci,visualization,math", "lang": "en", "prefill": "<|im_end|>\nThought:"}
    assert told_by(both, "qwen") == {
        "fields": {"tags": "all_ci,visualization,math", "lang": "en", "input_file_path": ["a.csv"], "x": 1},
        "prefill": "<|im_end|>\nThought:",
    }
    own = RECORD.replace("[visualization-hard]", "[mine]")
    assert read_yaml(with_qwen_field(own, "tags", "math")).value["tags"] == ["mine"]


@pytest.mark.parametrize("broken", ["family: [", "family: 3\n", "family: {cibench: 3, qwen: [1]}\n"])
def test_what_cannot_be_read_is_left_alone(broken: str) -> None:
    assert told_by(broken, "cibench") is None
    with pytest.raises(ContentError):
        with_field(broken, "cibench", "thought", "x")
    with pytest.raises(ContentError):
        with_qwen_field(broken, "lang", "zh")


@pytest.mark.parametrize(
    ("settings", "step_type", "fitting"),
    [
        (STEP, "num", None),
        (STEP, "exec", {"template": "basic"}),
        (STEP, "vis", {"template": "basic", "visual": None}),
        ("id: x\n", "text", {"template": "basic", "text": None}),
        (
            "validator: {template: none, numeric: , stream: }",
            "vis",
            {"template": "none", "stream": None, "visual": None},
        ),
        ("validator: {template: basic, visual: {pass_at: 0.5}}", "vis", None),
        (STEP, "", None),
        (STEP, "strange", None),
    ],
)
def test_validators_of_a_type_are_offered_where_the_settings_name_others(
    settings: str, step_type: str, fitting: dict[str, Any] | None
) -> None:
    assert fitting_validator(settings, step_type) == fitting


def test_the_setup_cell_of_a_given_first_action_is_held_against_its_text() -> None:
    problemset, _ = parse_problemset((SETS / "qwen-mini" / "q12.py").read_text(encoding="utf-8"), name="q12")
    assert problemset is not None
    prefill = str(problemset.problems[0].metadata["family"]["qwen"]["prefill"])
    assert not differs_from_setup(prefill, problemset.cells)
    assert differs_from_setup(prefill.replace("flights.csv", "other.csv"), problemset.cells)
    assert differs_from_setup("", problemset.cells)


def stored(workspace: Workspace, name: str, path: Path) -> Revision:
    text = path.read_text(encoding="utf-8")
    return problemsets.create(workspace, name=name, text=text, author="import", origin=Origin.IMPORT)


def settings_of(workspace: Workspace, revision: Revision) -> dict[str, Any]:
    (saved,) = autosaves.select(workspace, "mei", revision.problemset_id)
    assert saved.field == "settings"
    value: dict[str, Any] = read_yaml(saved.text).value
    return value


def widget(widgets: Any, label: str) -> Any:
    (found,) = [each for each in widgets if each.label == label]
    return found


def test_a_step_of_cibench_shows_thought_and_type_and_a_new_type_offers_its_validators(
    workspace: Workspace, open_page: Open, said: Said
) -> None:
    revision = stored(workspace, "penguins", SETS / "cibench-mini" / "pandas_penguins.py")
    app = open_page("editor", set=revision.problemset_id)
    thought = widget(app.text_area, "Thought")
    assert thought.value == "I read the file with pandas and print both parts of its shape."
    assert (widget(app.selectbox, "Step type").value, widget(app.text_input, "Modules").value) == ("num", "pandas")
    thought.set_value("I read it: <b>both</b> parts.").run()
    known = settings_of(workspace, revision)["family"]["cibench"]
    assert known == {
        "step": 1,
        "thought": "I read it: <b>both</b> parts.",
        "modules": "pandas",
        "step_type": "num",
    }
    assert widget(app.text_area, "Thought").value == "I read it: <b>both</b> parts."
    widget(app.selectbox, "Step type").set_value("vis").run()
    assert settings_of(workspace, revision)["validator"] == {"template": "basic", "numeric": None}
    assert "CIBench judges steps of type vis" in said(app)
    widget(app.button, "Use them in the settings").click().run()
    assert settings_of(workspace, revision)["validator"] == {"template": "basic", "visual": None}
    assert "CIBench judges" not in said(app)
    assert not app.exception


def test_a_record_of_qwen_shows_tags_language_and_first_action(
    workspace: Workspace, open_page: Open, said: Said
) -> None:
    revision = stored(workspace, "q12", SETS / "qwen-mini" / "q12.py")
    app = open_page("editor", set=revision.problemset_id)
    assert widget(app.text_input, "Tags").value == "all_ci,visualization"
    assert "It counts under visualization\\-easy" in said(app)
    widget(app.selectbox, "Language").set_value("zh").run()
    action = widget(app.text_area, "Given first action")
    action.set_value(action.value.replace("flights.csv", "trips.csv")).run()
    family = settings_of(workspace, revision)["family"]["qwen"]
    assert family["fields"] == {
        "tags": "all_ci,visualization",
        "lang": "zh",
        "input_file_path": ["upload/flights.csv"],
    }
    assert "trips.csv" in family["prefill"]
    assert "must hold this code" in said(app)


def test_what_could_not_be_stored_stays_in_its_field_and_can_be_stored_again(
    workspace: Workspace, open_page: Open, said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    revision = stored(workspace, "penguins", SETS / "cibench-mini" / "pandas_penguins.py")
    app = open_page("editor", set=revision.problemset_id)

    def refuse(*_: object) -> None:
        raise ConflictError("another tab has changed the settings", fix="look at both")

    with monkeypatch.context() as patched:
        patched.setattr(family_form, "change_settings", refuse)
        widget(app.text_area, "Thought").set_value("I typed this.").run()
    assert "another tab has changed the settings" in app.error[0].value
    app.run()
    assert widget(app.text_area, "Thought").value == "I typed this."
    assert "does not stand in the settings yet" in said(app)
    widget(app.button, "Store it").click().run()
    assert settings_of(workspace, revision)["family"]["cibench"]["thought"] == "I typed this."
    assert "does not stand in the settings yet" not in said(app)


def test_a_problem_of_no_family_sees_none_of_it(draft: Revision, open_page: Open) -> None:
    app = open_page("editor", set=draft.problemset_id)
    assert [each.label for each in app.expander if "CIBench" in each.label or "Qwen" in each.label] == []


def test_settings_that_cannot_be_read_hide_the_fields_and_keep_what_is_there(
    workspace: Workspace, open_page: Open, said: Said
) -> None:
    text = (SETS / "cibench-mini" / "pandas_penguins.py").read_text(encoding="utf-8")
    revision = problemsets.create(workspace, name="penguins", text=text, author="import", origin=Origin.IMPORT)
    app = open_page("editor", set=revision.problemset_id)
    widget(app.text_area, "Settings (YAML): validator, limits, tags").set_value("family: [").run()
    assert not app.exception
    assert [each.label for each in app.text_area if each.label == "Thought"] == []
    assert "Mend the settings first" in said(app)
