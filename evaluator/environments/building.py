"""Builds an environment: resolve, pin, install, try; whole under its name, or not there at all."""

import datetime
import json
import os
import platform
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from evaluator.environments.fork_check import try_environment
from evaluator.environments.installers import NEEDED, Installer, Workbench, choose_installer, read_requirements
from evaluator.environments.pythons import find_python
from evaluator.environments.store import (
    LOCK_LIST,
    RECORD,
    REQUIREMENTS,
    USE,
    VENV,
    EnvironmentRecord,
    check_name,
    environments_folder,
    work_folder,
)
from evaluator.errors import ContentError, ToolkitError
from evaluator.session import SandboxChoice, venv_environment


def create_environment(
    name: str,
    requirement_files: Sequence[Path],
    *,
    python: str | None = None,
    sandbox: SandboxChoice = SandboxChoice.AUTO,
    on_event: Callable[[str], None] = lambda _text: None,
    installer: Callable[[Workbench], Installer] = choose_installer,
) -> EnvironmentRecord:
    """Build an environment under a new name.

    Args:
        name: What people will call it.
        requirement_files: Files with one requirement a line.
        python: A version, or the path of an executable; None: the Python that runs us.
        sandbox: Where the new environment is tried.
        on_event: Told in words what happens.
        installer: Chooses what resolves and installs.

    Raises:
        UsageError: If the name cannot be used, or a file or the Python is not there.
        ContentError: If the name is taken, or the requirements cannot be met.
        ToolkitError: If the machine, the network or the sandbox fails.
    """
    target = environments_folder() / check_name(name)
    _refuse_taken(target)
    requirements = read_requirements(requirement_files)
    base = find_python(python)
    with work_folder() as (folder, lock):
        draft = folder / name
        draft.mkdir()
        draft.chmod(0o755)
        tool = installer(Workbench(folder, lock))
        on_event(f"building {name} with {tool.name} on Python {base.version}")
        tool.make_venv(base, draft / VENV)
        on_event("resolving and installing the requirements")
        pins = tool.install(draft / VENV, [*requirements, *NEEDED])
        _make_readable(draft / VENV)
        _write(draft / REQUIREMENTS, "".join(f"{line}\n" for line in requirements))
        _write(draft / LOCK_LIST, pins)
        (draft / USE).touch()
        on_event("running a cell in it")
        environment = venv_environment(name, draft / VENV, lock=draft / USE, fork_safe=frozenset())
        fork_check = try_environment(environment, requirements, sandbox=sandbox, on_event=on_event)
        _move_scripts(draft / VENV, target / VENV)
        record = EnvironmentRecord(
            name=name,
            python=environment.interpreter.version,
            platform=f"{platform.system()} {platform.machine()}",
            digest=environment.id,
            created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
            installer=tool.name,
            requirements=requirements,
            packages=dict(sorted(environment.packages.items())),
            fork_check=fork_check,
        )
        record = replace(record, size_bytes=_size(draft))
        _write(draft / RECORD, json.dumps(record.to_json(), indent=2) + "\n")
        _put(draft, target)
    return record


def _refuse_taken(target: Path) -> None:
    if target.exists():
        fix = f"choose another name, or first: benchwright env remove {target.name}"
        raise ContentError(f"there is an environment {target.name!r} already", where=str(target), fix=fix)


def _put(draft: Path, target: Path) -> None:
    try:
        draft.rename(target)
    except OSError as error:
        _refuse_taken(target)  # somebody else was faster
        what = f"the environment cannot be stored: {error.strerror or error}"
        raise ToolkitError(what, where=str(target), fix="change the permissions, then repeat the command") from error


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    path.chmod(0o644)


def _make_readable(venv: Path) -> None:
    """Let everybody read what the installer put there: a sandbox that root starts reads it as nobody."""
    if os.getuid():
        return
    for folder, _, files in os.walk(venv):
        os.chmod(folder, os.stat(folder).st_mode | 0o555)  # noqa: S103  # read and enter, not write
        for path in (os.path.join(folder, name) for name in files):
            if not os.path.islink(path) and not os.stat(path).st_mode & 0o004:
                os.chmod(path, os.stat(path).st_mode | 0o444)


def _move_scripts(venv: Path, target: Path) -> None:
    """Let the scripts of a virtual environment name the place where it will be."""
    before, after = os.fsencode(venv), os.fsencode(target)
    for path in (venv / "bin").iterdir():
        if path.is_symlink() or not path.is_file():
            continue
        content = path.read_bytes()
        if before in content and b"\0" not in content:
            draft = path.with_name(f".{path.name}")  # not in place: the file may be shared with the installer's cache
            draft.write_bytes(content.replace(before, after))
            shutil.copymode(path, draft)
            draft.replace(path)


def _size(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())
