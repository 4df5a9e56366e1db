"""Fields beside the settings, and those of a family: they show what the YAML says, change it, and lose nothing else."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from authoring.store import autosaves, problemsets
from authoring.store.revisions import Revision
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from authoring.ui.editor.family.family_settings import (
    counted_tags,
    differs_from_setup,
    fitting_validator,
    qwen_fields,
    told_by,
    with_field,
    with_qwen_field,
)
from authoring.ui.editor.setting_fields import UnreadableError, read_fields, with_value
from evaluator.errors import ContentError
from evaluator.language import parse_problemset, read_yaml
from tests.ui.acts import ROOT, Desk, Open, said, warnings
from tests.ui.acts import SETTINGS as YAML

SETTINGS = "id: a  # stays\ndifficulty: easy\ntags: [x]\nexecution:\n  max_time: 2.5\n"


def test_what_a_field_holds_goes_into_the_settings_and_the_rest_stays() -> None:
    assert read_fields("") == dict.fromkeys(("difficulty", "max_time", "max_memory")) | {
        "tags": [],
        "knowledge_points": [],
    }
    changed = with_value(with_value(SETTINGS, "difficulty", "hard"), "tags", ["x", " y ", "", "x"])
    changed = with_value(with_value(changed, "max_time", 3.0), "max_memory", 512.5)
    assert read_fields(changed) == {
        **{"difficulty": "hard", "tags": ["x", "y"], "knowledge_points": []},
        **{"max_time": 3.0, "max_memory": 512.5},
    }
    assert "id: a  # stays" in changed
    without = with_value(with_value(SETTINGS, "max_time", None), "difficulty", None)
    assert without == "id: a  # stays\ntags: [x]\n"


def test_a_changed_field_keeps_the_comments_around_it() -> None:
    cases: list[tuple[str, str, Any, str]] = [
        ("difficulty: easy  # why\n", "difficulty", "hard", "difficulty: hard  # why\n"),
        ("difficulty: easy  # why\nid: a  # b\n", "difficulty", None, "id: a  # b\n"),
        ("tags: [x]  # why\n", "tags", ["x", "y, z"], "tags: [x, 'y, z']  # why\n"),
        ("tags:\n- x  # a\n# b\n- y  # c\nid: 1\n", "tags", ["y", "z"], "tags:\n# b\n- y  # c\n- z\nid: 1\n"),
        ("execution: {max_time: 2}  # a\n", "max_time", 3.0, "execution: {max_time: 3}  # a\n"),
        (
            "execution: {  # a\n  max_time: 2  # b\n}  # c\n",
            *("max_memory", 9.5),
            "execution: {  # a\n  max_time: 2, max_memory: 9.5  # b\n}  # c\n",
        ),
        (
            "execution: {\n  max_time: 2,  # measured\n  max_memory: 5  # why\n}\n",
            *("max_memory", None),
            "execution: {\n  max_time: 2  # measured\n}\n",
        ),
        ("{id: a, tags: [x]}  # all\n", "difficulty", "hard", "{id: a, tags: [x], difficulty: hard}  # all\n"),
    ]
    for settings, name, value, changed in cases:
        assert with_value(settings, name, value) == changed


def test_a_change_that_would_cost_a_comment_is_refused() -> None:
    with pytest.raises(ContentError, match="would lose the comment '# a'"):
        with_value("tags: [\n  x,  # a\n  y,\n]\n", "tags", ["y"])
    cases = [
        ("a: 1\ntags: [", "line 2: the YAML cannot be read"),
        ("a: 1\nexecution: 3", "line 2: 'execution' is no mapping"),
        ("tags: 4", "line 1: 'tags' is no list of texts"),
        ("a: 1\nexecution: {max_time: -1}", "line 2: 'max_time' is no number above 0"),
    ]
    for settings, told in cases:
        with pytest.raises(UnreadableError, match=told):
            read_fields(settings)


def open_fields(desk: Desk) -> AppTest:
    return desk.open_with({f"fields:{desk.number}:open": True}, "editor", set=desk.number, pid="p1")


def test_fields_and_yaml_stay_in_step_and_broken_yaml_greys_the_fields(desk: Desk) -> None:
    app = open_fields(desk)
    key = f"fields:mei:{desk.number}:p1:"
    assert app.selectbox(key=f"{key}difficulty").value is None
    app.selectbox(key=f"{key}difficulty").select("hard")
    app.number_input(key=f"{key}max_time").set_value(7.0).run()
    (saved,) = desk.kept().values()
    assert (saved.field, saved.text) == ("settings", "difficulty: hard\nexecution:\n  max_time: 7\n")
    assert app.text_area[YAML].value == saved.text
    app.text_area[YAML].set_value("difficulty: easy\ntags: [sums]\n").run()
    assert app.selectbox(key=f"{key}difficulty").value == "easy"
    assert app.multiselect(key=f"{key}tags").value == ["sums"]
    assert app.number_input(key=f"{key}max_time").value is None
    app.text_area[YAML].set_value("difficulty: easy\ntags: [").run()
    assert "line 2" in warnings(app)
    assert app.selectbox(key=f"{key}difficulty").disabled
    assert app.multiselect(key=f"{key}tags").disabled
    assert not app.exception


SETS = ROOT / "problemsets"
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
    for broken in ("family: [", "family: 3\n", "family: {cibench: 3, qwen: [1]}\n"):
        assert told_by(broken, "cibench") is None
        with pytest.raises(ContentError):
            with_field(broken, "cibench", "thought", "x")
        with pytest.raises(ContentError):
            with_qwen_field(broken, "lang", "zh")
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


def test_validators_of_a_type_are_offered_where_the_settings_name_others() -> None:
    assert fitting_validator(STEP, "exec") == {"template": "basic"}
    assert fitting_validator(STEP, "vis") == {"template": "basic", "visual": None}
    assert fitting_validator("id: x\n", "text") == {"template": "basic", "text": None}
    two = "validator: {template: none, numeric: , stream: }"
    assert fitting_validator(two, "vis") == {"template": "none", "stream": None, "visual": None}
    assert fitting_validator("validator: {template: basic, visual: {pass_at: 0.5}}", "vis") is None
    assert [fitting_validator(STEP, step_type) for step_type in ("num", "", "strange")] == [None] * 3
    problemset, _ = parse_problemset((SETS / "qwen-mini" / "q12.py").read_text(encoding="utf-8"), name="q12")
    assert problemset is not None
    prefill = str(problemset.problems[0].metadata["family"]["qwen"]["prefill"])
    assert not differs_from_setup(prefill, problemset.cells)
    assert differs_from_setup(prefill.replace("flights.csv", "other.csv"), problemset.cells)
    assert differs_from_setup("", problemset.cells)


def stored(ws: Workspace, name: str) -> Revision:
    (path,) = SETS.glob(f"*-mini/{name}.py")
    text = path.read_text(encoding="utf-8")
    return problemsets.create(ws, name=name, text=text, author="import", origin=Origin.IMPORT)


def settings_of(ws: Workspace, revision: Revision) -> dict[str, Any]:
    (saved,) = autosaves.select(ws, "mei", revision.problemset_id)
    assert saved.field == "settings"
    value: dict[str, Any] = read_yaml(saved.text).value
    return value


def widget(widgets: Any, label: str) -> Any:
    (found,) = [each for each in widgets if each.label == label]
    return found


def test_a_step_of_cibench_shows_thought_and_type_and_offers_validators(ws: Workspace, open_page: Open) -> None:
    revision = stored(ws, "pandas_penguins")
    app = open_page("editor", set=revision.problemset_id)
    thought = widget(app.text_area, "Thought")
    assert thought.value == "I read the file with pandas and print both parts of its shape."
    assert (widget(app.selectbox, "Step type").value, widget(app.text_input, "Modules").value) == ("num", "pandas")
    typed = "I read it: <b>both</b> parts."
    thought.set_value(typed).run()
    known = settings_of(ws, revision)["family"]["cibench"]
    assert known == {"step": 1, "thought": typed, "modules": "pandas", "step_type": "num"}
    assert widget(app.text_area, "Thought").value == typed
    widget(app.selectbox, "Step type").set_value("vis").run()
    assert settings_of(ws, revision)["validator"] == {"template": "basic", "numeric": None}
    assert "CIBench judges steps of type vis" in said(app)
    widget(app.button, "Use them in the settings").click().run()
    assert settings_of(ws, revision)["validator"] == {"template": "basic", "visual": None}
    assert "CIBench judges" not in said(app)
    widget(app.text_area, "Settings (YAML): validator, limits, tags").set_value("family: [").run()
    assert [each.label for each in app.text_area if each.label == "Thought"] == []
    assert "Mend the settings first" in said(app)
    assert not app.exception


def test_a_record_of_qwen_shows_tags_language_and_first_action(ws: Workspace, open_page: Open) -> None:
    revision = stored(ws, "q12")
    app = open_page("editor", set=revision.problemset_id)
    assert widget(app.text_input, "Tags").value == "all_ci,visualization"
    assert "It counts under visualization-easy" in said(app)
    widget(app.selectbox, "Language").set_value("zh").run()
    action = widget(app.text_area, "Given first action")
    action.set_value(action.value.replace("flights.csv", "trips.csv")).run()
    family = settings_of(ws, revision)["family"]["qwen"]
    told = {"tags": "all_ci,visualization", "lang": "zh", "input_file_path": ["upload/flights.csv"]}
    assert family["fields"] == told
    assert "trips.csv" in family["prefill"]
    assert "must hold this code" in said(app)
