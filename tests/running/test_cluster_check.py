"""`check --run` over a Dask cluster finds what it finds on one machine, in the same order and words."""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from authoring.cli.main import run_command_line
from evaluator.diagnostics import Diagnostic, Severity
from evaluator.errors import ToolkitError
from evaluator.language import read_benchmark
from evaluator.running.checking.set_check import SelfCheck
from evaluator.running.cluster.check_on_cluster import CheckedBenchmark, open_cluster_check
from evaluator.running.cluster.check_tasks import check_bytes, read_check
from evaluator.running.cluster.dask_executor import DaskCluster
from evaluator.session import Engine
from tests.running.conftest import WriteBenchmark
from tests.running.local_clusters import cluster_of_threads, lend_to_workers

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
SETS = {"apples": READS, "chard": FAILING, "broken": BROKEN}


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    with cluster_of_threads(2) as started:
        yield started.scheduler_address


def told(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str, list[str]]:
    code = run_command_line([str(word) for word in ("check", *words, "--run")])
    out, err = capsys.readouterr()
    return code, out, [line for line in err.splitlines() if not re.match(r"\d+/\d+ ", line)]


def test_the_same_is_found_in_the_same_words_over_a_cluster(
    write_benchmark: WriteBenchmark,
    engine: Engine,
    scheduler: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    lend_to_workers(engine, monkeypatch)
    monkeypatch.setattr("evaluator.running.checking.self_check.SMALL", 0)  # nobody cheats
    first = write_benchmark(SETS)
    other = shutil.copytree(first, tmp_path / "other" / first.name)
    (other / "_manifest.yaml").write_text('name: other\nversion: "1"\nrules: published\n')
    paths = (first, other / "chard.py")
    here = told(capsys, *paths, "--json")
    assert here[0] == 1
    assert {"reference-raises", "empty-passes", "unknown-validator", "example-misjudged"} <= {
        line.partition("[")[2].partition("]")[0] for line in here[2]
    }
    assert told(capsys, *paths, "--json", "--executor", "dask", "--scheduler", scheduler) == here


def test_options_that_do_not_fit_are_usage(write_benchmark: WriteBenchmark, capsys: pytest.CaptureFixture[str]) -> None:
    root, dask = write_benchmark({"apples": READS}), ("--executor", "dask")
    for words, said in (
        ((*dask, "--workers", "0"), "workers is 0, but must be at least 1"),
        ((*dask, "--scheduler", "tcp://10.0.0.7:1"), "without TLS"),
        (("--workers", "2"), "one after the other"),
        (("--rng-seed", "-1"), "rng_seed is -1"),
    ):
        code, _, err = told(capsys, root, *words)
        assert (code, said in err[0]) == (2, True), err


def test_a_cluster_is_refused_without_run_and_without_dask(
    write_benchmark: WriteBenchmark, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["check", str(write_benchmark({"apples": READS})), "--executor", "dask"]
    assert run_command_line(command) == 2
    assert "nothing is executed without --run" in capsys.readouterr().err
    monkeypatch.setattr("evaluator.running.cluster.run_on_cluster.find_spec", {}.get)
    assert run_command_line([*command, "--run"]) == 2
    assert "pip install 'benchwright[dask]'" in capsys.readouterr().err


def found(**more: Any) -> SelfCheck:
    fault = Diagnostic("reference-fails", Severity.ERROR, Path("/bundle/apples.py"), 3, "it fails \udc80", "mend it")
    return SelfCheck(**dict[str, Any](diagnostics=(fault,), problems=1, not_judged=("apples:1",)) | more)


def test_findings_name_the_file_where_it_lies_here(write_benchmark: WriteBenchmark) -> None:
    (loaded,) = read_benchmark(write_benchmark({"apples": READS})).sets
    came = read_check(check_bytes(found(waived=("by Ada",), cheated=True)), loaded, place="tcp://worker")
    (fault,) = found().diagnostics
    assert came == found(diagnostics=(replace(fault, path=loaded.path),), waived=("by Ada",), cheated=True)
    assert asdict(came)["problems"] == 1


def test_a_worker_tells_of_no_more_problems_than_there_are(write_benchmark: WriteBenchmark) -> None:
    (loaded,) = read_benchmark(write_benchmark({"apples": READS})).sets
    for more in ({"problems": 2}, {"not_judged": ("apples:1", "apples:2")}):
        with pytest.raises(ToolkitError, match="more problems than it has") as caught:
            read_check(check_bytes(found(**more)), loaded, place="tcp://worker")
        assert caught.value.where == "tcp://worker"


def test_no_more_processes_are_started_than_there_are_problemsets(
    write_benchmark: WriteBenchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[int] = []

    @contextmanager
    def noted(scheduler: str, *, workers: int) -> Iterator[None]:
        started.append(workers)
        yield

    monkeypatch.setattr(DaskCluster, "open", noted)
    benchmark = read_benchmark(write_benchmark({"apples": READS, "beets": GUESSED}))
    for workers in (1, 9):
        with open_cluster_check([CheckedBenchmark(benchmark.root, benchmark)], scheduler="", workers=workers):
            pass
    assert started == [1, 2]
