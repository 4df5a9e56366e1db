"""What is typed into the guide and into boxes that are opened after their page was drawn anew stands there still."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from authoring.drafting.guide.amendment_proposals import propose_amendments
from authoring.drafting.guide.guide_effects import shown_guide
from authoring.store import problemsets
from authoring.store.drafting.guide import list_amendments, save_guide
from authoring.store.drafting.seeds import find_seed
from authoring.store.reviewing.reviews import add_comment
from authoring.store.reviewing.suggestions import NewSuggestion, insert_suggestions
from authoring.store.statuses import Origin
from evaluator.language.document import Document
from tests.browser.conftest import OpenTab, settle, visit

pytestmark = [pytest.mark.browser, pytest.mark.deep]

TEXT = '# %%\n"""\nquery: How many units were sold?\n"""\n3\n'


def draw_anew(page: Page) -> None:
    """Let the page be drawn anew while its boxes are closed."""
    page.get_by_text("Guide beside the page").click()
    settle(page)
    page.get_by_text("Guide beside the page").click()
    settle(page)


def test_a_suggested_text_stands_in_its_box_whenever_that_is_opened(served: Any, open_tab: OpenTab) -> None:
    ws = served.workspace
    draft = problemsets.create(ws, name="suggested", text=TEXT, author="template", origin=Origin.TEMPLATE)
    cell = Document.parse(TEXT, name="suggested").problem_texts()["p1"]
    offer = NewSuggestion("p1", cell, cell.replace("units were", "units of all shops were"), "clearer")
    insert_suggestions(ws, draft.id, [offer], author="some-model", provenance={})
    page = open_tab()
    visit(page, f"/problemset?set={draft.problemset_id}")
    page.get_by_role("tab", name="Suggestions").click()
    draw_anew(page)
    page.get_by_role("button", name="Change", exact=True).click()
    expect(page.get_by_label("The problem as it shall be")).to_have_value(offer.new_text)


def test_what_is_known_of_a_seed_stands_in_its_box_to_be_corrected(served: Any, open_tab: OpenTab) -> None:
    seed = find_seed(served.workspace, "penguins")
    page = open_tab()
    visit(page, f"/seeds?seed={seed.id}")
    draw_anew(page)
    page.get_by_role("button", name="Correct", exact=True).click()
    expect(page.get_by_role("textbox", name="Title")).to_have_value(seed.title)
    page.get_by_role("textbox", name="Popularity").fill("much read")
    page.get_by_role("textbox", name="Popularity").press("Tab")
    settle(page)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("corrected: popularity").first).to_be_visible()
    assert find_seed(served.workspace, "penguins").title == seed.title


def test_a_text_that_was_typed_stands_in_its_box_after_a_reload(served: Any, open_tab: OpenTab) -> None:
    ws = served.workspace
    shown_guide(ws)
    draft = problemsets.create(ws, name="guided", text=TEXT, author="template", origin=Origin.TEMPLATE)
    add_comment(ws, revision_id=draft.id, author="lee", text="Say which units.", kind="ambiguous", problem="p1")
    propose_amendments(ws, proposed_by="lee", all_times=True)
    page = open_tab()
    visit(page, "/guide")
    page.get_by_role("tab", name="Amendments").click()
    draw_anew(page)
    page.get_by_role("button", name="Change").click()
    expect(page.get_by_label("Text to use instead")).not_to_have_value("")
    page.get_by_label("Text to use instead").fill("- Name the unit.")
    page.wait_for_timeout(2000)  # it is handed over after a pause
    settle(page)
    page.reload()
    settle(page)
    page.get_by_role("tab", name="Amendments").click()
    draw_anew(page)
    page.get_by_role("button", name="Change").click()
    expect(page.get_by_label("Text to use instead")).to_have_value("- Name the unit.")


def test_the_guide_is_edited_and_amended_and_no_text_is_lost(served: Any, open_tab: OpenTab) -> None:
    ws = served.workspace
    shown_guide(ws)
    draft = problemsets.create(ws, name="guided", text=TEXT, author="template", origin=Origin.TEMPLATE)
    add_comment(ws, revision_id=draft.id, author="lee", text="Say <b>which</b> units.", kind="ambiguous", problem="p1")
    page = open_tab()
    visit(page, "/guide")
    page.get_by_role("button", name="Edit the guide").click()
    page.get_by_label("Guide", exact=True).fill("Mine.")
    page.get_by_role("link", name="Releases", exact=True).click()  # at once: nothing typed is lost
    expect(page.get_by_role("heading", name="Releases", exact=True)).to_be_visible()
    page.get_by_role("link", name="Guide", exact=True).click()
    expect(page.get_by_label("Guide", exact=True)).to_have_value("Mine.")
    settle(page)
    page.reload()
    expect(page.get_by_label("Guide", exact=True)).to_have_value("Mine.")
    settle(page)
    save_guide(ws, "Theirs.", base_number=1, author="lee", message="")
    page.get_by_role("button", name="Save the guide").click()
    expect(page.get_by_text("Somebody saved revision 2 while you wrote")).to_be_visible()
    expect(page.get_by_label("Guide", exact=True)).to_have_value("Mine.")
    page.get_by_role("button", name="Save on top of revision 2").click()
    expect(page.get_by_text("Revision 3 by mei")).to_be_visible()

    propose_amendments(ws, proposed_by="lee", all_times=True)
    page.get_by_role("tab", name="Amendments").click()
    page.get_by_text("1 comment behind it").click()
    expect(page.get_by_text("Say <b>which</b> units.", exact=True)).to_be_visible()
    page.get_by_role("button", name="Change").click()
    page.get_by_label("Text to use instead").fill("- Name the unit.")
    page.get_by_role("button", name="Accept this text").click()
    expect(page.get_by_text("accepted with changes")).to_be_visible()
    settle(page)
    assert shown_guide(ws).text.endswith("- Name the unit.")
    assert list_amendments(ws)[0].status == "changed"
    page.get_by_role("tab", name="History").click()
    added = page.locator("tr.bw-add").first
    expect(added).to_contain_text("Name the unit")
    assert added.locator("td").last.evaluate("cell => getComputedStyle(cell).backgroundColor") == "rgb(223, 243, 230)"
