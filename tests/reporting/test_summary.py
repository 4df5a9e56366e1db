"""A run at a glance, what happened within it, and what its validators answered."""

from dataclasses import dataclass

from evaluator.reporting import (
    Transition,
    percent,
    run_details,
    summarise_run,
    text_table,
    validator_answers,
)
from evaluator.reporting.run_details import LEGEND
from tests.reporting.conftest import record


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


def test_an_empty_run_says_so_and_one_without_judgement_has_no_rates() -> None:
    report = summarise_run([])
    assert report.to_text() == "no records"
    assert report.total.rates.pass_rate is None
    assert report.by_set == ()
    text = summarise_run([FakeRecord("NOT_JUDGED")]).to_text()
    assert text.splitlines()[0].startswith("1 not judged")
    assert text.splitlines()[4].split() == ["set", "0", "1", "-", "-", "-", "-"]


def test_tables_are_padded_and_a_line_break_in_a_cell_breaks_no_row() -> None:
    assert text_table(["a", "bb"], [["xxx", "1"]]) == "a    bb\n---  --\nxxx   1"
    assert text_table(["agent", "n"], [["a\nb\r\nc", "10"]]) == "agent   n\n-----  --\na b c  10"
    assert percent(None) == "-"
    assert percent(0.125) == "12.5%"


def test_verdicts_are_ordered_by_counts_and_say_what_is_counted() -> None:
    once = [FakeRecord("TIMEOUT", index=index) for index in (1, 2)] + [FakeRecord("CORRECT", index=3)]
    once.append(FakeRecord("CRASH", index=4))
    table = summarise_run(once).to_text().rpartition("\n\n")[2].splitlines()
    assert [line.split()[:2] for line in table[:1] + table[2:]] == [
        *(["verdict", "problems"], ["TIMEOUT", "2"], ["CORRECT", "1"], ["CRASH", "1"])
    ]
    twice = summarise_run([*once, FakeRecord("CORRECT", epoch=2)]).to_text()
    assert "verdict  problems, all epochs  share" in twice


# --- within a run ---

TRIES = [
    record(1, "CRASH", attempt=1, subverdict="KEY_ERROR"),
    record(1, "WRONG_OUTPUT", attempt=2, subverdict="VALUE_MISMATCH"),
    record(1, "CORRECT", attempt=3),
    record(2, "CRASH", attempt=1, subverdict="KEY_ERROR"),
    record(2, "CRASH", attempt=2, subverdict="NAME_ERROR"),
    record(3, "CORRECT"),
]


def test_verdicts_change_from_one_attempt_to_the_next() -> None:
    assert run_details(TRIES).transitions == (
        Transition(1, "CRASH", "CRASH", 1),
        Transition(1, "CRASH", "WRONG_OUTPUT", 1),
        Transition(2, "WRONG_OUTPUT", "CORRECT", 1),
    )


def test_rates_and_subverdicts_count_the_last_attempt_up_to_so_many() -> None:
    rates = run_details(TRIES).by_attempt
    assert {number: each.pass_rate for number, each in rates.items()} == {1: 1 / 3, 2: 1 / 3, 3: 2 / 3}
    assert run_details(TRIES).subverdicts == {("CORRECT", "UNCATEGORIZED"): 2, ("CRASH", "NAME_ERROR"): 1}


def test_epochs_are_rated_apart_and_no_board_while_some_are_not_judged() -> None:
    found = run_details([record(1, epoch=1), record(1, "TIMEOUT", epoch=2)])
    assert {epoch: rates.pass_rate for epoch, rates in found.by_epoch.items()} == {1: 1.0, 2: 0.0}
    assert run_details([record(1), record(2, "NOT_JUDGED")]).board is None
    assert run_details([]).board is None
    board = run_details([record(1), record(2, "CRASH")]).board
    assert board is not None
    assert board.pass_rate == 0.5


# --- difficulty, and answers of validators ---


def test_the_answers_of_validators_are_read_from_whatever_stands_there() -> None:
    inner = {"category": "result", "correct": "no", "reason": "5 is not 4"}
    tree = {"category": "and", "correct": "no", "reason": [{"category": "crash", "correct": "yes"}, inner, 7]}
    assert [each[:3] for each in validator_answers(tree)] == [("crash", "yes", ""), ("result", "no", "5 is not 4")]
    told = [(each.title, each.result) for each in validator_answers(tree)]
    assert told == [("no crash", "passed"), ("result", "failed")]
    assert validator_answers("no tree") == []


def test_the_answers_of_validators_are_told_with_how_deep_they_stand() -> None:
    inner: dict[str, object] = {"category": "crash", "correct": "yes"}
    part = {"category": "namespace_check", "correct": "no", "variable": "totals"}
    for level in range(4):
        told = [(each.title, bool(each.about)) for each in validator_answers(inner)]
        assert told == [("- " * max(0, level - 1) + "no crash", True)]
        inner = {"category": "or", "correct": "yes", "reason": [inner]}
    parts = {"category": "and", "reason": [{"category": "namespace_check", "correct": "no", "reason": [part]}]}
    assert [each.title for each in validator_answers(parts)] == ["namespace_check of totals"]


def test_the_score_of_a_graded_validator_is_read_whatever_stands_there() -> None:
    def score(written: object) -> float | None:
        (answer,) = validator_answers({"category": "visual", "correct": "no", "reason": "", "score": written})
        return answer.score

    assert [score(each) for each in (0.25, 1, None, "0.5", True, float("nan"), [1])] == [0.25, 1.0, *[None] * 5]
