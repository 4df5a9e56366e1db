"""The annotator's path through the real app: find a failing problem, mend it, accept it, release it, score it."""

import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from authoring.store import autosaves, dry_runs, problemsets, revisions, runs
from authoring.store.drafting.seeds import find_seed
from authoring.store.dry_runs import DryRunProblem
from authoring.store.jobs import enqueue
from authoring.store.reviewing.reviews import list_comments
from authoring.store.settings import set_setting
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.scoring import SCORING_VERSION
from evaluator.session import environment_id
from tests.browser.conftest import Served
from tests.browser.person import Person

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


def add_set(served: Any, name: str, text: str, seed_name: str) -> int:
    """Store a draft on a shipped seed and order its dry run, as the drafting job does."""
    ws = served.workspace
    seed = find_seed(ws, seed_name)
    inputs = {file.name: file.digest for file in seed.files}
    revision = problemsets.create(
        ws, name=name, text=text, author="template", origin=Origin.TEMPLATE, seed_id=seed.id, inputs=inputs
    )
    enqueue(ws, kind="dry_run", payload={"revision_id": revision.id}, key=f"dry_run:{revision.id}", created_by="mei")
    return revision.problemset_id


def test_an_annotator_mends_a_failing_problem_and_the_set_is_released_and_scored(
    served: Any,
    open_tab: Callable[..., Page],
    visit: Callable[[Page, str], None],
    settled: Callable[[Page], None],
    picture: Callable[[Page, str], None],
    tmp_path: Path,
) -> None:
    add_set(served, "nyc-flights-origins", FLIGHTS, "nyc-flights")
    penguins = add_set(served, "penguins-body-mass", PENGUINS, "penguins")
    page = open_tab()

    visit(page, f"/problemset?set={penguins}")
    expect(page.get_by_text("1 of 3 fail")).to_be_visible()
    page.get_by_role("link", name="Queue").first.click()
    expect(page.get_by_role("heading", name="Queue")).to_be_visible()
    expect(page.get_by_text("all 1 pass")).to_be_visible()
    picture(page, "queue")

    page.get_by_role("link", name="penguins-body-mass").click()
    page.get_by_role("link", name="Problem 3").click()
    expect(page.get_by_role("heading", name="Problem 3 of 3")).to_be_visible()
    expect(page.get_by_text("reference CRASH")).to_be_visible()
    expect(page.get_by_text("KeyError: 'Column not found: body_mass'", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Accept")).to_be_disabled()
    picture(page, "editor-failing")

    code = page.get_by_role("textbox", name="Reference code")
    code.fill(MENDED)
    code.press("Control+Enter")
    expect(page.get_by_text("reference CORRECT")).to_be_visible()
    expect(page.get_by_text("your run, just now")).to_be_visible()
    expect(page.get_by_role("img", name="picture of")).to_be_visible()
    expect(page.get_by_text("unsaved changes in problem").first).to_be_visible()
    page.keyboard.press("Escape")  # the list of completions would cover the code
    picture(page, "editor")

    page.get_by_role("button", name="Save revision").click()
    expect(page.get_by_text("all saved as revision 2")).to_be_visible()
    expect(page.get_by_text("all 3 pass")).to_be_visible()
    accept = page.get_by_role("button", name="Accept")
    expect(accept).to_be_enabled()
    accept.click()
    expect(page.get_by_text("accepted revision 2 of penguins-body-mass").first).to_be_visible()
    row = problemsets.find(served.workspace, penguins)
    assert (row.status, revisions.find(served.workspace, row.head_revision_id).author) == ("accepted", "mei")

    page.get_by_role("link", name="Releases").click()
    page.get_by_label("Name").fill("birds")
    page.get_by_label("Version").fill("1.0")
    page.get_by_role("button", name="Create the release").click()
    page.get_by_role("link", name="birds 1.0").click()
    page.get_by_role("button", name="Verify").click()
    expect(page.get_by_text("verified: every file matches its checksum").first).to_be_visible()
    settled(page)
    with page.expect_download() as downloading:
        page.get_by_role("button", name="Download .zip").click()
    downloading.value.save_as(tmp_path / "birds.zip")
    with zipfile.ZipFile(tmp_path / "birds.zip") as archive:
        names = set(archive.namelist())
    assert {"birds-1.0/_manifest.yaml", "birds-1.0/penguins-body-mass.py", "birds-1.0/checksums.txt"} <= names
    picture(page, "releases")

    page.get_by_role("link", name="Runs").click()
    settled(page)
    page.get_by_role("button", name="Start the run").click()
    page.get_by_role("link", name="Open the newest run").click()
    expect(page.get_by_role("heading", name="oracle on birds 1.0")).to_be_visible()
    expect(page).to_have_url(f"{served.url}/runs?run=1")  # a reload shows the same run
    expect(page.get_by_text("100.0%").first).to_be_visible()
    (run,) = runs.select(served.workspace)
    assert (run.agent, run.summary["pass_rate"]) == ("oracle", 1.0)
    page.get_by_label("Text").fill("mean body mass")
    page.get_by_label("Text").press("Enter")
    expect(page.get_by_text("1 problem.")).to_be_visible()
    expect(page).to_have_url(re.compile(r"r_text=mean\+body\+mass"))
    expect(page.get_by_role("link", name="CORRECT")).to_have_count(1)  # the rows that the filter leaves out are gone
    page.get_by_role("link", name="CORRECT").click()
    expect(page.get_by_role("heading", name="penguins-body-mass 3")).to_be_visible()
    expect(page.get_by_text("Submission", exact=True)).to_be_visible()
    expect(page.get_by_text("Reference code", exact=True)).to_be_visible()
    picture(page, "runs")
    page.get_by_role("link", name="Open the problem in the editor").click()
    expect(page.get_by_role("heading", name="Problem 3 of 3")).to_be_visible()


@pytest.mark.deep
def test_what_is_typed_into_plain_editors_is_kept_whatever_happens_next(
    served: Any, open_tab: Callable[..., Page], visit: Callable[[Page, str], None], settled: Callable[[Page], None]
) -> None:
    set_setting(served.workspace, "plain_editors", {"mei": True})
    penguins = add_set(served, "penguins-body-mass", PENGUINS, "penguins")
    page = open_tab()
    address = f"/editor?set={penguins}&pid=islands"

    visit(page, address)
    settled(page)
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
    head = revisions.find(served.workspace, problemsets.find(served.workspace, penguins).head_revision_id)
    assert "# by pause by link by save" in head.text
    assert autosaves.select(served.workspace, "mei", penguins) == []


@pytest.mark.deep
def test_a_job_is_seen_from_another_tab_and_the_pages_fit_a_narrow_screen(
    served: Any, open_tab: Callable[..., Page], visit: Callable[[Page, str], None]
) -> None:
    penguins = add_set(served, "penguins-body-mass", PENGUINS, "penguins")
    wide, narrow = open_tab(), open_tab(width=620, height=900, scheme="dark")
    visit(narrow, f"/problemset?set={penguins}")
    visit(wide, f"/problemset?set={penguins}")
    expect(wide.get_by_text("1 of 3 fail")).to_be_visible()
    wide.get_by_role("button", name="Dry run").click()
    narrow.reload()
    expect(narrow.get_by_text("1 of 3 fail")).to_be_visible()
    for address in ("/", f"/problemset?set={penguins}", f"/editor?set={penguins}", "/seeds", "/runs", "/releases"):
        visit(narrow, address)
        overflow = narrow.evaluate("document.querySelector('.stMain').scrollWidth - window.innerWidth")
        assert overflow <= 0, f"{address} is {overflow} pixels too wide"


@pytest.mark.deep
def test_the_keyboard_alone_goes_from_problem_to_problem(
    served: Any,
    open_tab: Callable[..., Page],
    visit: Callable[[Page, str], None],
    press_until: Callable[[Page, str, Locator], None],
) -> None:
    penguins = add_set(served, "penguins-body-mass", PENGUINS, "penguins")
    page = open_tab()
    visit(page, "/")
    press_until(page, "n", page.get_by_role("heading", name="Problem 1 of 3"))
    assert problemsets.find(served.workspace, penguins).holder == "mei"
    for key, heading in (("j", "Problem 2 of 3"), ("j", "Problem 3 of 3"), ("k", "Problem 2 of 3")):
        press_until(page, key, page.get_by_role("heading", name=heading))


BROKEN = (7, 21)


def add_thirty(ws: Workspace) -> int:
    """Store thirty problems of cheap code with their dry run; two of them name a variable that is not there."""
    cells = ["# %%\nstock = list(range(100))\n"]
    for n in range(1, 31):
        query = f"What is the sum of the first {n} numbers of `stock`?"
        cells.append(f'# %%\n"""\nquery: {query}\n"""\nsum({"stok" if n in BROKEN else "stock"}[:{n}])\n')
    draft = problemsets.create(ws, name="thirty-sums", text="\n".join(cells), author="template", origin=Origin.TEMPLATE)
    error = {"name": "NameError", "message": "name 'stok' is not defined", "traceback": "NameError"}
    rows = [
        DryRunProblem(n, f"p{n}", 0.01, "CRASH", "NOT_JUDGED", error=error, reasons={"reference": "NameError"})
        if n in BROKEN
        else DryRunProblem(n, f"p{n}", 0.01, "CORRECT", "WRONG_OUTPUT")
        for n in range(1, 31)
    ]
    dry_runs.save(
        ws,
        revision_id=draft.id,
        environment=environment_id(),
        sandbox="bwrap",
        problems=rows,
        summary={"scoring_version": SCORING_VERSION},
    )
    return draft.problemset_id


@pytest.mark.deep
def test_an_annotator_goes_through_thirty_problems_by_what_can_be_read_on_the_screen(
    served: Served, open_tab: Callable[..., Page], visit: Callable[[Page, str], None]
) -> None:
    ws = served.workspace
    thirty = add_thirty(ws)
    page = open_tab()
    person = Person(page)
    visit(page, "/")
    person.follow("thirty-sums")
    person.read("2 of 30 fail")
    person.press("Open in the editor")
    for number in BROKEN:
        person.press("Next failing")
        person.read_heading(f"Problem {number} of 30")
        person.read("name 'stok' is not defined")
        person.write("Reference code", f"sum(stock[:{number}])")
        person.press("Run this")
        person.read("your run, just now")
        person.read("reference CORRECT")
    person.press("Next failing")
    person.read("no problem fails, as far as they have been executed")
    for number in range(BROKEN[-1] + 1, 31):
        person.press("Next")
        person.read_heading(f"Problem {number} of 30")
    person.write("Query", "What do the first 30 numbers of `stock` add up to?")
    person.turn_to("Comments")
    person.write("New comment", "I say add up, as the others ask for a sum.")
    person.press("Comment", whole=True)
    person.read("I say add up, as the others ask")
    person.press("Save revision")
    person.read("all saved as revision 2")
    person.read("all 30 pass")
    person.press("Submit")
    person.read("submitted for review")

    row = problemsets.find(ws, thirty)
    text = revisions.find(ws, row.head_revision_id).text
    assert (row.status, text.count("stok["), "add up to?" in text) == ("submitted", 0, True)
    (comment,) = list_comments(ws, thirty)
    assert (comment.author, comment.problem) == ("mei", "p30")
