"""The pages of the loops around a draft: guide, suggestions, rounds, minutes."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from authoring.drafting.guide.amendment_proposals import propose_amendments
from authoring.drafting.guide.guide_effects import shown_guide
from authoring.rounds.rounds import RoundsOrder, plan_rounds
from authoring.store import jobs, problemsets, revisions
from authoring.store.drafting.bootstrap import list_bootstraps
from authoring.store.drafting.examples import example_pool
from authoring.store.drafting.guide import list_amendments, save_guide
from authoring.store.effort import list_minutes, record_effort
from authoring.store.reviewing.reviews import add_comment, record_decision
from authoring.store.reviewing.suggestions import NewSuggestion, find_suggestion, insert_suggestions
from authoring.store.revisions import Revision
from authoring.store.statuses import AmendmentStatus, BootstrapState
from authoring.store.workspace import Workspace
from authoring.ui.shell import attention
from evaluator.language.document import Document

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]


@pytest.fixture
def amendments(workspace: Workspace, draft: Revision) -> list[int]:
    """Two amendments by rule, from two comments."""
    for kind, text in (("ambiguous", "which unit?"), ("repetitive", "asked before")):
        add_comment(workspace, revision_id=draft.id, author="lee", text=text, kind=kind, problem="p1")
    propose_amendments(workspace, proposed_by="mei")
    return [amendment.id for amendment in list_amendments(workspace)]


@pytest.fixture
def suggestion(workspace: Workspace, draft: Revision) -> int:
    """A model's suggestion for the first problem."""
    cells = Document.parse(draft.text, name="shop-sales").problem_texts()
    new = NewSuggestion(
        "p1", cells["p1"], cells["p1"].replace("in each shop?", "in each shop, as a Series?"), "clearer"
    )
    return insert_suggestions(workspace, draft.id, [new], author="some-model", provenance={})[0]


def test_the_guide_shows_each_revision_and_a_way_back_from_an_unknown_one(
    open_page: Open, workspace: Workspace, said: Said
) -> None:
    save_guide(workspace, f"{shown_guide(workspace).text}\n- Be brief.", base_number=1, author="lee", message="brevity")
    assert "Be brief" in said(open_page("guide"))
    assert "Authors are given revision 2" in said(open_page("guide", v=1))
    assert "no such revision" in said(open_page("guide", v=9))


def test_an_old_text_of_the_guide_is_restored_as_a_new_revision(
    open_page: Open, workspace: Workspace, said: Said
) -> None:
    first = shown_guide(workspace).text
    save_guide(workspace, "Worse.", base_number=1, author="lee", message="")
    app = open_page("guide", v=1)
    app.button(key="guide:restore:1").click().run()
    guide = shown_guide(workspace)
    assert (guide.number, guide.text, guide.message) == (3, first, "the text of revision 1 again")
    assert "Revision 3 by mei" in said(app)
    assert open_page("guide", v=1).button(key="guide:restore:1").disabled


def test_an_edited_guide_is_saved_on_the_revision_it_was_opened_on(open_page: Open, workspace: Workspace) -> None:
    app = open_page("guide")
    app.button(key="guide:edit").click().run()
    app.text_area(key="guide:text:1").set_value("Ask one thing at a time.").run()
    app.button(key="guide:save").click().run()
    guide = shown_guide(workspace)
    assert (guide.number, guide.text, guide.author) == (2, "Ask one thing at a time.", "mei")


def test_a_guide_that_somebody_saved_meanwhile_is_a_conflict_and_nothing_typed_is_lost(
    open_page: Open, workspace: Workspace, said: Said
) -> None:
    app = open_page("guide")
    app.button(key="guide:edit").click().run()
    app.text_area(key="guide:text:1").set_value("Mine.").run()
    save_guide(workspace, "Theirs.", base_number=1, author="lee", message="")
    app.button(key="guide:save").click().run()
    assert "revision 2 is the newest" in app.error[0].value.replace("\\", "")
    assert "Somebody saved revision 2 while you wrote" in said(app)
    assert app.text_area(key="guide:text:1").value == "Mine."
    app.button(key="guide:save_over").click().run()
    assert (shown_guide(workspace).number, shown_guide(workspace).text) == (3, "Mine.")


