"""Intervals over epochs: never of no width, never narrower than what independent problems tell."""

from itertools import repeat
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.experiments.intervals import effective_answers, rate_interval
from evaluator.records import Record
from evaluator.reporting.paired import wilson_interval


def records(answers: list[list[bool]]) -> list[Record]:
    return [
        Record("b", "1", "s", index, 1, "CORRECT" if solved else "CRASH", "", "", "", epoch=epoch)
        for index, each in enumerate(answers, 1)
        for epoch, solved in enumerate(each, 1)
    ]


def test_epochs_that_all_agree_tell_as_much_as_one() -> None:
    """Nothing varies, so that nothing tells how far epochs are independent: they count as one."""
    for problems in (1, 12):
        for solved in (True, False):
            found = rate_interval(records([[solved] * 10] * problems))
            once = wilson_interval(problems if solved else 0, problems)
            assert found is not None
            assert once is not None
            assert found == pytest.approx(once, abs=1e-9)
            assert found.high - found.low > 0.2


def test_an_interval_ends_at_0_or_1_where_none_or_all_are_solved() -> None:
    """Not at 2.8e-17 or minus zero, which files would show."""
    for problems in (*range(1, 30), 61, 101, 199):
        for epochs in (1, 3):
            none, every = (rate_interval(records([[solved] * epochs] * problems)) for solved in (False, True))
            assert none is not None
            assert every is not None
            assert (repr(none.low), repr(every.high)) == ("0.0", "1.0")


def test_epochs_that_are_independent_tell_more_than_one() -> None:
    """Each problem is solved in every second epoch: 40 answers are worth 40."""
    answers = [[bool((epoch + index) % 2) for epoch in range(10)] for index in range(4)]
    assert effective_answers(answers) == 40
    assert rate_interval(records(answers)) == pytest.approx(wilson_interval(20, 40), abs=1e-9)


@given(
    st.lists(st.integers(0, 6).map(lambda solved: [True] * solved + [False] * (6 - solved)), min_size=1, max_size=12)
)
def test_an_interval_over_epochs_holds_the_rate_and_has_a_width(answers: list[list[bool]]) -> None:
    found = rate_interval(records(answers))
    rate = fmean(fmean(each) for each in answers)
    assert found is not None
    assert 0 <= found.low <= rate + 1e-12
    assert rate - 1e-12 <= found.high <= 1
    assert found.high - found.low > 0.01
    assert len(answers) <= effective_answers(answers) + 1e-9 <= 6 * len(answers) + 1e-6


def test_problems_with_other_numbers_of_epochs_count_by_their_rates() -> None:
    answers = [[True] * 2, [False] * 3, list(repeat(True, 5))]
    found = rate_interval(records(answers))
    assert found is not None
    assert found.low < 2 / 3 < found.high


def test_equal_epochs_tell_no_more_than_one() -> None:
    """Epochs of one problem are not independent: the interval is that of problems."""
    interval = rate_interval(records([10 * [bool(index % 2)] for index in range(40)]))
    assert interval is not None
    assert interval.low == pytest.approx(0.5 - 1.959964 * 0.5063697 / 40**0.5, abs=1e-6)


def test_without_a_judged_problem_there_is_no_interval() -> None:
    assert rate_interval([]) is None
    assert rate_interval([Record("b", "1", "s", 1, 1, "NOT_JUDGED", "", "", "")]) is None
