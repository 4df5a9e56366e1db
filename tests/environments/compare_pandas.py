"""Checks the table of equality under several versions of pandas: `python -m tests.environments.compare_pandas`.

Each version has an environment of its own below the cache folder, built once; to build them anew, remove the folder
that is printed. In each the same random cases are judged, and the rows of the table walked; exit code 1 where an answer
is not the table's, or differs from one version to another.
"""

import argparse
import fcntl
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from evaluator.environments import VARIABLE, create_environment, environment_named
from evaluator.environments.installers import NEEDED
from evaluator.environments.pythons import find_python
from evaluator.errors import ToolkitError, UsageError
from evaluator.reporting import text_table
from evaluator.session import Environment

ROOT: Final = Path(__file__).parents[2]
PYTHON: Final = "3.11"
VERSIONS: Final = {
    "pandas20": ("pandas==2.0.*", "numpy<2", "pyarrow<15", "scipy"),
    "pandas22": ("pandas==2.2.*", "numpy<2.3", "pyarrow", "scipy"),
    "pandas3": ("pandas>=3,<4", "numpy", "pyarrow", "scipy"),
}
_LIMIT_S: Final = 3600.0
_SHOWN: Final = 20
_SHOWN_PACKAGES: Final = ("pandas", "numpy", "pyarrow", "scipy")


@dataclass(frozen=True)
class Seen:
    """What came of the cases under one version."""

    packages: Mapping[str, str]
    said: Mapping[str, str]  # case -> answers; "": it could not be tried
    cases: Mapping[str, Sequence[str]]  # case -> line, expected, found
    faults: Sequence[Mapping[str, Any]]
    rows: int
    words: str  # what disagrees, for people


def folder() -> Path:
    """Return where the environments of these requirements lie."""
    key = hashlib.sha256(repr((VERSIONS, NEEDED, PYTHON)).encode()).hexdigest()[:16]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser())
    return cache / "benchwright-tests" / f"compare-pandas-{key}"


def environments(on_event: Callable[[str], None]) -> dict[str, Environment]:
    """Return the environments by name; those that are not there yet are built."""
    place = folder()
    place.mkdir(parents=True, exist_ok=True)
    os.environ[VARIABLE] = str(place)
    with (place / ".building").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two at a time build them once
        for name, requirements in VERSIONS.items():
            if (place / name / "environment.json").is_file():
                continue
            wanted = place / f"{name}.txt"
            wanted.write_text("".join(f"{line}\n" for line in requirements), encoding="utf-8")
            create_environment(name, [wanted], python=_python(), on_event=on_event)
    return {name: environment_named(name) for name in VERSIONS}


def _python() -> str | None:
    try:
        return find_python(PYTHON).executable
    except UsageError:
        return None  # ours


def compared(environment: Environment, seed: int, cases: int) -> Seen:
    """Return what came of the cases in one environment.

    Raises:
        ToolkitError: If they could not be tried.
    """
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.json"
        command = [environment.interpreter.executable, "-m", "tests.inside.compare_equality", "--json", str(report)]
        command += ["--seed", str(seed), "--cases", str(cases)]
        surroundings = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}
        done = subprocess.run(
            command, cwd=ROOT, env=surroundings, capture_output=True, text=True, timeout=_LIMIT_S, check=False
        )
        if not report.is_file():
            what = f"the cases cannot be tried: {done.stderr.strip()[-2000:]}"
            raise ToolkitError(what, where=environment.label, fix="report it, with this message")
        content = json.loads(report.read_text(encoding="utf-8"))
    packages = {name: environment.packages.get(name, "") for name in _SHOWN_PACKAGES}
    return Seen(packages, content["said"], content["cases"], content["faults"], content["rows"], done.stdout)


def summary(seen: Mapping[str, Seen]) -> str:
    """Return one line per version."""
    rows = []
    for each in seen.values():
        tried = sum(bool(said) for said in each.said.values())
        failed = len({fault["number"] for fault in each.faults if not fault["line"].startswith("table:")})
        counts = (tried, len(each.said) - tried, each.rows, tried - failed, len(each.faults))
        rows.append((*each.packages.values(), *map(str, counts)))
    headers = (*_SHOWN_PACKAGES, "cases", "skipped", "rows", "cases agree", "disagreements")
    return text_table(headers, rows, numbers_from=4)


def differences(seen: Mapping[str, Seen]) -> list[str]:
    """Return the cases whose answers are not the same under all versions that could try them."""
    found = []
    one = next(iter(seen.values()))
    for number in one.said:
        answers = {each.packages["pandas"]: each.said[number] for each in seen.values() if each.said[number]}
        if len({*answers.values()}) > 1:
            line, expected, got = one.cases[number]
            told = "; ".join(f"{version}: {answer}" for version, answer in answers.items())
            found.append(f"case {number}, {line}: {told}\n    compare({expected}, {got})")
    return found


def main(arguments: Sequence[str]) -> int:
    """Print what each version answers; exit code 1 on any disagreement."""
    parser = argparse.ArgumentParser(prog="tests.environments.compare_pandas", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=4_100)
    chosen = parser.parse_args(arguments)
    found = environments(lambda text: print(text, file=sys.stderr))
    seen = {name: compared(environment, chosen.seed, chosen.cases) for name, environment in found.items()}
    assert len({json.dumps(each.cases) for each in seen.values()}) == 1, "one seed means the same cases everywhere"
    print(f"seed {chosen.seed}, environments in {folder()}")
    print(summary(seen))
    unlike = differences(seen)
    for each in seen.values():
        if each.faults:
            print(f"\nunder pandas {each.packages['pandas']}:\n{each.words.rstrip()}")
    print(f"{len(unlike)} cases are answered differently by different versions")
    print(*sorted(unlike, key=len)[:_SHOWN], sep="\n")
    return 1 if unlike or any(each.faults for each in seen.values()) else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
