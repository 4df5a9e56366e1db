"""The real app, with its worker, in a real browser that may talk to nobody else."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Dialog,
    Locator,
    Page,
    Request,
    expect,
    sync_playwright,
)
from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

from authoring.release import create_release
from authoring.seeds.workspace_setup import open_workspace
from authoring.store import dry_runs, problemsets
from authoring.store.dry_runs import DryRunProblem
from authoring.store.reviewing.reviews import record_decision
from authoring.store.settings import set_setting
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.scoring import SCORING_VERSION
from evaluator.session import environment_id

ROOT = Path(__file__).parents[2]
CHROMIUM_ARGUMENTS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    " --disable-component-update --disable-sync"
)
HOW_TO_GET_IT = "no Chromium was found: install it (apt-get install chromium), or name it in CHROMIUM"
FIREFOX = os.environ.get("BENCHWRIGHT_BROWSER") == "firefox"  # Debian's, by the WebDriver BiDi protocol
PATIENCE_MS = 60_000  # machines that test are busy
PICTURES = os.environ.get("BENCHWRIGHT_PICTURES") == "1"
# Nothing on a page moves: to draw that took a quarter of the processor. Editors live in roots of their own.
STILL = """(() => {
  const still = new CSSStyleSheet()
  still.replaceSync('*, *::before, *::after {animation: none !important; transition: none !important}')
  document.adoptedStyleSheets = [still]
  const attach = Element.prototype.attachShadow
  Element.prototype.attachShadow = function (options) {
    const root = attach.call(this, options)
    root.adoptedStyleSheets = [still]
    return root
  }
})()"""

OpenTab = Callable[..., Page]


class Served(NamedTuple):
    """A running app."""

    url: str
    workspace: Workspace


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if FIREFOX:
        expect.set_options(timeout=PATIENCE_MS)
        with sync_playwright() as playwright, clicks_on_what_stands():
            path = shutil.which("firefox-esr") or shutil.which("firefox")
            launched = playwright.firefox.launch(executable_path=path, channel="moz-firefox")
            yield launched
            launched.close()
        return
    # The shell draws the same without the parts of a desktop browser: a quarter less work for the processor.
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    path = os.environ.get("CHROMIUM") or next((found for name in names if (found := shutil.which(name))), None)
    if path is None:
        if os.environ.get("CI"):
            pytest.fail(HOW_TO_GET_IT)
        pytest.skip(HOW_TO_GET_IT)
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright, clicks_on_what_stands():
        launched = playwright.chromium.launch(executable_path=path, args=CHROMIUM_ARGUMENTS.split())
        yield launched
        launched.close()


@contextlib.contextmanager
def clicks_on_what_stands() -> Iterator[None]:
    """Let every click wait, as a person does, until the page is drawn.

    A control that is drawn anew between the press and the release of a button hears neither.
    """
    click = Locator.click

    def click_when_drawn(self: Locator, **options: Any) -> None:
        if self.page.locator("[data-test-script-state]").count():  # not on a report's page
            with contextlib.suppress(PlaywrightTimeoutError):  # a page that watches a job is never done
                self.page.wait_for_selector("[data-test-script-state=notRunning]", timeout=10_000)
        click(self, **options)

    Locator.click = click_when_drawn  # type: ignore[method-assign]
    try:
        yield
    finally:
        Locator.click = click  # type: ignore[method-assign]


class RunningApp:
    """The app as a process that can be stopped and started again at the same address."""

    def __init__(self, workspace: Workspace, log: Path, *options: str, **environment: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.workspace = workspace
        self.url = f"http://127.0.0.1:{port}"
        self._log = log
        self._environment = environment
        self._folder = ROOT  # where it is started
        where = ["--port", str(port), "--workspace", str(workspace.root)]
        self._command = [sys.executable, "-m", "authoring.ui.shell.server", *where, *options]

    def start(self) -> None:
        environment = {**os.environ, "BENCHWRIGHT_USER": "mei"}
        for name in ("BENCHWRIGHT_MODEL", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
            environment.pop(name, None)
        environment |= self._environment
        with self._log.open("ab") as log:
            self._server = subprocess.Popen(self._command, cwd=self._folder, env=environment, stdout=log, stderr=log)
        wait_until_healthy(f"{self.url}/_stcore/health", self._server)

    def stop(self) -> None:
        self._server.terminate()
        try:
            self._server.wait(20)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """End the server as a crash does: at once, with no word to anybody."""
        self._server.kill()
        self._server.wait()

    def kill_worker(self) -> None:
        """End the server's children, its worker, at once."""
        pid = self._server.pid
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(child), signal.SIGKILL)


