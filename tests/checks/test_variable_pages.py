"""Pages of variables: what changed is found by label, real sessions are used again, what is printed is not believed."""

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

from authoring.checks.dry_run.warm_sessions import WarmPlace, WarmSessions
from authoring.checks.variables import page_cell as cell
from authoring.checks.variables.variable_page import MAX_CELL, MAX_COLUMNS, MAX_NAMED, MAX_ROWS, VariablePage, read_page
from authoring.checks.variables.variable_reading import AskedPage, read_variable
from authoring.store import problemsets
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError
from evaluator.session import Engine

ALL = {"offset": 0, "columns_from": 0, "changed_only": False}


def page(old: Any, new: Any, **asked: Any) -> dict[str, Any]:
    """The page of a variable that was `old`, as the host reads it."""
    before = cell.settled(cell.table_of(old))
    printed = cell.page_of(cell.settled(cell.table_of(new)), before, {**ALL, **asked}, 120)
    return VariablePage.model_validate({**printed, "kind": "x", "why": ""}).model_dump()


def test_what_changed_is_found_by_label_or_by_place() -> None:
    old = pd.DataFrame({"a": [1.0, None, 3.0], "b": ["x", "y", "z"], "old": 0}, index=["p", "q", "r"])
    new = pd.DataFrame({"b": ["z", "Y", "w"], "a": [3, 9, 0], "more": 1}, index=["r", "q", "s"])
    found = page(old, new)
    assert [(mark["row"], mark["column"], mark["was"]) for mark in found["marked"]] == [(1, 0, "y"), (1, 1, None)]
    assert found["cells"] == [["z", "3", "1"], ["Y", "9", "1"], ["w", "0", "1"]]
    assert [(column["name"], column["was"]) for column in found["shown"]][1:] == [("a", "float64"), ("more", None)]
    before = found["before"]
    assert (before["rows"], before["columns"], before["by"], before["reordered"], before["changed"]) == (
        *(3, 3, "label"),
        *(True, 2),
    )
    assert before["rows_added"] == {"count": 1, "names": ["s"]}
    assert before["rows_removed"] == {"count": 1, "names": ["p"]}
    assert before["columns_removed"] == {"count": 1, "names": ["old"]}
    assert page(old, new, changed_only=True)["labels"] == ["q", "s"]
    by_place = page(pd.Series([1, 2], index=[0, 0]), pd.Series([1, 3, 4], index=[0, 0, 0]))["before"]
    assert (by_place["by"], by_place["changed"], by_place["rows_added"]["count"]) == ("place", 1, 1)
    assert page([1, None], [1, None])["before"]["changed"] == 0, "missing stays missing"


def test_tables_too_large_to_compare_show_what_changed_on_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cell, "MOST_COMPARED", 1)
    found = page([1, 2], [1, 3])
    assert (found["before"]["changed"], [mark["was"] for mark in found["marked"]]) == (None, ["2"])
    with pytest.raises(cell.NoTableError, match="more than 1 cells"):
        page([1, 2], [1, 3], changed_only=True)


def test_values_with_rows_are_tables_and_others_say_why_not() -> None:
    for value, labels, names, row in (
        ([{"a": 1}, {"b": [2]}], ["0", "1"], ["a", "b"], [None, "[2]"]),
        ([(1, 2), (3,)], ["0", "1"], ["0", "1"], ["3", None]),
        ([{"n": 1}, {"n": 10**5000}], ["0", "1"], ["n"], ["<int>"]),
        ({"k": 1, "l": {"x"}}, ["k", "l"], ["value"], ["('x')"]),
        ({"c": [1, 2], "d": ["u", "v"]}, ["0", "1"], ["c", "d"], ["2", "v"]),
        (np.arange(4).reshape(2, 2), ["0", "1"], ["0", "1"], ["2", "3"]),
        (pd.date_range("2024-01-01", periods=2), ["0", "1"], ["value"], ["2024-01-02 00:00:00"]),
        (pd.Series(["a", pd.NA], dtype="string", name="s"), ["0", "1"], ["s"], [None]),
    ):
        found = page(value, value)
        assert (found["labels"], [each["name"] for each in found["shown"]], found["cells"][1]) == (labels, names, row)
        assert (found["marked"], found["before"]["changed"]) == ([], 0)
    assert page([], [])["cells"] == []

    class Loud(pd.DataFrame):
        """A class of the cell's own."""

    for value, why in ((np.zeros((2, 2, 2)), "3 dimensions"), (7, "of type int"), (Loud(), "of type Loud")):
        with pytest.raises(cell.NoTableError, match=why):
            cell.table_of(value)


