"""Command lines that are run in this process, on its engine."""

import functools
import json
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer

from authoring.cli import main
from authoring.seeds.workspace_setup import open_workspace
from authoring.store.workspace import Workspace
from tests.scripted_model import Script, ScriptedModel, served_to_commands

# a server of one's own is asked only when it is named: docs/maintainers.md, "A model on this machine"
collect_ignore = [] if os.environ.get("BENCHWRIGHT_LOCAL_MODEL_URL") else ["test_local_model_runs.py"]

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
BUILT = functools.cache(main.build_app), functools.cache(typer.main.get_command)  # a third of what short commands take
Serve = Callable[[Script], ScriptedModel]


@pytest.fixture
def benchwright(
    tmp_path: Path, lent_engines: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """Return a function that runs a command line in a fresh folder, in this process."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(main, "build_app", BUILT[0])
    monkeypatch.setattr(typer.main, "get_command", BUILT[1])

    def run(*arguments: str | Path) -> Finished:
        capsys.readouterr()
        code = main.run_command_line([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        assert "Traceback" not in err, err
        return Finished(code, out, err)

    return run


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Serve]:
    """Return what serves a script to the commands of a test."""
    with served_to_commands(monkeypatch) as serving:
        yield serving


@pytest.fixture(scope="session")
def shipped_workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with the shipped seeds: to make one takes a third of a second."""
    return open_workspace(tmp_path_factory.mktemp("shipped") / "workspace").root


@pytest.fixture
def w(tmp_path: Path, shipped_workspace: Path) -> Workspace:
    """The workspace `w` in the folder of the commands, with the shipped seeds."""
    return Workspace.open(shutil.copytree(shipped_workspace, tmp_path / "w"))


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
