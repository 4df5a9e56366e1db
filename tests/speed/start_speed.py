"""Prints how long a person waits: for help, for the health check of the app, a dry run, runs of 1 and 14 problems."""

import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
COMMAND = str(Path(sys.executable).parent / "benchwright")
CORE = ROOT / "problemsets" / "core"
ROUNDS = 5
PATIENCE_S = 60.0
ONE_PROBLEM = """# %%
import pandas as pd

shops = pd.DataFrame({"shop": ["a", "b", "a"], "amount": [1, 2, 3]})

# %%
\"\"\"
query: What is the amount of each shop?
\"\"\"
shops.groupby("shop")["amount"].sum()
"""


def seconds_of(*arguments: str) -> float:
    """Run one command quietly and return its wall time."""
    begin = time.perf_counter()
    subprocess.run([COMMAND, *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - begin


def seconds_of_runs(home: Path, *arguments: str) -> list[float]:
    """Run the oracle a few times, each time into a folder of its own."""
    seconds = []
    for _ in range(3):
        out = home / "out"
        seconds.append(seconds_of("run", *arguments, "--agent", "oracle", "--out", str(out)))
        shutil.rmtree(out)
    return seconds


def seconds_to_health(workspace: Path) -> float:
    """Start the app on a free port, wait for its health check, end it, and return the wait."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    begin = time.perf_counter()
    app = subprocess.Popen(
        [COMMAND, "app", "--port", str(port), "--workspace", str(workspace)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while time.perf_counter() - begin < PATIENCE_S:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=1)
                return time.perf_counter() - begin
            except (urllib.error.URLError, OSError):
                time.sleep(0.05)
    finally:
        app.terminate()
        app.wait(timeout=20)
    return float("inf")


def report(what: str, seconds: list[float], goal_s: float) -> None:
    """Print the median beside the goal."""
    print(
        f"{what:46s} median {statistics.median(seconds):6.2f} s   goal {goal_s:5.1f} s   ratio "
        f"{statistics.median(seconds) / goal_s:4.2f}"
    )


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory(prefix="benchwright-speed-") as folder:
        home, ws = Path(folder), str(Path(folder) / "ws")
        report("benchwright --help", [seconds_of("--help") for _ in range(ROUNDS)], 0.5)
        seconds_of("sketch", "penguins", "--name", "p", "--workspace", ws)
        seconds_of("draft", "p", "--workspace", ws)
        report("dry run of a drafted problemset", [seconds_of("dry-run", "p", "--workspace", ws) for _ in range(3)], 3)
        (home / "one.py").write_text(ONE_PROBLEM, encoding="utf-8")
        report("run of 1 problem", seconds_of_runs(home, str(home / "one.py")), 0.8)
        runs = seconds_of_runs(home, str(CORE), "--sets", "time_series")
        everything = home / "everything"
        seconds_of("run", str(CORE), "--agent", "oracle", "--out", str(everything))
        records = [json.loads(line) for line in (everything / "records.jsonl").read_text(encoding="utf-8").splitlines()]
        report("slowest reference of the core benchmark", [max(record["seconds"] for record in records)], 1)
        report("run of 14 problems", runs, 3)
        report("app answers its health check", [seconds_to_health(Path(ws)) for _ in range(3)], 10)
    print(f"load average while measuring: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
