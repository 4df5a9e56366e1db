"""Runs over a real Dask cluster give what a run on one process gives, go on after everything, and say what is wrong."""

import contextlib
import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from distributed import LocalCluster
from distributed.security import Security

from authoring.cli.main import run_command_line
from evaluator.errors import ContentError, ToolkitError, UsageError
from evaluator.families.live_run import rules_of_run
from evaluator.installation import HOME
from evaluator.language import read_benchmark
from evaluator.running import (
    EventKind,
    Executor,
    Policies,
    RunConfig,
    RunEvent,
    RunSummary,
    StatePolicy,
    parse_feedback,
    run_benchmark,
)
from evaluator.running.cluster import connection, dask_executor
from evaluator.running.cluster.checks import WorkerRequirements, facts_here
from evaluator.running.cluster.connection import refuse_unsafe
from evaluator.running.cluster.run_on_cluster import run_on_cluster
from evaluator.running.cluster.tasks import SetResult, SetTask, read_result
from evaluator.running.run_folder import RunFolder
from evaluator.session import Engine
from tests.running.local_clusters import local_cluster
from tests.scripted_model import KEY, Say, scripted_model
from tests.speed.cluster_chaos import kill_at_random
from tests.waiting import eventually

pytestmark = [pytest.mark.kernel, pytest.mark.slow]

WriteBenchmark = Callable[..., Path]
WriteRecords = Callable[[Path, list[dict[str, Any]]], Path]

SET = '''# %%
import pandas as pd
trips = pd.read_csv("inputs/trips.csv")

# %%
"""
query: How many trips are there?
"""
len(trips)

# %%
"""
query: Store the mean distance as `mean_km`.
validator:
  namespace_check:
    mean_km:
"""
mean_km = trips["km"].mean()

# %%
"""
query: Print and return twice the mean.
"""
print("twice")
2 * mean_km
'''
FAULTY = '# %%\n"""\nquery: One?\n"""\n1\n\n# %%\n"""\nquery: Raise.\n"""\nraise ValueError("the author\'s own")\n'
SETS = {"apples": SET, "beets": SET, "chard": SET, "faulty": FAULTY}
CODES = {
    "apples": ("len(trips)", "mean_km = trips['km'].mean()", "2 * mean_km"),
    "beets": ("print('four'); 4", "mean_km = 7.0", "2 * mean_km"),
    "chard": ("len(trips", "raise KeyError('km')", "print('x' * 100)\nNone"),
    "faulty": ("1", "2"),
}


@pytest.fixture
def garden(write_benchmark: WriteBenchmark) -> Path:
    return write_benchmark(SETS)


@pytest.fixture
def config(garden: Path, write_records: WriteRecords) -> RunConfig:
    lines = [
        {"problemset": name, "index": index, "attempt": attempt, "code": code if attempt == 1 else "mean_km = 1; 3"}
        for name, codes in CODES.items()
        for index, code in enumerate(codes, start=1)
        for attempt in (1, 2)
    ]
    recorded = write_records(garden.parent / "recorded.jsonl", lines)
    return RunConfig(garden, f"replay:{recorded}", garden.parent / "local")


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    """A scheduler on this machine with two workers, for all tests that end none of them."""
    with local_cluster(n_workers=2) as started:
        yield started


def on(cluster: LocalCluster, config: RunConfig, out: str = "cluster") -> RunConfig:
    address = cluster.scheduler_address
    return replace(config, executor=Executor.DASK, scheduler=address, out=config.out.parent / out)


def timeless(out: Path) -> list[str]:
    """Return the records of a run without their times, in the order of problemsets."""
    lines = [json.loads(line) for line in (out / "records.jsonl").read_bytes().splitlines()]
    return sorted(json.dumps({**each, "seconds": each["seconds"] is not None}) for each in lines)


def manifest(out: Path) -> dict[str, Any]:
    told: dict[str, Any] = json.loads((out / "manifest.json").read_text())
    return {**told, "time_scale": None}


