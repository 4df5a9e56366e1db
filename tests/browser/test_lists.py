"""Lists of rows in a real browser: links, tabs of their own, selection, the focus, and Back."""

import pytest
from playwright.sync_api import Page, expect

from authoring.store import problemsets
from authoring.store.settings import set_setting
from authoring.store.statuses import Origin
from tests.browser.conftest import OpenTab, RunningApp, settle, visit

pytestmark = [pytest.mark.browser, pytest.mark.deep]

NAMES = ("one", "two", "three")


@pytest.fixture
def served(own_app: RunningApp) -> RunningApp:
    return own_app


@pytest.fixture
def queue(served: RunningApp, open_tab: OpenTab) -> Page:
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


def test_a_link_that_opens_a_tab_of_its_own_carries_on_who_writes(served: RunningApp, open_tab: OpenTab) -> None:
    set_setting(served.workspace, "annotator_names", ["mei", "lee"])
    page = open_tab()
    visit(page, "/runs")
    page.get_by_role("combobox", name="You are").click()
    page.get_by_role("option", name="lee").click()
    page.wait_for_url("**/runs?user=lee")
    settle(page)
    menu = page.get_by_test_id("stSidebarNav")
    for link, address in ((menu.get_by_role("link", name="Queue"), "/?user=lee"),
                          (page.get_by_role("link", name="Go to Releases"), "/releases?user=lee")):  # fmt: skip
        with page.context.expect_page() as opened:
            link.click(button="middle")
        other = opened.value
        other.wait_for_url(f"**{address}")
        expect(other.get_by_role("combobox", name="You are")).to_have_value("lee")
        other.close()
    assert page.url.endswith("/runs?user=lee")
