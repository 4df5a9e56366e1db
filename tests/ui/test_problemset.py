"""The Problemset page: cells come, go and move; difficulty, checks, and who uses whose variables."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from authoring.store import dry_runs, jobs, problemsets, revisions
from authoring.store.dry_runs import DryRunProblem
from authoring.store.revisions import Revision
from authoring.store.workspace import Workspace
from authoring.ui.editor.draft_view import cells_of, edited_words, open_draft
from authoring.ui.problemset.overview import Use, graph_of, uses_of

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]


def open_box(app: AppTest, key: str) -> AppTest:
    """Open an expander as a click on it does."""
    app.session_state[key] = True
    return app.run()


def test_cells_are_moved_added_and_deleted_as_revisions(
    open_page: Open, draft: Revision, workspace: Workspace, said: Said
) -> None:
    key = f"reshape:{draft.problemset_id}"
    app = open_box(open_page("problemset", set=draft.problemset_id), key)
    app.selectbox(key=f"{key}:cell").select("p2").run()
    app.button(key=f"{key}:up").click().run()
    assert "moved p2 after setup1: saved as revision 2" in said(app).replace("\\", "")
    app.selectbox(key=f"{key}:cell").select("p2").run()
    app.text_area(key=f"{key}:query").set_value("How many shops are there?")
    app.text_area(key=f"{key}:code").set_value('sales["shop"].nunique()')
    app.button(key=f"{key}:add").click().run()
    app.selectbox(key=f"{key}:cell").select("p1").run()
    app.button(key=f"{key}:delete").click().run()
    head = revisions.find(workspace, problemsets.find(workspace, draft.problemset_id).head_revision_id)
    queries = [cell.texts["query"].strip() for cell in cells_of(head.problemset_name, head.text) if cell.is_problem]
    assert queries == ["How many units were sold in each shop?", "How many shops are there?"]
    assert [each.message for each in revisions.select(workspace, draft.problemset_id)][1:] == [
        "moved p2 after setup1",
        "added a problem after p2",
        "deleted p1",
    ]
    assert [job.kind for job in jobs.select(workspace)] == ["dry_run"] * 3


def test_cells_do_not_move_under_unsaved_changes(open_page: Open, draft: Revision, said: Said) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    app.text_area[1].set_value("mine()").run()
    app = open_box(open_page("problemset", set=draft.problemset_id), f"reshape:{draft.problemset_id}")
    assert "You have unsaved changes in problem 1: save or drop them first" in said(app)


def test_unsaved_changes_are_named_on_the_page_of_the_set_and_saved_or_opened_there(
    open_page: Open, draft: Revision, workspace: Workspace, said: Said
) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p2")
    app.text_area[1].set_value("mine()").run()
    (told,) = [each for each in app.markdown if "unsaved changes in problem 2" in each.value]
    assert told.help.startswith("You have unsaved changes in problem 2")
    app = open_page("problemset", set=draft.problemset_id)
    assert "1 of 2 fails, before your unsaved changes" in said(app)
    assert "You have unsaved changes in problem 2: save or drop them first" in said(app).replace("\\", "")
    assert "Open problem 2" in [link.proto.label for link in app.main.get("page_link")]
    app.button(key=f"set:{draft.problemset_id}:save_changes").click().run()
    assert problemsets.find(workspace, draft.problemset_id).head_number == 2
    assert "unsaved changes" not in said(app)


@pytest.mark.parametrize(
    ("edited", "words"),
    [
        (["p1"], "problem 1"),
        (["setup1", "p2"], "setup 1, problem 2"),
        ([""], "the whole text"),
        (["p1", "p2", "p3", "p4", "p5"], "problems 1, 2, 3 and 2 more"),
    ],
)
def test_where_unsaved_changes_are_is_named_in_one_line(edited: list[str], words: str) -> None:
    text = "# %%\na = 1\n" + '\n# %%\n"""\nquery: How many?\n"""\na\n' * 5
    edits = {(key, "code" if key else "text"): "new" for key in edited}
    assert edited_words(replace(open_draft("set", 1, text), edits=edits)) == words


def test_each_problem_shows_its_difficulty(open_page: Open, draft: Revision, said: Said) -> None:
    assert "difficulty 19" in said(open_page("problemset", set=draft.problemset_id))


def test_checks_say_what_fails_in_which_dry_run(open_tab: Open, draft: Revision, said: Said) -> None:
    shown = said(open_tab("problemset", "Checks", set=draft.problemset_id)).replace("\\", "")
    assert "Dry run 1 of revision 1" in shown
    assert "problem 2 (p2): the reference does not pass its own validators: CRASH" in shown
    assert "It can be read: format, settings and validators have no errors" in shown
    assert "with warnings" not in shown


def test_checks_name_the_problems_with_warnings_and_where_they_are_explained(
    open_tab: Open, draft: Revision, workspace: Workspace, said: Said
) -> None:
    dry_runs.save(
        workspace, revision_id=draft.id, environment="e", sandbox="none", summary={"warnings": {"1": ["ties"]}},
        problems=[DryRunProblem(1, "p1", 0.01, "CORRECT", "WRONG_OUTPUT")],
    )  # fmt: skip
    shown = said(open_tab("problemset", "Checks", set=draft.problemset_id))
    assert "1 problem with warnings: problem 1 (equal values decide the answer). The tab Problems marks them" in shown


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
