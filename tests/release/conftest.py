"""A workspace with accepted problemsets, made without sessions: their dry runs are written by hand."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from authoring.release import create_release
from authoring.store import dry_runs, problemsets, revisions
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


Release = Callable[..., Path]


def accept_text(ws: Workspace, base: Revision, text: str, *ids: str) -> Revision:
    """Save a text by Ann on a revision, with a dry run that passes, and accept it."""
    saved = revisions.save(ws, base.problemset_id, text, base_revision_id=base.id, author="Ann", minutes=3)
    rows = [DryRunProblem(number, name, 0.01, "CORRECT", "WRONG_OUTPUT") for number, name in enumerate(ids, 1)]
    dry_runs.save(ws, revision_id=saved.id, environment="env-1", sandbox="bwrap", problems=rows, summary={})
    record_decision(ws, revision_id=saved.id, decision="accepted", by="Ann")
    return saved


@pytest.fixture
def ws(workspace: Workspace) -> Workspace:
    return workspace


@pytest.fixture
def release(ws: Workspace, tmp_path: Path) -> Release:
    """Release the accepted sets as city 1.0, and return the folder."""

    def make(out: str = "out", version: str = "1.0", **options: Any) -> Path:
        return create_release(ws, "city", version, out=tmp_path / out, **options).out

    return make


@pytest.fixture
def add_set(ws: Workspace) -> AddSet:
    """Return a factory of problemsets: accepted with evidence, unless told otherwise."""

    def add(
        name: str = "trips", accepted: bool = True, passed: bool = True, data: bytes = b"a,b\n1,2\n", **more: str
    ) -> Revision:
        digest = ws.put_bytes(data)
        file = SeedFile("trips.csv", digest, len(data), "csv")
        facts = SeedFacts(licence=more.get("licence", "CC0-1.0"), source_url="https://example.org/t")
        seed = insert_seed(ws, name=f"{name}-seed", files=[file], facts=facts)
        of: dict[str, Any] = {"author": "template", "origin": Origin.TEMPLATE, "seed_id": seed}
        revision = problemsets.create(ws, name=name, text=more.get("text", TEXT), inputs={"trips.csv": digest}, **of)
        row = DryRunProblem(1, "p1", 0.01, "CORRECT" if passed else "CRASH", "WRONG_OUTPUT")
        shown: dict[str, Any] = {"environment": "env-1", "sandbox": "bwrap", "problems": [row], "summary": CURRENT}
        dry_runs.save(ws, revision_id=revision.id, **shown)
        if accepted:
            record_decision(ws, revision_id=revision.id, decision="accepted", by="Ann")
        return revision

    return add