def test_amendments_are_gathered_by_rule_from_new_comments(
    open_tab: Open, workspace: Workspace, draft: Revision, said: Said
) -> None:
    assert open_tab("guide", "Amendments").button(key="guide:gather").disabled
    add_comment(workspace, revision_id=draft.id, author="lee", text="which unit?", kind="ambiguous", problem="p1")
    app = open_tab("guide", "Amendments")
    app.button(key="guide:gather").click().run()
    (amendment,) = list_amendments(workspace)
    assert "which unit?" in amendment.new_text
    assert app.button(key="guide:gather").disabled
    add_comment(workspace, revision_id=draft.id, author="lee", text="asked before", kind="repetitive", problem="p2")
    save_guide(workspace, "Another guide.", base_number=1, author="lee", message="")
    app = open_tab("guide", "Amendments")
    assert "1 older" in said(app)
    app.toggle(key="guide:all_times").set_value(True)
    app.button(key="guide:gather").click().run()
    assert len(list_amendments(workspace)) == 2


def test_gathering_by_a_model_without_one_is_refused_before_a_job(
    open_tab: Open, workspace: Workspace, draft: Revision
) -> None:
    add_comment(workspace, revision_id=draft.id, author="lee", text="which unit?", kind="ambiguous")
    app = open_tab("guide", "Amendments")
    app.selectbox(key="guide:author").select("model")
    app.button(key="guide:gather").click().run()
    assert "no model is configured" in app.error[0].value
    assert jobs.select(workspace) == []


def test_gathering_by_a_configured_model_is_a_job(
    open_tab: Open, workspace: Workspace, draft: Revision, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("BENCHWRIGHT_MODEL", "m"), ("OPENAI_API_KEY", "k"), ("OPENAI_BASE_URL", "http://127.0.0.1:9")):
        monkeypatch.setenv(name, value)
    add_comment(workspace, revision_id=draft.id, author="lee", text="which unit?", kind="ambiguous")
    app = open_tab("guide", "Amendments")
    app.selectbox(key="guide:author").select("model")
    app.number_input(key="guide:wishes:budget:tokens").set_value(7000)
    app.button(key="guide:gather").click().run()
    budget = {"tokens": 7000, "cost": None, "minutes": None}
    assert [(job.kind, job.payload) for job in jobs.select(workspace)] == [
        ("guide", {"author": "model", "created_by": "mei", "all_times": False, "budget": budget})
    ]


def test_amendments_are_decided_one_by_one_with_the_comments_behind_them(
    open_tab: Open, workspace: Workspace, amendments: list[int], said: Said
) -> None:
    first, second = amendments
    app = open_tab("guide", "Amendments")
    assert "asked before" in said(app)
    app.button(key=f"amendment:{first}:refuse").click().run()
    assert "a reason is needed" in app.error[0].value
    app.text_area(key=f"amendment:{first}:reason").set_value("we want repetition")
    app.button(key=f"amendment:{first}:refuse").click().run()
    app.text_area(key=f"amendment:{second}:text").set_value("- State every unit.")
    app.button(key=f"amendment:{second}:change").click().run()
    refused, changed = list_amendments(workspace)
    assert (refused.status, refused.decision_reason, refused.decided_by) == ("refused", "we want repetition", "mei")
    assert (changed.status, changed.guide_number) == ("changed", 2)
    assert "- State every unit." in shown_guide(workspace).text


