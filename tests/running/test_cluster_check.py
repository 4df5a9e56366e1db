"""`check --run` over a real Dask cluster finds what it finds on one machine, in the same order and words."""

import contextlib
import os
import re
import shutil
import socket
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import distributed.core
import pytest
from distributed import Client, LocalCluster
from distributed.diskutils import WorkSpace

from authoring.cli.main import run_command_line
from evaluator.diagnostics import Diagnostic, Severity
from evaluator.errors import ToolkitError
from evaluator.installation import HOME
from evaluator.language import Problem, read_benchmark
from evaluator.running import EventKind, RunEvent
from evaluator.running.checking.self_check import self_check
from evaluator.running.checking.set_check import SelfCheck, check_set
from evaluator.running.cluster import connection
from evaluator.running.cluster.check_on_cluster import CheckedBenchmark, open_cluster_check
from evaluator.running.cluster.check_tasks import CheckOrder, SetPlace, check_bytes, read_check, read_task, task_bytes
from evaluator.running.cluster.messages import BadMessageError
from evaluator.session import Engine, SandboxChoice, own_environment
from tests.running.local_clusters import local_cluster

WriteBenchmark = Callable[..., Path]

GUESSED = '# %%\n"""\nquery: Is it so?\nwaivers: {low-information: {by: Ada, reason: a first one}}\n"""\nTrue\n'
FAILING = (
    '# %%\n"""\nquery: Raise.\n"""\nraise ValueError("the author\'s own")\n'
    '\n# %%\n"""\nquery: Do nothing.\nvalidator:\n  template: basic\n"""\npass\n'
)
READS = (
    '# %%\nimport pandas as pd\n\n# %%\n"""\nquery: How many trips are there?\nexamples:\n  accept: ["4 + 1"]\n"""\n'
    'len(pd.read_csv("inputs/trips.csv"))\n'
)
BROKEN = '# %%\n"""\nquery: Two.\nvalidator:\n  reslt:\n"""\n2\n'
SETS = {"apples": READS, "beets": GUESSED, "chard": FAILING, "broken": BROKEN}


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    with local_cluster(n_workers=2) as started:
        yield started


def told(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str, list[str]]:
    """Return the exit code of a command, what it printed, and its diagnostics without its progress."""
    code = run_command_line([str(word) for word in ("check", *words, "--run")])
    out, err = capsys.readouterr()
    return code, out, [line for line in err.splitlines() if not re.match(r"\d+/\d+ ", line)]


