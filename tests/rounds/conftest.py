"""Engines that plans use again, instead of starting two of their own at each step."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext

import pytest

from authoring.rounds import parallel_engines
from evaluator.session import Engine
from tests.drafting.conftest import few_plans, no_model_of_the_machine, no_trials, nothing_fails, trips_workspace, ws

__all__ = ["few_plans", "no_model_of_the_machine", "no_trials", "nothing_fails", "trips_workspace", "ws"]


@pytest.fixture(scope="session")
def engines(engine: Engine) -> Iterator[tuple[Engine, ...]]:
    """Two engines that differ in their hash seeds."""
    with Engine(trusted=True, hash_seed=1) as second:
        yield engine, second


@pytest.fixture
def shared_engines(engines: tuple[Engine, ...], monkeypatch: pytest.MonkeyPatch) -> tuple[Engine, ...]:
    def of_worker(_: object, hash_seeds: tuple[int, ...]) -> AbstractContextManager[tuple[Engine, ...]]:
        return nullcontext(engines[: len(hash_seeds)])

    monkeypatch.setattr(parallel_engines, "engines_of_worker", of_worker)
    return engines
