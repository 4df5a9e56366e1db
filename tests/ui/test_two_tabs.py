"""Two tabs of one person on one set: no tab saves what only the other one showed, and an own save is called so."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from authoring.store import problemsets, revisions
from authoring.store.autosaves import save as save_autosave
from authoring.store.autosaves import select as list_autosaves
from authoring.store.revisions import Revision
from authoring.store.workspace import Workspace

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]
Tabs = tuple[AppTest, AppTest]
QUERY, CODE, SETTINGS = 0, 1, 2


@pytest.fixture
def tabs(open_page: Open, draft: Revision) -> Tabs:
    """Two tabs with the first problem, both open before anything is typed."""
    one, two = (open_page("editor", set=draft.problemset_id, pid="p1") for _ in range(2))
    return one, two


@pytest.fixture
def overtaken(open_page: Open, draft: Revision) -> AppTest:
    """A tab that holds `first()`; another one was opened on that text, and has typed `second()` over it."""
    one = open_page("editor", set=draft.problemset_id, pid="p1")
    one.text_area[CODE].set_value("first()").run()
    two = open_page("editor", set=draft.problemset_id, pid="p1")
    two.text_area[CODE].set_value("second()").run()
    return one


def head(workspace: Workspace, draft: Revision) -> Revision:
    return revisions.find(workspace, problemsets.find(workspace, draft.problemset_id).head_revision_id)


def save(app: AppTest, draft: Revision) -> None:
    app.button(key=f"save:{draft.problemset_id}").click().run()


def words(app: AppTest) -> str:
    return " ".join(str(each.value) for each in app.warning).replace("\\", "")


def test_a_save_asks_before_it_takes_in_what_another_tab_of_the_person_has_not_saved(
    tabs: Tabs, draft: Revision, workspace: Workspace
) -> None:
    one, two = tabs
    one.text_area[SETTINGS].set_value("tags: [half]").run()
    two.text_area[QUERY].set_value("How many units did each shop sell?").run()
    save(two, draft)
    assert head(workspace, draft).number == 1
    assert "nothing is saved yet: another tab of yours has changed problem 1 (settings)" in words(two)
    assert "tags: [half]" in str(two.text_area[SETTINGS].value)
    save(two, draft)
    saved = head(workspace, draft)
    assert (saved.number, "tags: [half]" in saved.text, "did each shop sell" in saved.text) == (2, True, True)


def test_what_another_tab_types_on_after_it_was_told_is_asked_about_again(
    open_page: Open, draft: Revision, workspace: Workspace
) -> None:
    one = open_page("editor", set=draft.problemset_id, pid="p2")
    two = open_page("editor", set=draft.problemset_id, pid="p1")
    two.text_area[CODE].set_value("mine()").run()
    for text in ("first()", "second()"):
        one.text_area[CODE].set_value(text).run()
        save(two, draft)
        assert "problem 2 (reference code)" in words(two)
    assert head(workspace, draft).number == 1


def test_what_was_unsaved_before_a_tab_was_opened_is_saved_at_once(
    open_page: Open, draft: Revision, workspace: Workspace
) -> None:
    one = open_page("editor", set=draft.problemset_id, pid="p1")
    one.text_area[CODE].set_value("mine()").run()
    two = open_page("editor", set=draft.problemset_id, pid="p2")  # a reload is a tab of its own, too
    save(two, draft)
    assert (head(workspace, draft).number, "mine()" in head(workspace, draft).text) == (2, True)


def test_a_revision_that_another_tab_of_the_person_saved_is_not_called_somebody_elses(
    open_page: Open, draft: Revision, said: Said
) -> None:
    one = open_page("editor", set=draft.problemset_id, pid="p1")
    one.text_area[CODE].set_value("half()").run()
    two = open_page("editor", set=draft.problemset_id, pid="p1")
    save(two, draft)
    one.text_area[CODE].set_value("whole()").run()
    assert "You, in another tab, saved a revision that changes this field too" in said(one)
    save(one, draft)
    told = one.error[0].value.replace("\\", "")
    assert "you, in another tab, have saved other texts of what you changed here: problem 1 (reference code)" in told


def test_a_field_that_a_colleague_changed_is_not_called_an_own_save_for_a_later_one_of_another_field(
    open_page: Open, draft: Revision, workspace: Workspace, said: Said
) -> None:
    one = open_page("editor", set=draft.problemset_id, pid="p1")
    one.text_area[CODE].set_value("mine()").run()
    theirs = draft.text.replace('sales.groupby("shop")["units"].sum()\n', "theirs()\n")
    second = revisions.save(workspace, draft.problemset_id, theirs, base_revision_id=draft.id, author="lee")
    own = theirs.replace("Which shop sold most?", "Which shop sold least?")
    third = revisions.save(workspace, draft.problemset_id, own, base_revision_id=second.id, author="mei")
    one.run()
    assert "Somebody saved a revision that changes this field too" in said(one)
    save(one, draft)
    assert "somebody else changed what you changed: problem 1 (reference code)" in one.error[0].value.replace("\\", "")
    again = own.replace("theirs()", "half()")
    revisions.save(workspace, draft.problemset_id, again, base_revision_id=third.id, author="mei")
    one.run()
    assert "You, in another tab, saved a revision that changes this field too" in said(one)


def test_the_whole_text_with_a_colleagues_revision_in_it_is_not_called_an_own_save(
    open_page: Open, draft: Revision, workspace: Workspace
) -> None:
    save_autosave(
        workspace, person="mei", problemset_id=draft.problemset_id, problem="", field="text",
        text=f"{draft.text}# whole\n", base_revision_id=draft.id, writer="a tab", expected_saved_no=None,
    )  # fmt: skip
    theirs = draft.text.replace("each shop", "a shop")
    second = revisions.save(workspace, draft.problemset_id, theirs, base_revision_id=draft.id, author="lee")
    revisions.save(workspace, draft.problemset_id, f"{theirs}# own\n", base_revision_id=second.id, author="mei")
    app = open_page("editor", set=draft.problemset_id)
    save(app, draft)
    assert "somebody else changed what you changed: the whole text" in app.error[0].value.replace("\\", "")


def test_the_whole_text_and_a_text_of_one_problem_are_never_saved_one_over_the_other(
    open_page: Open, draft: Revision, workspace: Workspace
) -> None:
    save_autosave(
        workspace, person="mei", problemset_id=draft.problemset_id, problem="", field="text",
        text=f"{draft.text}# whole\n", base_revision_id=draft.id, writer="another tab", expected_saved_no=None,
    )  # fmt: skip
    two = open_page("editor", set=draft.problemset_id, pid="p1")
    two.text_area[CODE].set_value("mine()").run()
    for _ in range(2):
        save(two, draft)
        told = two.error[0].value.replace("\\", "")
        assert "the whole text is changed, and beside it problem 1 (reference code)" in told
    kept = {saved.text for saved in list_autosaves(workspace, "mei", draft.problemset_id)}
    assert (head(workspace, draft).number, kept) == (1, {f"{draft.text}# whole\n", "mine()"})


def test_no_cell_moves_while_another_tab_holds_unsaved_text_of_one(
    open_page: Open, draft: Revision, workspace: Workspace
) -> None:
    page = open_page("problemset", set=draft.problemset_id)
    page.session_state[f"reshape:{draft.problemset_id}"] = True
    page.run()
    one = open_page("editor", set=draft.problemset_id, pid="p1")
    one.text_area[SETTINGS].set_value("tags: [first]").run()
    page.button(key=f"reshape:{draft.problemset_id}:down").click().run()
    assert "unsaved changes in problem 1" in page.error[0].value.replace("\\", "")
    assert head(workspace, draft).number == 1


def test_what_another_tab_typed_is_told_before_it_is_dropped(tabs: Tabs, draft: Revision, workspace: Workspace) -> None:
    one, two = tabs
    two.text_area[SETTINGS].set_value("tags: [mine]").run()
    two.session_state[f"tabs:{draft.problemset_id}"] = "Changes"
    two.run()
    one.text_area[CODE].set_value("theirs()").run()
    drop = next(each for each in two.button if each.label.startswith("Drop my changes"))
    drop.click().run()
    assert "nothing is dropped yet: another tab of yours has changed problem 1 (reference code)" in words(two)
    assert len(list_autosaves(workspace, "mei", draft.problemset_id)) == 2
    next(each for each in two.button if each.label.startswith("Drop my changes")).click().run()
    assert not list_autosaves(workspace, "mei", draft.problemset_id)


def test_a_text_that_another_tab_went_over_is_chosen_or_given_up_before_a_save(
    overtaken: AppTest, draft: Revision, workspace: Workspace
) -> None:
    for _ in range(3):
        save(overtaken, draft)
        assert "two tabs of yours hold different texts of problem 1" in overtaken.error[0].value.replace("\\", "")
    overtaken.button(key=f"conflict:{draft.problemset_id}:p1:code:theirs").click().run()
    save(overtaken, draft)
    assert (head(workspace, draft).number, "second()" in head(workspace, draft).text) == (2, True)


def test_nothing_is_saved_before_one_of_two_tabs_texts_is_chosen(
    overtaken: AppTest, draft: Revision, workspace: Workspace
) -> None:
    overtaken.text_area[CODE].set_value("first() + 1").run()  # refused: it stands on the screen alone
    for _ in range(3):
        save(overtaken, draft)
        told = overtaken.error[0].value.replace("\\", "")
        assert "two tabs of yours hold different texts of problem 1 (reference code)" in told
        assert "keep one of them there, then save" in told
    assert head(workspace, draft).number == 1
    assert overtaken.text_area[CODE].value == "first() + 1"
    overtaken.button(key=f"conflict:{draft.problemset_id}:p1:code:mine").click().run()
    save(overtaken, draft)
    assert ("first() + 1" in head(workspace, draft).text, "second()" in head(workspace, draft).text) == (True, False)


def test_a_choice_stays_open_when_the_other_tab_saves_its_text(
    tabs: Tabs, draft: Revision, workspace: Workspace
) -> None:
    one, two = tabs
    one.text_area[CODE].set_value("first()").run()
    two.text_area[CODE].set_value("second()").run()
    save(one, draft)
    for _ in range(2):
        save(two, draft)
        assert "you, in another tab, have saved other texts" in two.error[0].value.replace("\\", "")
    assert (two.text_area[CODE].value, head(workspace, draft).number) == ("second()", 2)
    two.button(key=f"conflict:{draft.problemset_id}:p1:code:mine").click().run()
    save(two, draft)
    assert (head(workspace, draft).number, "second()" in head(workspace, draft).text) == (3, True)


def test_typing_on_does_not_answer_what_a_revision_of_somebody_else_asks(
    open_page: Open, draft: Revision, workspace: Workspace
) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    app.text_area[CODE].set_value("mine()").run()
    theirs = draft.text.replace('sales.groupby("shop")["units"].sum()\n\n', "theirs()\n\n", 1)
    revisions.save(workspace, draft.problemset_id, theirs, base_revision_id=draft.id, author="lee")
    app.run()
    app.text_area[CODE].set_value("mine() + 1").run()
    save(app, draft)
    assert "somebody else changed what you changed" in app.error[0].value.replace("\\", "")
    assert head(workspace, draft).number == 2
