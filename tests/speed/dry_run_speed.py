"""Prints how fast a dry run is: `python tests/speed/dry_run_speed.py [PROBLEMS]`.

The goal: a dry run of 15 problems under 3 s, as a command with everything cold.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from authoring.pipeline import dry_run, open_workspace
from authoring.store import create_problemset, find_seed
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
        made = create_problemset(ws, name="speed", text=text, author="me", origin="person", inputs=inputs)
        with Engine() as engine:
            for repeat in range(REPEATS):
                started = time.perf_counter()
                assert dry_run(ws, made.id, engine=engine).passed
                print(f"{'first' if repeat == 0 else 'warm'} engine: {time.perf_counter() - started:.2f} s")
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


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 15)
