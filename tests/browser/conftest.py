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
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

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

from authoring.jobs import JOB_KINDS, WarmEngine
from authoring.jobs.lane import Lane
from authoring.release import create_release
from authoring.seeds.workspace_setup import open_workspace
from authoring.store import dry_runs, jobs, problemsets
from authoring.store.dry_runs import DryRunProblem
from authoring.store.reviewing.reviews import record_decision
from authoring.store.settings import set_setting
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.scoring import SCORING_VERSION
from evaluator.session import Engine, environment_id

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

DRAW = "dispatchEvent(new PopStateEvent('popstate'))"  # go where the address is, as by *Back*

OpenTab = Callable[..., Page]
Work = Callable[[Page, str], None]


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

    Locator.click = click_when_drawn  # pyrefly: ignore[method-assign]
    try:
        yield
    finally:
        Locator.click = click  # pyrefly: ignore[method-assign]


class Tabs:
    """Opens tabs on an app; the first one is kept where the app is shared: to load it costs ten visits of a page."""

    def __init__(self, browser: Browser, url: str) -> None:
        self._browser, self._url = browser, url
        self._contexts: list[BrowserContext] = []
        self._kept: Page | None = None
        self.problems: list[str] = []

    def open(self, width: int = 1360, height: int = 900, scheme: str = "light", *, outages: bool = False) -> Page:
        """Open a tab; with `outages` the browser may report each vain attempt to reach a server that was stopped."""
        if self._kept is not None:
            page, self._kept = self._kept, None
            page.set_viewport_size({"width": width, "height": height})
            page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            return page

        def on_console(message: ConsoleMessage) -> None:
            if message.type == "error" and not (outages and is_of_an_outage(message.text)):
                self.problems.append(f"console: {message.text} ({message.location.get('url', '')})")

        context = self._browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if scheme == "dark" else "light",
            base_url=self._url,
            accept_downloads=True,
        )
        context.add_init_script(STILL)
        context.set_default_timeout(PATIENCE_MS)
        self._contexts.append(context)
        context.on("console", on_console)  # of its later pages too
        context.on("weberror", lambda error: self.problems.append(f"page error: {error.error}"))
        context.on("request", self._on_request)
        context.on("dialog", self._on_dialog)
        return context.new_page()

    def close(self, *, keep: bool) -> None:
        self._kept = None
        while len(self._contexts) > keep:
            self._contexts.pop().close()
        for context in self._contexts:
            self._kept, *others = context.pages
            for page in others:
                page.close()

    def _on_request(self, request: Request) -> None:
        if not is_ours(request.url):
            self.problems.append(f"asked {request.url}")

    def _on_dialog(self, dialog: Dialog) -> None:
        self.problems.append(f"dialog: {dialog.message}")
        dialog.dismiss()


class RunningApp:
    """The app as a process that can be stopped and started again at the same address."""

    def __init__(self, workspace: Workspace, log: Path, *options: str, **environment: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.workspace = workspace
        self.tabs: Tabs | None = None
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
        """End the server's children, its worker, at once (tests/speed/loss_trials.py)."""
        pid = self._server.pid
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(child), signal.SIGKILL)


@contextlib.contextmanager
def serve(folder: Path, *options: str, seeds: bool = True, variables: Mapping[str, str] = {}) -> Iterator[RunningApp]:
    """Run the app on a new workspace in a folder; it names no model unless the variables do."""
    workspace = open_workspace(folder / "workspace") if seeds else Workspace.open(folder / "workspace")
    set_setting(workspace, "shipped_seeds", "loaded")
    with running(RunningApp(workspace, folder / "server.log", *options, **variables)) as app:
        yield app


@contextlib.contextmanager
def running(app: RunningApp) -> Iterator[RunningApp]:
    """Start an app, and stop it at the end."""
    try:
        app.start()
        yield app
    finally:
        app.stop()


KEPT = pytest.StashKey[Tabs]()


@pytest.fixture(scope="session")
def shared_app(
    browser: Browser, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningApp]:
    """One app without a worker for all journeys of this process, with the shipped seeds: each names what it makes."""
    with serve(tmp_path_factory.mktemp("app"), "--no-worker") as app:
        set_setting(app.workspace, "annotator_names", ["mei", "lee"])
        app.tabs = request.session.stash[KEPT] = Tabs(browser, app.url)
        yield app
        app.tabs.close(keep=False)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Leave no page open beside tests that need none: an idle one takes a twentieth of a processor."""
    if KEPT in item.session.stash and "browser" not in getattr(nextitem, "fixturenames", ()):
        item.session.stash[KEPT].close(keep=False)


@pytest.fixture
def served(shared_app: RunningApp) -> RunningApp:
    """The app that `open_tab` opens; tests that need one of their own have a fixture of this name."""
    return shared_app


@pytest.fixture
def own_app(tmp_path: Path) -> Iterator[RunningApp]:
    """An app without a worker and without seeds that one test has for itself, to fill or to stop."""
    with serve(tmp_path, "--no-worker", seeds=False) as app:
        yield app


@pytest.fixture
def work(served: RunningApp, engine: Engine, lent_engines: None) -> Iterator[Work]:
    """Do the jobs of a kind in this process, once one is ordered: what a worker does, without starting one."""
    ws, warm = served.workspace, WarmEngine()

    def work_(page: Page, kind: str) -> None:
        until(page, lambda: any(job.state == "queued" for job in jobs.select(ws, kinds=(kind,))))
        while (job := jobs.claim(ws, owner="test", kinds=(kind,))) is not None:
            Lane(ws, JOB_KINDS, warm, os.getppid()).run_job(job)
        page.evaluate(DRAW)  # a page looks at a job every five seconds where no worker is

    yield work_
    warm.drop()


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
def open_tab(request: pytest.FixtureRequest, browser: Browser, served: RunningApp) -> Iterator[OpenTab]:
    """Open a tab; an error in its console, a dialog, or a request to another host fails the test."""
    tabs, failed = served.tabs or Tabs(browser, served.url), request.session.testsfailed
    yield tabs.open
    problems, tabs.problems = tabs.problems, []
    tabs.close(keep=tabs is served.tabs and request.session.testsfailed == failed)
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
        page.evaluate("address => history.pushState({}, '', address)", address)
        page.evaluate(DRAW)
    else:
        page.goto(address)
    settle(page)


def settle(page: Page) -> None:
    """Wait until the page's script has run."""
    page.wait_for_timeout(100)  # what was done before reaches the server
    page.wait_for_selector("[data-test-script-state=notRunning]")


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
