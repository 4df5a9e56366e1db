"""The code editors' server side and bundle, and comments on lines, shown beside the line wherever it has moved."""

import hashlib
import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from authoring.revising.commenting import comment_on
from authoring.store.autosaves import list_unsent
from authoring.store.jobs import select as list_jobs
from authoring.store.reviewing.reviews import add_comment, list_comments
from authoring.store.revisions import Revision
from authoring.store.settings import set_setting
from authoring.store.workspace import Workspace
from authoring.ui.comments.line_comments import FieldLine, line_in_text, line_now, line_then, place_in
from authoring.ui.drawing.markup import word_diff_html
from authoring.ui.editor.draft_view import cells_of
from authoring.ui.inputs.code_editor import received
from evaluator.errors import UsageError
from tests.ui.acts import ROOT, Desk, errors, page_links, press, said

SOURCE = ROOT / "authoring" / "ui" / "frontend"
YAML = "Settings (YAML): validator, limits, tags"


@pytest.fixture(autouse=True)
def code_editors(ws: Workspace) -> None:
    set_setting(ws, "plain_editors", {})


def protos(app: AppTest) -> dict[str, Any]:
    """The code editors on the screen by their label."""
    found = [element.proto for element in app.get("bidi_component")]
    return {json.loads(proto.json)["label"]: proto for proto in found if proto.component_name == "benchwright_editor"}


def shown(app: AppTest, label: str = "Reference code") -> dict[str, Any]:
    data: dict[str, Any] = json.loads(protos(app)[label].json)
    return data


def send(app: AppTest, event: str, text: str, *, number: int = 1, **more: Any) -> AppTest:
    """Do what the browser does: send a text with an event of the editor of the reference code."""
    proto, data = protos(app)["Reference code"], shown(app)
    sent = {"text": text, "number": number, "session": data["session"], "load_no": data["load_no"], **more}
    states = app._tree.get_widget_states()
    state = states.widgets.add()
    if event == "text":
        state.id = proto.id
        state.json_value = json.dumps({"text": sent})
    else:
        state.id = f"$$STREAMLIT_INTERNAL_KEY_{proto.id}__events"
        state.json_trigger_value = json.dumps([{"event": event, "value": sent}])
    app._run(states)
    assert not app.exception
    return app


def test_the_committed_bundle_was_built_from_the_committed_source() -> None:
    names = ("index.js", "mirror.js", "package-lock.json", "build.sh")
    digest = hashlib.sha256(b"".join((SOURCE / name).read_bytes() for name in names)).hexdigest()
    with (ROOT / "static" / "cm6.js").open(encoding="utf-8") as bundle:
        assert bundle.readline().strip() == f"// Built by authoring/ui/frontend/build.sh from {digest}"
    licences = (ROOT / "static" / "cm6.LICENSES.txt").read_text(encoding="utf-8")
    lock = json.loads((SOURCE / "package-lock.json").read_text())
    for name, each in lock["packages"].items():
        if name and not each.get("dev"):
            assert f"{name.removeprefix('node_modules/')} {each['version']}\n" in licences


def test_text_reaches_the_browser_as_data_and_editors_name_their_problem(desk: Desk) -> None:
    app = desk.editor("p2")
    assert list(protos(app)) == ["Query", "Reference code", YAML]
    for proto in protos(app).values():
        assert proto.html_content == ""
        assert "sales" not in proto.js_content
        assert "://" not in proto.js_content  # the script names no host
    assert shown(app)["words"] == ["pd", "sales"]
    names = [shown(app, label)["spoken"] for label in protos(app)]
    assert names == ["Query of problem 2", "Reference code of problem 2", "Settings of problem 2"]


def test_a_text_that_an_editor_sends_is_kept_and_comes_back(desk: Desk) -> None:
    desk.change(desk.text.replace("query: Which", "id: a__b\nquery: Which"))
    app = send(desk.editor("a__b"), "text", "sales.units.max()", number=7)
    assert [(*key, each.text) for key, each in desk.kept().items()] == [("a__b", "code", "sales.units.max()")]
    assert (shown(app)["value"], shown(app)["last_seq"]) == ("sales.units.max()", 7)
    assert not app.error
    again = desk.editor("a__b")
    assert shown(again)["value"] == "sales.units.max()"


