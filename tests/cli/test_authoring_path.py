"""The whole way, on data that the code has never seen: once through the installed command, else in this process."""

import csv
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.scripted_model import KEY, Drop, Refuse, Say, Step, scripted_model

pytestmark = [pytest.mark.kernel, pytest.mark.slow]
Command = Callable[..., Any]
COMMAND = Path(sys.executable).with_name("benchwright")
OFFLINE = {"OPENAI_API_KEY": "", "OPENAI_BASE_URL": "", "BENCHWRIGHT_MODEL": ""}
CITIES = ("Zürich", "São Paulo", "東京", "Málaga", "Kraków")


@dataclass(frozen=True)
class Finished:
    """A command that ended."""

    code: int
    stdout: str
    stderr: str


@pytest.fixture
def installed(tmp_path: Path) -> Command:
    """Return what runs the installed command in a fresh folder, as a user would."""

    def run(*arguments: str | Path, env: Mapping[str, str], timeout_s: float = 180) -> Finished:
        done = subprocess.run(
            [COMMAND, *map(str, arguments)],
            cwd=tmp_path,
            env={**os.environ, **env},
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return Finished(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def here(benchwright: Command, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Return what runs a command line in a fresh folder, in this process."""

    def run(*arguments: str | Path, env: Mapping[str, str]) -> Any:
        for name, value in env.items():
            monkeypatch.setenv(name, value)
        return benchwright(*arguments)

    return run


def write_unseen(path: Path, rows: int) -> Path:
    """Write sales of a shop: spaces and other alphabets in names, missing values, dates, repeated rows."""
    rng = random.Random(7)
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["Order No", "Größe (cm)", "prix unitaire €", "Bestell Datum", "城市", "paid?", "Qty"])
        row: list[object] = []
        for number in range(rows):
            if not row or rng.random() > 0.01:
                size: object = "" if rng.random() < 0.05 else round(rng.gauss(170, 15), 1)
                price: object = "" if rng.random() < 0.02 else round(rng.expovariate(0.02) + 1, 2)
                date = f"20{rng.randint(19, 23)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
                city: object = "" if rng.random() < 0.01 else rng.choice(CITIES)
                row = [number, size, price, date, city, rng.choice(["yes", "no"]), rng.randint(1, 9)]
            writer.writerow(row)
    return path


def ok(done: Any) -> dict[str, Any]:
    assert done.code == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def run_both_agents(benchwright: Command, release: str) -> None:
    oracle = ok(benchwright("run", release, "--agent", "oracle", "--out", "oracle", "--json", env=OFFLINE))
    assert set(oracle["verdicts"]) == {"CORRECT"}, oracle
    empty = ok(benchwright("run", release, "--agent", "empty", "--out", "empty", "--json", env=OFFLINE))
    assert empty["judged"] == oracle["judged"]
    assert "CORRECT" not in empty["verdicts"]


@pytest.mark.deep
@pytest.mark.parametrize(("way", "rows"), [("installed", 400), ("here", 200_000)])
def test_an_unseen_file_becomes_a_scored_release_without_key_and_network(
    request: pytest.FixtureRequest, tmp_path: Path, way: str, rows: int
) -> None:
    benchwright: Command = request.getfixturevalue(way)
    data = write_unseen(tmp_path / "Verkäufe 2023.csv", rows)

    def call(*arguments: str | Path) -> dict[str, Any]:
        return ok(benchwright(*arguments, "--workspace", "w", "--json", env=OFFLINE))

    seed = call("seed", "add", data, "--name", "shop")
    assert seed["tables"] == [{"file": data.name, "rows": rows, "columns": 7}]
    sketch = call("sketch", "shop")
    assert 10 <= len(sketch["items"]) <= 15
    draft = call("draft", str(sketch["id"]))
    assert 10 <= draft["problems"] <= 15
    judged = call("dry-run", draft["name"])
    assert judged["passed"]
    assert {p["agent"] for p in judged["problems"]} == {"none"}
    call("accept", str(draft["revision"]), "--by", "Ann")
    released = call("release", "create", "shop", "1.0", "--out", "release")
    assert released["problems"] == draft["problems"]
    ok(benchwright("release", "verify", "release", "--json", env=OFFLINE))
    run_both_agents(benchwright, "release")


@pytest.mark.deep
def test_the_same_data_and_rng_seed_give_the_same_release(here: Command, tmp_path: Path) -> None:
    data = write_unseen(tmp_path / "sales.csv", 300)
    digests = []
    for place in ("one", "two"):
        steps: list[list[str]] = [
            ["seed", "add", str(data), "--name", "shop"],
            ["sketch", "shop", "--rng-seed", "4", "--name", "plan"],
            ["draft", "plan"],
            ["accept", "plan", "--by", "Ann"],
            ["release", "create", "shop", "1.0", "--out", f"release-{place}"],
        ]
        results = [ok(here(*step, "--workspace", place, "--json", env=OFFLINE)) for step in steps]
        digests.append(results[-1]["digest"])
    assert digests[0] == digests[1]


SKETCH = [
    {"query_idea": "Load the file.", "knowledge_points": ["read_csv"], "depends_on": [], "difficulty": "easy"},
    {"query_idea": "Quantity by city.", "knowledge_points": ["groupby"], "depends_on": [1], "difficulty": "medium"},
]
DRAFT = '''# %%
import pandas as pd

# %%
"""
query: |
  Load `inputs/sales.csv` into a DataFrame named `sales` and show the number of its rows.
knowledge_points: [read_csv]
validator:
  namespace_check:
    sales:
"""

sales = pd.read_csv("inputs/sales.csv")
len(sales)

# %%
"""
query: |
  What is the sum of `Qty` for each `城市` in `sales`? Leave out rows without a city. A Series sorted by city.
knowledge_points: [groupby]
"""

sales.dropna(subset=["城市"]).groupby("城市")["Qty"].sum().sort_index()
'''


@pytest.mark.usefixtures("w")
def test_the_same_way_with_a_model_that_stumbles(here: Command, tmp_path: Path) -> None:
    write_unseen(tmp_path / "sales.csv", 300)
    sketch = Say(f"```json\n{json.dumps(SKETCH)}\n```")
    draft = Say(f"```python\n{DRAFT}```")
    broken = Say(f"```python\n{DRAFT.replace('query: |', 'query: [')}```")
    script: list[Step] = [Refuse(429, "slow down", headers=(("Retry-After", "1"),)), sketch, Drop(), broken, draft]
    with scripted_model(script) as model:
        env = {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": KEY, "BENCHWRIGHT_MODEL": "scripted"}

        def call(*arguments: str) -> dict[str, Any]:
            return ok(here(*arguments, "--workspace", "w", "--json", env=env))

        call("seed", "add", "sales.csv", "--name", "shop")
        planned = call("sketch", "shop", "--author", "model")
        assert planned["provenance"]["prompt_tokens"] > 0
        made = call("draft", planned["name"], "--author", "model")
        assert (made["problems"], made["provenance"]["repairs"], made["number"]) == (2, 1, 1)
        again = here("draft", planned["name"], "--author", "model", "--workspace", "w", env=env)  # from kept answers
        assert again.stdout == f"problemset 2, {made['name']}-2: 2 problems, revision 1\n", again.stderr
    assert len(model.requests) == len(script)
    for step in (
        ["dry-run", made["name"]],
        ["accept", str(made["revision"]), "--by", "Ann"],
        ["release", "create", "shop", "1.0", "--out", "release"],
    ):
        ok(here(*step, "--workspace", "w", "--json", env=OFFLINE))
    ok(here("release", "verify", "release", "--json", env=OFFLINE))
    run_both_agents(here, "release")
