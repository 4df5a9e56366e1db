"""The menu at the side in a real browser: its link to the page that is open leads to the page's list."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from authoring.store.runs import insert as insert_run
from authoring.store.settings import set_setting
from authoring.ui.shell.navigation import PAGES
from tests.browser.conftest import Served, serve

pytestmark = [pytest.mark.browser, pytest.mark.deep]

Visit = Callable[[Page, str], None]
Settled = Callable[[Page], None]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """An app without a worker, with one run and two people."""
    with serve(tmp_path, "--no-worker") as found:
        insert_run(found.workspace, release="shop 1.0", agent="alpha", out_dir=str(tmp_path / "run"), summary={})
        set_setting(found.workspace, "annotator_names", ["mei", "lee"])
        yield found


def test_the_menu_leads_from_what_a_page_shows_to_its_list(
    open_tab: Callable[..., Page], visit: Visit, settled: Settled
) -> None:
    page = open_tab()
    for address, entry, list_ in (("runs?run=1", "Runs", "Runs"), ("seeds?seed=1", "Seeds & ideas", "Seeds & ideas")):
        visit(page, f"/{address}&user=lee")
        expect(page.get_by_role("heading", name=list_, exact=True)).to_be_hidden()
        page.get_by_test_id("stSidebarNav").get_by_role("link", name=entry).click()
        expect(page.get_by_role("heading", name=list_, exact=True)).to_be_visible()
        settled(page)
        assert page.url.endswith(f"/{address.partition('?')[0]}?user=lee")
    page.go_back()
    expect(page.get_by_role("heading", name="Seeds & ideas", exact=True)).to_be_hidden()


def test_an_address_of_each_page_of_the_menu_opens_it_without_an_error_in_the_console(
    open_tab: Callable[..., Page], visit: Visit
) -> None:
    page = open_tab()
    for entry in PAGES:
        if entry.visibility == "visible":
            visit(page, f"/{entry.name}?user=lee")
            link = page.get_by_test_id("stSidebarNav").get_by_role("link", name=entry.title, exact=True)
            expect(link).to_have_attribute("aria-current", "page")
            assert page.url.endswith(f"/{'' if entry is PAGES[0] else entry.name}?user=lee")


@pytest.mark.parametrize("way", ["Control", "Shift", "middle"])
def test_a_link_that_opens_a_tab_of_its_own_carries_on_who_writes(
    way: str, open_tab: Callable[..., Page], visit: Visit, settled: Settled
) -> None:
    page = open_tab()
    visit(page, "/runs")
    page.get_by_role("combobox", name="You are").click()
    page.get_by_role("option", name="lee").click()
    page.wait_for_url("**/runs?user=lee")
    settled(page)
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


@pytest.mark.parametrize("inside", [True, False], ids=["the menu", "the link beside the message"])
def test_from_an_address_that_names_nothing_one_gets_to_the_list(
    inside: bool, open_tab: Callable[..., Page], visit: Visit, settled: Settled
) -> None:
    page = open_tab()
    visit(page, "/runs?run=abc&user=lee")
    expect(page.get_by_text("the address of this page names no run")).to_be_visible()
    menu = page.get_by_test_id("stSidebarNav")
    (menu.get_by_role("link", name="Runs") if inside else page.get_by_role("link", name="Go to Runs")).click()
    run = page.get_by_role("link", name=re.compile("Run 1|alpha")).first
    expect(run).to_be_visible()
    settled(page)
    assert page.url.endswith("/runs?user=lee")
    run.click()
    expect(page.get_by_role("heading", name="alpha")).to_be_visible()
    settled(page)
    assert set(page.url.partition("?")[2].split("&")) == {"run=1", "user=lee"}