@pytest.fixture
def served(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Served]:
    """The app on a new workspace with the shipped seeds, healthy; ended with its worker afterwards.

    `@pytest.mark.parametrize("served", ["--no-worker"], indirect=True)` leaves the worker out.
    """
    with serve(tmp_path, *([request.param] if hasattr(request, "param") else [])) as served_:
        yield served_


@pytest.fixture
def stoppable(tmp_path: Path) -> Iterator[RunningApp]:
    """An app of `serve_without_seeds` that the test may stop; its next start is a new process."""
    with serve_without_seeds(tmp_path) as app:
        yield app


@contextlib.contextmanager
def serve(folder: Path, *options: str, **environment: str) -> Iterator[Served]:
    """Run the app on a new workspace in a folder; it names no model unless the environment does."""
    with running(
        RunningApp(open_workspace(folder / "workspace"), folder / "server.log", *options, **environment)
    ) as app:
        yield Served(app.url, app.workspace)


@contextlib.contextmanager
def serve_without_seeds(folder: Path) -> Iterator[RunningApp]:
    """Run the app without a worker on a new workspace in a folder, which holds no shipped seeds."""
    workspace = Workspace.open(folder / "workspace")
    set_setting(workspace, "shipped_seeds", "loaded")
    with running(RunningApp(workspace, folder / "server.log", "--no-worker")) as app:
        yield app


@contextlib.contextmanager
def running(app: RunningApp) -> Iterator[RunningApp]:
    """Start an app, and stop it at the end."""
    try:
        app.start()
        yield app
    finally:
        app.stop()


def until(page: Page, holds: Callable[[], bool]) -> None:
    """Wait until something holds that no element of the page shows, such as what is stored."""
    for _ in range(1800):  # a page that lost its server tries again at growing intervals, and the machine may be full
        if holds():
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"it did not come to hold; the page says: {page.locator('body').inner_text()[-1000:]}")


def wait_until_healthy(url: str, server: "subprocess.Popen[bytes]", patience_s: float = 60) -> None:
    deadline = time.monotonic() + patience_s
    while time.monotonic() < deadline:
        assert server.poll() is None, "the server ended at once"
        try:
            with urllib.request.urlopen(url, timeout=2) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the server did not become healthy")


@pytest.fixture
def open_tab(browser: Browser, served: Served) -> Iterator[Callable[..., Page]]:
    """Open a browser tab; an error in its console, a dialog, or a request to another host fails the test.

    `open_tab(outages=True)` is for tests that stop the server: the browser reports each vain attempt to reach it.
    """
    problems: list[str] = []
    contexts: list[BrowserContext] = []

    def on_request(request: Request) -> None:
        if not is_ours(request.url):
            problems.append(f"asked {request.url}")

    def on_dialog(dialog: Dialog) -> None:
        problems.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def open_(width: int = 1360, height: int = 900, scheme: str = "light", *, outages: bool = False) -> Page:
        def on_console(message: ConsoleMessage) -> None:
            if message.type == "error" and not (outages and is_of_an_outage(message.text)):
                problems.append(f"console: {message.text} ({message.location.get('url', '')})")

        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if scheme == "dark" else "light",
            base_url=served.url,
            accept_downloads=True,
        )
        context.add_init_script(STILL)
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        context.on("console", on_console)  # of its later pages too
        context.on("weberror", lambda error: problems.append(f"page error: {error.error}"))
        context.on("request", on_request)
        context.on("dialog", on_dialog)
        return context.new_page()

    yield open_
    for context in contexts:
        context.close()
    assert problems == []


def is_of_an_outage(text: str) -> bool:
    """Tell what the browser and the framework say while there is no server."""
    words = (
        *("net::ERR_", "WebSocket connection", "disconnected from server", "Error during WebSocket"),
        *("Error in reaching server endpoint", "server is not responding"),  # when it is away for longer
    )
    return any(word in text for word in words)


def is_ours(url: str) -> bool:
    return url.startswith(("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:", "about:"))


