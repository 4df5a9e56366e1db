"""CIBench in the real app from its archive to a board: import, run, scores, and the figure of an attempt."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Served
from tests.families.notebooks import answer, ask, png, printed, shown
from tests.jobs.test_family_imports import notebook, packed

pytestmark = pytest.mark.browser

PLOT = "import matplotlib.pyplot as plt\nplt.plot([1, 2, 3])\nplt.title('Growth')\nplt.show()"
CELLS = (
    ask("Print the sum of 1 and 2."),
    answer("print(1 + 2)", printed("3\n")),
    ask("Draw the numbers 1 to 3 as a line, titled Growth."),
    answer(PLOT, shown(png(size=64))),
)


def test_notebooks_are_imported_run_and_scored(
    served: Served,
    open_tab: Callable[..., Page],
    visit: Callable[[Page, str], None],
    tmp_path: Path,
    open_box: Callable[[Page, str, Locator], None],
    choose: Callable[[Page, str, str], None],
) -> None:
    archive = tmp_path / "mini.zip"
    files = {
        "cibench_template/matplotlib/1.ipynb": notebook(*CELLS, step_types=["num", "vis"]),
        "cibench_template/matplotlib/2.ipynb": notebook(ask("alone")),
    }
    archive.write_bytes(packed(files))
    page = open_tab(1360, 1400)
    visit(page, "/releases")
    page.get_by_role("button", name="Import CIBench or Qwen").click()
    page.locator('input[type="file"]').last.set_input_files(archive)
    expect(page.get_by_text("mini.zip")).to_be_visible()
    page.get_by_text("Put its problemsets into the queue, too").click()
    page.get_by_role("button", name="Import it").last.click()
    expect(page.get_by_role("button", name="Import it")).to_be_hidden()  # the form closes: it covered what follows
    expect(page.get_by_text("Imported mini: 1 problemset, 2 problems.")).to_be_visible()
    expect(page.get_by_text("2.ipynb, line 1")).to_be_visible()
    expect(page.get_by_role("link", name="Open it")).to_be_visible()
    page.get_by_role("link", name="Run an agent on it").click()  # not covered
    expect(page.get_by_role("combobox", name="Release").first).to_have_value("mini (imported)")
    open_box(page, "More options", page.get_by_role("combobox", name="Mode"))
    choose(page, "Mode", "end-to-end: on its own code")
    expect(page.get_by_text("The mode says what state")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Start the run").click()
    page.get_by_role("link", name="Open the newest run").click()
    page.get_by_role("tab", name="Board").click()
    expect(page.get_by_role("heading", name="Beside published rows")).to_be_visible()
    row = page.get_by_role("row", name="all 100.0 (2)")
    expect(row).to_contain_text("100.0 (1)")
    page.get_by_role("tab", name="Problems", exact=True).click()
    page.get_by_role("link", name="WRONG_OUTPUT").click()
    expect(page.get_by_text("Expected is the figure that the notebook stores.")).to_be_visible()
    for name in ("expected figure", "found figure", "difference"):
        expect(page.get_by_alt_text(name)).to_be_visible()
    expect(page.get_by_text("of the pixels differ")).to_be_visible()
    expect(page.get_by_text("rules propose reasoning")).to_be_visible()
