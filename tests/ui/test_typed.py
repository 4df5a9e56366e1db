"""Nothing that was typed into a form is lost: it is there again in another tab, until it is sent or given up."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from authoring.drafting.guide.guide_effects import shown_guide
from authoring.store import jobs
from authoring.store.autosaves import keep_unsent, list_unsent
from authoring.store.database.connections import timestamp
from authoring.store.drafting.bootstrap import list_bootstraps
from authoring.store.drafting.guide import save_guide
from authoring.store.reviewing.reviews import add_comment
from authoring.store.revisions import Revision
from authoring.store.settings import set_setting
from authoring.store.workspace import Workspace

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]


@pytest.fixture
def open_tab(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> Open:
    """Open a page with one of its tabs chosen."""
    import streamlit as st

    real = st.tabs

    def open_(page: str, tab: str, **parameters: str | int) -> AppTest:
        def tabs(names: list[str], **more: object) -> object:
            return real(names, **{**more, "default": tab if tab in names else None})  # type: ignore[arg-type]

        monkeypatch.setattr(st, "tabs", tabs)
        return open_page(page, **parameters)

    return open_


def test_texts_are_kept_for_each_person_and_field_and_forgotten_after_a_month(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_unsent(workspace, "mei", "a:b", "old")
    keep_unsent(workspace, 'mei"', "a", {"rows": [1]})
    assert list_unsent(workspace, "mei") == {"a:b": "old"}
    assert list_unsent(workspace, 'mei"') == {"a": {"rows": [1]}}
    keep_unsent(workspace, "mei", "a:b", None)
    assert list_unsent(workspace, "mei") == {}
    keep_unsent(workspace, "mei", "a", "old")

    def later(*, shift_s: float = 0.0) -> str:
        return timestamp(shift_s=shift_s + 31 * 24 * 3600)

    monkeypatch.setattr("authoring.store.autosaves.timestamp", later)
    keep_unsent(workspace, "mei", "b", "new")
    assert list_unsent(workspace, "mei") == {"b": "new"}
    assert list_unsent(workspace, 'mei"') == {}


@pytest.mark.parametrize(
    ("page", "tab", "kind", "key"),
    [
        ("seeds", "Datasets", "text_input", "seed_add:description"),
        ("seeds", "Topics", "text_input", "topics:propose:modules"),
        ("seeds", "Topics", "text_area", "topics:text"),
        ("guide", "Amendments", "text_area", "guide:own:new"),
        ("guide", "Amendments", "text_input", "guide:own:reason"),
        ("bootstrap", "", "text_input", "plan:new:name"),
        ("bootstrap", "", "text_input", "auto:new:version"),
    ],
)
def test_what_was_typed_into_a_form_is_there_again_in_another_tab(
    page: str, tab: str, kind: str, key: str, open_tab: Open, workspace: Workspace
) -> None:
    app = open_tab(page, tab)
    getattr(app, kind)(key=key).set_value("half a sent").run()
    assert getattr(open_tab(page, tab), kind)(key=key).value == "half a sent"
    assert list(list_unsent(workspace, "mei")) == [key]


@pytest.mark.parametrize(("key", "kind"), [("sketch:1:comment:text", "text_area"), ("sketch:1:message", "text_input")])
def test_what_was_typed_about_a_sketch_is_there_again(key: str, kind: str, open_tab: Open, seed: int) -> None:
    app = open_tab("seeds", "Comments", sketch=1)
    getattr(app, kind)(key=key).set_value("too close").run()
    assert getattr(open_tab("seeds", "Comments", sketch=1), kind)(key=key).value == "too close"


def test_corrections_of_a_seed_are_there_again_and_gone_once_saved(
    open_page: Open, workspace: Workspace, seed: int
) -> None:
    app = open_page("seeds", seed=seed)
    app.text_input(key=f"seed:{seed}:licence").set_value("CC-BY").run()
    app = open_page("seeds", seed=seed)
    assert app.text_input(key=f"seed:{seed}:licence").value == "CC-BY"
    app.button(key=f"seed:{seed}:correct").click().run()
    assert list_unsent(workspace, "mei") == {}


def test_unsaved_guide_text_opens_again_with_the_revision_it_was_begun_on(
    open_page: Open, workspace: Workspace, said: Said
) -> None:
    app = open_page("guide")
    app.button(key="guide:edit").click().run()
    app.text_area(key="guide:text:1").set_value("Mine.").run()
    save_guide(workspace, "Theirs.", base_number=1, author="lee", message="")
    app = open_page("guide")
    assert app.text_area(key="guide:text:1").value == "Mine."
    assert "Somebody saved revision 2 while you wrote" in said(app)
    app.button(key="guide:cancel").click().run()
    assert list_unsent(workspace, "mei") == {}
    assert "Theirs." in said(app)
    app.button(key="guide:edit").click().run()
    app.text_area(key="guide:text:2").set_value("Ours.").run()
    app.button(key="guide:save").click().run()
    assert (shown_guide(workspace).text, list_unsent(workspace, "mei")) == ("Ours.", {})


def test_a_reason_against_an_amendment_is_there_again_until_it_is_decided(
    open_tab: Open, workspace: Workspace, draft: Revision
) -> None:
    from authoring.drafting.guide.amendment_proposals import propose_amendments

    add_comment(workspace, revision_id=draft.id, author="lee", text="which unit?", kind="ambiguous", problem="p1")
    (amendment,) = propose_amendments(workspace, proposed_by="mei").amendments
    app = open_tab("guide", "Amendments")
    app.text_area(key=f"amendment:{amendment.id}:reason").set_value("units are").run()
    app = open_tab("guide", "Amendments")
    assert app.text_area(key=f"amendment:{amendment.id}:reason").value == "units are"
    app.button(key=f"amendment:{amendment.id}:refuse").click().run()
    assert list_unsent(workspace, "mei") == {}


def test_a_form_that_was_sent_begins_empty(open_page: Open, workspace: Workspace, seed: int) -> None:
    app = open_page("bootstrap")
    app.text_input(key="plan:new:name").set_value("trio").run()
    app.button(key="plan:new:send").click().run()
    assert [plan.name for plan in list_bootstraps(workspace)] == ["trio"]
    assert jobs.select(workspace) == []
    assert list_unsent(workspace, "mei") == {}
    assert open_page("bootstrap").text_input(key="plan:new:name").value == ""


def test_what_one_person_typed_is_not_shown_to_the_next_in_the_same_tab(open_page: Open, workspace: Workspace) -> None:
    set_setting(workspace, "annotator_names", ["mei", "lee"])
    app = open_page("guide")
    app.button(key="guide:edit").click().run()
    app.text_area(key="guide:text:1").set_value("Mine.").run()
    app.selectbox(key="user").select("lee").run()
    assert [area.key for area in app.text_area] == []
    app.button(key="guide:edit").click().run()
    assert app.text_area(key="guide:text:1").value == shown_guide(workspace).text
    app.selectbox(key="user").select("mei").run()
    assert app.text_area(key="guide:text:1").value == "Mine."
