"""The commands of the Qwen benchmark: records in and out, result lines as a run with a board."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.kernel
Command = Callable[..., Any]
RECORDS = [
    {"query": "What is 2 + 2?", "tags": "all_ci,math"},
    {"query": "Is it up?", "tags": "all_ci,general"},
    {"question": "9 eggs at $2?", "answer": "9 * 2 = 18\n#### 18"},
]
GEN = "\nAction: code_interpreter\nAction Input: 2 + 2\nObservation: 4\nFinal Answer: 4"


def write(path: Path, records: list[Any]) -> None:
    path.write_text("".join(f"{json.dumps(each)}\n" for each in records), encoding="utf-8")


def test_the_commands_do_it_all(benchwright: Command, tmp_path: Path) -> None:
    write(tmp_path / "records.jsonl", RECORDS)
    done = benchwright("import", "qwen", "records.jsonl", "--out", "bench", "--json")
    assert (done.code, done.json["problems"], done.json["tags"]) == (0, 3, {"math": 1, "general": 1, "gsm8k": 1})
    results = [{**RECORDS[0], "gen": GEN, "executable_code": True}, {**RECORDS[2], "completion": "It is 18."}]
    write(tmp_path / "results.jsonl", results)
    done = benchwright("import", "results", "results.jsonl", "--benchmark", "bench", "--out", "run", "--json")
    assert done.code == 0
    board = benchwright("report", "run", "--json").json["family_board"]
    assert board == done.json["family_board"]
    assert board["tags"]["math"]["executable"] == {"value": 1.0, "n": 1}
    assert board["tags"]["gsm8k"]["accuracy"] == {"value": 1.0, "n": 1}
    assert board["tags"]["general"]["executable"] == {"value": None, "n": 0}
    text = benchwright("report", "run").stdout
    assert "gsm8k" in text
    assert "nothing compares what it shows" in text
    done = benchwright("export", "qwen", "bench", "--out", "again.jsonl")
    assert (done.code, "3 records" in done.stdout) == (0, True)
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "records.jsonl").read_bytes()
    done = benchwright("export", "qwen", "bench", "--out", "again.jsonl")
    assert (done.code, "exists already" in done.stderr) == (2, True)


def test_bad_input_says_what_where_and_how_to_mend_it(benchwright: Command, tmp_path: Path) -> None:
    write(tmp_path / "records.jsonl", [*RECORDS, {"query": "q", "tags": "poetry"}])
    done = benchwright("import", "qwen", "records.jsonl", "--out", "bench")
    assert done.code == 1
    assert "records.jsonl:4: error[unknown-tag]" in done.stderr
    assert "fix:" in done.stderr
    assert benchwright("import", "qwen", "absent.jsonl", "--out", "other").code == 2
    assert benchwright("import", "qwen", "records.jsonl", "--out", "bench").code == 2
    lost = benchwright("import", "qwen", "records.jsonl", "--out", "third", "--data", "nowhere")
    assert (lost.code, "nowhere" in lost.stderr) == (2, True)
