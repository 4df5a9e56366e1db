"""The pages of the loops around a draft: guide, suggestions, rounds, roundtable, minutes."""

from dataclasses import replace

import pytest

from authoring.drafting.guide.amendment_proposals import propose_amendments
from authoring.drafting.guide.guide_effects import shown_guide
from authoring.rounds.rounds import RoundsOrder, plan_rounds
from authoring.store import jobs, problemsets, revisions
from authoring.store.drafting.bootstrap import list_bootstrap_items, list_bootstraps, save_bootstrap_item
from authoring.store.drafting.examples import example_pool
from authoring.store.drafting.guide import decide_amendment, list_amendments, save_guide
from authoring.store.effort import list_minutes, record_effort
from authoring.store.reviewing.reviews import add_comment, record_decision
from authoring.store.reviewing.roundtable import NewItem, list_roundtable, open_items
from authoring.store.reviewing.suggestions import NewSuggestion, find_suggestion, insert_suggestions
from authoring.store.revisions import Revision
from authoring.store.statuses import AmendmentStatus, BootstrapState
from authoring.store.workspace import Workspace
from authoring.ui.shell import attention
from evaluator.language.document import Document
from tests.ui.acts import Open, configure_model, errors, leave_and_return, page_links, payloads, press, said


def comment(ws: Workspace, draft: Revision, kind: str, text: str, problem: str | None = "p1") -> None:
    add_comment(ws, revision_id=draft.id, author="lee", text=text, kind=kind, problem=problem)


def head_of(ws: Workspace, draft: Revision) -> Revision:
    return revisions.find(ws, problemsets.find(ws, draft.problemset_id).head_revision_id)


# The guide


def test_the_guide_shows_each_revision_and_restores_an_old_one_as_a_new(open_page: Open, workspace: Workspace) -> None:
    first = shown_guide(workspace).text
    save_guide(workspace, f"{first}\n- Be brief.", base_number=1, author="lee", message="brevity")
    assert "Be brief" in said(open_page("guide"))
    app = open_page("guide", v=1)
    assert "Authors are given revision 2" in said(app)
    press(app, "guide:restore:1")
    guide = shown_guide(workspace)
    assert (guide.number, guide.text, guide.message) == (3, first, "the text of revision 1 again")
    assert "Revision 3 by mei" in said(app)
    assert open_page("guide", v=1).button(key="guide:restore:1").disabled


def test_a_guide_that_somebody_saved_meanwhile_costs_no_text(open_page: Open, workspace: Workspace) -> None:
    app = press(open_page("guide"), "guide:edit")
    app.text_area(key="guide:text:1").set_value("Ask one thing.").run()
    press(app, "guide:save")
    guide = shown_guide(workspace)
    assert (guide.number, guide.text, guide.author) == (2, "Ask one thing.", "mei")
    press(app, "guide:edit")
    app.text_area(key="guide:text:2").set_value("Mine.").run()
    save_guide(workspace, "Theirs.", base_number=2, author="lee", message="")
    assert "revision 3 is the newest" in errors(press(app, "guide:save"))
    assert "Somebody saved revision 3 while you wrote" in said(app)
    assert app.text_area(key="guide:text:2").value == "Mine."
    press(app, "guide:save_over")
    assert (shown_guide(workspace).number, shown_guide(workspace).text) == (4, "Mine.")


def test_amendments_are_gathered_from_new_comments(open_tab: Open, workspace: Workspace, draft: Revision) -> None:
    assert open_tab("guide", "Amendments").button(key="guide:gather").disabled
    comment(workspace, draft, "ambiguous", "which unit?")
    app = press(open_tab("guide", "Amendments"), "guide:gather")
    (amendment,) = list_amendments(workspace)
    assert "which unit?" in amendment.new_text
    assert app.button(key="guide:gather").disabled
    comment(workspace, draft, "repetitive", "asked before", "p2")
    save_guide(workspace, "Another guide.", base_number=1, author="lee", message="")
    app = open_tab("guide", "Amendments")
    assert "1 older" in said(app)
    app.toggle(key="guide:all_times").set_value(True)
    press(app, "guide:gather")
    assert len(list_amendments(workspace)) == 2


def test_amendments_are_gathered_by_a_configured_model_in_a_job(
    open_tab: Open, workspace: Workspace, draft: Revision, monkeypatch: pytest.MonkeyPatch
) -> None:
    comment(workspace, draft, "ambiguous", "which unit?", None)
    app = open_tab("guide", "Amendments")
    app.selectbox(key="guide:author").select("model")
    assert "no model is configured" in errors(press(app, "guide:gather"))
    assert jobs.select(workspace) == []
    configure_model(monkeypatch)
    app.number_input(key="guide:wishes:budget:tokens").set_value(7000)
    press(app, "guide:gather")
    budget = {"tokens": 7000, "cost": None, "minutes": None}
    order = {"author": "model", "created_by": "mei", "all_times": False, "budget": budget}
    assert payloads(workspace, "guide") == [order]


