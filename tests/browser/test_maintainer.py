"""The maintainer's path through the real app: from a file to a released problemset, with the tour on the way."""

import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, Locator, Page, expect

from authoring.seeds.workspace_setup import open_workspace
from authoring.store import dry_runs, jobs, problemsets, releases
from authoring.store.autosaves import list_unsent
from authoring.store.drafting.seeds import find_seed
from authoring.store.drafting.sketches import find_sketch
from authoring.store.jobs import enqueue
from authoring.store.settings import get_setting
from authoring.store.statuses import Origin
from authoring.ui.help.tour import STEPS
from tests.browser.conftest import PATIENCE_MS, RunningApp, open_cell, running

pytestmark = pytest.mark.browser

SHOPS = ("north", "south", "east", "west")
ROWS = [f"{shop},2024-0{1 + day % 6}-{1 + day % 28:02},{(day * 7 + len(shop)) % 23},{day % 9}.5" for day in range(60)
        for shop in SHOPS]  # fmt: skip
CSV = "\n".join(["shop,day,units,price", *ROWS]) + "\n"
FILE: FilePayload = {"name": "shops.csv", "mimeType": "text/csv", "buffer": CSV.encode()}


@pytest.fixture
def served(tmp_path: Path) -> Iterator[RunningApp]:
    """The app with its worker on a workspace whose demo counts as built: the tour begins."""
    ws = open_workspace(tmp_path / "workspace")
    enqueue(ws, kind="demo", payload={}, key="demo", created_by="benchwright")
    job = jobs.claim(ws, owner="test", kinds=["demo"])
    assert job is not None
    jobs.finish(ws, job.id, "test", result={})
    with running(RunningApp(ws, tmp_path / "server.log")) as app:
        yield app


def test_a_maintainer_goes_from_a_file_to_a_release(
    served: RunningApp,
    open_tab: Callable[..., Page],
    visit: Callable[[Page, str], None],
    settled: Callable[[Page], None],
    tmp_path: Path,
) -> None:
    ws = served.workspace
    page = open_tab()

    visit(page, "/")
    expect(page.get_by_text("Tour, step 1 of 9")).to_be_visible()
    for number, step in enumerate(STEPS[1:6], start=2):  # the demo's sets are not there: each leads to the queue
        page.get_by_role("button", name=step.link).click()
        expect(page.get_by_text(f"Tour, step {number} of 9")).to_be_visible()
    expect(page.get_by_text("Make a problemset of your own.")).to_be_visible()
    expect(page.get_by_role("heading", name="Palmer penguins")).to_be_visible()
    page.get_by_role("button", name="Skip the tour").click()
    expect(page.get_by_text("the tour is ended").first).to_be_visible()
    assert get_setting(ws, "tour") == {"mei": "ended"}

    page.get_by_role("link", name="All seeds").click()
    page.get_by_text("Add a dataset", exact=True).click()
    page.locator('input[type="file"]').first.set_input_files(
        {"name": "shops.csv", "mimeType": "text/csv", "buffer": CSV.encode()}
    )
    expect(page.get_by_text("shops.csv")).to_be_visible()
    page.get_by_label("Description").fill("one row for each shop and day")
    page.get_by_role("link", name="Guide", exact=True).click()  # leave the half-filled form at once
    expect(page.get_by_role("heading", name="Guide", exact=True)).to_be_visible()
    assert list_unsent(ws, "mei") == {"seed_add:description": "one row for each shop and day"}
    page.get_by_role("link", name="Seeds & ideas", exact=True).click()
    page.get_by_text("Add a dataset", exact=True).click()
    expect(page.get_by_label("Description")).to_have_value("one row for each shop and day")
    page.locator('input[type="file"]').first.set_input_files(
        {"name": "shops.csv", "mimeType": "text/csv", "buffer": CSV.encode()}
    )
    expect(page.get_by_text("shops.csv")).to_be_visible()
    expect(page.locator('[data-testid="stFileUploader"] [role="progressbar"]')).to_have_count(0)  # the file has arrived
    settled(page)
    page.get_by_role("button", name="Add the seed").click()
    expect(page.get_by_text("The seed is added and profiled.")).to_be_visible()
    page.get_by_role("link", name="Open it").click()
    expect(page.get_by_role("heading", name="shops", exact=True)).to_be_visible()
    page.get_by_role("button", name="Correct").click()
    page.get_by_label("Licence").fill("CC-BY-4.0")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("corrected: licence").first).to_be_visible()
    page.keyboard.press("Escape")

    page.get_by_role("button", name="Sketch problems").click()
    expect(page.get_by_text("The sketch is ready")).to_be_visible()
    page.get_by_role("link", name="Open it").click()
    expect(page.get_by_role("heading", name="Sketch shops-1")).to_be_visible()
    settled(page)
    cell = page.locator(".gdg-input, .gdg-growing-entry textarea").first
    open_cell(page, cell)
    cell.fill("read the file of the shops")
    cell.press("Enter")
    expect(page.get_by_text("edited; kept for you")).to_be_visible()
    page.get_by_role("link", name="Queue", exact=True).click()  # leave the edited table
    expect(page.get_by_role("heading", name="Queue", exact=True)).to_be_visible()
    page.go_back()
    expect(page.get_by_text("edited; kept for you")).to_be_visible()
    page.get_by_role("button", name="Save the sketch").click()
    expect(page.get_by_text("saved 1").first).to_be_visible()
    assert find_sketch(ws, "shops-1").items[0].query_idea == "read the file of the shops"

    page.get_by_role("button", name="Draft the problemset").click()
    expect(page.get_by_text("The draft is in the queue.")).to_be_visible(timeout=3 * PATIENCE_MS)  # a long job
    page.get_by_role("link", name="Open it").click()
    settled(page)
    (row,) = problemsets.select(ws)
    judged = dry_runs.latest(ws, row.head_revision_id)
    assert judged is not None
    assert all(problem.reference_verdict == "CORRECT" for problem in judged.problems)
    page.locator(".stMain").get_by_role("button", name="Accept").last.click()
    expect(page.get_by_text("accepted revision 1 of shops-1").first).to_be_visible()

    page.get_by_role("link", name="Releases", exact=True).click()
    page.get_by_label("Name", exact=True).fill("shop-bench")
    page.get_by_label("Version", exact=True).fill("1.0")
    page.get_by_role("button", name="Create the release").click()
    page.get_by_role("link", name="shop-bench 1.0").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download .zip").click()
    download.value.save_as(tmp_path / "release.zip")
    names = zipfile.ZipFile(tmp_path / "release.zip").namelist()
    assert any(name.endswith("shops-1.py") for name in names)
    assert any(name.endswith("shops.csv") for name in names)
    assert [(release.name, release.version) for release in releases.select(ws)] == [("shop-bench", "1.0")]


