"""Others insert, move and delete cells under unsaved text: it stays with the problem that it was written for."""

import pytest

from authoring.store import problemsets
from authoring.store.revisions import Revision
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from authoring.ui.editor import editing, moved_cells
from evaluator.errors import ToolkitError
from evaluator.language.document import Document
from tests.ui.acts import Open, said
from tests.ui.problemset.acts import QUERY, SETTINGS, Desk, press_labelled

QUERIES = ["How many apples are there?", "Which year was the wettest?", "What is the mean of b?"]
INSERTED, MOVED = ["Is there a new one?", *QUERIES], [QUERIES[1], QUERIES[0], QUERIES[2]]
DELETED = [QUERIES[0], QUERIES[2]]
MINE = "tags: [mine]"


def cells(queries: list[str]) -> str:
    return "".join(f'# %%\n"""\nquery: {query}\n"""\nlen({query!r})\n' for query in queries)


def create(ws: Workspace, queries: list[str], name: str) -> Revision:
    return problemsets.create(ws, name=name, text=cells(queries), author="lee", origin=Origin.PERSON)


@pytest.fixture
def draft(workspace: Workspace) -> Revision:
    """A set of three problems."""
    return create(workspace, QUERIES, "three")


def settings_by_query(desk: Desk) -> dict[str, str]:
    found = Document.parse(desk.head().text, name="x").cells
    return {each.texts["query"]: each.texts["settings"].strip() for each in found}


def test_settings_are_saved_into_the_problem_they_were_typed_for(open_page: Open, workspace: Workspace) -> None:
    changes = [(INSERTED, False), (INSERTED, True), (MOVED, True), (QUERIES[1:], False)]
    for number, (queries, at_once) in enumerate(changes):
        desk = Desk(workspace, create(workspace, QUERIES, f"three-{number}"), open_page)
        app = desk.editor("p2")
        typed = app.text_area[SETTINGS].set_value(MINE)
        if not at_once:
            typed.run()
        desk.change(cells(queries))
        desk.save(app)  # the screen is that of before
        assert settings_by_query(desk) == {query: MINE * (query == QUERIES[1]) for query in queries}
        assert app.text_area[QUERY].value == QUERIES[1]  # and the problem stays on the screen


def test_a_reload_shows_settings_at_their_problem_and_tells_where_it_is(desk: Desk) -> None:
    desk.keep(MINE, problem="p2", field="settings")
    desk.change(cells(INSERTED))
    app = desk.editor("p2")
    assert (app.text_area[QUERY].value, app.text_area[SETTINGS].value) == (QUERIES[0], "")
    assert "your unsaved text moved with them: it belongs to problem 3 now" in said(app)
    assert list(desk.kept()) == [("p3", "settings")]
    app = desk.editor("p3")
    assert (app.text_area[QUERY].value, app.text_area[SETTINGS].value) == (QUERIES[1], MINE)


def test_settings_of_a_problem_that_was_deleted_are_saved_nowhere_and_kept(desk: Desk) -> None:
    app = desk.editor("p2")
    app.text_area[SETTINGS].set_value(MINE).run()
    desk.change(cells(DELETED))
    desk.save(app)
    assert settings_by_query(desk) == dict.fromkeys(DELETED, "")
    app = desk.editor("p2")
    app.text_area[SETTINGS].set_value("tags: [others]")
    desk.save(app)
    assert settings_by_query(desk) == {QUERIES[0]: "", QUERIES[2]: "tags: [others]"}
    assert "unsaved text of yours whose cell somebody deleted or changed" in said(app)
    assert MINE in [each.value.strip() for each in app.code]
    press_labelled(app, "Drop this text")
    assert not desk.kept()


def test_a_field_below_the_settings_changes_the_problem_it_was_shown_for(desk: Desk) -> None:
    app = desk.open_with({f"fields:{desk.number}:open": True}, "editor", set=desk.number, pid="p2")
    desk.change(cells(INSERTED))
    app.selectbox(key=f"fields:mei:{desk.number}:p2:difficulty").select("hard").run()
    desk.save(app)
    hard = {query: "hard" in text for query, text in settings_by_query(desk).items()}
    assert hard == {query: query == QUERIES[1] for query in INSERTED}


def test_two_texts_for_one_field_are_both_kept(desk: Desk) -> None:
    desk.keep(MINE, problem="p2", field="settings")
    newer = desk.change(cells(INSERTED))
    desk.keep("tags: [newer]", problem="p3", field="settings", writer="a third tab", base=newer)
    app = desk.editor("p3")
    assert app.text_area[SETTINGS].value == "tags: [newer]"
    assert MINE in [each.value.strip() for each in app.code]


def test_text_that_cannot_be_kept_anew_is_saved_into_no_other_problem(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = desk.editor("p2")
    app.text_area[SETTINGS].set_value(MINE).run()
    desk.change(cells(INSERTED))

    def refuse(*_: object) -> None:
        raise ToolkitError("the workspace is locked")

    monkeypatch.setattr(moved_cells, "relocate", refuse)
    app.run()
    assert app.text_area[SETTINGS].value == MINE
    desk.save(app)
    assert settings_by_query(desk) == {query: MINE * (query == QUERIES[1]) for query in INSERTED}


def test_a_press_read_before_the_text_goes_over_nothing_of_others(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    app = desk.editor("p2")
    desk.change(cells(INSERTED).replace(QUERIES[1], f"{QUERIES[1]}\ntags: [lee]", 1))
    store = editing._store_area  # the field's own callback names the cell as it was, and comes after the press here
    monkeypatch.setattr(editing, "_store_area", lambda field: store(field) if field.cell_key == "p3" else None)
    app.text_area[SETTINGS].set_value(MINE)
    desk.save(app)
    assert settings_by_query(desk)[QUERIES[1]] == "tags: [lee]"
    assert desk.kept_texts() == [MINE]
    assert str(app.text_area[SETTINGS].value).strip() == "tags: [lee]"


def test_a_title_given_to_one_of_two_equal_problems_moves_no_text(open_page: Open, workspace: Workspace) -> None:
    desk = Desk(workspace, create(workspace, QUERIES[:1] * 2, "twins"), open_page)
    app = desk.editor()
    app.text_area[SETTINGS].set_value(MINE)
    desk.change(desk.text.replace("# %%", "# %% First", 1))
    desk.save(app)
    found = Document.parse(desk.head().text, name="x").cells
    assert [each.texts["settings"].strip() for each in found] == [MINE, ""]
