"""Whatever is killed at whatever instant: nothing judged is lost, nothing is judged twice, nothing stays behind."""

import contextlib
import json
import os
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluator.inside.isolation.processes import descendants_of
from evaluator.running import EventKind, Policies, RunConfig, RunEvent, StatePolicy, run_benchmark
from evaluator.session import Engine, SandboxChoice
from tests.running.conftest import WriteBenchmark, WriteRecords
from tests.waiting import eventually

pytestmark = pytest.mark.kernel

OTHER_ROLES = ("template", "comparator", "sandbox")
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
'''
    for number in range(1, PROBLEMS + 1)
)
ANSWERS = {  # by problem and attempt
    (1, 1): ("v1 = base + 1", "CORRECT"),
    (2, 1): ("v2 = 'two'", "WRONG_VARIABLES"),
    (2, 2): ("v2 = base + 2", "CORRECT"),
    (3, 1): ("big = bytearray(1 << 30)", "CRASH"),
    (3, 2): ("v3 = base + three", "CRASH"),
    (4, 1): ("v4 = 7", "CORRECT"),
}


@pytest.fixture
def config(write_benchmark: WriteBenchmark, write_records: WriteRecords) -> RunConfig:
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


def role_of(pid: int) -> str:
    """Return what a worker process is, by its pid namespaces; empty for any other."""
    try:
        with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as file:
            words = file.read().split("\0")
        with open(f"/proc/{pid}/status", encoding="utf-8") as file:
            facts = dict(line.split(":", 1) for line in file if ":" in line)
        with open(f"/proc/{int(facts['PPid'])}/status", encoding="utf-8") as file:
            of_parent = next((len(line.split()) - 1 for line in file if line.startswith("NSpid:")), 0)
    except (OSError, KeyError):
        return ""
    if "evaluator.inside.isolation.sandbox_entry" in words:
        return "comparator"
    if "evaluator.inside.runtime.worker" not in words or (levels := len(facts["NSpid"].split())) > 3:
        return ""
    return "sandbox" if levels < 3 else "session" if of_parent == 3 else "template"


def kill_one(role: str) -> bool:
    """Kill a process of that role below this one; false when there was none for so long."""

    def kill() -> bool:
        found = [pid for pid in sorted(descendants_of(os.getpid())) if role_of(pid) == role]
        for pid in found[:1]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return bool(found)

    return eventually(kill, within_s=3)


@pytest.mark.parametrize("role", ["session", *(pytest.param(r, marks=pytest.mark.deep) for r in OTHER_ROLES)])
def test_a_process_that_is_killed_in_between_changes_no_verdict(config: RunConfig, engine: Engine, role: str) -> None:
    """Of an engine of its own where more than a session is killed: no other test shall miss what is gone."""
    killed: list[bool] = []

    def kill(event: RunEvent) -> None:
        if event.kind is EventKind.JUDGED and event.done == 1:
            killed.append(kill_one(role))

    with Engine(comparators=2) if role in OTHER_ROLES else contextlib.nullcontext(engine) as used:
        if used.sandbox_name != "bwrap":
            pytest.skip("processes are told apart by their namespaces")
        for state in (StatePolicy.OWN, StatePolicy.REFERENCE) if role in OTHER_ROLES else (StatePolicy.REFERENCE,):
            one = replace(config, workers=1, sets=SETS[:1], policies=Policies(state=state), out=config.out / state)
            summary = run_benchmark(one, engine=used, on_event=kill)
            assert (killed.pop(), summary.refused, summary.not_judged) == (True, (), 0)
            assert_whole(one.out, SETS[:1])


def test_a_submission_that_kills_its_session_is_wrong_not_unjudged(
    write_benchmark: WriteBenchmark, write_records: WriteRecords
) -> None:
    """Without a sandbox a submission reaches the session that it is forked from."""
    benchmark = write_benchmark({"apples": SET})
    code = "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(0.5)"
    lines = [{"problemset": "apples", "index": 1, "code": code}, {"problemset": "apples", "index": 2, "code": "v2 = 5"}]
    recorded = write_records(benchmark.parent / "recorded.jsonl", lines)
    with Engine(sandbox=SandboxChoice.NONE) as engine:
        out = benchmark.parent / "out"
        run_benchmark(RunConfig(benchmark, f"replay:{recorded}", out, limit=2), engine=engine)
        assert [each["verdict"] for each in lines_of(out)] == ["CRASH", "CORRECT"]
