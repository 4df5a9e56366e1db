"""The ledger of an experiment: every request is counted once, however the start that made it ended."""

import json
import threading
from pathlib import Path

import pytest

from evaluator.errors import ContentError, RecordingError, ToolkitError
from evaluator.experiments.ledger import LEDGER, LedgerBudget, opened_ledger, spent_by_ledger
from evaluator.models import BudgetLimits, BudgetSpentError, Spent
from tests.models.test_proxy import BODY, door
from tests.scripted_model import KEY, Refuse, scripted_model

NOTHING = Spent()


def test_what_was_paid_is_counted_by_the_next_start(tmp_path: Path) -> None:
    for start in range(3):
        with opened_ledger(tmp_path, lambda: NOTHING) as ledger:
            assert ledger.spent_before == Spent(150 * start, 0.5 * start)
            purse = LedgerBudget(BudgetLimits(tokens=1000), ledger)
            paid, failed = purse.reserve(Spent(300, 1.0)), purse.reserve(Spent(400, 1.0))
            purse.settle(paid, Spent(150, 0.5))
            purse.settle(failed, NOTHING)
    assert spent_by_ledger(tmp_path / LEDGER) == Spent(450, 1.5)


def test_the_budget_ends_over_all_starts(tmp_path: Path) -> None:
    for _ in range(3):
        with opened_ledger(tmp_path, lambda: NOTHING) as ledger:
            purse = LedgerBudget(BudgetLimits(tokens=1000), ledger)
            purse.settle(purse.reserve(Spent(300)), Spent(300))
    with opened_ledger(tmp_path, lambda: NOTHING) as ledger:
        purse = LedgerBudget(BudgetLimits(tokens=1000), ledger)
        with pytest.raises(BudgetSpentError, match="900 of 1000"):
            purse.reserve(Spent(101))
        late = purse.reserve(Spent(100))
    purse.settle(late, Spent(50))  # an answer after the end leaves the ledger whole
    assert spent_by_ledger(tmp_path / LEDGER) == Spent(1000)


def test_a_request_under_way_at_a_kill_counts_by_the_most_it_may_take(tmp_path: Path) -> None:
    with opened_ledger(tmp_path, lambda: NOTHING) as ledger:
        LedgerBudget(BudgetLimits(), ledger).reserve(Spent(300, 0.25))
    with (tmp_path / LEDGER).open("ab") as file:
        file.write(b'{"returned":[300,0.25],"sp')  # cut off in the middle of a line
    assert spent_by_ledger(tmp_path / LEDGER) == Spent(300, 0.25)
    with opened_ledger(tmp_path, lambda: NOTHING) as ledger:
        assert ledger.spent_before == Spent(300, 0.25)
        purse = LedgerBudget(BudgetLimits(), ledger)
        purse.settle(purse.reserve(Spent(100)), Spent(70))
    assert spent_by_ledger(tmp_path / LEDGER) == Spent(370, 0.25)


def test_what_starts_without_a_ledger_took_is_asked_once(tmp_path: Path) -> None:
    asked: list[Spent] = []

    def before() -> Spent:
        asked.append(Spent(70, 0.1))
        return asked[-1]

    for _ in range(2):
        with opened_ledger(tmp_path, before) as ledger:
            assert ledger.spent_before == Spent(70, 0.1)
    assert len(asked) == 1


def test_several_threads_write_whole_lines(tmp_path: Path) -> None:
    with opened_ledger(tmp_path, lambda: NOTHING) as ledger:
        purse = LedgerBudget(BudgetLimits(), ledger)

        def pay() -> None:
            for _ in range(20):
                purse.settle(purse.reserve(Spent(10, 0.5)), Spent(3, 0.25))

        threads = [threading.Thread(target=pay) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    lines = (tmp_path / LEDGER).read_text().splitlines()
    assert len(lines) == 1 + 2 * 80
    assert all(json.loads(line) for line in lines)
    assert spent_by_ledger(tmp_path / LEDGER) == Spent(240, 20.0)


def test_two_starts_at_once_are_refused(tmp_path: Path) -> None:
    with (
        opened_ledger(tmp_path, lambda: NOTHING),
        pytest.raises(ContentError, match="another start of this experiment is at work"),
        opened_ledger(tmp_path, lambda: NOTHING),
    ):
        raise AssertionError
    with opened_ledger(tmp_path, lambda: NOTHING):
        pass


def test_a_line_that_is_none_is_named(tmp_path: Path) -> None:
    for line in (
        *("", "x", "[]", "{}", '{"spent": [1, 1]}', '{"before": [1]}', '{"before": 5}', '{"reserved": [-1, 0]}'),
        *('{"reserved": [1.5, 0]}', '{"reserved": [true, 0]}', '{"reserved": [1, NaN]}', '{"reserved": [1, "1"]}'),
        *('{"reserved": [1, 1], "more": [1, 1]}', '{"reserved": [99999999999999999999, 0]}', "[" * 100_000),
    ):
        (tmp_path / LEDGER).write_text('{"before": [5, 0]}\n' + line + "\n")
        with pytest.raises(ContentError) as raised, opened_ledger(tmp_path, lambda: NOTHING):
            raise AssertionError(line[:50])
        assert raised.value.where == f"{tmp_path / LEDGER}:2"
        assert "take the line out" in raised.value.fix


def test_what_cannot_be_written_down_is_not_asked(tmp_path: Path) -> None:
    (tmp_path / LEDGER).symlink_to("/dev/full")
    with pytest.raises(ToolkitError), opened_ledger(tmp_path, lambda: NOTHING):
        raise AssertionError
    (tmp_path / LEDGER).unlink()
    with opened_ledger(tmp_path, lambda: NOTHING) as ledger:
        purse = LedgerBudget(BudgetLimits(tokens=100), ledger)
        ledger._descriptor, kept = -1, ledger._descriptor  # as a disk that went away
        with pytest.raises(RecordingError):
            purse.reserve(Spent(60))
        ledger._descriptor = kept
        assert purse.reserve(Spent(60)) == Spent(60)  # nothing of the first is left put aside


def test_what_an_agent_asks_for_can_be_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent with a client of its own may name any number of answers and tokens."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with (
        scripted_model([Refuse(400)]) as model,
        opened_ledger(tmp_path, lambda: NOTHING) as ledger,
        door(model, purse=LedgerBudget(BudgetLimits(), ledger)) as opened,
    ):
        assert opened.ask({**BODY, "max_tokens": 10**9, "n": 10**9}).why.startswith("all answers to a request")
    assert model.requests == []
    assert spent_by_ledger(tmp_path / LEDGER) == NOTHING
