"""Whatever is killed at whatever instant: nothing judged is lost, nothing is judged twice, nothing stays behind."""

import json
import random
import resource
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluator.errors import ToolkitError
from evaluator.running import EventKind, Policies, RunConfig, RunEvent, StatePolicy, run_benchmark
from evaluator.session import Engine, SandboxChoice, probe_sandbox
from tests.running.conftest import WriteBenchmark, WriteRecords
from tests.running.killing import COMPARATOR, SANDBOX, SESSION, TEMPLATE, kill_one, killing

pytestmark = pytest.mark.kernel

SETS, PROBLEMS = ("apples", "beets", "chard"), 4
SET = "# %%\nimport time\nbase = 3\n" + "".join(
    f'''
# %%
"""
query: Store base plus {number} as `v{number}`.
execution:
  max_time: 20
  max_memory: 300
validator:
  namespace_check:
    v{number}:
"""
v{number} = base + {number}
time.sleep(0.03)
'''
    for number in range(1, PROBLEMS + 1)
)
ANSWERS = {  # by problem and attempt
    (1, 1): ("v1 = base + 1; time.sleep(0.05)", "CORRECT"),
    (2, 1): ("v2 = 'two'", "WRONG_VARIABLES"),
    (2, 2): ("v2 = base + 2", "CORRECT"),
    (3, 1): ("big = bytearray(1 << 30)", "CRASH"),
    (3, 2): ("time.sleep(0.05); v3 = base + three", "CRASH"),
    (4, 1): ("v4 = 7", "CORRECT"),
}


@pytest.fixture
def config(write_benchmark: WriteBenchmark, write_records: WriteRecords) -> RunConfig:
    """A replay of two attempts at each problem of three sets."""
    garden = write_benchmark(dict.fromkeys(SETS, SET))
    lines = [
        {"problemset": name, "index": index, "attempt": attempt, "code": code}
        for name in SETS
        for (index, attempt), (code, _) in ANSWERS.items()
    ]
    recorded = write_records(garden.parent / "recorded.jsonl", lines)
    return RunConfig(garden, f"replay:{recorded}", garden.parent / "out", workers=2, max_attempts=2)


def lines_of(out: Path) -> list[dict[str, Any]]:
    path = out / "records.jsonl"
    return [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]] if path.exists() else []


def assert_whole(out: Path, sets: tuple[str, ...] = SETS) -> None:
    """Every attempt is recorded once, in order, with the verdict that it has without any kill."""
    found = [(each["problemset"], each["index"], each["attempt"], each["verdict"]) for each in lines_of(out)]
    wanted = [(name, *key, verdict) for name in sets for key, (_, verdict) in ANSWERS.items()]
    assert sorted(found) == sorted(wanted)
    assert sum(each["is_last"] for each in lines_of(out)) == len(sets) * PROBLEMS


def assert_nothing_wrong(out: Path) -> None:
    """What is recorded so far is right, or was not judged; no attempt is there twice."""
    keys = [(each["problemset"], each["index"], each["attempt"]) for each in lines_of(out)]
    assert len(keys) == len(set(keys))
    for each in lines_of(out):
        assert each["verdict"] in ("NOT_JUDGED", ANSWERS[each["index"], each["attempt"]][1]), each


@pytest.mark.parametrize("state", [StatePolicy.REFERENCE, StatePolicy.OWN])
def test_a_session_that_is_killed_in_between_changes_no_verdict(
    engine: Engine, config: RunConfig, state: StatePolicy
) -> None:
    if engine.sandbox_name != "bwrap":
        pytest.skip("processes are told apart by their namespaces")
    config = replace(config, workers=1, sets=SETS[:1], policies=Policies(state=state))
    killed: list[bool] = []

    def kill(event: RunEvent) -> None:
        if event.kind is EventKind.JUDGED and event.done == 1:
            killed.append(kill_one(SESSION, random.Random(0)))

    summary = run_benchmark(config, engine=engine, on_event=kill)
    assert (killed, summary.refused, summary.not_judged) == ([True], (), 0)
    assert_whole(config.out, SETS[:1])


