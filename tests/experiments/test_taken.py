"""What models took, in tables: known where every attempt tells it, and never less than it was."""

from dataclasses import replace
from typing import Any

import pytest

from evaluator.experiments.results import mean_tokens, whole_cost
from evaluator.records import Record


def attempt(index: int, number: int = 1, **stats: Any) -> Record:
    return Record("b", "1", "s", index, number, "CORRECT", "", "", "", agent_stats=stats)


@pytest.mark.parametrize(
    ("attempts", "mean"),
    [
        ([attempt(1, prompt_tokens=100, completion_tokens=10), attempt(2, prompt_tokens=0)], (50, 5)),
        ([attempt(1, prompt_tokens=100, completion_tokens=10), attempt(1, 2)], None),
        ([attempt(1, prompt_tokens=100, completion_tokens=10), attempt(2)], (100, 10)),
        ([attempt(1, prompt_tokens=100), attempt(1, 2, prompt_tokens=60, completion_tokens=8)], (160, 8)),
        ([attempt(1), attempt(2)], None),
        ([], None),
    ],
)  # fmt: skip
def test_tokens_are_of_problems_all_of_whose_attempts_tell_them(attempts: list[Record], mean: object) -> None:
    assert mean_tokens(attempts) == mean


@pytest.mark.parametrize(
    ("attempts", "cost"),
    [
        ([attempt(1, calls=1, cost=0.5), attempt(2, calls=2, cost=0.25)], 0.75),
        ([attempt(1, calls=1, cost=0.5), attempt(2, calls=1)], None),
        ([attempt(1, calls=1, cost=0.5), attempt(2, calls=0)], 0.5),
        ([attempt(1), attempt(2)], None),
    ],
)
def test_a_cost_that_is_not_known_whole_is_not_known(attempts: list[Record], cost: float | None) -> None:
    assert whole_cost(attempts) == cost


def test_problems_whose_tokens_nobody_told_are_no_zeros() -> None:
    told = [attempt(number, prompt_tokens=30 * number) for number in (1, 2)]
    not_judged, crashed = replace(attempt(3), verdict="NOT_JUDGED", agent_stats=None), attempt(4, calls=1)
    untold = [not_judged, replace(crashed, verdict="CRASH")]
    assert mean_tokens([*told, *untold]) == (45.0, 0.0)
    assert mean_tokens(untold) is None
