"""The desk of the annotator: editors stay in place whatever is said around them; tooltips, clicks and the preview."""

import os
import re
from typing import Any, Final

import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect

from authoring.store import autosaves, jobs, problemsets
from authoring.store.reviewing.leases import assign_problemset
from authoring.store.statuses import Origin
from tests.browser.conftest import OpenTab, settle, text_box, until, visit

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
SHIFT_MS: Final = 1500  # until a tooltip has opened
DELAYS_MS: Final = (1, 4, 8)
CLICK_BOTH: Final = "([one, other, delay]) => { one.click(); setTimeout(() => other.click(), delay); }"
QUERY: Final = """
Sum `x[a:b]`, :red[never] :smile: :material/home:

    d[:n]  # indented

```python
e[k:v]
```

with $f:X \\to Y$ and

$$
g:Y \\to Z
$$

- point

      h[:m]
"""
SEEN: Final = "() => Object.fromEntries([...window.places].map(([label, tops]) => [label, [...tops]]))"


@pytest.fixture
def desk(served: Any, open_tab: OpenTab) -> tuple[Page, int]:
    """The editor on a set of two problems, with the places of its editors under watch."""
    made = problemsets.create(served.workspace, name="sums", text=TEXT, author="mei", origin=Origin.PERSON)
    page = open_tab(1440, 900)
    visit(page, f"/editor?set={made.problemset_id}&pid=total")
    expect(text_box(page)).to_be_visible()
    page.wait_for_timeout(1500)
    page.evaluate(WATCH)
    return page, made.problemset_id


def run(page: Page, code: str, verdict: str) -> None:
    """Type code and run it; what is on its way must have been announced, and have arrived."""
    text_box(page).fill(code)
    text_box(page).press("Control+Enter")
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
        text_box(page).fill(f"sum(numbers) + {width} * 0")
        expect(page.get_by_text("unsaved changes in problem").filter(visible=True)).to_be_visible()
        text_box(page).fill("sum(numbers)")
        expect(page.get_by_text("unsaved changes")).to_have_count(0)
        places = page.evaluate(SEEN)
        assert len(places) >= 3, places
        assert {label: len(tops) for label, tops in places.items()} == dict.fromkeys(places, 1), (width, places)


def test_where_text_is_unsaved_is_read_whole_on_a_narrow_screen(served: Any, desk: tuple[Page, int]) -> None:
    page, problemset = desk
    assign_problemset(served.workspace, problemset, holder="mei")
    text_box(page).fill("sum(numbers) + 1")
    told = page.get_by_text("unsaved changes in problem 1").first
    expect(told).to_be_visible()
    page.set_viewport_size({"width": 900, "height": 900})
    settle(page)
    assert told.evaluate(IS_WHOLE)
    told.hover()
    expect(page.get_by_role("tooltip")).to_contain_text("You have unsaved changes in problem 1.")
    page.set_viewport_size({"width": 470, "height": 900})  # where the framework draws no tooltips
    settle(page)
    shown = page.get_by_text("unsaved changes in problem 1").filter(visible=True)
    assert shown.evaluate(IS_WHOLE)


