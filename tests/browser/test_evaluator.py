"""The evaluator's path through the real app: order runs, follow them, see why an attempt failed, compare, export."""

import csv
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from authoring.release import create_release
from authoring.release.release_runs import run_in_workspace
from authoring.store import dry_runs, jobs, problemsets
from authoring.store.dry_runs import DryRunProblem
from authoring.store.reviewing.reviews import record_decision
from authoring.store.reviewing.roundtable import list_roundtable
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.running import OutputsKept, RunConfig, run_benchmark
from tests.browser.conftest import Served, serve
from tests.browser.person import Person

pytestmark = pytest.mark.browser

TEXT = '''# %%
units = [3, 5, 4]

# %%
"""
query: How many units were sold?
"""
sum(units)

# %%
"""
query: Which was the best day, counted from 0?
"""
units.index(max(units))
'''
Visit = Callable[[Page, str], None]
Settled = Callable[[Page], None]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """An app without a worker on a workspace with one release."""
    with serve(tmp_path, "--no-worker") as found:
        release(found.workspace, tmp_path / "release")
        yield found


def release(ws: Workspace, out: Path, name: str = "shop", text: str = TEXT, problems: int = 2) -> None:
    revision = problemsets.create(ws, name=name, text=text, author="Ann", origin=Origin.PERSON)
    shown = [{"output_type": "stream", "name": "stdout", "text": "the reference says twelve\n"}]
    numbers = range(1, problems + 1)
    rows = [DryRunProblem(n, f"p{n}", 0.01, "CORRECT", "WRONG_OUTPUT", outputs=shown) for n in numbers]
    dry_runs.save(ws, revision_id=revision.id, environment="default", sandbox="bwrap", problems=rows, summary={})
    record_decision(ws, revision_id=revision.id, decision="accepted", by="Ann")
    create_release(ws, name, "1.0", out=out, created_by="Ann", chosen=[f"{name}@1"])


@contextmanager
def working(ws: Workspace) -> Iterator[None]:
    """Let a worker do what is queued."""
    worker = subprocess.Popen([sys.executable, "-m", "authoring.worker", "--workspace", str(ws.root)])
    try:
        yield
    finally:
        worker.terminate()
        worker.wait(20)


def order(page: Page, settled: Settled, agent: str) -> None:
    page.get_by_role("combobox", name="Agent").click()
    page.get_by_role("option", name=agent).click()
    settled(page)
    page.get_by_role("button", name="Start the run").click()
    settled(page)


