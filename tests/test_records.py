import json
from pathlib import Path
from typing import Any

import pytest

from evaluator.errors import ContentError, UsageError
from evaluator.records import AttemptKey, Record, last_records, read_records, scan_lines

FIELDS_OF_OURS = (
    "benchmark version problemset index attempt verdict subverdict extended_verdict question agent_exception validation"
    " code agent_stats epoch seconds environment sandbox engine ending limits_hit marks scoring_version digests is_last"
    " state_after"
)


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


def written(folder: Path, *parts: bytes) -> Path:
    path = folder / "records.jsonl"
    path.write_bytes(b"".join(parts))
    return path


def test_whole_records_read_back_and_a_last_line_cut_short_is_left_out(tmp_path: Path) -> None:
    one, two = record(1).to_line(), record(2).to_line()
    for last in (two, two.rstrip(b"\n")):
        assert list(read_records(written(tmp_path, one, last))) == [record(1), record(2)]
    assert list(read_records(written(tmp_path, one, two[:40]))) == [record(1)]


def test_a_line_holds_exactly_the_agreed_fields() -> None:
    assert " ".join(json.loads(record().to_line())) == FIELDS_OF_OURS
    assert json.loads(record(code="'\ud800'").to_line())["code"] == "'\ud800'"


def test_a_published_record_reads_without_our_fields(tmp_path: Path) -> None:
    told: dict[str, Any] = {"benchmark": "dseval-so", "version": 1, "problemset": "so_001.py", "index": 2, "unknown": 1}
    told |= {"attempt": None, "verdict": "CRASH", "question": "Why?", "validation": []}
    empty = ("subverdict", "extended_verdict", "agent_exception", "code", "agent_stats")
    for line in ({**told, **dict.fromkeys(empty)}, told):
        (read,) = read_records(written(tmp_path, json.dumps(line).encode()))
        assert (read.version, read.subverdict, read.extended_verdict, read.epoch) == ("1", "UNCATEGORIZED", "", 1)
        assert (read.key, read.agent_exception) == (AttemptKey("so_001", 2), None)


def test_a_broken_line_is_named_wherever_it_is_whole(tmp_path: Path) -> None:
    for rest in (record(2).to_line(), b""):
        path = written(tmp_path, record(1).to_line(), b"{broken\n", rest)
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


def test_a_field_that_cannot_be_is_named(tmp_path: Path) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
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
    ]
    for changes, said in cases:
        with pytest.raises(ContentError) as caught:
            list(read_records(written(tmp_path, json.dumps(record().to_json() | changes).encode() + b"\n")))
        assert caught.value.what.startswith("the line is no result record: ")
        assert said in caught.value.what


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
