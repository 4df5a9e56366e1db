"""Problem code, recorder and comparator under pandas 2.2: what they must do there as under our own pandas."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluator.errors import ContentError
from evaluator.language import Problem, parse_problemset, render_problemset
from evaluator.running import RunConfig, run_benchmark
from evaluator.session import CellLimits, Ending, Engine, Environment

ROOT = Path(__file__).parents[2]
INSIDE = ROOT / "tests" / "inside"
TRIPS = "city,km\nOslo,3.5\nRome,12.0\nOslo,7.25\n"
SET = '''# %%
import pandas as pd
trips = pd.read_csv("inputs/trips.csv")

# %%
"""
query: How many trips are there?
"""
len(trips)

# %%
"""
query: Put the distances in miles, rounded to one decimal, as a Series called miles.
validator:
  namespace_check:
    miles:
"""
miles = (trips["km"] / 1.609).round(1).rename("miles")

# %%
"""
query: Set the distance of the first trip to 4 km in `trips`.
validator:
  namespace_check:
    trips:
"""
trips.loc[0, "km"] = 4.0

# %%
"""
query: Which distance would be the largest if the second trip were 1 km long?
"""
trips["km"].drop(1).max()
'''
# index -> recorded code, verdict under pandas 2.2, verdict under pandas 3
RECORDED = {
    1: ("trips.shape[0]", "CORRECT", "CORRECT"),
    2: ("miles = trips['km'] / 1.609", "WRONG_VARIABLES", "WRONG_VARIABLES"),
    3: ("trips['km'][0] = 4.0", "CORRECT", "WRONG_VARIABLES"),  # chained: pandas 3 changes a copy
    4: ("km = trips['km']\nkm.iloc[1] = 1.0\nkm.max()", "INTACT_VIOLATION", "CORRECT"),  # a view of `trips` before 3
}

pytestmark = [pytest.mark.deep, pytest.mark.kernel]


@pytest.fixture(scope="module")
def trips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("benchmark")
    (root / "_inputs").mkdir()
    (root / "_inputs" / "trips.csv").write_text(TRIPS)
    (root / "_manifest.yaml").write_text('name: trips\nversion: "1"\nenvironment: pandas22\n')
    (root / "trips.py").write_text(unhurried(SET))
    records = [{"problemset": "trips", "index": index, "code": code} for index, (code, _, _) in RECORDED.items()]
    (root / "recorded.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    return root


@pytest.fixture(scope="module")
def engine(pandas22: Environment) -> Any:
    with Engine(environment=pandas22) as engine:
        engine.warm_up()
        yield engine


def records_of(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "records.jsonl").read_text().splitlines()]


def test_codec_and_matchers_pass_their_own_tests(pandas22: Environment) -> None:
    rooms = sorted(path for what in ("codec", "judging", "matchers") for path in INSIDE.glob(f"test_{what}*.py"))
    assert len(rooms) >= 5
    ignored = "not frames_come_back_equal"  # pandas 2.2 itself warns in what that test does with its frames
    command = [pandas22.interpreter.executable, "-m", "pytest", "-q", "--noconftest", "-k", ignored, *map(str, rooms)]
    surroundings = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=surroundings, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    assert " passed" in done.stdout


def unhurried(text: str) -> str:
    """Return a problemset with longer time limits: its verdicts must not depend on the machine's load."""
    problemset = parse_problemset(text, name="any").problemset
    assert problemset is not None
    cells = [
        replace(cell, execution=replace(cell.execution, max_time_s=30.0)) if isinstance(cell, Problem) else cell
        for cell in problemset.cells
    ]
    return render_problemset(replace(problemset, cells=tuple(cells)))


def test_the_oracle_is_right_on_the_whole_shipped_benchmark(engine: Engine, tmp_path: Path) -> None:
    core = tmp_path / "core"
    shutil.copytree(ROOT / "problemsets" / "core", core)
    for path in core.glob("*.py"):
        path.write_text(unhurried(path.read_text()))
    config = RunConfig(core, "oracle", tmp_path / "out", workers=2)
    summary = run_benchmark(config, engine=engine)
    assert (summary.counts, summary.refused) == ({"CORRECT": summary.total}, ())
    assert {record["environment"] for record in records_of(tmp_path / "out")} == {engine.environment.label}


def test_recorded_code_gets_the_verdicts_of_its_own_pandas(trips: Path, pandas22: Environment, tmp_path: Path) -> None:
    agent = f"replay:{trips / 'recorded.jsonl'}"
    for place, environment in enumerate((None, "default"), 1):  # what the manifest names, and our own
        out = tmp_path / str(place)
        run_benchmark(RunConfig(trips, agent, out, environment=environment))
        found = {record["index"]: record["verdict"] for record in records_of(out)}
        assert found == {index: expected[place] for index, expected in RECORDED.items()}
    manifests = [json.loads((tmp_path / str(place) / "manifest.json").read_text()) for place in (1, 2)]
    assert manifests[0]["environment"] == f"pandas22@{pandas22.id}"
    assert manifests[1]["environment"].startswith("default@")
    with pytest.raises(ContentError, match="its environment is 'pandas22@"):
        run_benchmark(RunConfig(trips, agent, tmp_path / "1", environment="default"))


def test_nothing_of_the_app_is_visible(engine: Engine) -> None:
    assert importlib.util.find_spec("pydantic") is not None
    assert importlib.util.find_spec("streamlit") is not None
    question = f"""
import importlib.util, os, sys
assert [importlib.util.find_spec(name) for name in ("pydantic", "streamlit", "authoring")] == [None] * 3
assert not os.path.exists({sys.prefix!r}), "our own packages are there"
assert not os.path.exists({str(ROOT)!r}), "our own code is there"
assert sys.path[0] == "" and "/" not in sys.path
"""
    with engine.open(key="visible", inputs=None) as session:
        outcome = session.attempt(question, limits=CellLimits(wall_s=20.0))
    assert outcome.ending is Ending.OK, outcome.error