def test_an_amendment_decided_elsewhere_is_a_sentence(
    open_tab: Open, workspace: Workspace, amendments: list[int]
) -> None:
    from authoring.store.drafting.guide import decide_amendment

    app = open_tab("guide", "Amendments")
    decide_amendment(workspace, amendments[0], AmendmentStatus.ACCEPTED, by="lee")
    app.button(key=f"amendment:{amendments[0]}:accept").click().run()
    assert "was accepted by 'lee'" in app.error[0].value.replace("\\", "")
    assert shown_guide(workspace).number == 2


def test_an_own_amendment_is_proposed(open_tab: Open, workspace: Workspace) -> None:
    app = open_tab("guide", "Amendments")
    app.text_area(key="guide:own:new").set_value("- Name the unit.")
    app.selectbox(key="guide:own:section:1").select("What every problem needs")
    app.button(key="guide:own:send").click().run()
    (amendment,) = list_amendments(workspace)
    assert (amendment.new_text, amendment.section) == ("- Name the unit.", "What every problem needs")


def test_a_set_is_taken_out_of_the_examples_and_put_back(open_tab: Open, workspace: Workspace, draft: Revision) -> None:
    record_decision(workspace, revision_id=draft.id, decision="accepted", by="lee")
    app = open_tab("guide", "Examples")
    app.button(key=f"example:{draft.problemset_id}").click().run()
    assert example_pool(workspace) == []
    app.button(key=f"example:{draft.problemset_id}").click().run()
    assert [revision.id for revision in example_pool(workspace)] == [draft.id]


def test_the_effects_of_the_guide_are_a_table_and_charts(open_tab: Open, workspace: Workspace, draft: Revision) -> None:
    record_decision(workspace, revision_id=draft.id, decision="accepted", by="lee")
    add_comment(workspace, revision_id=draft.id, author="lee", text="which unit?", kind="ambiguous")
    app = open_tab("guide", "Effects")
    assert app.table[0].value["Accepted"].tolist() == ["1 (100%)"]
    charts = [*app.get("vega_lite_chart"), *app.get("arrow_vega_lite_chart")]
    assert len(charts) == 3  # no minutes are measured


def test_a_suggestion_is_accepted_into_a_revision_with_its_dry_run(
    open_tab: Open, workspace: Workspace, draft: Revision, suggestion: int, said: Said
) -> None:
    assert "1 suggestion" in said(open_tab("problemset", "Problems", set=draft.problemset_id))
    app = open_tab("problemset", "Suggestions", set=draft.problemset_id)
    app.button(key=f"suggestion:{suggestion}:accept").click().run()
    head = revisions.find(workspace, problemsets.find(workspace, draft.problemset_id).head_revision_id)
    assert (head.number, "as a Series?" in head.text) == (2, True)
    assert [(job.kind, job.payload["revision_id"]) for job in jobs.select(workspace)] == [("dry_run", head.id)]
    assert "No suggestion waits" in said(app)


def test_a_suggestion_is_changed_and_one_is_refused_with_a_reason(
    open_tab: Open, workspace: Workspace, draft: Revision, suggestion: int
) -> None:
    app = open_tab("problemset", "Suggestions", set=draft.problemset_id)
    app.button(key=f"suggestion:{suggestion}:refuse").click().run()
    assert "needs a reason" in app.error[0].value
    text = str(app.text_area(key=f"suggestion:{suggestion}:text").value).replace("Series", "DataFrame")
    app.text_area(key=f"suggestion:{suggestion}:text").set_value(text)
    app.button(key=f"suggestion:{suggestion}:change").click().run()
    head = revisions.find(workspace, problemsets.find(workspace, draft.problemset_id).head_revision_id)
    assert "as a DataFrame?" in head.text
    assert find_suggestion(workspace, suggestion).status == "changed"


