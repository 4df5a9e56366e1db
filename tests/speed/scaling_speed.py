"""Prints what a second worker brings: with a core for each, and in processor time for each submission."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT))

from tests.speed.workload import write_workload  # noqa: E402

COMMAND = str(Path(sys.executable).parent / "benchwright")
ROUNDS = 3
GOAL_TIME = 1.8
GOAL_PROCESSOR = 1.1


class Took(NamedTuple):
    """What a whole command took."""

    seconds: float
    processor_s: float  # of the whole machine, so that nothing else may run


def processor_seconds() -> float:
    """Return how long all processors have worked since the machine started."""
    fields = [int(field) for field in Path("/proc/stat").read_text(encoding="ascii").split("\n")[0].split()[1:]]
    user, nice, system, _idle, _iowait, irq, softirq = fields[:7]
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")


def run(bench: Path, records: Path, out: Path, workers: int, cores: set[int]) -> Took:
    """Replay the workload with so many workers on these cores."""
    command = [COMMAND, "run", str(bench), "--agent", f"replay:{records}", "--out", str(out)]
    mine = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)  # what is started from here inherits it
    try:
        worked, begin = processor_seconds(), time.perf_counter()
        subprocess.run([*command, "--workers", str(workers)], check=True, stdout=subprocess.DEVNULL)
        return Took(time.perf_counter() - begin, processor_seconds() - worked)
    finally:
        os.sched_setaffinity(0, mine)


def main() -> None:
    """Measure and print."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        print("one core: nothing to measure")
        return
    held: dict[int, list[float]] = {1: [], 2: []}
    free: dict[int, list[float]] = {1: [], 2: []}
    with tempfile.TemporaryDirectory(prefix="benchwright-speed-") as folder:
        bench, records = write_workload(Path(folder))
        for number in range(ROUNDS):
            for workers in (1, 2):
                out = Path(folder) / f"out-{number}-{workers}"
                held[workers].append(run(bench, records, out, workers, set(cores[:workers])).seconds)
                out = Path(folder) / f"free-{number}-{workers}"
                free[workers].append(run(bench, records, out, workers, set(cores[:2])).processor_s)
    one, two = (statistics.median(held[workers]) for workers in (1, 2))
    print(f"one core and worker {one:.2f} s, two {two:.2f} s: {one / two:.2f} times as fast (goal {GOAL_TIME})")
    one, two = (statistics.median(free[workers]) / 400 * 1e3 for workers in (1, 2))
    print(
        f"processor a submission: {one:.1f} ms, two workers {two:.1f} ms: ratio {two / one:.2f} (goal {GOAL_PROCESSOR})"
    )


if __name__ == "__main__":
    main()
