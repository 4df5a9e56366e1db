"""Comments on lines: stored as lines of the revision's text, shown beside the line wherever it has moved."""

from typing import Any

import pytest

from authoring.revising.commenting import comment_on
from authoring.store.autosaves import list_unsent
from authoring.store.reviewing.reviews import add_comment, list_comments
from authoring.store.revisions import Revision
from authoring.store.settings import set_setting
from authoring.store.workspace import Workspace
from authoring.ui.comments.line_comments import FieldLine, line_in_text, line_now, line_then, place_in
from authoring.ui.editor.draft_view import cells_of
from evaluator.errors import UsageError
from tests.ui.acts import Open, errors, page_links, press, said
from tests.ui.problemset.acts import Desk
from tests.ui.problemset.test_code_editor import send, shown

TEXT = """# %% prepare
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
    cells = cells_of("x", TEXT)
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
        found = line_in_text(TEXT, cells, cell, field, line)
        assert found is not None
        assert TEXT.split("\n")[found - 1].strip() == wanted
        assert place_in(TEXT, cells, found) == (cell, FieldLine(field, line, wanted))


def test_lines_that_are_not_there_are_in_no_place() -> None:
    cells = cells_of("x", TEXT)
    assert line_in_text(TEXT, cells, cells[1], "code", 3) is None
    assert place_in(TEXT, cells, 400) is None


def test_a_commented_line_is_found_where_it_moved_and_not_when_it_changed() -> None:
    place = FieldLine("code", 1, "area")
    assert line_now(place, "area") == 1
    assert line_now(place, "# first\narea") == 2
    assert line_now(place, "# first\narea\narea") is None
    assert line_now(place, "volume") is None
    assert (line_then(2, "new\na\nb", "a\nb"), line_then(1, "new\na", "a"), line_then(9, "a", "a")) == (1, None, None)


def test_a_comment_on_a_line_stands_beside_it_and_names_it(desk: Desk) -> None:
    app = desk.editor("p2")
    press(app, f"comment:{desk.number}")  # Alt+M
    key = f"comment:{desk.number}:p2"
    app.text_area(key=f"{key}:text").set_value("why <b>idxmax</b>?")
    app.selectbox(key=f"{key}:field").select("code")
    app.number_input(key=f"{key}:line").set_value(7)
    press(app, f"{key}:send")
    assert "has no such line 7" in errors(app)
    assert app.text_area(key=f"{key}:text").value == "why <b>idxmax</b>?"  # nothing typed is lost
    app.number_input(key=f"{key}:line").set_value(1)
    press(app, f"{key}:send")
    (comment,) = list_comments(desk.ws, desk.number)
    assert desk.text.split("\n")[(comment.line or 0) - 1].endswith(".idxmax()")
    assert "Reference code, line 1" in said(app)

    line = 'sales.groupby("shop")["units"].sum().idxmax()'
    desk.change(desk.text.replace(line, f"# most\n{line}"))
    app.run()
    assert "Reference code, line 2" in said(app)
    assert "What changed since" in page_links(app)


def test_a_comment_of_the_command_line_may_name_a_line_of_the_file(workspace: Workspace, draft: Revision) -> None:
    line = draft.text.split("\n").index("query: Which shop sold most?") + 1
    made = comment_on(workspace, "shop-sales", "by what?", kind="ambiguous", problem=None, by="lee", line=line)
    (comment,) = list_comments(workspace, draft.problemset_id)
    assert (comment.id, comment.problem, comment.line) == (made, "p2", line)
    with pytest.raises(UsageError, match=f"there is no line {line} within p1"):
        comment_on(workspace, "shop-sales", "why?", kind="other", problem="1", by="lee", line=line)


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
    app = desk.editor()
    press(app, f"comment:{desk.number}")
    assert f"comment:{theirs}:edit" not in [button.key for button in app.button]
    press(app, reply_key)
    app.text_area(key=f"{reply_key}:text").set_value("so, @lee and @nobody")
    press(app, f"{reply_key}:send")
    (thread,) = list_comments(desk.ws, desk.number)
    (reply,) = thread.replies
    assert (reply.author, reply.text, reply.mentions) == ("mei", "so, @lee and @nobody", ("lee",))
    press(app, f"comment:{reply.id}:edit")
    assert app.text_area(key=f"comment:{reply.id}:edit:text").value == "so, @lee and @nobody"
    app.text_area(key=f"comment:{reply.id}:edit:text").set_value("so").run()
    press(app, reply_key)
    app.text_area(key=f"{reply_key}:text").set_value("and one")
    app.selectbox(key=f"{reply_key}:text:at").select("lee").run()
    assert app.text_area(key=f"{reply_key}:text").value == "and one @lee "

    app = desk.editor()  # another tab finds what was begun here
    press(app, f"comment:{desk.number}")
    press(app, reply_key)
    assert app.text_area(key=f"{reply_key}:text").value == "and one @lee "
    press(app, f"{reply_key}:cancel")
    press(app, reply_key)
    assert app.text_area(key=f"{reply_key}:text").value == ""
    press(app, f"comment:{reply.id}:edit")
    assert app.text_area(key=f"comment:{reply.id}:edit:text").value == "so"  # another form was open in between
    press(app, f"comment:{reply.id}:edit:send")
    assert list_unsent(desk.ws, "mei") == {}
    (thread,) = list_comments(desk.ws, desk.number)
    assert [(each.text, each.edited_at is not None) for each in thread.replies] == [("so", True)]
    press(app, f"comment:{theirs}:resolve")
    press(app, f"comment:{theirs}:reopen")
    assert list_comments(desk.ws, desk.number)[0].resolved_at is None


def test_who_wrote_a_comment_can_be_mentioned_and_who_is_nobody_is_named(
    open_tab: Open, workspace: Workspace, draft: Revision
) -> None:
    add_comment(workspace, revision_id=draft.id, author="Ada", text="why?", problem="p1")
    app = open_tab("editor", "Comments", set=draft.problemset_id, pid="p1")
    app.text_area(key=f"comment:{draft.problemset_id}:p1:text").set_value("@ada yes, @Adaa and @Bob")
    press(app, f"comment:{draft.problemset_id}:p1:send")
    newest = max(list_comments(workspace, draft.problemset_id), key=lambda each: each.id)
    assert newest.mentions == ("Ada",)
    assert "nobody here is called Adaa or Bob, so nobody is told" in said(app)
    assert "people here are mei, Ada" in said(app)
    assert "mei · just now" in said(app), "the kind other says nothing"
