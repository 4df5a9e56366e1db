"""Others insert, move and delete cells under unsaved text: it stays with the problem that it was written for."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from authoring.store import autosaves, problemsets, revisions
from authoring.store.revisions import Revision
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from authoring.ui.editor import editing, moved_cells
from evaluator.errors import ToolkitError
from evaluator.language.document import Document

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]
QUERY, CODE, SETTINGS = 0, 1, 2
QUERIES = ["How many apples are there?", "Which year was the wettest?", "What is the mean of b?"]
MINE = "tags: [mine]"


def cells(queries: list[str]) -> str:
    return "".join(f'# %%\n"""\nquery: {query}\n"""\nlen({query!r})\n' for query in queries)


@pytest.fixture
def three(workspace: Workspace) -> Revision:
    return problemsets.create(workspace, name="three", text=cells(QUERIES), author="lee", origin=Origin.PERSON)


def by_others(workspace: Workspace, base: Revision, queries: list[str]) -> Revision:
    return revisions.save(workspace, base.problemset_id, cells(queries), base_revision_id=base.id, author="lee")


def settings_by_query(workspace: Workspace, draft: Revision) -> dict[str, str]:
    head = revisions.find(workspace, problemsets.find(workspace, draft.problemset_id).head_revision_id)
    return {each.texts["query"]: each.texts["settings"].strip() for each in Document.parse(head.text, name="x").cells}


def open_second(open_page: Open, three: Revision) -> AppTest:
    return open_page("editor", set=three.problemset_id, pid="p2")


def save(app: AppTest, draft: Revision) -> None:
    app.button(key=f"save:{draft.problemset_id}").click().run()


CHANGED = {
    "inserted": ["Is there a new one?", *QUERIES],
    "moved": [QUERIES[1], QUERIES[0], QUERIES[2]],
    "deleted before": QUERIES[1:],
}


@pytest.mark.parametrize("change", CHANGED)
@pytest.mark.parametrize("at_once", [False, True], ids=["after a pause", "with the press"])
def test_settings_are_saved_into_the_problem_they_were_typed_for(
    change: str, at_once: bool, open_page: Open, three: Revision, workspace: Workspace
) -> None:
    app = open_second(open_page, three)
    area = app.text_area[SETTINGS].set_value(MINE)
    if not at_once:
        area.run()
    by_others(workspace, three, CHANGED[change])
    save(app, three)  # the screen is that of before
    assert settings_by_query(workspace, three) == {
        query: MINE if query == QUERIES[1] else "" for query in CHANGED[change]
    }
    assert app.text_area[QUERY].value == QUERIES[1]  # and the problem stays on the screen


def test_a_reload_shows_the_settings_at_their_problem_and_tells_where_it_is(
    open_page: Open, three: Revision, workspace: Workspace, said: Said
) -> None:
    open_second(open_page, three).text_area[SETTINGS].set_value(MINE).run()
    by_others(workspace, three, CHANGED["inserted"])
    app = open_second(open_page, three)
    assert (app.text_area[QUERY].value, app.text_area[SETTINGS].value) == (QUERIES[0], "")
    assert "your unsaved text moved with them: it belongs to problem 3 now" in said(app).replace("\\", "")
    app = open_page("editor", set=three.problemset_id, pid="p3")
    assert (app.text_area[QUERY].value, app.text_area[SETTINGS].value) == (QUERIES[1], MINE)
    assert [each.problem for each in autosaves.select(workspace, "mei", three.problemset_id)] == ["p3"]


def test_the_settings_of_a_problem_that_was_deleted_are_saved_nowhere_and_kept(
    open_page: Open, three: Revision, workspace: Workspace, said: Said
) -> None:
    app = open_second(open_page, three)
    app.text_area[SETTINGS].set_value(MINE).run()
    by_others(workspace, three, [QUERIES[0], QUERIES[2]])
    save(app, three)
    assert settings_by_query(workspace, three) == {QUERIES[0]: "", QUERIES[2]: ""}
    app = open_second(open_page, three)
    app.text_area[SETTINGS].set_value("tags: [others]").run()
    save(app, three)
    assert settings_by_query(workspace, three) == {QUERIES[0]: "", QUERIES[2]: "tags: [others]"}
    assert "unsaved text of yours whose cell somebody deleted or changed" in said(app)
    assert MINE in [each.value.strip() for each in app.code]
    drop = next(each for each in app.button if each.label == "Drop this text")
    drop.click().run()
    assert not autosaves.select(workspace, "mei", three.problemset_id)


def test_a_field_below_the_settings_changes_the_problem_it_was_shown_for(
    open_page: Open, three: Revision, workspace: Workspace
) -> None:
    app = open_second(open_page, three)
    app.session_state[f"fields:{three.problemset_id}:open"] = True
    app.run()
    by_others(workspace, three, CHANGED["inserted"])
    app.selectbox(key=f"fields:mei:{three.problemset_id}:p2:difficulty").select("hard").run()
    save(app, three)
    assert {query: "hard" in text for query, text in settings_by_query(workspace, three).items()} == {
        query: query == QUERIES[1] for query in CHANGED["inserted"]
    }


def test_two_texts_for_one_field_are_both_kept(open_page: Open, three: Revision, workspace: Workspace) -> None:
    open_second(open_page, three).text_area[SETTINGS].set_value(MINE).run()
    head = by_others(workspace, three, CHANGED["inserted"])
    autosaves.save(
        workspace, person="mei", problemset_id=three.problemset_id, problem="p3", field="settings",
        text="tags: [newer]", base_revision_id=head.id, writer="another tab", expected_saved_no=None,
    )  # fmt: skip
    app = open_page("editor", set=three.problemset_id, pid="p3")
    assert app.text_area[SETTINGS].value == "tags: [newer]"
    assert MINE in [each.value.strip() for each in app.code]


def texts_of(workspace: Workspace, draft: Revision) -> list[str]:
    return sorted(each.text for each in autosaves.select(workspace, "mei", draft.problemset_id))


def with_tags_of_others(workspace: Workspace, base: Revision, queries: list[str]) -> None:
    text = cells(queries).replace(QUERIES[1], f"{QUERIES[1]}\ntags: [lee]", 1)
    revisions.save(workspace, base.problemset_id, text, base_revision_id=base.id, author="lee")


def test_what_two_tabs_typed_for_a_problem_that_is_gone_is_kept_twice(
    open_page: Open, three: Revision, workspace: Workspace
) -> None:
    one, two = open_second(open_page, three), open_second(open_page, three)
    one.text_area[SETTINGS].set_value("tags: [one]").run()
    by_others(workspace, three, [QUERIES[0], QUERIES[2]])
    one.run()
    two.text_area[SETTINGS].set_value("tags: [two]").run()
    assert texts_of(workspace, three) == ["tags: [one]", "tags: [two]"]


def test_no_text_is_saved_into_another_problem_while_it_cannot_be_kept_anew(
    open_page: Open, three: Revision, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_second(open_page, three)
    app.text_area[SETTINGS].set_value(MINE).run()
    by_others(workspace, three, CHANGED["inserted"])

    def refuse(*_: object) -> None:
        raise ToolkitError("the workspace is locked")

    monkeypatch.setattr(moved_cells, "relocate", refuse)
    app.run()
    assert app.text_area[SETTINGS].value == MINE
    save(app, three)
    assert settings_by_query(workspace, three)[QUERIES[1]] == MINE
    assert settings_by_query(workspace, three)[QUERIES[0]] == ""


def test_a_press_that_is_read_before_the_text_saves_nothing_over_what_others_changed_in_a_moved_problem(
    open_page: Open, three: Revision, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    tabs = [open_second(open_page, three) for _ in range(2)]
    with_tags_of_others(workspace, three, CHANGED["inserted"])
    store = editing._store_area  # the field's own callback names the cell as it was, and comes after the press here
    monkeypatch.setattr(editing, "_store_area", lambda field: store(field) if field.cell_key == "p3" else None)
    for number, app in enumerate(tabs):
        app.text_area[SETTINGS].set_value(f"tags: [tab{number}]")
        save(app, three)
    assert settings_by_query(workspace, three)[QUERIES[1]] == "tags: [lee]"
    assert texts_of(workspace, three) == ["tags: [tab0]", "tags: [tab1]"]
    assert [str(app.text_area[SETTINGS].value).strip() for app in tabs] == ["tags: [lee]"] * 2


def test_a_title_given_to_one_of_two_equal_problems_moves_no_text(open_page: Open, workspace: Workspace) -> None:
    text = cells(QUERIES[:1] * 2)
    twins = problemsets.create(workspace, name="twins", text=text, author="lee", origin=Origin.PERSON)
    app = open_page("editor", set=twins.problemset_id, pid="p1")
    app.text_area[SETTINGS].set_value(MINE).run()
    titled = text.replace("# %%", "# %% First", 1)
    revisions.save(workspace, twins.problemset_id, titled, base_revision_id=twins.id, author="lee")
    save(app, twins)
    head = revisions.find(workspace, problemsets.find(workspace, twins.problemset_id).head_revision_id)
    assert [each.texts["settings"].strip() for each in Document.parse(head.text, name="x").cells] == [MINE, ""]
