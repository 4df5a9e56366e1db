"""The Roundtable page: items opened by hand, handed to somebody, listed by state."""

import pytest

from authoring.store.reviewing.roundtable import assign_item, find_item, list_roundtable, resolve_item
from authoring.store.settings import set_setting
from evaluator.errors import ContentError
from tests.ui.acts import errors, press, said
from tests.ui.problemset.acts import Desk


def test_an_item_is_opened_by_hand_handed_to_somebody_and_settled(desk: Desk) -> None:
    set_setting(desk.ws, "annotator_names", ["mei", "lee"])
    new = "roundtable:new"
    app = desk.open_with({new: True}, "roundtable")
    assert app.selectbox(key=f"{new}:set").options == ["shop-sales"]
    app.selectbox(key=f"{new}:set").select("shop-sales").run()
    press(app, f"{new}:send")
    assert "no problem is chosen" in errors(app)
    problem = app.selectbox(key=f"{new}:shop-sales:problem")
    assert [option.partition(".")[0] for option in problem.options] == ["1", "2"]
    asked = "two readings of *sold*"
    for reason in (asked, " Two  readings of *sold*"):
        app.text_input(key=f"{new}:shop-sales:reason").set_value(reason)
        app.selectbox(key=f"{new}:shop-sales:problem").select("p2")
        press(app, f"{new}:send")
        assert ("asks the same" in errors(app)) == (reason != asked)
    (item,) = list_roundtable(desk.ws)
    assert (item.problem, item.reason, item.opened_by) == ("p2", asked, "mei")

    app.selectbox(key=f"item:{item.id}:to").select("lee")
    press(app, f"item:{item.id}:assign")
    assert "· for lee" in said(app)
    app.segmented_control(key="t_state").set_value("mine").run()
    assert "Nothing is assigned to you" in said(app)
    app.selectbox(key="user").select("lee").run()
    assert "two readings" in said(app)
    resolve_item(desk.ws, item.id, resolution="query_ambiguous", by="lee", note="say units")
    app.segmented_control(key="t_state").set_value("settled").run()
    assert "the query is ambiguous: say units" in said(app)
    assert find_item(desk.ws, item.id).assigned_to == "lee"
    with pytest.raises(ContentError, match="was settled as query_ambiguous by lee"):
        assign_item(desk.ws, item.id, to="mei")


def test_the_address_chooses_the_set_and_another_question_is_another_item(desk: Desk) -> None:
    new = "roundtable:new"
    app = desk.open_with({new: True}, "roundtable", set=desk.number)
    for reason in ("which units?", "which shop?"):
        app.selectbox(key=f"{new}:shop-sales:problem").select("p1")
        app.text_input(key=f"{new}:shop-sales:reason").set_value(reason)
        press(app, f"{new}:send")
    assert [item.reason for item in list_roundtable(desk.ws)] == ["which units?", "which shop?"]
