"""The job that refines problems: a revision with its dry run, or suggestions."""

from collections.abc import Callable
from typing import Any

import pytest

from authoring.store import revisions
from authoring.store.revisions import Revision
from authoring.store.workspace import Workspace
from tests.scripted_model import KEY, Say, scripted_model

pytestmark = pytest.mark.kernel
Do = Callable[..., dict[str, Any]]

CELL = '```python\n# %% problem: p1\n"""\nquery: What is the highest fare?\n"""\nfare = trips["fare"].max()\nfare\n```'


def test_a_refined_revision_comes_with_its_dry_run(
    workspace: Workspace, trips: Revision, do: Do, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scripted_model([Say(CELL)]) as model:
        monkeypatch.setenv("OPENAI_BASE_URL", model.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        made = do("refine", {"problemset": trips.problemset_id, "problems": ["p1"], "model": "m"})
    assert "highest fare" in revisions.find(workspace, made["revision"]).text
    assert isinstance(made["dry_run"], int)
