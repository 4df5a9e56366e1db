import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from evaluator.running import RunConfig, RunSummary, run_benchmark
from evaluator.session import Engine

WriteBenchmark = Callable[..., Path]
WriteRecords = Callable[[Path, list[dict[str, Any]]], Path]
Run = Callable[..., RunSummary]

GOOD_SET = '''# %%
import pandas as pd
trips = pd.read_csv("inputs/trips.csv")

# %%
"""
query: How many trips are there?
"""
len(trips)

# %%
"""
query: Store the mean distance as `mean_km`.
validator:
  namespace_check:
    mean_km:
"""
mean_km = trips["km"].mean()

# %%
"""
query: Which city has the longest trip?
"""
trips.loc[trips["km"].idxmax(), "city"]
'''

TRIPS = "city,km\nOslo,3.5\nRome,12.0\nOslo,7.25\n"


def written_benchmark(root: Path, sets: Mapping[str, str] | None = None, *, version: str = "1") -> Path:
    (root / "_inputs").mkdir(parents=True, exist_ok=True)
    (root / "_inputs" / "trips.csv").write_text(TRIPS)
    (root / "_manifest.yaml").write_text(f'name: trips-demo\nversion: "{version}"\n')
    for name, text in (sets or {"trips": GOOD_SET}).items():
        (root / f"{name}.py").write_text(text)
    return root


@pytest.fixture
def write_benchmark(tmp_path: Path) -> WriteBenchmark:
    def write(sets: Mapping[str, str] | None = None, *, folder: str = "benchmark", version: str = "1") -> Path:
        return written_benchmark(tmp_path / folder, sets, version=version)

    return write


@pytest.fixture
def write_records() -> WriteRecords:
    def write(path: Path, records: list[dict[str, Any]]) -> Path:
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        return path

    return write


@pytest.fixture
def run(engine: Engine) -> Run:
    def on_shared_engine(benchmark: Path, agent: str, out: str = "out", **settings: Any) -> RunSummary:
        return run_benchmark(RunConfig(benchmark, agent, benchmark.parent / out, **settings), engine=engine)

    return on_shared_engine
