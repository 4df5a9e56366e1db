import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from authoring.store.runs import select as select_runs
from authoring.store.workspace import Workspace

Command = Callable[..., Any]


def published(index: int, verdict: str) -> str:
    record = {"benchmark": "Trips", "version": 1, "problemset": "trips", "index": index, "attempt": 1}
    return json.dumps(record | {"verdict": verdict, "subverdict": None, "code": "3", "agent_exception": ""}) + "\n"


def test_a_result_file_is_imported_and_summarised(benchwright: Command, tmp_path: Path) -> None:
    verdicts = ["CORRECT", "INTACT_VIOLATION", "PRESENTATION_ERROR", "CRASH"]
    text = "".join(published(index, verdict) for index, verdict in enumerate(verdicts, start=1))
    (tmp_path / "model.jsonl").write_text(text + published(4, "CORRECT"))
    done = benchwright("import", "results", "model.jsonl", "--json")
    assert (done.code, done.json["records"], done.json["replaced"]) == (0, 5, 1)
    rates = done.json["report"]["total"]
    assert (rates["pass_rate"], rates["without_intact"], rates["without_presentation"]) == (0.5, 0.75, 0.75)
    assert "1 of 5 records are replaced" in done.stderr
    assert Path("runs/model/records.jsonl").is_file()
    again = benchwright("import", "results", "model.jsonl", "--out", "other")
    assert "Trips 1, 5 imported records" in again.stdout
    assert "50.0%" in again.stdout
    reported = benchwright("report", "other", "--html", "page.html")
    assert (reported.code, "50.0%" in reported.stdout) == (0, True)
    assert "published" in Path("page.html").read_text()


def test_a_run_is_entered_into_a_workspace(benchwright: Command, tmp_path: Path) -> None:
    (tmp_path / "model.jsonl").write_text(published(1, "CORRECT"))
    benchwright("import", "results", "model.jsonl", "--out", "theirs")
    done = benchwright("import", "results", "theirs", "--workspace", "w", "--json")
    assert (done.code, done.json["agent"]) == (0, "model")
    assert (tmp_path / "w/runs/theirs/manifest.json").is_file()
    (run,) = select_runs(Workspace.open(tmp_path / "w"), 10)
    assert (run.release, run.agent, run.out_dir) == ("Trips 1", "model", str(tmp_path / "w/runs/theirs"))


def test_a_run_that_was_stopped_says_what_it_lacks_wherever_it_is_entered(benchwright: Command, tmp_path: Path) -> None:
    (tmp_path / "model.jsonl").write_text(published(1, "CORRECT"))
    benchwright("import", "results", "model.jsonl", "--out", "theirs")
    manifest = json.loads((tmp_path / "theirs/manifest.json").read_text())
    manifest["sets"][0]["problems"] = 5
    (tmp_path / "theirs/manifest.json").write_text(json.dumps(manifest | {"epochs": 2}))
    done = benchwright("import", "results", "theirs", "--workspace", "w", "--json")
    assert (done.code, done.json["asked"]) == (0, 10)
    assert "note: 9 of 10 problems that the run asks have no result and count in no rate" in done.stderr
    (run,) = select_runs(Workspace.open(tmp_path / "w"), 10)
    assert run.summary["total"] == 10


def test_bad_lines_are_named_with_file_and_line(benchwright: Command, tmp_path: Path) -> None:
    (tmp_path / "model.jsonl").write_text(published(1, "CORRECT") + "{}\n" + "nonsense\n")
    done = benchwright("import", "results", "model.jsonl", "--out", "out", "--json")
    assert done.code == 1
    assert done.json["error"]["what"] == "2 lines are no records"
    assert "model.jsonl:2: error[bad-record]" in done.stderr
    assert "model.jsonl:3: error[bad-record]" in done.stderr
    assert not Path("out").exists()
