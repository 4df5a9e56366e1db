"""A run at a glance."""

from dataclasses import dataclass

from evaluator.reporting import percent, summarise_run, text_table
from evaluator.reporting.run_details import LEGEND


@dataclass(frozen=True)
class FakeRecord:
    verdict: str
    problemset: str = "set"
    index: int = 1
    attempt: int = 1
    epoch: int = 1


JUDGED = [
    FakeRecord("CORRECT", "trips", 1),
    FakeRecord("CRASH", "trips", 2, attempt=1),
    FakeRecord("PRESENTATION_ERROR", "trips", 2, attempt=2),
    FakeRecord("INTACT_VIOLATION", "sales", 1),
]
RECORDS = [*JUDGED, FakeRecord("NOT_JUDGED", "sales", 2)]


def test_a_run_is_summarised_by_problemset_and_by_verdict() -> None:
    report = summarise_run(JUDGED).to_json()
    assert report["rates_withheld"] is None
    assert report["total"] == {
        "name": "all",
        "judged": 3,
        "not_judged": 0,
        "pass_rate": 1 / 3,
        "without_intact": 2 / 3,
        "without_presentation": 2 / 3,
        "without_both": 1.0,
        "verdicts": {"CORRECT": 1, "INTACT_VIOLATION": 1, "PRESENTATION_ERROR": 1},
    }
    assert [(group["name"], group["judged"], group["pass_rate"]) for group in report["by_set"]] == [
        ("trips", 2, 0.5),
        ("sales", 1, 0.0),
    ]


def test_no_rate_is_given_while_anything_is_not_judged() -> None:
    report = summarise_run(RECORDS)
    assert "1 not judged" in report.to_json()["rates_withheld"]
    total = report.to_json()["total"]
    assert (total["judged"], total["not_judged"], total["verdicts"]["CORRECT"]) == (3, 1, 1)
    groups = [total, *report.to_json()["by_set"]]
    assert {group[name] for group in groups for name in ("pass_rate", "without_intact")} == {None}
    assert "%" not in report.to_text()


def test_a_run_is_shown_as_two_tables() -> None:
    assert summarise_run(JUDGED).to_text().splitlines() == [
        "problemset  judged  not judged  pass rate  w/o intact  w/o PE  w/o both",
        "----------  ------  ----------  ---------  ----------  ------  --------",
        "trips            2           0      50.0%       50.0%  100.0%    100.0%",
        "sales            1           0       0.0%      100.0%    0.0%    100.0%",
        "all              3           0      33.3%       66.7%   66.7%    100.0%",
        "",
        LEGEND,
        "",
        "verdict             problems  share",
        "------------------  --------  -----",
        "CORRECT                    1  33.3%",
        "INTACT_VIOLATION           1  33.3%",
        "PRESENTATION_ERROR         1  33.3%",
    ]


def test_an_empty_run_says_so() -> None:
    report = summarise_run([])
    assert report.to_text() == "no records"
    assert report.total.rates.pass_rate is None
    assert report.by_set == ()


def test_a_run_of_which_nothing_was_judged_has_no_rates() -> None:
    text = summarise_run([FakeRecord("NOT_JUDGED")]).to_text()
    assert text.splitlines()[0].startswith("1 not judged")
    assert text.splitlines()[4].split() == ["set", "0", "1", "-", "-", "-", "-"]


def test_tables_are_padded() -> None:
    assert text_table(["a", "bb"], [["xxx", "1"]]) == "a    bb\n---  --\nxxx   1"
    assert percent(None) == "-"
    assert percent(0.125) == "12.5%"


def test_verdicts_stand_in_the_order_of_their_counts_and_say_what_is_counted() -> None:
    once = [FakeRecord("TIMEOUT", index=index) for index in (1, 2)] + [FakeRecord("CORRECT", index=3)]
    once.append(FakeRecord("CRASH", index=4))
    table = summarise_run(once).to_text().rpartition("\n\n")[2].splitlines()
    assert [line.split()[:2] for line in table[:1] + table[2:]] == [
        *(["verdict", "problems"], ["TIMEOUT", "2"], ["CORRECT", "1"], ["CRASH", "1"])
    ]
    twice = summarise_run([*once, FakeRecord("CORRECT", epoch=2)]).to_text()
    assert "verdict  problems, all epochs  share" in twice