def visit(page: Page, address: str) -> None:
    """Go to an address of the app and wait until its script has run.

    Where the app is open it goes there as by *Back*: to load it again takes four times as long.
    """
    if page.url.startswith("http"):
        page.evaluate("a => {history.pushState({}, '', a); dispatchEvent(new PopStateEvent('popstate'))}", address)
    else:
        page.goto(address)
    settle(page)


def settle(page: Page) -> None:
    """Wait until the page's script has run."""
    page.wait_for_timeout(100)  # what was done before reaches the server
    page.wait_for_selector("[data-test-script-state=notRunning]")


def open_box(page: Page, title: str, inside: Locator) -> None:
    """Open a box of the page until what is in it shows; a click while the page is drawn anew may go unheard."""
    for _ in range(3):
        settle(page)
        if not inside.is_visible():
            page.get_by_text(title, exact=True).first.click()
        with contextlib.suppress(PlaywrightTimeoutError):
            inside.wait_for(timeout=20_000)
            return
    pytest.fail(f"the box {title!r} does not open")


def choose(page: Page, box: str, option: str) -> None:
    """Choose an option of a box; one that closes because the page is drawn anew is opened again."""
    for _ in range(3):
        settle(page)
        page.get_by_role("combobox", name=box).first.click()
        with contextlib.suppress(PlaywrightTimeoutError):
            page.get_by_role("option", name=option).click(timeout=20_000)
            return
    pytest.fail(f"the box {box!r} does not offer {option!r}")


def press_until(page: Page, key: str, shown: Locator) -> None:
    """Press a key of the app until it shows what follows; keys pressed while a page is drawn anew may go unheard."""
    shows = []
    for _ in range(3):
        settle(page)
        page.keyboard.press(key)
        with contextlib.suppress(PlaywrightTimeoutError):
            shown.wait_for()  # long: a key that is heard late, and pressed again, goes two steps
            return
        shows.append((page.url, page.get_by_role("heading").all_inner_texts()))
    pytest.fail(f"the key {key} does not lead to {shown} but, press by press, to {shows}")


def picture(page: Page, name: str) -> None:
    """Take a picture for the README, when pictures are wanted."""
    if PICTURES:
        settle(page)
        page.wait_for_timeout(4500)  # toasts are gone then
        page.screenshot(path=str(ROOT / "docs" / "pictures" / f"{name}.png"))


def text_box(page: Page, name: str = "Reference code") -> Locator:
    return page.get_by_role("textbox", name=name)


def passes(*ids: str) -> list[DryRunProblem]:
    """Return the rows of a dry run in which each of these problems passes."""
    return [DryRunProblem(number, id_, 0.01, "CORRECT", "WRONG_OUTPUT") for number, id_ in enumerate(ids, 1)]


def judge(ws: Workspace, revision_id: int, rows: Sequence[DryRunProblem]) -> None:
    """Store the dry run of a revision."""
    summary = {"scoring_version": SCORING_VERSION}
    dry_runs.save(
        ws, revision_id=revision_id, environment=environment_id(), sandbox="bwrap", problems=rows, summary=summary
    )


def release(ws: Workspace, name: str, text: str, rows: Sequence[DryRunProblem], out: Path) -> None:
    """Store a problemset, accepted, and a release of it alone under its name."""
    revision = problemsets.create(ws, name=name, text=text, author="Ann", origin=Origin.PERSON)
    judge(ws, revision.id, rows)
    record_decision(ws, revision_id=revision.id, decision="accepted", by="Ann")
    create_release(ws, name, "1.0", out=out, created_by="Ann", chosen=[f"{name}@1"])


def open_cell(page: Page, cell: Locator) -> None:
    """Open the first query idea for typing; the table is a canvas, which may take a while to hear clicks.

    Each wait is longer than the one before: a click that comes while the editor of the last one still opens closes it.
    """
    table = page.get_by_test_id("stDataFrame")
    for wait_s in (3, 6, 12, 24):
        table.scroll_into_view_if_needed()
        box = table.bounding_box()
        assert box is not None
        page.mouse.click(box["x"] + 300, box["y"] + 55)
        page.keyboard.press("Enter")
        try:
            cell.wait_for(timeout=1000 * wait_s)
        except PlaywrightTimeoutError:
            continue
        return
    raise AssertionError("the table's cell does not open for typing")
