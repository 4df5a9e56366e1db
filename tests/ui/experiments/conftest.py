"""An experiment that is stored."""

import pytest

from authoring.store import experiments
from authoring.store.workspace import Workspace
from tests.ui.conftest import TEXT
from tests.ui.experiments.screen import FILE


@pytest.fixture
def stored(workspace: Workspace) -> experiments.ExperimentText:
    """An experiment on a small benchmark, not started."""
    (workspace.root / "benchmarks").mkdir()
    (workspace.root / "benchmarks" / "shop.py").write_text(TEXT)
    return experiments.save(workspace, "two", FILE, base=None)
