"""How annotators, reviewers, evaluators and maintainers work in the real app: one app with its worker for all."""

import json
import re
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import FilePayload, Page, expect

from authoring.store import autosaves, dry_runs, jobs, problemsets, revisions, runs
from authoring.store.autosaves import list_unsent
from authoring.store.drafting.seeds import find_seed
from authoring.store.drafting.sketches import find_sketch
from authoring.store.dry_runs import DryRunProblem
from authoring.store.reviewing.reviews import list_comments, list_decisions
from authoring.store.reviewing.roundtable import list_roundtable
from authoring.store.settings import set_setting
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.records import Record
from evaluator.running import OutputsKept, RunConfig, run_benchmark
from tests.browser.conftest import (
    OpenTab,
    Served,
    choose,
    judge,
    open_box,
    open_cell,
    passes,
    picture,
    press_until,
    release,
    serve,
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
query: For each species, how many penguins were seen on each island? Return a table with one row per species and one
  column per island; use 0 where there is none.
id: islands
execution:
  max_time: 20
"""
pd.crosstab(penguins["species"], penguins["island"])

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
FLIGHTS = '''# %%
import pandas as pd

# %%
"""
query: Read `inputs/flights.csv` into `flights` and return the number of flights per origin airport as a Series.
id: origins
execution:
  max_time: 20
"""
flights = pd.read_csv("inputs/flights.csv")
flights["origin"].value_counts()
'''
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


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One app with its worker: each test names what it makes."""
    with serve(tmp_path_factory.mktemp("journeys")) as found:
        set_setting(found.workspace, "annotator_names", ["mei", "lee"])
        yield found


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
    served: Served, open_tab: OpenTab, tmp_path: Path
) -> None:
    ws = served.workspace
    add_set(ws, "nyc-flights-origins", FLIGHTS, "nyc-flights", passes("origins"))
    what = {"name": "KeyError", "message": "'Column not found: body_mass'", "traceback": "KeyError: 'body_mass'"}
    crash = DryRunProblem(3, "mean-mass", 0.01, "CRASH", "NOT_JUDGED", error=what, reasons={"reference": "KeyError"})
    penguins = add_set(ws, "penguins-body-mass", PENGUINS, "penguins", [*passes("load", "islands"), crash])
    page = open_tab()
    visit(page, "/")
    expect(page.get_by_text("1 of 3 fail").first).to_be_visible()
    picture(page, "queue")

    page.get_by_role("link", name="penguins-body-mass").click()
    page.get_by_role("link", name="Problem 3").click()
    expect(page.get_by_role("heading", name="Problem 3 of 3")).to_be_visible()
    expect(page.get_by_text("reference CRASH")).to_be_visible()
    expect(page.get_by_text("KeyError: 'Column not found: body_mass'", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Accept")).to_be_disabled()
    text_box(page).fill(MENDED)
    text_box(page).press("Control+Enter")
    expect(page.get_by_text("reference CORRECT")).to_be_visible()
    expect(page.get_by_text("your run, just now")).to_be_visible()
    expect(page.get_by_role("img", name="picture of")).to_be_visible()
    expect(page.get_by_text("unsaved changes in problem").first).to_be_visible()
    page.keyboard.press("Escape")  # the list of completions would cover the code
    picture(page, "editor")

    page.get_by_role("button", name="Save revision").click()
    expect(page.get_by_text("all saved as revision 2")).to_be_visible()
    expect(page.get_by_text("all 3 pass")).to_be_visible()
    page.get_by_role("button", name="Accept").click()
    expect(page.get_by_text("accepted revision 2 of penguins-body-mass").first).to_be_visible()
    row = problemsets.find(ws, penguins)
    assert (row.status, revisions.find(ws, row.head_revision_id).author) == ("accepted", "mei")

    page.get_by_role("link", name="Releases").click()
    page.get_by_label("Name").fill("birds")
    page.get_by_label("Version").fill("1.0")
    page.get_by_role("button", name="Create the release").click()
    page.get_by_role("link", name="birds 1.0").click()
    page.get_by_role("button", name="Verify").click()
    expect(page.get_by_text("verified: every file matches its checksum").first).to_be_visible()
    settle(page)
    with page.expect_download() as downloading:
        page.get_by_role("button", name="Download .zip").click()
    downloading.value.save_as(tmp_path / "birds.zip")
    with zipfile.ZipFile(tmp_path / "birds.zip") as archive:
        names = set(archive.namelist())
    assert {"birds-1.0/_manifest.yaml", "birds-1.0/penguins-body-mass.py", "birds-1.0/checksums.txt"} <= names
    assert any(name.endswith("penguins.csv") for name in names)

    page.get_by_role("link", name="Runs").click()
    choose(page, "Release", "birds 1.0")
    page.get_by_role("button", name="Start the run").click()
    page.get_by_role("link", name="Open the newest run").click()
    expect(page.get_by_role("heading", name="oracle on birds 1.0")).to_be_visible()
    expect(page.get_by_text("100.0%").first).to_be_visible()
    (run,) = [run for run in runs.select(ws) if run.release == "birds 1.0"]
    assert (run.agent, run.summary["pass_rate"]) == ("oracle", 1.0)
    expect(page).to_have_url(f"{served.url}/runs?run={run.id}")  # a reload shows the same run
    page.get_by_role("link", name="CORRECT").nth(2).click()
    expect(page.get_by_role("heading", name="penguins-body-mass 3")).to_be_visible()
    expect(page.get_by_text("Submission", exact=True)).to_be_visible()
    picture(page, "runs")


@pytest.mark.deep
def test_what_is_typed_into_plain_editors_is_kept_whatever_happens_next(served: Served, open_tab: OpenTab) -> None:
    ws, who = served.workspace, "lee"
    set_setting(ws, "plain_editors", {who: True})
    plain = add_set(ws, "penguins-plain", PENGUINS, "penguins", passes("load", "islands", "mean-mass"))
    address = f"/editor?set={plain}&pid=islands&user={who}"
    page = open_tab()
    visit(page, address)
    code = page.get_by_label("Reference code")
    code.press("Control+End")
    code.press_sequentially("  # by pause", delay=20)
    expect(page.get_by_text("unsaved changes in problem").first).to_be_visible()  # without leaving the field
    expect(code).to_be_focused()

    code.press_sequentially(" by link", delay=20)
    page.get_by_role("link", name="Settings").click()
    expect(page.get_by_role("heading", name="Settings", exact=True)).to_be_visible()
    visit(page, address)
    expect(code).to_have_value('pd.crosstab(penguins["species"], penguins["island"])  # by pause by link')

    code.press("Control+End")
    code.press_sequentially(" by save", delay=20)
    code.press("Control+s")
    expect(page.get_by_text("all saved as revision 2")).to_be_visible()
    assert "# by pause by link by save" in revisions.find(ws, problemsets.find(ws, plain).head_revision_id).text
    assert autosaves.select(ws, who, plain) == []


@pytest.mark.deep
def test_a_job_is_seen_from_another_tab_and_pages_fit_a_narrow_screen(served: Served, open_tab: OpenTab) -> None:
    narrow_set = add_set(served.workspace, "penguins-narrow", PENGUINS, "penguins", passes("load", "islands"))
    wide, narrow = open_tab(), open_tab(width=620, height=900, scheme="dark")
    for page in (narrow, wide):
        visit(page, f"/problemset?set={narrow_set}")
    wide.get_by_role("button", name="Dry run").click()
    narrow.reload()
    expect(narrow.get_by_text("1 of 3 fail")).to_be_visible()
    addresses = ("/", f"/problemset?set={narrow_set}", f"/editor?set={narrow_set}", "/seeds", "/runs", "/releases")
    for address in addresses:
        visit(narrow, address)
        overflow = narrow.evaluate("document.querySelector('.stMain').scrollWidth - window.innerWidth")
        assert overflow <= 0, f"{address} is {overflow} pixels too wide"


def test_a_reviewer_sends_back_by_keyboard_and_accepts_only_what_is_seen(served: Served, open_tab: OpenTab) -> None:
    ws = served.workspace
    first = problemsets.create(ws, name="shop-units", text=UNITS, author="template", origin=Origin.TEMPLATE)
    wrong = UNITS.replace("sum(units)", "max(units)")
    second = revisions.save(ws, first.problemset_id, wrong, base_revision_id=first.id, author="lee")
    problemsets.submit(ws, first.problemset_id, base_revision_id=second.id)
    shop = first.problemset_id

    reviewer = open_tab()
    visit(reviewer, "/")
    press_until(reviewer, "n", reviewer.get_by_role("heading", name="shop-units"))  # what others submitted comes first
    expect(reviewer.get_by_text("you, 30 minutes left").first).to_be_visible()
    visit(reviewer, f"/compare?set={shop}&a={first.id}&b={second.id}")
    expect(reviewer.get_by_text("max(units)").first).to_be_visible()
    reviewer.get_by_role("link", name="Open in the editor").first.focus()
    reviewer.keyboard.press("Enter")
    expect(reviewer.get_by_role("heading", name="Problem 1 of 1")).to_be_visible()
    settle(reviewer)
    reviewer.get_by_role("tab", name="Comments").click()
    reviewer.get_by_label("New comment").fill("That is the largest sale, not all of them.")
    reviewer.get_by_text("Blocks accepting").click()
    reviewer.get_by_role("button", name="Comment", exact=True).click()
    expect(reviewer.get_by_text("blocks accepting").first).to_be_visible()
    dialog = reviewer.get_by_role("dialog")
    press_until(reviewer, "Alt+x", dialog)
    reason = dialog.get_by_label("What should the author change?")
    reason.focus()
    reviewer.keyboard.type("see the comment")
    reviewer.wait_for_timeout(1_200)  # longer than the pause after which typed text is kept
    reviewer.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    press_until(reviewer, "Alt+x", dialog)
    expect(reason).to_have_value("see the comment")
    reason.focus()
    reviewer.keyboard.press("End")
    reviewer.keyboard.type(" on the total")
    reviewer.keyboard.press("Tab")
    reviewer.keyboard.press("Enter")
    expect(reviewer.get_by_text("sent revision 2 of shop-units back").first).to_be_visible()

    author = reviewer.context.new_page()
    visit(author, f"/editor?set={shop}&pid=total&user=lee")
    expect(author.get_by_text("sent back").first).to_be_visible()
    text_box(author).fill("sum(units)")
    text_box(author).press("Control+s")
    expect(author.get_by_text("all saved as revision 3")).to_be_visible()
    author.get_by_role("tab", name="Comments").click()
    author.get_by_role("button", name="Resolve").click()
    expect(author.get_by_text("resolved by lee")).to_be_visible()
    press_until(author, "Alt+u", author.get_by_text("submitted for review").first)
    author.close()

    visit(reviewer, f"/problemset?set={shop}&user=mei")
    expect(reviewer.get_by_role("button", name="Accept revision 3")).to_be_enabled()
    third = revisions.find(ws, problemsets.find(ws, shop).head_revision_id)
    newer = revisions.save(ws, shop, third.text + "# ready\n", base_revision_id=third.id, author="lee")
    judge(ws, newer.id, passes("total"))
    reviewer.keyboard.press("Alt+a")  # the screen still shows revision 3
    expect(reviewer.get_by_text("is not the newest revision; 4 is").first).to_be_visible()
    assert problemsets.find(ws, shop).status == "draft"
    expect(reviewer.get_by_role("button", name="Accept revision 4")).to_be_enabled()
    waiting = problemsets.create(ws, name="shop-next", text=UNITS, author="lee", origin=Origin.PERSON)
    problemsets.submit(ws, waiting.problemset_id, base_revision_id=waiting.id)
    settle(reviewer)
    reviewer.keyboard.press("Alt+a")
    expect(reviewer.get_by_text("accepted revision 4 of shop-units; this is the next one").first).to_be_visible()
    expect(reviewer.get_by_role("heading", name="shop-next")).to_be_visible()
    assert [(each.decision, each.by, each.revision_id) for each in list_decisions(ws, shop)] == [
        ("sent_back", "mei", second.id),
        ("accepted", "mei", newer.id),
    ]
    assert [comment.resolved_by for comment in list_comments(ws, shop)] == ["lee"]


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
    served: Served, open_tab: OpenTab, tmp_path: Path
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


@pytest.mark.deep
def test_the_folder_of_a_run_is_imported_and_its_form_closes(served: Served, open_tab: OpenTab, tmp_path: Path) -> None:
    ws, theirs = served.workspace, tmp_path / "theirs"
    release(ws, "kiosk", UNITS, passes("total"), tmp_path / "release")
    run_benchmark(RunConfig(tmp_path / "release", "empty", theirs, outputs=OutputsKept.SHOWN))  # as elsewhere
    page = open_tab()
    visit(page, "/runs")
    page.get_by_role("button", name="Import results").click()
    page.locator('input[type="file"]').first.set_input_files(theirs)
    expect(page.get_by_text("records.jsonl").last).to_be_visible()
    wait_for_files(page)
    page.get_by_role("button", name="Import them").click()
    expect(page.get_by_role("button", name="Import them")).to_be_hidden()
    expect(page.get_by_text("Imported 1 record of empty on kiosk 1.0.")).to_be_visible()
    page.get_by_role("link", name="Open the run").click()
    expect(page.get_by_role("heading", name="empty on kiosk 1.0")).to_be_visible()


def wait_for_files(page: Page) -> None:
    """Wait until what was chosen has arrived."""
    expect(page.locator('[data-testid="stFileUploader"] [role="progressbar"]')).to_have_count(0)
    settle(page)


@pytest.mark.parametrize("drafted", [False, pytest.param(True, marks=pytest.mark.deep)], ids=["ordered", "drafted"])
def test_a_maintainer_goes_from_a_file_to_a_draft(drafted: bool, served: Served, open_tab: OpenTab) -> None:
    ws, page, seed = served.workspace, open_tab(), f"shops-{drafted}".lower()
    sketch = f"{seed}-1"
    file: FilePayload = {"name": f"{seed}.csv", "mimeType": "text/csv", "buffer": CSV.encode()}
    visit(page, "/seeds")
    page.get_by_text("Add a dataset", exact=True).click()
    page.get_by_label("Description").fill("one row for each shop and day")
    page.get_by_role("link", name="Guide", exact=True).click()  # leave the half-filled form at once
    expect(page.get_by_role("heading", name="Guide", exact=True)).to_be_visible()
    assert list_unsent(ws, "mei")["seed_add:description"] == "one row for each shop and day"
    page.get_by_role("link", name="Seeds & ideas", exact=True).click()
    page.get_by_text("Add a dataset", exact=True).click()
    expect(page.get_by_label("Description")).to_have_value("one row for each shop and day")
    page.locator('input[type="file"]').first.set_input_files(file)
    expect(page.get_by_text(f"{seed}.csv")).to_be_visible()
    wait_for_files(page)
    page.get_by_role("button", name="Add the seed").click()
    expect(page.get_by_text("The seed is added and profiled.")).to_be_visible()
    page.get_by_role("link", name="Open it").click()
    expect(page.get_by_role("heading", name=seed, exact=True)).to_be_visible()

    page.get_by_role("button", name="Sketch problems").click()
    expect(page.get_by_text("The sketch is ready")).to_be_visible()
    page.get_by_role("link", name="Open it").click()
    expect(page.get_by_role("heading", name=f"Sketch {sketch}")).to_be_visible()
    settle(page)
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
    expect(page.get_by_text(re.compile(r"saved \d+ items")).first).to_be_visible()
    assert find_sketch(ws, sketch).items[0].query_idea == "read the file of the shops"

    page.get_by_role("button", name="Draft the problemset").click()
    if not drafted:  # which takes a minute
        until(page, lambda: bool(jobs.select(ws, kinds=("draft",))))
        jobs.cancel(ws, jobs.select(ws, kinds=("draft",))[0].id)
        return
    expect(page.get_by_text("The draft is in the queue.")).to_be_visible()
    page.get_by_role("link", name="Open it").click()
    expect(page.get_by_role("heading", name=sketch)).to_be_visible()
    expect(page.get_by_text(re.compile(r"^all \d+ pass$")).first).to_be_visible()
    judged = dry_runs.latest(ws, problemsets.find(ws, sketch).head_revision_id)
    assert judged is not None
    assert {problem.reference_verdict for problem in judged.problems} == {"CORRECT"}


def test_notebooks_of_cibench_are_imported_and_a_run_on_them_is_ordered(
    served: Served, open_tab: OpenTab, tmp_path: Path
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
    expect(page.get_by_text("mini.zip")).to_be_visible()
    wait_for_files(page)
    page.get_by_role("button", name="Import it").last.click()
    expect(page.get_by_role("button", name="Import it")).to_be_hidden()  # the form closes: it covered what follows
    expect(page.get_by_text("Imported mini: 1 problemset, 2 problems.")).to_be_visible()
    expect(page.get_by_text("2.ipynb, line 1")).to_be_visible()
    page.locator("a[href*=mini]", has_text="Run an agent on it").click()  # not covered
    expect(page.get_by_role("combobox", name="Release").first).to_have_value("mini (imported)")
    open_box(page, "More options", page.get_by_role("combobox", name="Mode"))
    choose(page, "Mode", "end-to-end: on its own code")
    expect(page.get_by_text("The mode says what state")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Start the run").click()
    until(page, lambda: "mini" in str([job.payload for job in jobs.select(ws, kinds=("run",))]))
    (order,) = [job for job in jobs.select(ws, kinds=("run",)) if "mini" in str(job.payload)]
    jobs.cancel(ws, order.id)  # what a run shows: test_an_annotator_mends_a_problem_and_the_set_is_released_and_scored
    assert (order.payload["agent"], order.payload["mode"]) == ("oracle", "end-to-end")
