"""Whatever is killed at whatever instant: nothing judged is lost, nothing is judged twice, nothing stays behind."""

import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluator.errors import ToolkitError
from evaluator.inside.isolation.processes import descendants_of
from evaluator.running import EventKind, Policies, RunConfig, RunEvent, RunSummary, StatePolicy, run_benchmark
from evaluator.session import Engine, SandboxChoice, probe_sandbox
from tests.running.killing import COMPARATOR, SANDBOX, SESSION, TEMPLATE, killing
from tests.waiting import eventually

pytestmark = [pytest.mark.kernel, pytest.mark.slow]

WriteBenchmark = Callable[..., Path]
WriteRecords = Callable[[Path, list[dict[str, Any]]], Path]
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
def garden(write_benchmark: WriteBenchmark) -> Path:
    return write_benchmark(dict.fromkeys(SETS, SET))


@pytest.fixture
def recorded(garden: Path, write_records: WriteRecords) -> Path:
    lines = [
        {"problemset": name, "index": index, "attempt": attempt, "code": code}
        for name in SETS
        for (index, attempt), (code, _) in ANSWERS.items()
    ]
    return write_records(garden.parent / "recorded.jsonl", lines)


def config_of(garden: Path, recorded: Path, **more: Any) -> RunConfig:
    return RunConfig(garden, f"replay:{recorded}", garden.parent / "out", workers=2, max_attempts=2, **more)


def lines_of(out: Path) -> list[dict[str, Any]]:
    path = out / "records.jsonl"
    return [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]] if path.exists() else []


def assert_whole(out: Path, *, expected: int = len(SETS) * PROBLEMS) -> None:
    """Every attempt is recorded once, in order, with the verdict that it has without any kill."""
    found = [(each["problemset"], each["index"], each["attempt"], each["verdict"]) for each in lines_of(out)]
    wanted = [(name, *key, verdict) for name in SETS for key, (_, verdict) in ANSWERS.items()]
    assert sorted(found) == sorted(wanted)
    assert sum(each["is_last"] for each in lines_of(out)) == expected


def assert_nothing_wrong(out: Path) -> None:
    """What is recorded so far is right, or was not judged; no attempt is there twice."""
    keys = [(each["problemset"], each["index"], each["attempt"]) for each in lines_of(out)]
    assert len(keys) == len(set(keys))
    for each in lines_of(out):
        assert each["verdict"] in ("NOT_JUDGED", ANSWERS[each["index"], each["attempt"]][1]), each


def progress_of(config: RunConfig) -> Callable[[], dict[str, int]]:
    """Return what tells how far the problemsets that are under way have come."""

    def progress() -> dict[str, int]:
        done = Counter(each["problemset"] for each in lines_of(config.out))
        return {name: done[name] for name in [name for name in SETS if done[name] < len(ANSWERS)][: config.workers]}

    return progress


@pytest.fixture(scope="module")
def sandboxed() -> Iterator[Engine]:
    if not probe_sandbox().available:
        pytest.skip(f"no bubblewrap here: {probe_sandbox().reason}")
    with Engine(sandbox=SandboxChoice.BWRAP, comparators=2) as engine:
        engine.warm_up()
        yield engine


@pytest.mark.parametrize(
    ("seed", "roles", "workers"),
    [
        (1, (SESSION, SESSION, SESSION), 1),
        (2, (TEMPLATE, SESSION), 1),
        (3, (COMPARATOR, COMPARATOR, COMPARATOR), 2),
        (4, (SANDBOX, COMPARATOR), 2),
    ],
    ids=["sessions", "template", "comparators", "sandbox"],
)
def test_processes_killed_at_random_instants_change_no_verdict(
    sandboxed: Engine, garden: Path, recorded: Path, seed: int, roles: tuple[str, ...], workers: int
) -> None:
    """What is killed twice counts as its author's fault, or its submission's: progress in between rules that out."""
    config = replace(config_of(garden, recorded), workers=workers)
    with killing(roles, random.Random(seed), every_s=0.25, progress=progress_of(config)) as killed:
        summary = run_benchmark(config, engine=sandboxed)
    assert killed
    assert summary.refused == ()
    assert_nothing_wrong(config.out)
    again = run_benchmark(config, engine=sandboxed)
    assert (again.not_judged, again.judged) == (0, len(SETS) * PROBLEMS)
    assert_whole(config.out)