def details(out: Path) -> list[str]:
    lines = [json.loads(line) for line in (out / "details.jsonl").read_bytes().splitlines()]
    return sorted(json.dumps(each) for each in lines)


def whole(summary: RunSummary) -> RunSummary:
    return replace(summary, out=Path())


@pytest.mark.parametrize("processes", [1, 2, 4])
def test_records_are_the_same_with_any_number_of_processes(
    config: RunConfig, engine: Engine, processes: int, tmp_path: Path
) -> None:
    local = run_benchmark(config, engine=engine)
    here = replace(config, executor=Executor.DASK, workers=processes, out=tmp_path / "cluster")
    remote = run_benchmark(here)
    assert whole(remote) == whole(local)
    assert local.refused == ("faulty",)
    assert set(local.counts) > {"CORRECT", "CRASH"}
    assert timeless(here.out) == timeless(config.out)
    assert manifest(here.out) == manifest(config.out)
    assert details(here.out) == details(config.out)


def test_a_state_of_its_own_goes_on_from_answers_that_were_kept(
    config: RunConfig, engine: Engine, cluster: LocalCluster
) -> None:
    policies = Policies(StatePolicy.OWN, feedback=parse_feedback("error,output"))
    config = replace(config, policies=policies, max_attempts=2, sets=("apples", "beets"), epochs=2)
    run_benchmark(config, engine=engine)
    there = on(cluster, config)
    run_benchmark(there)
    assert timeless(there.out) == timeless(config.out)
    records = there.out / "records.jsonl"
    kept = [line for line in records.read_bytes().splitlines(keepends=True) if json.loads(line)["index"] == 1]
    records.write_bytes(b"".join(kept))
    assert run_benchmark(there).resumed == 4
    assert timeless(there.out) == timeless(config.out)


@pytest.mark.parametrize(("shipped", "mode"), [("cibench-mini", "oracle"), ("qwen-mini", "qwen")])
def test_a_family_is_asked_and_scored_as_here(
    shipped: str, mode: str, cluster: LocalCluster, engine: Engine, tmp_path: Path
) -> None:
    benchmark = read_benchmark(HOME / "problemsets" / shipped)
    family = rules_of_run(benchmark, mode=mode, rules=None)
    names = tuple(each.name for each in benchmark.sets[:2])
    config = RunConfig(benchmark.root, "oracle", tmp_path / "local", sets=names, limit=6, mode=mode)
    run_benchmark(config, engine=engine, family=family)
    there = on(cluster, config)
    run_benchmark(there, family=family)
    assert timeless(there.out) == timeless(config.out)


