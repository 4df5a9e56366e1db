"""Prints what runs take: `python tests/speed/run_speed.py [start|trials|replay|growth|resume ...]`, else all of it.

start: how long a person waits for help, a dry run, a run of one problem and the app's health check.
trials: a trial at 0, 20 and 200 MB of session data, beside a deep copy and a fresh kernel.
replay: 400 recorded submissions over 250 problemsets, with one worker and two, and over a cluster.
growth: time and memory by the number of problems, and by the agents judged in one pass.
resume: runs of up to 100,000 records are resumed for their last problem; memory stays flat, nothing is written anew.
"""

import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from evaluator.agents import EmptyAgent  # noqa: E402
from evaluator.inside.isolation.processes import descendants_of  # noqa: E402
from evaluator.language import read_benchmark  # noqa: E402
from evaluator.reporting import text_table  # noqa: E402
from evaluator.running import RunConfig, run_benchmark, score_problemset  # noqa: E402
from evaluator.session import CellLimits, Engine, Isolation  # noqa: E402
from tests.speed.workload import write_workload  # noqa: E402

COMMAND = str(Path(sys.executable).parent / "benchwright")
LIMITS = CellLimits(wall_s=60)
SETUP = "# %%\nimport pandas as pd\nrows = pd.DataFrame({'group': list('abcd') * 500, 'value': range(2000)})\n"
PROBLEM = '\n# %%\n"""\nquery: Which group has the largest sum of values above {0}?\n"""\n'
PROBLEM += 'rows[rows["value"] > {0}].groupby("group")["value"].sum().idxmax()\n'
RESUME = """
import resource, sys, time
from pathlib import Path
from evaluator.running import RunConfig, run_benchmark
begin = time.perf_counter()
summary = run_benchmark(RunConfig(Path(sys.argv[1]), "empty", Path(sys.argv[2]), epochs=int(sys.argv[3])))
print(time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, summary.resumed)
"""


def write_benchmark(root: Path, sets: int, problems: int = 10) -> Path:
    """Write a benchmark of so many problemsets."""
    root.mkdir()
    (root / "_manifest.yaml").write_text('name: speed\nversion: "1"\n')
    for number in range(sets):
        (root / f"set_{number:03}.py").write_text(SETUP + "".join(map(PROBLEM.format, range(problems))))
    return root