def test_a_full_disk_stops_the_run_and_loses_nothing(engine: Engine, config: RunConfig) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    kept: list[dict[str, Any]] = []

    def fill_up(event: RunEvent) -> None:
        """Let the kernel refuse what goes past 100 bytes more, so that a record is cut in its middle."""
        if event.kind is EventKind.JUDGED and event.done == 3:
            kept.extend(lines_of(config.out))
            size = (config.out / "records.jsonl").stat().st_size
            resource.setrlimit(resource.RLIMIT_FSIZE, (size + 100, hard))

    try:
        with pytest.raises(ToolkitError, match="cannot write a result record"):
            run_benchmark(config, engine=engine, on_event=fill_up)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert lines_of(config.out) == kept
    assert run_benchmark(config, engine=engine).resumed == 3
    assert_whole(config.out)


def test_a_submission_that_kills_its_session_is_wrong_not_unjudged(
    write_benchmark: WriteBenchmark, write_records: WriteRecords
) -> None:
    """Without a sandbox a submission reaches the session that it is forked from."""
    benchmark = write_benchmark({"apples": SET})
    code = "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(2)"
    lines = [{"problemset": "apples", "index": 1, "code": code}, {"problemset": "apples", "index": 2, "code": "v2 = 5"}]
    recorded = write_records(benchmark.parent / "recorded.jsonl", lines)
    with Engine(sandbox=SandboxChoice.NONE) as engine:
        for state in (StatePolicy.REFERENCE, StatePolicy.OWN):
            out, policies = benchmark.parent / state.value, Policies(state=state)
            run_benchmark(RunConfig(benchmark, f"replay:{recorded}", out, limit=2, policies=policies), engine=engine)
            assert [each["verdict"] for each in lines_of(out)] == ["CRASH", "CORRECT"]


# --- at random instants ---


@pytest.fixture(scope="module")
def sandboxed() -> Iterator[Engine]:
    if not probe_sandbox().available:
        pytest.skip(f"no bubblewrap here: {probe_sandbox().reason}")
    with Engine(sandbox=SandboxChoice.BWRAP, comparators=2) as engine:
        engine.warm_up()
        yield engine


def progress_of(config: RunConfig) -> Callable[[], dict[str, int]]:
    """Return what tells how far the problemsets that are under way have come."""

    def progress() -> dict[str, int]:
        done = Counter(each["problemset"] for each in lines_of(config.out))
        return {name: done[name] for name in [name for name in SETS if done[name] < len(ANSWERS)][: config.workers]}

    return progress


@pytest.mark.deep
@pytest.mark.parametrize(
    ("roles", "workers", "state"),
    [
        ((SESSION, SESSION, SESSION), 1, StatePolicy.REFERENCE),
        ((TEMPLATE, SESSION), 1, StatePolicy.REFERENCE),
        ((COMPARATOR, COMPARATOR, COMPARATOR), 2, StatePolicy.REFERENCE),
        ((SANDBOX, COMPARATOR), 2, StatePolicy.REFERENCE),
        ((SESSION, SESSION, SESSION, SESSION), 2, StatePolicy.OWN),
    ],
    ids=["sessions", "template", "comparators", "sandbox", "own state"],
)
def test_processes_killed_at_random_instants_change_no_verdict(
    sandboxed: Engine, config: RunConfig, roles: tuple[str, ...], workers: int, state: StatePolicy
) -> None:
    """What is killed twice counts as its author's fault, or its submission's: progress in between rules that out."""
    config = replace(config, workers=workers, policies=Policies(state=state))
    with killing(roles, random.Random(len(roles)), every_s=0.25, progress=progress_of(config)) as killed:
        summary = run_benchmark(config, engine=sandboxed)
    assert killed
    assert summary.refused == ()
    assert_nothing_wrong(config.out)
    again = run_benchmark(config, engine=sandboxed)
    assert (again.not_judged, again.judged) == (0, len(SETS) * PROBLEMS)
    assert_whole(config.out)
