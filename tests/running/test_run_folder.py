"""The folder of a run: records that survive a stop, what they say of what lacks, and how reports read them."""

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.errors import ContentError, ToolkitError
from evaluator.running import (
    Policies,
    PriorAnswer,
    Record,
    RunIdentity,
    SetIdentity,
    StatePolicy,
    read_records,
)
from evaluator.running.attempt_facts import KeptRecords, read_attempts
from evaluator.running.run_folder import FolderLock, RecordsFile, RunFolder, write_atomically
from evaluator.running.tally import ProblemKey, Tally, lines_without, read_answers, read_tally

TRIPS = SetIdentity("trips", 3, "d1", "i1")
IDENTITY = RunIdentity(
    *("demo", "1", "e1", "bwrap", "empty", "1", Policies(), "sound", "1", 0, None),
    sets=(TRIPS,),
)


def record(
    index: int = 1, verdict: str = "CORRECT", problemset: str = "trips", attempt: int = 1, **more: Any
) -> Record:
    told: dict[str, Any] = {"subverdict": "UNCATEGORIZED", "extended_verdict": "", "question": "query"}
    return Record("demo", "1", problemset, index, attempt, verdict, **(told | more))


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[RunFolder]:
    held = RunFolder.acquire(tmp_path / "out")
    yield held
    held.close()


def reopened(folder: RunFolder, identity: RunIdentity = IDENTITY) -> Tally:
    folder.close()
    again = RunFolder.acquire(folder.root)
    try:
        return again.begin(identity, source="demo")
    finally:
        again.close()
        folder._lock = FolderLock(folder.root / ".lock")  # the fixture releases it
        folder._records = None


def test_a_run_finds_the_records_of_its_own_stopped_run(folder: RunFolder) -> None:
    assert folder.begin(IDENTITY, source="demo").total == 0
    folder.append(record(1))
    folder.append(record(2))
    assert reopened(folder).missing("trips", 1, 3) == [3]


def test_a_record_cut_by_a_kill_is_dropped_and_the_next_follows_whole(folder: RunFolder) -> None:
    folder.begin(IDENTITY, source="demo")
    folder.append(record(1))
    path = folder.root / "records.jsonl"
    path.write_bytes(path.read_bytes() + record(2).to_line()[:30])
    assert reopened(folder).missing("trips", 1, 3) == [2, 3]
    file = RecordsFile.open(path)
    file.append(record(2))
    file.close()
    assert list(read_records(path)) == [record(1), record(2)]


def test_what_was_not_judged_is_forgotten_so_that_it_is_tried_again(folder: RunFolder) -> None:
    folder.begin(IDENTITY, source="demo")
    for each in (record(1), record(2, "NOT_JUDGED"), record(3)):
        folder.append(each)
    (folder.root / ".records.jsonl.new").write_text("left by a kill")
    assert reopened(folder).missing("trips", 1, 3) == [2]
    assert not (folder.root / ".records.jsonl.new").exists()
    assert list(read_records(folder.root / "records.jsonl")) == [record(1), record(3)]


def test_a_folder_of_another_run_is_refused(folder: RunFolder) -> None:
    folder.begin(IDENTITY, source="demo")
    folder.append(record(1))
    before = (folder.root / "manifest.json").read_bytes()
    cases: list[tuple[dict[str, Any], str]] = [
        ({"agent": "oracle"}, "its agent is 'empty', not 'oracle'"),
        ({"limit": 3}, "its limit is none, not 3"),
        ({"rng_seed": 7}, "its rng seed is 0, not 7"),
        ({"policies": Policies(StatePolicy.OWN)}, "its policies is reference/reference, not own/reference"),
        ({"sets": ()}, "its problemsets are trips, not none"),
        ({"sets": (replace(TRIPS, digest="d2"),)}, "the text of problemset 'trips' has changed since that run began"),
        ({"sets": (replace(TRIPS, inputs_digest="i2"),)}, "the inputs of problemset 'trips' have changed since"),
    ]
    for changes, said in cases:
        with pytest.raises(ContentError) as caught:
            reopened(folder, replace(IDENTITY, **changes))
        assert said in caught.value.what
        assert "--out" in caught.value.fix
    assert (folder.root / "manifest.json").read_bytes() == before


