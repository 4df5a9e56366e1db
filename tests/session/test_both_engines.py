"""Forked and replayed sessions score the shipped benchmark alike: the same endings, verdicts and judged values.

tests/scoring/test_end_to_end.py holds them against each other submission by submission.
"""

import hashlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from evaluator.agents import EmptyAgent, OracleAgent
from evaluator.inside.codec.codec import pack, unpack
from evaluator.inside.export.payload import payload_parts
from evaluator.language import read_benchmark
from evaluator.running import score_problemset
from evaluator.session import KERNEL_MODULE, Engine, Isolation, Outcome, SandboxChoice, Session, probe_sandbox

pytestmark = [pytest.mark.kernel, pytest.mark.slow]

CORE = Path(__file__).parents[2] / "problemsets" / "core"
AT_ONCE = 2


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    choice = SandboxChoice.AUTO if probe_sandbox().available else SandboxChoice.NONE
    with Engine(
        sandbox=choice, trusted=True, comparators=AT_ONCE, preload=(KERNEL_MODULE, "sklearn.linear_model")
    ) as started:
        yield started


def values_of(outcome: Outcome) -> str:
    """Return a fingerprint of a claim without its traceback, which names files and lines."""
    if outcome.payload is None:
        return ""
    first, *later = payload_parts(outcome.payload)
    tree, buffers = unpack(first)
    if tree["error"] is not None:
        tree["error"]["traceback"] = ""
    digest = hashlib.sha256(pack(tree, list(map(bytes, buffers))))
    for part in later:
        if unpack(part)[0]["inferred"] is not None:  # a kernel tells it before the probes, a trial after them
            digest.update(part)
    return digest.hexdigest()


def test_both_engines_judge_the_shipped_benchmark_alike(engine: Engine) -> None:
    def both(loaded: Any) -> list[list[tuple[str, ...]]]:
        return [scores_of(engine, loaded, isolation) for isolation in Isolation]

    with ThreadPoolExecutor(AT_ONCE) as pool:
        compared = list(pool.map(both, read_benchmark(CORE).sets))
    assert sum(len(forked) for forked, _ in compared) >= 80
    assert [pair for pair in compared if pair[0] != pair[1]] == []


class _Bound:
    """The engine with one isolation, whatever a problemset would choose."""

    def __init__(self, engine: Engine, isolation: Isolation) -> None:
        self._engine = engine
        self.isolation = isolation

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def open(self, **options: Any) -> Session:
        return self._engine.open(**{**options, "isolation": self.isolation})


def scores_of(engine: Engine, loaded: Any, isolation: Isolation) -> list[tuple[str, ...]]:
    """Return name and facts of what the oracle and the empty agent get, problem by problem."""
    found: list[tuple[str, ...]] = []
    bound: Any = _Bound(engine, isolation)

    def keep(scored: Any) -> None:
        for each in scored.attempts:
            assert each.outcome.engine == isolation.value
            said = (each.outcome.ending.value, each.judged.verdict.value, each.judged.subverdict.value)
            found.append((scored.problem_id, each.agent, *said, values_of(each.outcome)))

    assert score_problemset(bound, loaded, (OracleAgent(), EmptyAgent()), on_scored=keep) == ()
    return found
