"""The commands and jobs of plans, on a seed of which no problemset can be made."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from authoring.cli.main import run_command_line
from authoring.jobs import JobContext, WarmEngine, find_kind
from authoring.jobs.kinds import JOB_KINDS
from authoring.store.drafting.seeds import SeedFile, insert_seed
from authoring.store.jobs import enqueue
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError
from tests.drafting.conftest import PROFILE


@pytest.fixture
def ws(ws: Workspace) -> Workspace:
    table: dict[str, Any] = PROFILE["tables"][0]
    tiny = {**PROFILE, "tables": [{**table, "rows": 3}]}
    insert_seed(ws, name="tiny", files=[SeedFile("trips.csv", ws.put_bytes(b"a\n1\n"), 4, "csv")], profile=tiny)
    return ws


Bootstrap = Callable[..., tuple[int, dict[str, Any]]]


@pytest.fixture
def bootstrap(ws: Workspace, capsys: pytest.CaptureFixture[str]) -> Bootstrap:
    def run(*words: str) -> tuple[int, dict[str, Any]]:
        code = run_command_line(["bootstrap", *words, "--workspace", str(ws.root), "--json"])
        return code, json.loads(capsys.readouterr().out)

    return run


def test_what_cannot_be_drafted_is_told_with_the_reason_and_no_folder(bootstrap: Bootstrap, tmp_path: Path) -> None:
    for seed, wanted, key, says in (
        ("tiny", 1, "what", "tiny, draft 1: 'trips.csv' has 3 rows"),
        ("tinny", 2, "fix", "use 'tiny'"),
    ):
        code, found = bootstrap("auto", "--name", "a", "--seeds", seed, "--out", str(tmp_path / "o"))
        assert (code, says in found["error"][key]) == (wanted, True), found
        assert not (tmp_path / "o").exists()


def test_a_plan_is_stored_shown_and_stepped_as_ordered_also_by_jobs(ws: Workspace, bootstrap: Bootstrap) -> None:
    def done(kind: str, payload: dict[str, Any]) -> dict[str, Any]:
        job = enqueue(ws, kind=kind, payload=payload, created_by="Ada")
        context = JobContext(ws, job, WarmEngine(), lambda *_: None, lambda: False)
        return find_kind(JOB_KINDS, kind).run(context, payload)

    for name in ("p", "q"):
        code, planned = bootstrap("plan", name, "--seeds", "tiny", "--rounds", "1")
        assert (code, planned["can_step"], planned["rounds"][0]["planned"]) == (0, True, 1)
        assert bootstrap("plan", name, "--seeds", "tiny", "--rounds", "1") == (0, planned)
    code, refused = bootstrap("plan", "p", "--seeds", "tiny", "--rounds", "2")
    assert (code, "rounds was 1, now 2" in refused["error"]["what"]) == (2, True)
    code, stepped = bootstrap("step", "p")
    assert (code, stepped["finished"]) == (0, True)
    assert stepped["rounds"][0]["dropped"][0]["seed"] == "tiny"
    assert bootstrap("status", "p") == (0, stepped)
    assert done("bootstrap_step", {"name": "q"})["finished"]
    with pytest.raises(ContentError, match="nothing passed every check"):
        done("bootstrap_auto", {"name": "a", "seeds": ["tiny"], "budget": {"tokens": 5}})
