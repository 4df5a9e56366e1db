"""Who writes in a tab and may do what: signed-in people with roles, and picked names where nobody signs in."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from authoring.store import jobs, problemsets
from authoring.store.people import Role, give_roles, list_roles
from authoring.store.reviewing.reviews import needs_second_person
from authoring.store.revisions import Revision
from authoring.store.settings import set_setting
from authoring.store.workspace import Workspace
from tests.ui.acts import Open, errors, page_links, press, said
from tests.ui.conftest import ROOT
from tests.ui.row_lists import names


def test_nobody_reads_anything_before_signing_in(sign_in: Open, draft: Revision) -> None:
    app = sign_in()
    assert [button.label for button in app.button] == ["Sign in"]
    assert draft.problemset_name not in said(app)
    assert "no confirmed e-mail address" in said(sign_in("mei@example.org", verified=False))


def test_the_first_person_is_maintainer_the_next_waits(sign_in: Open, draft: Revision, workspace: Workspace) -> None:
    first = sign_in("Mei@example.org", user="Eve")
    assert "you are the first person here" in said(first)
    assert "Eve" not in said(first), "no name of the address counts"
    assert names(first) == ["shop-sales"]
    assert "no role in this workspace yet" in said(sign_in("lee@example.org"))
    assert list_roles(workspace) == {"mei@example.org": {Role.MAINTAINER}, "lee@example.org": set()}

    settings = sign_in("mei@example.org", "settings")
    settings.multiselect(key="settings:roles:lee@example.org").select("annotator").run()
    assert "changed the roles of" in said(settings)
    assert names(sign_in("lee@example.org")) == ["shop-sales"]


def test_a_role_is_checked_when_a_button_is_pressed(sign_in: Open, draft: Revision, workspace: Workspace) -> None:
    give_roles(workspace, "root@example.org", ["maintainer"])
    give_roles(workspace, "mei@example.org", ["annotator", "reviewer"])
    app = sign_in("mei@example.org", "problemset", set=draft.problemset_id)
    give_roles(workspace, "mei@example.org", ["evaluator"])  # while the page is open
    press(app, f"set:{draft.problemset_id}:submit")
    assert "this needs the role annotator or maintainer" in errors(app)
    assert problemsets.find(workspace, draft.problemset_id).status == "draft"
    app = sign_in("mei@example.org", "editor", set=draft.problemset_id, pid="p1")
    assert "Query · to read only" in said(app), "who may not edit has nothing to type into"
    assert "How many units were sold in each shop?" in [code.value.strip() for code in app.code]
    press(app, f"save:{draft.problemset_id}")
    assert "this needs the role annotator" in errors(app)


def test_annotators_try_answers_and_ask_for_validators(sign_in: Open, workspace: Workspace, draft: Revision) -> None:
    give_roles(workspace, "boss@x.org", [Role.MAINTAINER])
    give_roles(workspace, "ann@x.org", [Role.ANNOTATOR])
    set_setting(workspace, "plain_editors", {"ann@x.org": True})
    app = sign_in("ann@x.org", "editor", set=draft.problemset_id, pid="p1")
    ours = draft.problemset_id
    for tab, button in (("Try", f"try:{ours}:p1:go"), ("Validators", f"propose:{ours}:p1")):
        app.session_state[f"tabs:{ours}"] = tab
        app.run()
        if tab == "Try":
            (box,) = [area for area in app.text_area if area.label == "Answer to try"]
            box.set_value("sales")
        press(app, button)
        assert not app.error
    assert [job.kind for job in jobs.select(workspace)] == ["validators", "try"]


def test_without_sign_in_a_picked_name_has_all_roles(open_page: Open, draft: Revision, workspace: Workspace) -> None:
    app = open_page("problemset", set=draft.problemset_id)
    press(app, f"set:{draft.problemset_id}:submit")
    assert problemsets.find(workspace, draft.problemset_id).status == "submitted"
    settings = open_page("settings")
    settings.toggle(key="settings:second_person").set_value(True).run()
    assert needs_second_person(workspace)


# Names, where nobody signs in


@pytest.fixture
def come_as(workspace: Workspace) -> Callable[[str], AppTest]:
    """Open the app by an address with a name."""
    del workspace

    def come_as_(name: str) -> AppTest:
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
        app.query_params["user"] = name
        app.run()
        assert not app.exception
        return app

    return come_as_


def test_an_unknown_name_is_told_until_it_is_read(come_as: Callable[[str], AppTest], workspace: Workspace) -> None:
    set_setting(workspace, "annotator_names", ["mei", "lee"])
    app = come_as("*Eve*")
    assert "There is nobody named *Eve* here: you are mei" in said(app)
    assert not [each for each in app.markdown if "named *Eve*" in each.value], "a name is drawn as text"
    assert "Go to Settings" in page_links(app)
    app.query_params.clear()  # as the list of names does in a browser
    app.run()
    assert "There is nobody named *Eve* here" in said(app)
    press(app, "unknown_name:close")
    assert "Eve" not in said(app)
    assert "Eve" not in said(come_as("lee"))


@pytest.mark.parametrize("people", [["mei", "Eve"], ["mei", "lee"]], ids=["the name is added", "another is chosen"])
def test_an_unknown_name_is_forgotten(
    people: list[str], come_as: Callable[[str], AppTest], workspace: Workspace
) -> None:
    app = come_as("Eve")
    assert "nobody named Eve" in said(app)
    set_setting(workspace, "annotator_names", people)
    if "Eve" not in people:
        app.run()
        app.selectbox(key="user").select("lee")
    app.run()
    assert "nobody named Eve" not in said(app)


def test_the_sidebar_says_who_signs_while_nobody_chose_a_name(
    open_page: Open, come_as: Callable[[str], AppTest], workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    added = "Add your name"
    assert added not in page_links(open_page())
    monkeypatch.setenv("BENCHWRIGHT_USER", "root")
    app = open_page()
    assert app.selectbox(key="user").value == "annotator"
    assert added in page_links(app)
    assert "Your work is signed with this name." in said(app)
    set_setting(workspace, "annotator_names", ["annotator", "Bo"])
    assert added in page_links(open_page())
    assert added not in page_links(come_as("Bo"))


def test_settings_add_a_name_to_pick_from(open_page: Open, workspace: Workspace) -> None:
    app = open_page("settings")
    for typed, refusal in (("  Lee   Ann ", ""), (" ", "no name was typed"), ("Demo", "works under the name Demo")):
        app.text_input(key="settings:name").set_value(typed)
        press(app, "settings:add")
        assert refusal in errors(app)
        assert bool(app.error) == bool(refusal)
        assert app.selectbox(key="user").options == ["mei", "Lee Ann"]
