"""The folder of a user's environments: what lies in it, how one is found, listed and removed.

An environment is a folder with `environment.json`, `requirements.txt` as given, `lock.txt` (exact versions, hashes),
`venv/`, and `.lock`, which engines lock while they use it. Names that begin with a dot are work under way.
"""

import contextlib
import fcntl
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from evaluator.errors import ContentError, ToolkitError, UsageError
from evaluator.registry import nearest_name
from evaluator.session import DEFAULT, Environment, venv_environment

VARIABLE: Final = "BENCHWRIGHT_ENVIRONMENTS"
"""Names another folder for environments."""
FORMAT: Final = 1
RECORD: Final = "environment.json"
REQUIREMENTS: Final = "requirements.txt"
LOCK_LIST: Final = "lock.txt"
VENV: Final = "venv"
USE: Final = ".lock"
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_UNDER_WAY: Final = ".under-way-"


@dataclass(frozen=True)
class EnvironmentRecord:
    """What is known about an environment that was built."""

    name: str
    python: str  # version
    platform: str  # system and machine
    digest: str  # id of what was installed when it was built
    created: str  # UTC, ISO 8601
    installer: str  # with its version
    requirements: tuple[str, ...]  # as asked, one a line
    packages: Mapping[str, str]  # name -> version
    fork_check: Mapping[str, str] = field(default_factory=dict)  # module -> "ok" or what went wrong
    size_bytes: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {"format": FORMAT, **asdict(self), "pandas": self.packages.get("pandas")}


def environments_folder() -> Path:
    """Return the folder of this user's environments; it need not exist yet."""
    named = os.environ.get(VARIABLE, "").strip()
    if named:
        return Path(named).expanduser().absolute()
    data = os.environ.get("XDG_DATA_HOME", "").strip()
    root = Path(data) if os.path.isabs(data) else Path("~/.local/share").expanduser()
    return root / "benchwright" / "environments"


def check_name(name: str) -> str:
    """Return the name of a new environment.

    Raises:
        UsageError: If nothing may be called so.
    """
    if name == DEFAULT:
        what, fix = f"{DEFAULT!r} is benchwright's own Python", "choose another name"
    elif not _NAME.fullmatch(name):
        what, fix = f"{name!r} is no name for an environment", "use lower-case letters, digits, dots and dashes"
    else:
        return name
    raise UsageError(what, where="environment", fix=fix)


def list_environments() -> tuple[EnvironmentRecord, ...]:
    """Return every environment of this user, by name; folders that cannot be read as one are left out."""
    return tuple(record for record in map(_read_record, _folders()) if record is not None)


def _folders() -> list[Path]:
    try:
        found = [path for path in environments_folder().iterdir() if _NAME.fullmatch(path.name)]
    except FileNotFoundError:
        return []
    except OSError as error:
        fix = f"give yourself permission to read it, or name another folder with {VARIABLE}"
        what = f"the environments cannot be read: {error.strerror}"
        raise ToolkitError(what, where=str(environments_folder()), fix=fix) from error
    return sorted(found)


def _read_record(folder: Path) -> EnvironmentRecord | None:
    try:
        content = json.loads((folder / RECORD).read_bytes())
        if content["format"] > FORMAT:
            return None
        known = {key: content[key] for key in EnvironmentRecord.__dataclass_fields__ if key in content}
        return EnvironmentRecord(**(known | {"name": folder.name, "requirements": tuple(known["requirements"])}))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def environment_named(name: str, *, where: str = "--environment") -> Environment:
    """Return an environment for use by an engine.

    Raises:
        UsageError: If there is none of that name; the fix says the nearest, or how to make one.
        ToolkitError: If its files are damaged.
    """
    return open_environment(find_environment(name, where))


def open_environment(folder: Path) -> Environment:
    """Return the environment in `folder`, whatever the folder is called."""
    record = _read_record(folder)
    if record is None:
        what = f"the environment {folder.name!r} is damaged"
        raise ToolkitError(what, where=str(folder), fix=f"benchwright env remove {folder.name}, then create it anew")
    fork_safe = frozenset(module for module, outcome in record.fork_check.items() if outcome == "ok")
    return venv_environment(record.name, folder / VENV, lock=folder / USE, fork_safe=fork_safe)


def find_environment(name: str, where: str) -> Path:
    """Return the folder of an environment, sound or damaged.

    Raises:
        UsageError: If there is none of that name; the fix says the nearest, or how to make one.
    """
    folder = environments_folder() / name
    if _NAME.fullmatch(name) and (folder / RECORD).is_file():
        return folder
    near = nearest_name(name, [found.name for found in _folders()])
    make = f"make it: benchwright env create {name} -r requirements.txt"
    raise UsageError(
        f"there is no environment {name!r} here", where=where, fix=f"use {near!r}, or {make}" if near else make
    )


def remove_environment(name: str) -> None:
    """Remove an environment.

    Raises:
        UsageError: If there is none of that name.
        ContentError: If a run uses it.
        ToolkitError: If its files cannot be removed.
    """
    folder = find_environment(name, "environment")
    try:
        with held(folder):
            doomed = Path(tempfile.mkdtemp(prefix=_UNDER_WAY, dir=folder.parent))
            folder.rename(doomed / name)
            shutil.rmtree(doomed)
    except BlockingIOError as error:
        what, fix = f"the environment {name!r} is in use", "wait until the runs in it have ended"
        raise ContentError(what, where=str(folder), fix=fix) from error
    except OSError as error:
        what = f"the environment {name!r} cannot be removed: {error.strerror or error}"
        raise ToolkitError(what, where=str(folder), fix="change the permissions, then repeat the command") from error


@contextlib.contextmanager
def held(folder: Path) -> Iterator[int]:
    """Hold a folder for oneself and yield the lock's descriptor.

    Raises:
        BlockingIOError: If somebody else uses it.
    """
    descriptor = os.open(folder / USE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield descriptor
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def work_folder() -> Iterator[tuple[Path, int]]:
    """Yield a hidden folder to build in and the descriptor of its lock; what is left there at the end is removed.

    What killed builds and removals have left is removed first. A process that inherits the descriptor keeps the
    folder from being removed under its hands.

    Raises:
        ToolkitError: If nothing can be written there.
    """
    root = environments_folder()
    try:
        root.mkdir(parents=True, exist_ok=True)
        for abandoned in root.glob(f"{_UNDER_WAY}*"):
            with contextlib.suppress(OSError), held(abandoned):
                shutil.rmtree(abandoned)
        folder = Path(tempfile.mkdtemp(prefix=_UNDER_WAY, dir=root))
        folder.chmod(0o755)  # a sandbox started by root reads it as nobody
    except OSError as error:
        fix = f"make room or change the permissions, or name another folder with {VARIABLE}"
        what = f"no environment can be written there: {error.strerror or error}"
        raise ToolkitError(what, where=str(root), fix=fix) from error
    try:
        with held(folder) as descriptor:
            yield folder, descriptor
    finally:
        shutil.rmtree(folder, ignore_errors=True)
