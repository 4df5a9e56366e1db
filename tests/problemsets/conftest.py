"""The shipped sets import much."""

import pytest

from evaluator.session import Engine


@pytest.fixture(scope="session")
def engine(stocked_engine: Engine) -> Engine:
    """The engine that has imported it."""
    return stocked_engine
