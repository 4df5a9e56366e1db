"""Taking a revision apart into texts, and putting edited texts back."""

from authoring.store.autosaves import Autosave
from authoring.ui.editor.draft_view import WHOLE, cells_of, compose, digests, open_draft

TEXT = '''# %%
import math

# %% circles
"""
query: What is the area of a circle of radius 2?
id: area
"""
math.pi * 4

# %%
"""
query: And of radius 3?
validator:
  result: {atol: 0.01}
"""
math.pi * 9
'''


def saved(problem: str, field: str, text: str) -> Autosave:
    return Autosave("mei", 1, problem, field, text, 1, 1, "tab", "2026-01-01T00:00:00+00:00")


def test_cells_are_named_by_id_number_or_setup() -> None:
    cells = cells_of("circles", TEXT)
    assert [(cell.key, cell.number, cell.label, cell.title) for cell in cells] == [
        ("setup1", 0, "Setup 1", ""),
        ("area", 1, "Problem 1", "circles"),
        ("p2", 2, "Problem 2", ""),
    ]


def test_a_problem_comes_apart_into_query_code_and_settings() -> None:
    cell = cells_of("circles", TEXT)[2]
    assert cell.texts["query"] == "And of radius 3?"
    assert cell.texts["code"] == "math.pi * 9"
    assert "atol: 0.01" in cell.texts["settings"]
    assert "query" not in cell.texts["settings"]


def test_a_draft_without_edits_composes_to_the_very_text() -> None:
    assert compose(open_draft("circles", 1, TEXT)).text == TEXT


def test_unedited_cells_keep_their_bytes() -> None:
    composed = compose(open_draft("circles", 1, TEXT, [saved("p2", "code", "math.pi * 3**2")])).text
    assert composed is not None
    assert composed.startswith(TEXT[: TEXT.index('# %%\n"""\nquery: And')])
    assert "math.pi * 3**2" in composed
    assert "math.pi * 9" not in composed


def test_an_autosave_equal_to_the_revision_is_no_edit() -> None:
    assert not open_draft("circles", 1, TEXT, [saved("p2", "code", "math.pi * 9")]).has_edits


def test_settings_that_cannot_be_read_are_a_fault_of_their_problem() -> None:
    composed = compose(open_draft("circles", 1, TEXT, [saved("area", "settings", "validator: [")]))
    assert composed.text is None
    assert list(composed.faults) == ["area"]
    assert composed.faults["area"][0].fix


def test_setup_cells_are_edited_like_problems() -> None:
    composed = compose(open_draft("circles", 1, TEXT, [saved("setup1", "code", "import math\nr = 2")])).text
    assert composed is not None
    assert "r = 2" in composed


def test_the_whole_text_replaces_everything() -> None:
    draft = open_draft("circles", 1, TEXT, [saved(*WHOLE, '# %%\n"""\nquery: q\n"""\n1\n')])
    assert compose(draft).text == '# %%\n"""\nquery: q\n"""\n1\n'


def test_a_text_that_does_not_parse_still_opens() -> None:
    draft = open_draft("broken", 1, '# %%\n"""\nquery: [\n"""\n1\n')
    assert draft.document.diagnostics
    assert compose(draft).text == draft.document.text


def test_editing_code_makes_its_own_and_later_outcomes_stale_but_not_earlier_ones() -> None:
    before = digests(open_draft("circles", 1, TEXT))
    after = digests(open_draft("circles", 1, TEXT, [saved("area", "code", "12.57")]))
    assert {key: before[key] == after[key] for key in before} == {"setup1": True, "area": False, "p2": False}


def test_editing_settings_makes_only_the_own_outcome_stale() -> None:
    before = digests(open_draft("circles", 1, TEXT))
    after = digests(open_draft("circles", 1, TEXT, [saved("area", "settings", "id: area\ntags: [easy]")]))
    assert {key: before[key] == after[key] for key in before} == {"setup1": True, "area": False, "p2": True}


def test_an_edited_cell_keeps_the_line_ends_and_the_blank_lines_around_it() -> None:
    text = TEXT.replace("math.pi * 4\n", "math.pi * 4\n\n\n").replace("\n", "\r\n")
    composed = compose(open_draft("circles", 1, text, [saved("area", "code", "12.57")])).text
    assert composed == text.replace("\r\nmath.pi * 4", "\r\n\r\n12.57")
