"""What a finished job made is told where it was ordered and on the job's own page, with what it could not do."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from streamlit.testing.v1 import AppTest

from authoring.drafting.replaced_items import replaced_items
from authoring.store import jobs, problemsets
from authoring.store.jobs import Job, enqueue
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]
REPLACED: Mapping[str, Any] = {
    "report": {
        "replaced": [
            {"item": 2, "family": "gap_pattern", "reason": "no value is missing", "instead": "linear_trend"},
            {"item": 4, "family": "top_n", "reason": "the groups are few", "instead": None},
        ]
    }
}
TITLE = "2 items of the sketch were replaced or left out"
ITEM = "item 2 (gap_pattern) is replaced by linear_trend: no value is missing"


def plain(text: str) -> str:
    return text.replace("\\", "")


def done(ws: Workspace, kind: str, result: Mapping[str, Any], key: str | None = None) -> Job:
    """Return a job that a worker has finished."""
    job = enqueue(ws, kind=kind, payload={}, key=key)
    assert jobs.claim(ws, owner="w", kinds=(kind,)) is not None
    assert jobs.finish(ws, job.id, "w", result=json.loads(json.dumps(dict(result))))
    return job


def boxes(app: AppTest) -> list[str]:
    return [box.label for box in app.expander]


def test_provenance_of_any_shape_names_no_replaced_items() -> None:
    for other in ({}, {"report": None}, {"report": {"replaced": "no"}}, {"report": {"replaced": [1]}}):
        assert replaced_items(other) == ()
    assert replaced_items(REPLACED) == (ITEM, "item 4 (top_n) is left out: the groups are few")


def test_a_draft_says_which_items_of_its_sketch_it_does_not_ask(
    open_page: Open, workspace: Workspace, seed: int, said: Said
) -> None:
    made = problemsets.create(
        workspace, name="shop", text="# %%\n1\n", author="mei", origin=Origin.TEMPLATE, provenance=REPLACED
    )
    done(workspace, "draft", {"problemset": made.problemset_id, "provenance": REPLACED}, key="draft:1")
    for app in (open_page("problemset", set=made.problemset_id), open_page("seeds", sketch=1)):
        app.session_state[f"tabs:set:{made.problemset_id}"] = "History"
        app.run()
        assert TITLE in boxes(app)
        assert ITEM in plain(said(app))


def links(app: AppTest) -> dict[str, str]:
    return {link.proto.label: link.proto.query_string for link in app.main.get("page_link")}


def test_a_release_that_was_made_is_told_with_the_ways_on_from_it(
    open_page: Open, workspace: Workspace, said: Said
) -> None:
    open_item = "item 3: shop, p2: two agents agree"
    made = {"id": 7, "name": "mybench", "version": "1.0", "problems": 15, "open_items": [open_item], "existed": False}
    job = done(workspace, "release", made, key="release:app")
    for app in (open_page("releases"), open_page("runs", job=job.id)):
        assert "**mybench 1.0** is made: 15 problems." in plain(said(app))
        assert f"the roundtable has left open {open_item}" in plain(said(app))
        assert links(app)["Open it"] == "release=7"
        assert links(app)["Run an agent on it"] == "on=release%3A7"
    done(workspace, "release", {**made, "existed": True}, key="release:app")
    assert "**mybench 1.0** exists already: nothing is changed." in plain(said(open_page("releases")))


def test_the_page_of_a_job_leads_to_the_draft_that_it_made(open_page: Open, workspace: Workspace, seed: int) -> None:
    made = problemsets.create(workspace, name="shop", text="# %%\n1\n", author="mei", origin=Origin.TEMPLATE)
    job = done(workspace, "draft", {"problemset": made.problemset_id, "provenance": REPLACED})
    app = open_page("runs", job=job.id)
    assert links(app)["Open it"] == f"set={made.problemset_id}"
    assert TITLE in boxes(app)
