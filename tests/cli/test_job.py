"""`benchwright job`."""

import json
from typing import Any

import pytest

from authoring.cli.main import run_command_line
from authoring.jobs import JOB_KINDS
from authoring.store import jobs
from authoring.store.workspace import Workspace


@pytest.fixture
def ws(workspace: Workspace) -> Workspace:
    return workspace


def told(ws: Workspace, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    code = run_command_line(["job", *words, "--workspace", str(ws.root), "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_an_order_is_queued_once_until_it_ends(ws: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    order = ("order", "dry_run", "--payload", '{"revision_id": 3}', "--by", "Ann")
    code, first = told(ws, capsys, *order)
    assert (code, first["state"], first["payload"], first["created_by"]) == (0, "queued", {"revision_id": 3}, "Ann")
    assert told(ws, capsys, *order)[1]["id"] == first["id"]
    claimed = jobs.claim(ws, owner="w", kinds=list(JOB_KINDS))
    assert claimed is not None
    assert jobs.finish(ws, claimed.id, "w", result={"passed": True})
    assert told(ws, capsys, "show", str(first["id"]))[1]["result"] == {"passed": True}
    assert told(ws, capsys, *order)[1]["id"] != first["id"]


def test_a_wrong_word_is_told_with_its_remedy(ws: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    for words, what in (
        (("order", "dryrun"), "no kind of job 'dryrun'"),
        (("order", "dry_run", "--payload", "{"), "no JSON"),
        (("order", "dry_run", "--payload", "[1]"), "no JSON object"),
        (("order", "dry_run", "--payload", "[" * 100_001), "no JSON"),
        (("order", "dry_run"), "the job has no 'revision_id' of type int or str"),
        (("order", "dry_run", "--payload", '{"revision_id": [3]}'), "of type int or str: it is [3]"),
        (("order", "dry_run", "--payload", '{"revision_id": 3, "sample": 2}'), "the job takes no 'sample'"),
        (("order", "run", "--payload", '{"state": "elsewhere"}'), "no state 'elsewhere'"),
        (("order", "seed_add", "--payload", '{"name": "a", "files": [{"name": "b"}]}'), "list of {name, digest}"),
        (("list", "--state", "lost"), "no job has the state 'lost'"),
        (("show", "7"), "no job has the id 7"),
    ):
        code, answer = told(ws, capsys, *words)
        assert code == 2
        assert what in answer["error"]["what"]
        assert answer["error"]["fix"]


def test_a_failed_job_is_shown_with_its_remedy_and_resumed(ws: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    job = told(ws, capsys, "order", "sketch", "--payload", '{"seed": "penguins"}')[1]["id"]
    claimed = jobs.claim(ws, owner="w", kinds=list(JOB_KINDS))
    assert claimed is not None
    assert jobs.fail(ws, job, "w", error={"what": "no key", "where": "model", "fix": "set one"})
    assert run_command_line(["job", "show", str(job), "--workspace", str(ws.root)]) == 1
    assert "no key; fix: set one" in capsys.readouterr().out
    assert [row["id"] for row in told(ws, capsys, "list", "--state", "failed")[1]["jobs"]] == [job]
    code, resumed = told(ws, capsys, "resume", str(job))
    assert (code, resumed["state"], resumed["error"]) == (0, "queued", None)
    assert jobs.find(ws, job).state == "queued"


def test_a_queued_job_is_cancelled_at_once(ws: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    job = told(ws, capsys, "order", "demo")[1]["id"]
    assert told(ws, capsys, "cancel", str(job))[1]["state"] == "cancelled"
    assert jobs.claim(ws, owner="w", kinds=list(JOB_KINDS)) is None
