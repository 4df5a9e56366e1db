"""The Problemset page: cells, checks, who uses whose variables; the editor's tab of variables as tables."""

from streamlit.testing.v1 import AppTest

from authoring.store import jobs, revisions
from authoring.store.dry_runs import DryRunProblem
from authoring.store.revisions import Revision
from authoring.store.workspace import Workspace
from authoring.ui.editor.draft_view import cells_of
from authoring.ui.problemset.overview import Use, graph_of, uses_of
from tests.ui.acts import Desk, Open, area, errors, finish, judge, page_links, press, said, warnings


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


def test_checks_say_what_fails_in_a_dry_run_and_name_warnings(open_tab: Open, draft: Revision, ws: Workspace) -> None:
    app = open_tab("problemset", "Checks", set=draft.problemset_id)
    assert "Dry run 1 of revision 1" in said(app)
    assert "problem 2 (p2): the reference does not pass its own validators: CRASH" in said(app)
    assert "It can be read: format, settings and validators have no errors" in said(app)
    assert "with warnings" not in said(app)
    passes = DryRunProblem(1, "p1", 0.01, "CORRECT", "WRONG_OUTPUT")
    judge(ws, draft.id, passes, summary={"warnings": {"1": ["ties"]}})
    told = "1 problem with warnings: problem 1 (equal values decide the answer). The tab Problems marks them"
    assert told in said(app.run())


def test_who_uses_whose_variables_is_read_and_drawn_as_text(draft: Revision) -> None:
    codes = ["import pandas as pd\nx = 1", "y = x + 1", "x = y", "print(x, y, pd)"]
    assert uses_of(codes) == [
        Use(0, 1, ("x",)),
        Use(0, 3, ("pd",)),
        Use(1, 2, ("y",)),
        Use(1, 3, ("y",)),
        Use(2, 3, ("x",)),
    ]
    cells = cells_of(draft.problemset_name, draft.text)
    graph = graph_of(cells, [Use(0, 1, ('x"]; click c0 "https://evil"',))])
    assert graph.splitlines() == ["flowchart LR", 'c0["Setup 1"]', 'c1["Problem 1"]', 'c0 -->|"xclickc0httpsevil"| c1']


NOTHING = {"count": 0, "names": []}
BEFORE = {
    **{"rows": 120, "columns": 2, "by": "label", "reordered": True, "changed": 1, "rows_added": NOTHING},
    **{"rows_removed": {"count": 22, "names": ["<b>", "9"]}, "columns_added": NOTHING, "columns_removed": NOTHING},
}
PAGE = {
    **{"kind": "DataFrame", "rows": 120, "columns": 40, "total": 120, "cell_chars": 120, "labels": ["5"]},
    "shown": [{"name": "shop", "dtype": "object", "was": "int64"}, {"name": "u", "dtype": "int64", "was": None}],
    **{"cells": [["<i>x", None]], "marked": [{"row": 0, "column": 0, "was": "7"}], "before": BEFORE, "why": ""},
    "stopped": "",
}


def variable(name: str, type_: str, change: str = "unchanged") -> dict[str, str]:
    return {"name": name, "type": type_, "text": "", "change": change}


def open_variables(desk: Desk, *variables: dict[str, str]) -> AppTest:
    """The tab after a run of the first problem that left these variables."""
    app = press(desk.editor(tab="Variables"), f"run:{desk.number}:p1")
    assert "Open as a table" not in said(app)
    outcome = {"variables": list(variables)}
    cell = {"problem": 1, "position": 2, "reference": {"verdict": "CORRECT"}, "outcome": outcome}
    finish(desk.ws, "execute", {"cells": [cell]})
    return app.run()


def test_a_variable_is_opened_turned_and_said_to_be_stale(desk: Desk) -> None:
    views = [variable("kept", "list"), variable("n", "int", "added"), variable("sales", "DataFrame", "updated")]
    app = open_variables(desk, *views)
    key = f"variable:{desk.number}:p1"
    assert app.selectbox(key=f"{key}:name").options == ["sales", "kept"], "only what has rows, changed ones first"
    assert "for 120 s at most, and reads 50 rows and 30 columns at a time, 120 characters a cell" in said(app)

    press(app, f"{key}:show")
    assert app.button(key=f"{key}:show").disabled
    ordered = finish(desk.ws, "variable_rows", PAGE).payload
    assert {name: ordered[name] for name in ("position", "name", "offset", "text")} == {
        **{"position": 2, "name": "sales", "offset": 0, "text": desk.text}
    }
    app.run()
    assert not app.exception
    text = said(app)
    assert "**1 cell changed** · 22 rows removed: <b>, 9 and 20 more · rows are in another order" in text
    (grid,) = [each.proto.body for each in app.get("html") if "bw-table bw-grid" in each.proto.body]
    assert '<td class="bw-missing">missing</td><td class="bw-changed"><del>7</del> <ins>&lt;i&gt;x</ins></td>' in grid
    assert grid.index("u (new, int64)</th>") < grid.index("shop (int64"), "what the cell added stands first"
    assert '<th scope="col" align="right">u (new' in grid
    assert "shop (int64 → object)</th>" in grid
    assert "columns that are new stand first" in text
    assert text.count("120 characters") == 1
    (job,) = jobs.select(desk.ws)[:1]
    app.pagination(key=f"variable:page:{job.id}:rows").set_value(3).run()
    stopped = {**PAGE, "before": None, "why": "it was new", "stopped": "KeyError: 1"}
    turned = finish(desk.ws, "variable_rows", stopped).payload
    assert turned == {**ordered, "offset": 100}
    app.run()
    assert "Not compared: it was new." in said(app)
    assert "The code stopped with KeyError: 1" in warnings(app)
    area(app, "Reference code").set_value("sales.units.max()").run()
    assert "the text has changed since. Press Show rows." in said(app)
