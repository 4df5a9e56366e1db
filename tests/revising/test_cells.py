"""Cells are added, moved, deleted and formatted; every other cell keeps its bytes."""

import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from authoring.revising.cell_changes import add_problem, delete_cell, move_cell
from authoring.revising.code_format import formatted
from authoring.store import problemsets, revisions
from authoring.store.database.connections import ConflictError
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, ToolkitError, UsageError
from evaluator.language.document import Document

TEXT = '''# A set.

# %%
x = 1   # spaces stay

# %% Load
"""
query:   How many?   # a comment stays
id: one
"""
x

# %%
"""
query: How many more?
"""
x + 1'''


def raws(text: str) -> list[str]:
    return [cell.raw.strip() for cell in Document.parse(text, name="s").cells]


@given(cell=st.sampled_from(["setup1", "one", "2"]), after=st.sampled_from(["start", "setup1", "one", "2"]))
def test_moving_keeps_every_cell_as_it_was_written(cell: str, after: str) -> None:
    if cell == after:
        with pytest.raises(UsageError, match="cannot stand after itself"):
            Document.parse(TEXT, name="s").move(cell, after=after)
        return
    made = Document.parse(TEXT, name="s").move(cell, after=after).text
    keys = ["setup1", "one", "2"]
    wanted = [key for key in keys if key != cell]
    wanted.insert(0 if after == "start" else wanted.index(after) + 1, cell)
    assert raws(made) == [raws(TEXT)[keys.index(key)] for key in wanted]
    assert made.startswith("# A set.\n\n# %%")


def test_windows_line_ends_stay() -> None:
    made = Document.parse(TEXT.replace("\n", "\r\n"), name="s").move("2", after="setup1").text
    assert "\n" not in made.replace("\r\n", "")
    assert raws(made.replace("\r\n", "\n")) == [raws(TEXT)[at] for at in (0, 2, 1)]


def test_a_new_problem_stands_where_it_was_asked_for() -> None:
    made = Document.parse(TEXT, name="s").insert(after="one", query="What: is [x]?", code="x * 2").text
    cells = Document.parse(made, name="s").cells
    assert [cell.fields.get("query", "").strip() for cell in cells][2] == "What: is [x]?"
    assert [raw for at, raw in enumerate(raws(made)) if at != 2] == raws(TEXT)
    with pytest.raises(ContentError, match="no query"):
        Document.parse(TEXT, name="s").insert(after="one", query=" ", code="1")
    with pytest.raises(ContentError, match="the new problem"):
        Document.parse(TEXT, name="s").insert(after="start", query="q", code="x ==")


def test_a_cell_is_deleted_but_never_the_last_problem() -> None:
    left = Document.parse(TEXT, name="s").delete("one").text
    assert raws(left) == [raws(TEXT)[0], raws(TEXT)[2]]
    with pytest.raises(ContentError, match="only problem"):
        Document.parse(left, name="s").delete("1")
    with pytest.raises(UsageError, match="no cell 'nine'"):
        Document.parse(TEXT, name="s").delete("nine")


def test_each_change_is_a_revision_on_the_head_that_the_person_saw(workspace: Workspace) -> None:
    ws = workspace
    first = problemsets.create(ws, name="s", text=TEXT, author="Ann", origin=Origin.PERSON)
    moved = move_cell(ws, "s", "2", after="start", by="Bo")
    assert (moved.number, moved.author, moved.message) == (2, "Bo", "moved 2 to the start")
    added = add_problem(ws, "s", after="one", query="And?", code="x", by="Bo", base_revision_id=moved.id)
    assert delete_cell(ws, "s", "one", by="Bo").number == added.number + 1
    with pytest.raises(ConflictError, match="newer than"):
        delete_cell(ws, "s", "1", by="Ann", base_revision_id=first.id)
    assert revisions.find(ws, "s").number == 4


def test_code_is_formatted_and_a_semicolon_that_hides_the_last_value_stays() -> None:
    assert formatted("x=[1,2]\ny = x [0]\ny") == "x = [1, 2]\ny = x[0]\ny"
    assert [formatted(code) for code in ("x=1\n", "", "--help")] == ["x = 1\n", "", "--help"]  # a text, no argument
    assert formatted("df.plot( );") == "df.plot();"
    assert formatted("x=1;y=2\n( x,\n y );\n\n") == "x = 1\ny = 2\n(x, y);\n"
    assert formatted("x=[1,2]\r\nx;\r\n") == "x = [1, 2]\r\nx;\r\n"
    assert formatted("a;b\n# so;") == "a\nb\n# so;"
    assert formatted("a\nf( 'é' ); # why;\n# so\n") == 'a\nf("é");  # why;\n# so\n'
    assert formatted("x='a\u2028\x85b'\nf( x );") == 'x = "a\u2028\x85b"\nf(x);'
    assert formatted(made := "# fmt: off\ndf.plot();\n") == made


def test_no_configuration_of_a_folder_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ruff.toml").write_text('[format]\nquote-style = "single"\n')
    monkeypatch.chdir(tmp_path)
    assert formatted("x='a'") == 'x = "a"'


def test_code_that_does_not_parse_is_told_with_line_and_column() -> None:
    with pytest.raises(ContentError, match="invalid syntax, column 5") as refused:
        formatted("x = 1\ny = = 2", where="Problem 3")
    assert refused.value.where == "Problem 3, line 2"
    with pytest.raises(ContentError, match="lines of IPython"):
        formatted("%time x=1")


def test_what_takes_too_long_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(*_: Any, **options: Any) -> None:
        assert options["timeout"] == 5
        raise subprocess.TimeoutExpired("ruff", 5)

    monkeypatch.setattr(subprocess, "run", hang)
    with pytest.raises(ToolkitError, match="longer than 5 s"):
        formatted("x = 1")
