"""Lists of rows, the menu and the theme in a real browser: links, tabs of their own, selection, the focus, and Back."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from authoring.store import problemsets, runs
from authoring.store.settings import set_setting
from authoring.store.statuses import Origin
from tests.browser.conftest import OpenTab, settle, visit

pytestmark = [pytest.mark.browser, pytest.mark.deep, pytest.mark.parametrize("served", ["--no-worker"], indirect=True)]

NAMES = ("one", "two", "three")


@pytest.fixture
def queue(served: Any, open_tab: OpenTab) -> Page:
    for name in NAMES:
        problemsets.create(served.workspace, name=name, text="# %%\n1\n", author="lee", origin=Origin.PERSON)
    page = open_tab()
    visit(page, "/?q_sort=name")
    expect(page.get_by_role("link", name="three", exact=True)).to_be_visible()
    return page


def test_a_row_opens_without_loading_anew_and_back_leads_to_the_list(queue: Page) -> None:
    queue.evaluate("window.here = true")
    queue.get_by_role("link", name="two", exact=True).click()
    expect(queue.get_by_role("heading", name="two", exact=True)).to_be_visible()
    settle(queue)
    assert "/problemset?set=" in queue.url
    queue.go_back()
    expect(queue.get_by_role("link", name="two", exact=True)).to_be_visible()
    settle(queue)
    assert "set=" not in queue.url
    assert queue.evaluate("window.here")


def test_rows_are_selected_fast_and_by_keys_and_all_at_once(queue: Page) -> None:
    for name in NAMES:  # without waiting for the server between them
        queue.get_by_role("checkbox", name=f"Select {name}", exact=True).click()
    expect(queue.get_by_text("3 of 3 selected")).to_be_visible()
    settle(queue)
    for name in NAMES:
        expect(queue.get_by_role("checkbox", name=f"Select {name}", exact=True)).to_be_checked()
    queue.get_by_role("checkbox", name="Select one", exact=True).press("Space")
    expect(queue.get_by_text("2 of 3 selected")).to_be_visible()
    expect(queue.get_by_role("checkbox", name="Select one", exact=True)).to_be_focused()
    queue.get_by_role("button", name="Select all").click()
    expect(queue.get_by_text("3 of 3 selected")).to_be_visible()
    expect(queue.get_by_role("checkbox", name="Select one", exact=True)).to_be_checked()
    queue.get_by_role("button", name="Select none").click()
    expect(queue.get_by_role("checkbox", name="Select two", exact=True)).not_to_be_checked()


def test_a_list_that_is_drawn_anew_keeps_what_was_selected_and_the_focus(served: Any, queue: Page) -> None:
    queue.get_by_role("checkbox", name="Select two", exact=True).click()
    expect(queue.get_by_text("1 of 3 selected")).to_be_visible()
    problemsets.create(served.workspace, name="four", text="# %%\n1\n", author="lee", origin=Origin.PERSON)
    queue.get_by_role("checkbox", name="Select three", exact=True).press("Space")  # draws the list, with one more
    expect(queue.get_by_role("link", name="four", exact=True)).to_be_visible()
    expect(queue.get_by_text("2 of 4 selected")).to_be_visible()
    settle(queue)
    expect(queue.get_by_role("checkbox", name="Select two", exact=True)).to_be_checked()
    expect(queue.get_by_role("checkbox", name="Select three", exact=True)).to_be_checked()
    expect(queue.get_by_role("checkbox", name="Select four", exact=True)).not_to_be_checked()
    expect(queue.get_by_role("checkbox", name="Select three", exact=True)).to_be_focused()


def test_on_a_narrow_screen_a_row_takes_few_lines_and_nothing_is_cut(queue: Page) -> None:
    queue.set_viewport_size({"width": 400, "height": 800})
    row = queue.locator("table.bw-rows tbody tr").first
    expect(row).to_be_visible()
    box = row.bounding_box()
    assert box is not None
    assert box["height"] < 130
    assert queue.evaluate("document.querySelector('table.bw-rows').scrollWidth <= document.body.clientWidth")


def test_an_icon_is_one_sign(queue: Page) -> None:
    queue.evaluate("document.fonts.ready")
    icons = queue.locator("table.bw-rows .bw-icon")
    assert icons.count() >= 3 * len(NAMES)  # of name, status and dry run
    heights = icons.evaluate_all(
        "(all) => all.map((each) => each.scrollHeight / parseFloat(getComputedStyle(each).fontSize))"
    )
    assert max(heights) < 1.5, heights


@pytest.fixture
def peopled(served: Any) -> None:
    """One run and two people."""
    runs.insert(served.workspace, release="shop 1.0", agent="alpha", out_dir="/x", summary={})
    set_setting(served.workspace, "annotator_names", ["mei", "lee"])


@pytest.mark.usefixtures("peopled")
def test_the_menu_leads_from_what_a_page_shows_to_its_list(open_tab: OpenTab) -> None:
    page = open_tab()
    for address, entry, list_ in (("runs?run=1", "Runs", "Runs"), ("seeds?seed=1", "Seeds & ideas", "Seeds & ideas")):
        visit(page, f"/{address}&user=lee")
        expect(page.get_by_role("heading", name=list_, exact=True)).to_be_hidden()
        page.get_by_test_id("stSidebarNav").get_by_role("link", name=entry).click()
        expect(page.get_by_role("heading", name=list_, exact=True)).to_be_visible()
        settle(page)
        assert page.url.endswith(f"/{address.partition('?')[0]}?user=lee")
    page.go_back()
    expect(page.get_by_role("heading", name="Seeds & ideas", exact=True)).to_be_hidden()


@pytest.mark.usefixtures("peopled")
@pytest.mark.parametrize("way", ["Control", "middle"])
def test_a_link_that_opens_a_tab_of_its_own_carries_on_who_writes(way: str, open_tab: OpenTab) -> None:
    page = open_tab()
    visit(page, "/runs")
    page.get_by_role("combobox", name="You are").click()
    page.get_by_role("option", name="lee").click()
    page.wait_for_url("**/runs?user=lee")
    settle(page)
    links = {"Queue": "/?user=lee", "Runs": "/runs?user=lee", "Seeds & ideas": "/seeds?user=lee"}
    menu = page.get_by_test_id("stSidebarNav")
    for link, address in [*((menu.get_by_role("link", name=name), end) for name, end in links.items()),
                          (page.get_by_role("link", name="Go to Releases"), "/releases?user=lee")]:  # fmt: skip
        with page.context.expect_page() as opened:
            link.click(**({"button": "middle"} if way == "middle" else {"modifiers": [way]}))
        other = opened.value
        other.wait_for_url(f"**{address}")
        expect(other.get_by_role("combobox", name="You are")).to_have_value("lee")
        other.close()
    assert page.url.endswith("/runs?user=lee")


def test_a_theme_is_chosen_once_for_all_pages(served: Any, open_tab: OpenTab) -> None:
    page = open_tab()
    page.goto("/")
    app, box = page.get_by_test_id("stApp"), page.get_by_role("group", name="Theme")
    expect(app).to_have_css("color-scheme", "light")
    page.evaluate("window.stayed = true")
    box.get_by_text("Dark").click()
    expect(app).to_have_css("color-scheme", "dark")
    assert page.evaluate("window.stayed")  # nothing was loaded anew

    page.goto("/settings")
    expect(box.get_by_role("radio", name="Dark")).to_be_checked()
    expect(app).to_have_css("color-scheme", "dark")
    expect(page.locator("html")).to_have_css("color-scheme", "dark")  # of lists and dialogs

    box.get_by_role("radio", name="Dark").focus()
    page.keyboard.press("ArrowRight")
    expect(box.get_by_role("radio", name="System")).to_be_checked()
    expect(app).to_have_css("color-scheme", "light")
