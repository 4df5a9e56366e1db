"""The pages of the loops around a draft: guide, suggestions, rounds, roundtable, minutes."""

from dataclasses import replace

import pytest

from authoring.drafting.guide.amendment_proposals import propose_amendments
from authoring.drafting.guide.guide_effects import shown_guide
from authoring.rounds.rounds import RoundsOrder, plan_rounds
from authoring.store import jobs, problemsets, revisions
from authoring.store.drafting.bootstrap import list_bootstrap_items, list_bootstraps, save_bootstrap_item
from authoring.store.drafting.examples import example_pool
from authoring.store.drafting.guide import list_amendments, save_guide
from authoring.store.effort import list_minutes, record_effort
from authoring.store.reviewing.reviews import add_comment, record_decision
from authoring.store.reviewing.suggestions import NewSuggestion, find_suggestion, insert_suggestions
from authoring.store.revisions import Revision
from authoring.store.statuses import BootstrapState
from authoring.store.workspace import Workspace
from authoring.ui.shell import attention
from evaluator.language.document import Document
from tests.ui.acts import Open, configure_model, errors, leave_and_return, page_links, payloads, press, said


def comment(ws: Workspace, draft: Revision, kind: str, text: str, problem: str | None = "p1") -> None:
    add_comment(ws, revision_id=draft.id, author="lee", text=text, kind=kind, problem=problem)


def head_of(ws: Workspace, draft: Revision) -> Revision:
    return revisions.find(ws, problemsets.find(ws, draft.problemset_id).head_revision_id)


def test_the_guide_shows_each_revision_and_restores_an_old_one_as_a_new(open_page: Open, ws: Workspace) -> None:
    first = shown_guide(ws).text
    save_guide(ws, f"{first}\n- Be brief.", base_number=1, author="lee", message="brevity")
    assert "Be brief" in said(open_page("guide"))
    app = open_page("guide", v=1)
    assert "Authors are given revision 2" in said(app)
    press(app, "guide:restore:1")
    guide = shown_guide(ws)
    assert (guide.number, guide.text, guide.message) == (3, first, "the text of revision 1 again")
    assert "Revision 3 by mei" in said(app)
    assert open_page("guide", v=1).button(key="guide:restore:1").disabled


