"""A run whose stored submissions are judged anew: what its page shows meanwhile, and how the new run is told apart."""

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from authoring.store import jobs
from authoring.store.run_results import list_other_agents
from authoring.store.runs import find, index_attempts
from authoring.store.runs import insert as insert_run
from authoring.store.workspace import Workspace
from authoring.ui.runs.run_words import run_title
from tests.ui.test_results import claimed, links

Open = Callable[..., AppTest]
Said = Callable[[AppTest], str]


def scored(ws: Workspace, agent: str, **summary: Any) -> int:
    out = f"/{agent}-{len(summary)}-{sum(summary.values())}"
    run = insert_run(ws, release="small 1", agent=agent, out_dir=out, summary=summary)
    index_attempts(ws, run, [{"problemset": "trips", "index": 1, "verdict": "CRASH", "question": "Why?"}])
    return run


@pytest.fixture
def run(workspace: Workspace) -> int:
    return scored(workspace, "cheat")


def test_scoring_again_shows_its_job_at_the_button_and_then_the_new_run(
    open_page: Open, workspace: Workspace, run: int, said: Said
) -> None:
    app = open_page("runs", run=run)
    app.button(key=f"run:{run}:rescore").click().run()
    button = app.button(key=f"run:{run}:rescore")
    assert (button.label, button.disabled) == ("Scoring again …", True)
    (job,) = jobs.select(workspace, kinds=("run",))
    assert f"job {job.id}" in said(app)
    made = scored(workspace, "cheat", rescored_from=run)
    assert jobs.finish(workspace, claimed(workspace, job), "w", result={"id": made})
    app = open_page("runs", run=run)
    assert not app.button(key=f"run:{run}:rescore").disabled
    (link,) = [each.proto for each in app.get("page_link") if each.proto.label.startswith("Scored again")]
    assert link.query_string == f"run={made}"


def test_scoring_again_that_fails_says_so_at_the_button(
    open_page: Open, workspace: Workspace, run: int, said: Said
) -> None:
    app = open_page("runs", run=run)
    app.button(key=f"run:{run}:rescore").click().run()
    (job,) = jobs.select(workspace, kinds=("run",))
    error = {"what": "its records are gone", "where": "", "fix": "run the agent"}
    jobs.fail(workspace, claimed(workspace, job), "w", error=error)
    assert "its records are gone" in said(open_page("runs", run=run))


def test_a_run_that_was_scored_again_is_told_apart_in_lists_and_headings(
    open_page: Open, workspace: Workspace, run: int, said: Said
) -> None:
    copy = scored(workspace, "cheat", rescored_from=run)
    app = open_page("runs")
    assert [name for name in links(app) if name.startswith("**cheat**")] == [
        f"**cheat** on small 1 · run {run}, scored again",
        "**cheat** on small 1",
    ]
    app = open_page("runs", run=copy)
    assert app.title[0].value == f"cheat on small 1 · run {run}, scored again"
    assert f"Open run {run}, whose submissions these are" in links(app)
    assert f"{copy} · cheat on small 1, run {run}, scored again" in run_title(find(workspace, copy))


def test_the_submissions_of_one_run_are_no_other_agents_however_often_they_were_scored(
    open_page: Open, workspace: Workspace, run: int
) -> None:
    other = scored(workspace, "oracle")
    copies = [scored(workspace, "cheat", rescored_from=run), scored(workspace, "cheat", rescored_from=run, more=1)]
    again = scored(workspace, "cheat", rescored_from=copies[0], more=2)
    seen = {each: [mark.run_id for mark in list_other_agents(workspace, each, "small 1", ("trips", 1))]
            for each in (run, *copies, again, other)}  # fmt: skip
    assert seen == {run: [other], **{each: [other] for each in copies}, again: [other], other: [again]}
    gone = scored(workspace, "plan", rescored_from=99)
    assert gone in [mark.run_id for mark in list_other_agents(workspace, run, "small 1", ("trips", 1))]


def test_two_runs_are_compared_with_the_one_on_the_screen_as_a(open_page: Open, workspace: Workspace, run: int) -> None:
    other = scored(workspace, "oracle")
    (link,) = [each.proto for each in open_page("runs", run=run).get("page_link") if each.proto.label == "Compare"]
    assert link.query_string == f"a={run}&b={other}"
