"""What travels between the client of a cluster and its workers, read back and refused; nothing here starts Dask."""

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.errors import ContentError, ToolkitError
from evaluator.language import read_benchmark
from evaluator.records import Record
from evaluator.running import AttemptDetails, Policies, PriorAnswer, RunConfig, StatePolicy
from evaluator.running.cluster.checks import (
    WorkerInfo,
    WorkerRequirements,
    facts_here,
    refuse_differing,
    unfit_by_error,
    unfit_by_facts,
)
from evaluator.running.cluster.file_bundle import BundledFile, agent_files, benchmark_files, pack, unpack
from evaluator.running.cluster.messages import (
    BadMessageError,
    read_message,
    write_message,
)
from evaluator.running.cluster.tasks import RunOrder, SetResult, SetTask, read_result
from evaluator.running.run_keeper import JudgedProblem
from evaluator.running.run_manifest import RunIdentity, SetIdentity
from evaluator.running.tally import ProblemKey

GB = 1 << 30
SET = SetIdentity("trips", 3, "d" * 64, "e" * 64)
TASK = SetTask(SET, 1, frozenset({1, 3}), {2: PriorAnswer(("x = 1", "x = 2"), "CORRECT", "kept")})
IDENTITY = RunIdentity(
    *("demo", "1", "default@0123456789abcdef", "bwrap", "replay", "1", Policies(), "sound", "4", 0, None),
    sets=(SET,),
)


def record(**changes: Any) -> Record:
    usual = Record(
        *("demo", "1", "trips", 1, 1, "CORRECT", "UNCATEGORIZED", "", "How many?"),
        code="len(x) # \udc80",
        seconds=0.25,
        environment=IDENTITY.environment,
        sandbox="bwrap",
        engine="fork",
        ending="ok",
        scoring_version="4",
        digests={"problemset": SET.digest, "inputs": SET.inputs_digest},
    )
    return replace(usual, **changes)


def judged(*records: Record) -> JudgedProblem:
    first = records[0]
    key = ProblemKey(first.problemset, first.index, first.epoch)
    return JudgedProblem(key, records, tuple(AttemptDetails() for _ in records))


def sent(*problems: JudgedProblem, **more: Any) -> SetResult:
    data = SetResult(problems, **more).to_bytes(Path("/bundle"))
    return read_result(data, TASK, IDENTITY, root=Path("mine"), place="tcp://worker")


@given(st.binary(max_size=200))
def test_bytes_of_others_are_refused_and_nothing_else_happens(data: bytes) -> None:
    for read in (SetTask.from_bytes, RunOrder.from_bytes, WorkerInfo.from_bytes):
        with pytest.raises(BadMessageError):
            read(data)
        with pytest.raises(BadMessageError):
            read(b"benchwright 1 task\n" + data)


def test_what_is_too_large_is_neither_written_nor_read() -> None:
    with pytest.raises(BadMessageError, match="may have 100"):
        write_message("task", {"text": "x" * 100}, limit=100)
    data = write_message("task", {"text": "x" * 100}, limit=200)
    with pytest.raises(BadMessageError, match="may have 100"):
        read_message("task", data, limit=100)


def test_tasks_and_orders_come_back_without_values_of_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    assert SetTask.from_bytes(TASK.to_bytes()) == TASK
    monkeypatch.setenv("DEMO_KEY", "value-of-a-key")
    policies = Policies(StatePolicy.OWN)
    config = RunConfig(Path("b"), "cmd:'x'", Path("o"), policies=policies, agent_variables=("DEMO_KEY",), sets=("a",))
    order = RunOrder(config, "benchmark/b", "cmd:'x'", hidden=("/somewhere",), concurrency=3)
    assert RunOrder.from_bytes(order.to_bytes()) == order
    assert b"value-of-a-key" not in order.to_bytes()


def test_records_are_the_same_bytes_after_their_way() -> None:
    problem = judged(
        record(is_last=False, verdict="CRASH", agent_stats={"cost": 0.1, "nan": float("nan")}, marks=("ctypes",)),
        record(attempt=2, family={"scores": {"a": None}}, labels=("unfenced",), answer="42", code=None, seconds=None),
    )
    came = sent(problem).judged[0]
    assert [each.to_line() for each in came.records] == [each.to_line() for each in problem.records]
    assert came.key == problem.key


def test_an_error_comes_with_what_was_judged_before_and_its_exit_code() -> None:
    came = sent(judged(record()), error=ContentError("the record answers another query", fix="allow it"))
    assert len(came.judged) == 1
    assert (type(came.error), came.error.where if came.error else "") == (ContentError, "tcp://worker")


def test_a_worker_cannot_tell_of_what_was_not_asked() -> None:
    others: list[dict[str, Any]] = [
        *({"benchmark": "another"}, {"problemset": "cars"}, {"epoch": 2}, {"index": 2}, {"sandbox": "none"}),
        *({"environment": "default@fedcba9876543210"}, {"scoring_version": "5"}, {"is_last": False}, {"attempt": 2}),
        {"digests": {"problemset": "0", "inputs": ""}},
    ]
    for changes in others:
        with pytest.raises(BadMessageError):
            sent(judged(record(**changes)))
    with pytest.raises(BadMessageError, match="not asked"):
        sent(judged(record()), judged(record()))
    with pytest.raises(BadMessageError, match="has no known verdict: 'SPLENDID'") as caught:
        sent(judged(record(verdict="SPLENDID")))
    assert caught.value.where == "tcp://worker"
    assert "install the same Benchwright" in caught.value.fix


