"""Checks the table of equality under several versions of pandas: `python -m tests.environments.compare_pandas`.

Each version has an environment of its own below the cache folder, built once. In each the same random cases are judged,
and the rows of the table walked; exit code 1 where an answer is not the table's, or not the same under all of them.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.kept_environments import kept_environment

ROOT: Final = Path(__file__).parents[2]
VERSIONS: Final = {
    "pandas20": ("pandas==2.0.*", "numpy<2", "pyarrow<15", "scipy"),
    "pandas22": ("pandas==2.2.*", "numpy<2.3", "pyarrow", "scipy"),
    "pandas3": ("pandas>=3,<4", "numpy", "pyarrow", "scipy"),
}


def main(arguments: Sequence[str]) -> int:
    """Print what each version answers; exit code 1 on any disagreement."""
    parser = argparse.ArgumentParser(prog="tests.environments.compare_pandas", description=__doc__)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--cases", default="4100")
    chosen = parser.parse_args(arguments)
    answers: dict[str, dict[str, str]] = {}
    is_wrong = False
    with tempfile.TemporaryDirectory() as scratch:
        for name, requirements in VERSIONS.items():
            report = Path(scratch) / f"{name}.json"
            with kept_environment(name, requirements) as environment:
                command = [environment.interpreter.executable, "-m", "tests.inside.compare_equality"]
                command += ["--seed", chosen.seed, "--cases", chosen.cases, "--json", str(report)]
                surroundings = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}
                is_wrong |= subprocess.run(command, cwd=ROOT, env=surroundings, check=False).returncode != 0
            for asked, answer in json.loads(report.read_text(encoding="utf-8")):
                answers.setdefault(asked, {})[name] = answer
    unlike = [f"{asked}\n    {said}" for asked, said in answers.items() if len(set(said.values())) > 1]
    print(f"{len(unlike)} of {len(answers)} answers differ between versions", *sorted(unlike, key=len)[:20], sep="\n")
    return 1 if unlike or is_wrong else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