def test_workers_ask_a_model_with_keys_of_their_own_and_one_bar_tells_the_cost(
    config: RunConfig, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scripted_model(lambda _request: Say("```python\nlen(trips)\n```")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        asking = replace(config, agent="chat:gpt-4o-mini", concurrency=8, sets=("apples", "beets"))
        run_benchmark(asking, engine=engine)
        there = replace(asking, executor=Executor.DASK, workers=2, out=config.out.parent / "cluster")
        events: list[RunEvent] = []
        run_benchmark(there, on_event=events.append)
    assert timeless(there.out) == timeless(asking.out)
    records = [json.loads(line) for line in timeless(there.out)]
    assert events[-1].cost == pytest.approx(sum(each["agent_stats"]["cost"] for each in records))
    assert events[-1].cost > 0


def test_an_agent_in_a_file_has_the_same_name_over_a_cluster(
    config: RunConfig, engine: Engine, cluster: LocalCluster, tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text("def solve(query):\n    return 'len(trips)'\n")
    config = replace(config, agent=f"{tmp_path / 'mine.py'}:solve", sets=("apples",))
    run_benchmark(config, engine=engine)
    there = on(cluster, config)
    run_benchmark(there)
    assert timeless(there.out) == timeless(config.out)
    assert manifest(there.out) == manifest(config.out)


def test_what_was_interrupted_is_resumed_here_and_nothing_is_judged_twice(
    config: RunConfig, engine: Engine, cluster: LocalCluster
) -> None:
    run_benchmark(config, engine=engine)
    there = on(cluster, config)

    def interrupt(event: RunEvent) -> None:
        if event.kind is EventKind.JUDGED and event.done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt, match="problems are judged and kept"):
        run_benchmark(there, on_event=interrupt)
    before = (there.out / "records.jsonl").read_bytes()
    summary = run_benchmark(replace(there, executor=Executor.LOCAL, scheduler=""), engine=engine)
    assert summary.resumed == before.count(b"\n") >= 3
    assert (there.out / "records.jsonl").read_bytes().startswith(before)
    assert timeless(there.out) == timeless(config.out)


def test_a_worker_that_comes_later_gets_what_it_needs(config: RunConfig, engine: Engine) -> None:
    config = replace(config, epochs=6)
    run_benchmark(config, engine=engine)
    with local_cluster(n_workers=1) as growing:
        there = on(growing, config)
        first = growing.workers[0].pid

        def grow(event: RunEvent) -> None:
            if event.kind is EventKind.JUDGED and event.done == 3:
                growing.scale(2)
                growing.sync(growing._correct_state)
                os.kill(first, 9)

        run_benchmark(there, on_event=grow)
    assert timeless(there.out) == timeless(config.out)


@pytest.mark.parametrize("is_readable", [True, False])
def test_what_comes_back_incomplete_or_unreadable_is_given_out_again(
    config: RunConfig, engine: Engine, cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch, *, is_readable: bool
) -> None:
    run_benchmark(config, engine=engine)
    there, cut = on(cluster, config), list[str]()

    def first_cut(data: bytes, task: SetTask, *more: Any, **options: Any) -> SetResult:
        came = read_result(data, task, *more, **options)
        if task.identity.name in cut or came.diagnostics:
            return came
        cut.append(task.identity.name)
        return replace(came, judged=came.judged[:1]) if is_readable else read_result(data[:-1], task, *more, **options)

    monkeypatch.setattr("evaluator.running.cluster.run_on_cluster.read_result", first_cut)
    run_benchmark(there)
    assert sorted(cut) == ["apples", "beets", "chard"]
    assert timeless(there.out) == timeless(config.out)


def test_another_client_on_the_same_folder_is_refused_before_anything_starts(config: RunConfig) -> None:
    folder = RunFolder.acquire(config.out)
    with contextlib.closing(folder), pytest.raises(ContentError, match="another run is writing"):
        run_benchmark(replace(config, executor=Executor.DASK, scheduler="tcp://127.0.0.1:9"))


def test_a_scheduler_that_is_down_is_named(config: RunConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "CONNECT_S", 1.0)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(ToolkitError, match="does not answer") as caught:
            run_benchmark(replace(config, executor=Executor.DASK, scheduler=address))
    assert (caught.value.exit_code, caught.value.where) == (3, f"Dask scheduler {address}")
    assert not (config.out / "records.jsonl").exists()


def test_a_scheduler_with_tls_that_is_named_without_is_told(config: RunConfig) -> None:
    with local_cluster(n_workers=1, protocol="tls", security=Security.temporary()) as started:
        address = started.scheduler_address.replace("tls://", "tcp://")
        with pytest.raises(ToolkitError, match="the scheduler cannot be talked to: ") as caught:
            run_benchmark(replace(config, executor=Executor.DASK, scheduler=address))
    assert "if it uses TLS, name it tls://HOST:PORT" in caught.value.fix


def test_a_scheduler_of_another_version_is_refused(
    config: RunConfig, cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "distributed", SimpleNamespace(__version__="2020.1"))
    with pytest.raises(ToolkitError, match=r"the scheduler has distributed 2\d+\.\S+, not 2020.1"):
        run_benchmark(on(cluster, config))


def test_a_worker_with_other_code_is_refused_before_work(
    config: RunConfig, cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_executor, "facts_here", lambda: replace(facts_here(), source="another"))
    with pytest.raises(ToolkitError, match="2 workers cannot do this work: tcp://127") as caught:
        run_benchmark(on(cluster, config))
    assert "install the same" in caught.value.fix


def test_a_scheduler_without_workers_and_one_that_loses_all_are_told(
    config: RunConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "WORKERS_S", 1.5)
    with local_cluster(n_workers=0) as empty:
        with pytest.raises(ToolkitError, match="there was no worker for 2 s"):
            run_benchmark(on(empty, config))
        empty.scale(1)
        empty.sync(empty._correct_state)
        there = on(empty, replace(config, epochs=4))

        def lose(event: RunEvent) -> None:
            if event.kind is EventKind.JUDGED and event.done == 1:
                empty.scale(0)
                empty.sync(empty._correct_state)

        with pytest.raises(
            ToolkitError, match=r"there was no worker.*; \d+ of 44 problems are judged and kept"
        ) as caught:
            run_benchmark(there, on_event=lose)
    assert caught.value.exit_code == 3
    assert len(timeless(there.out)) >= 1


@pytest.mark.parametrize(
    ("needs", "lacks"), [(WorkerRequirements(disk=1 << 52), "disk"), (WorkerRequirements(memory=1 << 52), "memory")]
)
def test_a_worker_without_room_is_refused_before_work(
    config: RunConfig, cluster: LocalCluster, needs: WorkerRequirements, lacks: str
) -> None:
    there = on(cluster, config)
    benchmark = read_benchmark(config.benchmark)
    with pytest.raises(ToolkitError, match=f"bytes of {lacks} are free"):
        run_on_cluster(there, benchmark, on_event=lambda _: None, needs=needs)
    assert not (there.out / "records.jsonl").exists()


def test_a_worker_without_the_environment_is_refused_before_work(config: RunConfig, cluster: LocalCluster) -> None:
    with pytest.raises(UsageError, match="'nowhere'") as caught:
        run_benchmark(on(cluster, replace(config, environment="nowhere")))
    assert caught.value.where.endswith("all workers")


def test_a_worker_without_a_sandbox_is_refused_before_work(config: RunConfig) -> None:
    said = r"a worker cannot do this work: .*bubblewrap is not installed"
    bare = local_cluster(n_workers=1, env={"PATH": "/nowhere", "BENCHWRIGHT_SANDBOX": "bwrap"})
    with bare as cluster, pytest.raises(ToolkitError, match=said) as caught:
        run_benchmark(on(cluster, config))
    assert "apt install bubblewrap" in caught.value.fix


def test_workers_that_would_not_judge_alike_are_refused_before_work(config: RunConfig) -> None:
    with local_cluster(n_workers=1) as two:
        more = ["--nthreads", "1", "--no-dashboard", "--memory-limit", "0", "--no-nanny", "--host", "127.0.0.1"]
        call = [sys.executable, "-c", "from distributed.cli.dask_worker import main; main()"]
        environ = {**os.environ, "BENCHWRIGHT_SANDBOX": "none"}
        other = subprocess.Popen([*call, two.scheduler_address, *more], env=environ, stderr=subprocess.DEVNULL)
        try:
            assert eventually(lambda: len(two.scheduler.workers) == 2, within_s=60)
            with pytest.raises(ToolkitError, match=r"the workers differ in sandbox: '.*none.* on tcp://127"):
                run_benchmark(on(two, config))
        finally:
            other.kill()
            other.wait()


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("tcp://10.0.0.7:8786", "without TLS"),
        ("tcp://example.org:8786", "without TLS"),
        ("tcp://0.0.0.0:8786", "without TLS"),
        ("ucx://127.0.0.1:8786", "no address"),
        ("127.0.0.1:8786", "no address"),
        ("tcp://127.0.0.1", "no address"),
        ("tcp://127.0.0.1:65536", "no address"),
        ("tls://far:0", "no address"),
    ],
)
def test_an_address_that_is_not_safe_is_refused(address: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        refuse_unsafe(address)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:8786", "tcp://localhost:1", "tcp://[::1]:8786", "tls://far:8786"])
def test_loopback_and_tls_may_be_used(address: str) -> None:
    assert refuse_unsafe(address) == address


def test_tls_without_certificates_says_what_to_set(config: RunConfig) -> None:
    with pytest.raises(UsageError, match="does not know certificates") as caught:
        run_benchmark(replace(config, executor=Executor.DASK, scheduler="tls://127.0.0.1:8786"))
    assert "distributed.comm.tls" in caught.value.fix


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--scheduler", "tcp://127.0.0.1:1"), "only a cluster has a scheduler"),
        (("--executor", "dask", "--budget-tokens", "5"), "--budget-tokens works on one machine only"),
        (("--executor", "dask", "--phases", "generate"), "--phases works on one machine only"),
        (("--scheduler", ""), "'' is no address of a Dask scheduler"),
        (("--executor", "dask", "--scheduler", ""), "'' is no address of a Dask scheduler"),
        (("--executor", "dask", "--workers", "5000"), "5,000 processes are too many for this machine"),
        (("--executor", "dask", "--workers", "2", "--scheduler", "tcp://127.0.0.1:1"), "are counted there"),
        (("--executor", "dask", "--judge", "some-model"), "figures are judged on one machine"),
    ],
)
def test_options_that_do_not_fit_a_cluster_are_usage(
    garden: Path, words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    command = ["run", str(garden), "--agent", "oracle", "--out", str(garden.parent / "out"), *words]
    assert run_command_line(command) == 2
    assert said in capsys.readouterr().err


def test_what_an_earlier_run_left_is_removed_only_once_workers_are_ready(
    garden: Path, cluster: LocalCluster, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out, address = garden.parent / "out", cluster.scheduler_address
    out.mkdir()
    (out / "details.jsonl").write_bytes(b"of an earlier run")
    command = ["run", str(garden), "--agent", "oracle", "--out", str(out), "--sets", "apples", "--fresh"]
    command += ["--executor", "dask"]
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    assert run_command_line([*command, "--judge", "some-model"]) == 2
    assert run_command_line([*command, "--scheduler", "tcp://10.0.0.7:1"]) == 2
    assert run_command_line([*command, "--scheduler", address, "--environment", "nowhere"]) == 2
    with monkeypatch.context() as without:
        without.setattr("evaluator.running.cluster.run_on_cluster.find_spec", {}.get)
        assert run_command_line(command) == 2
    assert (out / "details.jsonl").read_bytes() == b"of an earlier run"
    capsys.readouterr()
    assert run_command_line([*command, "--scheduler", address, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["verdicts"] == {"CORRECT": 3}
    assert not (out / "details.jsonl").read_bytes().startswith(b"of an earlier run")


def test_the_command_runs_over_a_cluster(
    garden: Path, cluster: LocalCluster, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--executor", "dask", "--scheduler", cluster.scheduler_address, "--sets", "apples", "--json"]
    assert run_command_line(["run", str(garden), "--agent", "oracle", "--out", str(garden.parent / "out"), *words]) == 0
    assert json.loads(capsys.readouterr().out)["verdicts"] == {"CORRECT": 3}


def test_whatever_is_killed_nothing_is_lost_or_judged_twice(tmp_path: Path) -> None:
    """A few kills here; `make chaos` does fifty."""
    report = kill_at_random(6, 3, tmp_path)
    assert report.kills.total() == 6
    assert (report.faults, report.left) == ([], 0)
    assert report.runs >= 2
