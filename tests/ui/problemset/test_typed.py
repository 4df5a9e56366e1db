"""Nothing that was typed into a form is lost: it is there again in another tab, until it is sent or given up."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from authoring.drafting.guide.amendment_proposals import propose_amendments
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
from tests.ui.acts import Open, press, said


def test_texts_are_kept_by_person_and_field_and_forgotten_after_a_month(
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
    ("page", "tab", "fields"),
    [
        ("seeds", "Datasets", {"seed_add:description": "text_input"}),
        ("seeds", "Topics", {"topics:propose:modules": "text_input", "topics:text": "text_area"}),
        ("guide", "Amendments", {"guide:own:new": "text_area", "guide:own:reason": "text_input"}),
        ("seeds?sketch=1", "Comments", {"sketch:1:comment:text": "text_area", "sketch:1:message": "text_input"}),
    ],
)
def test_what_was_typed_into_a_form_is_there_again_in_another_tab(
    page: str, tab: str, fields: dict[str, str], open_tab: Open, workspace: Workspace, seed: int
) -> None:
    def opened() -> AppTest:
        name, _, sketch = page.partition("?sketch=")
        return open_tab(name, tab, **({"sketch": sketch} if sketch else {}))

    app = opened()
    for key, kind in fields.items():
        getattr(app, kind)(key=key).set_value(f"half of {key}")
    app.run()
    again = opened()
    for key, kind in fields.items():
        assert getattr(again, kind)(key=key).value == f"half of {key}"
    assert set(list_unsent(workspace, "mei")) == set(fields)


def test_a_form_that_was_sent_begins_empty_and_what_others_hold_stays(
    open_page: Open, workspace: Workspace, seed: int
) -> None:
    app = open_page("bootstrap")
    app.text_input(key="plan:new:name").set_value("trio")
    app.text_input(key="auto:new:version").set_value("half").run()
    app = open_page("bootstrap")
    assert app.text_input(key="auto:new:version").value == "half"
    assert app.text_input(key="plan:new:name").value == "trio"
    app.selectbox(key="plan:new:language").select("zh")
    press(app, "plan:new:send")
    (plan,) = list_bootstraps(workspace)
    assert (plan.name, plan.plan["language"]) == ("trio", "zh")
    assert jobs.select(workspace) == []
    assert list_unsent(workspace, "mei") == {"auto:new:version": "half"}
    assert open_page("bootstrap").text_input(key="plan:new:name").value == ""


def test_corrections_of_a_seed_are_there_again_and_gone_once_saved(
    open_page: Open, workspace: Workspace, seed: int
) -> None:
    open_page("seeds", seed=seed).text_input(key=f"seed:{seed}:licence").set_value("CC-BY").run()
    app = open_page("seeds", seed=seed)
    assert app.text_input(key=f"seed:{seed}:licence").value == "CC-BY"
    press(app, f"seed:{seed}:correct")
    assert list_unsent(workspace, "mei") == {}


def test_unsaved_guide_text_is_its_writers_and_opens_where_it_began(open_page: Open, workspace: Workspace) -> None:
    set_setting(workspace, "annotator_names", ["mei", "lee"])
    app = press(open_page("guide"), "guide:edit")
    app.text_area(key="guide:text:1").set_value("Mine.").run()
    app.selectbox(key="user").select("lee").run()  # in the same tab
    assert [area.key for area in app.text_area] == []
    press(app, "guide:edit")
    assert app.text_area(key="guide:text:1").value == shown_guide(workspace).text
    save_guide(workspace, "Theirs.", base_number=1, author="lee", message="")
    app = open_page("guide")
    assert app.text_area(key="guide:text:1").value == "Mine."
    assert "Somebody saved revision 2 while you wrote" in said(app)
    press(app, "guide:cancel")
    assert list_unsent(workspace, "mei") == {}
    assert "Theirs." in said(app)
    press(app, "guide:edit")
    app.text_area(key="guide:text:2").set_value("Ours.")
    press(app, "guide:save")
    assert (shown_guide(workspace).text, list_unsent(workspace, "mei")) == ("Ours.", {})


def test_a_reason_against_an_amendment_is_there_again_until_it_is_decided(
    open_tab: Callable[..., AppTest], workspace: Workspace, draft: Revision
) -> None:
    add_comment(workspace, revision_id=draft.id, author="lee", text="which unit?", kind="ambiguous", problem="p1")
    (amendment,) = propose_amendments(workspace, proposed_by="mei").amendments
    key = f"amendment:{amendment.id}"
    open_tab("guide", "Amendments").text_area(key=f"{key}:reason").set_value("units are").run()
    app = open_tab("guide", "Amendments")
    assert app.text_area(key=f"{key}:reason").value == "units are"
    press(app, f"{key}:refuse")
    assert list_unsent(workspace, "mei") == {}