@pytest.mark.kernel
@pytest.mark.slow
def test_the_same_is_found_in_the_same_words_over_a_cluster(
    write_benchmark: WriteBenchmark,
    cluster: LocalCluster,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    first = write_benchmark(SETS)
    other = shutil.copytree(first, tmp_path / "other" / first.name)
    (other / "_manifest.yaml").write_text('name: other\nversion: "1"\nrules: published\n')
    alone = HOME / "problemsets" / "cibench-mini" / "pandas_penguins.py"
    paths = (first / "beets.py", first, other / "apples.py", other / "chard.py", alone)
    here = told(capsys, *paths, "--json")
    assert here[0] == 1
    assert {"reference-raises", "empty-passes", "unknown-validator", "example-misjudged"} <= {
        line.partition("[")[2].partition("]")[0] for line in here[2]
    }
    there = ("--executor", "dask", "--scheduler", cluster.scheduler_address)
    assert told(capsys, *paths, "--json", *there) == here


@pytest.mark.kernel
@pytest.mark.slow
def test_processes_of_its_own_find_the_same_and_waivers_are_told(
    write_benchmark: WriteBenchmark, capsys: pytest.CaptureFixture[str]
) -> None:
    root = write_benchmark({"apples": READS.replace("4 + 1", "1 + 2"), "beets": GUESSED})
    here = told(capsys, root)
    assert here[0] == 0
    assert "waived by Ada: a first one" in here[1]
    assert told(capsys, root, "--executor", "dask", "--workers", "2") == here


@pytest.mark.kernel
@pytest.mark.slow
def test_a_worker_that_is_killed_in_between_changes_nothing(write_benchmark: WriteBenchmark) -> None:
    benchmark = read_benchmark(write_benchmark({f"{name}_{i}": SETS[name] for i in range(3) for name in SETS}))
    sets = [each for each in benchmark.sets if not each.name.startswith("broken")]
    here = self_check(sets)
    events: list[RunEvent] = []
    with local_cluster(n_workers=2) as two:
        known = [CheckedBenchmark(benchmark.root, benchmark)]

        def kill(event: RunEvent) -> None:
            events.append(event)
            if len(events) == 2:
                os.kill(two.workers[0].pid, 9)

        with open_cluster_check(known, scheduler=two.scheduler_address, workers=1) as over_cluster:
            there = over_cluster.self_check(sets, environment=own_environment(), on_event=kill)
    assert there == here
    done = [event.done for event in events]
    assert (events[0].kind, done, done[-1]) == (EventKind.STARTED, sorted(set(done)), events[-1].total)


@pytest.mark.kernel
@pytest.mark.slow
def test_a_worker_without_a_sandbox_is_named_and_nothing_is_said_of_problemsets(
    write_benchmark: WriteBenchmark, capsys: pytest.CaptureFixture[str]
) -> None:
    root = write_benchmark({"apples": READS})
    with local_cluster(n_workers=1, env={"PATH": "/nowhere", "BENCHWRIGHT_SANDBOX": "bwrap"}) as bare:
        code, out, err = told(capsys, root, "--executor", "dask", "--scheduler", bare.scheduler_address)
    assert (code, out) == (3, "")
    assert "a worker cannot do this work: " in err[0]
    assert "bubblewrap is not installed" in err[0]


@pytest.mark.slow
def test_a_scheduler_that_is_down_is_named(
    write_benchmark: WriteBenchmark, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "CONNECT_S", 1.0)
    root = write_benchmark({"apples": READS})
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        code, _, err = told(capsys, root, "--executor", "dask", "--scheduler", address)
    assert (code, "does not answer" in err[0]) == (3, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--scheduler", "tcp://127.0.0.1:1"), "only a cluster has a scheduler"),
        (("--executor", "dask", "--workers", "2", "--scheduler", "tcp://127.0.0.1:1"), "are counted there"),
        (("--executor", "dask", "--workers", "0"), "workers is 0, but must be at least 1"),
        (("--executor", "dask", "--workers", "5000"), "5,000 processes are too many for this machine"),
        (("--executor", "dask", "--scheduler", ""), "'' is no address of a Dask scheduler"),
        (("--executor", "dask", "--scheduler", "tcp://10.0.0.7:1"), "without TLS"),
        (("--workers", "2"), "one after the other"),
    ],
)
def test_options_that_do_not_fit_are_usage(
    write_benchmark: WriteBenchmark, words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = told(capsys, write_benchmark({"apples": READS}), *words)
    assert (code, said in err[0]) == (2, True)


def test_a_cluster_is_refused_where_nothing_is_executed_or_dask_is_not_installed(
    write_benchmark: WriteBenchmark, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["check", str(write_benchmark({"apples": READS})), "--executor", "dask"]
    assert run_command_line(command) == 2
    assert "nothing is executed without --run" in capsys.readouterr().err
    monkeypatch.setattr("evaluator.running.cluster.run_on_cluster.find_spec", {}.get)
    assert run_command_line([*command, "--run"]) == 2
    assert "pip install 'benchwright[dask]'" in capsys.readouterr().err


ORDER = CheckOrder(("0/benchmark/one",), (SetPlace(0, 1), SetPlace(0, 0)), "default", SandboxChoice.BWRAP, 7, True)


def test_an_order_and_a_task_come_back_as_they_were() -> None:
    assert CheckOrder.from_bytes(ORDER.to_bytes()) == ORDER
    assert read_task(task_bytes(3)) == 3
    for read in (CheckOrder.from_bytes, read_task):
        with pytest.raises(BadMessageError):
            read(b"benchwright 1 check\n{}")
    with pytest.raises(BadMessageError, match="leads out"):
        CheckOrder.from_bytes(replace(ORDER, benchmarks=("../out",)).to_bytes())


def found(**more: Any) -> SelfCheck:
    fault = Diagnostic("reference-fails", Severity.ERROR, Path("/bundle/apples.py"), 3, "it fails \udc80", "mend it")
    return SelfCheck(**{"diagnostics": (fault,), "problems": 1, "not_judged": ("apples:1",), **more})


def test_findings_name_the_file_where_it_lies_here(write_benchmark: WriteBenchmark) -> None:
    (loaded,) = read_benchmark(write_benchmark({"apples": READS})).sets
    came = read_check(check_bytes(found(waived=("by Ada",), cheated=True)), loaded, place="tcp://worker")
    (fault,) = found().diagnostics
    assert came == found(diagnostics=(replace(fault, path=loaded.path),), waived=("by Ada",), cheated=True)
    assert asdict(came)["problems"] == 1


@pytest.mark.parametrize("more", [{"problems": 2}, {"not_judged": ("apples:1", "apples:2")}])
def test_a_worker_tells_of_no_more_problems_than_there_are(
    write_benchmark: WriteBenchmark, more: dict[str, Any]
) -> None:
    (loaded,) = read_benchmark(write_benchmark({"apples": READS})).sets
    with pytest.raises(ToolkitError, match="more problems than it has") as caught:
        read_check(check_bytes(found(**more)), loaded, place="tcp://worker")
    assert caught.value.where == "tcp://worker"


@pytest.mark.kernel
def test_a_check_that_was_cancelled_for_a_moment_is_not_taken_for_whole(
    engine: Engine, write_benchmark: WriteBenchmark
) -> None:
    (loaded,) = read_benchmark(write_benchmark({"chard": FAILING})).sets
    answers = iter([False, True])
    with pytest.raises(ToolkitError, match="'chard' was cancelled"):
        check_set(engine, loaded, rules="sound", cheats=False, cancelled=lambda: next(answers, False))


def test_a_number_that_seeds_nothing_is_refused_on_one_machine_too(
    write_benchmark: WriteBenchmark, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told(capsys, write_benchmark({"beets": GUESSED}), "--rng-seed", "-1")[0] == 2


@pytest.mark.kernel
def test_a_check_that_is_cancelled_ends_whatever_it_is_at(engine: Engine, write_benchmark: WriteBenchmark) -> None:
    failing, sound = read_benchmark(write_benchmark({"chard": FAILING, "leeks": f"{GUESSED}\n{GUESSED}"})).sets
    answers = iter([False, False, True])  # the first cell fails, so that all of them are executed once more
    with pytest.raises(ToolkitError, match="'chard' was cancelled"):
        check_set(engine, failing, rules="sound", cheats=False, cancelled=lambda: next(answers, True))
    asked: list[str] = []

    def recorded(_name: str, problem: Problem) -> None:
        asked.append(problem.query)

    with pytest.raises(ToolkitError, match="'leeks' was cancelled"):
        check_set(engine, sound, rules="sound", cheats=False, recorded=recorded, cancelled=lambda: bool(asked))
    assert len(asked) == 1


@pytest.mark.kernel
@pytest.mark.slow
def test_what_is_wrong_here_is_said_once_as_on_one_machine(
    write_benchmark: WriteBenchmark, cluster: LocalCluster, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    root, agent = write_benchmark({"apples": READS, "beets": GUESSED}), tmp_path / "mine.py"
    agent.write_text("def broken(:\n")
    command = ["run", str(root), "--agent", f"{agent}:solve", "--out", str(tmp_path / "out")]

    def said(*more: str) -> tuple[int, str]:
        code = run_command_line([*command, *more])
        return code, capsys.readouterr().err

    here = said()
    assert (here[0], f"{agent}:1" in here[1]) == (2, True)
    assert said("--executor", "dask", "--workers", "2") == here
    code, err = said("--executor", "dask", "--scheduler", cluster.scheduler_address)
    assert (code, err.count("invalid syntax"), f"{agent}:1 on all workers" in err) == (2, 1, True)


@pytest.mark.kernel
@pytest.mark.slow
def test_no_more_processes_are_started_than_there_are_problemsets(write_benchmark: WriteBenchmark) -> None:
    benchmark = read_benchmark(write_benchmark({"apples": READS, "beets": GUESSED}))
    with open_cluster_check([CheckedBenchmark(benchmark.root, benchmark)], scheduler="", workers=9) as over_cluster:
        assert len(over_cluster.cluster.threads) == 2


@pytest.mark.kernel
@pytest.mark.slow
def test_a_machine_that_is_busy_is_no_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    def advised() -> int:
        with warnings.catch_warnings(record=True) as heard:
            warnings.warn("Creating scratch directories is taking a surprisingly long time.", stacklevel=1)
        return len(heard)

    def slow(folder: str) -> WorkSpace:
        time.sleep(1.1)  # Dask warns after a second
        return WorkSpace(folder)

    monkeypatch.setattr(distributed.core, "WorkSpace", slow)
    with contextlib.ExitStack() as stack:
        address, security = connection.started(1, stack)
        with Client(address, security=security, set_as_default=False) as client:
            assert list(client.run(advised).values()) == [0]
