"""What changed between two releases."""

from pathlib import Path

import pytest

from authoring.cli.main import run_command_line
from authoring.conversion import import_benchmark
from authoring.release import create_release, diff_releases, problem_texts
from authoring.store import revisions
from authoring.store.workspace import Workspace
from evaluator.diagnostics import has_errors
from evaluator.errors import UsageError
from evaluator.language import read_benchmark, with_language_version
from tests.release.conftest import AddSet, accept_text

MORE = '\n# %%\n"""\nquery: How many columns?\nid: columns\n"""\ntrips.shape[1]\n'


def test_a_set_written_in_version_three_keeps_its_time_beside_older_ones(
    ws: Workspace, add_set: AddSet, tmp_path: Path
) -> None:
    trips = add_set("trips")
    add_set("walks", text=with_language_version(trips.text), data=b"c\n3\n")
    one = create_release(ws, "city", "1.0", out=tmp_path / "one").out
    benchmark = read_benchmark(one)
    assert (benchmark.manifest.language_version, has_errors(benchmark.diagnostics)) == (2, False)
    assert [problem.time_limit_s for problem in benchmark.problems] == [1.0, 5.0]

    accept_text(ws, trips, with_language_version(trips.text), "p1")
    two = create_release(ws, "city", "1.1", out=tmp_path / "two").out
    assert read_benchmark(two).manifest.language_version == 3
    assert [problem.time_limit_s for problem in read_benchmark(two).problems] == [5.0, 5.0]
    found = diff_releases(one, two).to_json()
    assert found["changed"] == [{"problemset": "trips", "problem": "p1", "changed": ["limits"]}]

    (two / "_manifest.yaml").write_text("name: city\nversion: '1.2'\nlanguage_version: 2\n")
    assert diff_releases(two, two).is_empty
    assert [problem.time_limit_s for problem in read_benchmark(two).problems] == [5.0, 5.0]


def test_a_release_comes_back_through_a_workspace_byte_for_byte(ws: Workspace, add_set: AddSet, tmp_path: Path) -> None:
    old, new = add_set("old"), add_set("new", text=with_language_version(add_set("trips").text), data=b"c\n3\n")
    folder = create_release(ws, "city", "1.0", out=tmp_path / "one").out
    other = Workspace.open(tmp_path / "other")
    import_benchmark(other, folder, tmp_path)
    assert {name: revisions.find(other, name).text for name in ("old", "new")} == {"old": old.text, "new": new.text}


def test_a_diff_names_what_was_added_removed_and_changed(
    ws: Workspace, add_set: AddSet, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trips = add_set("trips")
    one = create_release(ws, "city", "1.0", out=tmp_path / "one").out
    changed = trips.text.replace("How many rows are there?", "How many trips are there?")
    accept_text(ws, trips, changed.replace("import pandas as pd", "import pandas as pd\n\nx = 1") + MORE, "p1", "p2")
    add_set("walks", data=b"c\n3\n")
    two = create_release(ws, "city", "1.1", out=tmp_path / "two").out
    found = diff_releases(one, two)
    assert found.to_json() == {
        "before": "city 1.0",
        "after": "city 1.1",
        "same": False,
        "added": [{"problemset": "trips", "problem": "columns"}, {"problemset": "walks", "problem": "p1"}],
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
