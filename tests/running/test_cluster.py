"""Runs over a real Dask cluster give what a run on one process gives, go on after everything, and say what is wrong."""

import contextlib
import json
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from distributed import LocalCluster

from authoring.cli.main import run_command_line
from evaluator.errors import ContentError, ToolkitError, UsageError
from evaluator.language import read_benchmark
from evaluator.running import (
    Executor,
    Policies,
    RunConfig,
    RunEvent,
    RunSummary,
    StatePolicy,
    parse_feedback,
    run_benchmark,
)
from evaluator.running.cluster import connection, dask_executor, run_task_runner
from evaluator.running.cluster.checks import WorkerRequirements, facts_here
from evaluator.running.cluster.connection import refuse_unsafe
from evaluator.running.cluster.run_on_cluster import run_on_cluster
from evaluator.running.cluster.tasks import SetResult, SetTask, read_result
from evaluator.running.run_folder import RunFolder
from evaluator.session import Engine
from tests.running.conftest import GOOD_SET, written_benchmark
from tests.running.local_clusters import cluster_of_threads, lend_to_workers
from tests.scripted_model import KEY, Say, scripted_model
from tests.speed.cluster_chaos import kill_at_random

SET = (
    GOOD_SET.partition('# %%\n"""\nquery: Which')[0]
    + '''# %%
"""
query: Print and return twice the mean.
"""
print("twice")
2 * mean_km
'''
)
FAULTY = '# %%\n"""\nquery: One?\n"""\n1\n\n# %%\n"""\nquery: Raise.\n"""\nraise ValueError("the author\'s own")\n'
SETS = {"apples": SET, "beets": SET, "chard": SET, "faulty": FAULTY}
CODES = {
    "apples": ("len(trips)", "mean_km = trips['km'].mean()", "2 * mean_km"),
    "beets": ("print('four'); 4", "mean_km = 7.0", "2 * mean_km"),
    "chard": ("len(trips", "raise KeyError('km')", "print('x' * 100)\nNone"),
    "faulty": ("1", "2"),
}


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> RunConfig:
    """A replay on one machine, with whatever may come of an answer; no test writes into its folder."""
    folder = tmp_path_factory.mktemp("local")
    lines = [
        {"problemset": name, "index": index, "attempt": attempt, "code": code if attempt == 1 else "mean_km = 1; 3"}
        for name, codes in CODES.items()
        for index, code in enumerate(codes, start=1)
        for attempt in (1, 2)
    ]
    recorded = folder / "recorded.jsonl"
    recorded.write_text("".join(f"{json.dumps(each)}\n" for each in lines))
    return RunConfig(written_benchmark(folder / "garden", SETS), f"replay:{recorded}", folder / "local")


@pytest.fixture(scope="module")
def local(config: RunConfig, engine: Engine) -> RunSummary:
    return run_benchmark(config, engine=engine)


@pytest.fixture(scope="module")
def threads() -> Iterator[LocalCluster]:
    with cluster_of_threads(2) as started:
        yield started


