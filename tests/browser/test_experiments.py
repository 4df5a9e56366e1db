"""An experiment's path through the real app: made, mended, forecast, run, read; with a model stopped and resumed."""

import csv
import threading
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from authoring.store import experiments, jobs
from authoring.store.workspace import Workspace
from tests.browser.conftest import OpenTab, RunningApp, Tabs, Work, passes, picture, release, serve, settle, visit
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
WRONG, RIGHT, BEST = (f"```python\n{code}\n```" for code in ("0", "sum(units)", "units.index(max(units))"))
NAME = "shots-and-repairs"


def text_of(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Text of the experiment")


def make(ws: Workspace, page: Page) -> str:
    """Make an experiment on a new release, and return its text."""
    release(ws, "wares", TEXT, passes("p1", "p2"), ws.root / "releases" / "wares-1.0")
    visit(page, "/experiments")
    page.get_by_role("button", name="New experiment").click()
    page.get_by_role("textbox", name="Name", exact=True).fill(NAME)
    page.get_by_role("textbox", name="Name", exact=True).press("Tab")
    settle(page)
    page.get_by_role("button", name="Make it").click()
    expect(text_of(page)).to_contain_text("releases/wares-1.0")
    return experiments.read(ws, NAME).text


def save(page: Page, text: str) -> None:
    text_of(page).fill(text)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text(f"saved {NAME}.yaml").first).to_be_visible()
    page.get_by_role("button", name="Check and forecast").click()


def rates_of(page: Page, rows: int) -> dict[str, str]:
    """Return the pass rate in each row of the table, by what stands before it."""
    visit(page, f"/experiments?experiment={NAME}")  # what is drawn may be from before the end of the job
    table = page.locator("table").filter(has_text="Judged").first
    expect(table.locator("tr")).to_have_count(rows)
    shown = table.evaluate("(table) => [...table.rows].map(row => [...row.cells].map(cell => cell.innerText))")
    judged, correct = shown[0].index("Judged"), shown[0].index("Correct")
    return {", ".join(row[:judged]): row[correct] for row in shown[1:]}


def test_an_experiment_is_made_mended_forecast_run_and_read(
    served: RunningApp, open_tab: OpenTab, work: Work, tmp_path: Path
) -> None:
    page = open_tab()
    made = make(served.workspace, page)
    text_of(page).fill(made.replace("- oracle", "- oracel"))
    expect(page.get_by_text("no agent is called 'oracel'")).to_be_visible()  # before it is saved
    expect(page.get_by_text("write 'oracle'")).to_be_visible()
    save(page, made)
    work(page, "experiment_check")
    expect(page.get_by_text("Problems left to judge")).to_be_visible()
    page.get_by_role("button", name="Start the experiment").click()
    work(page, "experiment")
    rates = rates_of(page, 3)
    assert (rates["oracle"][:7], rates["empty"][:5]) == ("100.0 (", "0.0 (")
    page.get_by_role("button", name="Download", exact=True).last.click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="(.csv)").click()
    waiting.value.save_as(tmp_path / "table.csv")
    assert len(list(csv.reader((tmp_path / "table.csv").read_text().splitlines()))) == 3
    page.keyboard.press("Escape")
    page.get_by_role("link", name="empty", exact=True).click()
    expect(page.get_by_role("heading", name="empty on wares 1.0")).to_be_visible()


@pytest.mark.deep
def test_an_experiment_of_a_model_is_stopped_and_resumed(browser: Browser, tmp_path: Path) -> None:
    may_go_on, asked = threading.Event(), []

    def answer(request: dict[str, Any]) -> Say:
        """Be right at first attempts with examples only; wait from the third request on until that may go on."""
        asked.append(request)
        if len(asked) > 2:
            may_go_on.wait(60)
        messages = request["messages"]
        asks_for_day = "best day" in str(messages[-1]) or "best day" in str(messages[-3:])
        has_examples, is_repair = len(messages) > 6, "# Output" in str(messages[-1])
        if not has_examples and not is_repair:
            return Say(WRONG, prompt_tokens=300)
        return Say(BEST if asks_for_day else RIGHT, prompt_tokens=900 if has_examples else 400)

    with scripted_model(answer) as model:
        names = {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": KEY, "BENCHWRIGHT_MODEL": "some-model"}
        with serve(tmp_path, variables=names) as app:
            tabs = Tabs(browser, app.url)
            page, ws = tabs.open(), app.workspace
            save(page, make(ws, page).replace("epochs: 1", "epochs: 2"))
            page.get_by_role("button", name="Start the experiment").wait_for()
            assert not asked
            page.get_by_role("button", name="Start the experiment").click()
            assert eventually(lambda: len(asked) > 2, within_s=60)
            page.get_by_role("button", name="Cancel", exact=True).click()
            assert eventually(lambda: state_of(ws) == "cancelled", within_s=60)
            may_go_on.set()
            expect(page.get_by_text("What is judged is kept")).to_be_visible()
            page.get_by_role("button", name="Resume", exact=True).click()
            assert eventually(lambda: state_of(ws) == "done", within_s=120)
            rates = rates_of(page, 9)
            picture(page, "experiment")
            tabs.close(keep=False)
    assert rates["five examples, one attempt"].startswith("100.0 (")
    assert rates["no examples, one attempt"].startswith("0.0 (")
    assert rates["no examples, three attempts"].startswith("100.0 (")
    assert tabs.problems == []


def state_of(ws: Workspace) -> str:
    return str(jobs.select(ws, 1, kinds=("experiment",))[0].state)
