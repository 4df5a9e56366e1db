"""The editor's tabs Try and Validators: answers tried and kept, validators proposed, built and removed."""

from typing import Any

from authoring.store import autosaves, jobs
from authoring.ui.drawing.proposal_matrix import left_out, matrix_rows, name_list
from evaluator.language import read_yaml
from tests.ui.acts import errors, finish, press, said
from tests.ui.conftest import texts
from tests.ui.problemset.acts import Desk, area, warnings

SETTINGS = "Settings (YAML): validator, limits, tags"


def tried(verdict: str, **more: Any) -> dict[str, Any]:
    reason = [{"category": "result", "correct": "no", "reason": "7"}]
    validation = {"correct": "no", "category": "and", "reason": reason}
    return {"verdict": verdict, "reason": "", "validation": validation, "outputs": [], "error": None, **more}


def test_an_answer_is_tried_on_the_text_on_screen_and_kept_in_the_settings(desk: Desk) -> None:
    go = f"try:{desk.number}:p1:go"
    app = desk.editor(tab="Try")
    press(app, go)
    assert "there is no answer to try" in errors(app)
    area(app, "Reference code").set_value("sales.units.sum()")
    area(app, "Answer to try").set_value("sales.units")
    press(app, go)
    payload = finish(desk.ws, "try", tried("WRONG_OUTPUT", reason="7 is not <6>")).payload
    assert (payload["problem"], payload["code"], "sales.units.sum()" in payload["text"]) == (1, "sales.units", True)
    app.run()
    assert r"7 is not \<6\>" in texts(app)
    assert [row["Validator"] for row in app.table[0].value.to_dict("records")] == [
        "result: :small[the value of the cell's last expression]"
    ]
    press(app, "try:1:reject")
    settings = desk.kept()["p1", "settings"].text
    example = {"code": "sales.units\n", "verdict": "WRONG_OUTPUT"}
    assert read_yaml(settings).value == {"examples": {"reject": [example]}}
    assert area(app, SETTINGS).value == settings
    assert "is WRONG_OUTPUT" in said(app)  # as it was tried: the examples are no part of what its verdict rests on
    assert "before the text changed" not in said(app)
    area(app, "Reference code").set_value("sales.units.max()").run()
    assert "is WRONG_OUTPUT, before the text changed" in said(app)

    desk.save(app)
    assert "examples:" in desk.head().text
    assert desk.kept_texts() == ["sales.units"]
    assert autosaves.people(desk.ws, desk.number) == []
    assert area(app, "Answer to try").value == "sales.units"  # no revision holds it, and saving does not take it away
    press(app, f"example:{desk.number}:p1:examples.reject[0]")
    assert "None yet" in said(app)
    app.query_params["pid"] = "setup1"
    app.run()
    assert not app.exception
    assert "Try" not in [tab.label for tab in app.tabs]  # a setup cell has none


def test_an_answer_that_passes_may_be_kept_as_one_that_must_not(desk: Desk) -> None:
    app = desk.editor(tab="Try")
    area(app, "Answer to try").set_value("6")
    press(app, f"try:{desk.number}:p1:go")
    finish(desk.ws, "try", tried("CORRECT", validation=None))
    press(app.run(), "try:1:reject")
    assert "but is CORRECT" in said(app)
    assert "must be rejected" in said(app)


def test_a_proposal_is_put_into_the_settings_and_a_stale_one_says_so(desk: Desk) -> None:
    app = desk.editor(tab="Validators")
    press(app, f"propose:{desk.number}:p1")
    proposal = {"number": 1, "title": "any <order>", "validator": {"result": {"ignore_order": True}}}
    verdicts = {"reference_passes": True, "rewrites": {"order reversed": "CORRECT", "as text": "WRONG_OUTPUT"}}
    refused = {**proposal, **verdicts, "number": 2, "reference_passes": False}
    payload = finish(desk.ws, "validators", {"proposals": [{**proposal, **verdicts}, refused]}).payload
    assert (payload["problem"], payload["text"]) == (1, desk.text)
    app.run()
    for words in ("accepts: order reversed", "rejects: as text", "✗ rejects"):
        assert words in said(app)
    (matrix,) = [each.value for each in app.table if "Rewrite" in each.value]
    assert matrix.to_numpy().tolist() == [
        ["**the reference**", ":green[**✓**]", ":red[**✗**]"],
        ["order reversed", ":green[**✓**]", ":green[**✓**]"],
        ["as text", ":red[**✗**]", ":red[**✗**]"],
    ]
    assert app.button(key="proposal:1:2").disabled
    press(app, "proposal:1:1")
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


def test_a_validator_is_built_with_a_preview_and_removed_again(desk: Desk) -> None:
    app = desk.editor(tab="Validators")
    key, written = f"build:{desk.number}:p1", f"written:{desk.number}:p1"
    app.selectbox(key=f"{key}:name").select("namespace_check").run()
    assert "variables is needed" in said(app)
    app.multiselect(key=f"{key}:namespace_check:variables").set_value(["sales"])
    app.checkbox(key=f"{key}:namespace_check:ignore_order").check().run()
    assert "sales:\n      ignore_order: true" in said(app)
    area(app, SETTINGS).set_value("tags: [typed]\n")  # and not left yet: the click brings it along
    press(app, f"{key}:add")
    wanted = "tags: [typed]\nvalidator:\n  namespace_check:\n    sales:\n      ignore_order: true\n"
    assert area(app, SETTINGS).value == wanted
    assert desk.kept_texts() == [wanted]
    assert "falls away" not in said(app)  # the form holds what stands there
    app.multiselect(key=f"{key}:namespace_check:variables").set_value(["total"]).run()
    assert "The settings hold namespace_check already" in said(app)
    assert app.button(key=f"{key}:add").label == "Replace in settings"
    app.selectbox(key=f"{written}:template").select("intact").run()
    assert "template: intact" in area(app, SETTINGS).value
    press(app, f"{written}:namespace_check")
    assert area(app, SETTINGS).value == "tags: [typed]\nvalidator:\n  template: intact\n"


def test_the_table_of_equality_is_that_of_the_settings_on_the_screen(desk: Desk) -> None:
    app = desk.editor(tab="Validators")
    assert "**result**: every line as in the table" in said(app)
    assert not app.table
    key = f"build:{desk.number}:p1"
    app.selectbox(key=f"{key}:name").select("result").run()
    app.selectbox(key=f"{key}:result:ignore_names").select(False)
    app.multiselect(key=f"{key}:result:equality: wrong").set_value(["order"]).run()
    assert "ignore_names: false\n    equality:\n      order: wrong" in said(app)
    app.session_state[f"equality:{desk.number}:p1"] = True
    press(app, f"{key}:add")
    assert "order: wrong" in said(app)
    (table,) = app.table
    judged = table.value.set_index("Difference")["Judged as"]
    (order,) = [judged[name] for name in judged.index if name.startswith("**order**")]
    assert order.replace("\\", "") == "wrong (equality: {order: wrong})"
    assert "DSEval's own matchers" in said(app)


def test_an_order_on_another_text_than_the_one_at_work_is_not_swallowed(desk: Desk) -> None:
    app = desk.editor()
    run = f"run:{desk.number}:p1"
    press(app, run)
    press(app, run)
    assert not app.warning[1:]  # a double click; the first warning is that no worker runs
    area(app, "Reference code").set_value("sales.units.max()")
    press(app, run)
    assert "is at work, on what was ordered before" in warnings(app)
    assert len(jobs.select(desk.ws)) == 1
