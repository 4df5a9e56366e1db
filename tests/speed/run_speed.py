"""Prints how time and memory of runs grow: `python tests/speed/run_speed.py [scale|resume]`.

scale: by number of problems, of agents judged in one pass (the reference runs once for all), and of workers.
resume: a run of up to 100,000 records is resumed for its last problem. The goals: memory flat, no rewriting.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from evaluator.agents import EmptyAgent
from evaluator.inside.isolation.processes import descendants_of
from evaluator.language import read_benchmark
from evaluator.reporting import text_table
from evaluator.running import RunConfig, run_benchmark, score_problemset
from evaluator.session import Engine

PROBLEMS_A_SET = 10
SETUP = "# %%\nimport pandas as pd\nrows = pd.DataFrame({'group': list('abcd') * 500, 'value': range(2000)})\n"
PROBLEM = '''
# %%
"""
query: Which group has the largest sum of values above {0}?
"""
rows[rows["value"] > {0}].groupby("group")["value"].sum().idxmax()
'''
RESUME = """
import resource, sys, time
from pathlib import Path
from evaluator.running import RunConfig, run_benchmark
begin = time.perf_counter()
summary = run_benchmark(RunConfig(Path(sys.argv[1]), "empty", Path(sys.argv[2]), epochs=int(sys.argv[3])))
print(time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, summary.resumed)
"""


def write_benchmark(root: Path, sets: int) -> Path:
    """Write a benchmark of so many problemsets."""
    root.mkdir()
    (root / "_manifest.yaml").write_text('name: speed\nversion: "1"\n')
    text = SETUP + "".join(PROBLEM.format(number) for number in range(PROBLEMS_A_SET))
    for number in range(sets):
        (root / f"set_{number:03}.py").write_text(text)
    return root


@dataclass
class Peak:
    """The most memory that this process and all it started held, each shared page counted once (MB)."""

    megabytes: float = 0.0
    stop: threading.Event = field(default_factory=threading.Event)

    def watch(self) -> None:
        """Look every 50 ms until stopped."""
        while not self.stop.wait(0.05):
            pids = [os.getpid(), *descendants_of(os.getpid())]
            self.megabytes = max(self.megabytes, sum(_proportional_mb(pid) for pid in pids))


def _proportional_mb(pid: int) -> float:
    with suppress(OSError), open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
        return sum(int(line.split()[1]) for line in file if line.startswith("Pss:")) / 1024
    return 0.0


@contextmanager
def measured() -> Iterator[dict[str, float]]:
    """Yield what gets `seconds` and `megabytes` of the block."""
    peak, found = Peak(), dict[str, float]()
    watcher = threading.Thread(target=peak.watch, daemon=True)
    watcher.start()
    begin = time.perf_counter()
    yield found
    found["seconds"] = time.perf_counter() - begin
    peak.stop.set()
    watcher.join()
    found["megabytes"] = peak.megabytes


def by_problems(folder: Path) -> None:
    """Judge the empty agent on more and more problems."""
    rows = []
    for sets in (3, 6, 12):
        root = write_benchmark(folder / f"problems_{sets}", sets)
        with Engine() as engine:
            engine.warm_up()
            with measured() as found:
                run_benchmark(RunConfig(root, "empty", folder / f"out_{sets}"), engine=engine)
        rows.append((sets * PROBLEMS_A_SET, found))
    show("problems", rows)


def by_agents(folder: Path) -> None:
    """Judge one agent, then several in one pass: the reference runs once for all of them."""
    sets = read_benchmark(write_benchmark(folder / "agents", 3)).sets
    rows = []
    with Engine() as engine:
        engine.warm_up()
        score_problemset(engine, sets[0], [EmptyAgent()])  # everything is warm from here on
        for agents in (1, 2, 4, 8):
            with measured() as found:
                for loaded in sets:
                    score_problemset(engine, loaded, [EmptyAgent() for _ in range(agents)])
            rows.append((agents, found))
    show("agents", rows)


def by_workers(folder: Path) -> None:
    """Judge the same problems on more and more workers."""
    root = write_benchmark(folder / "workers", 8)
    rows = []
    for workers in (1, 2, 4):
        with Engine(comparators=workers) as engine:
            engine.warm_up()
            with measured() as found:
                config = RunConfig(root, "empty", folder / f"workers_{workers}", workers=workers)
                run_benchmark(config, engine=engine)
        rows.append((workers, found))
    show("workers", rows)


def show(what: str, rows: Sequence[tuple[int, dict[str, float]]]) -> None:
    """Print a table of times and memory, and how each compares with its first row."""
    first_count, first = rows[0]
    cells = [
        [
            str(count),
            f"{found['seconds']:.2f}",
            f"{found['megabytes']:.0f}",
            f"{count / first_count:.1f}",
            f"{found['seconds'] / first['seconds']:.2f}",
            f"{found['megabytes'] / first['megabytes']:.2f}",
        ]
        for count, found in rows
    ]
    headers = [what, "seconds", "MB at most", f"ratio of {what}", "of time", "of memory"]
    print(text_table(headers, cells, numbers_from=0), end="\n\n", flush=True)


def resume(folder: Path) -> None:
    """Resume runs of which all but the last problem is judged; the same problems in more and more epochs."""
    root = write_benchmark(folder / "resume", 10)
    run_benchmark(RunConfig(root, "empty", folder / "one"))
    rows = []
    for epochs in (10, 100, 1000):
        out = folder / f"epochs_{epochs}"
        size = repeat_run(folder / "one", out, epochs)
        with (out / "records.jsonl").open("rb") as held:
            file = os.fstat(held.fileno()).st_ino
            begun = subprocess.run(
                [sys.executable, "-c", RESUME, str(root), str(out), str(epochs)],
                check=True,
                capture_output=True,
                text=True,
            )
        seconds, megabytes, resumed = map(float, begun.stdout.split())
        assert resumed == epochs * 100 - 1
        is_kept = (out / "records.jsonl").stat().st_ino == file
        rows.append(
            [
                f"{epochs * 100}",
                f"{size / 1e6:.0f}",
                f"{seconds:.2f}",
                f"{megabytes:.0f}",
                "no" if is_kept else "yes",
            ]
        )
    print(text_table(["records", "MB on disk", "seconds", "MB of the host", "rewritten"], rows, numbers_from=0))


def repeat_run(done: Path, out: Path, epochs: int) -> int:
    """Write the folder of a run with so many epochs, all judged but its last problem; return its size in bytes."""
    out.mkdir()
    lines = (done / "records.jsonl").read_bytes().splitlines(keepends=True)
    with (out / "records.jsonl").open("wb") as file:
        for epoch in range(1, epochs + 1):
            repeated = [line.replace(b'"epoch": 1,', b'"epoch": %d,' % epoch) for line in lines]
            file.writelines(without_last(repeated) if epoch == epochs else repeated)
        size = file.tell()
    manifest = json.loads((done / "manifest.json").read_text())
    (out / "manifest.json").write_text(json.dumps(manifest | {"epochs": epochs}))
    return size


def without_last(lines: Iterable[bytes]) -> list[bytes]:
    """Return all lines but the last."""
    return list(lines)[:-1]


def main(parts: Sequence[str]) -> None:
    """Measure the named parts, or all."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if not parts or "scale" in parts:
            for part in (by_problems, by_agents, by_workers):
                part(folder)
        if not parts or "resume" in parts:
            resume(folder)


if __name__ == "__main__":
    main(sys.argv[1:])
