"""What happened within a run."""

from evaluator.reporting import Transition, run_details
from tests.reporting.conftest import record

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


def test_rates_after_so_many_attempts_count_the_last_one_up_to_it() -> None:
    rates = run_details(TRIES).by_attempt
    assert {number: each.pass_rate for number, each in rates.items()} == {1: 1 / 3, 2: 1 / 3, 3: 2 / 3}


def test_subverdicts_are_those_of_last_attempts() -> None:
    assert run_details(TRIES).subverdicts == {("CORRECT", "UNCATEGORIZED"): 2, ("CRASH", "NAME_ERROR"): 1}


def test_epochs_are_rated_apart() -> None:
    found = run_details([record(1, epoch=1), record(1, "TIMEOUT", epoch=2)])
    assert {epoch: rates.pass_rate for epoch, rates in found.by_epoch.items()} == {1: 1.0, 2: 0.0}


def test_there_is_no_board_while_something_is_not_judged() -> None:
    assert run_details([record(1), record(2, "NOT_JUDGED")]).board is None
    assert run_details([]).board is None
    board = run_details([record(1), record(2, "CRASH")]).board
    assert board is not None
    assert board.pass_rate == 0.5
