"""What a person does on any page, what a worker does beside it, and what the page says then."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from authoring.store import jobs
from authoring.store.jobs import Job
from authoring.store.workspace import Workspace
from tests.ui.conftest import texts

Open = Callable[..., AppTest]
MOST_STATEMENTS = 12  # of one interaction
OURS = "the fault is ours"


def said(app: AppTest) -> str:
    """All that a page says, as one reads it."""
    return texts(app).replace("\\", "")


def says(app: AppTest, *told: str) -> None:
    for each in told:
        assert each in said(app), each


def errors(app: AppTest) -> str:
    return "\n".join(str(each.value) for each in app.error).replace("\\", "")


def page_links(app: AppTest) -> dict[str, str]:
    """Label -> parameters of the links beside the menu."""
    return {str(each.proto.label): each.proto.query_string for each in app.get("page_link")}


def keys(app: AppTest) -> set[str]:
    """The keys of the buttons."""
    return {str(button.key) for button in app.button}


def boxes(app: AppTest) -> list[str]:
    """What the boxes that fold are called."""
    return [each.label for each in app.expander]


def press(app: AppTest, key: str) -> AppTest:
    app.button(key=key).click().run()
    assert not app.exception
    return app


def leave_and_return(app: AppTest, page: str) -> None:
    """Look at another page meanwhile."""
    app.switch_page("authoring/ui/pages/guide.py").run()
    app.switch_page(f"authoring/ui/pages/{page}.py").run()
    assert not app.exception


def claim(ws: Workspace, kind: str) -> Job:
    """Take the oldest waiting job of a kind, as a worker does."""
    job = jobs.claim(ws, owner="w", kinds=(kind,))
    assert job is not None
    return job


def finish(ws: Workspace, kind: str, result: Mapping[str, Any]) -> Job:
    job = claim(ws, kind)
    assert jobs.finish(ws, job.id, "w", result=dict(result))
    return job


def fail(ws: Workspace, kind: str, what: str = "it broke", **more: str) -> Job:
    job = claim(ws, kind)
    jobs.fail(ws, job.id, "w", error={"what": what, "where": "", "fix": "mend it", **more})
    return job


def payloads(ws: Workspace, kind: str) -> list[dict[str, Any]]:
    """What jobs of a kind were ordered with, the newest first."""
    return [dict(job.payload) for job in jobs.select(ws, kinds=(kind,))]


def configure_model(monkeypatch: pytest.MonkeyPatch, name: str = "m") -> None:
    """Configure a model that nobody asks."""
    told = {"BENCHWRIGHT_MODEL": name, "OPENAI_API_KEY": "sk-secret", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    for variable, value in told.items():
        monkeypatch.setenv(variable, value)