def test_a_record_of_another_run_is_refused_by_its_line(folder: RunFolder) -> None:
    folder.begin(IDENTITY, source="demo")
    own = replace(record(1), digests={"problemset": "d1", "inputs": "i1"}, scoring_version="1")
    for foreign, said in (
        (replace(record(2), benchmark="other"), "its benchmark is 'other', not 'demo'"),
        (replace(record(2), version="2"), "its version is '2', not '1'"),
        (replace(record(2), scoring_version="9"), "its scoring version is '9', not '1'"),
        (replace(record(2), problemset="setX"), "the run asks no problemset 'setX'"),
        (record(4), "the run asks 3 problems of 'trips' in 1 epochs, not problem 4 in epoch 1"),
        (replace(record(2), epoch=2), "not problem 2 in epoch 2"),
        (replace(record(2), digests={"problemset": "d2"}), "it is of another text of the problemset 'trips'"),
    ):
        path = written(folder.root, own, foreign)
        before = path.read_bytes()
        with pytest.raises(ContentError, match="this record is of another run: ") as caught:
            reopened(folder)
        assert said in caught.value.what
        assert (caught.value.where, path.read_bytes()) == (f"{path}:2", before)


def test_a_manifest_that_is_missing_broken_or_newer_is_refused(folder: RunFolder) -> None:
    path, records = folder.root / "manifest.json", folder.root / "records.jsonl"
    for text in ("", "{", "[]", '{"format": 1}'):
        path.write_text(text)
        with pytest.raises(ContentError, match="no manifest of a run"):
            folder.begin(IDENTITY, source="demo")
    path.unlink()
    folder.begin(IDENTITY, source="demo")
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format": 99}))
    with pytest.raises(ContentError, match="newer benchwright"):
        reopened(folder)
    path.unlink()
    records.write_text("{}\n")
    with pytest.raises(ContentError, match="without a manifest"):
        reopened(folder)


def test_a_second_run_is_kept_out_of_the_folder(folder: RunFolder) -> None:
    with pytest.raises(ContentError, match="another run is writing") as caught:
        RunFolder.acquire(folder.root)
    assert caught.value.where == str(folder.root)


def test_what_cannot_be_written_is_the_machines_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ToolkitError, match="cannot write the output folder") as caught:
        RunFolder.acquire(tmp_path / "file" / "out")
    assert caught.value.exit_code == 3
    with pytest.raises(ToolkitError, match="cannot open the result records") as caught:
        RecordsFile.open(tmp_path)
    assert caught.value.where == str(tmp_path)


def test_a_full_disk_loses_no_record_and_leaves_none_half_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "records.jsonl"
    file = RecordsFile.open(path)
    file.append(record(1))
    write = os.write
    written: list[int] = []

    def full_after_ten_bytes(descriptor: int, data: bytes) -> int:
        if written:
            raise OSError(28, "No space left on device")
        written.append(write(descriptor, bytes(data)[:10]))
        return 10

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full_after_ten_bytes)
        with pytest.raises(ToolkitError, match="No space left on device") as caught:
            file.append(record(2))
    assert caught.value.where == str(path)
    assert list(read_records(path)) == [record(1)]
    file.append(record(2))
    file.close()
    assert list(read_records(path)) == [record(1), record(2)]


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_descriptor: int, _data: bytes) -> int:
        raise OSError(28, "No space left on device")

    write_atomically(path := tmp_path / "manifest.json", [b"old"])
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        with pytest.raises(ToolkitError, match="No space left"):
            write_atomically(path, [b"new"])
    assert path.read_bytes() == b"old"


# --- what lacks a verdict, and what was answered ---

VERDICTS = ("CORRECT", "CRASH", "NOT_JUDGED")
keys = st.builds(ProblemKey, st.sampled_from("ab"), st.integers(1, 9), st.integers(1, 3))


@given(st.lists(st.tuples(keys, st.sampled_from([*VERDICTS, ""]))))
def test_a_tally_says_what_a_table_of_all_verdicts_says(events: list[tuple[ProblemKey, str]]) -> None:
    tally, table = Tally(), dict[ProblemKey, str]()
    for key, verdict in events:
        if verdict:
            tally.add(key, verdict)
            table[key] = verdict
        else:
            tally.remove(key)
            table.pop(key, None)
    assert tally.total == len(table)
    assert tally.counts == {name: n for name in VERDICTS if (n := list(table.values()).count(name))}
    for name in "ab":
        for epoch in (1, 2, 3):
            open_ones = [index for index in range(1, 10) if ProblemKey(name, index, epoch) not in table]
            assert tally.missing(name, epoch, 9) == open_ones


def line(index: int, verdict: str = "CORRECT", **more: Any) -> dict[str, Any]:
    return {"problemset": "trips", "index": index, "attempt": 1, "verdict": verdict, "code": "1"} | more


def lines(tmp_path: Path, *given: dict[str, Any] | str) -> Path:
    path = tmp_path / "records.jsonl"
    path.write_text("".join(each if isinstance(each, str) else json.dumps(each) + "\n" for each in given))
    return path


