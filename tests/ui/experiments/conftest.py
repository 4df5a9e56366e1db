"""An experiment that is stored, and its outputs."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from authoring.store import experiments
from authoring.store.workspace import Workspace
from tests.ui.conftest import TEXT
from tests.ui.experiments.screen import FILE, carry_out


def store(ws: Workspace) -> experiments.ExperimentText:
    (ws.root / "benchmarks").mkdir()
    (ws.root / "benchmarks" / "shop.py").write_text(TEXT)
    return experiments.save(ws, "two", FILE, base=None)


@pytest.fixture
def stored(workspace: Workspace) -> experiments.ExperimentText:
    """An experiment on a small benchmark, not started."""
    return store(workspace)


@pytest.fixture(scope="session")
def carried_out(empty_workspace: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace in which that experiment was run."""
    ws = Workspace.open(shutil.copytree(empty_workspace, tmp_path_factory.mktemp("carried_out") / "workspace"))
    store(ws)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BENCHWRIGHT_SANDBOX", "none")
        carry_out(ws)
    return ws.root


@pytest.fixture
def run_at_command_line(carried_out: Path, workspace: Workspace) -> Callable[[], None]:
    """Put its outputs into the workspace of the test, as the command line does in this folder."""

    def run() -> None:
        shutil.copytree(carried_out / "runs", workspace.root / "runs")
        for path in workspace.root.glob("runs/**/*.json"):
            path.write_text(path.read_text().replace(str(carried_out), str(workspace.root)))

    return run
