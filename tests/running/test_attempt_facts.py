"""What counts of attempts is kept in memory, and their records are read one by one."""

import random
from pathlib import Path
from typing import Any

import pytest

from evaluator.errors import ContentError, ToolkitError
from evaluator.records import Record, last_records, read_records
from evaluator.reporting import run_details
from evaluator.running.attempt_facts import KeptRecords, order_of_attempt, read_attempts


def record(
    problemset: str = "sums", index: int = 1, verdict: str = "CORRECT", attempt: int = 1, **more: object
) -> Record:
    fields = {"subverdict": "UNCATEGORIZED", "extended_verdict": "why", "question": "What?", **more}
    return Record("small", "1", problemset, index, attempt, verdict, **fields)  # type: ignore[arg-type]  # known names


def written(folder: Path, *records: Record, rest: bytes = b"") -> Path:
    path = folder / "records.jsonl"
    path.write_bytes(b"".join(each.to_line() for each in records) + rest)
    return path


def test_the_last_line_of_an_attempt_counts_and_a_cut_one_does_not(tmp_path: Path) -> None:
    again = record(verdict="CRASH", code="2")
    path = written(tmp_path, record("trips"), record(code="1"), again, record(index=2), rest=b'{"benchmark": "sma')
    found = read_attempts(path)
    assert [(each.problemset, each.index, each.verdict) for each in found] == [
        ("sums", 1, "CRASH"), ("sums", 2, "CORRECT"), ("trips", 1, "CORRECT"),
    ]  # fmt: skip
    kept = KeptRecords(path, found)
    assert (len(kept), kept[0], kept[-1], list(kept[1:])) == (3, again, record("trips"), [record(index=2), kept[2]])


def test_a_line_that_is_no_record_is_named(tmp_path: Path) -> None:
    with pytest.raises(ContentError, match="no result record") as raised:
        read_attempts(written(tmp_path, record(), rest=b"{}\n"))
    assert raised.value.where.endswith("records.jsonl:2")


def test_nothing_that_grows_with_an_answer_is_kept_of_it(tmp_path: Path) -> None:
    long = "x" * 1_000_000
    texts: dict[str, Any] = {
        "code": long,
        "question": long,
        "answer": long,
        "agent_exception": long,
        "extended_verdict": long,
    }
    path = written(
        tmp_path, record(verdict="NOT_JUDGED", validation={"reason": long}, agent_stats={"a": long}, **texts)
    )
    (found,) = read_attempts(path)
    assert len(repr(found)) < 3_000
    assert found.asked == hash(long)


@pytest.mark.parametrize("begin", [b"", record("other").to_line(), record(verdict="CRASH").to_line(), b"x"])
def test_records_that_were_written_anew_meanwhile_are_not_taken_for_others(tmp_path: Path, begin: bytes) -> None:
    path = written(tmp_path, record("other", verdict="NOT_JUDGED"), record())
    kept = KeptRecords(path, read_attempts(path)[-1:])
    assert len(list(kept)) == 1
    path.write_bytes(begin + record(index=2).to_line() + record().to_line())
    with pytest.raises(ToolkitError, match="problem 1 of 'sums', epoch 1, attempt 1 is not where it was") as raised:
        list(kept)
    assert (raised.value.exit_code, raised.value.where) == (3, str(path))
    assert "repeat the command" in raised.value.fix


def test_a_report_of_what_is_kept_is_that_of_the_records(tmp_path: Path) -> None:
    rng = random.Random(0)
    records = [
        record(
            rng.choice(("sums", "trips")),
            rng.randint(1, 3),
            rng.choice(("CORRECT", "CRASH", "NOT_JUDGED")),
            rng.randint(1, 4),
            epoch=rng.randint(1, 2),
            labels=rng.choice(((), ("unfenced",))),
            agent_exception=rng.choice((None, "the agent failed: it died\nhere")),
        )
        for _ in range(200)
    ]
    path = written(tmp_path, *records)
    whole = sorted(last_records(read_records(path)).values(), key=order_of_attempt)
    assert run_details(read_attempts(path)) == run_details(whole)
    assert list(KeptRecords(path, read_attempts(path))) == whole


@pytest.mark.parametrize("rest", [b"", b"\n", b'{"benchmark": "sma'], ids=["nothing", "an empty line", "a cut line"])
def test_a_file_without_a_record_has_no_attempts(tmp_path: Path, rest: bytes) -> None:
    assert read_attempts(written(tmp_path, rest=rest)) == ()


def test_a_record_that_was_written_anew_in_its_place_is_not_taken_for_the_old_one(tmp_path: Path) -> None:
    path = written(tmp_path, record(code="x = 1"))
    kept = KeptRecords(path, read_attempts(path))
    written(tmp_path, record(code="x = 2"))
    with pytest.raises(ToolkitError, match="written anew while they were read"):
        list(kept)


def test_a_records_file_that_is_gone_is_told(tmp_path: Path) -> None:
    path = written(tmp_path, record())
    kept = KeptRecords(path, read_attempts(path))
    path.unlink()
    with pytest.raises(ToolkitError, match="No such file") as raised:
        list(kept)
    assert raised.value.where == str(path)
