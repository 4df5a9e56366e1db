"""The server goes away and comes back as another process: what is typed meanwhile stays, and arrives."""

from typing import Any

import pytest
from playwright.sync_api import expect

from authoring.store import autosaves, problemsets
from authoring.store.reviewing.reviews import list_comments
from authoring.store.statuses import Origin
from tests.browser.conftest import OpenTab, RunningApp, settle, until

pytestmark = [pytest.mark.browser, pytest.mark.deep]

EMPTY = "(field) => Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value').set.call(field, '')"
TEXT = '# %%\n"""\nquery: How many units were sold?\nid: units\n"""\n3\n'


@pytest.fixture
def served(own_app: RunningApp) -> RunningApp:
    """Tests of this module end the server, so the page has to be that of an app of their own."""
    return own_app


def test_what_is_typed_while_the_server_is_away_stays_and_arrives(served: Any, open_tab: OpenTab) -> None:
    ws = served.workspace
    draft = problemsets.create(ws, name="units", text=TEXT, author="template", origin=Origin.TEMPLATE)
    page = open_tab(outages=True)
    page.goto(f"/editor?set={draft.problemset_id}&pid=units")
    code = page.get_by_role("textbox", name="Reference code")
    page.get_by_role("tab", name="Comments").click()
    comment = page.get_by_label("New comment")
    comment.fill("Which")
    settle(page)
    place = page.locator(".cm-editor", has=code).bounding_box()

    served.stop()
    notice = page.get_by_role("status").filter(has_text="server does not answer")
    comment.press("End")
    comment.press_sequentially(" units?")
    expect(notice).to_be_visible()
    comment.press_sequentially(" Say so.")  # the framework has closed its fields by now
    code.press("Control+End")
    code.press_sequentially("  # sold")
    expect(comment).to_have_value("Which units? Say so.")
    expect(code).to_contain_text("3  # sold")
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert page.locator(".cm-editor", has=code).bounding_box() == place

    served.start()
    expect(page.get_by_text("Connected again; what you typed is here.")).to_be_visible()
    until(page, lambda: bool(autosaves.select(ws, "mei", draft.problemset_id)))
    assert [saved.text for saved in autosaves.select(ws, "mei", draft.problemset_id)] == ["3  # sold"]
    settle(page)
    expect(comment).to_have_value("Which units? Say so.")
    comment.evaluate(EMPTY)  # as a page does that the new process draws only now
    expect(comment).to_have_value("Which units? Say so.")
    assert page.locator(".cm-editor", has=code).bounding_box() == place
    page.get_by_role("tabpanel").get_by_role("button", name="Comment").click()
    expect(page.get_by_text("Which units? Say so.").last).to_be_visible()
    expect(comment).to_have_value("")
    assert [each.text for each in list_comments(ws, draft.problemset_id)] == ["Which units? Say so."]
