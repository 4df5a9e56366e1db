"""What changed between two releases."""

from collections.abc import Callable
from pathlib import Path

import pytest

from authoring.cli.main import run_command_line
from authoring.release import create_release, diff_releases, problem_texts
from authoring.store import dry_runs, revisions
from authoring.store.dry_runs import DryRunProblem
from authoring.store.reviewing.reviews import record_decision
from authoring.store.revisions import Revision
from authoring.store.workspace import Workspace
from evaluator.errors import UsageError

AddSet = Callable[..., Revision]
MORE = '\n# %%\n"""\nquery: How many columns?\nid: columns\n"""\ntrips.shape[1]\n'


def accept_text(ws: Workspace, base: Revision, text: str) -> None:
    revision = revisions.save(ws, base.problemset_id, text, base_revision_id=base.id, author="Bo")
    rows = [DryRunProblem(number, f"p{number}", 0.01, "CORRECT", "WRONG_OUTPUT") for number in (1, 2)]
    dry_runs.save(ws, revision_id=revision.id, environment="env-1", sandbox="bwrap", problems=rows, summary={})
    record_decision(ws, revision_id=revision.id, decision="accepted", by="Ann")


def test_a_diff_names_what_was_added_removed_and_changed(
    ws: Workspace, add_set: AddSet, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trips = add_set("trips")
    one = create_release(ws, "city", "1.0", out=tmp_path / "one").out
    changed = trips.text.replace("How many rows are there?", "How many trips are there?")
    accept_text(ws, trips, changed.replace("import pandas as pd", "import pandas as pd\n\nx = 1") + MORE)
    add_set("walks", data=b"c\n3\n")
    two = create_release(ws, "city", "1.1", out=tmp_path / "two").out
    found = diff_releases(one, two)
    assert found.to_json() == {
        "before": "city 1.0",
        "after": "city 1.1",
        "same": False,
        "added": [
            {"problemset": "trips", "problem": "columns"},
            {"problemset": "walks", "problem": "p1"},
        ],
        "removed": [],
        "changed": [{"problemset": "trips", "problem": "p1", "changed": ["query"]}],
        "setup": ["trips"],
        "data": ["_inputs/walks/trips.csv"],
        "unreadable": [],
    }
    assert [tuple(each) for each in diff_releases(two, one).removed] == list(found.added)
    assert diff_releases(one, one).is_empty
    was, now = (problem_texts(folder, "trips", "p1") for folder in (one, two))
    assert was["query"].endswith("How many rows are there?")
    assert now["query"].endswith("How many trips are there?")
    assert {part for part in was if was[part] != now[part]} == {"query"}
    assert problem_texts(one, "trips", "columns") == {}
    assert run_command_line(["release", "diff", str(one), str(two)]) == 0
    assert "changed  trips: p1 (query)" in capsys.readouterr().out
    with pytest.raises(UsageError, match="no such folder"):
        diff_releases(one, tmp_path / "three")
