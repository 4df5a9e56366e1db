"""Prints what waiting for a slow model costs, and what further agents do: `python tests/speed/concurrency_speed.py`.

The goals, on a quiet machine: 400 problems that a model answers in 1 s each, 32 at a time, in 1.3 times of 400/32 s and
the bare judging together; of k agents on one benchmark each costs its own cells, the references once; memory that does
not grow with the number of problems.
"""

import os
import resource
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from evaluator.agents import OracleAgent, model_agent  # noqa: E402
from evaluator.language import Benchmark, LoadedSet, Problem, read_benchmark  # noqa: E402
from evaluator.running import RunConfig, run_benchmark  # noqa: E402
from evaluator.running.side_by_side import SideRun, run_side_by_side  # noqa: E402
from evaluator.session import CellLimits, Ending, Engine  # noqa: E402
from tests.scripted_model import KEY, Say, scripted_model  # noqa: E402

SETS, PROBLEMS, LATENCY_S, CONCURRENCY, WORKERS = 40, 10, 1.0, 32, 2


def write(folder: Path, sets: int) -> Path:
    """Write a benchmark of sets in which each problem makes a table of its own and works on it."""
    folder.mkdir()
    problems = "".join(
        f'# %%\n"""\nquery: Sum column b of `df` where a is {number}.\n"""\n'
        f'total{number} = df.loc[df["a"] == {number}, "b"].sum()\ntotal{number}\n\n'
        for number in range(PROBLEMS)
    )
    setup = (
        "# %%\nimport numpy as np\nimport pandas as pd\n\nrng = np.random.default_rng(0)\n"
        'df = pd.DataFrame({"a": rng.integers(0, 10, 50_000), "b": rng.normal(size=50_000)})\n\n'
    )
    for place in range(sets):
        (folder / f"set{place:03}.py").write_text(setup + problems)
    (folder / "_manifest.yaml").write_text("name: speed\nversion: '1'\n")
    return folder


class Slow:
    """What the scripted model says, a second after it was asked; counts how many wait at once."""

    def __init__(self, latency_s: float) -> None:
        self.latency_s, self.waiting, self.most = latency_s, 0, 0
        self._lock = threading.Lock()

    def __call__(self, request: dict[str, Any]) -> Say:
        with self._lock:
            self.waiting += 1
            self.most = max(self.most, self.waiting)
        threading.Timer(self.latency_s, self._answered).start()
        asked = str(request["messages"][-1]["content"])
        number = asked.partition("where a is ")[2].partition(".")[0]
        return Say(f'```python\ndf.loc[df["a"] == {number}, "b"].sum()\n```', delay_s=self.latency_s)

    def _answered(self) -> None:
        with self._lock:
            self.waiting -= 1


def timed(bench: Path, out: Path, agent: Any, concurrency: int) -> float:
    config = RunConfig(bench, "speed", out, workers=WORKERS, concurrency=concurrency)
    start = time.perf_counter()
    summary = run_benchmark(config, agent=agent, trusted=True)
    assert summary.pass_rate == 1.0, summary
    return time.perf_counter() - start


def measure_waiting(folder: Path, sets: int) -> None:
    bench, problems = write(folder / f"bench{sets}", sets), sets * PROBLEMS
    bare = timed(bench, folder / f"oracle{sets}", OracleAgent(), 1)
    script = Slow(LATENCY_S)
    with scripted_model(script) as server:
        os.environ |= {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": KEY}
        took = timed(bench, folder / f"model{sets}", model_agent("chat:m?shots=none"), CONCURRENCY)
    least = problems / CONCURRENCY * LATENCY_S
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{problems:>4} problems, {CONCURRENCY} at a time: {took:6.1f} s; waiting {least:.1f} s + judging {bare:.1f} s:"
        f" {took / (least + bare):.2f} of both (goal 1.3); {script.most} waited at once; peak {peak:.0f} MiB"
    )


def measure_agents(folder: Path) -> None:
    bench = write(folder / "many", 8)
    content = read_benchmark(bench)
    times = {}
    for count in (1, 2, 4, 8):
        sides = [
            SideRun(RunConfig(bench, "speed", folder / f"k{count}-{n}", workers=WORKERS), OracleAgent())
            for n in range(count)
        ]
        start = time.perf_counter()
        run_side_by_side(sides, content, trusted=True)
        times[count] = time.perf_counter() - start
    own = own_trials(content)
    for count, seconds in times.items():
        each = f"; each further one {(seconds - times[1]) / (count - 1):.2f} s" if count > 1 else ""
        print(f"{count} agents on 80 problems: {seconds:5.1f} s, {seconds / count / times[1]:.2f} of a run apart{each}")
    print(f"the trials of one of them alone, neither compared nor recorded: {own:.2f} s")


def own_trials(content: Benchmark) -> float:
    """Return what the trials of one agent take (s) with so many workers, without references, setup and comparing."""

    def of_set(loaded: LoadedSet) -> float:
        assert loaded.problemset is not None
        took = 0.0
        with engine.open(key=loaded.name, inputs=None) as session:
            for cell in loaded.problemset.cells:
                if isinstance(cell, Problem):
                    start = time.perf_counter()
                    outcome = session.attempt(cell.code, limits=CellLimits(wall_s=60))
                    took += time.perf_counter() - start
                    assert outcome.ending is Ending.OK
                session.execute(cell.code if isinstance(cell, Problem) else cell.source)
        return took

    with Engine(trusted=True) as engine, ThreadPoolExecutor(WORKERS) as pool:
        engine.warm_up()
        return sum(pool.map(of_set, content.sets)) / WORKERS


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for sets in (SETS // 4, SETS):
            measure_waiting(Path(folder), sets)
        measure_agents(Path(folder))


if __name__ == "__main__":
    main()