def test_a_suggestion_on_a_stale_screen_is_not_accepted(
    open_tab: Open, workspace: Workspace, draft: Revision, suggestion: int, said: Said
) -> None:
    app = open_tab("problemset", "Suggestions", set=draft.problemset_id)
    newer = draft.text.replace("in each shop?", "per shop?")
    revisions.save(workspace, draft.problemset_id, newer, base_revision_id=draft.id, author="lee")
    app.button(key=f"suggestion:{suggestion}:accept").click().run()
    assert "somebody saved revision 2 meanwhile" in app.error[0].value
    assert "was changed since" in said(app)
    app.button(key=f"suggestion:{suggestion}:accept").click().run()  # now over the newer text, which is on the screen
    assert [revision.number for revision in revisions.select(workspace, draft.problemset_id)][-1] == 3


def test_refining_is_ordered_for_the_chosen_problems_with_a_budget(
    open_tab: Open, workspace: Workspace, draft: Revision, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("BENCHWRIGHT_MODEL", "m"), ("OPENAI_API_KEY", "k"), ("OPENAI_BASE_URL", "http://127.0.0.1:9")):
        monkeypatch.setenv(name, value)
    key = f"refine:{draft.problemset_id}"
    app = open_tab("problemset", "Refine", set=draft.problemset_id)
    app.button(key=f"{key}:send").click().run()
    assert "no problem was chosen" in app.error[0].value
    app.multiselect(key=f"{key}:problems").select("p2")
    app.text_area(key=f"{key}:instruction").set_value("name the unit")
    app.number_input(key=f"{key}:budget:tokens").set_value(5000)
    app.button(key=f"{key}:send").click().run()
    (job,) = jobs.select(workspace)
    assert (job.kind, job.payload["problems"], job.payload["suggest"]) == ("refine", ["p2"], True)
    assert (job.payload["base_revision_id"], job.payload["instruction"]) == (draft.id, "name the unit")
    assert job.payload["budget"] == {"tokens": 5000, "cost": None, "minutes": None}


def test_a_plan_is_stored_and_stepped_as_a_job(open_page: Open, workspace: Workspace, seed: int, said: Said) -> None:
    app = open_page("bootstrap")
    app.text_input(key="plan:new:name").set_value("trio")
    app.button(key="plan:new:send").click().run()
    (plan,) = list_bootstraps(workspace)
    assert (plan.name, plan.plan["rounds"], plan.plan["seeds"]) == ("trio", 3, ["sales"])
    app = open_page("bootstrap", plan=plan.id)
    assert "The machine's turn" in said(app)
    app.button(key=f"plan:{plan.id}:step").click().run()
    (job,) = jobs.select(workspace)
    assert (job.kind, job.payload) == ("bootstrap_step", {"name": "trio", "workers": 1})
    assert app.button(key=f"plan:{plan.id}:step").disabled


def test_numbers_of_the_plan_form_are_what_is_shown_and_stay_on_other_pages(
    open_page: Open, workspace: Workspace, seed: int
) -> None:
    app = open_page("bootstrap")
    fields = {"plan:new:rounds": 3, "plan:new:revise": 1, "auto:new:sketches": 2, "auto:new:least": 5}
    # The browser falls back to the field's own default, so it must be the number that the form begins with.
    assert {key: app.number_input(key=key).proto.default for key in fields} == fields
    for key, first in fields.items():
        app.number_input(key=key).set_value(first + 2)
    app.button(key="plan:new:send").click().run()  # refused: it has no name
    app.switch_page("authoring/ui/pages/guide.py").run()
    app.switch_page("authoring/ui/pages/bootstrap.py").run()
    assert {key: app.number_input(key=key).value for key in fields} == {key: n + 2 for key, n in fields.items()}
    app.text_input(key="plan:new:name").set_value("five")
    app.button(key="plan:new:send").click().run()
    assert list_bootstraps(workspace)[0].plan["rounds"] == 5


