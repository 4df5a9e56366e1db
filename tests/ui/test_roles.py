"""Who writes in a tab and may do what: signed-in people with roles, and picked names where nobody signs in."""

import pytest

from authoring.store import problemsets
from authoring.store.people import Role, give_roles, list_roles
from authoring.store.revisions import Revision
from authoring.store.settings import set_setting
from authoring.store.workspace import Workspace
from tests.ui.acts import Open, errors, page_links, press, said
from tests.ui.row_lists import names


def test_nobody_reads_anything_before_signing_in(sign_in: Open, draft: Revision) -> None:
    app = sign_in()
    assert [button.label for button in app.button] == ["Sign in"]
    assert draft.problemset_name not in said(app)
    assert "no confirmed e-mail address" in said(sign_in("mei@example.org", verified=False))


def test_the_first_person_is_maintainer_the_next_waits(sign_in: Open, draft: Revision, ws: Workspace) -> None:
    first = sign_in("Mei@example.org", user="Eve")
    assert "you are the first person here" in said(first)
    assert "Eve" not in said(first), "no name of the address counts"
    assert names(first) == ["shop-sales"]
    assert "no role in this workspace yet" in said(sign_in("lee@example.org"))
    assert list_roles(ws) == {"mei@example.org": {Role.MAINTAINER}, "lee@example.org": set()}

    settings = sign_in("mei@example.org", "settings")
    settings.multiselect(key="settings:roles:lee@example.org").select("annotator").run()
    assert "changed the roles of" in said(settings)
    assert names(sign_in("lee@example.org")) == ["shop-sales"]


def test_a_role_is_checked_when_a_button_is_pressed(sign_in: Open, draft: Revision, ws: Workspace) -> None:
    give_roles(ws, "root@example.org", ["maintainer"])
    give_roles(ws, "mei@example.org", ["annotator", "reviewer"])
    app = sign_in("mei@example.org", "problemset", set=draft.problemset_id)
    give_roles(ws, "mei@example.org", ["evaluator"])  # while the page is open
    press(app, f"set:{draft.problemset_id}:submit")
    assert "this needs the role annotator or maintainer" in errors(app)
    assert problemsets.find(ws, draft.problemset_id).status == "draft"
    app = sign_in("mei@example.org", "editor", set=draft.problemset_id, pid="p1")
    assert "Query · to read only" in said(app), "who may not edit has nothing to type into"
    assert "How many units were sold in each shop?" in [code.value.strip() for code in app.code]
    press(app, f"save:{draft.problemset_id}")
    assert "this needs the role annotator" in errors(app)


def test_an_unknown_name_is_told_until_it_is_read(open_page: Open, ws: Workspace) -> None:
    set_setting(ws, "annotator_names", ["mei", "lee"])
    app = open_page(user="*Eve*")
    assert "There is nobody named *Eve* here: you are mei" in said(app)
    assert not [each for each in app.markdown if "named *Eve*" in each.value], "a name is drawn as text"
    assert "Go to Settings" in page_links(app)
    app.query_params.clear()  # as the list of names does in a browser
    app.run()
    assert "There is nobody named *Eve* here" in said(app)
    assert "Eve" not in said(press(app, "unknown_name:close"))


def test_the_sidebar_says_who_signs_unless_chosen(
    open_page: Open, ws: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "Add your name" not in page_links(open_page())
    monkeypatch.setenv("BENCHWRIGHT_USER", "root")
    app = open_page()
    assert app.selectbox(key="user").value == "annotator"
    assert "Add your name" in page_links(app)
    assert "Your work is signed with this name." in said(app)
    set_setting(ws, "annotator_names", ["annotator", "Bo"])
    assert "Add your name" in page_links(open_page())
    assert "Add your name" not in page_links(open_page(user="Bo"))


def test_settings_add_a_name_to_pick_from(open_page: Open, ws: Workspace) -> None:
    app = open_page("settings")
    for typed, refusal in (("  Lee   Ann ", ""), (" ", "no name was typed"), ("Demo", "works under the name Demo")):
        app.text_input(key="settings:name").set_value(typed)
        press(app, "settings:add")
        assert refusal in errors(app)
        assert bool(app.error) == bool(refusal)
        assert app.selectbox(key="user").options == ["mei", "Lee Ann"]
