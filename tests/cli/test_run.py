"""`benchwright run`: what it prints and keeps, its exit codes, how it resumes, and how it is stopped."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from authoring.cli.evaluating.run import summary_text
from evaluator.errors import ToolkitError
from evaluator.running import RunSummary
from evaluator.session import Session
from tests.reporting.conftest import record, write_run

pytestmark = pytest.mark.kernel

Command = Callable[..., Any]
WriteSet = Callable[..., Path]
COMMAND = Path(sys.executable).with_name("benchwright")

REFUSED = '# %%\n"""\nquery: Fail.\n"""\n1 / 0\n'


def lines_of(out: Path) -> list[dict[str, Any]]:
    path = out / "records.jsonl"
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]


def started(*arguments: str | Path, **options: Any) -> subprocess.Popen[str]:
    words = [str(COMMAND), *map(str, arguments)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def wait_for_records(out: Path, count: int, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 30
    while len(lines_of(out)) < count:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_run_prints_one_object_fills_its_folder_and_resumes(
    benchwright: Command, write_set: WriteSet, tmp_path: Path
) -> None:
    command = ("run", write_set(), "--agent", "oracle", "--out", "out")
    done = benchwright(*command, "--json")
    assert done.code == 0, done
    summary = done.json
    assert (summary["judged"], summary["pass_rate"], summary["verdicts"]) == (3, 1.0, {"CORRECT": 3})
    assert (summary["refused"], summary["resumed"]) == ([], 0)
    assert len(lines_of(tmp_path / "out")) == 3
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["agent"] == "oracle"
    assert benchwright(*command, "--json").json["resumed"] == 3
    assert "nothing left to judge: all 3 were judged before" in benchwright(*command).stdout
    records = tmp_path / "out" / "records.jsonl"
    records.write_bytes(b"".join(records.read_bytes().splitlines(keepends=True)[:2]))
    assert "2 judged before, 1 now" in benchwright(*command).stdout
    other = benchwright("run", "sums.py", "--agent", "empty", "--out", "out", "--json")
    assert (other.code, "--out" in other.json["error"]["fix"]) == (1, True)
    table = benchwright("run", "sums.py", "--agent", "empty", "--out", "other")
    assert (table.code, table.stderr, "before" in table.stdout) == (0, "", False)
    assert "0.0%" in table.stdout
    assert "records: other/records.jsonl" in table.stdout


def test_exit_codes_and_messages(benchwright: Command, write_set: WriteSet, tmp_path: Path) -> None:
    good = write_set()
    (tmp_path / "bad.py").write_text(REFUSED)
    (tmp_path / "a_file").write_text("")
    (tmp_path / "broken.jsonl").write_text("{")
    (tmp_path / "no_manifest").mkdir()
    table: list[tuple[list[str | Path], int, str]] = [
        ([good, "--agent", "orakel", "--out", "o1"], 2, "'orakel'"),
        ([good, "--agent", "replay:none.jsonl", "--out", "o2"], 2, "no such records file"),
        ([good, "--agent", "replay:broken.jsonl", "--out", "o3"], 1, "no result record"),
        ([good, "--agent", "oracle", "--out", "o4", "--sets", "som"], 2, "no problemset 'som'"),
        ([good, "--agent", "oracle", "--out", "o5", "--workers", "0"], 2, "workers"),
        ([good, "--agent", "oracle", "--out", "o6", "--limit", "0"], 2, "limit"),
        ([good, "--agent", "oracle", "--out", "o10", "--mode", "end"], 2, "'--mode': 'end' is not one of"),
        (["nowhere", "--agent", "oracle", "--out", "o7"], 2, "nowhere"),
        (["no_manifest", "--agent", "oracle", "--out", "o8"], 2, "_manifest.yaml"),
        ([good, "--agent", "oracle", "--out", "a_file/out"], 3, "output folder"),
    ]
    for arguments, code, said in table:
        done = benchwright("run", *arguments, "--json")
        assert done.code == code, (arguments, done)
        assert set(done.json) == {"error"}, arguments
        assert set(done.json["error"]) == {"what", "where", "fix"}, arguments
        assert said in done.json["error"]["what"], (arguments, done.json)
        assert done.json["error"]["where"] == "--workers" or "--workers" not in arguments
    plain = benchwright("run", *arguments)
    assert (plain.code, plain.stdout, said in plain.stderr) == (code, "", True), plain


def test_a_refused_set_ends_with_1_and_its_diagnostic(
    benchwright: Command, write_set: WriteSet, tmp_path: Path
) -> None:
    write_set("benchmark/good.py")
    (tmp_path / "benchmark" / "bad.py").write_text(REFUSED)
    (tmp_path / "benchmark" / "_manifest.yaml").write_text("name: mixed\nversion: '1'\n")
    done = benchwright("run", "benchmark", "--agent", "oracle", "--out", "out", "--json")
    assert done.code == 1
    assert done.json["refused"] == ["bad"]
    assert done.json["judged"] == 3
    assert "bad.py:5: error[reference-raises]" in done.stderr
    assert "ZeroDivisionError" in done.stderr


def test_what_could_not_be_judged_ends_with_3_and_is_tried_again(
    benchwright: Command, write_set: WriteSet, tmp_path: Path
) -> None:
    command = ("run", write_set(), "--agent", "oracle", "--out", "out", "--json")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Session, "attempt", _no_session)
        done = benchwright(*command)
    assert (done.code, done.json["judged"], done.json["not_judged"], done.json["pass_rate"]) == (3, 0, 3, None)
    assert done.json["rates_withheld"].startswith("3 not judged")
    assert {each["verdict"] for each in lines_of(tmp_path / "out")} == {"NOT_JUDGED"}
    again = benchwright(*command)
    assert (again.code, again.json["judged"], again.json["resumed"]) == (0, 3, 0)
    assert [each["index"] for each in lines_of(tmp_path / "out")] == [1, 2, 3]


def _no_session(*_arguments: object, **_options: object) -> None:
    raise ToolkitError("the session is gone")  # no healthy engine does this


def test_the_end_of_a_run_tells_an_outage_as_no_failure_of_the_agent(tmp_path: Path) -> None:
    out = write_run(
        tmp_path,
        record(1, "CRASH", agent_exception="the agent failed: it died"),
        record(2, "NOT_JUDGED", agent_exception="the model endpoint answered with 503"),
    )
    text = summary_text(RunSummary(out, "small", "1", "mine", total=2, judged=1, not_judged=1, resumed=0))
    assert "the agent failed at 1 attempt, such as: 'it died'" in text
    assert "not judged: 1, such as for 'the model endpoint answered with 503'; the same command tries" in text


def test_a_run_that_is_killed_resumes_without_judging_twice(
    benchwright: Command, write_set: WriteSet, tmp_path: Path
) -> None:
    path = write_set(problems=6, seconds=0.1)
    out = tmp_path / "out"
    process = started("run", path, "--agent", "oracle", "--out", out)
    try:
        wait_for_records(out, 1, process)
        second = benchwright("run", path, "--agent", "oracle", "--out", out, "--json")
        assert (second.code, "another run is writing" in second.json["error"]["what"]) == (1, True)
    finally:
        process.kill()
        process.communicate()
    before = lines_of(out)
    done = benchwright("run", path, "--agent", "oracle", "--out", out, "--json")
    assert done.code == 0, done
    assert done.json["resumed"] == len(before) >= 1
    after = lines_of(out)
    assert after[: len(before)] == before
    assert [each["index"] for each in after] == list(range(1, 7))
    assert {each["verdict"] for each in after} == {"CORRECT"}


def _ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # as a shell does for jobs in the background


INTERRUPTIONS = [
    pytest.param(2, signal.SIGINT, None, 130, id="two workers"),
    pytest.param(1, signal.SIGINT, _ignore_interrupts, 130, id="in the background", marks=pytest.mark.deep),
    pytest.param(2, signal.SIGTERM, None, 143, id="SIGTERM", marks=pytest.mark.deep),
]


@pytest.mark.parametrize(("workers", "number", "begin_with", "code"), INTERRUPTIONS)
def test_an_interrupted_run_ends_with_a_message_and_resumes(
    benchwright: Command,
    write_set: WriteSet,
    tmp_path: Path,
    workers: int,
    number: signal.Signals,
    begin_with: Callable[[], None] | None,
    code: int,
) -> None:
    for name in ("one", "two"):
        write_set(f"benchmark/{name}.py", problems=5, seconds=0.1)
    (tmp_path / "benchmark" / "_manifest.yaml").write_text("name: slow\nversion: '1'\n")
    out = tmp_path / "out"
    command = ("run", tmp_path / "benchmark", "--agent", "oracle", "--out", out, "--workers", str(workers))
    process = started(*command, start_new_session=True, preexec_fn=begin_with)
    wait_for_records(out, 2, process)
    begin = time.monotonic()
    if number is signal.SIGINT:
        os.killpg(process.pid, number)  # as a terminal does: the whole group gets it
    else:
        process.send_signal(number)
    stdout, stderr = process.communicate(timeout=20)
    assert time.monotonic() - begin < 5
    assert (process.returncode, stdout) == (code, "")
    assert "interrupted" in stderr
    assert "of 10 problems are judged and kept" in stderr
    assert "Traceback" not in stderr
    assert "event=" not in stderr
    assert {each["verdict"] for each in lines_of(out)} == {"CORRECT"}
    done = benchwright(*command, "--json")
    assert (done.code, done.json["judged"], done.json["pass_rate"]) == (0, 10, 1.0)
    assert len(lines_of(out)) == 10
