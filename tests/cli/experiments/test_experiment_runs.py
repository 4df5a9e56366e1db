"""Experiments as files: runs in one pass, resumed and repeated from records, are brought into one table."""

import csv
from pathlib import Path
from typing import Any

import pytest

from evaluator.reporting.paired import wilson_interval
from tests.cli.experiments.small_experiment import AGENTS, POLICIES, Command, Write, verdicts
from tests.scripted_model import ScriptedModel

pytestmark = pytest.mark.kernel


def rates(found: dict[str, Any]) -> dict[tuple[str, str], float]:
    return {(run["agent"], run["policy"]): run["pass_rate"] for run in found["runs"]}


def test_an_experiment_is_forecast_run_and_brought_into_one_table(
    benchwright: Command, write: Write, model: ScriptedModel, tmp_path: Path
) -> None:
    file = write("published: dseval", *AGENTS, "- oracle", *POLICIES)
    ahead = benchwright("experiment", "run", file, "--dry", "--json")
    assert (ahead.code, ahead.json["requests"]) == (0, [4 * 4, 2 * 4 + 2 * 8])
    assert ahead.json["cost"] is None  # no price is known of it
    assert model.requests == []
    assert {each["state"] for each in benchwright("experiment", "status", file, "--json").json["runs"]} == {"waiting"}
    done = benchwright("experiment", "run", file, "--json")
    assert done.code == 0, done.stderr
    assert "6 runs, 24 problems left to judge" in done.stderr
    assert rates(done.json) == {
        **{("plain", "once"): 0.5, ("shots", "once"): 0.5, ("oracle", "once"): 1.0},
        **{("plain", "two attempts"): 0.75, ("shots", "two attempts"): 0.75, ("oracle", "two attempts"): 1.0},
    }
    first = done.json["runs"][0]
    assert first["interval"] == list(wilson_interval(2, 4) or ())
    assert first["tokens"] == {"prompt": 250.0, "completion": 10.0}
    assert len(done.json["published_alone"]) == 7
    assert done.json["done"] is True
    asked = len(model.requests)
    again = benchwright("experiment", "run", file, "--json")
    assert (again.json, len(model.requests)) == (done.json, asked)
    report = benchwright("experiment", "report", file, "--csv", "table.csv")
    (row,) = [line for line in report.stdout.splitlines() if "oracle" in line and "once" in line]
    assert row.split()[:7] == ["bench", "oracle", "once", "4", "100.0%", "51.0-100.0", "100.0%"]
    rows = list(csv.DictReader((tmp_path / "table.csv").read_text().splitlines()))
    assert [row["pass_rate"] for row in rows] == ["0.5", "0.75", "0.5", "0.75", "1.0", "1.0"]
    left = benchwright("experiment", "run", file, "--dry", "--json").json
    assert (left["requests"], [each["tokens_measured"] for each in left["runs"]]) == ([0, 0], [True] * 4 + [False] * 2)


def test_what_was_recorded_repeats_the_whole_experiment_offline(
    benchwright: Command,
    write: Write,
    model: ScriptedModel,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = write(*AGENTS, *POLICIES[:2])
    first = benchwright("experiment", "run", file, "--record", "tape", "--json")
    assert first.code == 0, first.stderr
    assert sorted(path.name for path in (tmp_path / "tape").iterdir()) == ["plain", "shots"]
    both = benchwright("experiment", "run", file, "--record", "tape", "--recorded", "tape")
    assert (both.code, "exclude one another" in both.stderr) == (2, True)
    asked = len(model.requests)
    monkeypatch.delenv("OPENAI_API_KEY")
    second = benchwright("experiment", "run", file, "--recorded", "tape", "--out", "again", "--json")
    assert second.code == 0, second.stderr
    assert "no model is asked" in second.stderr
    assert len(model.requests) == asked
    for one, other in zip(first.json["runs"], second.json["runs"], strict=True):
        paths = [Path(run["out"]) / "records.jsonl" for run in (one, other)]
        assert paths[0] != paths[1]
        assert verdicts(paths[0]) == verdicts(paths[1])
        assert {**one, "out": ""} == {**other, "out": ""}
    lost = benchwright("experiment", "run", file, "--recorded", "nowhere", "--out", "third")
    assert (lost.code, "there is no cassette" in lost.stderr) == (2, True)


def test_a_page_shows_labels_as_text_and_what_is_not_at_its_end(
    benchwright: Command, write: Write, tmp_path: Path
) -> None:
    hostile = "<script>alert(1)</script>"
    file = write(f"agents: [{{agent: oracle, label: '{hostile}'}}]", "policies: [{label: twice, max_attempts: 2}]")
    for remark in (True, False):
        assert benchwright("experiment", "report", file, "--html", "page.html").code == 0
        page = (tmp_path / "page.html").read_text()
        assert hostile not in page
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
        assert ("1 of 1 runs are not at their end" in page, page.count("<svg")) == (remark, 0 if remark else 1)
        assert benchwright("experiment", "run", file).code == 0


def test_entries_whose_titles_look_alike_have_folders_of_their_own(benchwright: Command, write: Write) -> None:
    (judge,) = benchwright("experiment", "status", write("agents: [{agent: oracle, label: _judge_}]"), "--json").json[
        "runs"
    ]
    assert Path(judge["out"]).parent.name == "judge"  # no agent has the folder of the judge
    labels = ("a b", "a-b", "a-b-2", "A")
    places: dict[str, str] = {}
    for count in (1, 3, 4):  # entries that are added move no run
        lines = [f"- {{agent: empty, label: {label}}}" for label in labels[:count]]
        found = benchwright("experiment", "status", write("agents:", *lines), "--json").json["runs"]
        outs = {run["agent"]: run["out"] for run in found}
        assert len(set(outs.values())) == count
        assert all(outs[label] == place for label, place in places.items())
        places = outs
