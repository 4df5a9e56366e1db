"""Engines and small problemsets for the tests of plans."""

from collections.abc import Iterator

import pytest

from evaluator.session import Engine


@pytest.fixture(scope="session")
def engines() -> Iterator[tuple[Engine, ...]]:
    """Two engines that differ in their hash seeds."""
    with Engine() as first, Engine(hash_seed=1) as second:
        yield first, second
