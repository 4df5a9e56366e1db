"""The desk of the annotator: the editors stay where they are, whatever is said, run or saved around them."""

import os
import re
from collections.abc import Callable
from typing import Any, Final

import pytest
from playwright.sync_api import Locator, Page, expect

from authoring.store import autosaves, problemsets
from authoring.store.reviewing.leases import assign_problemset
from authoring.store.statuses import Origin

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
BAR: Final = """() => [...document.querySelectorAll('.st-key-desk_actions button')]
  .filter(each => each.checkVisibility())
  .map(each => each.getBoundingClientRect()).map(at => [Math.round(at.top), at.left >= 0 && at.right <= innerWidth])"""
IS_WHOLE: Final = "each => each.closest('p').scrollWidth <= each.closest('p').clientWidth"
SEEN: Final = "() => Object.fromEntries([...window.places].map(([label, tops]) => [label, [...tops]]))"


@pytest.fixture
def desk(served: Any, open_tab: Callable[..., Page], visit: Callable[[Page, str], None]) -> tuple[Page, int]:
    """The editor on a set of two problems, with the places of its editors under watch."""
    made = problemsets.create(served.workspace, name="sums", text=TEXT, author="mei", origin=Origin.PERSON)
    page = open_tab(1440, 900)
    visit(page, f"/editor?set={made.problemset_id}&pid=total")
    expect(code_of(page)).to_be_visible()
    page.wait_for_timeout(1500)
    page.evaluate(WATCH)
    return page, made.problemset_id


def code_of(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Reference code")


def run(page: Page, code: str, verdict: str) -> None:
    """Type code and run it; what is on its way must have been announced, and have arrived."""
    code_of(page).fill(code)
    code_of(page).press("Control+Enter")
    expect(page.get_by_text("the result below is the previous one")).to_be_visible()
    expect(page.get_by_text("the result below is the previous one")).to_be_hidden()
    expect(page.get_by_text(verdict)).to_be_visible()


def test_the_actions_stand_in_one_row_on_a_wide_and_on_a_narrow_screen(desk: tuple[Page, int]) -> None:
    page, _ = desk
    for width in (1440, 620):
        page.set_viewport_size({"width": width, "height": 900})
        bar = page.evaluate(BAR)
        assert len(bar) == 6, bar  # run, save; submit, accept, send back; the menu
        assert len({top for top, _ in bar}) == 1, bar
        assert all(seen for _, seen in bar), (width, bar)


def test_what_is_said_of_the_text_moves_no_editor_at_any_width(desk: tuple[Page, int]) -> None:
    page, _ = desk
    for width in (1360, 1200, 900, 620, 470):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(300)
        page.evaluate("() => window.places.clear()")
        code_of(page).fill(f"sum(numbers) + {width} * 0")
        expect(page.get_by_text("unsaved changes in problem").filter(visible=True)).to_be_visible()
        code_of(page).fill("sum(numbers)")
        expect(page.get_by_text("unsaved changes")).to_have_count(0)
        places = page.evaluate(SEEN)
        assert len(places) >= 3, places
        assert {label: len(tops) for label, tops in places.items()} == dict.fromkeys(places, 1), (width, places)


def test_where_text_is_unsaved_is_read_whole_on_a_narrow_screen_and_at_the_pointer(
    served: Any, desk: tuple[Page, int], settled: Callable[[Page], None]
) -> None:
    page, problemset = desk
    assign_problemset(served.workspace, problemset, holder="mei")
    code_of(page).fill("sum(numbers) + 1")
    told = page.get_by_text("unsaved changes in problem 1").first
    expect(told).to_be_visible()
    page.set_viewport_size({"width": 900, "height": 900})
    settled(page)
    assert told.evaluate(IS_WHOLE)
    told.hover()
    expect(page.get_by_role("tooltip")).to_contain_text("You have unsaved changes in problem 1.")
    page.set_viewport_size({"width": 470, "height": 900})  # where the framework draws no tooltips
    settled(page)
    shown = page.get_by_text("unsaved changes in problem 1").filter(visible=True)
    assert shown.evaluate(IS_WHOLE)


def test_the_editors_do_not_move_while_one_runs_saves_and_fails(desk: tuple[Page, int]) -> None:
    page, _ = desk
    steps = 0
    for number in range(max(1, ACTIONS // 4)):
        run(page, f"sum(numbers) + {number} * 0", "reference CORRECT")
        run(page, f"sum(number) + {number}", "reference CRASH")
        code_of(page).fill(f"sum(numbers) + {number + 1} * 0")
        page.get_by_role("button", name="Save revision").click()  # a save, its message and its dry run
        expect(page.get_by_text(f"saved revision {number + 2}")).to_be_visible()
        expect(page.get_by_text("the result below is the previous one")).to_be_hidden()
        expect(page.get_by_text(re.compile("all 2 pass$"))).to_be_visible()
        page.get_by_role("button", name="Save revision").click()  # with nothing to save
        expect(page.get_by_text("nothing to save")).to_be_visible()
        steps += 4
    assert steps >= min(ACTIONS, 4)
    places = page.evaluate(SEEN)
    assert len(places) >= 3, places
    assert {label: len(tops) for label, tops in places.items()} == dict.fromkeys(places, 1), places


def test_a_conflict_with_another_tab_moves_no_editor(
    served: Any, desk: tuple[Page, int], settled: Callable[[Page], None]
) -> None:
    page, problemset = desk
    code_of(page).fill("sum(numbers) + 1")
    expect(page.get_by_text("unsaved changes in problem").first).to_be_visible()
    ws = served.workspace
    (person,) = autosaves.people(ws, problemset)
    (mine,) = autosaves.select(ws, person, problemset)
    autosaves.save(
        ws,
        person=person,
        problemset_id=problemset,
        problem=mine.problem,
        field=mine.field,
        text="sum(numbers) + 2",
        base_revision_id=mine.base_revision_id,
        writer="another tab",
        expected_saved_no=mine.saved_no,
    )
    code_of(page).press("End")
    code_of(page).type(" # more")
    settled(page)
    expect(page.get_by_text("Another tab of yours has saved a different text of this field.")).to_be_visible()
    places = page.evaluate(SEEN)
    assert len(places) >= 3
    assert {label: len(tops) for label, tops in places.items()} == dict.fromkeys(places, 1), places
