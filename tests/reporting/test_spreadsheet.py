"""Tables for spreadsheet programs hold no formulas."""

import pytest

from evaluator.reporting.spreadsheet import csv_table, safe_cell


@pytest.mark.parametrize("start", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
def test_text_that_would_start_a_formula_gets_a_mark_in_front(start: str) -> None:
    assert safe_cell(start) == f"'{start}"


def test_numbers_and_plain_text_stay_as_they_are() -> None:
    assert csv_table(["a", "b"], [(-1.5, "x=1"), (None, 'say "hi",')]) == (
        b'\xef\xbb\xbfa,b\r\n-1.5,x=1\r\n,"say ""hi"","\r\n'
    )
