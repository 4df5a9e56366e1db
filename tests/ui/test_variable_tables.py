"""The editor's tab Variables: a table is ordered, shown with what changed, turned, and a failure is told in place."""

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import ValidationError
from streamlit.testing.v1 import AppTest

from authoring.checks.variables.variable_page import VariablePage
from authoring.store import jobs
from authoring.store.revisions import Revision
from authoring.store.workspace import Workspace
from authoring.ui.editor.variable_tables import change_words

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


def finish(ws: Workspace, kind: str, result: dict[str, Any]) -> dict[str, Any]:
    job = jobs.claim(ws, owner="w", kinds=[kind])
    assert job is not None
    assert jobs.finish(ws, job.id, "w", result=result)
    return job.payload


def variable(name: str, type_: str, change: str = "unchanged") -> dict[str, str]:
    return {"name": name, "type": type_, "text": "", "change": change}


def test_a_variable_is_opened_turned_and_said_to_be_stale(
    open_page: Callable[..., AppTest], draft: Revision, workspace: Workspace, said: Callable[[AppTest], str]
) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    app.session_state[f"tabs:{draft.problemset_id}"] = "Variables"
    app.button(key=f"run:{draft.problemset_id}:p1").click().run()
    key = f"variable:{draft.problemset_id}:p1"
    assert "Open as a table" not in said(app)
    views = [variable("kept", "list"), variable("n", "int", "added"), variable("sales", "DataFrame", "updated")]
    cell = {"problem": 1, "position": 2, "reference": {"verdict": "CORRECT"}, "outcome": {"variables": views}}
    finish(workspace, "execute", {"cells": [cell]})
    app.run()
    assert app.selectbox(key=f"{key}:name").options == ["sales", "kept"], "only what has rows, changed ones first"
    assert "for 120 s at most, and reads 50 rows and 30 columns at a time, 120 characters a cell" in said(app)

    app.button(key=f"{key}:show").click().run()
    assert app.button(key=f"{key}:show").disabled
    ordered = finish(workspace, "variable_rows", PAGE)
    assert {name: ordered[name] for name in ("position", "name", "offset", "text")} == {
        **{"position": 2, "name": "sales", "offset": 0, "text": draft.text}
    }
    app.run()
    assert not app.exception
    text = said(app).replace("\\", "")
    assert "**1 cell changed** · 22 rows removed: <b>, 9 and 20 more · rows are in another order" in text
    (grid,) = [each.proto.body for each in app.get("html") if "bw-table bw-grid" in each.proto.body]
    assert '<td class="bw-missing">missing</td><td class="bw-changed"><del>7</del> <ins>&lt;i&gt;x</ins></td>' in grid
    assert grid.index("u (new, int64)</th>") < grid.index("shop (int64"), "what the cell added stands first"
    assert '<th scope="col" align="right">u (new' in grid
    assert "columns that are new stand first" in text
    assert text.count("120 characters") == 1
    assert "shop (int64 → object)</th>" in grid
    assert "u (new, int64)</th>" in grid
    (job,) = jobs.select(workspace)[:1]
    app.pagination(key=f"variable:page:{job.id}:rows").set_value(3).run()
    turned = finish(workspace, "variable_rows", {**PAGE, "before": None, "why": "it was new", "stopped": "KeyError: 1"})
    assert turned == {**ordered, "offset": 100}
    app.run()
    assert "Not compared: it was new." in said(app)
    assert any("The code stopped with KeyError: 1" in each.value.replace("\\", "") for each in app.warning)
    (job,) = jobs.select(workspace)[:1]
    app.selectbox(key=f"variable:page:{job.id}:columns").select(30).run()
    claimed = jobs.claim(workspace, owner="w", kinds=["variable_rows"])
    assert claimed is not None
    assert claimed.payload == {**turned, "columns_from": 30}
    jobs.fail(workspace, claimed.id, "w", error={"what": "it is gone", "where": "Variables", "fix": "press Run"})
    (code,) = [each for each in app.text_area if each.label == "Reference code"]
    code.set_value("sales.units.max()").run()
    assert any("it is gone" in each.value for each in app.error)
    assert "the text has changed since. Press Show rows." in said(app), "the last page stays below the failure"


def test_a_table_of_any_stated_size_is_drawn(
    open_page: Callable[..., AppTest], draft: Revision, workspace: Workspace, said: Callable[[AppTest], str]
) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    app.session_state[f"tabs:{draft.problemset_id}"] = "Variables"
    app.button(key=f"run:{draft.problemset_id}:p1").click().run()
    cell = {"problem": 1, "position": 2, "reference": {"verdict": "CORRECT"}}
    outcome = {"variables": [variable("sales", "DataFrame", "updated")]}
    finish(workspace, "execute", {"cells": [{**cell, "outcome": outcome}]})
    app.run()
    app.button(key=f"variable:{draft.problemset_id}:p1:show").click().run()
    most = 10**10  # of rows and columns: the code may state what it likes
    page = {**{name: value for name, value in PAGE.items() if name != "stopped"}, "rows": most, "total": most}
    with pytest.raises(ValidationError):
        VariablePage.model_validate({**page, "columns": most + 1})
    read = VariablePage.model_validate({**page, "columns": most}).model_dump(mode="json")
    finish(workspace, "variable_rows", {**read, "stopped": ""})
    app.run()
    assert "10,000,000,000 rows and 10,000,000,000 columns" in said(app)
    (columns,) = [each for each in app.selectbox if each.label == "Columns"]
    assert (len(columns.options), columns.options[-1]) == (300, "8,971 to 9,000")
    (pages,) = app.get("pagination")
    assert pages.proto.num_pages == most // 50


def test_a_change_is_said_in_words() -> None:
    same = {**BEFORE, "reordered": False, "changed": 0, "rows_removed": NOTHING, "by": "place"}
    assert change_words(same) == (
        "before: 120 rows, 2 columns · no cell changed · rows are compared by their place, as labels do not tell"
    )
    assert "not counted" in change_words({**same, "changed": None})
