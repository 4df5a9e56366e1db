"""Prints how fast a dry run is: `python tests/speed/dry_run_speed.py [PROBLEMS]`.

The goal: a dry run of 15 problems under 3 s, as a command with everything cold.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from authoring.checks.dry_run.dry_running import dry_run
from authoring.jobs import JOB_KINDS, JobContext, WarmEngine
from authoring.seeds.workspace_setup import open_workspace
from authoring.store import jobs, problemsets
from authoring.store.drafting.seeds import find_seed
from authoring.store.jobs import enqueue
from authoring.store.statuses import Origin
from authoring.store.workspace import Workspace
from evaluator.session import Engine

REPEATS = 5
CELL = '''
# %%
"""
query: The mean body mass of penguins whose bill is longer than {0} mm, by species.
"""
penguins[penguins["bill_length_mm"] > {0}].groupby("species")["body_mass_g"].mean()
'''
SETUP = '# %%\nimport pandas as pd\n\npenguins = pd.read_csv("inputs/penguins.csv")\n'


def main(problems: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        ws = open_workspace(Path(folder) / "w")
        inputs = {file.name: file.digest for file in find_seed(ws, "penguins").files}
        text = SETUP + "".join(CELL.format(35 + number) for number in range(problems))
        made = problemsets.create(ws, name="speed", text=text, author="me", origin=Origin.PERSON, inputs=inputs)
        with Engine() as engine:
            for repeat in range(REPEATS):
                started = time.perf_counter()
                assert dry_run(ws, made.id, engine=engine).passed
                print(f"{'first' if repeat == 0 else 'warm'} engine: {time.perf_counter() - started:.2f} s")
        _run_again(ws, made.problemset_id, text, problems)
        for _ in range(REPEATS):
            command = [
                str(Path(sys.executable).with_name("benchwright")),
                "dry-run",
                "speed",
                "--workspace",
                str(ws.root),
            ]
            started = time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            print(f"command, all cold: {time.perf_counter() - started:.2f} s")


def _run_again(ws: Workspace, problemset_id: int, text: str, problems: int) -> None:
    """Print how long *Run this* takes at the last problem: the first time, and while its sessions wait."""
    warm = WarmEngine()
    payload = {"problemset_id": problemset_id, "text": text, "upto": problems}
    for repeat in range(REPEATS):
        enqueue(ws, kind="execute", payload=payload)
        job = jobs.claim(ws, kinds=["execute"])
        assert job is not None
        context = JobContext(ws, job, warm, lambda *_: None, lambda: False)
        started = time.perf_counter()
        JOB_KINDS["execute"].run(context, job.payload)
        done = time.perf_counter()
        warm.rest()
        rested = time.perf_counter()
        what = "first" if repeat == 0 else "again"
        print(f"run this, {what}: {done - started:.2f} s, then {rested - done:.2f} s while nobody waits")
    warm.drop()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 15)
