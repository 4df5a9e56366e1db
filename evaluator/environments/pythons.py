"""Finds the Python that an environment is built on."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evaluator.errors import UsageError

OLDEST: Final = (3, 10)
_ASK_S: Final = 20.0
_QUESTION: Final = (
    "import json, os, platform, sys; "
    "print(json.dumps([platform.python_version(), sys.implementation.name, "
    "os.path.realpath(getattr(sys, '_base_executable', None) or sys.executable)]))"
)


@dataclass(frozen=True)
class BasePython:
    """A Python that is no virtual environment."""

    executable: str
    version: str


def find_python(wanted: str | None) -> BasePython:
    """Return the Python of a version ("3.11"), at a path, or our own.

    Raises:
        UsageError: If it is not on this machine, or cannot be used.
    """
    if wanted is not None and "/" in wanted:
        found = _ask(wanted)
        if found is None:
            raise UsageError(f"{wanted!r} is no Python that runs", where="--python", fix="name its executable")
    elif wanted is None:
        found = _ask(sys.executable)
        assert found is not None, "we run on it"
    else:
        found = _of_version(wanted)
    if tuple(map(int, found.version.split(".")[:2])) < OLDEST:
        fix = f"use Python {OLDEST[0]}.{OLDEST[1]} or newer"
        raise UsageError(f"Python {found.version} is too old to run problem code", where="--python", fix=fix)
    return found


def _of_version(wanted: str) -> BasePython:
    if not all(part.isdigit() for part in wanted.split(".")) or not 2 <= len(wanted.split(".")) <= 3:
        raise UsageError(f"{wanted!r} is no version of Python", where="--python", fix="write one like 3.11, or a path")
    for candidate in _candidates(wanted):
        found = _ask(candidate)
        if found is not None and f"{found.version}.".startswith(f"{wanted}."):
            return found
    fix = "install it, or name the executable of one: --python /path/to/python"
    raise UsageError(f"Python {wanted} was not found on this machine", where="--python", fix=fix)


def _candidates(wanted: str) -> Iterator[str]:
    """Yield where a Python of that version may be: ours, on the PATH, and where version managers keep them."""
    yield sys.executable
    short = ".".join(wanted.split(".")[:2])
    for folder in os.get_exec_path():
        if found := shutil.which(f"python{short}", path=folder):
            yield found
    data = Path(os.environ.get("XDG_DATA_HOME") or Path("~/.local/share").expanduser())
    kept = (
        (Path(os.environ.get("PYENV_ROOT") or Path("~/.pyenv").expanduser()) / "versions", f"{wanted}*"),
        (Path(os.environ.get("UV_PYTHON_INSTALL_DIR") or data / "uv" / "python"), f"cpython-{wanted}*"),
    )
    for root, pattern in kept:
        for installed in sorted(root.glob(pattern), reverse=True):
            yield str(installed / "bin" / f"python{short}")


def _ask(executable: str) -> BasePython | None:
    """Return what a Python says of itself; None when it does not run, or is another implementation than CPython."""
    try:
        said = subprocess.run(
            [executable, "-I", "-c", _QUESTION],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=_ASK_S,
            check=True,
        )
        version, implementation, base = json.loads(said.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    return BasePython(base, version) if implementation == "cpython" else None
