"""Text that is not saved is never lost: taken apart and put back, of two tabs, under moved cells, in forms."""

import pytest
from streamlit.testing.v1 import AppTest

from authoring.drafting.guide.guide_effects import shown_guide
from authoring.store import problemsets
from authoring.store.autosaves import Autosave, keep_unsent, list_unsent
from authoring.store.database.connections import timestamp
from authoring.store.drafting.guide import save_guide
from authoring.store.settings import set_setting
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from authoring.ui.editor.draft_view import WHOLE, DraftView, cells_of, compose, digests, open_draft
from evaluator.language.document import Document
from tests.ui.acts import CODE, QUERY, SETTINGS, Desk, Open, errors, press, said, warnings

CIRCLES = '''# %%
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


def edited(problem: str, field: str, new: str, *, text: str = CIRCLES) -> DraftView:
    """The draft in which one text was typed and not saved."""
    saved = Autosave("mei", 1, problem, field, new, 1, 1, "tab", "2026-01-01T00:00:00+00:00")
    return open_draft("circles", 1, text, [saved])


def unchanged_outcomes(draft: DraftView) -> dict[str, bool]:
    before, after = digests(open_draft("circles", 1, CIRCLES)), digests(draft)
    return {key: before[key] == after[key] for key in before}


def test_cells_are_named_by_id_number_or_setup_and_come_apart_into_texts() -> None:
    cells = cells_of("circles", CIRCLES)
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
    assert compose(open_draft("circles", 1, CIRCLES)).text == CIRCLES
    unedited = CIRCLES.index('# %%\n"""\nquery: And')
    composed = compose(edited("p2", "code", "math.pi * 3**2")).text or ""
    assert (composed[:unedited], composed.splitlines()[-1]) == (CIRCLES[:unedited], "math.pi * 3**2")
    assert not edited("p2", "code", "math.pi * 9").has_edits  # equal to the revision
    assert compose(edited("setup1", "code", "import math\nr = 2")).text == CIRCLES.replace("math\n", "math\nr = 2\n", 1)
    whole = '# %%\n"""\nquery: q\n"""\n1\n'
    assert compose(edited(*WHOLE, whole)).text == whole
    text = CIRCLES.replace("math.pi * 4\n", "math.pi * 4\n\n\n").replace("\n", "\r\n")
    assert compose(edited("area", "code", "12.57", text=text)).text == text.replace("\r\nmath.pi * 4", "\r\n\r\n12.57")


def test_unread_settings_are_a_fault_and_changes_make_outcomes_stale() -> None:
    composed = compose(edited("area", "settings", "validator: ["))
    assert composed.text is None
    assert list(composed.faults) == ["area"]
    assert composed.faults["area"][0].fix
    draft = open_draft("broken", 1, '# %%\n"""\nquery: [\n"""\n1\n')
    assert draft.document.diagnostics
    assert compose(draft).text == draft.document.text
    assert unchanged_outcomes(edited("area", "code", "12.57")) == {"setup1": True, "area": False, "p2": False}
    settings = edited("area", "settings", "id: area\ntags: [easy]")
    assert unchanged_outcomes(settings) == {"setup1": True, "area": False, "p2": True}


FIRST, LAST = 'sales.groupby("shop")["units"].sum()\n\n', "Which shop sold most?"


@pytest.fixture
def tab(desk: Desk) -> AppTest:
    """A tab with the first problem, open before anything is typed in another one."""
    return desk.editor()


def test_a_save_asks_before_it_takes_what_another_tab_has_not_saved(desk: Desk, tab: AppTest) -> None:
    tab.text_area[QUERY].set_value("How many units did each shop sell?")
    typed = [("p1", "settings", "tags: [half]"), ("p2", "code", "first()"), ("p2", "code", "second()")]
    for problem, field, text in typed:  # what it types on is asked about again
        desk.keep(text, problem=problem, field=field)
        desk.save(tab)
        assert desk.head().number == 1
        where = f"problem {problem[1]} ({'settings' if field == 'settings' else 'reference code'})"
        assert f"nothing is saved yet: another tab of yours has changed {where}" in warnings(tab)
    assert "tags: [half]" in str(tab.text_area[SETTINGS].value)
    desk.save(tab)
    saved = desk.head()
    assert saved.number == 2
    assert all(text in saved.text for text in ("tags: [half]", "second()", "did each shop sell"))


def test_a_conflict_names_who_changed_the_field_and_outlasts_typing_on(desk: Desk, tab: AppTest) -> None:
    tab.text_area[CODE].set_value("mine()").run()
    theirs = desk.text.replace(FIRST, "theirs()\n\n", 1)
    own = theirs.replace(LAST, "Which shop sold least?")
    third = desk.change(own, "mei", base=desk.change(theirs))  # an own save, of another field
    tab.text_area[CODE].set_value("mine() + 1")
    desk.save(tab)
    assert "Somebody saved a revision that changes this field too" in said(tab)
    assert "somebody else changed what you changed: problem 1 (reference code)" in errors(tab)
    fourth = desk.change(own.replace("theirs()", "half()"), "mei", base=third)
    desk.save(tab)
    assert "You, in another tab, saved a revision that changes this field too" in said(tab)
    assert "you, in another tab, have saved other texts of what you changed here: problem 1 (reference code)" in (
        errors(tab)
    )
    assert desk.head().id == fourth.id
    press(tab, f"conflict:{desk.number}:p1:code:theirs")
    assert (str(tab.text_area[CODE].value).strip(), desk.kept_texts()) == ("half()", [])


QUERIES = ["How many apples are there?", "Which year was the wettest?", "What is the mean of b?"]
INSERTED, DELETED = ["Is there a new one?", *QUERIES], [QUERIES[0], QUERIES[2]]
MOVED = [QUERIES[2], *INSERTED[:3]]
MINE = "tags: [mine]"


def cells_text(queries: list[str]) -> str:
    return "".join(f'# %%\n"""\nquery: {query}\n"""\nlen({query!r})\n' for query in queries)


@pytest.fixture
def three(open_page: Open, ws: Workspace) -> Desk:
    """The app on a set of three problems."""
    text = cells_text(QUERIES)
    revision = problemsets.create(ws, name="three", text=text, author="lee", origin=Origin.PERSON)
    return Desk(ws, revision, open_page)


def settings_by_query(desk: Desk) -> dict[str, str]:
    found = Document.parse(desk.head().text, name="x").cells
    return {each.texts["query"]: each.texts["settings"].strip() for each in found}


def test_settings_are_saved_into_the_problem_they_were_typed_for(three: Desk) -> None:
    app = three.editor("p2")
    app.text_area[SETTINGS].set_value(MINE)
    three.change(cells_text(MOVED))
    three.save(app)  # the screen is that of before
    assert settings_by_query(three) == {query: MINE * (query == QUERIES[1]) for query in MOVED}
    assert app.text_area[QUERY].value == QUERIES[1]  # and the problem stays on the screen


def test_a_reload_shows_settings_at_their_problem_and_tells_where_it_is(three: Desk) -> None:
    three.keep(MINE, problem="p2", field="settings")
    three.change(cells_text(INSERTED))
    app = three.editor("p2")
    assert (app.text_area[QUERY].value, app.text_area[SETTINGS].value) == (QUERIES[0], "")
    assert "your unsaved text moved with them: it belongs to problem 3 now" in said(app)
    assert list(three.kept()) == [("p3", "settings")]
    app = three.editor("p3")
    assert (app.text_area[QUERY].value, app.text_area[SETTINGS].value) == (QUERIES[1], MINE)


def test_texts_are_kept_by_person_and_field_for_a_month(ws: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    keep_unsent(ws, "mei", "a:b", "old")
    keep_unsent(ws, 'mei"', "a", {"rows": [1]})
    assert (list_unsent(ws, "mei"), list_unsent(ws, 'mei"')) == ({"a:b": "old"}, {"a": {"rows": [1]}})
    keep_unsent(ws, "mei", "a:b", None)
    assert list_unsent(ws, "mei") == {}
    later = timestamp(shift_s=31 * 24 * 3600), timestamp(shift_s=24 * 3600)
    monkeypatch.setattr("authoring.store.autosaves.timestamp", lambda *, shift_s=0.0: later[shift_s < 0])
    keep_unsent(ws, "mei", "b", "new")
    assert (list_unsent(ws, "mei"), list_unsent(ws, 'mei"')) == ({"b": "new"}, {})


def test_unsaved_guide_text_is_its_writers_and_opens_where_it_began(open_page: Open, ws: Workspace) -> None:
    set_setting(ws, "annotator_names", ["mei", "lee"])
    app = press(open_page("guide"), "guide:edit")
    app.text_area(key="guide:text:1").set_value("Mine.").run()
    app.selectbox(key="user").select("lee").run()  # in the same tab
    press(app, "guide:edit")
    assert app.text_area(key="guide:text:1").value == shown_guide(ws).text
    save_guide(ws, "Theirs.", base_number=1, author="lee", message="")
    app = open_page("guide")
    assert app.text_area(key="guide:text:1").value == "Mine."
    assert "Somebody saved revision 2 while you wrote" in said(app)
    assert "revision 2 is the newest" in errors(press(app, "guide:save"))
    press(app, "guide:save_over")
    assert (shown_guide(ws).number, shown_guide(ws).text) == (3, "Mine.")
    assert list_unsent(ws, "mei") == {}