def test_amendments_are_gathered_from_new_comments_and_by_a_model(
    open_tab: Open, ws: Workspace, draft: Revision, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert open_tab("guide", "Amendments").button(key="guide:gather").disabled
    comment(ws, draft, "ambiguous", "which unit?")
    app = press(open_tab("guide", "Amendments"), "guide:gather")
    (amendment,) = list_amendments(ws)
    assert "which unit?" in amendment.new_text
    assert app.button(key="guide:gather").disabled
    comment(ws, draft, "repetitive", "asked before", "p2")
    save_guide(ws, "Another guide.", base_number=1, author="lee", message="")
    app = open_tab("guide", "Amendments")
    assert "1 older" in said(app)
    app.selectbox(key="guide:author").select("model")
    app.toggle(key="guide:all_times").set_value(True)
    assert "no model is configured" in errors(press(app, "guide:gather"))
    assert (len(list_amendments(ws)), jobs.select(ws)) == (1, [])
    configure_model(monkeypatch)
    app.number_input(key="guide:wishes:budget:tokens").set_value(7000)
    press(app, "guide:gather")
    budget = {"tokens": 7000, "cost": None, "minutes": None}
    order = {"author": "model", "created_by": "mei", "all_times": True, "budget": budget}
    assert payloads(ws, "guide") == [order]


def test_amendments_are_decided_one_by_one(open_tab: Open, ws: Workspace, draft: Revision) -> None:
    for number, kind in enumerate(("ambiguous", "repetitive"), 1):
        comment(ws, draft, kind, f"remark {number}")
    propose_amendments(ws, proposed_by="mei")
    first, second = (amendment.id for amendment in list_amendments(ws))
    app = open_tab("guide", "Amendments")
    assert "remark 2" in said(app)
    assert "a reason is needed" in errors(press(app, f"amendment:{first}:refuse"))
    app.text_area(key=f"amendment:{first}:reason").set_value("we want repetition")
    press(app, f"amendment:{first}:refuse")
    app.text_area(key=f"amendment:{second}:text").set_value("- State every unit.")
    press(app, f"amendment:{second}:change")
    refused, changed = list_amendments(ws)
    assert (refused.status, refused.decision_reason, refused.decided_by) == ("refused", "we want repetition", "mei")
    assert (changed.status, changed.guide_number) == ("changed", 2)
    assert "- State every unit." in shown_guide(ws).text
    app.text_area(key="guide:own:new").set_value("- Name the unit.")
    app.selectbox(key="guide:own:section:2").select("What every problem needs")
    press(app, "guide:own:send")
    own = list_amendments(ws)[-1]
    assert (own.new_text, own.section) == ("- Name the unit.", "What every problem needs")


def test_examples_are_taken_out_and_effects_drawn(open_tab: Open, ws: Workspace, draft: Revision) -> None:
    record_decision(ws, revision_id=draft.id, decision="accepted", by="lee")
    app = press(open_tab("guide", "Examples"), f"example:{draft.problemset_id}")
    assert example_pool(ws) == []
    press(app, f"example:{draft.problemset_id}")
    assert [revision.id for revision in example_pool(ws)] == [draft.id]
    comment(ws, draft, "ambiguous", "which unit?", None)
    app = open_tab("guide", "Effects")
    assert app.table[0].value["Accepted"].tolist() == ["1 (100%)"]
    assert len([*app.get("vega_lite_chart"), *app.get("arrow_vega_lite_chart")]) == 3  # no minutes are measured


@pytest.fixture
def suggestion(ws: Workspace, draft: Revision) -> int:
    """A model's suggestion for the first problem."""
    cell = Document.parse(draft.text, name="shop-sales").problem_texts()["p1"]
    new = NewSuggestion("p1", cell, cell.replace("in each shop?", "in each shop, as a Series?"), "clearer")
    return insert_suggestions(ws, draft.id, [new], author="some-model", provenance={})[0]


def test_a_suggestion_is_accepted_over_shown_text(
    open_tab: Open, ws: Workspace, draft: Revision, suggestion: int
) -> None:
    app = open_tab("problemset", "Suggestions", set=draft.problemset_id)
    newer = draft.text.replace("sold most?", "sold the most?")
    revisions.save(ws, draft.problemset_id, newer, base_revision_id=draft.id, author="lee")
    press(app, f"suggestion:{suggestion}:accept")
    assert "somebody saved revision 2 meanwhile" in errors(app)
    press(app, f"suggestion:{suggestion}:accept")  # now over the newer text, which is on the screen
    head = head_of(ws, draft)
    assert (head.number, "as a Series?" in head.text, "sold the most?" in head.text) == (3, True, True)
    assert [order["revision_id"] for order in payloads(ws, "dry_run")] == [head.id]
    assert "No suggestion waits" in said(app)


def test_a_suggestion_is_changed_or_refused(open_tab: Open, ws: Workspace, draft: Revision, suggestion: int) -> None:
    assert "1 suggestion" in said(open_tab("problemset", "Problems", set=draft.problemset_id))
    app = open_tab("problemset", "Suggestions", set=draft.problemset_id)
    assert "needs a reason" in errors(press(app, f"suggestion:{suggestion}:refuse"))
    text = str(app.text_area(key=f"suggestion:{suggestion}:text").value).replace("Series", "DataFrame")
    app.text_area(key=f"suggestion:{suggestion}:text").set_value(text)
    press(app, f"suggestion:{suggestion}:change")
    assert "as a DataFrame?" in head_of(ws, draft).text
    assert find_suggestion(ws, suggestion).status == "changed"


def test_refining_is_ordered_for_the_chosen_problems_with_a_budget(
    open_tab: Open, ws: Workspace, draft: Revision, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure_model(monkeypatch)
    key = f"refine:{draft.problemset_id}"
    app = open_tab("problemset", "Refine", set=draft.problemset_id)
    assert "no problem was chosen" in errors(press(app, f"{key}:send"))
    app.multiselect(key=f"{key}:problems").select("p2")
    app.text_area(key=f"{key}:instruction").set_value("name the unit")
    app.number_input(key=f"{key}:budget:tokens").set_value(5000)
    press(app, f"{key}:send")
    (order,) = payloads(ws, "refine")
    asked = ("problems", "suggest", "base_revision_id", "instruction", "budget")
    budget = {"tokens": 5000, "cost": None, "minutes": None}
    assert [order[name] for name in asked] == [["p2"], True, draft.id, "name the unit", budget]


def test_a_plan_is_stored_as_shown_and_stepped_as_a_job(open_page: Open, ws: Workspace, seed: int) -> None:
    app = open_page("bootstrap")
    fields = {"plan:new:rounds": 3, "plan:new:revise": 1, "auto:new:sketches": 2, "auto:new:least": 5}
    # The browser falls back to the field's own default, so it must be the number that the form begins with.
    assert {key: app.number_input(key=key).proto.default for key in fields} == fields
    for key, first in fields.items():
        app.number_input(key=key).set_value(first + 2)
    press(app, "plan:new:send")  # refused: it has no name
    leave_and_return(app, "bootstrap")
    assert {key: app.number_input(key=key).value for key in fields} == {key: n + 2 for key, n in fields.items()}
    app.text_input(key="plan:new:name").set_value("trio")
    press(app, "plan:new:send")
    (plan,) = list_bootstraps(ws)
    assert (plan.name, plan.plan["rounds"], plan.plan["seeds"]) == ("trio", 5, ["sales"])
    app = open_page("bootstrap", plan=plan.id)
    assert "The machine's turn" in said(app)
    press(app, f"plan:{plan.id}:step")
    assert payloads(ws, "bootstrap_step") == [{"name": "trio", "workers": 1}]
    assert app.button(key=f"plan:{plan.id}:step").disabled


def test_a_plan_names_who_has_to_do_what(open_page: Open, ws: Workspace, seed: int, draft: Revision) -> None:
    plan = plan_rounds(ws, RoundsOrder(name="trio", rounds=2, by="mei"))
    (item,) = list_bootstrap_items(ws, plan.id)
    report = {"problems": 2, "guide": 1}
    drafted = replace(item, state=BootstrapState.DRAFTED, problemset_id=draft.problemset_id, report=report)
    save_bootstrap_item(ws, drafted)
    app = open_page("bootstrap", plan="trio")
    assert "Revise and accept 1 more set" in said(app)
    assert app.button(key=f"plan:{plan.id}:step").disabled
    assert r"shop\-sales" in page_links(app)


def test_minutes_of_editing_and_of_reviewing_are_stored(
    open_page: Open, ws: Workspace, draft: Revision, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(range(0, 100_000, 30))
    monkeypatch.setattr("authoring.ui.state.time.monotonic", lambda: float(next(clock)))
    monkeypatch.setattr(attention, "MAX_GAP_S", 60.0)
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    app.text_area[1].set_value("sales.units").run()
    press(app, f"save:{draft.problemset_id}")
    (row,) = list_minutes(ws)
    assert (row.activity, row.problemset_id, row.person) == ("revision", draft.problemset_id, "mei")
    assert row.minutes > 0
    head = head_of(ws, draft).id
    press(app, f"editor:{head}:send_back")
    app.text_area(key=f"send_back:{head}:reason").set_value("not yet")
    press(app, f"send_back:{head}:send")
    review = list_minutes(ws)[-1]
    assert (review.activity, review.problemset_id, review.minutes > 0) == ("review", draft.problemset_id, True)


def test_minutes_are_added_up_beside_a_baseline(open_tab: Open, ws: Workspace, draft: Revision) -> None:
    assert "No minutes are measured yet" in said(open_tab("guide", "Effort"))
    record_effort(ws, "review", subject="x", person="mei", minutes=6.0, problemset_id=draft.problemset_id)
    record_decision(ws, revision_id=draft.id, decision="accepted", by="lee")
    app = open_tab("guide", "Effort")
    app.text_input(key="effort:experience").set_value("5 years [of] pandas")
    press(app, "effort:person")
    assert "has no subject" in errors(press(app, "effort:baseline"))
    app.text_input(key="effort:subject").set_value("two problems")
    app.number_input(key="effort:minutes").set_value(40.0)
    app.number_input(key="effort:problems").set_value(2)
    press(app, "effort:baseline")
    app.segmented_control(key="effort:by").set_value("person").run()
    assert app.table[0].value["Of"].tolist() == [r"mei (5 years \[of\] pandas)"]
    facts = [[str(cell) for cell in row] for row in app.table[1].value.reset_index().to_numpy().tolist()]
    assert ["By hand", "20.00 minutes per problem"] in facts
    assert ["Saving", "6.7 times fewer minutes than by hand"] in facts