def test_the_editors_do_not_move_while_one_runs_saves_and_fails(desk: tuple[Page, int]) -> None:
    page, _ = desk
    steps = 0
    for number in range(max(1, ACTIONS // 4)):
        run(page, f"sum(numbers) + {number} * 0", "reference CORRECT")
        run(page, f"sum(number) + {number}", "reference CRASH")
        text_box(page).fill(f"sum(numbers) + {number + 1} * 0")
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


def test_a_conflict_with_another_tab_moves_no_editor(served: Any, desk: tuple[Page, int]) -> None:
    page, problemset = desk
    text_box(page).fill("sum(numbers) + 1")
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
    text_box(page).press("End")
    text_box(page).type(" # more")
    settle(page)
    expect(page.get_by_text("Another tab of yours has saved a different text of this field.")).to_be_visible()
    places = page.evaluate(SEEN)
    assert len(places) >= 3
    assert {label: len(tops) for label, tops in places.items()} == dict.fromkeys(places, 1), places


def box_of(element: Locator) -> FloatRect:
    found = element.bounding_box()
    assert found is not None
    return found


def overlap(one: FloatRect, other: FloatRect) -> bool:
    beside = one["x"] + one["width"] <= other["x"] or other["x"] + other["width"] <= one["x"]
    apart = one["y"] + one["height"] <= other["y"] or other["y"] + other["height"] <= one["y"]
    return not (beside or apart)


@pytest.mark.parametrize("width", [1360, 620])
def test_what_a_button_does_is_told_beside_its_messages_until_pressed(width: int, desk: tuple[Page, int]) -> None:
    page, _ = desk
    page.set_viewport_size({"width": width, "height": 900})
    save = page.get_by_role("button", name="Save revision")
    if not page.evaluate("CSS.supports('left: anchor(left)')"):
        pytest.skip("this browser cannot place one element beside another")
    save.click()
    message = page.get_by_text("nothing to save")
    expect(message).to_be_visible()
    page.wait_for_timeout(SHIFT_MS)
    expect(page.get_by_role("tooltip").filter(visible=True)).to_have_count(0)
    text_box(page).focus()
    page.mouse.move(5, 300)
    for button in (save, page.get_by_role("button", name="Submit"), page.get_by_role("button", name="Accept")):
        button.hover(force=True)  # also where it is off
        tooltip = page.get_by_role("tooltip").filter(visible=True)
        expect(tooltip).to_be_visible()
        page.wait_for_timeout(SHIFT_MS)
        told = box_of(tooltip)
        assert not overlap(told, box_of(page.locator(".st-key-strip")))
        assert told["x"] >= 0
        assert told["x"] + told["width"] <= width
        page.mouse.move(5, 300)
        expect(tooltip).to_have_count(0)


def test_buttons_that_are_only_a_sign_on_a_narrow_screen_say_their_word(desk: tuple[Page, int]) -> None:
    page, _ = desk
    page.set_viewport_size({"width": 620, "height": 900})
    page.mouse.move(5, 300)
    for name in ("Send back", "More"):
        button = page.get_by_role("button", name=name)  # as a screen reader says it
        word = button.locator("p").filter(has_text=name)
        assert box_of(word)["width"] <= 1
        button.hover()
        page.wait_for_timeout(300)
        assert box_of(word)["width"] > 20
        assert not overlap(box_of(word), box_of(button)), name
        page.mouse.move(5, 300)


def test_what_is_ordered_is_ordered_though_another_click_follows_at_once(served: Any, open_tab: OpenTab) -> None:
    text = "".join(f'# %%\n"""\nquery: What is {number}?\n"""\n{number}\n\n' for number, _ in enumerate(DELAYS_MS, 1))
    draft = problemsets.create(served.workspace, name="many", text=text, author="template", origin=Origin.TEMPLATE)
    page = open_tab()
    for number, delay in enumerate(DELAYS_MS, 1):
        visit(page, f"/editor?set={draft.problemset_id}&pid=p{number}")
        expect(page.get_by_role("heading", name=f"Problem {number} of {len(DELAYS_MS)}")).to_be_visible()
        settle(page)
        run = page.get_by_role("button", name="Run this").element_handle()
        verdicts = page.get_by_role("tab", name="Verdicts", exact=True)
        page.evaluate(CLICK_BOTH, [run, verdicts.element_handle(), delay])
        expect(verdicts).to_have_attribute("aria-selected", "true")
        until(page, lambda number=number: len(jobs.select(served.workspace)) == number)  # type: ignore[misc]  # binds it


def test_code_and_maths_of_a_query_are_shown_as_written(served: Any, open_tab: OpenTab) -> None:
    indented = QUERY.replace("\n", "\n  ")
    text = f'# %%\n"""\nquery: |\n  {indented}\nid: sums\n"""\n3\n'
    draft = problemsets.create(served.workspace, name="sums", text=text, author="template", origin=Origin.TEMPLATE)
    page = open_tab()
    page.goto(f"/editor?set={draft.problemset_id}&pid=sums")
    settle(page)
    page.get_by_role("button", name="More").click()
    page.get_by_text("Preview of the query").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator("code")).to_have_text(["x[a:b]", "d[:n]  # indented", "e[k:v]", "h[:m]"])
    expect(dialog.locator("annotation")).to_have_text(["f:X \\to Y", "g:Y \\to Z"])
    expect(dialog.get_by_text(":red[never] :smile: :material/home:")).to_be_visible()
