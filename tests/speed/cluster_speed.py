"""Prints what a run over a cluster costs beside the local pool: `python tests/speed/cluster_speed.py [SETS]`.

The same benchmark is run by 1, 2 and 4 threads of one process and by as many processes of a cluster on this machine.
The records must be the same. The start of a cluster and of its engines is told apart from what each problemset costs
more. With more workers than processors both only share them out.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

from evaluator.reporting import text_table
from evaluator.running import EventKind, Executor, RunConfig, RunEvent, run_benchmark

WORKERS = (1, 2, 4)
SET = "# %%\nimport pandas as pd\nrows = pd.DataFrame({'group': list('abcd') * 500, 'value': range(2000)})\n" + "".join(
    f'''
# %%
"""
query: Which group has the largest sum of values above {number}?
"""
rows[rows["value"] > {number}].groupby("group")["value"].sum().idxmax()
'''
    for number in range(10)
)


def write_benchmark(root: Path, sets: int) -> Path:
    """Write a benchmark of so many problemsets."""
    root.mkdir()
    (root / "_manifest.yaml").write_text('name: speed\nversion: "1"\n')
    for number in range(sets):
        (root / f"set_{number:03}.py").write_text(SET)
    return root


def measure(config: RunConfig) -> tuple[float, float]:
    """Return the seconds until work could begin, and those that all problemsets then took."""
    begun, started = time.perf_counter(), [0.0]

    def note(event: RunEvent) -> None:
        if event.kind is EventKind.STARTED:
            started[0] = time.perf_counter()

    summary = run_benchmark(config, on_event=note)
    assert summary.judged == summary.total
    return started[0] - begun, time.perf_counter() - started[0]


def timeless(out: Path) -> list[str]:
    """Return the records of a run without their times, in the order of problemsets."""
    lines = [json.loads(line) for line in (out / "records.jsonl").read_bytes().splitlines()]
    return sorted(json.dumps({**each, "seconds": None}) for each in lines)


def main() -> None:
    """Print the table."""
    sets = int(sys.argv[1]) if len(sys.argv) > 1 else 24
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        root = write_benchmark(folder / "benchmark", sets)
        for workers in WORKERS:
            found = {}
            for executor in Executor:
                out = folder / f"{executor}_{workers}"
                found[executor] = measure(RunConfig(root, "oracle", out, workers=workers, executor=executor))
            local, dask = found[Executor.LOCAL], found[Executor.DASK]
            assert timeless(folder / f"local_{workers}") == timeless(folder / f"dask_{workers}")
            assert timeless(folder / f"dask_{workers}") == timeless(folder / "local_1")
            more = 100 * (dask[1] / local[1] - 1)
            rows.append([str(workers), *(f"{each:.2f}" for each in (*local, *dask)), f"{more:+.0f}"])
    head = ["workers", "local start s", "local work s", "cluster start s", "cluster work s", "more work %"]
    print(f"{sets} problemsets, the same records everywhere")
    print(text_table(head, rows))


if __name__ == "__main__":
    main()