def test_keys_carry_the_text_so_that_no_order_of_callbacks_matters(desk: Desk) -> None:
    app = desk.editor()
    send(app, "run", "sales.units.sum()", scope="this")
    send(app, "run", "sales.units.sum()", number=2, scope="on")
    jobs = list_jobs(desk.ws)
    assert [(job.payload["upto"], job.payload.get("first")) for job in jobs] == [(None, 1), (1, None)]
    assert all("sales.units.sum()" in job.payload["text"] for job in jobs)
    send(app, "save", "sales.units.min()", number=3)
    saved = desk.head()
    assert (saved.number, "sales.units.min()" in saved.text) == (2, True)
    assert desk.kept_texts() == []


def test_diagnostics_stand_at_the_line_of_their_own_text(desk: Desk) -> None:
    app = send(desk.editor(), "text", "sales\n\nx = (\n")
    (found,) = shown(app)["diagnostics"]
    assert (found["line"], found["severity"]) == (3, "error")
    assert "was never closed" in found["text"]
    assert shown(app, "Query")["diagnostics"] == []
    setup = desk.editor("setup1")
    assert list(protos(setup)) == ["Setup code"]
    assert shown(setup, "Setup code")["diagnostics"] == []


def test_what_no_editor_of_ours_sends_is_no_text() -> None:
    sent: list[Any] = [None, "text", {"text": 1}, {"text": "x", "number": "1"}, {"text": {"text": None}}]
    for each in sent:
        assert received({"text": each}, "text") is None
        assert received(each, "save") is None
    assert word_diff_html("a b", "a b") is None
    assert word_diff_html("the <b>mean</b>", "the <i>") == (
        '<div class="bw-words">the &lt;<del>b</del><ins>i</ins>&gt;<del>mean&lt;/b&gt;</del></div>'
    )


AREAS = """# %% prepare
import math

x = 2

# %%
<<<
tags: [a]
query: |
  How large is it?
  Give a number.
validator:
  result: {}
>>>
area = math.pi * x
area

# %%
<<<
query: And twice?
>>>
area
""".replace("<<<", '"""').replace(">>>", '"""')


def test_a_line_of_a_field_is_a_line_of_the_text_and_back() -> None:
    cells = cells_of("x", AREAS)
    lines = [
        ("setup1", "code", 1, "import math"),
        ("setup1", "code", 3, "x = 2"),
        ("p1", "query", 2, "Give a number."),
        ("p1", "code", 1, "area = math.pi * x"),
        ("p1", "code", 2, "area"),
        ("p2", "query", 1, "query: And twice?"),
        ("p2", "code", 1, "area"),
    ]
    for key, field, line, wanted in lines:
        cell = next(each for each in cells if each.key == key)
        found = line_in_text(AREAS, cells, cell, field, line)
        assert found is not None
        assert AREAS.split("\n")[found - 1].strip() == wanted
        assert place_in(AREAS, cells, found) == (cell, FieldLine(field, line, wanted))
    assert line_in_text(AREAS, cells, cells[1], "code", 3) is None
    assert place_in(AREAS, cells, 400) is None
    place = FieldLine("code", 1, "area")
    assert line_now(place, "area") == 1
    assert line_now(place, "# first\narea") == 2
    assert line_now(place, "# first\narea\narea") is None
    assert line_now(place, "volume") is None
    assert (line_then(2, "new\na\nb", "a\nb"), line_then(1, "new\na", "a"), line_then(9, "a", "a")) == (1, None, None)


def test_a_comment_on_a_line_stands_beside_it_and_names_it(desk: Desk) -> None:
    app = press(desk.editor("p2"), f"comment:{desk.number}")  # Alt+M
    key = f"comment:{desk.number}:p2"
    app.text_area(key=f"{key}:text").set_value("why <b>idxmax</b>?")
    app.selectbox(key=f"{key}:field").select("code")
    app.number_input(key=f"{key}:line").set_value(7)
    assert "has no such line 7" in errors(press(app, f"{key}:send"))
    assert app.text_area(key=f"{key}:text").value == "why <b>idxmax</b>?"  # nothing typed is lost
    app.number_input(key=f"{key}:line").set_value(1)
    press(app, f"{key}:send")
    (comment,) = list_comments(desk.ws, desk.number)
    line = 'sales.groupby("shop")["units"].sum().idxmax()'
    assert desk.text.split("\n")[(comment.line or 0) - 1] == line
    assert "Reference code, line 1" in said(app)
    desk.change(desk.text.replace(line, f"# most\n{line}"))
    assert "Reference code, line 2" in said(app.run())
    assert "What changed since" in page_links(app)


