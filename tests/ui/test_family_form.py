"""What CIBench and the Qwen benchmark know of a problem, in the editor: shown, changed, and nothing else lost."""

from pathlib import Path
from typing import Any

import pytest

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
from tests.ui.acts import Open, boxes, errors, said

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


def test_tags_of_a_record_are_followed_by_those_of_the_problem() -> None:
    assert counted_tags(RECORD) == ("visualization-hard",)
    easy = with_qwen_field(RECORD, "prefill", "<|im_end|>\nThought:")
    assert read_yaml(easy).value["tags"] == ["visualization-easy"]
    both = with_qwen_field(easy, "tags", "all_ci,visualization,math")
    assert read_yaml(both).value["tags"] == ["visualization-easy", "math"]
    assert qwen_fields(both) == {"tags": "all_ci,visualization,math", "lang": "en", "prefill": "<|im_end|>\nThought:"}
    fields = {"tags": "all_ci,visualization,math", "lang": "en", "input_file_path": ["a.csv"], "x": 1}
    assert told_by(both, "qwen") == {"fields": fields, "prefill": "<|im_end|>\nThought:"}
    own = RECORD.replace("[visualization-hard]", "[mine]")
    assert read_yaml(with_qwen_field(own, "tags", "math")).value["tags"] == ["mine"]


def test_what_cannot_be_read_is_left_alone() -> None:
    for broken in ("family: [", "family: 3\n", "family: {cibench: 3, qwen: [1]}\n"):
        assert told_by(broken, "cibench") is None
        with pytest.raises(ContentError):
            with_field(broken, "cibench", "thought", "x")
        with pytest.raises(ContentError):
            with_qwen_field(broken, "lang", "zh")


def test_validators_of_a_type_are_offered_where_the_settings_name_others() -> None:
    assert fitting_validator(STEP, "exec") == {"template": "basic"}
    assert fitting_validator(STEP, "vis") == {"template": "basic", "visual": None}
    assert fitting_validator("id: x\n", "text") == {"template": "basic", "text": None}
    two = "validator: {template: none, numeric: , stream: }"
    assert fitting_validator(two, "vis") == {"template": "none", "stream": None, "visual": None}
    assert fitting_validator("validator: {template: basic, visual: {pass_at: 0.5}}", "vis") is None
    assert [fitting_validator(STEP, step_type) for step_type in ("num", "", "strange")] == [None] * 3


def test_the_setup_cell_of_a_given_first_action_is_held_against_its_text() -> None:
    problemset, _ = parse_problemset((SETS / "qwen-mini" / "q12.py").read_text(encoding="utf-8"), name="q12")
    assert problemset is not None
    prefill = str(problemset.problems[0].metadata["family"]["qwen"]["prefill"])
    assert not differs_from_setup(prefill, problemset.cells)
    assert differs_from_setup(prefill.replace("flights.csv", "other.csv"), problemset.cells)
    assert differs_from_setup("", problemset.cells)


# In the editor


def stored(workspace: Workspace, name: str) -> Revision:
    (path,) = SETS.glob(f"*-mini/{name}.py")
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


def test_a_step_of_cibench_shows_thought_and_type_and_offers_validators(workspace: Workspace, open_page: Open) -> None:
    revision = stored(workspace, "pandas_penguins")
    app = open_page("editor", set=revision.problemset_id)
    thought = widget(app.text_area, "Thought")
    assert thought.value == "I read the file with pandas and print both parts of its shape."
    assert (widget(app.selectbox, "Step type").value, widget(app.text_input, "Modules").value) == ("num", "pandas")
    typed = "I read it: <b>both</b> parts."
    thought.set_value(typed).run()
    known = settings_of(workspace, revision)["family"]["cibench"]
    assert known == {"step": 1, "thought": typed, "modules": "pandas", "step_type": "num"}
    assert widget(app.text_area, "Thought").value == typed
    widget(app.selectbox, "Step type").set_value("vis").run()
    assert settings_of(workspace, revision)["validator"] == {"template": "basic", "numeric": None}
    assert "CIBench judges steps of type vis" in said(app)
    widget(app.button, "Use them in the settings").click().run()
    assert settings_of(workspace, revision)["validator"] == {"template": "basic", "visual": None}
    assert "CIBench judges" not in said(app)
    widget(app.text_area, "Settings (YAML): validator, limits, tags").set_value("family: [").run()
    assert [each.label for each in app.text_area if each.label == "Thought"] == []
    assert "Mend the settings first" in said(app)
    assert not app.exception


def test_a_record_of_qwen_shows_tags_language_and_first_action(workspace: Workspace, open_page: Open) -> None:
    revision = stored(workspace, "q12")
    app = open_page("editor", set=revision.problemset_id)
    assert widget(app.text_input, "Tags").value == "all_ci,visualization"
    assert "It counts under visualization-easy" in said(app)
    widget(app.selectbox, "Language").set_value("zh").run()
    action = widget(app.text_area, "Given first action")
    action.set_value(action.value.replace("flights.csv", "trips.csv")).run()
    family = settings_of(workspace, revision)["family"]["qwen"]
    told = {"tags": "all_ci,visualization", "lang": "zh", "input_file_path": ["upload/flights.csv"]}
    assert family["fields"] == told
    assert "trips.csv" in family["prefill"]
    assert "must hold this code" in said(app)


def test_what_could_not_be_stored_stays_in_its_field(
    workspace: Workspace, open_page: Open, draft: Revision, monkeypatch: pytest.MonkeyPatch
) -> None:
    revision = stored(workspace, "pandas_penguins")
    app = open_page("editor", set=revision.problemset_id)

    def refuse(*_: object) -> None:
        raise ConflictError("another tab has changed the settings", fix="look at both")

    with monkeypatch.context() as patched:
        patched.setattr(family_form, "change_settings", refuse)
        widget(app.text_area, "Thought").set_value("I typed this.").run()
    assert "another tab has changed the settings" in errors(app)
    app.run()
    assert widget(app.text_area, "Thought").value == "I typed this."
    assert "does not stand in the settings yet" in said(app)
    widget(app.button, "Store it").click().run()
    assert settings_of(workspace, revision)["family"]["cibench"]["thought"] == "I typed this."
    assert "does not stand in the settings yet" not in said(app)
    plain = boxes(open_page("editor", set=draft.problemset_id))
    assert not [each for each in plain if "CIBench" in each or "Qwen" in each], "a problem of no family sees none of it"
