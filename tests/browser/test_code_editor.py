"""The code editor in a real browser: nothing typed is lost, keys work, colours can be read, foreign text stays text."""

import hashlib
import json
import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from authoring.store import autosaves, jobs, problemsets, revisions
from authoring.store.revisions import Revision
from authoring.store.statuses import Origin
from tests.browser.conftest import RunningApp, serve_without_seeds, until

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


def editor(page: Page, name: str = "Reference code") -> Locator:
    return page.get_by_role("textbox", name=name)


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
    scheme: str, served: RunningApp, draft: Revision, open_tab: Callable[..., Page]
) -> None:
    page = open_tab(scheme=scheme)
    page.goto(address(draft))
    code = editor(page)
    box = page.locator(".cm-editor", has=code)
    background = colour(box, "background-color")
    assert (brightness(background) < 0.2) == (scheme == "dark")
    shown = {text: colour(code.get_by_text(text, exact=True).first, "color") for text in ("def", "# by one", "1")}
    shown["more(total)"] = colour(code, "color")
    assert len(set(shown.values())) == 4
    assert min(contrast(each, background) for each in shown.values()) >= 4.5
    expect(page.locator(".cm-editor").filter(has=editor(page, "Settings")).locator(".cm-lineNumbers")).to_be_visible()

    type_at_end(code, "\nx = 1 +")
    mark = box.locator(".cm-lint-marker-error")
    expect(mark).to_have_count(1)
    expect(box.locator(".cm-line", has_text="x = 1 +").locator(".cm-lintRange-error")).to_have_count(1)
    box.locator(".cm-lintRange-error").hover()
    expect(page.locator(".cm-tooltip-lint").get_by_text("the code does not parse")).to_be_visible()
    settings = editor(page, "Settings")
    type_at_end(settings, "validatr: 1\n")
    expect(page.locator(".cm-editor", has=settings).locator(".cm-lint-marker")).to_have_count(1)


def test_what_is_typed_survives_leaving_closing_and_reloading_at_once(
    served: RunningApp, draft: Revision, open_tab: Callable[..., Page]
) -> None:
    page = open_tab()
    page.goto(address(draft))
    tokens = []
    for way in ("link", "reload", "close"):
        for delay_ms in (0, 200):
            token = f"#{way}{delay_ms}"
            type_at_end(editor(page), token)
            if delay_ms:
                page.wait_for_timeout(delay_ms)
            if way == "link":
                page.get_by_role("link", name="Settings").click()
                expect(page.get_by_role("heading", name="Settings", exact=True)).to_be_visible()
                assert token in stored(served, draft)  # the link waited for it
                page.go_back()
            elif way == "reload":
                page.reload()
            else:
                context = page.context
                page.close()
                page = context.new_page()
                page.goto(address(draft))
            tokens.append(token)
            expect(editor(page)).to_contain_text("".join(tokens))
    until(page, lambda: "".join(tokens) in stored(served, draft))
    until(page, lambda: page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('bw:')).length") == 0)


@pytest.mark.deep
def test_what_is_typed_survives_a_restart_of_the_server(
    served: RunningApp, draft: Revision, open_tab: Callable[..., Page]
) -> None:
    page = open_tab(outages=True)
    page.goto(address(draft))
    type_at_end(editor(page), "  # before")
    until(page, lambda: "# before" in stored(served, draft))
    served.stop()
    type_at_end(editor(page), " and while it was away")
    served.start()
    until(page, lambda: "# before and while it was away" in stored(served, draft))
    type_at_end(editor(page), " and after")
    until(page, lambda: "while it was away and after" in stored(served, draft))


def test_two_tabs_never_overwrite_each_other_and_a_choice_shows_both_texts(
    served: RunningApp, draft: Revision, open_tab: Callable[..., Page]
) -> None:
    one, two = open_tab(), open_tab()
    for page in (one, two):
        page.goto(address(draft))
        expect(editor(page)).to_be_visible()
    type_at_end(editor(one), "  # first")
    until(one, lambda: "# first" in stored(served, draft))
    type_at_end(editor(two), "  # second")
    expect(two.get_by_text("Another tab of yours has saved a different text").first).to_be_visible()
    assert "# second" not in stored(served, draft)
    expect(two.get_by_role("textbox", name="The other tab's")).to_contain_text("# first")
    two.get_by_role("button", name="Take the other tab's").click()
    expect(editor(two)).to_contain_text("more(total)  # first")
    expect(editor(two)).not_to_contain_text("# second")


@pytest.mark.deep
def test_unsent_text_against_a_newer_save_is_offered_and_never_restored_silently(
    served: RunningApp, draft: Revision, open_tab: Callable[..., Page]
) -> None:
    place = hashlib.sha256(str(served.workspace.root).encode()).hexdigest()[:12]
    key = f"bw:{place}:mei:{draft.problemset_id}:more:code"
    page = open_tab()
    page.goto("/settings")
    left = {"text": "mine()", "seen": ["text of an older revision"], "mount": "gone", "at": 0}
    page.evaluate(f"localStorage.setItem({json.dumps(key)}, JSON.stringify({{...{json.dumps(left)}, at: Date.now()}}))")
    page.goto(address(draft))
    expect(page.get_by_text("Unsent text of yours was found in this browser")).to_be_visible()
    expect(editor(page)).to_contain_text("more(total)")
    assert stored(served, draft) == ""
    page.reload()  # not decided yet: it is offered again
    expect(page.get_by_text("Unsent text of yours was found in this browser")).to_be_visible()
    page.get_by_role("button", name="Keep what was not sent").click()
    expect(editor(page)).to_have_text("mine()")
    assert stored(served, draft) == "mine()"
    until(page, lambda: page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('bw:')).length") == 0)


@pytest.mark.deep
def test_the_keyboard_runs_saves_searches_and_leaves(
    served: RunningApp, draft: Revision, open_tab: Callable[..., Page]
) -> None:
    page = open_tab()
    page.goto(address(draft))
    code = editor(page)
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
def test_a_click_on_a_line_number_begins_a_comment_which_leads_back_to_the_line(
    draft: Revision, open_tab: Callable[..., Page]
) -> None:
    page = open_tab()
    page.goto(address(draft))
    code, written = editor(page), page.get_by_label("New comment")
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
def test_a_comparison_colours_differences_and_keeps_foreign_text_text(
    width: int, served: RunningApp, draft: Revision, open_tab: Callable[..., Page]
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
    expect(editor(page)).to_contain_text(HOSTILE)
    assert page.evaluate("window.__hit") is None
