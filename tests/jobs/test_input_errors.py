"""Jobs that fail for what was sent with their orders: the same again would fail again, so nothing offers it."""

import io
import os
import zipfile
from collections.abc import Mapping
from typing import Any

import pytest

from authoring.jobs import JOB_KINDS
from authoring.jobs.context import reading_input
from authoring.jobs.engines import WarmEngine
from authoring.jobs.lane import Lane
from authoring.store import jobs
from authoring.store.drafting.seeds import SeedFacts, SeedFile, insert_seed
from authoring.store.jobs import Job, enqueue
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, ToolkitError


def ended(ws: Workspace, kind: str, payload: Mapping[str, Any]) -> Job:
    enqueue(ws, kind=kind, payload=payload)
    claimed = jobs.claim(ws, owner="test", kinds=[kind])
    assert claimed is not None
    warm = WarmEngine()
    try:
        Lane(ws, JOB_KINDS, warm, os.getppid()).run_job(claimed)
    finally:
        warm.drop()
    return jobs.find(ws, claimed.id)


def test_an_archive_without_a_benchmark_is_told_how_one_is_made(workspace: Workspace) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("readme.txt", "hello")
    file = {"name": "other.zip", "digest": workspace.put_bytes(buffer.getvalue())}
    failed = ended(workspace, "import_benchmark", {"file": file})
    assert failed.fails_again
    assert failed.error is not None
    assert "Download .zip" in failed.error["fix"]
    assert "'benchwright release create'" in failed.error["fix"]


def test_too_few_rows_fail_again_but_a_release_that_is_gone_may_come_back(workspace: Workspace) -> None:
    file = SeedFile("trips.csv", workspace.put_bytes(b"day,km\n1,2\n"), 11, "csv")
    column = {"name": "km", "dtype": "int64", "role": "number", "missing": 0, "distinct": 1, "samples": ["2"]}
    table = {"file": "trips.csv", "reader": "read_csv", "rows": 1, "columns": [{**column, "name": "day"}, column]}
    seed = insert_seed(workspace, name="trips", files=[file], profile={"tables": [table]}, facts=SeedFacts())
    failed = ended(workspace, "sketch", {"seed": seed, "author": "template"})
    assert failed.error is not None
    assert "1 row: too few" in failed.error["what"]
    assert failed.fails_again
    assert not ended(workspace, "run", {"release": "gone@1"}).fails_again


def stored(ws: Workspace, name: str, data: bytes) -> dict[str, str]:
    return {"name": name, "digest": ws.put_bytes(data)}


UNKNOWN = '# %%\n"""\nquery: What?\nvalidator:\n  ours: {}\n"""\n1\n'


def test_what_a_person_can_change_here_is_no_fault_of_the_input(workspace: Workspace) -> None:
    trips = stored(workspace, "trips.csv", b"day,km\n1,2\n")
    insert_seed(workspace, name="trips", files=[SeedFile("trips.csv", trips["digest"], 11, "csv")], facts=SeedFacts())
    (workspace.root / "benchmarks" / "mini").mkdir(parents=True)
    text = {"form": "problemset", "file": stored(workspace, "a.py", b'# %%\n"""\nquery: What?\n"""\n1\n')}
    orders: list[tuple[str, Mapping[str, Any], str]] = [
        ("seed_add", {"name": "trips", "files": [stored(workspace, "b.csv", b"a,b\n1,2\n")]}, "already a seed called"),
        ("seed_add", {"name": "other", "files": [trips]}, "holds the same data"),
        ("import", {**text, "seed": "gone"}, "no seed is called 'gone'"),
        ("import", {**text, "file": stored(workspace, "b.py", UNKNOWN.encode())}, "no validator is called 'ours'"),
        ("import_results", {"file": trips, "release": "gone@1"}, "there is no release 'gone@1'"),
        ("import_family", {"family": "qwen", "file": trips, "name": "mini"}, "has a benchmark 'mini' already"),
    ]
    for kind, payload, said in orders:
        failed = ended(workspace, kind, payload)
        assert failed.error is not None
        assert said in failed.error["what"]
        assert (failed.state, failed.fails_again) == ("failed", False), said


def test_a_name_that_no_workspace_takes_is_a_fault_of_the_input(workspace: Workspace) -> None:
    file = stored(workspace, "trips.csv", b"day,km\n1,2\n")
    assert ended(workspace, "seed_add", {"name": "-", "files": [file]}).fails_again
    assert ended(workspace, "import_family", {"family": "qwen", "name": "/", "file": file}).fails_again


def test_a_machine_that_fails_while_it_reads_does_not_blame_the_input() -> None:
    for error, is_blamed in ((ContentError("ragged"), True), (ToolkitError("the disk is full"), False)):
        with pytest.raises(ToolkitError) as raised, reading_input():
            raise error
        assert raised.value.is_by_input is is_blamed
