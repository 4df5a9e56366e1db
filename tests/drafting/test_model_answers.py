"""Reading what models answer: tolerant of the form, strict about the content, never an exception of its own."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from authoring.prompting.model_answers import UnreadableAnswerError, read_problemset_text, read_sketch
from evaluator.agents.model_agents.replies import read_code

ITEM = '{"query_idea": "Load it.", "knowledge_points": ["read_csv"], "depends_on": [], "difficulty": "easy"}'
SECOND = '{"query_idea": "Count it.", "knowledge_points": ["len"], "depends_on": [1], "difficulty": "hard"}'


def test_a_list_of_items_is_found_in_any_wrapping() -> None:
    for answer in (
        f"[{ITEM}, {SECOND}]",
        f"Sure!\n```json\n[{ITEM}, {SECOND}]\n```\nGood luck.",
        f"```\n[{ITEM}, {SECOND},]\n```",
        f'{{"problems": [{ITEM}, {SECOND}]}}',
        f"Here is the list: [{ITEM}, {SECOND}] - done",
        f"```json\n[{ITEM}, {SECOND}]",
        f"~~~json\r\n[{ITEM},\r\n {SECOND}]\r\n~~~",
        str([{"query_idea": "Load it."}, {"query_idea": "Count it.", "depends_on": [1]}]),
        f'{{"plan": {{"title": "Trips", "problems": [{ITEM}, {SECOND}]}}}}',
        f"<think>Perhaps [1, 2]? ```json\n[]\n```</think>\n[{ITEM}, {SECOND}]",
        '[{"number": 4, "Query": "Load it."}, {"number": 7, "question": "Count it.", "dependencies": "4"}]',
    ):
        items = read_sketch(answer)
        assert [(item.number, item.query_idea) for item in items] == [(1, "Load it."), (2, "Count it.")]
        assert items[1].depends_on == (1,)


def test_an_item_keeps_its_fields_and_depends_only_on_earlier_ones() -> None:
    first, second = read_sketch(f"[{ITEM}, {SECOND}]")
    assert (first.knowledge_points, first.difficulty, second.difficulty) == (("read_csv",), "easy", "hard")
    plain = [(item.query_idea, item.difficulty) for item in read_sketch('["Load it.", "Count it."]')]
    assert plain == [("Load it.", "medium"), ("Count it.", "medium")]
    answer = '[{"query_idea": "a", "depends_on": [1, 2, 99]}, {"query_idea": "b", "depends_on": ["item 1", 2, null]}]'
    assert [item.depends_on for item in read_sketch(answer)] == [(), (1,)]


def test_a_numbered_list_in_prose_is_a_sketch() -> None:
    for answer in (
        "A plan:\n\n1. **Load** it.\n2. Count it.\n   - by year\n3) Plot it.\n\nShall I go on?",
        "1. Load it.\r\n2. Count it.\r\n3. Plot it.\r\n",
        "### 1. Load it.\n### 2. Count it.\n### 3. Plot it.",
        "Problem 1: Load it.\nProblem 2: Count it.\nProblem 3: Plot it.",
        "**1.** Load it.\n**2.** Count it.\n**3.** Plot it.",
    ):
        assert [item.query_idea for item in read_sketch(answer)] == ["Load it.", "Count it.", "Plot it."]


def test_an_answer_without_a_usable_list_says_what_to_change() -> None:
    for answer in (
        *("", "   \n", "I cannot help with that.", "[", f"[{ITEM}, {SECOND[:20]}", "[]", "[1, 2, 3]", "{}"),
        *('{"a": 1}', "[[[["),
        "[" * 100_000,
        "1. Load it.\n2. Count it.",
        '[{"knowledge_points": ["x"]}]',
        '[{"query_idea": ""}]',
        str([{"query_idea": f"item {n}"} for n in range(100)]),
        "x" * 5_000_000,
    ):
        with pytest.raises(UnreadableAnswerError) as caught:
            read_sketch(answer)
        assert str(caught.value)


CELLS = '# %%\nimport pandas as pd\n\n# %%\n"""\nquery: How many?\n"""\n1 + 1\n'


def test_the_cells_are_found_in_any_wrapping() -> None:
    for answer in (
        CELLS,
        f"```python\n{CELLS}```",
        f"Here it is:\n\n```python\n{CELLS}```\nEnjoy.",
        f"```python\n{CELLS}",
        f"```py\r\n{CELLS}```".replace("\n", "\r\n"),
        f"Some words.\n{CELLS}",
        f"```python\n{CELLS}```\n```sh\npip install x\n```",
        "```python\n" + CELLS.split("\n\n")[0] + "\n```\nthen\n```python\n" + CELLS.split("\n\n")[1] + "```",
    ):
        assert read_problemset_text(answer) == CELLS


def test_code_above_the_first_marker_becomes_a_cell() -> None:
    above = CELLS.removeprefix("# %%\n")
    assert read_problemset_text(f"```python\n{above}```") == CELLS
    assert read_problemset_text(f"```python\n# a title\n{CELLS}```") == f"# a title\n{CELLS}"


def test_an_answer_without_cells_says_what_to_change() -> None:
    for answer in ("", "no cells", "```python\nprint(1)\n```", "y" * 5_000_000):
        with pytest.raises(UnreadableAnswerError) as caught:
            read_problemset_text(answer)
        assert str(caught.value)


def test_the_first_block_is_the_code() -> None:
    for answer, code in (
        ("```python\nx = 1\n```", "x = 1"),
        ("Text\n```\nx = 1\n```\nand\n```\ny = 2\n```", "x = 1"),
        ("```python\nx = 1", "x = 1"),
        ("x = 1", "x = 1"),
    ):
        assert read_code(answer) == code


@given(st.text())
def test_no_text_whatever_breaks_a_reader(answer: str) -> None:
    read_code(answer)
    for read in (read_sketch, read_problemset_text):
        with contextlib.suppress(UnreadableAnswerError):
            read(answer)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
    )
)
def test_no_json_whatever_breaks_the_sketch_reader(value: object) -> None:
    import json

    for answer in (json.dumps(value), json.dumps([value]), json.dumps([{"query_idea": "a", "depends_on": value}])):
        try:
            items = read_sketch(answer)
        except UnreadableAnswerError:
            continue
        assert all(item.query_idea for item in items)
