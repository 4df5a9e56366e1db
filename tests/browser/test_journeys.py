"""How annotators, reviewers, evaluators and maintainers work in the real app."""

import contextlib
import json
import re
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, Locator, Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

from authoring.store import jobs, problemsets, revisions, runs
from authoring.store.drafting.seeds import find_seed
from authoring.store.drafting.sketches import find_sketch
from authoring.store.dry_runs import DryRunProblem
from authoring.store.reviewing.reviews import list_decisions
from authoring.store.reviewing.roundtable import list_roundtable
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.records import Record
from tests.browser.conftest import (
    OpenTab,
    RunningApp,
    Work,
    judge,
    passes,
    picture,
    press_until,
    release,
    settle,
    text_box,
    until,
    visit,
)
from tests.families.notebooks import answer, ask, png, printed, shown
from tests.jobs.test_family_imports import notebook, packed

pytestmark = pytest.mark.browser

PENGUINS = '''# %%
import matplotlib.pyplot
import pandas as pd

# %%
"""
query: Read `inputs/penguins.csv` into a DataFrame named `penguins` and show how many rows and columns it has.
id: load
validator:
  template: comparison
  namespace_check:
    penguins: {}
execution:
  max_time: 20
"""
penguins = pd.read_csv("inputs/penguins.csv")
penguins.shape

# %%
"""
query: Compute the mean body mass in grams of each species, rounded to one decimal, as a Series named `mean_mass` sorted
  from the heaviest to the lightest species. Draw it as horizontal bars and show the Series.
id: mean-mass
validator:
  template: comparison
  namespace_check:
    mean_mass: {}
execution:
  max_time: 20
"""
mean_mass = penguins.groupby("species")["body_mass"].mean().round(1).sort_values(ascending=False)
mean_mass.plot.barh(title="Mean body mass of penguins (g)", figsize=(6, 2.4), color="#1f6f6b")
mean_mass
'''
MENDED = PENGUINS.split('"""\n')[-1].replace('"body_mass"', '"body_mass_g"').strip()
UNITS = '''# %%
units = [3, 4, 5]

# %%
"""
query: How many units were sold?
id: total
execution:
  max_time: 20
"""
sum(units)
'''
SHOPS = ("north", "south", "east", "west")
ROWS = [f"{shop},2024-0{1 + day % 6}-{1 + day:02},{(day * 7 + len(shop)) % 23},{day % 9}.5" for day in range(10)
        for shop in SHOPS]  # fmt: skip
CSV = "\n".join(["shop,day,units,price", *ROWS]) + "\n"
PLOT = "import matplotlib.pyplot as plt\nplt.plot([1, 2, 3])\nplt.title('Growth')\nplt.show()"
CELLS = (
    ask("Print the sum of 1 and 2."),
    answer("print(1 + 2)", printed("3\n")),
    ask("Draw the numbers 1 to 3 as a line, titled Growth."),
    answer(PLOT, shown(png(size=64))),
)
TABLE = "<table><thead><tr><th></th><th>units</th></tr></thead><tbody><tr><th>0</th><td>{}</td></tr></tbody></table>"


def add_set(ws: Workspace, name: str, text: str, seed_name: str, rows: Sequence[DryRunProblem]) -> int:
    """Store a draft on a shipped seed, dry run."""
    seed = find_seed(ws, seed_name)
    inputs = {file.name: file.digest for file in seed.files}
    made = problemsets.create(
        ws, name=name, text=text, author="template", origin=Origin.TEMPLATE, seed_id=seed.id, inputs=inputs
    )
    judge(ws, made.id, rows)
    return made.problemset_id


