"""Comments on lines: stored as lines of the revision's text, shown beside the line wherever it has moved."""

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from authoring.revising.commenting import comment_on
from authoring.store import revisions
from authoring.store.autosaves import list_unsent
from authoring.store.reviewing.reviews import add_comment, list_comments
from authoring.store.revisions import Revision
from authoring.store.settings import set_setting
from authoring.store.workspace import Workspace
from authoring.ui.comments.line_comments import FieldLine, line_in_text, line_now, line_then, place_in
from authoring.ui.editor.draft_view import cells_of
from evaluator.errors import UsageError
from tests.ui.test_code_editor import send, shown

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]
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


@pytest.mark.parametrize(
    ("key", "field", "line", "wanted"),
    [
        ("setup1", "code", 1, "import math"),
        ("setup1", "code", 3, "x = 2"),
        ("p1", "query", 2, "Give a number."),
        ("p1", "code", 1, "area = math.pi * x"),
        ("p1", "code", 2, "area"),
        ("p2", "query", 1, "query: And twice?"),
        ("p2", "code", 1, "area"),
    ],
)
def test_a_line_of_a_field_is_a_line_of_the_text_and_back(key: str, field: str, line: int, wanted: str) -> None:
    cells = cells_of("x", TEXT)
    cell = next(each for each in cells if each.key == key)
    found = line_in_text(TEXT, cells, cell, field, line)
    assert found is not None
    assert TEXT.split("\n")[found - 1].strip() == wanted
    assert place_in(TEXT, cells, found) == (cell, FieldLine(field, line, wanted))


def test_lines_that_are_not_there_are_in_no_place() -> None:
    cells = cells_of("x", TEXT)
    assert line_in_text(TEXT, cells, cells[1], "code", 3) is None
    assert place_in(TEXT, cells, 400) is None


def test_a_commented_line_is_found_where_it_moved_and_nowhere_when_it_changed() -> None:
    place = FieldLine("code", 1, "area")
    assert line_now(place, "area") == 1
    assert line_now(place, "# first\narea") == 2
    assert line_now(place, "# first\narea\narea") is None
    assert line_now(place, "volume") is None
    assert (line_then(2, "new\na\nb", "a\nb"), line_then(1, "new\na", "a"), line_then(9, "a", "a")) == (1, None, None)


def test_a_comment_on_a_line_stands_beside_it_and_names_it(
    open_page: Open, draft: Revision, workspace: Workspace, said: Said
) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p2")
    app.button(key=f"comment:{draft.problemset_id}").click().run()  # Alt+M
    key = f"comment:{draft.problemset_id}:p2"
    app.text_area(key=f"{key}:text").set_value("why <b>idxmax</b>?")
    app.selectbox(key=f"{key}:field").select("code")
    app.number_input(key=f"{key}:line").set_value(7)
    app.button(key=f"{key}:send").click().run()
    assert "has no such line 7" in app.error[0].value
    assert app.text_area(key=f"{key}:text").value == "why <b>idxmax</b>?"  # nothing typed is lost
    app.number_input(key=f"{key}:line").set_value(1)
    app.button(key=f"{key}:send").click().run()
    (comment,) = list_comments(workspace, draft.problemset_id)
    assert draft.text.split("\n")[(comment.line or 0) - 1].endswith(".idxmax()")
    assert "Reference code, line 1" in said(app)

    line = 'sales.groupby("shop")["units"].sum().idxmax()'
    moved = draft.text.replace(line, f"# most\n{line}")
    revisions.save(workspace, draft.problemset_id, moved, base_revision_id=draft.id, author="lee")
    app.run()
    assert "Reference code, line 2" in said(app)
    assert "What changed since" in [link.proto.label for link in app.get("page_link")]


def test_a_comment_of_the_command_line_may_name_a_line_of_the_file(workspace: Workspace, draft: Revision) -> None:
    line = draft.text.split("\n").index("query: Which shop sold most?") + 1
    made = comment_on(workspace, "shop-sales", "by what?", kind="ambiguous", problem=None, by="lee", line=line)
    assert [(each.id, each.problem, each.line) for each in list_comments(workspace, draft.problemset_id)] == [
        (made, "p2", line)
    ]
    with pytest.raises(UsageError, match=f"there is no line {line} within p1"):
        comment_on(workspace, "shop-sales", "why?", kind="other", problem="1", by="lee", line=line)


def test_the_code_editor_marks_a_commented_line(open_page: Open, draft: Revision, workspace: Workspace) -> None:
    set_setting(workspace, "plain_editors", {})
    line = draft.text.split("\n").index('sales.groupby("shop")["units"].sum()') + 1
    for text in ("one", "two"):
        add_comment(workspace, revision_id=draft.id, author="lee", text=text, problem="p1", line=line)
    found: dict[str, Any] = shown(open_page("editor", set=draft.problemset_id, pid="p1"))
    assert found["diagnostics"] == [{"line": 1, "severity": "info", "text": "lee: one\nlee: two"}]


