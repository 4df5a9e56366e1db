"""A draft, and the app open on it."""

import pytest

from authoring.store.revisions import Revision
from authoring.store.workspace import Workspace
from tests.ui.acts import Open, configure_model
from tests.ui.problemset.acts import Desk


@pytest.fixture
def desk(open_page: Open, workspace: Workspace, draft: Revision) -> Desk:
    return Desk(workspace, draft, open_page)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model is configured; nobody asks it."""
    configure_model(monkeypatch)