ISLANDS = '''# %%
import pandas as pd

penguins = pd.read_csv("inputs/penguins.csv")

# %%
"""
query: Return the mean `body_mass_g` of `penguins` by `island` as a Series, the highest mean first.
id: means
"""
penguins.groupby("island")["body_mass_g"].mean().sort_values(ascending=False)
'''


@pytest.mark.deep
def test_a_seed_is_drawn_and_a_problemset_is_put_on_it(
    served: RunningApp,
    open_tab: Callable[..., Page],
    visit: Callable[[Page, str], None],
    settled: Callable[[Page], None],
    open_box: Callable[[Page, str, Locator], None],
    choose: Callable[[Page, str, str], None],
) -> None:
    ws = served.workspace
    seed = find_seed(ws, "penguins")
    inputs = {file.name: file.digest for file in seed.files}
    islands = problemsets.create(
        ws, name="islands", text=ISLANDS, author="Ann", origin=Origin.PERSON, seed_id=seed.id, inputs=inputs
    )
    page = open_tab(1360, 1500)
    visit(page, "/seeds")
    preview = page.get_by_text("Show a preview")
    open_box(page, "Make synthetic data", preview)
    preview.click()
    expect(page.get_by_role("cell", name="2024-01-04")).to_be_visible()
    page.get_by_role("textbox", name="Name").last.fill("garden")
    page.get_by_role("textbox", name="Name").last.press("Tab")
    settled(page)
    page.get_by_role("button", name="Make the seed").click()
    expect(page.get_by_text("Made garden. It is marked synthetic")).to_be_visible()
    page.get_by_role("link", name="Open it").click()
    expect(page.get_by_text("made by a program, and marked so")).to_be_visible()

    visit(page, f"/problemset?set={islands.problemset_id}")
    page.get_by_role("tab", name="Reuse").click()
    page.get_by_role("button", name="Make a template").click()
    expect(page.get_by_text("Template islands: 1 problem, 2 columns, 0 values.")).to_be_visible()
    choose(page, "Put it on", "garden")
    page.get_by_role("button", name="Put it on these data").click()
    expect(page.get_by_text("Made islands-garden: 1 problem.")).to_be_visible()
    page.get_by_role("link", name="Open it").click()
    expect(page.get_by_role("heading", name="islands-garden")).to_be_visible()
    expect(page.get_by_text("price_eur").first).to_be_visible()
