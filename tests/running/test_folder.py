import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from evaluator.errors import ContentError, ToolkitError
from evaluator.running import HistoryPolicy, Policies, Record, RunIdentity, SetIdentity, StatePolicy, read_records
from evaluator.running.run_folder import FolderLock, RecordsFile, RunFolder, write_atomically
from evaluator.running.tally import Tally

IDENTITY = RunIdentity(
    benchmark="demo",
    version="1",
    environment="e1",
    sandbox="bwrap",
    agent="empty",
    agent_version="1",
    policies=Policies(),
    rules="sound",
    scoring_version="1",
    rng_seed=0,
    limit=None,
    sets=(SetIdentity("trips", 3, "d1", "i1"),),
)


def record(index: int, verdict: str = "CORRECT") -> Record:
    return Record("demo", "1", "trips", index, 1, verdict, "UNCATEGORIZED", "", "query")


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


def test_a_record_cut_short_by_a_kill_is_dropped_and_the_next_follows_whole(folder: RunFolder) -> None:
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
    assert reopened(folder).missing("trips", 1, 3) == [2]
    assert list(read_records(folder.root / "records.jsonl")) == [record(1), record(3)]


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (replace(IDENTITY, agent="oracle"), "its agent is 'empty', not 'oracle'"),
        (replace(IDENTITY, version="2"), "its version is '1', not '2'"),
        (replace(IDENTITY, limit=3), "its limit is none, not 3"),
        (replace(IDENTITY, rng_seed=7), "its rng seed is 0, not 7"),
        (
            replace(IDENTITY, policies=Policies(StatePolicy.OWN, HistoryPolicy.OWN)),
            "its policies is reference/reference, not own/own",
        ),
        (replace(IDENTITY, sets=()), "its problemsets are trips, not none"),
        (
            replace(IDENTITY, sets=(SetIdentity("trips", 3, "d2", "i1"),)),
            "the text of problemset 'trips' has changed since that run began",
        ),
        (
            replace(IDENTITY, sets=(SetIdentity("trips", 3, "d1", "i2"),)),
            "the inputs of problemset 'trips' have changed since that run began",
        ),
    ],
)
def test_a_folder_of_another_run_is_refused(folder: RunFolder, other: RunIdentity, said: str) -> None:
    folder.begin(IDENTITY, source="demo")
    folder.append(record(1))
    before = (folder.root / "manifest.json").read_bytes()
    with pytest.raises(ContentError) as caught:
        reopened(folder, other)
    assert said in caught.value.what
    assert "--out" in caught.value.fix
    assert (folder.root / "manifest.json").read_bytes() == before


@pytest.mark.parametrize(
    ("foreign", "said"),
    [
        (replace(record(2), benchmark="other"), "its benchmark is 'other', not 'demo'"),
        (replace(record(2), version="2"), "its version is '2', not '1'"),
        (replace(record(2), scoring_version="9"), "its scoring version is '9', not '1'"),
        (replace(record(2), problemset="setX"), "the run asks no problemset 'setX'"),
        (record(4), "the run asks 3 problems of 'trips' in 1 epochs, not problem 4 in epoch 1"),
        (replace(record(2), epoch=2), "not problem 2 in epoch 2"),
        (replace(record(2), digests={"problemset": "d2"}), "it is of another text of the problemset 'trips'"),
    ],
)
def test_a_record_of_another_run_is_refused_by_its_line(folder: RunFolder, foreign: Record, said: str) -> None:
    folder.begin(IDENTITY, source="demo")
    folder.append(replace(record(1), digests={"problemset": "d1", "inputs": "i1"}, scoring_version="1"), foreign)
    before = (folder.root / "records.jsonl").read_bytes()
    with pytest.raises(ContentError) as caught:
        reopened(folder)
    assert caught.value.what == f"this record is of another run: {caught.value.what.partition(': ')[2]}"
    assert said in caught.value.what
    assert caught.value.where == f"{folder.root / 'records.jsonl'}:2"
    assert (folder.root / "records.jsonl").read_bytes() == before


def test_records_without_a_manifest_are_left_alone(folder: RunFolder) -> None:
    (folder.root / "records.jsonl").write_text("{}\n")
    with pytest.raises(ContentError, match="without a manifest"):
        folder.begin(IDENTITY, source="demo")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 1}'])
def test_a_broken_manifest_is_refused(folder: RunFolder, text: str) -> None:
    (folder.root / "manifest.json").write_text(text)
    with pytest.raises(ContentError, match="no manifest of a run"):
        folder.begin(IDENTITY, source="demo")


def test_a_manifest_of_a_newer_format_is_refused(folder: RunFolder) -> None:
    folder.begin(IDENTITY, source="demo")
    path = folder.root / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"format": 99}))
    with pytest.raises(ContentError, match="newer benchwright"):
        reopened(folder)


def test_a_second_run_is_kept_out_of_the_folder(folder: RunFolder) -> None:
    with pytest.raises(ContentError, match="another run is writing") as caught:
        RunFolder.acquire(folder.root)
    assert caught.value.where == str(folder.root)


def test_a_folder_that_cannot_be_made_is_the_machines_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ToolkitError, match="cannot write the output folder") as caught:
        RunFolder.acquire(tmp_path / "file" / "out")
    assert caught.value.exit_code == 3


def test_records_that_cannot_be_opened_are_named(tmp_path: Path) -> None:
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
    path = tmp_path / "manifest.json"
    write_atomically(path, [b"old"])

    def full(_descriptor: int, _data: bytes) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        with pytest.raises(ToolkitError, match="No space left"):
            write_atomically(path, [b"new"])
    assert path.read_bytes() == b"old"
