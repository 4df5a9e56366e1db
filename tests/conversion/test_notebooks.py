"""Problemsets travel as notebooks and come back; exercises and completion records become problemsets by rule."""

import json
from pathlib import Path
from typing import Any

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from authoring.conversion import (
    is_ours,
    notebook_of,
    problemset_from_completions,
    problemset_from_exercises,
    problemset_of,
    read_notebook_file,
)
from evaluator.errors import ContentError, UsageError
from evaluator.language import (
    Problem,
    Problemset,
    SetupCell,
    parse_problemset,
    read_benchmark,
    render_problemset,
    with_language_version,
)

ROOT = Path(__file__).parent.parent.parent
SHIPPED = sorted((ROOT / "problemsets" / "core").glob("[!_]*.py"))


def through(text: str, tmp_path: Path, edit: Any = None) -> str:
    """Return the text after a way through a notebook file, edited by `edit` on the way."""
    problemset = Problemset.parse(text, name="set")
    book = json.loads(notebook_of(problemset))
    if edit is not None:
        edit(book["cells"])
    path = tmp_path / "set.ipynb"
    path.write_text(json.dumps(book))
    read = read_notebook_file(path)
    assert is_ours(read)
    return problemset_of(read).text


@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.deep)])
def test_shipped_sets_come_back_byte_for_byte(tmp_path: Path, every: int) -> None:
    assert len(SHIPPED) >= 5
    for path in SHIPPED[::every]:
        text = path.read_text()
        assert through(text, tmp_path) == text, path.stem


def test_a_notebook_is_valid_and_the_same_each_time() -> None:
    (loaded,) = read_benchmark(SHIPPED[0]).sets
    assert loaded.problemset is not None
    first = notebook_of(loaded.problemset)
    assert first == notebook_of(loaded.problemset)
    nbformat.validate(nbformat.reads(first.decode(), as_version=4))


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=40).filter(
    str.strip
)


@given(st.lists(st.tuples(WORDS, st.integers(0, 99), st.booleans()), min_size=1, max_size=4))
def test_what_nobody_edits_comes_back(
    tmp_path_factory: pytest.TempPathFactory, parts: list[tuple[str, int, bool]]
) -> None:
    cells: list[SetupCell | Problem] = [SetupCell("import math")]
    for query, number, stored in parts:
        validator = {"namespace_check": {"x": None}} if stored else None
        cells.append(Problem(query=query, code=f"x = {number}\nx", validator=validator))
    text = render_problemset(Problemset("set", tuple(cells)))
    assert through(text, tmp_path_factory.mktemp("books")) == text


TEXT = '''"""Notes on top."""
# %% load
x = 1   # kept as it is

# %%
"""
query: |   # a comment that YAML keeps
  How much is `x`?
validator: {result: {atol: 0.1}}
"""
x


# %%
"""
query: And twice?
"""
x * 2
'''


def test_only_what_was_edited_is_written_anew_and_the_version_stays(tmp_path: Path) -> None:
    def edit(cells: list[dict[str, Any]]) -> None:
        assert [cell["source"] for cell in cells][1] == "How much is `x`?\n"
        cells[4]["source"] = "2 * x"

    for text, seconds in ((TEXT, 1.0), (with_language_version(TEXT), 5.0)):
        assert through(text, tmp_path) == text
        read = Problemset.parse(through(text, tmp_path, edit), name="set")
        assert [problem.time_limit_s for problem in read.problems] == [seconds, seconds]
    changed = through(TEXT, tmp_path, edit)
    assert changed.startswith(TEXT[: TEXT.index('# %%\n"""\nquery: And')])
    read = Problemset.parse(changed, name="set")
    assert [problem.code for problem in read.problems] == ["x", "2 * x"]
    assert read.problems[1].query == "And twice?"


def test_an_edited_query_keeps_its_settings_and_added_cells_are_read(tmp_path: Path) -> None:
    def edit(cells: list[dict[str, Any]]) -> None:
        cells[1]["source"] = "What is `x`: a number?"
        for kind, source in (("code", "y = 5"), ("markdown", "And `y`?"), ("code", "y"), ("code", "")):
            cells.append({"cell_type": kind, "source": source, "metadata": {}, "outputs": []})

    read = Problemset.parse(through(TEXT, tmp_path, edit), name="set")
    assert (read.problems[0].query, read.problems[0].validator) == ("What is `x`: a number?", {"result": {"atol": 0.1}})
    assert isinstance(read.cells[-2], SetupCell)
    assert (read.problems[-1].query, read.problems[-1].code) == ("And `y`?", "y")


def test_damaged_metadata_is_told_by_its_cell(tmp_path: Path) -> None:
    def edit(cells: list[dict[str, Any]]) -> None:
        cells[2]["metadata"]["benchwright"]["raw"] = "# %%\n1\n"

    with pytest.raises(ContentError, match="metadata") as raised:
        through(TEXT, tmp_path, edit)
    assert "cell 3" in raised.value.where


def test_what_is_no_exercise_notebook_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bad.ipynb"
    with pytest.raises(UsageError, match="cannot be read") as missing:
        read_notebook_file(path)
    assert missing.value.fix
    for content, what in (
        *((odd, "no readable notebook") for odd in (b"{", b"[" * 200_000, b"\xff\xfe")),
        (b'{"cells": 3}', "has no cells"),
        (b'{"cells": [{"cell_type": "markdown", "source": ["text"]}, 7, {"source": {}}]}', "no problem"),
    ):
        path.write_bytes(content)
        with pytest.raises(ContentError, match=what) as raised:
            problemset_from_exercises(read_notebook_file(path))
        assert raised.value.fix


def test_a_completion_record_becomes_a_problem_with_test_cases(tmp_path: Path) -> None:
    test = "assert candidate(1, 2) == 3\n    assert candidate({1}, 1) is None\n    for i in range(3):\n        assert i"
    record = {"task_id": "Set/0", "prompt": 'def add(a, b):\n    """Return the sum."""\n', "entry_point": "add"}
    record |= {"canonical_solution": "    return a + b\n", "test": f"def check(candidate):\n    {test}\n"}
    path = tmp_path / "tasks.jsonl"
    path.write_text(json.dumps(record))
    made = problemset_from_completions(path)
    read = parse_problemset(made.text, name=made.name)
    assert read.problemset is not None
    assert not read.diagnostics
    (problem,) = read.problemset.problems
    assert (problem.query, problem.time_limit_s) == ("Write a function `add(a, b)`.\n\nReturn the sum.\n", 5.0)
    assert problem.metadata["id"] == "Set-0"
    assert problem.validator is not None
    assert problem.validator["table_test"] == {"function_name": "add", "test_cases": [[1, 2], ["`{1}`", 1]]}


def test_what_holds_no_records_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    for text in ("", "[]", "[1]", "nope", '{"a": 1}\n{'):
        path.write_text(text)
        with pytest.raises(ContentError):
            problemset_from_completions(path)
