"""The editor's tabs Try and Validators: answers tried and kept, validators proposed, built and removed."""

from collections.abc import Callable
from typing import Any

from streamlit.testing.v1 import AppTest

from authoring.store import autosaves, jobs, problemsets, revisions
from authoring.store.revisions import Revision
from authoring.store.workspace import Workspace
from authoring.ui.drawing.proposal_matrix import left_out, matrix_rows, name_list
from evaluator.language import read_yaml

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]
SETTINGS = "Settings (YAML): validator, limits, tags"


def show(app: AppTest, tab: str, problemset_id: int) -> AppTest:
    """Open one of the editor's tabs."""
    app.session_state[f"tabs:{problemset_id}"] = tab
    app.run()
    assert not app.exception
    return app


def finish(ws: Workspace, kind: str, result: dict[str, Any]) -> dict[str, Any]:
    """Do the queued job as a worker would and return what it was ordered with."""
    job = jobs.claim(ws, owner="w", kinds=[kind])
    assert job is not None
    assert jobs.finish(ws, job.id, "w", result=result)
    return job.payload


def tried(verdict: str, **more: Any) -> dict[str, Any]:
    validation = {
        "correct": "no",
        "category": "and",
        "reason": [{"category": "result", "correct": "no", "reason": "7"}],
    }
    return {"verdict": verdict, "reason": "", "validation": validation, "outputs": [], "error": None, **more}


def area(app: AppTest, label: str) -> Any:
    (found,) = [each for each in app.text_area if each.label == label]
    return found


def test_an_answer_is_tried_on_the_text_on_screen_and_kept_in_the_settings(
    open_page: Open, draft: Revision, workspace: Workspace, said: Said
) -> None:
    app = show(open_page("editor", set=draft.problemset_id, pid="p1"), "Try", draft.problemset_id)
    app.button(key=f"try:{draft.problemset_id}:p1:go").click().run()
    assert "there is no answer to try" in app.error[0].value
    area(app, "Reference code").set_value("sales.units.sum()")
    area(app, "Answer to try").set_value("sales.units")
    app.button(key=f"try:{draft.problemset_id}:p1:go").click().run()
    payload = finish(workspace, "try", tried("WRONG_OUTPUT", reason="7 is not <6>"))
    assert (payload["problem"], payload["code"], "sales.units.sum()" in payload["text"]) == (1, "sales.units", True)
    app.run()
    assert r"7 is not \<6\>" in said(app)
    assert [row["Validator"] for row in app.table[0].value.to_dict("records")] == [
        "result: :small[the value of the cell's last expression]"
    ]
    app.button(key="try:1:reject").click().run()
    (settings,) = [
        each.text for each in autosaves.select(workspace, "mei", draft.problemset_id) if each.field == "settings"
    ]
    kept = {"code": "sales.units\n", "verdict": "WRONG_OUTPUT"}
    assert read_yaml(settings).value == {"examples": {"reject": [kept]}}
    assert area(app, SETTINGS).value == settings
    assert "is WRONG\\_OUTPUT" in said(app)  # as it was tried: the examples are no part of what its verdict rests on
    assert "before the text changed" not in said(app)
    area(app, "Reference code").set_value("sales.units.max()").run()
    assert "is WRONG\\_OUTPUT, before the text changed" in said(app)

    app.button(key=f"save:{draft.problemset_id}").click().run()
    head = revisions.find(workspace, problemsets.find(workspace, draft.problemset_id).head_revision_id)
    assert "examples:" in head.text
    assert [saved.text for saved in autosaves.select(workspace, "mei", draft.problemset_id)] == ["sales.units"]
    assert autosaves.people(workspace, draft.problemset_id) == []
    assert area(app, "Answer to try").value == "sales.units"  # no revision holds it, and saving does not take it away
    app.button(key=f"example:{draft.problemset_id}:p1:examples.reject[0]").click().run()
    assert "None yet" in said(app)


def test_an_answer_that_passes_may_be_kept_as_one_that_must_not(
    open_page: Open, draft: Revision, workspace: Workspace, said: Said
) -> None:
    app = show(open_page("editor", set=draft.problemset_id, pid="p1"), "Try", draft.problemset_id)
    area(app, "Answer to try").set_value("6")
    app.button(key=f"try:{draft.problemset_id}:p1:go").click().run()
    finish(workspace, "try", tried("CORRECT", validation=None))
    app.run()
    app.button(key="try:1:reject").click().run()
    assert "but is CORRECT" in said(app)
    assert "must be rejected" in said(app)


def test_a_setup_cell_has_no_tab_for_answers(open_page: Open, draft: Revision) -> None:
    app = show(open_page("editor", set=draft.problemset_id, pid="p1"), "Try", draft.problemset_id)
    app.query_params["pid"] = "setup1"
    app.run()
    assert not app.exception
    assert "Try" not in [tab.label for tab in app.tabs]


