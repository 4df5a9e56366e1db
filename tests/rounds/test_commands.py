"""The commands and jobs of plans, on a seed of which no problemset can be made."""

import json
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
    table: dict[str, Any] = PROFILE["tables"][0]  # type: ignore[index]
    tiny = {**PROFILE, "tables": [{**table, "rows": 3}]}
    insert_seed(ws, name="tiny", files=[SeedFile("trips.csv", ws.put_bytes(b"a\n1\n"), 4, "csv")], profile=tiny)
    return ws


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    code = run_command_line(["bootstrap", *words, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_what_cannot_be_drafted_is_told_with_the_reason_and_no_folder(
    ws: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for seed, wanted, key, says in (
        ("tiny", 1, "what", "tiny, draft 1: 'trips.csv' has 3 rows"),
        ("tinny", 2, "fix", "use 'tiny'"),
    ):
        words = ("auto", "--name", "a", "--seeds", seed, "--out", str(tmp_path / "o"), "--workspace", str(ws.root))
        code, found = said(capsys, *words)
        assert (code, says in found["error"][key]) == (wanted, True), found
        assert not (tmp_path / "o").exists()


def test_a_plan_is_stored_shown_and_stepped_as_it_was_ordered(
    ws: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    place = ("--workspace", str(ws.root))
    code, planned = said(capsys, "plan", "p", "--seeds", "tiny", "--rounds", "1", *place)
    assert (code, planned["can_step"], planned["rounds"][0]["planned"]) == (0, True, 1)
    assert said(capsys, "plan", "p", "--seeds", "tiny", "--rounds", "1", *place) == (0, planned)
    code, refused = said(capsys, "plan", "p", "--seeds", "tiny", "--rounds", "2", *place)
    assert (code, "rounds was 1, now 2" in refused["error"]["what"]) == (2, True)
    code, stepped = said(capsys, "step", "p", *place)
    assert (code, stepped["finished"]) == (0, True)
    assert stepped["rounds"][0]["dropped"][0]["seed"] == "tiny"
    assert said(capsys, "status", "p", *place) == (0, stepped)


def test_both_are_kinds_of_job(ws: Workspace) -> None:
    def context(kind: str, payload: dict[str, Any]) -> JobContext:
        job = enqueue(ws, kind=kind, payload=payload, created_by="Ada")
        return JobContext(ws, job, WarmEngine(), lambda *_: None, lambda: False)

    payload = {"name": "a", "seeds": ["tiny"], "budget": {"tokens": 5}}
    with pytest.raises(ContentError, match="nothing passed every check"):
        find_kind(JOB_KINDS, "bootstrap_auto").run(context("bootstrap_auto", payload), payload)
    run_command_line(["bootstrap", "plan", "p", "--seeds", "tiny", "--rounds", "1", "--workspace", str(ws.root)])
    result = find_kind(JOB_KINDS, "bootstrap_step").run(context("bootstrap_step", {"name": "p"}), {"name": "p"})
    assert result["finished"]