@pytest.fixture
def cluster(threads: LocalCluster, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> LocalCluster:
    """The cluster of threads, whose workers run on the shared engine."""
    lend_to_workers(engine, monkeypatch)
    return threads


def on(cluster: LocalCluster, config: RunConfig, folder: Path) -> RunConfig:
    address = cluster.scheduler_address
    return replace(config, executor=Executor.DASK, scheduler=address, out=folder / "cluster")


def timeless(out: Path) -> list[str]:
    lines = [json.loads(line) for line in (out / "records.jsonl").read_bytes().splitlines()]
    return sorted(json.dumps({**each, "seconds": each["seconds"] is not None}) for each in lines)


def manifest(out: Path) -> dict[str, Any]:
    told: dict[str, Any] = json.loads((out / "manifest.json").read_text())
    return {**told, "time_scale": None}


def details(out: Path) -> list[str]:
    lines = [json.loads(line) for line in (out / "details.jsonl").read_bytes().splitlines()]
    return sorted(json.dumps(each) for each in lines)


def compared(config: RunConfig, engine: Engine, cluster: LocalCluster, folder: Path, **more: Any) -> RunConfig:
    """Run it here and there, with the same records; return what ran there."""
    here = replace(config, out=folder / "local")
    there = on(cluster, config, folder)
    run_benchmark(here, engine=engine, **more)
    run_benchmark(there, **more)
    assert timeless(there.out) == timeless(here.out)
    assert manifest(there.out) == manifest(here.out)
    return there


def test_records_are_the_same_where_some_come_back_cut_or_unreadable(
    config: RunConfig, local: RunSummary, cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    there, cut = on(cluster, config, tmp_path), list[str]()

    def first_cut(data: bytes, task: SetTask, *more: Any, **options: Any) -> SetResult:
        came = read_result(data, task, *more, **options)
        if task.identity.name in cut or came.diagnostics:
            return came
        cut.append(task.identity.name)
        is_readable = task.identity.name != "beets"
        return replace(came, judged=came.judged[:1]) if is_readable else read_result(data[:-1], task, *more, **options)

    monkeypatch.setattr("evaluator.running.cluster.run_on_cluster.read_result", first_cut)
    remote = run_benchmark(there)
    assert sorted(cut) == ["apples", "beets", "chard"]
    assert_the_same(there.out, remote, config.out, local)


def assert_the_same(out: Path, remote: RunSummary, local_out: Path, local: RunSummary) -> None:
    assert replace(remote, out=Path()) == replace(local, out=Path())
    assert local.refused == ("faulty",)
    assert set(local.counts) > {"CORRECT", "CRASH"}
    for read in (timeless, manifest, details):
        assert read(out) == read(local_out)


@pytest.mark.deep
def test_records_are_the_same_from_processes_of_its_own(config: RunConfig, local: RunSummary, tmp_path: Path) -> None:
    there = replace(config, executor=Executor.DASK, workers=2, out=tmp_path / "cluster")
    assert_the_same(there.out, run_benchmark(there), config.out, local)


@pytest.mark.deep
def test_a_state_of_its_own_goes_on_from_answers_that_were_kept(
    config: RunConfig, engine: Engine, cluster: LocalCluster, tmp_path: Path
) -> None:
    policies = Policies(StatePolicy.OWN, feedback=parse_feedback("error,output"))
    own = replace(config, policies=policies, max_attempts=2, sets=("beets",))
    there = compared(own, engine, cluster, tmp_path)
    records = there.out / "records.jsonl"
    before = timeless(there.out)
    kept = [line for line in records.read_bytes().splitlines(keepends=True) if json.loads(line)["index"] == 1]
    records.write_bytes(b"".join(kept))
    assert run_benchmark(there).resumed == 1
    assert timeless(there.out) == before


@pytest.mark.deep
def test_workers_ask_a_model_and_one_bar_tells_the_cost(
    config: RunConfig, cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    there, events = on(cluster, replace(config, sets=("apples",), limit=1), tmp_path), list[RunEvent]()
    with scripted_model(lambda _request: Say("```python\nlen(trips)\n```")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        run_benchmark(replace(there, agent="chat:gpt-4o-mini", concurrency=8), on_event=events.append)
    costs = [json.loads(line)["agent_stats"]["cost"] for line in timeless(there.out)]
    assert min(costs) > 0
    assert events[-1].cost == pytest.approx(sum(costs))


def test_another_client_on_the_same_folder_is_refused_at_once(config: RunConfig, tmp_path: Path) -> None:
    there = replace(config, executor=Executor.DASK, scheduler="tcp://127.0.0.1:9", out=tmp_path)
    with contextlib.closing(RunFolder.acquire(tmp_path)), pytest.raises(ContentError, match="another run is writing"):
        run_benchmark(there)


def test_a_scheduler_that_is_down_is_named(config: RunConfig, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(connection, "CONNECT_S", 0.5)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(ToolkitError, match="does not answer") as caught:
            run_benchmark(replace(config, executor=Executor.DASK, scheduler=address, out=tmp_path))
    assert (caught.value.exit_code, caught.value.where) == (3, f"Dask scheduler {address}")
    assert not (tmp_path / "records.jsonl").exists()


def test_a_scheduler_without_workers_is_told(
    config: RunConfig, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(connection, "WORKERS_S", 0.5)
    with cluster_of_threads(0) as empty, pytest.raises(ToolkitError, match="there was no worker for 0 s"):
        run_benchmark(on(empty, config, tmp_path))


def test_schedulers_and_workers_that_are_not_fit_are_refused_before_work(
    config: RunConfig, cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    there, benchmark = on(cluster, config, tmp_path), read_benchmark(config.benchmark)

    def fail(*_given: object) -> None:
        raise ToolkitError("bubblewrap is not installed", fix="apt install bubblewrap")

    others: list[tuple[object, str, object, str, str]] = [
        (
            *(connection, "distributed", SimpleNamespace(__version__="2020.1")),
            *(r"the scheduler has distributed 2\d+\.\S+, not 2020.1", "install the same packages"),
        ),
        (
            *(dask_executor, "facts_here", lambda: replace(facts_here(), source="another")),
            *("2 workers cannot do this work: tcp://127", "install the same"),
        ),
        (
            *(run_task_runner, "own_engine", fail),
            *("2 workers cannot do this work: tcp://127.*bubblewrap is not installed", "apt install bubblewrap"),
        ),
    ]
    for module, name, value, said, fix in others:
        with monkeypatch.context() as patched:
            patched.setattr(module, name, value)
            with pytest.raises(ToolkitError, match=said) as caught:
                run_benchmark(there)
        assert (caught.value.exit_code, fix in caught.value.fix) == (3, True)
    for lacks in ("disk", "memory"):
        needs = WorkerRequirements(**{lacks: 1 << 52})
        with pytest.raises(ToolkitError, match=f"bytes of {lacks} are free"):
            run_on_cluster(there, benchmark, on_event=lambda _: None, needs=needs)
    with pytest.raises(UsageError, match="'nowhere'") as of_all:
        run_benchmark(replace(there, environment="nowhere"))
    assert of_all.value.where.endswith("all workers")
    assert not (there.out / "records.jsonl").exists()


def test_loopback_and_tls_alone_may_be_used() -> None:
    for address in ("tcp://127.0.0.1:8786", "tcp://localhost:1", "tcp://[::1]:65535", "tls://far:8786"):
        assert refuse_unsafe(address) == address
    for address in ("tcp://10.0.0.7:8786", "tcp://example.org:8786", "tcp://0.0.0.0:8786"):
        with pytest.raises(UsageError, match="without TLS"):
            refuse_unsafe(address)
    none = ("ucx://127.0.0.1:8786", "127.0.0.1:8786", "tcp://127.0.0.1", "tcp://127.0.0.1:65536", "tls://far:0")
    for address in none:
        with pytest.raises(UsageError, match="no address"):
            refuse_unsafe(address)


def test_options_that_do_not_fit_a_cluster_are_usage(
    config: RunConfig, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    command = ["run", str(config.benchmark), "--agent", "oracle", "--out", str(tmp_path)]
    dask = ("--executor", "dask")
    for words, said in (
        (("--scheduler", "tcp://127.0.0.1:1"), "only a cluster has a scheduler"),
        ((*dask, "--budget-tokens", "5"), "--budget-tokens works on one machine only"),
        ((*dask, "--phases", "generate"), "--phases works on one machine only"),
        (("--scheduler", ""), "'' is no address of a Dask scheduler"),
        ((*dask, "--scheduler", ""), "'' is no address of a Dask scheduler"),
        ((*dask, "--workers", "5000"), "5,000 processes are too many for this machine"),
        ((*dask, "--workers", "2", "--scheduler", "tcp://127.0.0.1:1"), "are counted there"),
        ((*dask, "--judge", "some-model"), "figures are judged on one machine"),
    ):
        assert run_command_line([*command, *words]) == 2
        assert said in capsys.readouterr().err


def test_what_an_earlier_run_left_is_removed_only_once_workers_are_ready(
    config: RunConfig,
    cluster: LocalCluster,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    out, address = tmp_path / "out", cluster.scheduler_address
    out.mkdir()
    (out / "details.jsonl").write_bytes(b"of an earlier run")
    command = ["run", str(config.benchmark), "--agent", "oracle", "--out", str(out), "--sets", "apples", "--fresh"]
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


@pytest.mark.deep
def test_whatever_is_killed_nothing_is_lost_or_judged_twice(tmp_path: Path) -> None:
    report = kill_at_random(6, 3, tmp_path)
    assert report.kills.total() == 6
    assert (report.faults, report.left) == ([], 0)
    assert report.runs >= 2
