"""A small problemset, an agent file in a folder of its own, and one engine for all runs of these tests."""

from collections.abc import Callable
from pathlib import Path

import pytest

from evaluator import Problemset
from tests.cli.conftest import benchwright

__all__ = ["benchwright"]  # fixtures

TEXT = '''# %%
trips = [3, 4, 5]

# %%
"""
query: How many trips are there?
"""
len(trips)

# %%
"""
query: How long are they together?
"""
sum(trips)

# %%
"""
query: How long is the longest one?
"""
max(trips)
'''

WriteAgent = Callable[..., Path]


@pytest.fixture(autouse=True)
def one_engine(lent_engines: None) -> None:
    """Whatever starts an engine of its own is lent that of this process."""


@pytest.fixture
def problemset() -> Problemset:
    return Problemset.parse(TEXT, name="trips")


@pytest.fixture
def set_file(tmp_path: Path) -> Path:
    path = tmp_path / "trips.py"
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.fixture
def write_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WriteAgent:
    """Return what writes a Python file into the working folder."""
    monkeypatch.chdir(tmp_path)

    def write(text: str, name: str = "my_agent.py") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write
