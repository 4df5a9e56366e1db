"""`benchwright report`, `compare`, `stats` and `import results`."""

import json
import os
import shutil
from pathlib import Path

from authoring.store.runs import select as select_runs
from authoring.store.workspace import Workspace
from evaluator.language import read_benchmark
from tests.cli.conftest import Command
from tests.reporting.conftest import record, write_run

ROOT = Path(__file__).parent.parent.parent


def test_a_run_is_reported_as_text_json_and_page(benchwright: Command, tmp_path: Path) -> None:
    run = write_run(tmp_path, record(1), record(2, "CRASH", subverdict="KEY_ERROR"))
    assert "50.0%" in benchwright("report", run).stdout
    found = benchwright("report", run, "--json", "--html", "page.html")
    assert found.code == 0
    assert found.json["board"]["pass_rate"] == 0.5
    assert found.json["subverdicts"][1] == {"verdict": "CRASH", "subverdict": "KEY_ERROR", "problems": 1}
    assert Path("page.html").read_text().startswith("<!doctype html>")


def test_what_cannot_be_read_or_written_is_said(benchwright: Command, tmp_path: Path) -> None:
    missing = benchwright("report", "nothing")
    assert missing.code == 2
    assert "nothing" in missing.stderr
    run = write_run(tmp_path, record())
    refused = benchwright("report", run, "--html", "no/such/folder/page.html")
    assert refused.code == 3
    assert "no/such/folder" in refused.stderr
    os.mkfifo("pipe")
    told = benchwright("report", run, "--html", "pipe", "--json")
    assert (told.code, told.json["error"]["what"]) == (2, "this is no plain file")
    assert Path("pipe").is_fifo()


def test_problems_that_a_run_asks_and_has_no_result_of_are_told(benchwright: Command, tmp_path: Path) -> None:
    """A set that was refused would else make a denominator smaller without a word."""
    fault = {"severity": "error", "what": "the reference code of problem 1 raises <KeyError>"}
    sets = [{"name": "sums", "problems": 2}, {"name": "means", "problems": 3}]
    refused = [{"problemset": "means", "diagnostics": [fault]}, {"problemset": "torn", "diagnostics": []}]
    run = write_run(tmp_path, record(1), record(2), sets=sets, refused=refused)
    told = "3 problems that the run asks have no result and count in no rate. Refused problemsets: means ("
    shown = benchwright("report", run)
    assert told in shown.stdout
    assert "torn" in shown.stdout
    found = benchwright("report", run, "--json", "--html", "page.html").json["uncounted"]
    assert found["problems"] == 3
    assert found["refused"] == [
        {"problemset": "means", "why": fault["what"]},
        {"problemset": "torn", "why": ""},
    ]
    assert "raises &lt;KeyError&gt;); torn." in Path("page.html").read_text()
    (tmp_path / "whole").mkdir()
    whole = write_run(tmp_path / "whole", record(1), record(2), sets=sets[:1])
    assert benchwright("report", whole, "--json").json["uncounted"] == {"problems": 0, "refused": []}


def test_two_runs_are_compared_as_text_json_and_csv(benchwright: Command, tmp_path: Path) -> None:
    folders = []
    for name, verdict in (("a", "CRASH"), ("b", "CORRECT")):
        (tmp_path / name).mkdir()
        folders.append(write_run(tmp_path / name, record(1), record(2, verdict), agent=name))
    done = benchwright("compare", *folders)
    assert (done.code, "first: a on small 1" in done.stdout) == (0, True)
    assert "p = 1" in done.stdout
    found = benchwright("compare", *folders, "--json", "--csv", "both.csv").json
    assert (found["total"]["both"], found["total"]["only_second"], found["csv"]) == (1, 1, "both.csv")
    assert Path("both.csv").read_text().splitlines()[-1] == "sums,2,1,CRASH,CORRECT,second"
    assert benchwright("compare", folders[0], "nothing").code == 2


