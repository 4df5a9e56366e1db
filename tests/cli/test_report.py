"""`benchwright report`."""

import os
from pathlib import Path

from tests.cli.conftest import Command
from tests.reporting.conftest import record, write_run


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


def test_no_device_or_pipe_is_replaced_by_a_file(benchwright: Command, tmp_path: Path) -> None:
    run = write_run(tmp_path, record())
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    told = benchwright("report", run, "--html", pipe, "--json")
    assert told.code == 2
    assert told.json["error"]["what"] == "this is no plain file"
    assert pipe.is_fifo()


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
