"""The maintainer's path through the real app: the guide is edited and amended, a suggestion taken, a sketch edited."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from authoring.drafting.guide.amendment_proposals import propose_amendments
from authoring.drafting.guide.guide_effects import shown_guide
from authoring.store import problemsets
from authoring.store.drafting.guide import list_amendments, save_guide
from authoring.store.drafting.seeds import find_seed
from authoring.store.drafting.sketches import SketchItem, find_sketch, insert_sketch, list_sketch_revisions
from authoring.store.reviewing.reviews import add_comment
from authoring.store.reviewing.suggestions import NewSuggestion, insert_suggestions
from authoring.store.statuses import Origin
from evaluator.language.document import Document
from tests.browser.conftest import open_cell, serve

pytestmark = [pytest.mark.browser, pytest.mark.deep]

TEXT = '''# %%
import pandas as pd

# %%
"""
query: How many units were sold?
"""
pd.Series([1, 2]).sum()
'''
Visit = Callable[[Page, str], None]
Settled = Callable[[Page], None]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """One app without a worker for all flows of this file."""
    with serve(tmp_path_factory.mktemp("loops"), "--no-worker") as found:
        yield found


def test_the_guide_is_edited_and_amended_and_no_text_is_lost(
    served: Any, open_tab: Callable[..., Page], visit: Visit, settled: Settled
) -> None:
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
    settled(page)
    page.reload()
    expect(page.get_by_label("Guide", exact=True)).to_have_value("Mine.")
    settled(page)
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
    settled(page)
    assert shown_guide(ws).text.endswith("- Name the unit.")
    assert list_amendments(ws)[0].status == "changed"
    page.get_by_role("tab", name="History").click()
    added = page.locator("tr.bw-add").first
    expect(added).to_contain_text("Name the unit")
    assert added.locator("td").last.evaluate("cell => getComputedStyle(cell).backgroundColor") == "rgb(223, 243, 230)"


def test_a_suggestion_is_taken_on_a_narrow_dark_screen(
    served: Any, open_tab: Callable[..., Page], visit: Visit
) -> None:
    ws = served.workspace
    draft = problemsets.create(ws, name="suggested", text=TEXT, author="template", origin=Origin.TEMPLATE)
    cell = Document.parse(TEXT, name="suggested").problem_texts()["p1"]
    offer = NewSuggestion("p1", cell, cell.replace("units were", "units of all shops were"), "clearer")
    insert_suggestions(ws, draft.id, [offer], author="some-model", provenance={})
    page = open_tab(width=620, scheme="dark")
    visit(page, f"/problemset?set={draft.problemset_id}")
    page.get_by_role("tab", name="Suggestions").click()
    expect(page.locator("tr.bw-add")).to_contain_text("units of all shops")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.locator(".stMain").get_by_role("button", name="Accept", exact=True).last.click()
    expect(page.get_by_text("Revision 2 by a model, for mei")).to_be_visible()
    expect(page.get_by_text("No suggestion waits for a decision")).to_be_visible()
    assert problemsets.find(ws, draft.problemset_id).head_number == 2


def test_a_sketch_is_edited_in_its_table_with_its_minutes_kept(
    served: Any, open_tab: Callable[..., Page], visit: Visit, settled: Settled
) -> None:
    ws = served.workspace
    items = [SketchItem(number, f"idea {number}", ("sum",)) for number in (1, 2)]
    seed = find_seed(ws, "penguins")
    sketch = insert_sketch(ws, seed_id=seed.id, author="template", rng_seed=0, items=items, provenance={})
    page = open_tab()
    visit(page, f"/seeds?sketch={sketch}")
    settled(page)
    cell = page.locator(".gdg-input, .gdg-growing-entry textarea").first
    open_cell(page, cell)
    cell.fill("count the penguins")
    cell.press("Enter")
    settled(page)
    page.wait_for_timeout(1000)  # time that a person would take
    page.get_by_role("button", name="Save the sketch").click()
    expect(page.get_by_text("saved 2 items").first).to_be_visible()
    assert find_sketch(ws, sketch).items[0].query_idea == "count the penguins"
    assert list_sketch_revisions(ws, sketch)[-1].minutes > 0
