"""A workspace with one small seed, and a scripted model for the pipeline's tests."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from authoring.drafting import model_draft
from authoring.drafting.refining import refined_sets
from authoring.store.drafting.seeds import SeedFacts, SeedFile, insert_seed
from authoring.store.settings import set_setting
from authoring.store.workspace import Workspace
from evaluator.running.quality.assessing import QualityTrials
from tests.scripted_model import KEY, Say, Script, ScriptedModel, scripted_model
from tests.templates.conftest import few_plans

__all__ = ["few_plans"]

DATA = "Trip id,Länge km,Purpose\n" + "".join(
    f"{n},{n * 1.5 if n % 7 else ''},{('work', 'leisure', 'visit')[n % 3]}\n" for n in range(1, 61)
)

# a server of one's own is asked only when it is named: docs/maintainers.md, "A model on this machine"
collect_ignore = [] if os.environ.get("BENCHWRIGHT_LOCAL_MODEL_URL") else ["test_local_model.py"]

NOBODY: Any = object()  # instead of an engine, where nothing asks one
Serve = Callable[[Script], AbstractContextManager[ScriptedModel]]


def column(name: str, role: str, dtype: str, distinct: int) -> dict[str, object]:
    return {"name": name, "dtype": dtype, "role": role, "missing": 0, "distinct": distinct}


COLUMNS = [
    *(column("Trip id", "id", "int64", 60), column("Länge km", "number", "float64", 52)),
    column("Purpose", "category", "str", 3),
]
TABLE = {"file": "trips.csv", "reader": "read_csv", "rows": 60, "columns": COLUMNS}
PROFILE = {"version": 1, "foreign_keys": [], "tables": [TABLE]}


@pytest.fixture(scope="session")
def trips_workspace(empty_workspace: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a workspace whose only seed, `trips`, is number 1."""
    ws = Workspace.open(shutil.copytree(empty_workspace, tmp_path_factory.mktemp("trips") / "ws"))
    data = DATA.encode("utf-8")
    file = SeedFile("trips.csv", ws.put_bytes(data), len(data), "csv")
    facts = SeedFacts(title="Trips", description="Trips of one month.")
    insert_seed(ws, name="trips", files=[file], profile=PROFILE, facts=facts)
    set_setting(ws, "shipped_seeds", "loaded")  # for commands: the other seeds are of no use here
    return ws.root


@pytest.fixture
def ws(trips_workspace: Path, tmp_path: Path) -> Workspace:
    """A copy of that workspace."""
    return Workspace.open(shutil.copytree(trips_workspace, tmp_path / "ws"))


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Serve:
    """Return what starts a scripted model that the environment names as `scripted`."""

    @contextmanager
    def start(script: Script) -> Iterator[ScriptedModel]:
        with scripted_model(script) as model:
            monkeypatch.setenv("OPENAI_BASE_URL", model.url)
            monkeypatch.setenv("OPENAI_API_KEY", KEY)
            monkeypatch.setenv("BENCHWRIGHT_MODEL", "scripted")
            yield model

    return start


@pytest.fixture(autouse=True)
def no_model_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "BENCHWRIGHT_MODEL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def model(serve: Serve) -> Iterator[ScriptedModel]:
    """A model whose script the test sets."""
    with serve([Say("nothing")]) as model:
        yield model


@pytest.fixture
def no_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is tried beside each reference takes half of an execution: left out where doubts are not looked at."""
    monkeypatch.setattr(QualityTrials, "codes", lambda *_: ())


@pytest.fixture
def nothing_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Instead of an engine: what would be executed is without a fault."""
    for module in (model_draft, refined_sets):
        done = SimpleNamespace(cells=(), refuse_engine_faults=lambda: None)
        monkeypatch.setattr(module, "execute_cells", lambda *_, done=done, **__: done)
        monkeypatch.setattr(module, "evidence_in", lambda *_: ())
