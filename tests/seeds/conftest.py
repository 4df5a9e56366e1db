"""Data files are read in this process, as sessions read them; tests that ask for an engine read them in sessions."""

from collections.abc import Iterator

import pytest

from tests.seeds.read_here import files_read_here


@pytest.fixture(autouse=True)
def read_here(request: pytest.FixtureRequest) -> Iterator[None]:
    if "engine" in request.fixturenames:
        yield
        return
    with files_read_here():
        yield
