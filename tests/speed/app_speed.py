"""Prints how fast the app's pages are on a large workspace: `python tests/speed/app_speed.py [INTERACTIONS]`.

1,000 problemsets of 10 problems, 100,000 attempts of 10 runs, 200 comments on one problemset; the real server and
Chromium. The goals, in the median, on a quiet machine with two cores: the first page with an empty cache (from the
start of the navigation to heading and first rows) 1.5 s, the next or previous problem (from the key to its text) 150
ms, another interaction 300 ms; and memory that does not grow with interactions.
"""

import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Error, Page, sync_playwright

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from authoring.store.workspace import Workspace  # noqa: E402
from tests.speed.large import PROBLEMS, Large, fill  # noqa: E402

SETS, RUNS, COMMENTS = 1_000, 10, 200
REPEATS = 20
SOAK = 500  # interactions
FIRST_PAGE_MS, NEIGHBOUR_MS, OTHER_MS = 1500, 150, 300  # goals
PATIENCE_MS = 30_000
POLL_MS = 10  # at each frame would make the browser draw frames that nobody needs
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")

# Looked at again and again while we wait: what makes the browser lay out the page for that would be counted, too.
LIST = "document.querySelector(\".stMain :is(.bw-rows, [data-testid='stPageLink']) a[href*='set=']\")?.textContent"
MATRIX = "document.querySelector('[data-list=matrix] tbody')?.textContent"
CODE = (  # of the code editors, which live in shadow roots
    "[...document.querySelectorAll('.stMain [data-testid=stBidiComponentIsolated]')]"
    ".map((each) => each.shadowRoot?.querySelector('.cm-content')?.textContent).join('|')"
)


def main() -> None:
    soak = int(sys.argv[1]) if len(sys.argv) > 1 else SOAK
    chromium = find_chromium()
    if chromium is None:
        return
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        ws = Workspace.open(Path(folder) / "ws")
        start = time.perf_counter()
        large = fill(ws, sets=SETS, runs=RUNS, comments=COMMENTS)
        size_mb = ws.database_path.stat().st_size / 1e6
        print(f"{SETS * PROBLEMS:,} problems, {large.attempts:,} attempts, {size_mb:.0f} MB,", end=" ")
        print(f"filled in {time.perf_counter() - start:.0f} s; load {os.getloadavg()[0]:.1f}\n")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        with serving(ws, Path(folder) / "server.log") as (url, pid):
            first_pages(browser, url, large)
            page = opened(browser, url)
            interactions(page, large)
            memory(page, large, pid, soak)
        browser.close()


def find_chromium() -> str | None:
    """Return the browser's path; say what to do where there is none."""
    found = os.environ.get("CHROMIUM") or next((path for name in CHROMIUM if (path := shutil.which(name))), None)
    if found is None:
        print("no Chromium was found: install it (apt-get install chromium), or name it in CHROMIUM")
    return found


@contextmanager
def serving(ws: Workspace, log: Path) -> Iterator[tuple[str, int]]:
    """Serve the workspace; yield the address and the server's process id."""
    command = ["-m", "authoring.ui.shell.server", "--workspace", str(ws.root), "--no-worker", "--port"]
    with started(command, log) as found:
        yield found


