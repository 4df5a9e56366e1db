import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

COMMAND = Path(sys.executable).with_name("benchwright")

PROBLEM = '''# %%
"""
query: Add {0} and one.
"""
{0} + 1
'''


@dataclass(frozen=True)
class Finished:
    """A command line that ended."""

    code: int
    stdout: str
    stderr: str

    @property
    def json(self) -> dict[str, Any]:
        """The one object on stdout."""
        lines = self.stdout.splitlines()
        assert len(lines) == 1, f"not one line on stdout: {self.stdout!r} (stderr: {self.stderr!r})"
        found = json.loads(lines[0])
        assert isinstance(found, dict)
        return found


Command = Callable[..., Finished]


@pytest.fixture
def benchwright(tmp_path: Path) -> Command:
    """Return a function that runs the installed command in a fresh folder, as a user would."""

    def run(*arguments: str | Path, env: Mapping[str, str] | None = None, timeout_s: float = 60) -> Finished:
        done = subprocess.run(
            [COMMAND, *map(str, arguments)],
            cwd=tmp_path,
            env={**os.environ, **(env or {})},
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return Finished(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def write_set(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes a problemset of some problems, each of which takes some time."""

    def write(name: str = "sums.py", *, problems: int = 3, seconds: float = 0.0) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        setup = "# %%\nimport time\n\n"
        pause = f"time.sleep({seconds})\n" if seconds else ""
        cells = [PROBLEM.format(number).replace(f"{number} + 1", f"{pause}{number} + 1") for number in range(problems)]
        path.write_text(setup + "\n".join(cells))
        return path

    return write
