"""What lies over the editor for a moment: tooltips, words of small buttons, the line of an outage."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect

from authoring.store import problemsets
from authoring.store.statuses import Origin
from tests.browser.conftest import RunningApp

pytestmark = [pytest.mark.browser, pytest.mark.deep]

TEXT = '# %%\n"""\nquery: How many units were sold?\nid: units\n"""\n3\n'
SHIFT_MS = 1500  # until a tooltip has opened


@pytest.fixture
def served(stoppable: RunningApp) -> RunningApp:
    """Tests of this module end the server, so the page has to be that of an app of their own."""
    return stoppable


def open_editor(served: Any, page: Page, settled: Callable[[Page], None]) -> None:
    draft = problemsets.create(served.workspace, name="units", text=TEXT, author="lee", origin=Origin.PERSON)
    page.goto(f"/editor?set={draft.problemset_id}&pid=units")
    expect(page.get_by_role("textbox", name="Reference code")).to_be_visible()
    settled(page)


def box(element: Locator) -> FloatRect:
    found = element.bounding_box()
    assert found is not None
    return found


def overlap(one: FloatRect, other: FloatRect) -> bool:
    beside = one["x"] + one["width"] <= other["x"] or other["x"] + other["width"] <= one["x"]
    apart = one["y"] + one["height"] <= other["y"] or other["y"] + other["height"] <= one["y"]
    return not (beside or apart)


@pytest.mark.parametrize("width", [1360, 620])
def test_what_a_button_does_is_told_beside_its_messages_until_it_is_pressed(
    width: int, served: Any, open_tab: Callable[..., Page], settled: Callable[[Page], None]
) -> None:
    page = open_tab(width)
    open_editor(served, page, settled)
    save = page.get_by_role("button", name="Save revision")
    if not page.evaluate("CSS.supports('left: anchor(left)')"):
        pytest.skip("this browser cannot place one element beside another")
    save.click()
    message = page.get_by_text("nothing to save")
    expect(message).to_be_visible()
    page.wait_for_timeout(SHIFT_MS)
    expect(page.get_by_role("tooltip").filter(visible=True)).to_have_count(0)
    page.get_by_role("textbox", name="Reference code").focus()
    page.mouse.move(5, 300)
    for button in (save, page.get_by_role("button", name="Submit"), page.get_by_role("button", name="Accept")):
        button.hover(force=True)  # also where it is off
        tooltip = page.get_by_role("tooltip").filter(visible=True)
        expect(tooltip).to_be_visible()
        page.wait_for_timeout(SHIFT_MS)
        told = box(tooltip)
        assert not overlap(told, box(page.locator(".st-key-strip")))
        assert told["x"] >= 0
        assert told["x"] + told["width"] <= width
        page.mouse.move(5, 300)
        expect(tooltip).to_have_count(0)


def test_buttons_that_are_only_a_sign_on_a_narrow_screen_say_their_word(
    served: Any, open_tab: Callable[..., Page], settled: Callable[[Page], None]
) -> None:
    page = open_tab(620)
    open_editor(served, page, settled)
    for name in ("Send back", "More"):
        button = page.get_by_role("button", name=name)  # as a screen reader says it
        word = button.locator("p").filter(has_text=name)
        assert box(word)["width"] <= 1
        button.hover()
        page.wait_for_timeout(300)
        assert box(word)["width"] > 20
        assert not overlap(box(word), box(button)), name
        page.mouse.move(5, 300)


@pytest.mark.parametrize("width", [1360, 620])
def test_the_line_of_an_outage_leaves_the_badges_to_be_read(
    width: int, served: Any, open_tab: Callable[..., Page], settled: Callable[[Page], None]
) -> None:
    page = open_tab(width, outages=True)
    open_editor(served, page, settled)
    badge = page.locator(".st-key-desk_header .stMarkdownBadge").first
    served.stop()
    line = page.get_by_role("status").filter(has_text="server does not answer")
    expect(line).to_be_visible()
    assert not overlap(box(line), box(badge))
    assert not overlap(box(line), box(page.get_by_text("all saved as revision 1")))