def test_a_problem_cut_off_between_two_attempts_is_open(tmp_path: Path) -> None:
    first, whole = line(1, "CRASH", is_last=False), line(2, "CRASH", is_last=False)
    path = lines(tmp_path, whole, line(2, attempt=2), first)
    tally, useless = read_tally(path)
    assert tally.missing("trips", 1, 3) == [1, 3]
    assert useless == {ProblemKey("trips", 1, 1)}
    assert [json.loads(each)["index"] for each in lines_without(path, useless)] == [2, 2]


def test_lines_of_an_older_run_have_one_attempt_and_a_cut_one_never_counts(tmp_path: Path) -> None:
    path = lines(tmp_path, {"problemset": "trips", "index": 2, "verdict": "CRASH"})
    tally, useless = read_tally(path)
    assert (tally.missing("trips", 1, 2), tally.counts, useless) == ([1], {"CRASH": 1}, frozenset())
    path = lines(tmp_path, line(1), json.dumps(line(2)))  # it reads, but has no end
    assert read_tally(path)[0].missing("trips", 1, 2) == [2]


def test_a_line_that_is_no_record_is_named(tmp_path: Path) -> None:
    for bad, said in (
        ("{", "line is no result record"),
        ("[]", "no object"),
        ('{"problemset": "trips", "index": 0, "verdict": "CRASH"}', "index: not a number from 1"),
        ('{"problemset": "trips", "index": true, "verdict": "CRASH"}', "index: not a number from 1"),
        ('{"problemset": "trips", "index": 1, "attempt": "1", "verdict": "CRASH"}', "attempt: not a number"),
        ('{"problemset": 7, "index": 1, "verdict": "CRASH"}', "problemset: not a text"),
        ('{"problemset": "trips", "index": 1}', "verdict: not a text"),
    ):
        path = lines(tmp_path, line(1), f"{bad}\n", line(3))
        with pytest.raises(ContentError, match=said) as caught:
            read_tally(path)
        assert caught.value.where == f"{path}:2"


def test_answers_are_read_by_problemset_and_epoch_with_all_their_attempts(tmp_path: Path) -> None:
    path = lines(
        tmp_path,
        line(1, "CRASH", code="a", is_last=False),
        line(1, attempt=2, code="b", state_after="kept"),
        line(1, epoch=2, code="other epoch"),
        line(2, problemset="trips more", code="other set"),
        line(3, "TIMEOUT", code=None, state_after="rolled-back"),
    )
    assert read_answers(path, "trips", 1) == {
        1: PriorAnswer(("a", "b"), "CORRECT", "kept"),
        3: PriorAnswer(("",), "TIMEOUT", "rolled-back"),
    }


# --- reports keep what counts of attempts in memory, and read their records one by one ---


def written(folder: Path, *records: Record, rest: bytes = b"") -> Path:
    path = folder / "records.jsonl"
    path.write_bytes(b"".join(each.to_line() for each in records) + rest)
    return path


def test_the_last_line_of_an_attempt_counts_and_a_cut_one_does_not(tmp_path: Path) -> None:
    again, zoo = record(verdict="CRASH", code="2"), record(problemset="zoo")
    path = written(tmp_path, zoo, record(code="1"), again, record(2), rest=b'{"benchmark": "sma')
    found = read_attempts(path)
    assert [(each.problemset, each.index, each.verdict) for each in found] == [
        ("trips", 1, "CRASH"), ("trips", 2, "CORRECT"), ("zoo", 1, "CORRECT"),
    ]  # fmt: skip
    kept = KeptRecords(path, found)
    assert (len(kept), kept[0], kept[-1], list(kept[1:])) == (3, again, zoo, [record(2), kept[2]])
    for rest in (b"", b"\n", b'{"benchmark": "sma'):
        assert read_attempts(written(tmp_path, rest=rest)) == ()
    with pytest.raises(ContentError, match="no result record") as raised:
        read_attempts(written(tmp_path, record(), rest=b"{}\n"))
    assert raised.value.where.endswith("records.jsonl:2")


def test_a_record_written_anew_in_its_place_or_a_file_that_is_gone_is_told(tmp_path: Path) -> None:
    path = written(tmp_path, record(code="x = 1"))
    kept = KeptRecords(path, read_attempts(path))
    written(tmp_path, record(code="x = 2"))
    with pytest.raises(ToolkitError, match="written anew while they were read"):
        list(kept)
    path.unlink()
    with pytest.raises(ToolkitError, match="No such file") as raised:
        list(kept)
    assert raised.value.where == str(path)
