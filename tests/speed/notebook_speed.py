"""Prints what a notebook in rounds takes beside its cells' own time: `python tests/speed/notebook_speed.py`.

Fifteen steps of about half a second each, in Python alone, and end to end by an agent that is right: its own
session and the reference's, both judged. The goal: within 1.5 times of the cells' own time.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from evaluator.agents import OracleAgent
from evaluator.families.live_run import rules_of_run
from evaluator.language import read_benchmark
from evaluator.running import ROUNDS, Mode, RunConfig, policies_of, run_benchmark
from evaluator.session import Engine

STEPS, GOAL = 15, 1.5
WORK = "total = 0\nfor number in range(7_000_000):\n    total += number * {step}\nprint(total)"
STEP = '''# %%
"""
query: What is the sum, {step} times?
family: {{cibench: {{step: {step}, step_type: num}}}}
validator: {{template: basic, numeric: }}
execution: {{max_time: 60}}
"""
{code}
'''


def measure_cells(codes: list[str]) -> float:
    """Return the time of all cells in one process of Python alone."""
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-c", "\n".join(codes)], check=True, capture_output=True)
    return time.perf_counter() - begun


def measure_run(folder: Path, engine: Engine, name: str) -> float:
    benchmark = read_benchmark(folder)
    config = RunConfig(
        folder,
        "oracle",
        folder / name,
        policies=policies_of(Mode.END_TO_END),
        max_attempts=ROUNDS,
        mode=Mode.END_TO_END,
    )
    family = rules_of_run(benchmark, mode=Mode.END_TO_END, rules=None)
    begun = time.perf_counter()
    summary = run_benchmark(config, engine=engine, agent=OracleAgent(), benchmark=benchmark, family=family)
    seconds = time.perf_counter() - begun
    assert summary.counts == {"CORRECT": STEPS}, summary.counts
    return seconds


def main() -> int:
    codes = [WORK.format(step=step) for step in range(1, STEPS + 1)]
    with tempfile.TemporaryDirectory() as name, Engine(trusted=True) as engine:
        folder = Path(name)
        (folder / "_manifest.yaml").write_text(
            "name: speed\nversion: '1'\nlanguage_version: 3\nfamily: cibench\nexpected: executed\n", encoding="utf-8"
        )
        steps = [STEP.format(step=step, code=code) for step, code in enumerate(codes, 1)]
        (folder / "steps.py").write_text("\n".join(steps), encoding="utf-8")
        engine.warm_up()
        cells = min(measure_cells(codes) for _ in range(2))
        runs = min(measure_run(folder, engine, f"run{number}") for number in range(2))
    print(f"cells alone {cells:.1f} s, end to end {runs:.1f} s: {runs / cells:.2f} times (goal {GOAL})")
    return 0 if runs <= GOAL * cells else 1


if __name__ == "__main__":
    raise SystemExit(main())
