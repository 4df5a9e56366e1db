"""The shipped sets import much."""

import pytest

from evaluator.session import Engine


@pytest.fixture
def engine(engine: Engine, request: pytest.FixtureRequest) -> Engine:
    """The engine that has imported it, where whole sets run."""
    is_whole = request.node.get_closest_marker("deep") is not None
    found: Engine = request.getfixturevalue("stocked_engine") if is_whole else engine
    return found
