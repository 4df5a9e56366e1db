"""Two runs on the same problems, how sure a rate or a difference is, and tables for spreadsheet programs."""

import csv
import io
import json
from pathlib import Path

import pytest

from evaluator.reporting import (
    PairedCounts,
    attempts_csv,
    compare_runs,
    comparison_csv,
    csv_text,
    mcnemar_exact,
    moved_ranks,
    paired_difference,
    read_run,
    wilson_interval,
)
from evaluator.reporting.spreadsheet import csv_table, safe_cell
from tests.reporting.conftest import record, write_run


def test_the_interval_is_wilson_s_and_the_test_is_mcnemar_s_exact_one() -> None:
    for successes, trials, low, high in (
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        (5, 10, 0.2366, 0.7634),
        (81, 263, 0.2553, 0.3662),
    ):
        assert wilson_interval(successes, trials) == pytest.approx((low, high), abs=5e-5)
    assert wilson_interval(0, 0) is None
    with pytest.raises(ValueError, match="successes=3"):
        wilson_interval(3, 2)
    for only_first, only_second, expected in (
        *((1, 7, 0.0703125), (6, 16, 0.0524788), (12, 2, 0.0129395), (0, 0, 1.0), (5, 5, 1.0), (0, 1, 1.0)),
        *((0, 60, 2**-59), (30_000, 30_400, 0.10448)),
    ):
        tolerance = 1e-3 if only_first > 1_000 else 1e-5
        assert mcnemar_exact(only_first, only_second) == pytest.approx(expected, rel=tolerance)


def test_the_interval_of_a_paired_difference_is_newcombe_s() -> None:
    for counts, low, high in (
        ((1, 7, 1, 12), -0.507, -0.026),
        ((36, 2, 12, 0), 0.0569, 0.3404),
        ((0, 0, 0, 54), -0.0664, 0.0664),
    ):
        both, first, second, neither = counts
        found = paired_difference(PairedCounts(both, first, second, neither))
        mirrored = paired_difference(PairedCounts(both, second, first, neither))
        assert found is not None
        assert mirrored is not None
        assert (found.low, found.high) == pytest.approx((low, high), abs=5e-4)
        assert (-mirrored.high, -mirrored.low) == pytest.approx((found.low, found.high))
    assert paired_difference(PairedCounts()) is None


def test_two_runs_are_compared_on_problems_asked_in_the_same_words(tmp_path: Path) -> None:
    first = [record(1), record(2, "CRASH"), record(3), record(4), record(5), record(6, "TIMEOUT")]
    second = [record(1), record(2), record(3, "CRASH", attempt=1), record(3, "WRONG_OUTPUT", attempt=2)]
    second += [record(4, question="Another?"), record(6, "TIMEOUT")]
    folders = [tmp_path / name for name in ("one", "two")]
    for folder, records in zip(folders, (first, second), strict=True):
        folder.mkdir()
        write_run(folder, *records)
    found = compare_runs(*[read_run(folder / "run") for folder in folders])
    assert found.total.counts == PairedCounts(both=1, only_first=1, only_second=1, neither=1)
    assert (found.alone, found.other_query, found.not_judged, found.withheld) == ((1, 0), 1, 0, "")
    assert found.total.p_value == 1.0
    assert found.by_set["sums"].counts == found.total.counts
    assert "second minus first: +0.0 percentage points" in found.to_text()
    assert "problems judged in one run only, left out: 1 of the first, 0 of the second\n" in found.to_text()
    assert "sums" in found.to_text()
    assert json.loads(json.dumps(found.to_json()))["total"]["only_first"] == 1
    rows = list(csv.reader(io.StringIO(comparison_csv(found.problems))))
    assert rows[1:] == [
        ["sums", "1", "1", "CORRECT", "CORRECT", "both"],
        ["sums", "2", "1", "CRASH", "CORRECT", "second"],
        ["sums", "3", "1", "CORRECT", "WRONG_OUTPUT", "first"],
        ["sums", "6", "1", "TIMEOUT", "TIMEOUT", "neither"],
    ]


def test_of_many_changed_problems_a_terminal_shows_the_first(tmp_path: Path) -> None:
    for name, verdict in (("a", "CORRECT"), ("b", "CRASH")):
        (tmp_path / name).mkdir()
        write_run(tmp_path / name, *(record(index, verdict) for index in range(1, 1_042)))
    found = compare_runs(*[read_run(tmp_path / name / "run") for name in "ab"])
    text = found.to_text()
    assert text.endswith("\n… 1,021 more: --csv FILE has all")
    assert [line.split()[1] for line in text.splitlines() if line.endswith("CRASH")] == [f"{n}" for n in range(1, 21)]
    assert found.to_text(csv="all.csv").endswith("… 1,021 more: all.csv has all")
    assert "the 1,041 problems that only one solved" in text


def test_rates_are_withheld_while_some_are_not_judged_or_rules_differ(tmp_path: Path) -> None:
    for name, records, rules in (
        ("a", [record(1), record(2)], "sound"),
        ("b", [record(1), record(2, "NOT_JUDGED")], "sound"),
        ("c", [record(1), record(2)], "published"),
    ):
        (tmp_path / name).mkdir()
        write_run(tmp_path / name, *records, rules=rules)
    a, b, c = (read_run(tmp_path / name / "run") for name in "abc")
    unjudged = compare_runs(a, b)
    assert (unjudged.total.counts.total, unjudged.not_judged, unjudged.total.rates) == (1, 1, None)
    assert "no rates: 1 problems are not judged" in unjudged.to_text()
    other = compare_runs(a, c)
    assert other.differing == {"rules": ("sound", "published")}
    assert other.to_json()["total"]["p_value"] is None


def test_places_are_counted_among_the_agents_that_ran_on_both() -> None:
    before = {"alpha": 0.9, "beta": 0.8, "gamma": 0.8, "old": 1.0}
    after = {"alpha": 0.7, "beta": 0.75, "gamma": 0.6, "new": 0.99}
    found = {each.agent: (each.rank_before, each.rank_after, each.moved) for each in moved_ranks(before, after)}
    assert found == {
        **{"beta": (2, 1, 1), "alpha": (1, 2, -1), "gamma": (2, 3, -1)},
        **{"new": (None, None, None), "old": (None, None, None)},
    }
    assert list(found)[:3] == ["beta", "alpha", "gamma"]


def test_text_that_would_start_a_formula_gets_a_mark_in_front() -> None:
    for start in ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"):
        assert safe_cell(start) == f"'{start}"
    assert csv_table(["a", "b"], [(-1.5, "x=1"), (None, 'say "hi",')]) == (
        b'\xef\xbb\xbfa,b\r\n-1.5,x=1\r\n,"say ""hi"","\r\n'
    )
    formulas = ["=1+1", "@x", "\tx", "plain", 'say "x", y\nz']
    (row,) = list(csv.reader(io.StringIO(csv_text(["a"] * 5, [formulas]), newline="")))[1:]
    assert row == ["'=1+1", "'@x", "'\tx", "plain", 'say "x", y\nz']
    (_, attempt) = csv.reader(io.StringIO(attempts_csv([record(1, code="=cmd()", seconds=-1.5)]), newline=""))
    assert attempt[-1] == "'=cmd()"
    assert "-1.5" in attempt
