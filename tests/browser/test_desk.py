"""The desk of the annotator: editors stay in place whatever is said around them, and no click is lost."""

import os
import re
from typing import Final

import pytest
from playwright.sync_api import Page, expect

from authoring.store import jobs, problemsets
from authoring.store.statuses import Origin
from tests.browser.conftest import OpenTab, RunningApp, Work, settle, text_box, until, visit

pytestmark = [pytest.mark.browser, pytest.mark.deep]

ACTIONS: Final = int(os.environ.get("BENCHWRIGHT_DESK_ACTIONS", "12"))
TEXT: Final = '''# %%
numbers = [3, 1, 2]

# %%
"""
query: What is the sum of `numbers`?
id: total
"""
sum(numbers)

# %%
"""
query: What is the largest of `numbers`?
id: largest
"""
max(numbers)
'''
# Notes each place at which an editor was drawn, ten times a second: also what moves and comes back is seen.
WATCH: Final = """() => {
  window.places = new Map()
  window.watching = setInterval(() => {
    for (const box of document.querySelectorAll('.stMain *')) {
      const label = box.shadowRoot?.querySelector('[role="textbox"]')?.getAttribute('aria-label')
      if (!label) continue
      const at = Math.round(box.getBoundingClientRect().top + document.querySelector('.stMain').scrollTop)
      if (!window.places.has(label)) window.places.set(label, new Set())
      window.places.get(label).add(at)
    }
  }, 100)
}"""
DELAYS_MS: Final = (1, 4, 8)
CLICK_BOTH: Final = "([one, other, delay]) => { one.click(); setTimeout(() => other.click(), delay); }"
SEEN: Final = "() => Object.fromEntries([...window.places].map(([label, tops]) => [label, [...tops]]))"


def add(served: RunningApp, request: pytest.FixtureRequest, text: str) -> int:
    """Store a problemset that has the name of the test."""
    name = request.node.name.removeprefix("test_")[:40].replace("_", "-")
    return problemsets.create(served.workspace, name=name, text=text, author="mei", origin=Origin.PERSON).problemset_id


@pytest.fixture
def desk(served: RunningApp, open_tab: OpenTab, request: pytest.FixtureRequest) -> tuple[Page, int]:
    """The editor on a set of two problems, with the places of its editors under watch."""
    made = add(served, request, TEXT)
    page = open_tab(1440, 900)
    visit(page, f"/editor?set={made}&pid=total")
    expect(text_box(page)).to_be_visible()
    page.wait_for_timeout(1500)
    page.evaluate(WATCH)
    return page, made


def run(page: Page, work: Work, code: str, verdict: str) -> None:
    """Type code and run it; what is on its way must have been announced, and have arrived."""
    text_box(page).fill(code)
    text_box(page).press("Control+Enter")
    expect(page.get_by_text("the result below is the previous one")).to_be_visible()
    work(page, "execute")
    expect(page.get_by_text("the result below is the previous one")).to_be_hidden()
    expect(page.get_by_text(verdict)).to_be_visible()


def test_what_is_said_of_the_text_moves_no_editor_at_any_width(desk: tuple[Page, int]) -> None:
    page, _ = desk
    for width in (1360, 1200, 900, 620, 470):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(300)
        page.evaluate("() => window.places.clear()")
        text_box(page).fill(f"sum(numbers) + {width} * 0")
        expect(page.get_by_text("unsaved changes in problem").filter(visible=True)).to_be_visible()
        text_box(page).fill("sum(numbers)")
        expect(page.get_by_text("unsaved changes")).to_have_count(0)
        places = page.evaluate(SEEN)
        assert len(places) >= 3, places
        assert {label: len(tops) for label, tops in places.items()} == dict.fromkeys(places, 1), (width, places)


def test_the_editors_do_not_move_while_one_runs_saves_and_fails(desk: tuple[Page, int], work: Work) -> None:
    page, _ = desk
    steps = 0
    for number in range(max(1, ACTIONS // 4)):
        run(page, work, f"sum(numbers) + {number} * 0", "reference CORRECT")
        run(page, work, f"sum(number) + {number}", "reference CRASH")
        text_box(page).fill(f"sum(numbers) + {number + 1} * 0")
        page.get_by_role("button", name="Save revision").click()  # a save, its message and its dry run
        expect(page.get_by_text(f"saved revision {number + 2}")).to_be_visible()
        work(page, "dry_run")
        expect(page.get_by_text("the result below is the previous one")).to_be_hidden()
        expect(page.get_by_text(re.compile("all 2 pass$"))).to_be_visible()
        page.get_by_role("button", name="Save revision").click()  # with nothing to save
        expect(page.get_by_text("nothing to save")).to_be_visible()
        steps += 4
    assert steps >= min(ACTIONS, 4)
    places = page.evaluate(SEEN)
    assert len(places) >= 3, places
    assert {label: len(tops) for label, tops in places.items()} == dict.fromkeys(places, 1), places


def test_what_is_ordered_is_ordered_though_another_click_follows_at_once(
    served: RunningApp, open_tab: OpenTab, request: pytest.FixtureRequest
) -> None:
    text = "".join(f'# %%\n"""\nquery: What is {number}?\n"""\n{number}\n\n' for number, _ in enumerate(DELAYS_MS, 1))
    made, page = add(served, request, text), open_tab()

    def orders() -> int:
        return sum(job.payload.get("problemset_id") == made for job in jobs.select(served.workspace))

    for number, delay in enumerate(DELAYS_MS, 1):
        visit(page, f"/editor?set={made}&pid=p{number}")
        expect(page.get_by_role("heading", name=f"Problem {number} of {len(DELAYS_MS)}")).to_be_visible()
        settle(page)
        run = page.get_by_role("button", name="Run this").element_handle()
        verdicts = page.get_by_role("tab", name="Verdicts", exact=True)
        page.evaluate(CLICK_BOTH, [run, verdicts.element_handle(), delay])
        expect(verdicts).to_have_attribute("aria-selected", "true")
        until(page, lambda number=number: orders() == number)
