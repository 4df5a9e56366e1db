"""Jobs say what they are about, what came of them where they were ordered, and can be put away, changed or resumed."""

from collections.abc import Mapping
from typing import Any

from authoring.drafting.replaced_items import replaced_items
from authoring.store import jobs, model_calls, runs
from authoring.store.drafting.sketches import list_sketches
from authoring.store.jobs import enqueue
from authoring.store.revisions import Revision
from authoring.store.workspace import Workspace
from tests.ui.acts import Open, boxes, claim, errors, fail, finish, keys, page_links, press, said, says


def test_a_job_is_named_by_what_it_is_about(ws: Workspace, draft: Revision, seed: int) -> None:
    sketch = list_sketches(ws, seed)[0]
    run = runs.insert(ws, release="shop 1.0", agent="oracle", out_dir="/x", summary={})
    orders: list[tuple[str, dict[str, object]]] = [
        ("shop-sales", {"revision_id": draft.id}),
        ("shop-sales", {"problemset_id": draft.problemset_id, "text": "x", "revision_id": None}),
        ("shop-sales", {"problemset": draft.id, "language": "zh"}),
        ("shop-sales@1", {"problemset": "shop-sales@1", "language": "zh"}),
        ("sales", {"seed": seed}),
        ("sales", {"seed": "sales"}),
        ("sales", {"seed": str(seed)}),
        (sketch.name, {"sketch": sketch.id, "name": ""}),
        ("99", {"sketch": 99}),
        ("penguins", {"name": "penguins", "files": []}),
        ("shop 1.0", {"name": "shop", "version": "1.0"}),
        ("oracle on shop 1.0", {"rescore": run}),
        ("oracle on shop 1.0", {"again": run}),
        ("mine on other", {"benchmark": "other", "agent": "model", "called": "mine"}),
        ("mine on other", {"benchmark": "/data/of/other/", "agent": "mine"}),
        ("sheet.ipynb", {"form": "notebook", "file": {"name": "sheet.ipynb", "digest": "0"}, "name": ""}),
        ("", {}),
    ]
    wanted = {enqueue(ws, kind="draft", payload=payload).id: subject for subject, payload in orders}
    assert jobs.subjects(ws, list(wanted)) == wanted
    assert jobs.live_subjects(ws, 1) == [("draft", "shop-sales")]


def test_list_page_and_sidebar_name_a_job(open_page: Open, ws: Workspace, draft: Revision) -> None:
    job = enqueue(ws, kind="dry_run", payload={"revision_id": draft.id}, key=f"dry_run:{draft.id}")
    app = open_page("runs", view="jobs")
    assert "**Dry run: shop-sales**" in said(app)
    assert app.button(key="frame:jobs").help.startswith(r"Dry run\: shop\-sales. Press")
    assert app.button(key="frame:jobs").label == "1 job waiting"
    for number in range(4):
        enqueue(ws, kind="sketch", payload={"seed": f"seed-{number}"})
    jobs.register_worker(ws)
    assert r"Sketch\: seed\-1, and 2 more. Press" in app.run().button(key="frame:jobs").help
    assert app.button(key="frame:jobs").label == "5 jobs waiting"
    claim(ws, "dry_run")
    assert app.run().button(key="frame:jobs").label == "1 job at work, 4 waiting"
    app = open_page("runs", job=job.id)
    assert "**Dry run: shop-sales**" in said(app)
    assert f"job:{job.id}:cancel" in keys(app)
    jobs.finish(ws, job.id, "w", result={})
    assert f"job:{job.id}:cancel" not in keys(app.run()), "only while it is live"


def test_jobs_are_listed_by_state_and_kind_with_what_they_cost(open_page: Open, ws: Workspace) -> None:
    failing = enqueue(ws, kind="draft", payload={"budget": {"tokens": 900, "cost": None, "minutes": None}})
    fail(ws, "draft")
    enqueue(ws, kind="release", payload={})
    model_calls.insert(
        ws, purpose="draft", subject="s", digest="d", model="m", host="h", params={}, messages=[], answer="a",
        finish_reason="stop", prompt_tokens=100, completion_tokens=20, seconds=2.0, job_id=failing.id,
    )  # fmt: skip
    app = open_page("runs", view="jobs")
    says(app, "120 tokens of 900", "Create release")
    app.selectbox(key="r_kind").select("draft").run()
    assert "Create release" not in said(app)
    assert "it broke" in said(app)
    app.number_input(key=f"listed:{failing.id}:budget:tokens").set_value(5000)
    assert "Nothing matches" in said(open_page("runs", view="jobs", r_state="queued", r_kind="Draft"))
    press(app, f"listed:{failing.id}:resume_with")
    resumed = jobs.find(ws, failing.id)
    assert (resumed.state, resumed.payload["budget"]["tokens"]) == ("queued", 5000)


