"""The Problemset page: cells come, go and move; difficulty, checks, and who uses whose variables."""

from dataclasses import replace

from authoring.store import jobs, revisions
from authoring.store.dry_runs import DryRunProblem
from authoring.store.revisions import Revision
from authoring.store.workspace import Workspace
from authoring.ui.editor.draft_view import cells_of, edited_words, open_draft
from authoring.ui.problemset.overview import Use, graph_of, uses_of
from tests.ui.acts import Open, errors, page_links, press, said
from tests.ui.problemset.acts import Desk, judge


def test_cells_are_moved_added_and_deleted_as_revisions(desk: Desk) -> None:
    key = f"reshape:{desk.number}"
    app = desk.open_with({key: True}, "problemset", set=desk.number)
    app.selectbox(key=f"{key}:cell").select("p2").run()
    press(app, f"{key}:up")
    assert "moved p2 after setup1: saved as revision 2" in said(app)
    app.selectbox(key=f"{key}:cell").select("p2").run()
    app.text_area(key=f"{key}:query").set_value("How many shops are there?")
    app.text_area(key=f"{key}:code").set_value('sales["shop"].nunique()')
    press(app, f"{key}:add")
    app.selectbox(key=f"{key}:cell").select("p1").run()
    press(app, f"{key}:delete")
    newest = desk.head()
    queries = [cell.texts["query"].strip() for cell in cells_of("x", newest.text) if cell.is_problem]
    assert queries == ["How many units were sold in each shop?", "How many shops are there?"]
    assert [each.message for each in revisions.select(desk.ws, desk.number)][1:] == [
        "moved p2 after setup1",
        "added a problem after p2",
        "deleted p1",
    ]
    assert [job.kind for job in jobs.select(desk.ws)] == ["dry_run"] * 3

    desk.keep("tags: [first]", field="settings", base=newest)  # in another tab: what it belongs to would move
    press(app, f"{key}:down")
    assert "unsaved changes in problem 1" in errors(app)
    assert "You have unsaved changes in problem 1: save or drop them first" in said(app)
    assert desk.head().number == newest.number


def test_unsaved_changes_are_named_on_pages_and_saved_or_opened_there(desk: Desk) -> None:
    assert "difficulty 19" in said(desk.page())
    desk.keep("mine()", problem="p2")
    app = desk.editor("p2")
    (told,) = [each for each in app.markdown if "unsaved changes in problem 2" in each.value]
    assert told.help.startswith("You have unsaved changes in problem 2")
    app = desk.page()
    assert "1 of 2 fails, before your unsaved changes" in said(app)
    assert "You have unsaved changes in problem 2: save or drop them first" in said(app)
    assert "Open problem 2" in page_links(app)
    press(app, f"set:{desk.number}:save_changes")
    assert desk.head().number == 2
    assert "unsaved changes" not in said(app)


def test_where_unsaved_changes_are_is_named_in_one_line() -> None:
    text = "# %%\na = 1\n" + '\n# %%\n"""\nquery: How many?\n"""\na\n' * 5
    cases = [
        (["p1"], "problem 1"),
        (["setup1", "p2"], "setup 1, problem 2"),
        ([""], "the whole text"),
        (["p1", "p2", "p3", "p4", "p5"], "problems 1, 2, 3 and 2 more"),
    ]
    for edited, words in cases:
        edits = {(key, "code" if key else "text"): "new" for key in edited}
        assert edited_words(replace(open_draft("set", 1, text), edits=edits)) == words


def test_checks_say_what_fails_in_which_dry_run_and_name_warnings(
    open_tab: Open, draft: Revision, workspace: Workspace
) -> None:
    app = open_tab("problemset", "Checks", set=draft.problemset_id)
    assert "Dry run 1 of revision 1" in said(app)
    assert "problem 2 (p2): the reference does not pass its own validators: CRASH" in said(app)
    assert "It can be read: format, settings and validators have no errors" in said(app)
    assert "with warnings" not in said(app)
    passes = DryRunProblem(1, "p1", 0.01, "CORRECT", "WRONG_OUTPUT")
    judge(workspace, draft.id, passes, summary={"warnings": {"1": ["ties"]}})
    told = "1 problem with warnings: problem 1 (equal values decide the answer). The tab Problems marks them"
    assert told in said(app.run())


def test_who_uses_whose_variables_is_read_from_the_code() -> None:
    codes = ["import pandas as pd\nx = 1", "y = x + 1", "x = y", "print(x, y, pd)"]
    assert uses_of(codes) == [
        Use(0, 1, ("x",)),
        Use(0, 3, ("pd",)),
        Use(1, 2, ("y",)),
        Use(1, 3, ("y",)),
        Use(2, 3, ("x",)),
    ]


def test_names_from_code_cannot_leave_the_text_of_the_graph(draft: Revision) -> None:
    cells = cells_of(draft.problemset_name, draft.text)
    graph = graph_of(cells, [Use(0, 1, ('x"]; click c0 "https://evil"',))])
    assert graph.splitlines() == [
        "flowchart LR",
        'c0["Setup 1"]',
        'c1["Problem 1"]',
        'c0 -->|"xclickc0httpsevil"| c1',
    ]
