"""The code editor in a real browser: nothing typed is lost, keys work, foreign text stays text."""

import hashlib

import pytest
from playwright.sync_api import Locator, expect

from authoring.store import autosaves, jobs, problemsets, revisions
from authoring.store.jobs import Job
from authoring.store.revisions import Revision
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from tests.browser.conftest import OpenTab, RunningApp, text_box, until, visit

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
UNSENT = "(set) => Object.keys(localStorage).filter((key) => key.startsWith('bw:') && key.includes(set)).length"
HOSTILE = "</script><img src=x onerror='window.__hit=1'><style>*{display:none!important}</style>"


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


def test_what_is_typed_survives_leaving_and_closing_at_once(
    served: RunningApp, draft: Revision, open_tab: OpenTab
) -> None:
    page = open_tab()
    visit(page, address(draft))
    type_at_end(text_box(page), "#link")
    page.get_by_role("link", name="Settings").click()
    expect(page.get_by_role("heading", name="Settings", exact=True)).to_be_visible()
    assert "#link" in stored(served, draft)  # the link waited for it
    other = page.context.new_page()
    visit(other, address(draft))
    expect(text_box(other)).to_contain_text("#link")
    type_at_end(text_box(other), "#close")
    other.close()
    visit(page, address(draft))
    expect(text_box(page)).to_contain_text("#link#close")
    until(page, lambda: "#link#close" in stored(served, draft))
    until(page, lambda: page.evaluate(UNSENT, f":{draft.problemset_id}:") == 0)


def test_two_tabs_never_overwrite_each_other(served: RunningApp, draft: Revision, open_tab: OpenTab) -> None:
    one = open_tab()
    two = one.context.new_page()
    for page in (one, two):
        visit(page, address(draft))
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


def test_typing_goes_on_while_a_job_is_watched_until_its_worker_is_lost(
    served: RunningApp, draft: Revision, open_tab: OpenTab
) -> None:
    ws, page, typed = served.workspace, open_tab(), " # a"
    visit(page, address(draft))
    page.get_by_role("button", name="Run this").click()
    until(page, lambda: bool(orders(ws, draft)))
    worker = jobs.register_worker(ws)
    while jobs.claim(ws, owner=worker, kinds=("execute",)) is not None:
        pass
    expect(page.get_by_role("button", name="Cancel", exact=True)).to_be_visible()
    text_box(page).press("Control+End")
    text_box(page).press_sequentially(typed, delay=450)  # each is sent by itself, while the job's panel polls
    until(page, lambda: stored(served, draft).endswith(typed))
    jobs.remove_worker(ws, worker)
    jobs.mark_interrupted(ws, 0)  # as it is once no sign of life came for a while
    expect(page.get_by_text("The worker stopped in the middle of it")).to_be_visible()
    page.get_by_role("button", name="Resume", exact=True).click()
    until(page, lambda: [each.state for each in orders(ws, draft)] == ["queued"])
    jobs.cancel(ws, orders(ws, draft)[0].id)
    expect(text_box(page)).to_contain_text(f"more(total){typed}")


def orders(ws: Workspace, draft: Revision) -> list[Job]:
    """Return the jobs about a set, the newest first."""
    return [job for job in jobs.select(ws) if job.payload.get("problemset_id") == draft.problemset_id]


@pytest.mark.deep
def test_the_keyboard_runs_saves_searches_and_leaves(served: RunningApp, draft: Revision, open_tab: OpenTab) -> None:
    ws, page = served.workspace, open_tab()
    visit(page, address(draft))
    code = text_box(page)
    type_at_end(code, "  # now")
    code.press("Control+Enter")  # at once: the keys carry the text
    until(page, lambda: bool(orders(ws, draft)))
    job = orders(ws, draft)[0]
    assert (job.payload["upto"], "# now" in job.payload["text"]) == (1, True)
    code.press("Control+Shift+Enter")
    until(page, lambda: orders(ws, draft)[0].payload["upto"] is None)
    type_at_end(code, " and then")
    code.press("Control+s")
    expect(page.get_by_text("all saved as revision 2")).to_be_visible()
    head = revisions.find(ws, problemsets.find(ws, draft.problemset_id).head_revision_id)
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
def test_a_comparison_colours_differences_and_foreign_text_stays_text(
    served: RunningApp, draft: Revision, open_tab: OpenTab
) -> None:
    changed = TEXT.replace("number + 1  # by one", f"number + 2  # {HOSTILE}").replace("**one**", "**two**")
    second = revisions.save(
        served.workspace, draft.problemset_id, changed, base_revision_id=draft.id, author="lee", message="m"
    )
    page = open_tab(width=620)
    visit(page, f"/compare?set={draft.problemset_id}&a={draft.id}&b={second.id}")
    expect(page.locator(".cm-changedLine").first).to_be_visible()
    came = page.locator(".cm-changedLine", has_text="number + 2").first
    went = page.locator(".cm-changedLine, .cm-deletedChunk", has_text="number + 1").first
    expect(went).to_be_visible()
    shade = "(line) => getComputedStyle(line).backgroundColor"
    assert came.evaluate(shade) != went.evaluate(shade)
    expect(page.locator(".bw-words ins")).to_have_text("two")
    expect(page.locator(".bw-words del")).to_have_text("one")
    assert page.evaluate("window.__hit") is None
    assert page.locator(".cm-content img, .cm-content style").count() == 0
    assert page.evaluate("document.querySelector('.stMain').scrollWidth - window.innerWidth") <= 0
    visit(page, address(draft))
    expect(text_box(page)).to_contain_text(HOSTILE)
    assert page.evaluate("window.__hit") is None
