"""One engine and fresh workspaces for the tests of seeds."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from authoring.store.workspace import Workspace
from evaluator.session import Engine
from tests.seeds.read_here import files_read_here


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    with Engine(trusted=True) as made:
        yield made


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace.open(tmp_path / "workspace")


@pytest.fixture
def read_here() -> Iterator[None]:
    """Let data files be read in this process, as sessions read them."""
    with files_read_here():
        yield
