"""The code editor in a real browser: nothing typed is lost, keys work, colours can be read, foreign text stays text."""

import contextlib
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, expect

from authoring.store import autosaves, jobs, problemsets, revisions
from authoring.store.revisions import Revision
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from tests.browser import slow_kinds
from tests.browser.conftest import ROOT, OpenTab, RunningApp, serve_without_seeds, text_box, until

pytestmark = pytest.mark.browser

TEXT = '''# %%
total = 41

# %%
"""
query: What is **one** more than the `total`?
id: more
validator:
  result: {}
"""
def more(number):
    return number + 1  # by one

more(total)
'''
HOSTILE = "</script><img src=x onerror='window.__hit=1'><style>*{display:none!important}</style>"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApp]:
    """One app for all tests of this file; each makes a problemset of its own."""
    with serve_without_seeds(tmp_path_factory.mktemp("code-editor")) as app:
        yield app


@pytest.fixture
def draft(served: RunningApp, request: pytest.FixtureRequest) -> Revision:
    name = f"set-{hashlib.sha256(request.node.name.encode()).hexdigest()[:12]}"
    return problemsets.create(served.workspace, name=name, text=TEXT, author="template", origin=Origin.TEMPLATE)


def address(draft: Revision, problem: str = "more") -> str:
    return f"/editor?set={draft.problemset_id}&pid={problem}"


def type_at_end(code: Locator, text: str) -> None:
    code.press("Control+End")
    code.press_sequentially(text, delay=5)


def stored(served: RunningApp, draft: Revision) -> str:
    return "\n".join(saved.text for saved in autosaves.select(served.workspace, "mei", draft.problemset_id))


def colour(element: Locator, name: str) -> tuple[float, float, float]:
    found = element.evaluate("(node, name) => getComputedStyle(node).getPropertyValue(name)", name)
    red, green, blue = (float(number) for number in re.findall(r"[\d.]+", found)[:3])
    return red, green, blue


