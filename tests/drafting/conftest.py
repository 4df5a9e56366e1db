"""A workspace with one small seed, an engine, and a scripted model for the pipeline's tests."""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from authoring.store.drafting.seeds import SeedFacts, SeedFile, insert_seed
from authoring.store.workspace import Workspace
from evaluator.session import Engine
from tests.scripted_model import KEY, Script, ScriptedModel, scripted_model

DATA = "Trip id,Länge km,Purpose\n" + "".join(
    f"{n},{n * 1.5 if n % 7 else ''},{('work', 'leisure', 'visit')[n % 3]}\n" for n in range(1, 61)
)

# a server of one's own is asked only when it is named: docs/maintainers.md, "A model on this machine"
collect_ignore = [] if os.environ.get("BENCHWRIGHT_LOCAL_MODEL_URL") else ["test_local_model.py"]

Serve = Callable[[Script], AbstractContextManager[ScriptedModel]]


def column(name: str, role: str, dtype: str, distinct: int) -> dict[str, object]:
    return {"name": name, "dtype": dtype, "role": role, "missing": 0, "distinct": distinct}


PROFILE = {
    "version": 1,
    "foreign_keys": [],
    "tables": [
        {
            "file": "trips.csv",
            "reader": "read_csv",
            "rows": 60,
            "columns": [
                column("Trip id", "id", "int64", 60),
                column("Länge km", "number", "float64", 52),
                column("Purpose", "category", "str", 3),
            ],
        }
    ],
}


@pytest.fixture
def ws(tmp_path: Path) -> Workspace:
    """A workspace whose only seed, `trips`, is number 1."""
    ws = Workspace.open(tmp_path / "ws")
    data = DATA.encode("utf-8")
    file = SeedFile("trips.csv", ws.put_bytes(data), len(data), "csv")
    insert_seed(
        ws,
        name="trips",
        files=[file],
        profile=PROFILE,
        facts=SeedFacts(title="Trips", description="Trips of one month."),
    )
    return ws


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine() as engine:
        yield engine


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Serve:
    """Return what starts a scripted model that the environment names as `scripted`."""
    from contextlib import contextmanager

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
