"""What comes up under the pointer: what verdicts mean where text names them, and the exact time of "3 minutes ago"."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from evaluator.scoring import MEANINGS
from tests.browser.conftest import Served, serve
from tests.browser.test_accessibility import furnish

pytestmark = [pytest.mark.browser, pytest.mark.deep]

Visit = Callable[[Page, str], None]
TIME = re.compile(r"^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d \S+$")


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """An app without a worker, with something on every page."""
    with serve(tmp_path, "--no-worker") as found:
        furnish(found.workspace)
        yield found


def hint(place: Locator) -> str:
    place.hover()
    return place.get_attribute("title") or ""


def test_a_verdict_in_a_line_of_text_or_a_table_says_what_it_means(open_tab: Callable[..., Page], visit: Visit) -> None:
    page = open_tab()
    visit(page, "/runs?a=1&b=2&r_pairs=all")
    titles = page.locator("summary .stMarkdownBadge")
    assert hint(titles.filter(has_text="CRASH").first) == MEANINGS["CRASH"]
    visit(page, "/compare?set=1&view=verdicts")
    table = page.get_by_test_id("stTable")
    assert hint(table.locator(".stMarkdownBadge").filter(has_text="CORRECT").first) == MEANINGS["CORRECT"]
    fails = "a submission without code fails, as it must"
    assert hint(table.locator(".stMarkdownBadge").filter(has_text="fails").first) == fails
    visit(page, "/runs?run=2&r_tab=Charts")
    cause = page.get_by_test_id("stTable").get_by_role("cell", name="KEY_ERROR")
    assert hint(cause) == MEANINGS["KEY_ERROR"]


def test_a_link_that_says_as_a_whole_what_its_verdict_means_says_it_once(
    open_tab: Callable[..., Page], visit: Visit
) -> None:
    page = open_tab()
    visit(page, "/runs?run=1&attempt=2")
    badge = page.get_by_test_id("stPageLink-NavLink").locator(".stMarkdownBadge").filter(has_text="CRASH").first
    assert hint(badge) == ""
    expect(page.get_by_role("tooltip").filter(has_text=MEANINGS["CRASH"])).to_be_visible()


def test_the_verdicts_of_several_runs_say_what_they_mean(open_tab: Callable[..., Page], visit: Visit) -> None:
    page = open_tab()
    visit(page, "/runs?runs=1,2&r_several=all")
    row = page.get_by_role("table", name="Verdicts by problem").get_by_role("row").filter(has_text="CRASH")
    assert hint(row.get_by_text("KEY_ERROR").first) == MEANINGS["KEY_ERROR"]


def test_the_exact_time_comes_up_where_how_long_ago_is_said(open_tab: Callable[..., Page], visit: Visit) -> None:
    page = open_tab()
    visit(page, "/runs")
    line = page.get_by_test_id("stCaptionContainer").locator("p").filter(has_text=re.compile("ago|just now")).first
    assert TIME.match(hint(line))
    assert re.fullmatch(r"just now|\d+ \w+ ago", line.inner_text())
    visit(page, "/")
    caption = page.locator("table.bw-rows .bw-caption").filter(has_text=re.compile("ago|just now")).first
    assert re.match(r"20\d\d-\d\d-\d\d \d\d:\d\d", caption.get_attribute("title") or "")
