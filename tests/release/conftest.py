"""A workspace with accepted problemsets, made without sessions: their dry runs are written by hand."""

from collections.abc import Callable

import pytest

from authoring.store import dry_runs, problemsets
from authoring.store.drafting.seeds import SeedFacts, SeedFile, insert_seed
from authoring.store.dry_runs import DryRunProblem
from authoring.store.reviewing.reviews import record_decision
from authoring.store.revisions import Revision
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.scoring import SCORING_VERSION

CURRENT = {"scoring_version": SCORING_VERSION}  # of a dry run that still holds
AddSet = Callable[..., Revision]

TEXT = '''# %%
import pandas as pd

# %%
"""
query: |
  Load `inputs/trips.csv` as `trips`. How many rows are there?
knowledge_points: [read_csv, len]
"""

trips = pd.read_csv("inputs/trips.csv")
len(trips)
'''


@pytest.fixture
def ws(workspace: Workspace) -> Workspace:
    return workspace


@pytest.fixture
def add_set(ws: Workspace) -> AddSet:
    """Return a factory of problemsets: accepted with evidence, unless told otherwise."""

    def add(
        name: str = "trips",
        *,
        accepted: bool = True,
        passed: bool = True,
        data: bytes = b"a,b\n1,2\n",
        licence: str = "CC0-1.0",
        text: str = TEXT,
        minutes: float = 0.0,
    ) -> Revision:
        digest = ws.put_bytes(data)
        file = SeedFile("trips.csv", digest, len(data), "csv")
        seed = insert_seed(
            ws, name=f"{name}-seed", files=[file], facts=SeedFacts(licence=licence, source_url="https://example.org/t")
        )
        revision = problemsets.create(
            ws,
            name=name,
            text=text,
            author="template",
            origin=Origin.TEMPLATE,
            seed_id=seed,
            inputs={"trips.csv": digest},
        )
        verdict = "CORRECT" if passed else "CRASH"
        row = DryRunProblem(1, "p1", 0.01, verdict, "WRONG_OUTPUT")
        dry_runs.save(
            ws, revision_id=revision.id, environment="env-1", sandbox="bwrap", problems=[row], summary=CURRENT
        )
        if accepted:
            record_decision(ws, revision_id=revision.id, decision="accepted", by="Ann")
        return revision

    return add
