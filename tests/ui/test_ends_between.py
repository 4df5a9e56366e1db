"""A job that ends while a page is drawn: the page shows what it made, or goes on watching it."""

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from authoring.store import jobs
from authoring.store.dry_runs import save as save_dry_run
from authoring.store.jobs import enqueue
from authoring.store.revisions import Revision
from authoring.store.workspace import Workspace
from authoring.ui.editor import evidence
from authoring.ui.editor.evidence import run_on_key

Open = Callable[..., AppTest]


def watches(app: AppTest) -> bool:
    """Return whether the page draws a job as at work; such a panel looks again by itself."""
    return any(button.label == "Cancel" for button in app.button)


def ended_after(reads: Callable[..., Any], end: Callable[[], object]) -> Callable[..., Any]:
    """Return a function that reads, and lets a job end just then."""

    def read(*arguments: Any, **options: Any) -> Any:
        found = reads(*arguments, **options)
        end()
        return found

    return read


def test_a_run_that_ends_while_the_editor_is_drawn_is_not_missed(
    open_page: Open, workspace: Workspace, draft: Revision, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = run_on_key(draft.problemset_id, "mei")
    job = enqueue(workspace, kind="execute", payload={"digests": {}}, key=key, created_by="mei")
    assert jobs.claim(workspace, owner="w", kinds=("execute",)) is not None
    ends = iter([lambda: jobs.finish(workspace, job.id, owner="w", result={"cells": []})])
    end = ended_after(evidence.load_runs, lambda: next(ends, lambda: None)())
    monkeypatch.setattr(evidence, "load_runs", end)
    app = open_page("editor", set=draft.problemset_id, pid="p1")
    assert next(ends, None) is None  # it has ended meanwhile
    assert watches(app)
    assert not watches(app.run())


def test_a_dry_run_that_ends_while_its_set_is_drawn_is_not_missed(
    open_page: Open, workspace: Workspace, draft: Revision, monkeypatch: pytest.MonkeyPatch
) -> None:
    from authoring.checks import standing

    key = f"dry_run:{draft.id}"
    job = enqueue(workspace, kind="dry_run", payload={"revision_id": draft.id}, key=key, created_by="mei")
    assert jobs.claim(workspace, owner="w", kinds=("dry_run",)) is not None

    def finish() -> None:
        save_dry_run(workspace, revision_id=draft.id, environment="e", sandbox="bwrap", problems=[], summary={})
        jobs.finish(workspace, job.id, owner="w", result={})

    ends = iter([finish])
    end = ended_after(standing.standing_of, lambda: next(ends, lambda: None)())
    monkeypatch.setattr(standing, "standing_of", end)
    app = open_page("problemset", set=draft.problemset_id)
    assert next(ends, None) is None
    assert watches(app)
    assert not watches(app.run())
