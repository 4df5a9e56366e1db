"""Who may do what: signed-in people have the roles that the workspace gives them, and every callback checks them."""

import ast
import importlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from authoring.store import jobs, problemsets
from authoring.store.people import Role, give_roles, list_roles
from authoring.store.reviewing.reviews import list_comments, needs_second_person
from authoring.store.revisions import Revision
from authoring.store.settings import set_setting
from authoring.store.workspace import Workspace
from authoring.ui.boundary import writes
from tests.ui.row_lists import names

ROOT = Path(__file__).parents[2]
UI = ROOT / "authoring" / "ui"
MODULES = sorted(path for path in UI.rglob("*.py") if path.stem not in ("server", "__init__"))
PAGES = UI / "pages"  # scripts that are run, not imported
LEAST_MODULES, LEAST_CALLBACKS = 90, 100
HARMLESS = {  # callbacks that change nothing but the tab: (module, name)
    ("state", "copy_to_param"),
    ("st", "login"),
    ("st", "logout"),
}


def callbacks_of(path: Path) -> set[str]:
    """Return what a file passes as `on_click`, `on_change` or `on_submit`, without names that are parameters."""
    tree = ast.parse(path.read_text())
    parameters = {argument.arg for node in ast.walk(tree) if isinstance(node, ast.arguments) for argument in node.args}
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg in ("on_click", "on_change", "on_submit", "on_select"):
            value = node.value.args[0] if isinstance(node.value, ast.Call) else node.value
            if not isinstance(value, ast.Constant) and ast.unparse(value) not in parameters:
                found.add(ast.unparse(value))
    return found


def resolve(module: ModuleType, name: str) -> Any:
    found: Any = module
    for part in name.split("."):
        found = getattr(found, part)
    return found


def unguarded(path: Path) -> list[str]:
    """Return the callbacks of a file that anybody could call."""
    module = None if path.parent == PAGES else importlib.import_module(module_of(path))
    imported = {
        alias.asname or alias.name: node.module
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    found = []
    for name in callbacks_of(path):
        if tuple(name.split(".")[-2:]) in HARMLESS:
            continue
        home = module or importlib.import_module(str(imported[name.partition(".")[0]]))
        if not getattr(resolve(home, name), "roles", ()):
            found.append(name)
    return found


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


@pytest.mark.parametrize("path", MODULES, ids=module_of)
def test_every_callback_says_who_may_call_it(path: Path) -> None:
    assert unguarded(path) == [], "wrap each in @writes(Role.…), or in @writes(ANYONE) if it changes this tab only"


def test_all_modules_and_callbacks_are_looked_at() -> None:
    assert len(MODULES) >= LEAST_MODULES
    assert sum(len(callbacks_of(path)) for path in MODULES) >= LEAST_CALLBACKS


def test_a_callback_without_a_role_is_refused_when_it_is_defined() -> None:
    with pytest.raises(AssertionError, match="say who may"):
        writes()


SignIn = Callable[..., AppTest]


def test_nobody_reads_anything_before_signing_in(sign_in: SignIn, draft: Revision, said: Callable[..., str]) -> None:
    app = sign_in()
    assert [button.label for button in app.button] == ["Sign in"]
    assert draft.problemset_name not in said(app).replace("\\", "")


def test_the_first_person_becomes_maintainer_and_the_next_waits(
    sign_in: SignIn, draft: Revision, workspace: Workspace, said: Callable[..., str]
) -> None:
    first = sign_in("Mei@example.org")
    assert "you are the first person here" in said(first)
    assert names(first) == ["shop-sales"]
    second = sign_in("lee@example.org")
    assert "no role in this workspace yet" in said(second)
    assert list_roles(workspace) == {"mei@example.org": {Role.MAINTAINER}, "lee@example.org": set()}

    settings = sign_in("mei@example.org", "settings")
    settings.multiselect(key="settings:roles:lee@example.org").select("annotator").run()
    assert "changed the roles of" in said(settings)
    assert names(sign_in("lee@example.org")) == ["shop-sales"]


def test_an_address_that_nobody_confirmed_is_no_name(
    sign_in: SignIn, workspace: Workspace, said: Callable[..., str]
) -> None:
    give_roles(workspace, "mei@example.org", ["maintainer"])
    assert "no confirmed e\\-mail address" in said(sign_in("mei@example.org", verified=False))


def test_a_role_is_checked_on_the_server_when_a_button_is_pressed(
    sign_in: SignIn, draft: Revision, workspace: Workspace, said: Callable[..., str]
) -> None:
    give_roles(workspace, "root@example.org", ["maintainer"])
    give_roles(workspace, "mei@example.org", ["annotator", "reviewer"])
    app = sign_in("mei@example.org", "problemset", set=draft.problemset_id)
    give_roles(workspace, "mei@example.org", ["evaluator"])  # while the page is open
    app.button(key=f"set:{draft.problemset_id}:submit").click().run()
    assert "this needs the role annotator or maintainer" in app.error[0].value
    assert problemsets.find(workspace, draft.problemset_id).status == "draft"
    app = sign_in("mei@example.org", "editor", set=draft.problemset_id, pid="p1")
    assert not list_comments(workspace, draft.problemset_id)
    app.button(key=f"save:{draft.problemset_id}").click().run()
    assert "this needs the role annotator" in app.error[0].value


def test_who_may_not_edit_reads_the_texts_and_has_nothing_to_type_into(
    sign_in: SignIn, draft: Revision, workspace: Workspace, said: Callable[..., str]
) -> None:
    give_roles(workspace, "root@example.org", ["maintainer"])
    give_roles(workspace, "lee@example.org", ["reviewer"])
    app = sign_in("lee@example.org", "editor", set=draft.problemset_id, pid="p1")
    assert "Query · to read only" in said(app)
    assert "How many units were sold in each shop?" in [code.value.strip() for code in app.code]
    assert app.button(key=f"editor:{draft.id}:send_back").disabled is False


def test_without_sign_in_a_picked_name_has_all_roles(
    open_page: Callable[..., AppTest], draft: Revision, workspace: Workspace
) -> None:
    app = open_page("problemset", set=draft.problemset_id)
    bar = open_page("editor", set=draft.problemset_id, pid="p1")
    assert {each.label for page in (app, bar) for each in page.button if str(each.key).endswith(":submit")} == {
        "Submit"
    }
    app.button(key=f"set:{draft.problemset_id}:submit").click().run()
    assert problemsets.find(workspace, draft.problemset_id).status == "submitted"
    settings = open_page("settings")
    settings.toggle(key="settings:second_person").set_value(True).run()
    assert needs_second_person(workspace)


def test_annotators_try_answers_and_ask_for_validators(sign_in: SignIn, workspace: Workspace, draft: Revision) -> None:
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
        app.button(key=button).click().run()
        assert not app.error
    assert [job.kind for job in jobs.select(workspace)] == ["validators", "try"]
