"""Fields beside the settings: they show what the YAML says, change it, and are grey where it is broken."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from authoring.ui.editor.setting_fields import UnreadableError, read_fields, with_value
from evaluator.errors import ContentError
from tests.ui.acts import errors
from tests.ui.problemset.acts import SETTINGS as YAML
from tests.ui.problemset.acts import Desk, warnings

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


def test_a_remark_between_blank_lines_stays_where_the_key_above_it_changes() -> None:
    settings = "difficulty: easy\n# read\n\nexecution:\n  max_time: 5\n\n  # measured\n\nnotes: a\n"
    changed = with_value(with_value(settings, "difficulty", "hard"), "max_time", 7.0)
    assert changed == settings.replace("easy", "hard").replace("5", "7")


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
        ("execution: {max_time: 2, max_memory: 5}  # a\n", "max_time", None, "execution: {max_memory: 5}  # a\n"),
        ("execution: {max_time: 2}  # a\nid: x  # b\n", "max_time", None, "id: x  # b\n"),
        (
            "execution: {\n  max_time: 2,  # measured\n  max_memory: 5  # why\n}\n",
            *("max_memory", None),
            "execution: {\n  max_time: 2  # measured\n}\n",
        ),
        (
            "execution: {\n  max_time: 2,  # measured\n  max_memory: 5,\n}\n",
            *("max_memory", None),
            "execution: {\n  max_time: 2,  # measured\n}\n",
        ),
        (
            "execution: {\n  max_time: 2,  # measured\n  # of one fork\n  max_memory: 5}\n",
            *("max_time", None),
            "execution: {\n  # of one fork\n  max_memory: 5}\n",
        ),
        ("execution: {max_time: 2, max_memory: 5}  # a\n", "max_memory", None, "execution: {max_time: 2}  # a\n"),
        ("{id: a, tags: [x]}  # all\n", "difficulty", "hard", "{id: a, tags: [x], difficulty: hard}  # all\n"),
    ]
    for settings, name, value, changed in cases:
        assert with_value(settings, name, value) == changed


def test_a_change_that_would_cost_a_comment_is_refused() -> None:
    with pytest.raises(ContentError, match="would lose the comment '# a'"):
        with_value("tags: [\n  x,  # a\n  y,\n]\n", "tags", ["y"])
    with pytest.raises(ContentError, match="would lose the comment '# measured'"):
        with_value("execution: {\n  max_time: 2  # measured\n  , max_memory: 5\n}\n", "max_memory", None)
    with pytest.raises(ContentError, match="change 'difficulty' in the YAML itself"):
        with_value("id: a  # b\n...\n", "difficulty", "hard")


def test_settings_that_no_field_can_show_are_told_with_their_line() -> None:
    cases = [
        ("a: 1\ntags: [", "line 2: the YAML cannot be read"),
        ("a: 1\nexecution: 3", "line 2: 'execution' is no mapping"),
        ("tags: 4", "line 1: 'tags' is no list of texts"),
        ("a: 1\nexecution: {max_time: -1}", "line 2: 'max_time' is no number above 0"),
    ]
    for settings, said in cases:
        with pytest.raises(UnreadableError, match=said):
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


def test_a_field_that_lost_against_another_tab_shows_what_is_stored(desk: Desk) -> None:
    app = open_fields(desk)
    desk.keep("difficulty: easy\n", field="settings")
    difficulty = f"fields:mei:{desk.number}:p1:difficulty"
    app.selectbox(key=difficulty).select("hard").run()
    assert "another tab" in errors(app)
    assert app.selectbox(key=difficulty).value == "easy"
