"""Texts in boxes that are opened after their page was drawn anew: what stood there stands there still."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from authoring.drafting.guide.amendment_proposals import propose_amendments
from authoring.drafting.guide.guide_effects import shown_guide
from authoring.store import problemsets
from authoring.store.drafting.seeds import find_seed
from authoring.store.reviewing.reviews import add_comment
from authoring.store.reviewing.suggestions import NewSuggestion, insert_suggestions
from authoring.store.statuses import Origin
from evaluator.language.document import Document

pytestmark = [pytest.mark.browser, pytest.mark.deep]

TEXT = '# %%\n"""\nquery: How many units were sold?\n"""\n3\n'
Visit = Callable[[Page, str], None]
Settled = Callable[[Page], None]


def draw_anew(page: Page, settled: Settled) -> None:
    """Let the page be drawn anew while its boxes are closed."""
    page.get_by_text("Guide beside the page").click()
    settled(page)
    page.get_by_text("Guide beside the page").click()
    settled(page)


def test_a_suggested_text_stands_in_its_box_whenever_that_is_opened(
    served: Any, open_tab: Callable[..., Page], visit: Visit, settled: Settled
) -> None:
    ws = served.workspace
    draft = problemsets.create(ws, name="suggested", text=TEXT, author="template", origin=Origin.TEMPLATE)
    cell = Document.parse(TEXT, name="suggested").problem_texts()["p1"]
    offer = NewSuggestion("p1", cell, cell.replace("units were", "units of all shops were"), "clearer")
    insert_suggestions(ws, draft.id, [offer], author="some-model", provenance={})
    page = open_tab()
    visit(page, f"/problemset?set={draft.problemset_id}")
    page.get_by_role("tab", name="Suggestions").click()
    draw_anew(page, settled)
    page.get_by_role("button", name="Change", exact=True).click()
    expect(page.get_by_label("The problem as it shall be")).to_have_value(offer.new_text)


def test_what_is_known_of_a_seed_stands_in_its_box_to_be_corrected(
    served: Any, open_tab: Callable[..., Page], visit: Visit, settled: Settled
) -> None:
    seed = find_seed(served.workspace, "penguins")
    page = open_tab()
    visit(page, f"/seeds?seed={seed.id}")
    draw_anew(page, settled)
    page.get_by_role("button", name="Correct", exact=True).click()
    expect(page.get_by_role("textbox", name="Title")).to_have_value(seed.title)
    page.get_by_role("textbox", name="Popularity").fill("much read")
    page.get_by_role("textbox", name="Popularity").press("Tab")
    settled(page)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("corrected: popularity").first).to_be_visible()
    assert find_seed(served.workspace, "penguins").title == seed.title


def test_a_text_that_was_typed_stands_in_its_box_after_a_reload(
    served: Any, open_tab: Callable[..., Page], visit: Visit, settled: Settled
) -> None:
    ws = served.workspace
    shown_guide(ws)
    draft = problemsets.create(ws, name="guided", text=TEXT, author="template", origin=Origin.TEMPLATE)
    add_comment(ws, revision_id=draft.id, author="lee", text="Say which units.", kind="ambiguous", problem="p1")
    propose_amendments(ws, proposed_by="lee", all_times=True)
    page = open_tab()
    visit(page, "/guide")
    page.get_by_role("tab", name="Amendments").click()
    draw_anew(page, settled)
    page.get_by_role("button", name="Change").click()
    expect(page.get_by_label("Text to use instead")).not_to_have_value("")
    page.get_by_label("Text to use instead").fill("- Name the unit.")
    page.wait_for_timeout(2000)  # it is handed over after a pause
    settled(page)
    page.reload()
    settled(page)
    page.get_by_role("tab", name="Amendments").click()
    draw_anew(page, settled)
    page.get_by_role("button", name="Change").click()
    expect(page.get_by_label("Text to use instead")).to_have_value("- Name the unit.")
