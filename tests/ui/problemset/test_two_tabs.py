"""Two tabs of one person on one set: no tab saves what only the other one showed, and an own save is called so."""

import pytest
from streamlit.testing.v1 import AppTest

from authoring.store import autosaves
from tests.ui.acts import errors, press, said
from tests.ui.problemset.acts import CODE, QUERY, SETTINGS, Desk, press_labelled, warnings

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


def test_what_was_unsaved_before_a_tab_was_opened_is_saved_at_once(desk: Desk) -> None:
    desk.keep("mine()")
    desk.save(desk.editor("p2"))  # a reload is a tab of its own, too
    assert (desk.head().number, "mine()" in desk.head().text) == (2, True)


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


def test_a_whole_text_under_a_colleagues_revision_is_no_own_save(desk: Desk) -> None:
    desk.keep(f"{desk.text}# whole\n", problem="", field="text")
    theirs = desk.text.replace("each shop", "a shop")
    desk.change(f"{theirs}# own\n", "mei", base=desk.change(theirs))
    app = desk.save(desk.editor(""))
    assert "somebody else changed what you changed: the whole text" in errors(app)


def test_the_whole_text_and_that_of_a_problem_are_never_saved_over_another(desk: Desk) -> None:
    desk.keep(f"{desk.text}# whole\n", problem="", field="text")
    app = desk.editor()
    app.text_area[CODE].set_value("mine()")
    for _ in range(2):
        desk.save(app)
        assert "the whole text is changed, and beside it problem 1 (reference code)" in errors(app)
    assert desk.head().number == 1
    assert set(desk.kept_texts()) == {f"{desk.text}# whole\n", "mine()"}


def test_what_another_tab_typed_is_told_before_it_is_dropped(desk: Desk, tab: AppTest) -> None:
    tab.text_area[SETTINGS].set_value("tags: [mine]")
    tab.session_state[f"tabs:{desk.number}"] = "Changes"
    tab.run()
    desk.keep("theirs()")
    press_labelled(tab, "Drop my changes")
    assert "nothing is dropped yet: another tab of yours has changed problem 1 (reference code)" in warnings(tab)
    assert len(desk.kept_texts()) == 2
    press_labelled(tab, "Drop my changes")
    assert desk.kept_texts() == []


def test_of_two_tabs_different_texts_one_is_chosen_before_a_save(desk: Desk, tab: AppTest) -> None:
    conflict = f"conflict:{desk.number}:p1:code"
    tab.text_area[CODE].set_value("first()").run()
    desk.keep("second()")
    desk.save(tab)
    tab.text_area[CODE].set_value("first() + 1")  # refused: it stands on the screen alone
    for _ in range(2):
        desk.save(tab)
        assert "two tabs of yours hold different texts of problem 1 (reference code)" in errors(tab)
        assert "keep one of them there, then save" in errors(tab)
    assert (desk.head().number, tab.text_area[CODE].value) == (1, "first() + 1")
    press(tab, f"{conflict}:mine")
    desk.save(tab)
    assert ("first() + 1" in desk.head().text, "second()" in desk.head().text) == (True, False)

    app = desk.editor()
    app.text_area[CODE].set_value("third()").run()
    desk.keep("fourth()", base=desk.head())
    desk.save(app)
    press(app, f"{conflict}:theirs")
    desk.save(app)
    assert (desk.head().number, "fourth()" in desk.head().text) == (3, True)


def test_a_choice_stays_open_when_the_other_tab_saves_its_text(desk: Desk, tab: AppTest) -> None:
    desk.keep("first()")
    tab.text_area[CODE].set_value("second()").run()
    autosaves.drop(desk.ws, "mei", desk.number)
    desk.change(desk.text.replace(FIRST, "first()\n\n", 1), "mei")
    for _ in range(2):
        desk.save(tab)
        assert "you, in another tab, have saved other texts" in errors(tab)
    assert (tab.text_area[CODE].value, desk.head().number) == ("second()", 2)
    press(tab, f"conflict:{desk.number}:p1:code:mine")
    desk.save(tab)
    assert (desk.head().number, "second()" in desk.head().text) == (3, True)
