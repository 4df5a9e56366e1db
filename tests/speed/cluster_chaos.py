"""Kills workers, nannies, scheduler and client of a run over a cluster at random instants; nothing may be lost.

`python tests/speed/cluster_chaos.py [--kills 50] [--seed 1]` prints how it went; exit 1 if something was lost, judged
twice or judged otherwise, or if a process was left behind. Half of the kills go to a scheduler with workers of its own,
the rest to a cluster that the command starts itself.
"""

import argparse
import contextlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SETS, PROBLEMS, WORKERS = 10, 3, 2
LEAST_S, MOST_S = 0.3, 4.0  # between two kills
PATIENCE_S = 180.0  # for one start of the command without kills

SET = "# %%\nimport time\nbase = 3\n" + "".join(
    f'''
# %%
"""
query: Store base plus {number} as `v{number}`.
validator:
  namespace_check:
    v{number}:
"""
v{number} = base + {number}
time.sleep(0.1)
'''
    for number in range(1, PROBLEMS + 1)
)
CODES = {1: ("v1 = base + 1", "CORRECT"), 2: ("v2 = 'two'", "WRONG_VARIABLES"), 3: ("v3 = base + 3", "CORRECT")}


@dataclass
class Report:
    """How it went."""

    kills: Counter[str] = field(default_factory=Counter)
    starts: int = 0  # of the command
    runs: int = 0  # that came to their end
    codes: Counter[int] = field(default_factory=Counter)  # exit codes of the command
    said: Counter[str] = field(default_factory=Counter)  # why it ended with 3
    faults: list[str] = field(default_factory=list)
    left: int = 0  # processes