def test_a_killed_process_of_an_own_state_is_replaced_by_a_replay(
    sandboxed: Engine, garden: Path, recorded: Path
) -> None:
    config = config_of(garden, recorded, policies=Policies(state=StatePolicy.OWN))
    roles = (SESSION, SESSION, SESSION, SESSION)
    with killing(roles, random.Random(5), every_s=0.2, progress=progress_of(config)) as killed:
        run_benchmark(config, engine=sandboxed)
    assert killed
    assert_nothing_wrong(config.out)
    run_benchmark(config, engine=sandboxed)
    assert_whole(config.out)


def test_a_run_killed_at_random_instants_is_finished_by_the_same_command(garden: Path, recorded: Path) -> None:
    out, rng = garden.parent / "out", random.Random(6)
    command = [str(Path(sys.executable).with_name("benchwright")), "run", str(garden), "--out", str(out)]
    command += ["--agent", f"replay:{recorded}", "--workers", "2", "--max-attempts", "2", "--json"]
    for kills in range(3):
        _start_and_kill(command, out, records=2 * kills, delay_s=rng.uniform(0, 0.3))
        assert_nothing_wrong(out)
    (out / ".records.jsonl.new").write_text("left by a kill")
    done = subprocess.run(command, capture_output=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["not_judged"] == 0
    assert_whole(out)
    assert not (out / ".records.jsonl.new").exists()


def _start_and_kill(command: list[str], out: Path, *, records: int, delay_s: float) -> None:
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert eventually(lambda: len(lines_of(out)) >= records or process.poll() is not None, within_s=60)
    time.sleep(delay_s)
    workers = descendants_of(process.pid)
    process.kill()
    process.communicate()
    assert eventually(lambda: not any(map(_runs, workers)))


def _runs(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rsplit(b")", 1)[1].split()[0] != b"Z"
    except OSError:
        return False


def test_a_full_disk_stops_the_run_and_loses_nothing(sandboxed: Engine, garden: Path, recorded: Path) -> None:
    config = config_of(garden, recorded)
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
            run_benchmark(config, engine=sandboxed, on_event=fill_up)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert lines_of(config.out) == kept
    resumed = run_benchmark(config, engine=sandboxed)
    assert resumed.resumed == 3
    assert_whole(config.out)


@pytest.mark.parametrize("state", [StatePolicy.REFERENCE, StatePolicy.OWN])
def test_a_submission_that_kills_its_session_is_wrong_not_unjudged(
    write_benchmark: WriteBenchmark, write_records: WriteRecords, state: StatePolicy
) -> None:
    """Without a sandbox a submission reaches the session that it is forked from."""
    benchmark = write_benchmark({"apples": SET})
    code = "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(5)"
    lines = [{"problemset": "apples", "index": 1, "code": code}, {"problemset": "apples", "index": 2, "code": "v2 = 5"}]
    recorded = write_records(benchmark.parent / "recorded.jsonl", lines)
    out = benchmark.parent / "out"
    with Engine(sandbox=SandboxChoice.NONE) as engine:
        policies = Policies(state=state)
        run_benchmark(RunConfig(benchmark, f"replay:{recorded}", out, limit=2, policies=policies), engine=engine)
    assert [each["verdict"] for each in lines_of(out)] == ["CRASH", "CORRECT"]


def test_an_engine_leaves_no_process_and_no_scratch_folder(garden: Path, recorded: Path) -> None:
    before = descendants_of(os.getpid())
    config = config_of(garden, recorded)
    engine = Engine(comparators=2)
    with engine, killing((SESSION, COMPARATOR), random.Random(7), every_s=0.2):
        summary: RunSummary = run_benchmark(config, engine=engine)
    assert summary.total == len(SETS) * PROBLEMS
    assert eventually(lambda: not any(map(_runs, descendants_of(os.getpid()) - before)))
    assert not engine._scratch.exists()
    assert signal.getsignal(signal.SIGXFSZ) == signal.SIG_IGN  # or the kernel would end us on a full disk
