"""An annotator tries an answer, keeps it, adds a validator, comments on a line, runs on from here and saves."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from authoring.store import dry_runs, problemsets, revisions
from authoring.store.statuses import Origin

pytestmark = [pytest.mark.browser, pytest.mark.deep]

TEXT = '''# %%
rows = [3, 1, 2]

# %%
"""
query: Sort the rows into `clean` and show it.
"""
clean = sorted(rows)
clean

# %%
"""
query: What is the smallest of `clean`?
"""
clean[0]
'''


def test_an_answer_is_tried_and_kept_a_validator_added_and_all_of_it_run_and_saved(
    served: Any,
    open_tab: Callable[..., Page],
    visit: Callable[[Page, str], None],
    settled: Callable[[Page], None],
    press_until: Callable[[Page, str, Locator], None],
) -> None:
    draft = problemsets.create(served.workspace, name="sorting", text=TEXT, author="template", origin=Origin.TEMPLATE)
    page = open_tab()
    visit(page, f"/editor?set={draft.problemset_id}&pid=p1")

    page.get_by_role("tab", name="Try", exact=True).click()
    answer = page.get_by_role("textbox", name="Answer to try")
    answer.fill("sorted(rows)")
    answer.press("Control+Enter")
    expect(page.get_by_role("button", name="Keep as accepted example")).to_be_visible()
    expect(page.get_by_role("cell", name="namespace_intact")).to_be_visible()
    settled(page)
    page.get_by_role("button", name="Keep as accepted example").click()
    expect(page.get_by_text("must be accepted")).to_be_visible()
    expect(page.get_by_text("is CORRECT")).to_be_visible()
    settings = page.get_by_role("textbox", name="Settings of problem")
    expect(settings).to_contain_text("sorted(rows)")

    page.get_by_role("tab", name="Validators", exact=True).click()
    page.get_by_role("combobox", name="Validator", exact=True).click()
    page.get_by_role("option", name="namespace_check: variables after the cell").click()
    page.get_by_role("combobox", name="variables (needed)").click()
    page.get_by_role("option", name="clean", exact=True).click()
    page.keyboard.press("Escape")
    settled(page)
    page.get_by_role("button", name="Add to settings").click()
    expect(settings).to_contain_text("namespace_check:")
    expect(settings).to_contain_text("sorted(rows)")

    press_until(page, "Alt+m", page.get_by_label("New comment"))
    page.get_by_label("New comment").fill("ties?")
    page.get_by_role("combobox", name="About").click()
    page.get_by_role("option", name="Reference code").click()
    page.get_by_label("Line", exact=True).fill("2")
    settled(page)
    page.get_by_role("button", name="Comment", exact=True).last.click()
    expect(page.get_by_text("Reference code, line 2")).to_be_visible()
    expect(page.locator(".cm-lintRange-info")).to_have_text("clean")

    page.get_by_role("button", name="More").click()
    page.get_by_role("menuitem", name="Run from here").click()
    page.get_by_role("tab", name="Outputs", exact=True).click()
    expect(page.get_by_text("your run,")).to_be_visible()
    page.get_by_role("button", name="Next Shortcut J").click()
    expect(page.get_by_role("heading", name="Problem 2 of 2")).to_be_visible()
    expect(page.get_by_text("your run,")).to_be_visible()
    expect(page.get_by_text("The text has changed since")).to_have_count(0)

    page.get_by_role("button", name="Save revision").click()
    expect(page.get_by_text("all saved as revision 2")).to_be_visible()
    head = revisions.find(served.workspace, problemsets.find(served.workspace, draft.problemset_id).head_revision_id)
    assert "namespace_check:" in head.text
    # What is kept does not make `clean`, so the new validator refuses it, and the dry run says so.
    expect(page.get_by_text("1 of 2 fail")).to_be_visible()
    expect(page.get_by_role("link", name="First failing: 1")).to_be_visible()
    dry_run = dry_runs.latest(served.workspace, head.id)
    assert dry_run is not None
    (kept,) = dry_run.problems[0].examples
    assert (kept["wanted"], kept["holds"]) == ("CORRECT", False)
    expect(page.get_by_role("button", name="Accept revision 2")).to_be_disabled()