def test_a_plan_that_waits_names_who_has_to_do_what(
    open_page: Open, workspace: Workspace, seed: int, draft: Revision, said: Said
) -> None:
    from dataclasses import replace

    from authoring.store.drafting.bootstrap import list_bootstrap_items, save_bootstrap_item

    plan = plan_rounds(workspace, RoundsOrder(name="trio", rounds=2, by="mei"))
    (item,) = list_bootstrap_items(workspace, plan.id)
    drafted = replace(
        item, state=BootstrapState.DRAFTED, problemset_id=draft.problemset_id, report={"problems": 2, "guide": 1}
    )
    save_bootstrap_item(workspace, drafted)
    app = open_page("bootstrap", plan="trio")
    assert "Revise and accept 1 more set" in said(app)
    assert app.button(key=f"plan:{plan.id}:step").disabled
    assert r"shop\-sales" in [link.proto.label for link in app.get("page_link")]


def test_minutes_of_editing_are_stored_with_the_revision_and_those_of_reviewing_beside_it(
    open_page: Open, workspace: Workspace, draft: Revision, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attention, "MAX_GAP_S", 0.0)
    app = open_page("problemset", set=draft.problemset_id)
    app.button(key=f"set:{draft.id}:send_back").click().run()
    app.text_area(key=f"send_back:{draft.id}:reason").set_value("problem 2 crashes")
    app.button(key=f"send_back:{draft.id}:send").click().run()
    assert list_minutes(workspace) == []  # no gap is as long as half a second
    clock = iter(range(0, 100_000, 30))
    monkeypatch.setattr("authoring.ui.state.time.monotonic", lambda: float(next(clock)))
    monkeypatch.setattr(attention, "MAX_GAP_S", 60.0)
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    app.text_area[1].set_value("sales.units").run()
    app.button(key=f"save:{draft.problemset_id}").click().run()
    (row,) = list_minutes(workspace)
    assert (row.activity, row.problemset_id, row.person) == ("revision", draft.problemset_id, "mei")
    assert row.minutes > 0
    app.button(key=f"editor:{_head(workspace, draft)}:send_back").click().run()
    app.text_area(key=f"send_back:{_head(workspace, draft)}:reason").set_value("not yet")
    app.button(key=f"send_back:{_head(workspace, draft)}:send").click().run()
    review = list_minutes(workspace)[-1]
    assert (review.activity, review.problemset_id, review.minutes > 0) == ("review", draft.problemset_id, True)


def _head(workspace: Workspace, draft: Revision) -> int:
    return problemsets.find(workspace, draft.problemset_id).head_revision_id


def test_minutes_are_added_up_beside_a_baseline_and_peoples_experience(
    open_tab: Open, workspace: Workspace, draft: Revision, said: Said
) -> None:
    assert "No minutes are measured yet" in said(open_tab("guide", "Effort"))
    record_effort(workspace, "review", subject="x", person="mei", minutes=6.0, problemset_id=draft.problemset_id)
    record_decision(workspace, revision_id=draft.id, decision="accepted", by="lee")
    app = open_tab("guide", "Effort")
    app.text_input(key="effort:experience").set_value("5 years [of] pandas")
    app.button(key="effort:person").click().run()
    app.button(key="effort:baseline").click().run()
    assert "has no subject" in app.error[0].value
    app.text_input(key="effort:subject").set_value("two problems")
    app.number_input(key="effort:minutes").set_value(40.0)
    app.number_input(key="effort:problems").set_value(2)
    app.button(key="effort:baseline").click().run()
    app.segmented_control(key="effort:by").set_value("person").run()
    rows = app.table[0].value
    assert rows["Of"].tolist() == [r"mei (5 years \[of\] pandas)"]
    facts = app.table[1].value.reset_index().to_numpy().tolist()
    assert ["By hand", "20.00 minutes per problem"] in [[str(cell) for cell in row] for row in facts]
    assert ["Saving", "6.7 times fewer minutes than by hand"] in [[str(cell) for cell in row] for row in facts]