def test_an_editor_asks_for_a_comment_on_a_line_and_shows_the_line_of_one(
    open_page: Open, draft: Revision, workspace: Workspace
) -> None:
    set_setting(workspace, "plain_editors", {})
    app = open_page("editor", set=draft.problemset_id, pid="p2")
    text = f"# most\n{shown(app)['value']}"
    send(app, "comment", text, line=2)
    key = f"comment:{draft.problemset_id}:p2"
    assert (app.selectbox(key=f"{key}:field").value, app.number_input(key=f"{key}:line").value) == ("code", 2)
    assert shown(app)["value"] == text  # what was typed last came along
    app.text_area(key=f"{key}:text").set_value("why?")
    app.button(key=f"{key}:send").click().run()
    (comment,) = list_comments(workspace, draft.problemset_id)
    assert draft.text.split("\n")[(comment.line or 0) - 1].endswith(".idxmax()")

    assert shown(app)["shown"] == {"number": 0}
    for number in (1, 2):  # a second wish for the same line is another one
        app.button(key=f"comment:{comment.id}:show").click().run()
        assert shown(app)["shown"] == {"number": number, "line": 2}
        assert shown(app, "Query")["shown"] == {"number": 0}


def test_a_comment_is_answered_and_ones_own_is_edited(open_page: Open, draft: Revision, workspace: Workspace) -> None:
    set_setting(workspace, "annotator_names", ["mei", "lee"])
    theirs = add_comment(workspace, revision_id=draft.id, author="lee", text="why?", problem="p1")
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    app.button(key=f"comment:{draft.problemset_id}").click().run()  # Alt+M
    assert f"comment:{theirs}:edit" not in [button.key for button in app.button]
    app.button(key=f"comment:{theirs}:reply").click().run()
    app.text_area(key=f"comment:{theirs}:reply:text").set_value("so, @lee and @nobody")
    app.button(key=f"comment:{theirs}:reply:send").click().run()
    (thread,) = list_comments(workspace, draft.problemset_id)
    (reply,) = thread.replies
    assert (reply.author, reply.text, reply.mentions) == ("mei", "so, @lee and @nobody", ("lee",))
    app.button(key=f"comment:{reply.id}:edit").click().run()
    assert app.text_area(key=f"comment:{reply.id}:edit:text").value == "so, @lee and @nobody"
    app.text_area(key=f"comment:{reply.id}:edit:text").set_value("so").run()
    app.button(key=f"comment:{theirs}:reply").click().run()
    app.text_area(key=f"comment:{theirs}:reply:text").set_value("and one")
    app.selectbox(key=f"comment:{theirs}:reply:text:at").select("lee").run()
    assert app.text_area(key=f"comment:{theirs}:reply:text").value == "and one @lee "
    app = open_page("editor", set=draft.problemset_id, pid="p1")  # and another tab finds what was begun here
    app.button(key=f"comment:{draft.problemset_id}").click().run()
    app.button(key=f"comment:{theirs}:reply").click().run()
    assert app.text_area(key=f"comment:{theirs}:reply:text").value == "and one @lee "
    app.button(key=f"comment:{theirs}:reply:cancel").click().run()
    app.button(key=f"comment:{theirs}:reply").click().run()
    assert app.text_area(key=f"comment:{theirs}:reply:text").value == ""
    app.button(key=f"comment:{reply.id}:edit").click().run()
    assert app.text_area(key=f"comment:{reply.id}:edit:text").value == "so"  # another form was open in between
    app.button(key=f"comment:{reply.id}:edit:send").click().run()
    assert list_unsent(workspace, "mei") == {}
    (thread,) = list_comments(workspace, draft.problemset_id)
    assert [(each.text, each.edited_at is not None) for each in thread.replies] == [("so", True)]
    app.button(key=f"comment:{theirs}:resolve").click().run()
    app.button(key=f"comment:{theirs}:reopen").click().run()
    assert list_comments(workspace, draft.problemset_id)[0].resolved_at is None


def test_who_wrote_a_comment_can_be_mentioned_and_who_is_nobody_is_named(
    open_tab: Open, workspace: Workspace, draft: Revision, said: Said
) -> None:
    add_comment(workspace, revision_id=draft.id, author="Ada", text="why?", problem="p1")
    app = open_tab("editor", "Comments", set=draft.problemset_id, pid="p1")
    app.text_area(key=f"comment:{draft.problemset_id}:p1:text").set_value("@ada yes, @Adaa and @Bob")
    app.button(key=f"comment:{draft.problemset_id}:p1:send").click().run()
    newest = max(list_comments(workspace, draft.problemset_id), key=lambda each: each.id)
    assert newest.mentions == ("Ada",)
    told = said(app).replace("\\", "")
    assert "nobody here is called Adaa or Bob, so nobody is told" in told
    assert "people here are mei, Ada" in told
    assert "mei · just now" in told, "the kind other says nothing"
