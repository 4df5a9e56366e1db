"""How long one command takes from the shipped seeds to a release, and whether two fresh workspaces give the same bytes.

Run by hand: python tests/speed/bootstrap_speed.py [--seeds penguins,state-crime] [--sketches 2] [--rng-seed 1]
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

from authoring.rounds.auto import AutoOrder, bootstrap_auto
from authoring.rounds.plan_summary import AutoSummary
from authoring.seeds.workspace_setup import open_workspace
from evaluator.running import RunConfig, run_benchmark

TARGET_S = 180.0  # all shipped seeds on two quiet cores
LEAST_PROBLEMS = 150  # of all shipped seeds


def made_in(folder: Path, options: argparse.Namespace) -> tuple[AutoSummary, float]:
    seeds = tuple(filter(None, options.seeds.split(",")))
    order = AutoOrder(
        name="speed", out=folder / "out", seeds=seeds, sketches=options.sketches, rng_seed=options.rng_seed
    )
    started = time.perf_counter()
    summary = bootstrap_auto(open_workspace(folder / "ws"), order)
    return summary, time.perf_counter() - started


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def correct(folder: Path, agent: str) -> str:
    summary = run_benchmark(RunConfig(benchmark=folder / "out", agent=agent, out=folder / agent, workers=2))
    verdicts = summary.to_json().get("verdicts", {})
    return f"{agent}: {verdicts}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="")
    parser.add_argument("--sketches", type=int, default=2)
    parser.add_argument("--rng-seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        summary, seconds = made_in(Path(first), options)
        problems = sum(seed.accepted for seed in summary.seeds)
        print(summary.to_text())
        print(f"{problems} problems in {seconds:.1f} s (target: {LEAST_PROBLEMS} in {TARGET_S:g} s on quiet cores)")
        for agent in ("oracle", "empty"):
            print(correct(Path(first), agent), flush=True)
        _, again = made_in(Path(second), options)
        same = files_of(Path(first) / "out") == files_of(Path(second) / "out")
        print(f"again in a fresh workspace: {again:.1f} s, {'the same bytes' if same else 'OTHER BYTES'}")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
