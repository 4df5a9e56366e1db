"""The editor's tab Variables: a table is ordered, shown with what changed, turned, and a failure is told in place."""

from typing import Any

import pytest
from pydantic import ValidationError
from streamlit.testing.v1 import AppTest

from authoring.checks.variables.variable_page import VariablePage
from authoring.store import jobs
from authoring.ui.editor.variable_tables import change_words
from tests.ui.acts import errors, fail, finish, press, said
from tests.ui.problemset.acts import Desk, area, warnings

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
    (job,) = jobs.select(desk.ws)[:1]
    app.selectbox(key=f"variable:page:{job.id}:columns").select(30).run()
    assert fail(desk.ws, "variable_rows", "it is gone").payload == {**turned, "columns_from": 30}
    area(app, "Reference code").set_value("sales.units.max()").run()
    assert "it is gone" in errors(app)
    assert "the text has changed since. Press Show rows." in said(app), "the last page stays below the failure"


def test_a_table_of_any_stated_size_is_drawn(desk: Desk) -> None:
    app = open_variables(desk, variable("sales", "DataFrame", "updated"))
    press(app, f"variable:{desk.number}:p1:show")
    most = 10**10  # of rows and columns: the code may state what it likes
    page: dict[str, Any] = {**PAGE, "rows": most, "total": most}
    del page["stopped"]
    with pytest.raises(ValidationError):
        VariablePage.model_validate({**page, "columns": most + 1})
    read = VariablePage.model_validate({**page, "columns": most}).model_dump(mode="json")
    finish(desk.ws, "variable_rows", {**read, "stopped": ""})
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
