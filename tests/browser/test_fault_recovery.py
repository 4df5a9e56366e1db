"""A job and a text in bad weather: the worker dies in the middle, two sessions look on, and somebody goes on typing."""

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from authoring.store import autosaves, jobs, problemsets
from authoring.store.statuses import Origin
from tests.browser.conftest import RunningApp, serve_without_seeds, until

pytestmark = pytest.mark.browser

KEY_MS = 450  # longer than the editor's pause: each key is sent by itself, while the job's panel polls
TYPED = "  # kept in all"
TEXT = '''# %%
total = 41

# %%
"""
query: What is one more than the total?
id: more
execution:
  max_time: 900
"""
import time
time.sleep(600)
total + 1
'''


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApp]:
    """The app without a worker: the test starts its own, and ends it as it likes."""
    with serve_without_seeds(tmp_path_factory.mktemp("weather")) as app:
        yield app


@pytest.fixture
def start_worker(served: RunningApp) -> Iterator[Callable[[], "subprocess.Popen[bytes]"]]:
    workers: list[subprocess.Popen[bytes]] = []

    def start() -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", "authoring.worker", "--workspace", str(served.workspace.root)]
        workers.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        return workers[-1]

    yield start
    for worker in workers:
        if worker.poll() is None:
            worker.send_signal(signal.SIGTERM)
            worker.wait(20)


def code_of(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Reference code")


def test_a_job_outlives_its_worker_and_a_reload_and_takes_no_key_from_the_typist(
    served: RunningApp, open_tab: Callable[..., Page], start_worker: Callable[[], "subprocess.Popen[bytes]"]
) -> None:
    ws = served.workspace
    revision = problemsets.create(ws, name="weather", text=TEXT, author="template", origin=Origin.TEMPLATE)
    address = f"/editor?set={revision.problemset_id}&pid=more"
    worker = start_worker()
    mine, other = open_tab(), open_tab(width=700)
    mine.goto(address)
    expect(code_of(mine)).to_contain_text("total + 1")
    mine.get_by_role("button", name="Run this").click()
    until(mine, lambda: [job.state for job in jobs.select(ws)] == ["running"])
    (job,) = jobs.select(ws)
    expect(mine.get_by_role("button", name="Cancel", exact=True)).to_be_visible()

    code_of(mine).press("Control+End")
    code_of(mine).press_sequentially(TYPED, delay=KEY_MS)
    until(
        mine, lambda: any(saved.text.endswith(TYPED) for saved in autosaves.select(ws, "mei", revision.problemset_id))
    )
    mine.reload()
    expect(code_of(mine)).to_contain_text(f"total + 1{TYPED}")
    for page in (mine, other):
        if page is other:
            page.goto(address)
        expect(page.get_by_role("button", name="Cancel", exact=True)).to_be_visible()

    worker.kill()
    worker.wait()
    for page in (mine, other):
        expect(page.get_by_text("The worker stopped in the middle of it")).to_be_visible()
    assert jobs.find(ws, job.id).state == "interrupted"
    start_worker()
    mine.get_by_role("button", name="Resume", exact=True).click()
    until(mine, lambda: jobs.find(ws, job.id).state == "running")
    assert jobs.find(ws, job.id).attempts == 2

    other.reload()
    other.get_by_role("button", name="Cancel", exact=True).click()
    until(other, lambda: jobs.find(ws, job.id).state == "cancelled")
    for page in (mine, other):
        expect(page.get_by_role("button", name="Cancel", exact=True)).to_have_count(0)
    expect(code_of(mine)).to_contain_text(f"total + 1{TYPED}")