def test_amendments_are_decided_one_by_one(open_tab: Open, workspace: Workspace, draft: Revision) -> None:
    for number, kind in enumerate(("ambiguous", "repetitive", "off_the_data"), 1):
        comment(workspace, draft, kind, f"remark {number}")
    propose_amendments(workspace, proposed_by="mei")
    first, second, third = (amendment.id for amendment in list_amendments(workspace))
    app = open_tab("guide", "Amendments")
    assert "remark 2" in said(app)
    assert "a reason is needed" in errors(press(app, f"amendment:{first}:refuse"))
    app.text_area(key=f"amendment:{first}:reason").set_value("we want repetition")
    press(app, f"amendment:{first}:refuse")
    app.text_area(key=f"amendment:{second}:text").set_value("- State every unit.")
    press(app, f"amendment:{second}:change")
    refused, changed, _ = list_amendments(workspace)
    assert (refused.status, refused.decision_reason, refused.decided_by) == ("refused", "we want repetition", "mei")
    assert (changed.status, changed.guide_number) == ("changed", 2)
    assert "- State every unit." in shown_guide(workspace).text
    decide_amendment(workspace, third, AmendmentStatus.ACCEPTED, by="lee")
    assert "was accepted by 'lee'" in errors(press(app, f"amendment:{third}:accept"))
    assert shown_guide(workspace).number == 3
    app.text_area(key="guide:own:new").set_value("- Name the unit.")
    app.selectbox(key="guide:own:section:3").select("What every problem needs")
    press(app, "guide:own:send")
    own = list_amendments(workspace)[-1]
    assert (own.new_text, own.section) == ("- Name the unit.", "What every problem needs")


def test_examples_are_taken_out_and_effects_drawn(open_tab: Open, workspace: Workspace, draft: Revision) -> None:
    record_decision(workspace, revision_id=draft.id, decision="accepted", by="lee")
    app = press(open_tab("guide", "Examples"), f"example:{draft.problemset_id}")
    assert example_pool(workspace) == []
    press(app, f"example:{draft.problemset_id}")
    assert [revision.id for revision in example_pool(workspace)] == [draft.id]
    comment(workspace, draft, "ambiguous", "which unit?", None)
    app = open_tab("guide", "Effects")
    assert app.table[0].value["Accepted"].tolist() == ["1 (100%)"]
    assert len([*app.get("vega_lite_chart"), *app.get("arrow_vega_lite_chart")]) == 3  # no minutes are measured


# Suggestions and refining


@pytest.fixture
def suggestion(workspace: Workspace, draft: Revision) -> int:
    """A model's suggestion for the first problem."""
    cell = Document.parse(draft.text, name="shop-sales").problem_texts()["p1"]
    new = NewSuggestion("p1", cell, cell.replace("in each shop?", "in each shop, as a Series?"), "clearer")
    return insert_suggestions(workspace, draft.id, [new], author="some-model", provenance={})[0]


def test_a_suggestion_is_accepted_over_the_text_that_is_shown(
    open_tab: Open, workspace: Workspace, draft: Revision, suggestion: int
) -> None:
    app = open_tab("problemset", "Suggestions", set=draft.problemset_id)
    newer = draft.text.replace("sold most?", "sold the most?")
    revisions.save(workspace, draft.problemset_id, newer, base_revision_id=draft.id, author="lee")
    press(app, f"suggestion:{suggestion}:accept")
    assert "somebody saved revision 2 meanwhile" in errors(app)
    press(app, f"suggestion:{suggestion}:accept")  # now over the newer text, which is on the screen
    head = head_of(workspace, draft)
    assert (head.number, "as a Series?" in head.text, "sold the most?" in head.text) == (3, True, True)
    assert [order["revision_id"] for order in payloads(workspace, "dry_run")] == [head.id]
    assert "No suggestion waits" in said(app)


def test_a_suggestion_is_changed_or_refused_with_a_reason(
    open_tab: Open, workspace: Workspace, draft: Revision, suggestion: int
) -> None:
    assert "1 suggestion" in said(open_tab("problemset", "Problems", set=draft.problemset_id))
    app = open_tab("problemset", "Suggestions", set=draft.problemset_id)
    assert "needs a reason" in errors(press(app, f"suggestion:{suggestion}:refuse"))
    text = str(app.text_area(key=f"suggestion:{suggestion}:text").value).replace("Series", "DataFrame")
    app.text_area(key=f"suggestion:{suggestion}:text").set_value(text)
    press(app, f"suggestion:{suggestion}:change")
    assert "as a DataFrame?" in head_of(workspace, draft).text
    assert find_suggestion(workspace, suggestion).status == "changed"