def write_material(folder: Path) -> None:
    """Write a benchmark and recorded answers to it."""
    root = folder / "benchmark"
    root.mkdir()
    (root / "_manifest.yaml").write_text('name: chaos\nversion: "1"\n')
    lines = []
    for number in range(1, SETS + 1):
        (root / f"set_{number:02}.py").write_text(SET)
        lines += [{"problemset": f"set_{number:02}", "index": i, "code": code} for i, (code, _) in CODES.items()]
    (folder / "recorded.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def faults_of(out: Path, *, is_whole: bool) -> list[str]:
    """Return what is wrong with the records of a run: what is there twice, was judged otherwise, or is missing."""
    path = out / "records.jsonl"
    lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    found = [json.loads(line) for line in lines]
    keys = Counter((each["problemset"], each["index"]) for each in found)
    faults = [f"{key} is there {count} times" for key, count in keys.items() if count > 1]
    for each in found:
        wanted = (CODES[each["index"]][1], *(() if is_whole else ("NOT_JUDGED",)))
        if each["verdict"] not in wanted:
            faults.append(f"{each['problemset']}:{each['index']} is {each['verdict']}: {each['extended_verdict']}")
    if is_whole and len(found) != SETS * PROBLEMS:
        faults.append(f"{len(found)} records instead of {SETS * PROBLEMS}")
    return faults


def processes(needle: str) -> dict[int, str]:
    """Return the processes whose command line holds a text."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            with contextlib.suppress(OSError):
                words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
                environ = (entry / "environ").read_bytes().decode("utf-8", "replace")
                if (needle in words or needle in environ) and not words.startswith("(deleted)"):
                    found[int(entry.name)] = words
    return found


class Chaos:
    """A cluster and a command on it, killed and started again."""

    def __init__(self, folder: Path, rng: random.Random, report: Report, *, has_scheduler: bool) -> None:
        self.folder = folder
        self.rng = rng
        self.report = report
        self.has_scheduler = has_scheduler
        self.port = _free_port()
        self.out = folder
        self.parts: dict[str, subprocess.Popen[bytes]] = {}
        self.environ = {**os.environ, "TMPDIR": str(folder / "tmp"), "PYTHONPATH": str(ROOT)}
        (folder / "tmp").mkdir(exist_ok=True)

    def ensure(self) -> None:
        """Start whatever is not there."""
        if self.has_scheduler:
            address = f"tcp://127.0.0.1:{self.port}"
            place = ["--host", "127.0.0.1"]
            self._ensure("scheduler", "distributed.cli.dask_scheduler", *place, "--port", str(self.port), "--no-show")
            for number in range(1, WORKERS + 1):
                more = ["--nthreads", "1", "--memory-limit", "0", "--no-dashboard", "--death-timeout", "20"]
                place_of = ["--local-directory", str(self.folder / "tmp")]
                self._ensure(f"nanny {number}", "distributed.cli.dask_worker", address, *place, *more, *place_of)
        where = ["--scheduler", f"tcp://127.0.0.1:{self.port}"] if self.has_scheduler else ["--workers", str(WORKERS)]
        if not self._is_there("client"):
            self._note_end()
            agent = f"replay:{self.folder / 'recorded.jsonl'}"
            words = ["run", str(self.folder / "benchmark"), "--agent", agent, "--out", str(self.out), *where]
            self.report.starts += 1
            self._start("client", "authoring.cli.main", *words, "--executor", "dask")

    def _note_end(self) -> None:
        """Note how the command ended, and begin another run where one came to its end."""
        ended = self.parts.pop("client", None)
        if ended is None:
            self._next_run()
            return
        code = ended.returncode
        self.report.codes[code] += 1
        self.report.faults += faults_of(self.out, is_whole=code == 0)
        if code == 0:
            self._next_run()
        elif code == 3:
            said = self.said().rpartition("error: ")[2].splitlines()
            self.report.said[said[0][:110] if said else "nothing"] += 1
        elif code != -signal.SIGKILL:
            self.report.faults.append(f"the command ended with {code}: {self.said()}")

    def _next_run(self) -> None:
        if "client" in self.parts or self.out != self.folder:
            self.report.runs += 1
        self.out = self.folder / f"out_{self.report.runs}_{self.has_scheduler}"

    def said(self) -> str:
        """Return what the command said last."""
        with contextlib.suppress(OSError):
            return (self.folder / "client.log").read_text()[-600:]
        return ""

    def _ensure(self, name: str, module: str, *words: str) -> None:
        if not self._is_there(name):
            self._start(name, module, *words)

    def _is_there(self, name: str) -> bool:
        return name in self.parts and self.parts[name].poll() is None

    def _start(self, name: str, module: str, *words: str) -> None:
        call = f"from {module} import main; main()"
        with (self.folder / f"{name.split()[0]}.log").open("ab") as log:
            self.parts[name] = subprocess.Popen(
                [sys.executable, "-c", call, *words], stdout=log, stderr=log, env=self.environ, cwd=ROOT
            )

    def kill(self) -> None:
        """Kill one process of a random kind, without a word."""
        kind = self.rng.choice(("worker", "worker", "client", "nanny", "scheduler"))
        if not self.has_scheduler and kind in ("nanny", "scheduler"):
            kind = "worker"
        if kind == "worker":
            pids = [pid for pid, words in processes(self.environ["TMPDIR"]).items() if "spawn_main" in words]
        elif kind == "nanny":
            pids = [each.pid for name, each in self.parts.items() if name.startswith("nanny") and self._is_there(name)]
        else:
            pids = [self.parts[kind].pid] if self._is_there(kind) else []
        if pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.rng.choice(sorted(pids)), signal.SIGKILL)
                self.report.kills[kind] += 1

    def finish(self) -> None:
        """Let the run come to its end without further kills."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            self.ensure()
            with contextlib.suppress(subprocess.TimeoutExpired):
                code = self.parts["client"].wait(timeout=max(1.0, deadline - time.monotonic()))
                if code == 0:
                    self._note_end()
                    return
        self.report.faults.append(f"the run did not come to its end: {self.said()}")

    def close(self) -> None:
        """End everything, and count what stays."""
        for name in sorted(self.parts, key=lambda each: each == "scheduler"):
            with contextlib.suppress(ProcessLookupError):
                self.parts[name].kill()
            self.parts[name].wait()
        deadline = time.monotonic() + 20
        while (left := processes(self.environ["TMPDIR"])) and time.monotonic() < deadline:
            time.sleep(0.2)
        self.report.left += len(left)
        self.report.faults += [f"a process was left behind: {words[:200]}" for words in left.values()]
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def _free_port() -> int:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return int(server.getsockname()[1])


@contextlib.contextmanager
def _cluster(folder: Path, rng: random.Random, report: Report, **more: Any) -> Iterator[Chaos]:
    chaos = Chaos(folder, rng, report, **more)
    try:
        yield chaos
    finally:
        chaos.close()


def kill_at_random(kills: int, rng_seed: int, folder: Path) -> Report:
    """Kill so often, and return how it went."""
    rng, report = random.Random(rng_seed), Report()
    write_material(folder)
    for has_scheduler in (True, False):
        wanted = kills // 2 if has_scheduler else kills
        with _cluster(folder, rng, report, has_scheduler=has_scheduler) as chaos:
            while report.kills.total() < wanted:
                chaos.ensure()
                time.sleep(rng.uniform(LEAST_S, MOST_S))
                chaos.kill()
                report.faults += faults_of(chaos.out, is_whole=False)
            chaos.finish()
    return report


def main() -> None:
    """Print how it went."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        report = kill_at_random(given.kills, given.seed, Path(folder))
    kills = ", ".join(f"{count} of a {kind}" for kind, count in sorted(report.kills.items()))
    print(f"{report.kills.total()} kills ({kills}) in {time.monotonic() - begun:.0f} s")
    print(f"{report.starts} starts of the command, {report.runs} runs of {SETS * PROBLEMS} problems came to their end")
    print(f"exit codes: {dict(sorted(report.codes.items()))}; processes left behind: {report.left}")
    print("\n".join(f"{count} x {said}" for said, count in report.said.most_common()))
    print("\n".join(["nothing was lost, twice or other" if not report.faults else "FAULTS", *report.faults]))
    sys.exit(1 if report.faults else 0)


if __name__ == "__main__":
    main()
