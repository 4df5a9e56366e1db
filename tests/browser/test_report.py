"""The page that `benchwright report --html` writes, in a real browser."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from evaluator.reporting import read_run
from evaluator.reporting.html_report import html_report
from tests.reporting.conftest import record, write_run

pytestmark = pytest.mark.browser

HOSTILE = "<script>window.hit = 1</script><img src=x onerror='window.hit = 1'><svg onload='window.hit = 1'>"


def test_a_report_filters_its_problems_and_runs_nothing_foreign(browser: Browser, tmp_path: Path) -> None:
    wrong = record(2, "CRASH", subverdict="KEY_ERROR", code=HOSTILE, extended_verdict=HOSTILE, problemset=HOSTILE)
    page_file = tmp_path / "report.html"
    page_file.write_text(html_report(read_run(write_run(tmp_path, record(1, code="1 + 1"), wrong))))
    page = browser.new_page()
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(page_file.as_uri())
    wrong_card = page.locator("details.problem[data-verdict=CRASH]")
    right_card = page.locator("details.problem[data-verdict=CORRECT]")
    expect(page.locator("#shown")).to_have_text("2 of 2")
    page.get_by_label("Verdict").select_option("CRASH")
    expect(page.locator("#shown")).to_have_text("1 of 2")
    expect(wrong_card).to_contain_text("CRASH KEY_ERROR")
    assert not right_card.is_visible()
    page.get_by_label("Verdict").select_option("")
    page.get_by_label("Text").fill("one and one")
    expect(page.locator("#shown")).to_have_text("2 of 2")
    page.get_by_label("Text").fill("1 + 1")
    expect(page.locator("#shown")).to_have_text("1 of 2")
    page.get_by_role("button", name="Open or close all").click()
    expect(right_card.get_by_text("Reference code")).to_be_visible()
    assert page.evaluate("window.hit") is None
    assert said == []
    assert asked == [page_file.as_uri()]
    page.close()
