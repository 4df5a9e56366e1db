"""The lists of rows in a real browser: links, selection, the focus, and Back."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from authoring.store import problemsets
from authoring.store.settings import set_setting
from authoring.store.statuses import Origin

pytestmark = [pytest.mark.browser, pytest.mark.deep]

NAMES = ("one", "two", "three")
Visit = Callable[[Page, str], None]
Settled = Callable[[Page], None]


@pytest.fixture
def queue(served: Any, open_tab: Callable[..., Page], visit: Visit) -> Page:
    for name in NAMES:
        problemsets.create(served.workspace, name=name, text="# %%\n1\n", author="lee", origin=Origin.PERSON)
    page = open_tab()
    visit(page, "/?q_sort=name")
    expect(page.get_by_role("link", name="three", exact=True)).to_be_visible()
    return page


def test_a_row_opens_in_the_tab_without_loading_the_app_anew_and_back_leads_to_the_list(
    queue: Page, settled: Settled
) -> None:
    queue.evaluate("window.here = true")
    queue.get_by_role("link", name="two", exact=True).click()
    expect(queue.get_by_role("heading", name="two", exact=True)).to_be_visible()
    settled(queue)
    assert "/problemset?set=" in queue.url
    queue.go_back()
    expect(queue.get_by_role("link", name="two", exact=True)).to_be_visible()
    settled(queue)
    assert "set=" not in queue.url
    assert queue.evaluate("window.here")


def test_who_one_is_goes_along(served: Any, queue: Page, visit: Visit, settled: Settled) -> None:
    set_setting(served.workspace, "annotator_names", ["mei", "lee"])
    visit(queue, "/?user=lee")
    who = queue.get_by_role("combobox", name="You are")
    expect(who).to_have_value("lee")
    queue.get_by_role("link", name="two", exact=True).click()
    expect(queue.get_by_role("heading", name="two", exact=True)).to_be_visible()
    settled(queue)
    expect(who).to_have_value("lee")
    queue.go_back()
    expect(queue.get_by_role("link", name="two", exact=True)).to_be_visible()
    settled(queue)
    expect(who).to_have_value("lee")


def test_a_click_with_control_opens_a_row_in_a_tab_of_its_own(served: Any, queue: Page, visit: Visit) -> None:
    set_setting(served.workspace, "annotator_names", ["mei", "lee"])
    visit(queue, "/?user=lee")
    with queue.context.expect_page() as opened:
        queue.get_by_role("link", name="two", exact=True).click(modifiers=["Control"])
    expect(opened.value.get_by_role("heading", name="two", exact=True)).to_be_visible()
    expect(opened.value.get_by_role("combobox", name="You are")).to_have_value("lee")
    opened.value.close()
    expect(queue.get_by_role("heading", name="Queue", exact=True)).to_be_visible()


def test_rows_are_selected_fast_and_by_keys_and_all_at_once(queue: Page, settled: Settled) -> None:
    for name in NAMES:  # without waiting for the server between them
        queue.get_by_role("checkbox", name=f"Select {name}", exact=True).click()
    expect(queue.get_by_text("3 of 3 selected")).to_be_visible()
    settled(queue)
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


def test_a_list_that_is_drawn_anew_keeps_what_was_selected_and_the_focus(
    served: Any, queue: Page, settled: Settled
) -> None:
    queue.get_by_role("checkbox", name="Select two", exact=True).click()
    expect(queue.get_by_text("1 of 3 selected")).to_be_visible()
    problemsets.create(served.workspace, name="four", text="# %%\n1\n", author="lee", origin=Origin.PERSON)
    queue.get_by_role("checkbox", name="Select three", exact=True).press("Space")  # draws the list, with one more
    expect(queue.get_by_role("link", name="four", exact=True)).to_be_visible()
    expect(queue.get_by_text("2 of 4 selected")).to_be_visible()
    settled(queue)
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