def test_runs_are_ordered_followed_read_and_compared(
    served: Served, open_tab: Callable[..., Page], visit: Visit, settled: Settled, tmp_path: Path
) -> None:
    ws, page = served.workspace, open_tab()
    visit(page, "/runs")
    order(page, settled, "empty: answers nothing")
    expect(page.get_by_text("empty on shop 1.0")).to_be_visible()
    order(page, settled, "oracle: the reference code")
    expect(page.get_by_role("button", name="Cancel", exact=True)).to_have_count(2)
    page.get_by_role("button", name="Cancel", exact=True).first.click()  # the newest: the oracle
    expect(page.get_by_role("button", name="Cancel", exact=True)).to_have_count(1)
    oracle, empty = (job.id for job in jobs.select(ws, kinds=("run",)))
    assert (jobs.find(ws, oracle).state, jobs.find(ws, empty).state) == ("cancelled", "queued")

    with working(ws):
        visit(page, f"/runs?job={empty}")
        expect(page.get_by_role("link", name="Open the run")).to_be_visible()
        visit(page, "/runs?view=jobs&r_state=cancelled")
        page.get_by_role("button", name="Resume", exact=True).click()
        expect(page.get_by_text("Nothing matches")).to_be_visible()
        visit(page, f"/runs?job={oracle}")
        expect(page.get_by_role("link", name="Open the run")).to_be_visible()

    visit(page, "/runs")
    page.get_by_role("tab", name="Agents and verdicts").click()
    page.get_by_text("2 problems. Open a verdict").wait_for()
    page.get_by_role("textbox", name="Text").fill("best day")
    page.keyboard.press("Enter")
    expect(page.get_by_text("1 problem. Open a verdict")).to_be_visible()
    expect(page).to_have_url(re.compile("r_text=best"))
    expect(page.get_by_role("link", name="WRONG_OUTPUT")).to_have_count(1)
    page.get_by_role("link", name="WRONG_OUTPUT").click()
    expect(page.get_by_role("heading", name="shop 2")).to_be_visible()
    expect(page.get_by_text("It printed nothing.")).to_be_visible()
    expect(page.get_by_text("the reference says twelve")).to_be_visible()
    expect(page.get_by_text("Result of each validator")).to_be_visible()

    page.get_by_role("button", name="Mark suspect").click()
    page.get_by_label("What is suspect").fill("days count from 1 for people")
    page.get_by_label("What is suspect").press("Tab")
    page.get_by_role("button", name="Send to the roundtable").click()
    expect(page.get_by_text("suspect: days count from 1 for people")).to_be_visible()
    (item,) = list_roundtable(ws, only_open=True)
    assert (item.problem, item.opened_by) == ("p2", "mei")
    expect(page.get_by_role("link", name="Open the problem in the editor")).to_be_visible()

    page.get_by_role("link", name="empty on shop 1.0").click()
    page.get_by_role("link", name="Compare", exact=True).click()
    expect(page.get_by_text("McNemar's exact test on the 2 problems")).to_be_visible()
    expect(page.get_by_text("verdicts differ: 2")).to_be_visible()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="All problems (.csv)").click()
    waiting.value.save_as(tmp_path / "both.csv")
    with (tmp_path / "both.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    assert [row[-1] for row in rows] == ["solved by", "second", "second"]


@pytest.mark.deep
def test_the_folder_of_a_run_is_imported_and_what_came_of_it_is_not_covered(
    served: Served, open_tab: Callable[..., Page], visit: Visit, settled: Settled, tmp_path: Path
) -> None:
    theirs = tmp_path / "theirs"
    config = RunConfig(tmp_path / "release", "empty", theirs, outputs=OutputsKept.SHOWN)
    run_benchmark(config)  # as `benchwright run` does elsewhere
    page = open_tab()
    visit(page, "/runs")
    page.get_by_role("button", name="Import results").click()
    page.locator('input[type="file"]').first.set_input_files(theirs)
    expect(page.get_by_text("records.jsonl").last).to_be_visible()
    expect(page.locator('[data-testid="stFileUploader"] [role="progressbar"]')).to_have_count(0)
    settled(page)
    with working(served.workspace):
        page.get_by_role("button", name="Import them").click()
        expect(page.get_by_role("button", name="Import them")).to_be_hidden()
        expect(page.get_by_text("Imported 2 records of empty on shop 1.0.")).to_be_visible()
    page.get_by_role("link", name="Open the run").click()
    expect(page.get_by_role("heading", name="empty on shop 1.0")).to_be_visible()


@pytest.mark.deep
def test_an_evaluator_reads_five_failures_by_what_can_be_read_on_the_screen(
    served: Served, open_tab: Callable[..., Page], visit: Visit, tmp_path: Path
) -> None:
    ws, out = served.workspace, tmp_path / "squares-release"
    problems = [f'# %%\n"""\nquery: What is the square of {n}?\n"""\n{n} * {n}\n' for n in range(1, 7)]
    release(ws, out, "squares", "\n".join(problems), len(problems))
    for agent in ("empty", "oracle"):
        config = RunConfig(out, agent, tmp_path / agent, outputs=OutputsKept.SHOWN)
        run_in_workspace(ws, config, label="squares 1.0")
    page = open_tab()
    person = Person(page)
    visit(page, "/")
    person.follow("Runs")
    person.read_heading("Runs")
    person.follow("empty on squares 1.0")
    person.read_heading("empty on squares 1.0")
    person.follow("WRONG_OUTPUT")
    for number in range(1, 6):
        person.read_heading(f"squares {number}")
        person.read(f"{number} of 6")
        person.read(f"What is the square of {number}?")
        person.read("It printed nothing.")
        person.press("Next failing")
    person.read_heading("squares 6")

    person.follow("empty on squares 1.0")
    person.press("Download")
    with page.expect_download() as waiting:
        person.press("Report (.html)")
    waiting.value.save_as(tmp_path / "report.html")
    assert "What is the square of 5?" in (tmp_path / "report.html").read_text(encoding="utf-8")
    page.keyboard.press("Escape")
    person.follow("Compare")
    person.read("verdicts differ: 6")
