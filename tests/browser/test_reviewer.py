"""The reviewer's path through the real app: compare, comment, send back, and accept what was repaired."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from authoring.store import problemsets, revisions
from authoring.store.jobs import enqueue
from authoring.store.reviewing.reviews import list_comments, list_decisions
from authoring.store.settings import set_setting
from authoring.store.statuses import Origin

pytestmark = pytest.mark.browser

TEXT = '''# %%
units = [3, 4, 5]

# %%
"""
query: How many units were sold?
id: total
execution:
  max_time: 20
"""
sum(units)
'''
WRONG = TEXT.replace("sum(units)", "max(units)")


def order_dry_run(served: Any, revision_id: int) -> None:
    enqueue(
        served.workspace,
        kind="dry_run",
        payload={"revision_id": revision_id},
        key=f"dry_run:{revision_id}",
        created_by="lee",
    )


def follow(page: Page, name: str) -> None:
    """Open a link from the keyboard."""
    page.get_by_role("link", name=name).first.focus()
    page.keyboard.press("Enter")


def test_a_reviewer_sends_back_by_keyboard_and_accepts_only_what_is_on_the_screen(
    served: Any,
    open_tab: Callable[..., Page],
    visit: Callable[[Page, str], None],
    settled: Callable[[Page], None],
    press_until: Callable[[Page, str, Locator], None],
) -> None:
    ws = served.workspace
    set_setting(ws, "annotator_names", ["mei", "lee"])
    first = problemsets.create(ws, name="shop-units", text=TEXT, author="template", origin=Origin.TEMPLATE)
    second = revisions.save(ws, first.problemset_id, WRONG, base_revision_id=first.id, author="lee")
    problemsets.submit(ws, first.problemset_id, base_revision_id=second.id)
    shop = first.problemset_id

    reviewer = open_tab()
    visit(reviewer, "/")
    press_until(reviewer, "n", reviewer.get_by_role("heading", name="shop-units"))  # what others submitted comes first
    expect(reviewer.get_by_text("you, 30 minutes left").first).to_be_visible()
    visit(reviewer, f"/compare?set={shop}&a={first.id}&b={second.id}")
    expect(reviewer.get_by_role("heading", name="Problem 1")).to_be_visible()
    expect(reviewer.get_by_text("max(units)").first).to_be_visible()
    follow(reviewer, "Open in the editor")
    expect(reviewer.get_by_role("heading", name="Problem 1 of 1")).to_be_visible()
    settled(reviewer)
    reviewer.get_by_role("tab", name="Comments").click()
    reviewer.get_by_label("New comment").fill("That is the largest sale, not all of them.")
    reviewer.get_by_text("Blocks accepting").click()
    reviewer.get_by_role("button", name="Comment", exact=True).click()
    expect(reviewer.get_by_text("blocks accepting").first).to_be_visible()
    dialog = reviewer.get_by_role("dialog")
    press_until(reviewer, "Alt+x", dialog)
    dialog.get_by_role("button", name="Send revision 2 back").click()
    expect(dialog.get_by_text("a reason is needed")).to_be_visible()
    dialog.get_by_label("What should the author change?").focus()
    reviewer.keyboard.type("see the comment")
    reviewer.wait_for_timeout(1_200)  # longer than the pause after which typed text is kept
    reviewer.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    press_until(reviewer, "Alt+x", dialog)
    reason = dialog.get_by_label("What should the author change?")
    expect(reason).to_have_value("see the comment")
    reason.focus()
    reviewer.keyboard.press("End")
    reviewer.keyboard.type(" on the total")
    reviewer.keyboard.press("Tab")
    reviewer.keyboard.press("Enter")
    expect(reviewer.get_by_text("sent revision 2 of shop-units back").first).to_be_visible()
    expect(dialog).to_be_hidden()

    author = open_tab()
    visit(author, f"/editor?set={shop}&pid=total&user=lee")
    expect(author.get_by_text("sent back").first).to_be_visible()
    code = author.get_by_role("textbox", name="Reference code")
    code.fill("sum(units)")
    code.press("Control+s")
    expect(author.get_by_text("all saved as revision 3")).to_be_visible()
    author.get_by_role("tab", name="Comments").click()
    author.get_by_role("button", name="Resolve").click()
    expect(author.get_by_text("resolved by lee")).to_be_visible()
    press_until(author, "Alt+u", author.get_by_text("submitted for review").first)

    visit(reviewer, f"/problemset?set={shop}&user=mei")
    expect(reviewer.get_by_role("button", name="Accept revision 3")).to_be_enabled()
    head = problemsets.find(ws, shop).head_revision_id
    third = revisions.find(ws, head)
    newer = revisions.save(ws, shop, third.text + "# ready\n", base_revision_id=head, author="lee")
    order_dry_run(served, newer.id)
    reviewer.keyboard.press("Alt+a")  # the screen still shows revision 3
    expect(reviewer.get_by_text("is not the newest revision; 4 is").first).to_be_visible()
    assert problemsets.find(ws, shop).status == "draft"
    accept = reviewer.get_by_role("button", name="Accept revision 4")
    expect(accept).to_be_enabled()
    waiting = problemsets.create(ws, name="shop-next", text=TEXT, author="lee", origin=Origin.PERSON)
    problemsets.submit(ws, waiting.problemset_id, base_revision_id=waiting.id)
    settled(reviewer)
    reviewer.keyboard.press("Alt+a")
    expect(reviewer.get_by_text("accepted revision 4 of shop-units; this is the next one").first).to_be_visible()
    expect(reviewer.get_by_role("heading", name="shop-next")).to_be_visible()
    expect(reviewer.get_by_text("you, 30 minutes left").first).to_be_visible()
    assert [(each.decision, each.by, each.revision_id) for each in list_decisions(ws, shop)] == [
        ("sent_back", "mei", second.id),
        ("accepted", "mei", newer.id),
    ]
    assert [comment.resolved_by for comment in list_comments(ws, shop)] == ["lee"]
