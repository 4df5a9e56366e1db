"""A problemset's text as cells: what is changed is changed, and every other byte stays."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.errors import ContentError
from evaluator.language import Problem, SetupCell, read_own_validators
from evaluator.language.document import FIRST, Document

NAMES = st.text("abcdefgh", min_size=1, max_size=4)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """A problemset of setup cells and problems, with comments, ids, titles, gaps and line ends of every kind."""
    kinds = draw(st.lists(st.booleans(), min_size=1, max_size=6).filter(any))
    ids = iter(draw(st.lists(NAMES, min_size=len(kinds), max_size=len(kinds), unique=True)))
    pieces = [draw(st.sampled_from(["", "# A set.\n\n", "\n"]))]
    for number, is_problem in enumerate(kinds):
        marker = draw(st.sampled_from(["# %%", "# %% Title", "# %%   spaces   "]))
        body = f"x{number} = {number}   # as written"
        if is_problem:
            name = draw(st.sampled_from(["", f"id: {next(ids)}  # kept\n"]))
            body = f'"""\nquery:   What is {number}?\n{name}"""\n\n{body}\nx{number}'
        gap = draw(st.sampled_from(["\n", "\n\n", "\n\n\n", "\n   \n"]))
        pieces.append(f"{marker}\n{body}{gap}")
    text = "".join(pieces)
    text = text.rstrip() + draw(st.sampled_from(["", "\n", "\n\n"]))
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


def parse(text: str) -> Document:
    return Document.parse(text, name="set")


@given(text=texts())
def test_the_cells_are_the_text(text: str) -> None:
    document = parse(text)
    assert document.text == text
    assert document.parses
    assert len({cell.key for cell in document.cells}) == len(document.cells) >= 1
    assert all(document.find(cell.key) is cell for cell in document.cells)
    assert [document.find_problem(str(cell.number)) for cell in document.problems] == list(document.problems)


@given(text=texts(), data=st.data())
def test_a_cell_replaced_by_another_changes_nothing_else(text: str, data: Any) -> None:
    document = parse(text)
    cell = data.draw(st.sampled_from(document.problems))
    assert document.replace({cell.key: cell.raw}).text == text
    written = f"id: {cell.written_id}\n" if cell.written_id else ""
    made = document.replace({cell.key: f'"""\nquery: Another?\n{written}"""\n\n"other"'})
    assert made.find_problem(cell.key).texts["query"] == "Another?"
    assert made.find_problem(cell.key).title == cell.title
    assert [each.raw for each in made.cells if each.key != cell.key] == [
        each.raw for each in document.cells if each.key != cell.key
    ]
    assert made.replace({cell.key: cell.raw}).text == text
    assert ("\r\n" in text) == ("\n" not in text.replace("\r\n", "") and "\n" in text)


@given(text=texts(), data=st.data())
def test_a_problem_that_is_put_in_and_taken_out_leaves_the_text_as_it_was(text: str, data: Any) -> None:
    document = parse(text)
    after = data.draw(st.sampled_from([FIRST, *(cell.key for cell in document.cells)]))
    made = document.insert(after=after, query="New: is [it]?", code="1 + 1", settings="id: brand-new\n")
    at = 0 if after == FIRST else document.find_cell(after).position + 1
    assert made.cells[at].texts["query"].strip() == "New: is [it]?"
    assert [cell.raw.rstrip() for cell in made.cells if cell.position != at] == [
        cell.raw.rstrip() for cell in document.cells
    ]
    assert made.delete("brand-new").text == text


@given(text=texts(), data=st.data())
def test_a_cell_that_is_moved_there_and_back_leaves_the_text_as_it_was(text: str, data: Any) -> None:
    document = parse(text)
    cell = data.draw(st.sampled_from(document.cells))
    others = [FIRST, *(each.key for each in document.cells if each is not cell)]
    made = document.move(cell.key, after=data.draw(st.sampled_from(others)))
    assert sorted(each.raw.strip() for each in made.cells) == sorted(each.raw.strip() for each in document.cells)
    moved = next(each for each in made.cells if each.raw.strip() == cell.raw.strip())
    left = [each.raw.strip() for each in document.cells[: cell.position]]
    before = next((each for each in made.cells if left and each.raw.strip() == left[-1]), None)
    assert made.move(moved.key, after=before.key if before else FIRST).text == text


@given(text=texts(), other=texts())
def test_cells_are_found_again(text: str, other: str) -> None:
    document = parse(text)
    assert document.align(document) == {at: at for at in range(len(document.cells))}
    found = document.align(parse(other))
    assert len(set(found.values())) == len(found), "no two cells are one"
    again = parse(other).align(document)
    assert all(0 <= old < len(document.cells) and 0 <= new < len(parse(other).cells) for old, new in found.items())
    assert len(again) == len(found), "alignment does not rest on the direction"


@given(text=texts(), data=st.data())
def test_other_settings_leave_query_and_code(text: str, data: Any) -> None:
    document = parse(text)
    cell = data.draw(st.sampled_from(document.problems))
    made = document.with_setting(cell.key, "tags", ["easy"])
    now = made.find_problem(cell.key)
    assert isinstance(now.cell, Problem)
    assert now.cell.metadata["tags"] == ["easy"]
    assert (now.texts["query"], now.texts["code"]) == (cell.texts["query"], cell.texts["code"])
    assert ("# kept" in cell.raw) == ("# kept" in now.raw)
    assert [each.raw for each in made.cells if each.key != cell.key] == [
        each.raw for each in document.cells if each.key != cell.key
    ]


def test_each_cell_has_a_key_of_its_own_whatever_ids_were_written() -> None:
    for ids in (["p2", "", "foo"], ["p3", "p3", ""], ["a", "a", "a"], ["setup1", "", "setup1"]):
        written = (f"id: {name}\n" if name else "" for name in ids)
        cells = (f'# %%\n"""\nquery: q{number}\n{line}"""\n{number}\n\n' for number, line in enumerate(written))
        document = parse("# %%\nx = 0\n\n" + "".join(cells))
        assert len({cell.key for cell in document.cells}) == 4
        for cell in document.problems:
            made = document.with_setting(cell.key, "tags", ["easy"])
            changed = [old.raw != new.raw for old, new in zip(document.cells, made.cells, strict=True)]
            assert changed == [other is cell for other in document.cells], ids


def test_an_id_that_begins_like_a_setup_cell_names_its_problem() -> None:
    text = '# %%\nx = 1\n\n# %%\n"""\nquery: q\nid: setup_costs\n"""\n1\n\n# %%\n"""\nquery: q\nid: setup1\n"""\n2\n'
    document = parse(text)
    assert [cell.key for cell in document.cells] == ["setup1", "setup_costs", "p2"]
    assert set(document.problem_texts()) == {"setup_costs", "p2"}
    new = '"""\nquery: other\nid: {name}\n"""\n3'
    assert "other" in document.replace({"setup_costs": new.format(name="setup_costs")}).text
    assert "other" in document.replace({"p2": new.format(name="setup1")}).text
    with pytest.raises(ContentError, match="would rename"):
        document.replace({"p2": '"""\nquery: other\n"""\n3'})


def test_settings_may_name_a_validator_of_the_workspace() -> None:
    source = (
        "from evaluator import Answer, validator\n\n\n@validator\ndef mine(reference, submission):\n    return True\n"
    )
    own = read_own_validators(source, Path("_validators.py"))
    assert "mine" in own.validators, own.diagnostics
    text = '# %%\n"""\nquery: q\nid: a\n"""\n1\n'
    document = Document.parse(text, name="set", own_validators=own)
    made = document.with_setting("a", "validator", {"mine": None})
    assert made.require_valid().problems[0].validator == {"mine": None}
    with pytest.raises(ContentError, match="mine"):
        parse(text).with_setting("a", "validator", {"mine": None})


def test_a_setup_cell_that_is_empty_now_is_gone() -> None:
    document = parse('# %%\nx = 1\n\n\n# %%\n"""\nquery: q\n"""\nx\n')
    assert document.put({"setup1": SetupCell("y = 2")}).text == '# %%\ny = 2\n\n\n# %%\n"""\nquery: q\n"""\nx\n'
    assert document.put({"setup1": SetupCell("  ")}).text == '# %%\n"""\nquery: q\n"""\nx\n'


def test_a_text_that_cannot_be_read_is_one_cell_and_says_what_is_wrong() -> None:
    text = '# A set.\n# %%\n"""\nquery: [\n"""\n1\n'
    document = parse(text)
    assert document.text == text
    assert [cell.key for cell in document.cells] == ["text"]
    with pytest.raises(ContentError) as refused:
        document.require_readable()
    assert refused.value.what.startswith("'set' cannot be read: line ")
    assert refused.value.where == "set, line 5"
    assert refused.value.fix
    with pytest.raises(ContentError, match="cannot be read"):
        document.move("text", after=FIRST)
    with pytest.raises(ContentError, match="cannot be read"):
        document.delete("text")


def test_a_text_with_errors_can_be_changed_but_is_not_valid() -> None:
    text = "".join(f'# %%\n"""\nquery: q\nvalidator: {{nonsense{n}: 1}}\n"""\n{n}\n\n' for n in range(8))
    document = parse(text)
    assert document.require_readable().problems
    with pytest.raises(ContentError) as refused:
        document.require_valid()
    assert refused.value.what.startswith("'set' has 8 errors: line ")
    assert refused.value.what.endswith("; and 3 more")
    assert document.move("p1", after="p2").text == text.replace("nonsense0", "?").replace(
        "nonsense1", "nonsense0"
    ).replace("?", "nonsense1").replace('"""\n0', '"""\n?').replace('"""\n1', '"""\n0').replace('"""\n?', '"""\n1')