def test_files_come_back_as_they_were_and_the_same_files_have_one_digest(tmp_path: Path) -> None:
    for name, text in (("one.py", "1"), ("two.csv", "a,b\n")):
        (tmp_path / name).write_text(text)
    files = [BundledFile("benchmark/one.py", tmp_path / "one.py"), BundledFile("in/two.csv", tmp_path / "two.csv")]
    bundle = pack(files)
    assert pack(reversed(files)).digest == bundle.digest
    unpack(bundle.data, tmp_path / "there")
    assert (tmp_path / "there" / "in" / "two.csv").read_text() == "a,b\n"
    for number, changed in enumerate((bundle.data[:-1], bundle.data + b"x", bundle.data[5:])):
        with pytest.raises(BadMessageError):
            unpack(changed, tmp_path / f"elsewhere{number}")


def test_no_file_is_unpacked_outside_of_its_folder(tmp_path: Path) -> None:
    for place in ("../out", "/etc/out", "a/../../out", "", "a\0b"):
        data = b"benchwright files 1\n" + json.dumps([[place, 1]]).encode() + b"\nx"
        with pytest.raises(BadMessageError):
            unpack(data, tmp_path / "there")
    assert not list(tmp_path.rglob("out"))


def test_a_benchmark_is_shipped_without_runs_hidden_files_and_links_out(tmp_path: Path) -> None:
    root = tmp_path / "demo"
    (root / "_inputs").mkdir(parents=True)
    for name in ("out", "other", "_recorded"):
        (root / name).mkdir()
    (root / "_recorded" / "trips.ipynb").write_text("{}")
    for name in ("records.jsonl", "manifest.json"):
        (root / "other" / name).write_text("")
    for name in ("_manifest.yaml", "trips.py", ".secret", "out/records.jsonl", "_inputs/trips.csv"):
        (root / name).write_text("name: demo\nversion: '1'\n" if name.endswith("yaml") else "# %%\n1\n")
    (tmp_path / "key").write_text("secret")
    (root / "_inputs" / "leads_out").symlink_to(tmp_path / "key")
    (root / "_inputs" / "more").mkdir()
    (root / "_inputs" / "more" / "same.csv").symlink_to(root / "_inputs" / "trips.csv")
    shipped = benchmark_files(read_benchmark(root), root, apart_from=root / "out")
    assert sorted(each.place.removeprefix("benchmark/demo/") for each in shipped.files) == [
        *("_inputs/more/same.csv", "_inputs/trips.csv", "_manifest.yaml", "_recorded/trips.ipynb", "trips.py")
    ]
    file = root / "trips.py"
    alone = benchmark_files(read_benchmark(file), file, apart_from=tmp_path / "out")
    assert alone.place == "benchmark/demo/trips.py"
    assert len(alone.files) == 4


def test_records_of_a_replay_are_shipped_with_their_manifest(tmp_path: Path) -> None:
    for name in ("mine.jsonl", "manifest.json"):
        (tmp_path / name).write_text("{}")
    named, files = agent_files(f"replay:{tmp_path / 'mine.jsonl'}")
    assert (named, [each.place for each in files]) == (
        *("replay:agent/records.jsonl", ["agent/records.jsonl", "agent/manifest.json"]),
    )
    assert agent_files("chat:some-model") == ("chat:some-model", ())


FACTS = WorkerInfo("3.11.7", "0.1.0", "abc", 4, "2026.1", "there", 10 * GB, 10 * GB, "/tmp")


def test_facts_come_back_as_they_were_and_speak_for_this_process() -> None:
    here = facts_here()
    assert WorkerInfo.from_bytes(here.to_bytes()) == here
    assert 0 < here.free_memory <= os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert unfit_by_facts("worker", here, here, WorkerRequirements(0, 0)) is None
    assert unfit_by_facts("worker", replace(FACTS, python="3.11.2"), FACTS, WorkerRequirements()) is None


def test_a_worker_that_is_other_or_has_no_room_is_named() -> None:
    others: list[tuple[dict[str, Any], str]] = [
        ({"python": "3.12.1"}, "Python 3.12, not 3.11"),
        ({"benchwright": "0.2.0"}, "Benchwright 0.2.0"),
        ({"source": "def"}, "digest def"),
        ({"scoring_version": 3}, "scoring version 3"),
        ({"dask": "2025.1"}, "distributed 2025.1"),
        ({"free_disk": 5}, "only 5 bytes of disk are free in /tmp of there"),
        ({"free_memory": 6}, "only 6 bytes of memory are free on there"),
    ]
    for changes, said in others:
        found = unfit_by_facts("tcp://worker", replace(FACTS, **changes), FACTS, WorkerRequirements())
        assert found is not None
        assert (found.worker, said in found.what) == ("tcp://worker", True), found.what


def test_workers_without_our_package_or_that_differ_are_refused() -> None:
    assert "benchwright[dask]" in unfit_by_error("w", ModuleNotFoundError("No module named 'evaluator'")).fix
    one, other = {"agent": "a", "sandbox": "bwrap"}, {"agent": "a", "sandbox": "landlock"}
    refuse_differing({"a": one, "b": dict(one)})
    with pytest.raises(ToolkitError, match="differ in sandbox: 'bwrap' on a, 'landlock' on b"):
        refuse_differing({"a": one, "b": other})