def test_a_comment_of_the_command_line_may_name_a_line_of_the_file(ws: Workspace, draft: Revision) -> None:
    line = draft.text.split("\n").index("query: Which shop sold most?") + 1
    made = comment_on(ws, "shop-sales", "by what?", kind="ambiguous", problem=None, by="lee", line=line)
    (comment,) = list_comments(ws, draft.problemset_id)
    assert (comment.id, comment.problem, comment.line) == (made, "p2", line)
    with pytest.raises(UsageError, match=f"there is no line {line} within p1"):
        comment_on(ws, "shop-sales", "why?", kind="other", problem="1", by="lee", line=line)


def test_an_editor_marks_a_commented_line_and_asks_for_a_comment_on_one(desk: Desk) -> None:
    set_setting(desk.ws, "plain_editors", {})
    line = desk.text.split("\n").index('sales.groupby("shop")["units"].sum().idxmax()') + 1
    for text in ("one", "two"):
        add_comment(desk.ws, revision_id=desk.draft.id, author="lee", text=text, problem="p2", line=line)
    app = desk.editor("p2")
    marked: dict[str, Any] = shown(app)
    assert marked["diagnostics"] == [{"line": 1, "severity": "info", "text": "lee: one\nlee: two"}]

    text = f"# most\n{marked['value']}"
    send(app, "comment", text, line=2)
    key = f"comment:{desk.number}:p2"
    assert (app.selectbox(key=f"{key}:field").value, app.number_input(key=f"{key}:line").value) == ("code", 2)
    assert shown(app)["value"] == text  # what was typed last came along
    app.text_area(key=f"{key}:text").set_value("why?")
    press(app, f"{key}:send")
    comment = max(list_comments(desk.ws, desk.number), key=lambda each: each.id)
    assert (comment.text, comment.line) == ("why?", line)

    assert shown(app)["shown"] == {"number": 0}
    for number in (1, 2):  # a second wish for the same line is another one
        press(app, f"comment:{comment.id}:show")
        assert shown(app)["shown"] == {"number": number, "line": 2}
        assert shown(app, "Query")["shown"] == {"number": 0}


def test_a_comment_is_answered_and_ones_own_is_edited(desk: Desk) -> None:
    set_setting(desk.ws, "annotator_names", ["mei", "lee"])
    theirs = add_comment(desk.ws, revision_id=desk.draft.id, author="lee", text="why?", problem="p1")
    reply_key = f"comment:{theirs}:reply"
    app = press(desk.editor(), f"comment:{desk.number}")
    assert f"comment:{theirs}:edit" not in [button.key for button in app.button]
    press(app, reply_key)
    app.text_area(key=f"{reply_key}:text").set_value("so, @lee and @nobody")
    press(app, f"{reply_key}:send")
    (thread,) = list_comments(desk.ws, desk.number)
    (reply,) = thread.replies
    assert (reply.author, reply.text, reply.mentions) == ("mei", "so, @lee and @nobody", ("lee",))
    assert "nobody here is called nobody, so nobody is told" in said(app)
    press(app, f"comment:{reply.id}:edit")
    assert app.text_area(key=f"comment:{reply.id}:edit:text").value == "so, @lee and @nobody"
    app.text_area(key=f"comment:{reply.id}:edit:text").set_value("so").run()
    press(app, f"comment:{reply.id}:edit:send")
    assert list_unsent(desk.ws, "mei") == {}
    (thread,) = list_comments(desk.ws, desk.number)
    assert [(each.text, each.edited_at is not None) for each in thread.replies] == [("so", True)]
    press(app, f"comment:{theirs}:resolve")
    press(app, f"comment:{theirs}:reopen")
    assert list_comments(desk.ws, desk.number)[0].resolved_at is None
