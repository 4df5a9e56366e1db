"""The first minutes in the real app: an empty folder, Streamlit's own command, and what can be read on the screen."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from authoring.demo import AMBIGUOUS, BUILDER, FAULTS, FAULTY, WAITING
from authoring.store import jobs, problemsets
from authoring.store.dry_runs import DryRunProblem
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from tests.browser.conftest import DRAW, ROOT, OpenTab, RunningApp, Work, judge, passes, running, text_box, visit
from tests.jobs.test_demo import DRAFTS

pytestmark = pytest.mark.browser


class PlainApp(RunningApp):
    """The app as `streamlit run app.py` starts it: without a worker, on the folder `workspace` where it was typed."""

    def __init__(self, folder: Path) -> None:
        super().__init__(Workspace.open(folder / "workspace"), folder / "server.log")
        port = self.url.rpartition(":")[2]
        self._command = [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py"), "--server.port", port]
        self._folder = folder


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunningApp]:
    monkeypatch.delenv("BENCHWRIGHT_WORKSPACE", raising=False)
    with running(PlainApp(tmp_path)) as app:
        yield app


def test_a_newcomer_builds_the_demo_and_repairs_its_draft(served: RunningApp, open_tab: OpenTab, work: Work) -> None:
    page = open_tab(1360, 1000)
    visit(page, "/")
    build = page.get_by_role("button", name="Build the demo")
    expect(build).to_be_visible()
    ws = served.workspace
    jobs.register_worker(ws)  # else the page starts one
    build.click()
    expect(page.get_by_text("Tour, step 1 of 9")).to_be_visible()
    order = jobs.claim(ws, owner="test", kinds=("demo",))
    assert order is not None
    text = DRAFTS[WAITING]  # stands for what the job makes: tests/jobs/test_demo.py
    for right, wrong in FAULTS:
        text = text.replace(right, wrong)
    made = problemsets.create(ws, name=WAITING, text=text, author=BUILDER, origin=Origin.TEMPLATE)
    error = {"name": "KeyError", "message": "'average'", "traceback": "KeyError: 'average'"}
    crash = DryRunProblem(2, FAULTY, 0.01, "CRASH", "NOT_JUDGED", error=error, reasons={"reference": "KeyError"})
    judge(ws, made.id, [*passes(AMBIGUOUS), crash])
    jobs.finish(ws, order.id, "test", result={"waiting": WAITING})
    page.evaluate(DRAW)
    page.get_by_role("button", name="Open the draft that waits").click()
    expect(page.get_by_role("heading", name=WAITING)).to_be_visible()
    expect(page.get_by_text("1 of 2 fail")).to_be_visible()
    page.get_by_role("button", name="Open it in the editor").click()
    expect(page.get_by_text("Press Next failing")).to_be_visible()
    page.get_by_role("button", name="Next failing").click()
    expect(page.get_by_text(re.compile(FAULTY)).filter(visible=True).first).to_be_visible()
    expect(page.get_by_text("KeyError: 'average'").first).to_be_visible()

    code = text_box(page)
    expect(code).to_contain_text('"average"')
    code.fill(code.inner_text().replace('"average"', '"mean"'))
    page.get_by_role("button", name="Run this").click()
    work(page, "execute")
    expect(page.get_by_text("your run, just now")).to_be_visible()
    expect(page.get_by_text("reference CORRECT")).to_be_visible()
