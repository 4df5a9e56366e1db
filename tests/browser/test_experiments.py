"""An experiment's path through the real app: made, mended, forecast, started with a model, stopped, read."""

import csv
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from authoring.store import experiments, jobs
from authoring.store.workspace import Workspace
from tests.browser.conftest import Served, serve
from tests.browser.test_evaluator import release
from tests.scripted_model import KEY, Say, scripted_model
from tests.waiting import eventually

pytestmark = pytest.mark.browser

Visit = Callable[[Page, str], None]
Settled = Callable[[Page], None]
Picture = Callable[[Page, str], None]
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
            release(found.workspace, found.workspace.root / "releases" / "shop-1.0")
            yield found


def text_of(page: Page) -> Any:
    return page.get_by_role("textbox", name="Text of the experiment")


def state_of(ws: Workspace) -> str:
    return str(jobs.select(ws, 1, kinds=("experiment",))[0].state)


def test_an_experiment_is_made_mended_forecast_run_stopped_gone_on_with_and_read(
    served: Served, answers: Answers, open_tab: Callable[..., Page], visit: Visit, settled: Settled, picture: Picture,
    tmp_path: Path,
) -> None:  # fmt: skip
    ws, page = served.workspace, open_tab()
    visit(page, "/experiments")
    page.get_by_role("button", name="New experiment").click()
    page.get_by_role("textbox", name="Name", exact=True).fill("shots-and-repairs")
    page.get_by_role("textbox", name="Name", exact=True).press("Tab")
    settled(page)
    page.get_by_role("button", name="Make it").click()
    expect(text_of(page)).to_contain_text("releases/shop-1.0")

    made = experiments.read(ws, "shots-and-repairs").text
    text_of(page).fill(made.replace("shots: none", "shot: none"))
    expect(page.get_by_text("agent 'chat' has no option 'shot'")).to_be_visible()  # before it is saved
    expect(page.get_by_text("use 'shots'")).to_be_visible()
    page.reload()
    settled(page)
    expect(text_of(page)).to_contain_text("shot: none")  # what was typed outlives a reload
    text_of(page).fill(made.replace("epochs: 1", "epochs: 2"))
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("saved shots-and-repairs.yaml").first).to_be_visible()

    page.get_by_role("button", name="Check and forecast").click()
    page.get_by_role("button", name="Start the experiment").wait_for()
    expect(page.get_by_text("Problems left to judge")).to_be_visible()
    assert answers.asked == 0
    page.get_by_role("button", name="Start the experiment").click()
    assert eventually(lambda: answers.asked > 2, within_s=60)
    other = open_tab()
    visit(other, "/experiments?experiment=shots-and-repairs")
    other.get_by_role("button", name="Cancel", exact=True).click()
    assert eventually(lambda: state_of(ws) == "cancelled", within_s=60)
    answers.may_go_on.set()
    expect(page.get_by_text("What is judged is kept")).to_be_visible()
    page.get_by_role("button", name="Resume", exact=True).click()
    assert eventually(lambda: state_of(ws) == "done", within_s=120)

    visit(page, "/experiments?experiment=shots-and-repairs")
    expect(page.locator("table").first.locator("tr")).to_have_count(9)
    rows = page.evaluate("[...document.querySelector('table').rows].map(row => [...row.cells].map(c => c.innerText))")
    table = {tuple(row[:2]): row[2:4] for row in rows}
    assert table["oracle", "one attempt"][1].startswith("100.0 (")
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
    assert len(list(csv.reader(saved["csv"].splitlines()))) == 9
    assert json.loads(saved["json"])["done"] is True
    assert "five examples" in saved["html"]
    page.keyboard.press("Escape")
    page.get_by_role("link", name="no examples, one attempt").click()
    expect(page.get_by_role("heading", name="no examples, one attempt on shop 1.0")).to_be_visible()


@pytest.mark.deep
def test_options_of_an_agent_follow_the_text_in_a_box_that_is_opened_late(
    served: Served, open_tab: Callable[..., Page], visit: Visit, settled: Settled, choose: Callable[..., None]
) -> None:
    page = open_tab()
    visit(page, "/runs")
    text = page.get_by_role("textbox", name="Agent, written out")
    text.fill("chat:m?encoding=lida&shots_count=3")
    text.press("Enter")
    settled(page)
    page.get_by_role("textbox", name="Model", exact=True).fill("other")
    page.get_by_role("textbox", name="Model", exact=True).press("Enter")
    settled(page)
    expect(text).to_have_value("chat:other?encoding=lida&shots_count=3")
    page.get_by_role("button", name="Options of the agent").click()
    expect(page.get_by_role("spinbutton", name="Shots count")).to_have_value("3")
    page.get_by_role("spinbutton", name="Temperature").fill("0.5")
    page.get_by_role("spinbutton", name="Temperature").press("Enter")
    settled(page)
    expect(text).to_have_value("chat:other?encoding=lida&shots_count=3&temperature=0.5")
    page.keyboard.press("Escape")
    text.fill("chat:m?encodin=lida")
    text.press("Enter")
    expect(page.get_by_text("agent 'chat' has no option 'encodin'")).to_be_visible()
    choose(page, "Agent", "cmd: a program of your own")
    page.get_by_role("textbox", name="Command", exact=True).fill("python agents/gone.py")
    page.get_by_role("textbox", name="Command", exact=True).press("Enter")
    expect(page.get_by_text("there is no file 'agents/gone.py'")).to_be_visible()
    page.get_by_role("button", name="What it may do").click()
    expect(page.get_by_role("spinbutton", name="Executions at one problem")).to_have_attribute("placeholder", "20")


@pytest.mark.deep
def test_counts_in_a_box_that_is_opened_late_begin_with_what_holds(
    served: Served, open_tab: Callable[..., Page], visit: Visit, settled: Settled, choose: Callable[..., None]
) -> None:
    page = open_tab()
    visit(page, "/seeds?seed=1")
    choose(page, "Author", "model")
    page.get_by_text("Guide beside the page").click()  # the page is drawn anew while the box is closed
    settled(page)
    page.get_by_role("button", name="For a model").click()
    for level, count in (("Easy", "3"), ("Medium", "6"), ("Hard", "4")):
        expect(page.get_by_role("spinbutton", name=level)).to_have_value(count)
    page.get_by_role("spinbutton", name="Hard").fill("5")
    page.get_by_role("spinbutton", name="Hard").press("Enter")
    settled(page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Sketch problems").click()
    assert eventually(lambda: jobs.select(served.workspace, kinds=("sketch",)) != [], within_s=30)
    assert jobs.select(served.workspace, kinds=("sketch",))[0].payload["mix"] == "easy=3,medium=6,hard=5"

    visit(page, "/runs")
    page.get_by_role("button", name="More options").click()
    choose(page, "Mode", "qwen: until code fails")
    expect(page.get_by_role("spinbutton", name="Rounds at a problem")).to_have_value("3")
