"""The Roundtable page: items opened by hand, handed to somebody, listed by state."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from authoring.store.reviewing.roundtable import assign_item, find_item, list_roundtable, resolve_item
from authoring.store.revisions import Revision
from authoring.store.settings import set_setting
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]


def test_an_item_is_opened_by_hand_handed_to_somebody_and_settled(
    open_page: Open, draft: Revision, workspace: Workspace, said: Said
) -> None:
    set_setting(workspace, "annotator_names", ["mei", "lee"])
    app = open_page("roundtable", set=draft.problemset_id)
    app.session_state["roundtable:new"] = True
    app.run()
    app.button(key="roundtable:new:send").click().run()
    assert "no problem is chosen" in app.error[0].value
    app.text_input(key="roundtable:new:shop-sales:reason").set_value("two readings of *sold*")
    app.selectbox(key="roundtable:new:shop-sales:problem").select("p2")
    app.button(key="roundtable:new:send").click().run()
    (item,) = list_roundtable(workspace)
    assert (item.problem, item.reason, item.opened_by) == ("p2", "two readings of *sold*", "mei")

    app.selectbox(key=f"item:{item.id}:to").select("lee")
    app.button(key=f"item:{item.id}:assign").click().run()
    assert "· for lee" in said(app)
    app.segmented_control(key="t_state").set_value("mine").run()
    assert "Nothing is assigned to you" in said(app)
    app.selectbox(key="user").select("lee").run()
    assert "two readings" in said(app)
    resolve_item(workspace, item.id, resolution="query_ambiguous", by="lee", note="say units")
    app.segmented_control(key="t_state").set_value("settled").run()
    assert "the query is ambiguous: say units" in said(app)
    assert find_item(workspace, item.id).assigned_to == "lee"
    with pytest.raises(ContentError, match="was settled as query_ambiguous by lee"):
        assign_item(workspace, item.id, to="mei")


def test_problemset_and_problem_are_chosen_from_lists_and_the_same_is_not_asked_twice(
    open_page: Open, draft: Revision, workspace: Workspace
) -> None:
    app = open_page("roundtable")
    app.session_state["roundtable:new"] = True
    app.run()
    assert app.selectbox(key="roundtable:new:set").options == ["shop-sales"]
    app.selectbox(key="roundtable:new:set").select("shop-sales").run()
    problem = app.selectbox(key="roundtable:new:shop-sales:problem")
    assert [option.partition(".")[0] for option in problem.options] == ["1", "2"]
    for reason in ("which units?", " Which  units?", "which shop?"):
        app.selectbox(key="roundtable:new:shop-sales:problem").select("p1")
        app.text_input(key="roundtable:new:shop-sales:reason").set_value(reason)
        app.button(key="roundtable:new:send").click().run()
        refused = [error.value for error in app.error if "asks the same" in error.value]
        assert bool(refused) == reason.startswith(" ")
    assert [item.reason for item in list_roundtable(workspace)] == ["which units?", "which shop?"]
