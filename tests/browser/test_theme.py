"""The theme: chosen once, at once, for all pages and boxes; the system's again when that is chosen."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

pytestmark = [pytest.mark.browser, pytest.mark.deep]


@pytest.mark.parametrize("served", ["--no-worker"], indirect=True)
def test_a_theme_is_chosen_once_for_all_pages(served: Any, open_tab: Callable[..., Page]) -> None:
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
