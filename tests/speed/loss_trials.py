"""Counts typed texts that were lost: `python tests/speed/loss_trials.py [TRIALS]`. None may be.

Each trial types a word into the code editor and, 0 to 700 ms later, leaves by a link, reloads, closes the tab, or has
the server or the worker killed (SIGKILL) and started anew; what the editor shows when it is opened again must hold the
word.
"""

import sys
import tempfile
from itertools import count, islice, product
from pathlib import Path

from playwright.sync_api import Error, Locator, Page, sync_playwright

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from authoring.store import problemsets  # noqa: E402
from authoring.store.settings import set_setting  # noqa: E402
from authoring.store.statuses import Origin  # noqa: E402
from authoring.store.workspace import Workspace  # noqa: E402
from tests.browser.conftest import RunningApp  # noqa: E402
from tests.speed.app_speed import find_chromium, opened  # noqa: E402

TRIALS = 100
WAYS = ("link", "reload", "close", "server", "worker")
DELAYS_MS = (0, 50, 100, 200, 350, 450, 700)
PATIENCE_MS = 20_000
CONNECTED = "document.querySelector('[data-test-connection-state=CONNECTED]')"
ADDRESS = "/editor?set=1&pid=p1"


def main() -> None:
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else TRIALS
    chromium = find_chromium()
    if chromium is None:
        return
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        ws = Workspace.open(Path(folder) / "ws")
        set_setting(ws, "shipped_seeds", "loaded")
        text = '# %%\n"""\nquery: What is one?\n"""\n1\n'
        problemsets.create(ws, name="trial", text=text, author="template", origin=Origin.TEMPLATE)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        app = RunningApp(ws, Path(folder) / "server.log")
        app.start()
        try:
            lost = losses(opened(browser, app.url), app, trials)
        finally:
            app.stop()
        browser.close()
    print(f"lost {lost} of {trials}")


def losses(page: Page, app: RunningApp, trials: int) -> int:
    page.goto(ADDRESS)
    lost = 0
    plan = islice(((way, ms) for _ in count() for way, ms in product(WAYS, DELAYS_MS)), trials)
    for number, (way, delay_ms) in enumerate(plan):
        word = f"#w{number}"
        editor(page).press("Control+End")
        editor(page).press_sequentially(word, delay=5)
        page.wait_for_timeout(delay_ms)
        page = left_and_back(page, way, app)
        if not holds(page, word):
            lost += 1
            print(f"lost after {delay_ms} ms, {way}")
    return lost


def editor(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Reference code")


def left_and_back(page: Page, way: str, app: RunningApp) -> Page:
    if way == "server":
        app.kill()
        app.start()
        page.wait_for_function(CONNECTED)
        return page
    if way == "worker":
        app.kill_worker()
    if way == "link":
        page.get_by_role("link", name="Settings").click()
        page.get_by_role("heading", name="Settings", exact=True).wait_for()
    elif way in ("reload", "worker"):
        page.reload()
        return page
    else:
        context = page.context
        page.close()
        page = context.new_page()
    page.goto(ADDRESS)
    return page


def holds(page: Page, word: str) -> bool:
    try:
        editor(page).filter(has_text=word).wait_for(timeout=PATIENCE_MS)
    except Error:  # it waited in vain
        return False
    return True


if __name__ == "__main__":
    main()