def test_a_failure_is_dismissed_and_stays_in_the_list(open_page: Open, ws: Workspace, draft: Revision) -> None:
    job = enqueue(ws, kind="dry_run", payload={"revision_id": draft.id}, key=f"dry_run:{draft.id}")
    fail(ws, "dry_run", where="line 3")
    app = open_page("problemset", set=draft.problemset_id)
    assert app.error[0].value.split("  \n") == ["**it broke**", "Where: line 3", "To fix it: mend it"]
    assert "it broke" not in said(press(app, f"job:{job.id}:dismiss"))
    assert "it broke" not in said(open_page("problemset", set=draft.problemset_id)), "another tab"
    listed = open_page("runs", view="jobs")
    assert "dismissed by mei" in said(listed)
    assert "it broke" in listed.error[0].value
    assert f"listed:{job.id}:dismiss" not in keys(listed)
    press(listed, f"listed:{job.id}:resume")
    assert jobs.find(ws, job.id).state == "queued"
    fail(ws, "dry_run")
    assert "it broke" in errors(open_page("problemset", set=draft.problemset_id)), "a new failure is news"


def test_a_job_that_failed_by_its_input_is_not_resumed(open_page: Open, ws: Workspace, seed: int) -> None:
    job = enqueue(ws, kind="sketch", payload={"seed": seed, "budget": {"tokens": 9}}, key=f"sketch:{seed}")
    fail(ws, "sketch", "too few rows", by_input="yes")
    found = keys(open_page("seeds", seed=seed))
    assert {f"again:{job.id}", f"job:{job.id}:dismiss"} <= found
    assert not [key for key in found if "resume" in key]
    assert not [key for key in keys(open_page("runs", view="jobs")) if key.startswith(f"listed:{job.id}:")]


def test_what_is_live_or_done_cannot_be_dismissed(ws: Workspace, draft: Revision) -> None:
    job = enqueue(ws, kind="dry_run", payload={"revision_id": draft.id})
    jobs.dismiss(ws, job.id, by="mei")
    assert jobs.find(ws, job.id).error is None
    finish(ws, "dry_run", {})
    jobs.dismiss(ws, job.id, by="mei")
    assert jobs.find(ws, job.id).dismissed_by == ""


GAP = {"item": 2, "family": "gap_pattern", "reason": "no value is missing", "instead": "linear_trend"}
TOP = {"item": 4, "family": "top_n", "reason": "the groups are few", "instead": None}
REPLACED: Mapping[str, Any] = {"report": {"replaced": [GAP, TOP]}}
TITLE = "2 items of the sketch were replaced or left out"
ITEM = "item 2 (gap_pattern) is replaced by linear_trend: no value is missing"


def test_a_draft_says_which_items_it_does_not_ask(open_page: Open, ws: Workspace, seed: int) -> None:
    job = enqueue(ws, kind="draft", payload={}, key="draft:1")
    finish(ws, "draft", {"problemset": 7, "provenance": dict(REPLACED)})
    for app in (open_page("seeds", sketch=1), open_page("runs", job=job.id)):
        assert TITLE in boxes(app)
        assert ITEM in said(app)
    assert page_links(app)["Open it"] == "set=7"
    for other in ({}, {"report": None}, {"report": {"replaced": "no"}}, {"report": {"replaced": [1]}}):
        assert replaced_items(other) == ()
    assert replaced_items(REPLACED) == (ITEM, "item 4 (top_n) is left out: the groups are few")


def test_a_release_that_was_made_is_told_with_the_ways_on_from_it(open_page: Open, ws: Workspace) -> None:
    open_item = "item 3: shop, p2: two agents agree"
    made = {"id": 7, "name": "mybench", "version": "1.0", "problems": 15, "open_items": [open_item], "existed": False}
    job = enqueue(ws, kind="release", payload={}, key="release:app")
    finish(ws, "release", made)
    for app in (open_page("releases"), open_page("runs", job=job.id)):
        says(app, "**mybench 1.0** is made: 15 problems.", f"the roundtable has left open {open_item}")
        assert page_links(app)["Open it"] == "release=7"
        assert page_links(app)["Run an agent on it"] == "on=release%3A7"
    enqueue(ws, kind="release", payload={}, key="release:app")
    finish(ws, "release", {**made, "existed": True})
    assert "**mybench 1.0** exists already: nothing is changed." in said(open_page("releases"))
