"""Runs selected in their list, compared, and one attempt with what differs from its reference, in a real browser."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from authoring.release import create_release
from authoring.store import dry_runs, problemsets
from authoring.store.dry_runs import DryRunProblem
from authoring.store.reviewing.reviews import record_decision
from authoring.store.runs import index_attempts
from authoring.store.runs import insert as insert_run
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.records import Record
from tests.browser.conftest import Served, serve

pytestmark = [pytest.mark.browser, pytest.mark.deep]

TEXT = '# %%\n"""\nquery: How many units\n"""\nunits = [3, 5]\nsum(units)\n'
TABLE = "<table><thead><tr><th></th><th>units</th></tr></thead><tbody><tr><th>0</th><td>{}</td></tr></tbody></table>"
HOSTILE = "<img src=x onerror=alert(1)>7"


def shown(units: str) -> list[dict[str, object]]:
    return [{"output_type": "execute_result", "data": {"text/html": TABLE.format(units), "text/plain": units}}]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """An app without a worker on a workspace with two runs on one release."""
    with serve(tmp_path, "--no-worker") as found:
        add_runs(found.workspace, tmp_path)
        yield found


WRITTEN = "Keep :material/home: :material_home: :streamlit: :smile: :red[x] 1:30:2 -> and a >= b --"


def add_runs(ws: Workspace, folder: Path) -> None:
    revision = problemsets.create(ws, name="shop", text=TEXT, author="Ann", origin=Origin.PERSON)
    rows = [DryRunProblem(1, "p1", 0.01, "CORRECT", "WRONG_OUTPUT", outputs=shown("8"))]
    dry_runs.save(ws, revision_id=revision.id, environment="default", sandbox="bwrap", problems=rows, summary={})
    record_decision(ws, revision_id=revision.id, decision="accepted", by="Ann")
    create_release(ws, "shop", "1.0", out=folder / "release", created_by="Ann")
    for agent, verdict in (("alpha", "WRONG_OUTPUT"), ("beta", "CORRECT")):
        record = Record(
            benchmark="shop", version="1.0", problemset="shop", index=1, attempt=1, verdict=verdict,
            question="How many units", code="units = [3, 4]\nsum(units)\n", subverdict="", extended_verdict="",
        )  # fmt: skip
        out = folder / agent
        out.mkdir()
        (out / "records.jsonl").write_bytes(record.to_line())
        facts = {"format": 1, "benchmark": "shop", "version": "1.0", "agent": agent, "source": str(folder / "release")}
        (out / "manifest.json").write_text(json.dumps(facts))
        kept = {"key": ["shop", 1, 1, 1], "outputs": shown(HOSTILE)}
        (out / "details.jsonl").write_text(json.dumps(kept) + "\n")
        run = insert_run(ws, release="shop 1.0", agent=agent, out_dir=str(out), summary={})
        index_attempts(ws, run, [record.to_json()])


def test_selected_runs_are_compared_and_an_attempt_shows_what_differs(
    open_tab: Callable[..., Page], visit: Callable[[Page, str], None]
) -> None:
    page = open_tab()
    visit(page, "/runs")
    for run in (1, 2):
        page.locator(f".st-key-runs-select-{run} label").click()
        expect(page.get_by_role("checkbox", name=f"Select run {run}")).to_be_checked()
    page.get_by_role("link", name="Compare 2 runs").click()
    expect(page.get_by_role("heading", name="Compare 2 runs")).to_be_visible()
    expect(page.get_by_text("verdicts differ: 1")).to_be_visible()
    page.get_by_role("link", name="WRONG_OUTPUT").click()
    expect(page.get_by_text("Table: 1 cell changed")).to_be_visible()
    differing = page.get_by_role("group", name="cells that differ")
    expect(differing.locator("del")).to_have_text("8")
    expect(differing.locator("ins")).to_have_text("7")
    page.get_by_role("radio", name="Difference").click()
    expect(page.locator(".cm-mergeView, .cm-merge-a").first).to_contain_text("units = [3, 5]")
    page.set_viewport_size({"width": 560, "height": 900})
    expect(page.locator(".bw-unified").first).to_be_visible()
    expect(page.locator(".bw-label").first).to_have_text(re.compile("^− .+ · \\+ .+$"))


def test_a_query_is_drawn_with_the_very_signs_that_it_holds(
    served: Served, open_tab: Callable[..., Page], visit: Callable[[Page, str], None]
) -> None:
    run = insert_run(served.workspace, release="shop 1.0", agent="gamma", out_dir="/x", summary={})
    record = {"problemset": "other", "index": 1, "verdict": "CRASH", "question": f"{WRITTEN}\nand `10:smile:`"}
    index_attempts(served.workspace, run, [record])
    page = open_tab()
    visit(page, "/runs?attempt=3")
    expect(page.get_by_text(WRITTEN)).to_be_visible()


def test_the_ways_from_a_run_stand_in_one_line(
    open_tab: Callable[..., Page], visit: Callable[[Page, str], None]
) -> None:
    page = open_tab()
    visit(page, "/runs?run=1")
    named = [page.get_by_role("link", name="Compare"), page.get_by_role("button", name="Score again")]
    for each in named:
        expect(each).to_be_visible()
    boxes = [each.bounding_box() for each in named]
    tops = [(box["y"], box["height"]) for box in boxes if box]
    assert abs(sum(tops[0]) - sum(tops[1])) < 2, tops
    assert abs(tops[0][0] - tops[1][0]) < 2, tops
