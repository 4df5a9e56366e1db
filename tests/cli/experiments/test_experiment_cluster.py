"""Experiments over a real Dask cluster: the same records and table as on one machine."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.experiments.small_experiment import AGENTS, POLICIES, Command, Write, spent
from tests.scripted_model import ScriptedModel

pytestmark = pytest.mark.kernel


def timeless(out: Path) -> dict[str, list[str]]:
    """Return the records of each run without their times, in the order of problemsets."""

    def plain(line: bytes) -> str:
        told = json.loads(line)
        stats = {name: value for name, value in (told["agent_stats"] or {}).items() if "second" not in name}
        return json.dumps({**told, "seconds": None, "agent_stats": stats})

    found = sorted(out.rglob("records.jsonl"))
    return {str(path.relative_to(out)): sorted(map(plain, path.read_bytes().splitlines())) for path in found}


def table(told: dict[str, Any]) -> str:
    return re.sub(r"\d{4}-\d\d-\d\dT[\d:+]+", "TIME", json.dumps(told, sort_keys=True)).replace("there/", "here/")


@pytest.mark.deep
def test_records_table_and_tokens_are_those_of_one_machine(
    benchwright: Command, write: Write, model: ScriptedModel, tmp_path: Path
) -> None:
    file = write(*AGENTS, "- {agent: oracle}", *POLICIES, "workers: 2")
    here = benchwright("experiment", "run", file, "--out", "here", "--json")
    there = benchwright("experiment", "run", file, "--out", "there", "--executor", "dask", "--json")
    assert (here.code, there.code) == (0, 0), there.stderr
    assert len(timeless(tmp_path / "here")) == 6
    assert timeless(tmp_path / "there") == timeless(tmp_path / "here")
    assert table(there.json) == table(here.json)
    assert spent(benchwright, file, "--out", "there") == spent(benchwright, file, "--out", "here") > 0
    asked = len(model.requests)
    assert benchwright("experiment", "run", file, "--out", "there", "--executor", "dask").code == 0
    assert len(model.requests) == asked  # nothing is missing


def test_what_does_not_fit_a_cluster_is_usage(benchwright: Command, write: Write, tmp_path: Path) -> None:
    dask = ("--executor", "dask")
    for lines, words, said in (
        ((), ("--scheduler", "tcp://127.0.0.1:1"), "only a cluster has a scheduler"),
        ((), (*dask, "--record", "kept"), "--record works on one machine only"),
        ((), (*dask, "--scheduler", "tcp://10.0.0.7:1"), "without TLS"),
        ((), (*dask, "--scheduler", ""), "'' is no address of a Dask scheduler"),
        (("budget: {tokens: 5}",), dask, "a budget is watched on one machine"),
        (("judge: eyes",), dask, "figures are judged on one machine"),
    ):
        done = benchwright("experiment", "run", write("agents: [oracle]", "policies: [{label: once}]", *lines), *words)
        assert (done.code, said in done.stderr) == (2, True), done.stderr
    assert not (tmp_path / "out").exists()