def test_the_shipped_benchmark_is_described(benchwright: Command) -> None:
    found = benchwright("stats", ROOT / "problemsets" / "core", "--json")
    assert found.code == 0
    expected = {loaded.name: loaded.problemset for loaded in read_benchmark(ROOT / "problemsets" / "core").sets}
    sizes = [len(problemset.problems) for problemset in expected.values() if problemset is not None]
    assert (found.json["benchmark"], found.json["problemsets"], found.json["problems"]) == ("core", 10, sum(sizes))
    assert [each["problems"] for each in found.json["by_set"]] == sizes
    text = benchwright("stats", ROOT / "problemsets" / "core", "--by-set").stdout
    assert "joins_across_tables" in text


def test_a_broken_set_is_named_and_the_rest_described(benchwright: Command) -> None:
    folder = Path("bench")
    folder.mkdir()
    (folder / "_manifest.yaml").write_text('name: b\nversion: "1"\n')
    (folder / "good.py").write_text('# %%\n"""\nquery: One and one.\n"""\n1 + 1\n')
    (folder / "bad.py").write_text('# %%\n"""\nquery: [\n"""\n1\n')
    found = benchwright("stats", folder, "--json")
    assert (found.code, found.json["refused"], found.json["problems"]) == (1, ["bad"], 1)
    assert "bad.py" in found.stderr


def test_sessions_are_measured_on_request(benchwright: Command) -> None:
    Path("one.py").write_text('# %%\n"""\nquery: The sum.\n"""\nx = [1, 2]\nsum(x)\n')
    found = benchwright("stats", "one.py", "--run", "--json").json["measured"]
    assert (found["executed_problems"], found["most_variables"], found["failed"]) == (1, 1, [])
    Path("two.py").write_text('# %%\n"""\nquery: Nothing.\n"""\n1 / 0\n')
    failed = benchwright("stats", "two.py", "--run")
    assert failed.code == 1
    assert "two: the cell at line 1 ended as error with ZeroDivisionError" in failed.stdout


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


def test_a_run_is_entered_into_a_workspace_which_says_what_it_lacks(
    benchwright: Command, w: Workspace, tmp_path: Path
) -> None:
    (tmp_path / "model.jsonl").write_text(published(1, "CORRECT"))
    benchwright("import", "results", "model.jsonl", "--out", "theirs")
    done = benchwright("import", "results", "theirs", "--workspace", "w", "--json")
    assert (done.code, done.json["agent"]) == (0, "model")
    assert (tmp_path / "w/runs/theirs/manifest.json").is_file()
    (run,) = select_runs(w, 10)
    assert (run.release, run.agent, run.out_dir) == ("Trips 1", "model", str(tmp_path / "w/runs/theirs"))
    manifest = json.loads((tmp_path / "theirs/manifest.json").read_text())
    manifest["sets"][0]["problems"] = 5
    shutil.copytree("theirs", "stopped")
    (tmp_path / "stopped/manifest.json").write_text(json.dumps(manifest | {"epochs": 2}))
    done = benchwright("import", "results", "stopped", "--workspace", "w", "--json")
    assert (done.code, done.json["asked"]) == (0, 10)
    assert "note: 9 of 10 problems that the run asks have no result and count in no rate" in done.stderr
    assert {run.summary["total"] for run in select_runs(w, 10)} >= {10}


def test_bad_lines_are_named_with_file_and_line(benchwright: Command, tmp_path: Path) -> None:
    (tmp_path / "model.jsonl").write_text(published(1, "CORRECT") + "{}\n" + "nonsense\n")
    done = benchwright("import", "results", "model.jsonl", "--out", "out", "--json")
    assert done.code == 1
    assert done.json["error"]["what"] == "2 lines are no records"
    assert "model.jsonl:2: error[bad-record]" in done.stderr
    assert "model.jsonl:3: error[bad-record]" in done.stderr
    assert not Path("out").exists()
