import json
from pathlib import Path
from typing import Any

import pytest

from evaluator.errors import ContentError, UsageError
from evaluator.records import AttemptKey, Record, last_records, read_records, scan_lines

FIELDS_OF_OURS = [
    "benchmark",
    "version",
    "problemset",
    "index",
    "attempt",
    "verdict",
    "subverdict",
    "extended_verdict",
    "question",
    "agent_exception",
    "validation",
    "code",
    "agent_stats",
    "epoch",
    "seconds",
    "environment",
    "sandbox",
    "engine",
    "ending",
    "limits_hit",
    "marks",
    "scoring_version",
    "digests",
    "is_last",
    "state_after",
]


def record(index: int = 1, verdict: str = "CORRECT", code: str = "len(df)") -> Record:
    return Record(
        benchmark="demo",
        version="1",
        problemset="trips",
        index=index,
        attempt=1,
        verdict=verdict,
        subverdict="UNCATEGORIZED",
        extended_verdict="",
        question="Wie viele Zeilen? 行数",
        validation={"correct": "yes", "category": "and", "reason": []},
        code=code,
        seconds=0.01,
    )


def test_a_record_reads_back_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.write_bytes(record(1).to_line() + record(2).to_line())
    assert list(read_records(path)) == [record(1), record(2)]


def test_a_line_holds_exactly_the_agreed_fields() -> None:
    assert list(json.loads(record().to_line())) == FIELDS_OF_OURS


def test_code_with_lone_surrogates_is_still_json() -> None:
    assert json.loads(record(code="'\ud800'").to_line())["code"] == "'\ud800'"


def test_a_published_record_reads_without_our_fields(tmp_path: Path) -> None:
    published: dict[str, Any] = {
        "benchmark": "dseval-so",
        "version": 1,
        "problemset": "so_001",
        "index": 1,
        "attempt": 1,
        "verdict": "CRASH",
        "subverdict": None,
        "extended_verdict": None,
        "question": "Why?",
        "agent_exception": None,
        "validation": [],
        "code": None,
        "agent_stats": None,
        "unknown": 1,
    }
    path = tmp_path / "published.jsonl"
    path.write_text(json.dumps(published) + "\n")
    (read,) = read_records(path)
    assert (read.version, read.subverdict, read.extended_verdict, read.epoch) == ("1", "UNCATEGORIZED", "", 1)


def test_a_last_line_cut_short_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.write_bytes(record(1).to_line() + record(2).to_line()[:40])
    assert list(read_records(path)) == [record(1)]


def test_a_broken_line_in_the_middle_is_named(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.write_bytes(record(1).to_line() + b"{broken\n" + record(2).to_line())
    with pytest.raises(ContentError) as caught:
        list(read_records(path))
    assert caught.value.where == f"{path}:2"


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        list(read_records(tmp_path / "none.jsonl"))
    assert caught.value.where == str(tmp_path / "none.jsonl")


def test_of_several_records_for_one_attempt_the_last_counts() -> None:
    found = last_records(iter([record(1, "NOT_JUDGED"), record(2), record(1, "CORRECT")]))
    assert [found[AttemptKey("trips", index)].verdict for index in (1, 2)] == ["CORRECT", "CORRECT"]


def test_a_last_line_without_a_line_end_counts_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.write_bytes(record(1).to_line() + record(2).to_line().rstrip(b"\n"))
    assert list(read_records(path)) == [record(1), record(2)]


def test_a_broken_last_line_that_is_not_cut_is_named(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    path.write_bytes(record(1).to_line() + b"{broken\n")
    with pytest.raises(ContentError) as caught:
        list(read_records(path))
    assert caught.value.where == f"{path}:2"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"index": 0}, "index is 0, not a number from 1"),
        ({"index": None}, "index is missing"),
        ({"index": True}, "index is True"),
        ({"index": "1"}, "index is '1'"),
        ({"attempt": -1}, "attempt is -1"),
        ({"epoch": 0}, "epoch is 0"),
        ({"problemset": None}, "problemset: "),
        ({"problemset": 7}, "problemset: "),
        ({"verdict": None}, "verdict: "),
        ({"agent_stats": 3}, "agent_stats: "),
    ],
)
def test_a_field_that_cannot_be_is_named(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text(json.dumps(record().to_json() | changes) + "\n")
    with pytest.raises(ContentError) as caught:
        list(read_records(path))
    assert caught.value.what.startswith("the line is no result record: ")
    assert said in caught.value.what


def test_what_published_files_leave_out_or_write_otherwise_reads(tmp_path: Path) -> None:
    path = tmp_path / "published.jsonl"
    path.write_text(
        json.dumps(
            {"problemset": "so_001.py", "index": 2, "verdict": "TIMEOUT", "version": 1.5, "attempt": None, "code": None}
        )
    )
    (read,) = read_records(path)
    assert read.key == AttemptKey("so_001", 2)
    assert (read.version, read.benchmark, read.subverdict, read.agent_exception) == ("1.5", "", "UNCATEGORIZED", None)


def test_lines_know_where_they_lie(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"one\n\n  \ntwo\r\nthree")
    lines = list(scan_lines(path, bytes.decode))
    data = path.read_bytes()
    assert [(line.number, line.value, line.is_cut) for line in lines] == [
        (1, "one\n", False),
        (4, "two\r\n", False),
        (5, "three", False),
    ]
    assert [data[line.offset : line.offset + line.length] for line in lines] == [b"one\n", b"two\r\n", b"three"]
