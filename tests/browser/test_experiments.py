"""An experiment's path through the real app: made, mended, forecast, started with a model, stopped, read."""

import csv
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from authoring.store import experiments, jobs
from authoring.store.workspace import Workspace
from tests.browser.conftest import OpenTab, Served, choose, passes, picture, release, serve, settle, visit
from tests.scripted_model import KEY, Say, scripted_model
from tests.waiting import eventually

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
WRONG, RIGHT = "```python\n0\n```", "```python\nsum(units)\n```"
BEST = "```python\nunits.index(max(units))\n```"


class Answers:
    """What the scripted model says: right at first attempts with examples only; it waits while it is told to."""

    def __init__(self) -> None:
        self.may_go_on = threading.Event()
        self.asked = 0

    def __call__(self, request: dict[str, Any]) -> Say:
        self.asked += 1
        if self.asked > 2:
            self.may_go_on.wait(60)
        messages = request["messages"]
        asks_for_day = "best day" in str(messages[-1]) or "best day" in str(messages[-3:])
        has_examples, is_repair = len(messages) > 6, "# Output" in str(messages[-1])
        if not has_examples and not is_repair:
            return Say(WRONG, prompt_tokens=300)
        return Say(BEST if asks_for_day else RIGHT, prompt_tokens=900 if has_examples else 400)


@pytest.fixture
def answers() -> Iterator[Answers]:
    found = Answers()
    yield found
    found.may_go_on.set()


@pytest.fixture
def served(tmp_path: Path, answers: Answers) -> Iterator[Served]:
    """An app with a worker and a scripted model, on a workspace with one release."""
    with scripted_model(answers) as model:
        names = {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": KEY, "BENCHWRIGHT_MODEL": "some-model"}
        with serve(tmp_path, **names) as found:
            release(found.workspace, "shop", TEXT, passes("p1", "p2"), found.workspace.root / "releases" / "shop-1.0")
            yield found


def text_of(page: Page) -> Any:
    return page.get_by_role("textbox", name="Text of the experiment")


def state_of(ws: Workspace) -> str:
    return str(jobs.select(ws, 1, kinds=("experiment",))[0].state)


@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.deep)], ids=["small", "whole"])
def test_an_experiment_is_made_forecast_run_stopped_resumed_and_read(
    whole: bool, served: Served, answers: Answers, open_tab: OpenTab, tmp_path: Path
) -> None:
    ws, page = served.workspace, open_tab()
    visit(page, "/experiments")
    page.get_by_role("button", name="New experiment").click()
    page.get_by_role("textbox", name="Name", exact=True).fill("shots-and-repairs")
    page.get_by_role("textbox", name="Name", exact=True).press("Tab")
    settle(page)
    page.get_by_role("button", name="Make it").click()
    expect(text_of(page)).to_contain_text("releases/shop-1.0")

    made = experiments.read(ws, "shots-and-repairs").text
    if not whole:  # the fewer runs, the faster
        made = "".join(line for line in made.splitlines(True) if "- empty" not in line and "five examples" not in line)
    text_of(page).fill(made.replace("shots: none", "shot: none"))
    expect(page.get_by_text("agent 'chat' has no option 'shot'")).to_be_visible()  # before it is saved
    expect(page.get_by_text("use 'shots'")).to_be_visible()
    page.reload()
    settle(page)
    expect(text_of(page)).to_contain_text("shot: none")  # what was typed outlives a reload
    text_of(page).fill(made.replace("epochs: 1", "epochs: 2") if whole else made)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("saved shots-and-repairs.yaml").first).to_be_visible()

    page.get_by_role("button", name="Check and forecast").click()
    page.get_by_role("button", name="Start the experiment").wait_for()
    expect(page.get_by_text("Problems left to judge")).to_be_visible()
    assert answers.asked == 0
    page.get_by_role("button", name="Start the experiment").click()
    assert eventually(lambda: answers.asked > 2, within_s=60)
    other = page.context.new_page()
    visit(other, "/experiments?experiment=shots-and-repairs")
    other.get_by_role("button", name="Cancel", exact=True).click()
    assert eventually(lambda: state_of(ws) == "cancelled", within_s=60)
    other.close()
    answers.may_go_on.set()
    expect(page.get_by_text("What is judged is kept")).to_be_visible()
    page.get_by_role("button", name="Resume", exact=True).click()
    assert eventually(lambda: state_of(ws) == "done", within_s=120)

    visit(page, "/experiments?experiment=shots-and-repairs")
    expect(page.locator("table").first.locator("tr")).to_have_count(9 if whole else 5)
    rows = page.evaluate("[...document.querySelector('table').rows].map(row => [...row.cells].map(c => c.innerText))")
    table = {tuple(row[:2]): row[2:4] for row in rows}
    assert table["oracle", "one attempt"][1].startswith("100.0 (")
    if whole:
        assert table["five examples", "one attempt"][1].startswith("100.0 (")
    assert table["no examples", "one attempt"][1].startswith("0.0 (")
    assert table["no examples", "three attempts"][1].startswith("100.0 (")
    picture(page, "experiment")
    page.get_by_role("button", name="Download", exact=True).last.click()
    saved = {}
    for ending in ("csv", "json", "html"):
        with page.expect_download() as waiting:
            page.get_by_role("button", name=f"(.{ending})").click()
        waiting.value.save_as(tmp_path / f"table.{ending}")
        saved[ending] = (tmp_path / f"table.{ending}").read_text()
    assert len(list(csv.reader(saved["csv"].splitlines()))) == (9 if whole else 5)
    assert json.loads(saved["json"])["done"] is True
    assert "no examples" in saved["html"]
    page.keyboard.press("Escape")
    page.get_by_role("link", name="no examples, one attempt").click()
    expect(page.get_by_role("heading", name="no examples, one attempt on shop 1.0")).to_be_visible()


@pytest.mark.deep
def test_counts_in_a_box_that_is_opened_late_begin_with_what_holds(served: Served, open_tab: OpenTab) -> None:
    page = open_tab()
    visit(page, "/seeds?seed=1")
    choose(page, "Author", "model")
    page.get_by_text("Guide beside the page").click()  # the page is drawn anew while the box is closed
    settle(page)
    page.get_by_role("button", name="For a model").click()
    for level, count in (("Easy", "3"), ("Medium", "6"), ("Hard", "4")):
        expect(page.get_by_role("spinbutton", name=level)).to_have_value(count)
    page.get_by_role("spinbutton", name="Hard").fill("5")
    page.get_by_role("spinbutton", name="Hard").press("Enter")
    settle(page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Sketch problems").click()
    assert eventually(lambda: jobs.select(served.workspace, kinds=("sketch",)) != [], within_s=30)
    assert jobs.select(served.workspace, kinds=("sketch",))[0].payload["mix"] == "easy=3,medium=6,hard=5"

    visit(page, "/runs")
    page.get_by_role("button", name="More options").click()
    choose(page, "Mode", "qwen: until code fails")
    expect(page.get_by_role("spinbutton", name="Rounds at a problem")).to_have_value("3")
