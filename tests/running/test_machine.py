"""Slow machines: whose fault it is when a reference misses its limit."""

from collections.abc import Callable
from pathlib import Path

import pytest

from evaluator.agents import OracleAgent
from evaluator.language import read_benchmark
from evaluator.running import Conditions, ExecutedCell, score_problemset
from evaluator.running.machine import measure_time_scale
from evaluator.session import Engine

WriteBenchmark = Callable[..., Path]
SLOW = '''# %%
import time

# %%
"""
query: Sleep.
execution:
  max_time: 0.3
"""
time.sleep(0.6)

# %%
"""
query: Add.
execution:
  max_time: 20
"""
1 + 1
'''


def test_this_machine_is_somewhere_near_the_nominal_one() -> None:
    assert 0.05 < measure_time_scale() < 50


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("time_scale", "verdicts", "refused"),
    [(1.0, [], ["reference-over-time"]), (0.1, [], ["reference-over-time"]), (60.0, ["NOT_JUDGED", "CORRECT"], [])],
    ids=["nominal", "fast", "slow"],
)
def test_a_reference_over_its_limit_is_the_machines_fault_only_where_a_nominal_one_would_meet_it(
    engine: Engine, write_benchmark: WriteBenchmark, time_scale: float, verdicts: list[str], refused: list[str]
) -> None:
    loaded = read_benchmark(write_benchmark({"slow": SLOW})).sets[0]
    scored: list[ExecutedCell] = []
    conditions = Conditions(time_scale=time_scale)
    found = score_problemset(engine, loaded, [OracleAgent()], conditions=conditions, on_scored=scored.append)
    assert [each.attempts[0].judged.verdict.value for each in scored] == verdicts
    assert [each.code for each in found] == refused