@contextmanager
def started(command: list[str], log: Path) -> Iterator[tuple[str, int]]:
    """Start a server, whose command ends with the port, and end it; yield its address and process id."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {**os.environ, "BENCHWRIGHT_USER": "mei", "BENCHWRIGHT_SANDBOX": "none"}
    with log.open("wb") as out:
        server = subprocess.Popen(
            [sys.executable, *command, str(port)], cwd=ROOT, env=environment, stdout=out, stderr=out
        )
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(f"{url}/_stcore/health", timeout=2).close()
                break
            except OSError:
                time.sleep(0.1)
        yield url, server.pid
    finally:
        server.terminate()
        server.wait(20)


def opened(browser: Browser, url: str) -> Page:
    context = browser.new_context(base_url=url, viewport={"width": 1360, "height": 900})
    context.set_default_timeout(PATIENCE_MS)
    return context.new_page()


def first_pages(browser: Browser, url: str, large: Large) -> None:
    """Print the time from the start of a navigation to heading and first rows."""
    places = {
        "Queue": ("/", LIST),
        "Editor": ("/editor?set=1&pid=p1", f"{CODE}.includes('0 + 1')"),
        "Matrix of a run": (f"/runs?run={large.runs[0]}", MATRIX),
        f"Problemset, {COMMENTS} comments": ("/problemset?set=1", LIST),
    }
    for name, (address, there) in places.items():
        print_first_page(browser, url, name, address, there, goal_ms=FIRST_PAGE_MS)
    print()


def print_first_page(browser: Browser, url: str, name: str, address: str, there: str, *, goal_ms: int) -> None:
    cold, warm = [], []
    for _ in range(5):
        page = opened(browser, url)
        cold.append(navigated(page, address, there))
        warm.append(navigated(page, address, there))
        page.context.close()
    print(f"first page of {name:<30} warm {summary(warm)}; empty cache {summary(cold)}{goal(cold, goal_ms)}")


def navigated(page: Page, address: str, there: str) -> float:
    page.goto(address, wait_until="commit")
    shown = f"() => document.querySelector('.stMain h1, .stMain h2') && ({there}) ? performance.now() : false"
    return float(page.wait_for_function(shown, polling=POLL_MS).json_value())


def interactions(page: Page, large: Large) -> None:
    """Print how long after an action its effect shows."""
    navigated(page, "/editor?set=1&pid=p1", f"{CODE}.includes('0 + 1')")
    settle(page)
    steps = [*range(1, PROBLEMS), *range(PROBLEMS - 2, -1, -1)]
    to_neighbours = [(key(page, *step), step_shown(step[1])) for step in pairs(steps)]
    measure(page, "next or previous problem (J, K)", to_neighbours, goal_ms=NEIGHBOUR_MS)
    tabs = ["Verdicts", "Variables", "Comments", "History", "Outputs"] * (REPEATS // 5)
    measure(page, "switch tabs in the editor", [(tab(page, name), tab_shown(name)) for name in tabs])

    navigated(page, "/problemset?set=1", LIST)
    settle(page)
    tabs = ["Comments", "Problems"] * (REPEATS // 2)
    measure(page, f"open and close {COMMENTS} comments", [(tab(page, name), tab_shown(name)) for name in tabs])

    navigated(page, "/", LIST)
    settle(page)
    sets = [f"set-{number:05}" for number in range(100, 100 + REPEATS)]
    measure(page, "search in the Queue", [(text(page, "Search", name), f"{LIST}.includes('{name}')") for name in sets])

    navigated(page, f"/runs?run={large.runs[0]}", MATRIX)
    settle(page)
    numbers = [2, 3] * (REPEATS // 2)
    measure(page, "page of the matrix", [(page_no(page, n), f"{MATRIX} !== window.__before") for n in numbers])
    measure(page, "filter of the matrix", [(text(page, "Text", name), f"{MATRIX}.includes('{name}')") for name in sets])
    print()


def pairs(steps: list[int]) -> list[tuple[int, int]]:
    return list(zip([0, *steps], steps, strict=False))


def step_shown(number: int) -> str:
    heading = f"document.querySelector('.stMain h2')?.textContent.startsWith('Problem {number + 1} ')"
    return f"{heading} && {CODE}.split('|').includes('{number} + 1')"


def tab_shown(name: str) -> str:
    chosen = f"document.querySelector('[role=tab][aria-selected=true]')?.textContent.startsWith('{name}')"
    filled = "[...document.querySelectorAll('[role=tabpanel]')].some((each) => each.textContent.length > 20)"
    return f"{chosen} && {filled} && document.querySelector('[data-test-script-state=notRunning]')"


def key(page: Page, before: int, after: int) -> Callable[[], None]:
    return lambda: page.keyboard.press("j" if after > before else "k")


def tab(page: Page, name: str) -> Callable[[], None]:
    return page.get_by_role("tab", name=name).click


def text(page: Page, label: str, value: str) -> Callable[[], None]:
    def act() -> None:
        page.get_by_label(label, exact=True).fill(value)
        page.get_by_label(label, exact=True).press("Enter")

    return act


def page_no(page: Page, number: int) -> Callable[[], None]:
    def act() -> None:
        page.evaluate(f"window.__before = {MATRIX}")
        page.locator("[data-testid=stPaginationPage]", has_text=re.compile(f"^{number}$")).click()

    return act


def settle(page: Page) -> None:
    page.wait_for_timeout(300)
    page.wait_for_selector("[data-test-script-state=notRunning]")


def measure(page: Page, name: str, steps: list[tuple[Callable[[], None], str]], goal_ms: int = OTHER_MS) -> None:
    times = []
    for act, shown in steps:
        page.evaluate("window.__start = performance.now()")
        try:
            act()
            passed = f"() => ({shown}) ? performance.now() - window.__start : false"
            found = page.wait_for_function(passed, polling=POLL_MS)
        except Error as error:
            print(f"{name:<44} NOT SEEN: {str(error).splitlines()[0]} waiting for {shown}")
            return
        times.append(float(found.json_value()))
        settle(page)
    print(f"{name:<44} {summary(times)}{goal(times, goal_ms)}")


def memory(page: Page, large: Large, pid: int, soak: int) -> None:
    """Print the server's memory after some interactions and after many."""
    navigated(page, "/editor?set=1&pid=p1", f"{CODE}.includes('0 + 1')")
    settle(page)
    at, forwards = 0, True
    for number in range(1, soak + 1):
        forwards = at < PROBLEMS - 1 if forwards else at == 0
        at += 1 if forwards else -1
        page.keyboard.press("j" if forwards else "k")
        heading = f"document.querySelector('.stMain h2')?.textContent.startsWith('Problem {at + 1} ')"
        page.wait_for_function(f"() => {heading}")
        page.wait_for_selector("[data-test-script-state=notRunning]")
        if number in (100, soak):
            print(f"server after {number} interactions: {resident_mb(pid):.0f} MB")


def resident_mb(pid: int) -> float:
    line = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1000


def goal(times_ms: list[float], most_ms: int) -> str:
    return f"   goal {most_ms}{' MISSED' if statistics.median(times_ms) > most_ms else ''}"


def summary(times_ms: list[float]) -> str:
    return f"median {statistics.median(times_ms):5.0f} ms, best {min(times_ms):5.0f}, worst {max(times_ms):5.0f}"


if __name__ == "__main__":
    main()
