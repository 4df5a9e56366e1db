"""One engine for the tests of templates."""

from collections.abc import Iterator

import pytest

from evaluator.session import Engine


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    with Engine(trusted=True) as made:
        yield made
