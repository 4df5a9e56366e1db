"""Rates keep their bounds and say what they leave out: dseal.md, section 6."""

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from evaluator.scoring import Verdict, count_verdicts, last_attempts, pass_rate, pass_rates

verdicts = st.lists(st.sampled_from([*Verdict, "SOMETHING_ELSE"]), max_size=30)


@dataclass(frozen=True)
class Record:
    """What rates need of a record."""

    verdict: str
    problemset: str = "set"
    index: int = 1
    attempt: int = 1
    epoch: int = 1


def test_rates_are_fractions_of_what_was_judged() -> None:
    names = ["CORRECT"] * 4 + ["INTACT_VIOLATION", "PRESENTATION_ERROR", "PRESENTATION_ERROR", "CRASH", "NOT_JUDGED"]
    rates = pass_rates([Record(name) for name in names])
    assert rates.to_json() == {
        "judged": 8,
        "not_judged": 1,
        "pass_rate": 0.5,
        "without_intact": 0.625,
        "without_presentation": 0.75,
        "without_both": 0.875,
    }


def test_without_judged_records_there_is_no_rate() -> None:
    for names in ([], ["NOT_JUDGED"] * 3):
        rates = pass_rates([Record(name) for name in names])
        assert (rates.judged, rates.not_judged) == (0, len(names))
        assert {rates.pass_rate, rates.without_intact, rates.without_presentation, rates.without_both} == {None}
        assert pass_rate([Record(name) for name in names]) is None


@given(names=verdicts)
def test_rates_keep_their_bounds_and_their_order(names: list[str]) -> None:
    rates = pass_rates([Record(name) for name in names])
    assert rates.judged + rates.not_judged == len(names)
    if rates.pass_rate is None:
        assert rates.judged == 0
        return
    assert rates.without_intact is not None
    assert rates.without_presentation is not None
    assert rates.without_both is not None
    middle = sorted([rates.without_intact, rates.without_presentation])
    assert 0 <= rates.pass_rate <= middle[0] <= middle[1] <= rates.without_both <= 1


@given(names=verdicts, lost=st.integers(0, 5))
def test_what_was_not_judged_changes_no_rate(names: list[str], lost: int) -> None:
    records = [Record(name) for name in names]
    more = [*records, *[Record("NOT_JUDGED")] * lost]
    assert pass_rate(more) == pass_rate(records)


def test_an_unknown_verdict_counts_as_judged_and_not_correct() -> None:
    assert pass_rate([Record("CORRECT"), Record("LUCKY")]) == 0.5


def test_verdicts_are_counted_in_catalogue_order() -> None:
    names = ["UNKNOWN", "LUCKY", "CRASH", "CORRECT", "CRASH", "ABSENT"]
    counts = count_verdicts([Record(name) for name in names])
    assert list(counts.items()) == [("CORRECT", 1), ("CRASH", 2), ("UNKNOWN", 1), ("ABSENT", 1), ("LUCKY", 1)]


def test_the_last_attempt_counts() -> None:
    records = [
        Record("CRASH", index=1, attempt=1),
        Record("CORRECT", index=1, attempt=2),
        Record("CORRECT", index=2, attempt=2),
        Record("CRASH", index=2, attempt=1),
        Record("CRASH", index=2, attempt=2, epoch=2),
        Record("CORRECT", problemset="other", index=1),
    ]
    assert [(r.problemset, r.index, r.epoch, r.verdict) for r in last_attempts(records)] == [
        ("set", 1, 1, "CORRECT"),
        ("set", 2, 1, "CORRECT"),
        ("set", 2, 2, "CRASH"),
        ("other", 1, 1, "CORRECT"),
    ]


def test_of_two_records_of_one_attempt_the_later_one_counts() -> None:
    assert [r.verdict for r in last_attempts([Record("CRASH"), Record("CORRECT")])] == ["CORRECT"]