def median_s(action: Callable[[], object], rounds: int = 3) -> float:
    """Return the median wall time of an action."""
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        action()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def command(*arguments: str) -> Callable[[], object]:
    return lambda: subprocess.run([COMMAND, *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def start(folder: Path) -> None:
    ws, one = str(folder / "ws"), str(write_benchmark(folder / "one", 1, 1))
    command("sketch", "penguins", "--name", "p", "--workspace", ws)()
    command("draft", "p", "--workspace", ws)()
    outs = (str(folder / f"out{number}") for number in range(3))
    waits = {
        "benchwright --help": (command("--help"), 0.5),
        "dry run of a drafted problemset": (command("dry-run", "p", "--workspace", ws), 3),
        "run of one problem": (lambda: command("run", one, "--agent", "oracle", "--out", next(outs))(), 0.8),
        "the app answers its health check": (lambda: wait_for_health(ws), 10),
    }
    rows = [[what, f"{median_s(action):.2f}", str(goal_s)] for what, (action, goal_s) in waits.items()]
    print(text_table(["start", "seconds", "goal"], rows), end="\n\n", flush=True)


def wait_for_health(workspace: str) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    words = [COMMAND, "app", "--port", port, "--workspace", workspace]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as app:
        for _ in range(1200):
            with suppress(OSError):
                urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=1).close()
                break
            time.sleep(0.05)
        app.terminate()


def trials(_folder: Path) -> None:
    copying = "import copy\nmade = copy.deepcopy(data)\ndel made"
    rows = []
    with Engine() as engine:
        engine.warm_up()
        for size_mb in (0, 20, 200):
            data = (
                f"import numpy as np\nimport pandas as pd\ndata = pd.DataFrame({{'x': np.arange({size_mb} * 131072)}})"
            )
            with engine.open(key="speed", inputs=None) as session:
                session.execute(data, limits=LIMITS)
                trial = median_s(partial(session.attempt, "1", limits=LIMITS), 15)
                cell = median_s(partial(session.execute, "1", limits=LIMITS), 15)
                copy = median_s(partial(session.execute, copying, limits=LIMITS), 15) - cell
            with engine.open(key="speed", inputs=None, isolation=Isolation.REPLAY) as session:
                session.execute(data, limits=LIMITS)
                kernel = median_s(partial(session.attempt, "1", limits=LIMITS))
            rows.append([str(size_mb), *(f"{1000 * each:.1f}" for each in (trial, copy, kernel))])
    print(text_table(["MB", "trial ms (goal 40)", "deep copy ms", "kernel ms"], rows), end="\n\n", flush=True)


def replay(folder: Path) -> None:
    (folder / "replay").mkdir()
    bench, records = write_workload(folder / "replay")
    rows = []
    for workers in (1, 2):
        for executor in ("local", "dask"):
            out = str(folder / f"replayed_{workers}_{executor}")
            words = ["run", str(bench), "--agent", f"replay:{records}", "--out", out, "--workers", str(workers)]
            took = median_s(command(*words, "--executor", executor), 1)
            rows.append([str(workers), executor, f"{took:.1f}", f"{took / 400 * 1000:.1f}"])
    print(text_table(["workers", "executor", "seconds", "ms a submission"], rows), end="\n\n", flush=True)


@contextmanager
def measured() -> Iterator[list[float]]:
    """Yield what gets the seconds of the block, and the most memory (MB), each shared page counted once."""
    found, held, stop = [0.0, 0.0], [0.0], threading.Event()

    def watch() -> None:
        while not stop.wait(0.05):
            held.append(sum(map(proportional_mb, [os.getpid(), *descendants_of(os.getpid())])))

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    begin = time.perf_counter()
    yield found
    found[0] = time.perf_counter() - begin
    stop.set()
    watcher.join()
    found[1] = max(held)


def proportional_mb(pid: int) -> float:
    with suppress(OSError), open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
        return sum(int(line.split()[1]) for line in file if line.startswith("Pss:")) / 1024
    return 0.0


def growth(folder: Path) -> None:
    rows = []
    with Engine() as engine:
        engine.warm_up()
        for sets in (3, 6, 12):
            root = write_benchmark(folder / f"problems_{sets}", sets)
            with measured() as found:
                run_benchmark(RunConfig(root, "empty", folder / f"out_{sets}"), engine=engine)
            rows.append([f"{sets * 10} problems", *(f"{each:.1f}" for each in found)])
        for agents in (1, 2, 4, 8):
            with measured() as found:
                for loaded in read_benchmark(folder / "problems_3").sets:
                    score_problemset(engine, loaded, [EmptyAgent() for _ in range(agents)])
            rows.append([f"{agents} agents on 30 problems", *(f"{each:.1f}" for each in found)])
    print(text_table(["growth", "seconds", "MB at most"], rows), end="\n\n", flush=True)


def resume(folder: Path) -> None:
    root = write_benchmark(folder / "resume", 10)
    run_benchmark(RunConfig(root, "empty", folder / "done"))
    lines = (folder / "done" / "records.jsonl").read_bytes().splitlines(keepends=True)
    manifest = json.loads((folder / "done" / "manifest.json").read_text())
    rows = []
    for epochs in (10, 100, 1000):
        out = folder / f"epochs_{epochs}"
        out.mkdir()
        (out / "manifest.json").write_text(json.dumps(manifest | {"epochs": epochs}))
        with (out / "records.jsonl").open("wb") as file:
            for epoch in range(1, epochs + 1):
                repeated = [line.replace(b'"epoch": 1,', b'"epoch": %d,' % epoch) for line in lines]
                file.writelines(repeated[:-1] if epoch == epochs else repeated)
        before = (out / "records.jsonl").stat().st_ino
        words = [sys.executable, "-c", RESUME, str(root), str(out), str(epochs)]
        seconds, megabytes, resumed = map(float, subprocess.check_output(words, text=True).split())
        assert resumed == epochs * 100 - 1
        anew = "no" if (out / "records.jsonl").stat().st_ino == before else "yes"
        rows.append([f"{epochs * 100}", f"{seconds:.2f}", f"{megabytes:.0f}", anew])
    print(text_table(["records", "seconds to resume", "MB of the host", "written anew"], rows))


PARTS = {part.__name__: part for part in (start, trials, replay, growth, resume)}

if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="benchwright-speed-") as name:
        for part in sys.argv[1:] or PARTS:
            PARTS[part](Path(name))