def test_refining_is_ordered_for_the_chosen_problems_with_a_budget(
    open_tab: Open, workspace: Workspace, draft: Revision, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure_model(monkeypatch)
    key = f"refine:{draft.problemset_id}"
    app = open_tab("problemset", "Refine", set=draft.problemset_id)
    assert "no problem was chosen" in errors(press(app, f"{key}:send"))
    app.multiselect(key=f"{key}:problems").select("p2")
    app.text_area(key=f"{key}:instruction").set_value("name the unit")
    app.number_input(key=f"{key}:budget:tokens").set_value(5000)
    press(app, f"{key}:send")
    (order,) = payloads(workspace, "refine")
    asked = ("problems", "suggest", "base_revision_id", "instruction", "budget")
    budget = {"tokens": 5000, "cost": None, "minutes": None}
    assert [order[name] for name in asked] == [["p2"], True, draft.id, "name the unit", budget]


# Rounds and the roundtable


def test_a_plan_is_stored_as_shown_and_stepped_as_a_job(open_page: Open, workspace: Workspace, seed: int) -> None:
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
    (plan,) = list_bootstraps(workspace)
    assert (plan.name, plan.plan["rounds"], plan.plan["seeds"]) == ("trio", 5, ["sales"])
    app = open_page("bootstrap", plan=plan.id)
    assert "The machine's turn" in said(app)
    press(app, f"plan:{plan.id}:step")
    assert payloads(workspace, "bootstrap_step") == [{"name": "trio", "workers": 1}]
    assert app.button(key=f"plan:{plan.id}:step").disabled


def test_a_plan_names_who_has_to_do_what(open_page: Open, workspace: Workspace, seed: int, draft: Revision) -> None:
    plan = plan_rounds(workspace, RoundsOrder(name="trio", rounds=2, by="mei"))
    (item,) = list_bootstrap_items(workspace, plan.id)
    report = {"problems": 2, "guide": 1}
    drafted = replace(item, state=BootstrapState.DRAFTED, problemset_id=draft.problemset_id, report=report)
    save_bootstrap_item(workspace, drafted)
    app = open_page("bootstrap", plan="trio")
    assert "Revise and accept 1 more set" in said(app)
    assert app.button(key=f"plan:{plan.id}:step").disabled
    assert r"shop\-sales" in page_links(app)


def test_an_item_of_the_roundtable_is_settled(open_page: Open, workspace: Workspace, draft: Revision) -> None:
    evidence = {"about": "x", "code": "print(1)", "why": "the agent returned a list"}
    (item,) = open_items(workspace, draft.id, [NewItem("p2", "the agent is judged CRASH", evidence)], by="dry run 1")
    app = open_page("roundtable")
    assert "returned a list" in said(app)
    assert "no resolution was chosen" in errors(press(app, f"item:{item}:settle"))
    app.selectbox(key=f"item:{item}:as").select("query_ambiguous")
    app.text_input(key=f"item:{item}:note").set_value("say Series")
    press(app, f"item:{item}:settle")
    (settled,) = list_roundtable(workspace)
    assert (settled.resolution, settled.note, settled.resolved_by) == ("query_ambiguous", "say Series", "mei")
    assert "the query is ambiguous" in said(app)


# Minutes


def test_minutes_of_editing_and_of_reviewing_are_stored(
    open_page: Open, workspace: Workspace, draft: Revision, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(range(0, 100_000, 30))
    monkeypatch.setattr("authoring.ui.state.time.monotonic", lambda: float(next(clock)))
    monkeypatch.setattr(attention, "MAX_GAP_S", 60.0)
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    app.text_area[1].set_value("sales.units").run()
    press(app, f"save:{draft.problemset_id}")
    (row,) = list_minutes(workspace)
    assert (row.activity, row.problemset_id, row.person) == ("revision", draft.problemset_id, "mei")
    assert row.minutes > 0
    head = head_of(workspace, draft).id
    press(app, f"editor:{head}:send_back")
    app.text_area(key=f"send_back:{head}:reason").set_value("not yet")
    press(app, f"send_back:{head}:send")
    review = list_minutes(workspace)[-1]
    assert (review.activity, review.problemset_id, review.minutes > 0) == ("review", draft.problemset_id, True)


def test_minutes_are_added_up_beside_a_baseline(open_tab: Open, workspace: Workspace, draft: Revision) -> None:
    assert "No minutes are measured yet" in said(open_tab("guide", "Effort"))
    record_effort(workspace, "review", subject="x", person="mei", minutes=6.0, problemset_id=draft.problemset_id)
    record_decision(workspace, revision_id=draft.id, decision="accepted", by="lee")
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