def test_a_page_stays_within_its_limits_whatever_the_table_holds(capsys: pytest.CaptureFixture[str]) -> None:
    assert (cell.MOST_ROWS, cell.MOST_COLUMNS, cell.CELL_CHARS[0], cell.MOST_NAMED) == (
        *(MAX_ROWS, MAX_COLUMNS, MAX_CELL),
        MAX_NAMED,
    )
    wide = pd.DataFrame([[chr(0x1F600) * 500] * 70] * 120, columns=[f"c{place}" * 50 for place in range(70)])
    cell.show({"wide": wide}, {"name": "wide", "offset": 100, "columns_from": 60, "changed_only": False})
    found = read_page(capsys.readouterr().out, "wide")
    assert (len(found.cells), len(found.shown), found.total, found.columns) == (20, 10, 120, 70)
    cell.show({"wide": wide}, {"name": "wide", **ALL})
    found = read_page(capsys.readouterr().out, "wide")
    assert (len(found.cells), len(found.shown), found.cell_chars < MAX_CELL) == (50, 30, True)


def test_what_is_no_page_is_refused() -> None:
    sound = {**page([1], [2]), "why": "", "kind": "list"}
    assert read_page(json.dumps(sound), "x").total == 1
    for change in (
        {"cells": [["1", "2"]]},
        {"cells": [[1]]},
        {"rows": -1},
        {"more": 1},
        {"cells": [["y" * 200]]},
        {"marked": [{"row": 7, "column": 0, "was": None}]},
        {"labels": ["0"] * 51, "cells": [["1"]] * 51},
    ):
        with pytest.raises(ContentError, match="is no page"):
            read_page(json.dumps({**sound, **change}), "x")
    for text in ("", "no", "[" * 9000, "NaN", '{"refused": 3}'):
        with pytest.raises(ContentError, match="is no page"):
            read_page(text, "x")
    with pytest.raises(ContentError, match="'x' is of type int"):
        read_page('{"refused": "is of type int"}', "x")


TEXT = '''# %%
import pandas as pd

class Bomb:
    def __repr__(self): raise SystemExit
    __str__ = __repr__
    def __eq__(self, other): raise SystemExit

ran = []
page = show = 1
sales = pd.DataFrame({"shop": ["a", "b", "c"], "units": [1, 2, 3], "what": [Bomb(), 1, "x"]})

# %%
"""
query: Note that.
"""
ran.append(1)
len(ran)

# %%
"""
query: Raise the units of shop b and drop shop c.
"""
print('{"refused": "noise"}')
sales.loc[1, "units"] = 20
sales = sales.drop(2)
fresh = [{"n": len(ran)}]
raise KeyError("so")

# %%
"""
query: End it.
"""
import os
os._exit(3)

# %%
"""
query: Never reached.
"""
1
'''
FORGED = """import sys
sys.modules["_benchwright_variable_page"].show = lambda *_: print('{"rows": "<script>"}')
"""


def test_a_variable_is_read_before_and_after_a_cell(engine: Engine, ws: Workspace) -> None:
    made = problemsets.create(ws, name="shops", text=TEXT, author="mei", origin=Origin.TEMPLATE)
    shelf = WarmSessions()

    def read(position: int, name: str, text: str = TEXT, **asked: Any) -> dict[str, Any]:
        return read_variable(
            *(ws, made.problemset_id, text, position, AskedPage(name=name, **asked)),
            engine=engine,
            place=lambda _, number: None if number is None else WarmPlace(shelf, "key", number),
        )

    found = read(3, "sales")
    assert found["stopped"].startswith("KeyError")
    assert found["cells"] == [["a", "1", "<Bomb>"], ["b", "20", "1"]]
    assert (found["marked"], found["kind"]) == ([{"row": 1, "column": 1, "was": "2"}], "DataFrame")
    assert found["before"]["rows_removed"] == {"count": 1, "names": ["2"]}
    waiting = shelf._waiting
    assert waiting is not None
    fresh = read(3, "fresh")
    assert (fresh["cells"], fresh["before"], fresh["why"]) == ([["1"]], None, "it was not there before")
    assert shelf._waiting is not None
    assert shelf._waiting.executor is waiting.executor, "the session before the cell is as it was, and used again"
    first = read(1, "sales")
    assert (first["rows"], first["why"], first["stopped"]) == (3, "it was not there before", "")
    for position, name, why in (
        (3, "gone", "'gone' is not there after the cell"),
        (3, "page", "'page' is of type int"),
        (4, "sales", "the code ends the session"),
        (5, "sales", "not reached: cell 4 ends the session"),
    ):
        with pytest.raises(ContentError, match=why):
            read(position, name)
    hostile = TEXT.replace('raise KeyError("so")', FORGED)
    with pytest.raises(ContentError, match="is no page"):
        read(3, "sales", text=hostile)
    shelf.drop()
