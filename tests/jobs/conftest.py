"""Runs job handlers in this process, on a real workspace with a real engine."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from authoring.jobs import JOB_KINDS, JobContext, WarmEngine
from authoring.store import jobs, problemsets
from authoring.store.jobs import enqueue
from authoring.store.revisions import Revision
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from tests.cli.conftest import serve
from tests.drafting.conftest import no_trials, nothing_fails

__all__ = ["no_trials", "nothing_fails", "serve"]  # fixtures

TEXT = '''# %%
import pandas as pd

trips = pd.read_csv("inputs/trips.csv")

# %%
"""
query: What is the mean fare of all trips?
"""
fare = trips["fare"].mean()
fare

# %%
"""
query: How many trips start in each borough? Give a Series indexed by borough, most trips first.
"""
trips["borough"].value_counts()
'''
CSV = b"borough,fare\nQueens,10.5\nBronx,7\nQueens,12\n"


@pytest.fixture
def warm(lent_engines: None) -> Iterator[WarmEngine]:
    engine = WarmEngine()
    yield engine
    engine.drop()


def add_trips(ws: Workspace) -> Revision:
    """Add a problemset of two problems on one small file."""
    inputs = {"trips.csv": ws.put_bytes(CSV)}
    return problemsets.create(ws, name="trips-1", text=TEXT, author="Ann", origin=Origin.PERSON, inputs=inputs)


@pytest.fixture
def trips(workspace: Workspace) -> Revision:
    return add_trips(workspace)


@pytest.fixture
def do(workspace: Workspace, warm: WarmEngine) -> Callable[..., dict[str, Any]]:
    """Do one job and return its result; progress is kept in `do.told`."""

    def run(kind: str, payload: Mapping[str, Any], *, told: list[tuple[int, int, str]] | None = None) -> dict[str, Any]:
        enqueue(workspace, kind=kind, payload=payload, created_by="Ann")
        job = jobs.claim(workspace, owner="test", kinds=[kind])
        assert job is not None
        seen = [] if told is None else told
        context = JobContext(workspace, job, warm, lambda done, of, what: seen.append((done, of, what)), lambda: False)
        return JOB_KINDS[kind].run(context, job.payload)

    return run
