"""Tables of plain text."""

from evaluator.reporting.text_tables import text_table


def test_a_line_break_in_a_cell_breaks_no_row() -> None:
    assert text_table(["agent", "n"], [["a\nb\r\nc", "10"]]) == "agent   n\n-----  --\na b c  10"
