"""The whole way, on data that the code has never seen: once through the installed command, else in this process."""

import csv
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Finished, Serve
from tests.scripted_model import Drop, Refuse, Say, Step

pytestmark = [pytest.mark.kernel, pytest.mark.slow]
Command = Callable[..., Any]
COMMAND = Path(sys.executable).with_name("benchwright")
CITIES = ("Zürich", "São Paulo", "東京", "Málaga", "Kraków")


@pytest.fixture
def installed(tmp_path: Path) -> Command:
    """Return what runs the installed command in a fresh folder, as a user would, without key and network."""

    def run(*arguments: str | Path) -> Finished:
        done = subprocess.run(
            [COMMAND, *map(str, arguments)],
            cwd=tmp_path,
            env={**os.environ, "OPENAI_API_KEY": "", "OPENAI_BASE_URL": "", "BENCHWRIGHT_MODEL": ""},
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return Finished(done.returncode, done.stdout, done.stderr)

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


def run_both_agents(benchwright: Command) -> None:
    oracle = ok(benchwright("run", "release", "--agent", "oracle", "--out", "oracle", "--json"))
    assert set(oracle["verdicts"]) == {"CORRECT"}, oracle
    empty = ok(benchwright("run", "release", "--agent", "empty", "--out", "empty", "--json"))
    assert empty["judged"] == oracle["judged"]
    assert "CORRECT" not in empty["verdicts"]


@pytest.mark.deep
def test_an_unseen_file_becomes_a_scored_release_without_key_and_network(installed: Command, tmp_path: Path) -> None:
    data = write_unseen(tmp_path / "Verkäufe 2023.csv", 400)

    def call(*arguments: str | Path) -> dict[str, Any]:
        return ok(installed(*arguments, "--workspace", "w", "--json"))

    seed = call("seed", "add", data, "--name", "shop")
    assert seed["tables"] == [{"file": data.name, "rows": 400, "columns": 7}]
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
    ok(installed("release", "verify", "release", "--json"))
    run_both_agents(installed)


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
def test_the_same_way_with_a_model_that_stumbles(
    benchwright: Command, tmp_path: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_unseen(tmp_path / "sales.csv", 300)
    monkeypatch.setenv("BENCHWRIGHT_MODEL", "scripted")
    sketch = Say(f"```json\n{json.dumps(SKETCH)}\n```")
    draft = Say(f"```python\n{DRAFT}```")
    broken = Say(f"```python\n{DRAFT.replace('query: |', 'query: [')}```")
    script: list[Step] = [Refuse(429, "slow down", headers=(("Retry-After", "0"),)), sketch, Drop(), broken, draft]
    model = serve(script)

    def call(*arguments: str) -> dict[str, Any]:
        return ok(benchwright(*arguments, "--workspace", "w", "--json"))

    call("seed", "add", "sales.csv", "--name", "shop")
    planned = call("sketch", "shop", "--author", "model")
    assert planned["provenance"]["prompt_tokens"] > 0
    made = call("draft", planned["name"], "--author", "model")
    assert (made["problems"], made["provenance"]["repairs"], made["number"]) == (2, 1, 1)
    again = benchwright("draft", planned["name"], "--author", "model", "--workspace", "w")  # from kept answers
    assert again.stdout == f"problemset 2, {made['name']}-2: 2 problems, revision 1\n", again.stderr
    assert len(model.requests) == len(script)
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "BENCHWRIGHT_MODEL"):
        monkeypatch.delenv(name)
    call("dry-run", made["name"])
    call("accept", str(made["revision"]), "--by", "Ann")
    call("release", "create", "shop", "1.0", "--out", "release")
    ok(benchwright("release", "verify", "release", "--json"))
    run_both_agents(benchwright)