def brightness(rgb: tuple[float, float, float]) -> float:
    """Relative luminance as WCAG 2.2 defines it, 0..1."""
    parts = [each / 255 for each in rgb]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: tuple[float, float, float], other: tuple[float, float, float]) -> float:
    low, high = sorted((brightness(one), brightness(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.deep
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_code_is_coloured_readably_and_our_linter_marks_the_line(
    scheme: str, served: RunningApp, draft: Revision, open_tab: OpenTab
) -> None:
    page = open_tab(scheme=scheme)
    page.goto(address(draft))
    code = text_box(page)
    box = page.locator(".cm-editor", has=code)
    background = colour(box, "background-color")
    assert (brightness(background) < 0.2) == (scheme == "dark")
    shown = {text: colour(code.get_by_text(text, exact=True).first, "color") for text in ("def", "# by one", "1")}
    shown["more(total)"] = colour(code, "color")
    assert len(set(shown.values())) == 4
    assert min(contrast(each, background) for each in shown.values()) >= 4.5
    expect(page.locator(".cm-editor").filter(has=text_box(page, "Settings")).locator(".cm-lineNumbers")).to_be_visible()

    type_at_end(code, "\nx = 1 +")
    mark = box.locator(".cm-lint-marker-error")
    expect(mark).to_have_count(1)
    expect(box.locator(".cm-line", has_text="x = 1 +").locator(".cm-lintRange-error")).to_have_count(1)
    box.locator(".cm-lintRange-error").hover()
    expect(page.locator(".cm-tooltip-lint").get_by_text("the code does not parse")).to_be_visible()
    settings = text_box(page, "Settings")
    type_at_end(settings, "validatr: 1\n")
    expect(page.locator(".cm-editor", has=settings).locator(".cm-lint-marker")).to_have_count(1)


def test_what_is_typed_survives_leaving_closing_and_reloading_at_once(
    served: RunningApp, draft: Revision, open_tab: OpenTab
) -> None:
    page = open_tab()
    page.goto(address(draft))
    tokens: list[str] = []
    for way in ("link", "reload", "close"):
        tokens.append(f"#{way}")
        type_at_end(text_box(page), tokens[-1])
        if way == "link":
            page.get_by_role("link", name="Settings").click()
            expect(page.get_by_role("heading", name="Settings", exact=True)).to_be_visible()
            assert tokens[-1] in stored(served, draft)  # the link waited for it
            page.go_back()
        elif way == "reload":
            page.reload()
        else:
            context = page.context
            page.close()
            page = context.new_page()
            page.goto(address(draft))
        expect(text_box(page)).to_contain_text("".join(tokens))
    until(page, lambda: "".join(tokens) in stored(served, draft))
    until(page, lambda: page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('bw:')).length") == 0)


@pytest.mark.deep
def test_what_is_typed_survives_a_restart_of_the_server(served: RunningApp, draft: Revision, open_tab: OpenTab) -> None:
    page = open_tab(outages=True)
    page.goto(address(draft))
    type_at_end(text_box(page), "  # before")
    until(page, lambda: "# before" in stored(served, draft))
    served.stop()
    type_at_end(text_box(page), " and while it was away")
    served.start()
    until(page, lambda: "# before and while it was away" in stored(served, draft))
    type_at_end(text_box(page), " and after")
    until(page, lambda: "while it was away and after" in stored(served, draft))


def test_two_tabs_never_overwrite_each_other(served: RunningApp, draft: Revision, open_tab: OpenTab) -> None:
    one = open_tab()
    two = one.context.new_page()
    for page in (one, two):
        page.goto(address(draft))
        expect(text_box(page)).to_be_visible()
    type_at_end(text_box(one), "  # first")
    until(one, lambda: "# first" in stored(served, draft))
    type_at_end(text_box(two), "  # second")
    expect(two.get_by_text("Another tab of yours has saved a different text").first).to_be_visible()
    assert "# second" not in stored(served, draft)
    expect(two.get_by_role("textbox", name="The other tab's")).to_contain_text("# first")
    two.get_by_role("button", name="Take the other tab's").click()
    expect(text_box(two)).to_contain_text("more(total)  # first")
    expect(text_box(two)).not_to_contain_text("# second")


def test_a_job_outlives_its_worker_and_takes_no_key_from_the_typist(
    served: RunningApp, draft: Revision, open_tab: OpenTab
) -> None:
    ws, page, typed = served.workspace, open_tab(), "  # all"
    with slow_worker(ws) as worker:
        page.goto(address(draft))
        page.get_by_role("button", name="Run this").click()
        cancel = page.get_by_role("button", name="Cancel", exact=True)
        until(page, lambda: jobs_of(ws, draft) == [("running", 1)])
        expect(cancel).to_be_visible()
        text_box(page).press("Control+End")
        text_box(page).press_sequentially(typed, delay=450)  # each is sent by itself, while the job's panel polls
        until(page, lambda: stored(served, draft).endswith(typed))
        page.reload()
        expect(text_box(page)).to_contain_text(f"more(total){typed}")
        expect(cancel).to_be_visible()
        worker.kill()
    jobs.mark_interrupted(ws, 0)  # as it is once no sign of life came for a while
    expect(page.get_by_text("The worker stopped in the middle of it")).to_be_visible()
    assert jobs_of(ws, draft) == [("interrupted", 1)]
    with slow_worker(ws):
        page.get_by_role("button", name="Resume", exact=True).click()
        until(page, lambda: jobs_of(ws, draft) == [("running", 2)])
        cancel.click()
        until(page, lambda: jobs_of(ws, draft) == [("cancelled", 2)])
    expect(cancel).to_have_count(0)
    expect(text_box(page)).to_contain_text(f"more(total){typed}")


@contextlib.contextmanager
def slow_worker(ws: Workspace) -> Iterator["subprocess.Popen[bytes]"]:
    command = [sys.executable, "-m", "authoring.worker", "--workspace", str(ws.root), "--kinds", slow_kinds.__name__]
    with subprocess.Popen(command, cwd=ROOT) as worker:
        try:
            yield worker
        finally:
            worker.terminate()


def jobs_of(ws: Workspace, draft: Revision) -> list[tuple[str, int]]:
    """Return state and attempts of the jobs about a set."""
    mine = (job for job in jobs.select(ws) if job.payload.get("problemset_id") == draft.problemset_id)
    return [(job.state, job.attempts) for job in mine]


@pytest.mark.deep
def test_unsent_text_against_a_newer_save_is_offered_not_restored(
    served: RunningApp, draft: Revision, open_tab: OpenTab
) -> None:
    place = hashlib.sha256(str(served.workspace.root).encode()).hexdigest()[:12]
    key = f"bw:{place}:mei:{draft.problemset_id}:more:code"
    page = open_tab()
    page.goto("/settings")
    left = {"text": "mine()", "seen": ["text of an older revision"], "mount": "gone", "at": 0}
    page.evaluate(f"localStorage.setItem({json.dumps(key)}, JSON.stringify({{...{json.dumps(left)}, at: Date.now()}}))")
    page.goto(address(draft))
    expect(page.get_by_text("Unsent text of yours was found in this browser")).to_be_visible()
    expect(text_box(page)).to_contain_text("more(total)")
    assert stored(served, draft) == ""
    page.reload()  # not decided yet: it is offered again
    expect(page.get_by_text("Unsent text of yours was found in this browser")).to_be_visible()
    page.get_by_role("button", name="Keep what was not sent").click()
    expect(text_box(page)).to_have_text("mine()")
    assert stored(served, draft) == "mine()"
    until(page, lambda: page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('bw:')).length") == 0)


@pytest.mark.deep
def test_the_keyboard_runs_saves_searches_and_leaves(served: RunningApp, draft: Revision, open_tab: OpenTab) -> None:
    page = open_tab()
    page.goto(address(draft))
    code = text_box(page)
    type_at_end(code, "  # now")
    code.press("Control+Enter")  # at once: the keys carry the text
    until(page, lambda: bool(jobs.select(served.workspace)))
    job = jobs.select(served.workspace)[0]
    assert (job.payload["upto"], "# now" in job.payload["text"]) == (1, True)
    code.press("Control+Shift+Enter")
    until(page, lambda: jobs.select(served.workspace)[0].payload["upto"] is None)
    type_at_end(code, " and then")
    code.press("Control+s")
    expect(page.get_by_text("all saved as revision 2")).to_be_visible()
    head = revisions.find(served.workspace, problemsets.find(served.workspace, draft.problemset_id).head_revision_id)
    assert "more(total)  # now and then" in head.text
    expect(code).to_be_focused()  # the message above has not moved the editor

    code.press("Control+f")
    expect(page.locator(".cm-search")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".cm-search")).to_have_count(0)
    code.press("Tab")
    expect(code).to_be_focused()  # Tab indents
    code.press("Escape")
    code.press("Tab")
    expect(code).not_to_be_focused()
    type_at_end(code, "\nto")
    expect(page.locator(".cm-tooltip-autocomplete").get_by_text("total")).to_be_visible()  # from the cell before


@pytest.mark.deep
def test_a_click_on_a_line_number_begins_a_comment_which_leads_back(draft: Revision, open_tab: OpenTab) -> None:
    page = open_tab()
    page.goto(address(draft))
    code, written = text_box(page), page.get_by_label("New comment")
    numbers = page.locator(".cm-editor", has=code).locator(".cm-lineNumbers")
    numbers.get_by_text("2", exact=True).click()
    expect(written).to_be_focused()
    expect(page.get_by_role("spinbutton", name="Line")).to_have_value("2")
    code.press("Control+End")
    code.press("Alt+m")
    expect(written).to_be_focused()
    expect(page.get_by_role("spinbutton", name="Line")).to_have_value("4")
    written.press_sequentially("Of which?")
    page.get_by_role("tabpanel").get_by_role("button", name="Comment").click()
    page.get_by_role("button", name="Show line 4").click()
    expect(page.locator(".cm-line.bw-shown")).to_have_text("more(total)")
    expect(code).to_be_focused()


@pytest.mark.deep
@pytest.mark.parametrize("width", [1360, 620])
def test_a_comparison_colours_differences_and_foreign_text_stays_text(
    width: int, served: RunningApp, draft: Revision, open_tab: OpenTab
) -> None:
    changed = TEXT.replace("number + 1  # by one", f"number + 2  # {HOSTILE}").replace("**one**", "**two**")
    second = revisions.save(
        served.workspace, draft.problemset_id, changed, base_revision_id=draft.id, author="lee", message="m"
    )
    page = open_tab(width=width)
    page.goto(f"/compare?set={draft.problemset_id}&a={draft.id}&b={second.id}")
    expect(page.locator(".cm-changedLine").first).to_be_visible()
    came = page.locator(".cm-changedLine", has_text="number + 2").first
    went = page.locator(".cm-changedLine, .cm-deletedChunk", has_text="number + 1").first
    expect(went).to_be_visible()
    shades = {colour(came, "background-color"), colour(went, "background-color")}
    assert len(shades) == 2
    expect(page.locator(".bw-words ins")).to_have_text("two")
    expect(page.locator(".bw-words del")).to_have_text("one")
    assert page.evaluate("window.__hit") is None
    assert page.locator(".cm-content img, .cm-content style").count() == 0
    assert page.evaluate("document.querySelector('.stMain').scrollWidth - window.innerWidth") <= 0
    page.goto(address(draft))
    expect(text_box(page)).to_contain_text(HOSTILE)
    assert page.evaluate("window.__hit") is None
