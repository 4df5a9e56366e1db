"""What is clicked is done, also when something else is clicked before it is."""

import time
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from authoring.store import jobs, problemsets
from authoring.store.statuses import Origin

pytestmark = [pytest.mark.browser, pytest.mark.deep]

DELAYS_MS = (1, 2, 3, 4, 6, 8)
TEXT = "".join(f'# %%\n"""\nquery: What is {number}?\n"""\n{number}\n\n' for number, _ in enumerate(DELAYS_MS, 1))
CLICK_BOTH = "([one, other, delay]) => { one.click(); setTimeout(() => other.click(), delay); }"
PATIENCE_S = 30


def test_what_is_ordered_is_ordered_though_another_click_follows_at_once(
    served: Any, open_tab: Callable[..., Page], visit: Callable[[Page, str], None], settled: Callable[[Page], None]
) -> None:
    draft = problemsets.create(served.workspace, name="many", text=TEXT, author="template", origin=Origin.TEMPLATE)
    page = open_tab()
    for number, delay in enumerate(DELAYS_MS, 1):
        visit(page, f"/editor?set={draft.problemset_id}&pid=p{number}")
        expect(page.get_by_role("heading", name=f"Problem {number} of {len(DELAYS_MS)}")).to_be_visible()
        settled(page)
        run = page.get_by_role("button", name="Run this").element_handle()
        verdicts = page.get_by_role("tab", name="Verdicts", exact=True)
        page.evaluate(CLICK_BOTH, [run, verdicts.element_handle(), delay])
        expect(verdicts).to_have_attribute("aria-selected", "true")
        deadline = time.monotonic() + PATIENCE_S
        while len(jobs.select(served.workspace)) < number and time.monotonic() < deadline:
            page.wait_for_timeout(50)
        assert len(jobs.select(served.workspace)) == number, f"the first of two clicks {delay} ms apart was lost"
