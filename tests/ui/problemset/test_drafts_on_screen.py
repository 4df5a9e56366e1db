"""Taking a revision apart into texts, and putting edited texts back."""

from authoring.store.autosaves import Autosave
from authoring.ui.editor.draft_view import WHOLE, DraftView, cells_of, compose, digests, open_draft

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


def edited(problem: str, field: str, new: str, *, text: str = TEXT) -> DraftView:
    """The draft in which one text was typed and not saved."""
    saved = Autosave("mei", 1, problem, field, new, 1, 1, "tab", "2026-01-01T00:00:00+00:00")
    return open_draft("circles", 1, text, [saved])


def unchanged_outcomes(draft: DraftView) -> dict[str, bool]:
    before, after = digests(open_draft("circles", 1, TEXT)), digests(draft)
    return {key: before[key] == after[key] for key in before}


def test_cells_are_named_by_id_number_or_setup_and_come_apart_into_texts() -> None:
    cells = cells_of("circles", TEXT)
    assert [(cell.key, cell.number, cell.label, cell.title) for cell in cells] == [
        ("setup1", 0, "Setup 1", ""),
        ("area", 1, "Problem 1", "circles"),
        ("p2", 2, "Problem 2", ""),
    ]
    texts = cells[2].texts
    assert (texts["query"], texts["code"]) == ("And of radius 3?", "math.pi * 9")
    assert "atol: 0.01" in texts["settings"]
    assert "query" not in texts["settings"]


def test_what_is_not_edited_keeps_its_bytes() -> None:
    assert compose(open_draft("circles", 1, TEXT)).text == TEXT
    unedited = TEXT.index('# %%\n"""\nquery: And')
    composed = compose(edited("p2", "code", "math.pi * 3**2")).text or ""
    assert (composed[:unedited], composed.splitlines()[-1]) == (TEXT[:unedited], "math.pi * 3**2")
    assert not edited("p2", "code", "math.pi * 9").has_edits  # equal to the revision


def test_settings_that_cannot_be_read_are_a_fault_of_their_problem() -> None:
    composed = compose(edited("area", "settings", "validator: ["))
    assert composed.text is None
    assert list(composed.faults) == ["area"]
    assert composed.faults["area"][0].fix


def test_setup_cells_and_the_whole_text_are_edited_like_problems() -> None:
    assert compose(edited("setup1", "code", "import math\nr = 2")).text == TEXT.replace("math\n", "math\nr = 2\n", 1)
    whole = '# %%\n"""\nquery: q\n"""\n1\n'
    assert compose(edited(*WHOLE, whole)).text == whole


def test_a_text_that_does_not_parse_still_opens() -> None:
    draft = open_draft("broken", 1, '# %%\n"""\nquery: [\n"""\n1\n')
    assert draft.document.diagnostics
    assert compose(draft).text == draft.document.text


def test_code_makes_its_own_and_later_outcomes_stale_settings_their_own() -> None:
    assert unchanged_outcomes(edited("area", "code", "12.57")) == {"setup1": True, "area": False, "p2": False}
    settings = edited("area", "settings", "id: area\ntags: [easy]")
    assert unchanged_outcomes(settings) == {"setup1": True, "area": False, "p2": True}


def test_an_edited_cell_keeps_the_line_ends_and_the_blank_lines_around_it() -> None:
    text = TEXT.replace("math.pi * 4\n", "math.pi * 4\n\n\n").replace("\n", "\r\n")
    composed = compose(edited("area", "code", "12.57", text=text)).text
    assert composed == text.replace("\r\nmath.pi * 4", "\r\n\r\n12.57")
