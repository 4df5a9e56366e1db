"""The first half hour in the real app: an empty folder, Streamlit's own command, and what can be read on the screen."""

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from authoring.demo import FAULTY, WAITING
from authoring.store import problemsets, revisions
from authoring.store.workspace import Workspace
from tests.browser.conftest import PATIENCE_MS, ROOT, RunningApp, running
from tests.browser.person import Person

pytestmark = pytest.mark.browser


class PlainApp(RunningApp):
    """The app as `streamlit run app.py` starts it: without a worker, on the folder `workspace` where it was typed."""

    def __init__(self, folder: Path) -> None:
        super().__init__(Workspace(folder / "workspace"), folder / "server.log")
        port = self.url.rpartition(":")[2]
        self._command = [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py"), "--server.port", port]
        self._folder = folder


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunningApp]:
    monkeypatch.delenv("BENCHWRIGHT_WORKSPACE", raising=False)
    with running(PlainApp(tmp_path)) as app:
        yield app


def test_a_newcomer_builds_the_demo_and_repairs_its_draft(
    served: RunningApp, open_tab: Callable[..., Page], visit: Callable[[Page, str], None]
) -> None:
    page = open_tab(1360, 1000)
    person = Person(page)
    visit(page, "/")
    person.press("Build the demo")
    person.read("Tour, step 1 of 9")
    expect(page.get_by_role("link", name=WAITING)).to_be_visible(timeout=4 * PATIENCE_MS)  # a long job
    person.press("Open the draft that waits")
    person.read_heading(WAITING)
    person.read("1 of 15 fail")
    person.press("Open it in the editor")
    person.read("Press Next failing")
    person.press("Next failing")
    person.read(re.compile(FAULTY))
    person.read("KeyError: 'average'")

    code = person.field("Reference code")
    assert '"average"' in code.inner_text()
    person.write("Reference code", code.inner_text().replace('"average"', '"mean"'))
    person.press("Run this")
    person.read("your run, just now")
    person.read("reference CORRECT")
    person.press("Save revision")
    person.read("all saved as revision 3")
    person.read("all 15 pass")
    person.press("Go to Ada's question")
    person.read("Tour, step 4 of 9")
    person.turn_to("Comments (1)")
    person.press("Resolve")
    person.read("resolved by mei")
    person.press("Go on to deciding")
    person.read("Tour, step 5 of 9")
    person.press("Submit")
    person.read("submitted for review")
    person.press("Accept")
    person.read(f"accepted revision 3 of {WAITING}")

    row = problemsets.find(served.workspace, WAITING)
    assert (row.status, revisions.find(served.workspace, row.head_revision_id).author) == ("accepted", "mei")