def test_a_proposal_is_put_into_the_settings_and_a_stale_one_says_so(
    open_page: Open, draft: Revision, workspace: Workspace, said: Said
) -> None:
    app = show(open_page("editor", set=draft.problemset_id, pid="p1"), "Validators", draft.problemset_id)
    app.button(key=f"propose:{draft.problemset_id}:p1").click().run()
    proposal = {"number": 1, "title": "any <order>", "validator": {"result": {"ignore_order": True}}}
    verdicts = {"reference_passes": True, "rewrites": {"order reversed": "CORRECT", "as text": "WRONG_OUTPUT"}}
    refused = {**proposal, **verdicts, "number": 2, "reference_passes": False}
    payload = finish(workspace, "validators", {"proposals": [{**proposal, **verdicts}, refused]})
    assert (payload["problem"], payload["text"]) == (1, draft.text)
    app.run()
    assert "accepts: order reversed" in said(app)
    assert "rejects: as text" in said(app)
    assert "✗ rejects" in said(app)
    (matrix,) = [each.value for each in app.table if "Rewrite" in each.value]
    assert matrix.to_numpy().tolist() == [
        ["**the reference**", ":green[**✓**]", ":red[**✗**]"],
        ["order reversed", ":green[**✓**]", ":green[**✓**]"],
        ["as text", ":red[**✗**]", ":red[**✗**]"],
    ]
    assert app.button(key="proposal:1:2").disabled
    app.button(key="proposal:1:1").click().run()
    assert area(app, SETTINGS).value == "validator:\n  result:\n    ignore_order: true\n"
    assert "stale: the text has changed since" in said(app)


def test_the_table_of_proposals_says_what_it_leaves_out() -> None:
    rewrites = {f"rewrite {number}": "CORRECT" for number in range(70)}
    proposals = [{"number": 1, "reference_passes": True, "rewrites": rewrites}]
    assert len(matrix_rows(proposals)) == 61
    assert left_out(proposals) == "Not in this table: 10 rewrites more."
    assert left_out([{**proposals[0], "rewrites": {"as text": "CORRECT"}}]) == ""
    assert name_list(["a"] * 32).endswith("a, a and 2 more")
    assert name_list([]) == "no rewrite"


def test_a_validator_is_built_with_a_preview_and_removed_again(
    open_page: Open, draft: Revision, workspace: Workspace, said: Said
) -> None:
    app = show(open_page("editor", set=draft.problemset_id, pid="p1"), "Validators", draft.problemset_id)
    key = f"build:{draft.problemset_id}:p1"
    app.selectbox(key=f"{key}:name").select("namespace_check").run()
    assert "variables is needed" in said(app)
    app.multiselect(key=f"{key}:namespace_check:variables").set_value(["sales"]).run()
    app.checkbox(key=f"{key}:namespace_check:ignore_order").check().run()
    assert "sales:\n      ignore_order: true" in said(app)
    area(app, SETTINGS).set_value("tags: [typed]\n")  # and not left yet: the click brings it along
    app.button(key=f"{key}:add").click().run()
    wanted = "tags: [typed]\nvalidator:\n  namespace_check:\n    sales:\n      ignore_order: true\n"
    assert area(app, SETTINGS).value == wanted
    assert [saved.text for saved in autosaves.select(workspace, "mei", draft.problemset_id)] == [wanted]
    assert "falls away" not in said(app)  # the form holds what stands there
    app.multiselect(key=f"{key}:namespace_check:variables").set_value(["total"]).run()
    assert "The settings hold namespace_check already" in said(app).replace("\\", "")
    assert app.button(key=f"{key}:add").label == "Replace in settings"
    app.selectbox(key=f"written:{draft.problemset_id}:p1:template").select("intact").run()
    assert "template: intact" in area(app, SETTINGS).value
    app.button(key=f"written:{draft.problemset_id}:p1:namespace_check").click().run()
    assert area(app, SETTINGS).value == "tags: [typed]\nvalidator:\n  template: intact\n"


def test_the_table_of_equality_is_shown_as_the_settings_on_the_screen_leave_it(
    open_page: Open, draft: Revision, said: Said
) -> None:
    app = show(open_page("editor", set=draft.problemset_id, pid="p1"), "Validators", draft.problemset_id)
    assert "**result**: every line as in the table" in said(app)
    assert not app.table
    key = f"build:{draft.problemset_id}:p1"
    app.selectbox(key=f"{key}:name").select("result").run()
    app.selectbox(key=f"{key}:result:ignore_names").select(False)
    app.multiselect(key=f"{key}:result:equality: wrong").set_value(["order"]).run()
    assert "ignore_names: false\n    equality:\n      order: wrong" in said(app)
    app.button(key=f"{key}:add").click().run()
    assert "order: wrong" in said(app)
    app.session_state[f"equality:{draft.problemset_id}:p1"] = True
    app.run()
    assert not app.exception
    (table,) = app.table
    judged = table.value.set_index("Difference")["Judged as"]
    (order,) = [judged[name] for name in judged.index if name.startswith("**order**")]
    assert order.replace("\\", "") == "wrong (equality: {order: wrong})"
    assert "DSEval's own matchers" in said(app).replace("\\", "")


def test_an_order_while_an_earlier_one_is_at_work_on_another_text_is_not_swallowed(
    open_page: Open, draft: Revision, workspace: Workspace
) -> None:
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    app.button(key=f"run:{draft.problemset_id}:p1").click().run()
    app.button(key=f"run:{draft.problemset_id}:p1").click().run()
    assert not app.warning[1:]  # a double click; the first warning is that no worker runs
    area(app, "Reference code").set_value("sales.units.max()")
    app.button(key=f"run:{draft.problemset_id}:p1").click().run()
    assert any("is at work, on what was ordered before" in warning.value for warning in app.warning)