def test_an_annotator_mends_a_problem_and_the_set_is_released_and_scored(
    served: RunningApp, open_tab: OpenTab, work: Work, tmp_path: Path
) -> None:
    ws = served.workspace
    what = {"name": "KeyError", "message": "'Column not found: body_mass'", "traceback": "KeyError: 'body_mass'"}
    crash = DryRunProblem(2, "mean-mass", 0.01, "CRASH", "NOT_JUDGED", error=what, reasons={"reference": "KeyError"})
    penguins = add_set(ws, "penguins-body-mass", PENGUINS, "penguins", [*passes("load"), crash])
    page = open_tab()
    visit(page, "/")
    expect(page.get_by_text("1 of 2 fail").first).to_be_visible()
    picture(page, "queue")

    page.get_by_role("link", name="penguins-body-mass").click()
    page.get_by_role("link", name="Problem 2").click()
    expect(page.get_by_role("heading", name="Problem 2 of 2")).to_be_visible()
    expect(page.get_by_text("reference CRASH")).to_be_visible()
    expect(page.get_by_text("KeyError: 'Column not found: body_mass'", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Accept")).to_be_disabled()
    text_box(page).fill(MENDED)
    text_box(page).press("Control+Enter")
    work(page, "execute")
    expect(page.get_by_text("reference CORRECT")).to_be_visible()
    expect(page.get_by_text("your run, just now")).to_be_visible()
    expect(page.get_by_role("img", name="picture of")).to_be_visible()
    expect(page.get_by_text("unsaved changes in problem").first).to_be_visible()
    page.keyboard.press("Escape")  # the list of completions would cover the code
    picture(page, "editor")

    page.get_by_role("button", name="Save revision").click()
    work(page, "dry_run")
    expect(page.get_by_text("all saved as revision 2")).to_be_visible()
    expect(page.get_by_text("all 2 pass")).to_be_visible()
    page.get_by_role("button", name="Accept").click()
    expect(page.get_by_text("accepted revision 2 of penguins-body-mass").first).to_be_visible()
    row = problemsets.find(ws, penguins)
    assert (row.status, revisions.find(ws, row.head_revision_id).author) == ("accepted", "mei")

    page.get_by_role("link", name="Releases").click()
    page.get_by_label("Name").fill("birds")
    page.get_by_label("Version").fill("1.0")
    page.get_by_role("button", name="Create the release").click()
    work(page, "release")
    page.get_by_role("link", name="birds 1.0").click()
    with page.expect_download() as downloading:
        page.get_by_role("button", name="Download .zip").click()
    downloading.value.save_as(tmp_path / "birds.zip")
    with zipfile.ZipFile(tmp_path / "birds.zip") as archive:
        names = set(archive.namelist())
    assert {"birds-1.0/_manifest.yaml", "birds-1.0/penguins-body-mass.py"} <= names

    page.get_by_role("link", name="Runs").click()
    page.get_by_role("combobox", name="Release").first.click()
    page.get_by_role("option", name="birds 1.0").click()
    page.get_by_role("button", name="Start the run").click()
    work(page, "run")
    page.get_by_role("link", name="Open the newest run").click()
    expect(page.get_by_role("heading", name="oracle on birds 1.0")).to_be_visible()
    expect(page.get_by_text("100.0%").first).to_be_visible()
    (run,) = [run for run in runs.select(ws) if run.release == "birds 1.0"]
    assert (run.agent, run.summary["pass_rate"]) == ("oracle", 1.0)
    expect(page).to_have_url(f"{served.url}/runs?run={run.id}")  # a reload shows the same run
    page.get_by_role("link", name="CORRECT").nth(1).click()
    expect(page.get_by_role("heading", name="penguins-body-mass 2")).to_be_visible()
    picture(page, "runs")


@pytest.mark.deep
def test_pages_fit_a_narrow_screen(served: RunningApp, open_tab: OpenTab) -> None:
    problemset = add_set(served.workspace, "penguins-narrow", PENGUINS, "penguins", passes("load", "mean-mass"))
    page = open_tab(width=620, height=900, scheme="dark")
    for address in ("/", f"/problemset?set={problemset}", f"/editor?set={problemset}", "/seeds", "/runs", "/releases"):
        visit(page, address)
        overflow = page.evaluate("document.querySelector('.stMain').scrollWidth - window.innerWidth")
        assert overflow <= 0, f"{address} is {overflow} pixels too wide"


def test_a_reviewer_sends_back_by_keyboard_and_accepts_only_what_is_seen(served: RunningApp, open_tab: OpenTab) -> None:
    ws = served.workspace
    first = problemsets.create(ws, name="shop-units", text=UNITS, author="lee", origin=Origin.PERSON)
    wrong = UNITS.replace("sum(units)", "max(units)")
    shop = first.problemset_id
    second = revisions.save(ws, shop, wrong, base_revision_id=first.id, author="lee")
    problemsets.submit(ws, shop, base_revision_id=second.id)
    page = open_tab()
    visit(page, "/")
    press_until(page, "n", page.get_by_role("heading", name="shop-units"))  # what others submitted comes first
    expect(page.get_by_text("you, 30 minutes left").first).to_be_visible()
    page.get_by_role("link", name="Problem 1").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Problem 1 of 1")).to_be_visible()
    dialog = page.get_by_role("dialog")
    press_until(page, "Alt+x", dialog)
    dialog.get_by_label("What should the author change?").focus()
    page.keyboard.type("that is the largest sale")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("sent revision 2 of shop-units back").first).to_be_visible()

    third = revisions.save(ws, shop, UNITS, base_revision_id=second.id, author="lee")
    judge(ws, third.id, passes("total"))
    problemsets.submit(ws, shop, base_revision_id=third.id)
    visit(page, f"/problemset?set={shop}")
    expect(page.get_by_role("button", name="Accept revision 3")).to_be_enabled()
    newer = revisions.save(ws, shop, f"{UNITS}# ready\n", base_revision_id=third.id, author="lee")
    judge(ws, newer.id, passes("total"))
    page.keyboard.press("Alt+a")  # the screen still shows revision 3
    expect(page.get_by_text("is not the newest revision; 4 is").first).to_be_visible()
    assert problemsets.find(ws, shop).status == "draft"
    expect(page.get_by_role("button", name="Accept revision 4")).to_be_enabled()
    waiting = problemsets.create(ws, name="shop-next", text=UNITS, author="lee", origin=Origin.PERSON)
    problemsets.submit(ws, waiting.problemset_id, base_revision_id=waiting.id)
    settle(page)
    page.keyboard.press("Alt+a")
    expect(page.get_by_text("accepted revision 4 of shop-units; this is the next one").first).to_be_visible()
    expect(page.get_by_role("heading", name="shop-next")).to_be_visible()
    decided = [(each.decision, each.by, each.revision_id, each.reason) for each in list_decisions(ws, shop)]
    assert decided == [("sent_back", "mei", second.id, "that is the largest sale"), ("accepted", "mei", newer.id, "")]


def shown_table(units: str) -> list[dict[str, object]]:
    return [{"output_type": "execute_result", "data": {"text/html": TABLE.format(units), "text/plain": units}}]


def add_runs(ws: Workspace, folder: Path) -> list[int]:
    """Store two runs on one release, of which the first one shows another table than its reference."""
    rows = [DryRunProblem(1, "total", 0.01, "CORRECT", "WRONG_OUTPUT", outputs=shown_table("8"))]
    release(ws, "shop", UNITS, rows, folder / "release")
    made = []
    for agent, verdict in (("alpha", "WRONG_OUTPUT"), ("beta", "CORRECT")):
        record = Record(
            benchmark="shop", version="1.0", problemset="shop", index=1, attempt=1, verdict=verdict, subverdict="",
            question="How many units were sold?", code="units = [3, 4]\nsum(units)\n", extended_verdict="",
        )  # fmt: skip
        out = folder / agent
        out.mkdir()
        (out / "records.jsonl").write_bytes(record.to_line())
        facts = {"format": 1, "benchmark": "shop", "version": "1.0", "agent": agent, "source": str(folder / "release")}
        (out / "manifest.json").write_text(json.dumps(facts))
        kept = {"key": ["shop", 1, 1, 1], "outputs": shown_table("<img src=x onerror=alert(1)>7")}
        (out / "details.jsonl").write_text(json.dumps(kept) + "\n")
        made.append(runs.insert(ws, release="shop 1.0", agent=agent, out_dir=str(out), summary={}))
        runs.index_attempts(ws, made[-1], [record.to_json()])
    return made


def test_runs_are_compared_and_a_suspect_problem_goes_to_the_roundtable(
    served: RunningApp, open_tab: OpenTab, tmp_path: Path
) -> None:
    ws, page = served.workspace, open_tab()
    made = add_runs(ws, tmp_path)
    visit(page, "/runs")
    for run in made:
        page.locator(f".st-key-runs-select-{run} label").click()
        expect(page.get_by_role("checkbox", name=f"Select run {run}")).to_be_checked()
    page.get_by_role("link", name="Compare 2 runs").click()
    expect(page.get_by_text("verdicts differ: 1")).to_be_visible()
    page.get_by_role("link", name="WRONG_OUTPUT").click()
    expect(page.get_by_text("Table: 1 cell changed")).to_be_visible()
    differing = page.get_by_role("group", name="cells that differ")
    expect(differing.locator("del")).to_have_text("8")
    expect(differing.locator("ins")).to_have_text("7")
    page.get_by_role("radio", name="Difference").click()
    expect(page.locator(".cm-mergeView, .cm-merge-a").first).to_contain_text("units = [3, 4]")
    page.get_by_role("button", name="Mark suspect").click()
    page.get_by_label("What is suspect").fill("days count from 1 for people")
    page.get_by_label("What is suspect").press("Tab")
    page.get_by_role("button", name="Send to the roundtable").click()
    expect(page.get_by_text("suspect: days count from 1 for people")).to_be_visible()
    (item,) = [item for item in list_roundtable(ws, only_open=True) if item.opened_by == "mei"]
    assert item.problem == "total"


def wait_for_files(page: Page, name: str) -> None:
    """Wait until what was chosen has arrived."""
    expect(page.get_by_text(name)).to_be_visible()
    expect(page.locator('[data-testid="stFileUploader"] [role="progressbar"]')).to_have_count(0)
    settle(page)


def open_cell(page: Page, cell: Locator) -> None:
    """Open the first query idea for typing; the table is a canvas, which may take a while to hear clicks.

    Each wait is longer than the one before: a click that comes while the editor of the last one still opens closes it.
    """
    table = page.get_by_test_id("stDataFrame")
    for wait_s in (3, 6, 12, 24):
        table.scroll_into_view_if_needed()
        box = table.bounding_box()
        assert box is not None
        page.mouse.click(box["x"] + 300, box["y"] + 55)
        page.keyboard.press("Enter")
        with contextlib.suppress(PlaywrightTimeoutError):
            cell.wait_for(timeout=1000 * wait_s)
            return
    raise AssertionError("the table's cell does not open for typing")


def test_a_maintainer_goes_from_a_file_to_a_draft(served: RunningApp, open_tab: OpenTab, work: Work) -> None:
    ws, page = served.workspace, open_tab()
    file: FilePayload = {"name": "shops.csv", "mimeType": "text/csv", "buffer": CSV.encode()}
    visit(page, "/seeds")
    page.get_by_text("Add a dataset", exact=True).click()
    page.locator('input[type="file"]').first.set_input_files(file)
    wait_for_files(page, "shops.csv")
    page.get_by_role("button", name="Add the seed").click()
    work(page, "seed_add")
    expect(page.get_by_text("The seed is added and profiled.")).to_be_visible()
    page.get_by_role("link", name="Open it").click()
    expect(page.get_by_role("heading", name="shops", exact=True)).to_be_visible()
    page.get_by_role("button", name="Sketch problems").click()
    work(page, "sketch")
    expect(page.get_by_text("The sketch is ready")).to_be_visible()
    page.get_by_role("link", name="Open it").click()
    expect(page.get_by_role("heading", name="Sketch shops-1")).to_be_visible()
    settle(page)
    cell = page.locator(".gdg-input, .gdg-growing-entry textarea").first
    open_cell(page, cell)
    cell.fill("read the file of the shops")
    cell.press("Enter")
    expect(page.get_by_text("edited; kept for you")).to_be_visible()
    page.get_by_role("button", name="Save the sketch").click()
    expect(page.get_by_text(re.compile(r"saved \d+ items")).first).to_be_visible()
    sketch = find_sketch(ws, "shops-1")
    assert sketch.items[0].query_idea == "read the file of the shops"
    page.get_by_role("button", name="Draft the problemset").click()
    until(page, lambda: bool(jobs.select(ws, kinds=("draft",))))
    (order,) = jobs.select(ws, kinds=("draft",))
    jobs.cancel(ws, order.id)  # what a draft is: tests/templates
    assert order.payload["sketch"] == sketch.id


def test_notebooks_of_cibench_are_imported_and_a_run_on_them_is_ordered(
    served: RunningApp, open_tab: OpenTab, work: Work, tmp_path: Path
) -> None:
    archive = tmp_path / "mini.zip"
    files = {
        "cibench_template/matplotlib/1.ipynb": notebook(*CELLS, step_types=["num", "vis"]),
        "cibench_template/matplotlib/2.ipynb": notebook(ask("alone")),
    }
    archive.write_bytes(packed(files))
    ws, page = served.workspace, open_tab(1360, 1400)
    visit(page, "/releases")
    page.get_by_role("button", name="Import CIBench or Qwen").click()
    page.locator('input[type="file"]').last.set_input_files(archive)
    wait_for_files(page, "mini.zip")
    page.get_by_role("button", name="Import it").last.click()
    work(page, "import_family")
    expect(page.get_by_role("button", name="Import it")).to_be_hidden()  # the form closes: it covered what follows
    expect(page.get_by_text("Imported mini: 1 problemset, 2 problems.")).to_be_visible()
    expect(page.get_by_text("2.ipynb, line 1")).to_be_visible()
    page.locator("a[href*=mini]", has_text="Run an agent on it").click()  # not covered
    expect(page.get_by_role("combobox", name="Release").first).to_have_value("mini (imported)")
    page.get_by_role("button", name="Start the run").click()
    until(page, lambda: bool(ordered := jobs.select(ws, kinds=("run",))) and "mini" in str(ordered[0].payload))
    order = jobs.select(ws, kinds=("run",))[0]
    jobs.cancel(ws, order.id)  # what a run shows: test_an_annotator_mends_a_problem_and_the_set_is_released_and_scored
    assert order.payload["agent"] == "oracle"
