"""The name under which a tab writes, where nobody signs in: unknown names, and the one that nobody chose."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from authoring.store.people import give_roles
from authoring.store.settings import set_setting
from authoring.store.workspace import Workspace
from tests.ui.test_results import links

ROOT = Path(__file__).parents[2]
Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]


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


def test_an_address_with_an_unknown_name_says_so_until_it_is_read(
    come_as: Callable[[str], AppTest], workspace: Workspace, said: Said
) -> None:
    set_setting(workspace, "annotator_names", ["mei", "lee"])
    app = come_as("Eve")
    assert "There is nobody named Eve here: you are mei" in said(app)
    assert "Go to Settings" in links(app)
    app.query_params.clear()  # as the list of names does in a browser
    app.run()
    assert "There is nobody named Eve here" in said(app)
    app.button(key="unknown_name:close").click().run()
    assert "Eve" not in said(app)
    assert "Eve" not in said(come_as("lee"))


@pytest.mark.parametrize("people", [["mei", "Eve"], ["mei", "lee"]], ids=["the name is added", "another is chosen"])
def test_the_unknown_name_is_forgotten_once(
    people: list[str], come_as: Callable[[str], AppTest], workspace: Workspace, said: Said
) -> None:
    app = come_as("Eve")
    assert "nobody named Eve" in said(app)
    set_setting(workspace, "annotator_names", people)
    if "Eve" not in people:
        app.run()
        app.selectbox(key="user").select("lee")
    app.run()
    assert "nobody named Eve" not in said(app)


def test_an_unknown_name_is_drawn_as_text(come_as: Callable[[str], AppTest], said: Said) -> None:
    assert "**evil**" not in said(come_as("**evil**"))


def test_the_sidebar_says_who_signs_while_nobody_chose_a_name(
    open_page: Open,
    come_as: Callable[[str], AppTest],
    workspace: Workspace,
    said: Said,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    added = "Add your name"
    assert added not in links(open_page())
    monkeypatch.setenv("BENCHWRIGHT_USER", "root")
    app = open_page()
    assert app.selectbox(key="user").value == "annotator"
    assert added in links(app)
    assert "Your work is signed with this name." in said(app)
    set_setting(workspace, "annotator_names", ["annotator", "Bo"])
    assert added in links(open_page())
    assert added not in links(come_as("Bo"))


def test_where_people_sign_in_no_name_of_the_address_counts(
    sign_in: Callable[..., AppTest], workspace: Workspace, said: Said
) -> None:
    give_roles(workspace, "ann@example.org", ["maintainer"])
    assert "Eve" not in said(sign_in("ann@example.org", user="Eve"))
