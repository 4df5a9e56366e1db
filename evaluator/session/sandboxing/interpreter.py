"""Python installations: where they live, what must be visible for them to run, how a module of ours starts in one."""

import os
import platform
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evaluator.errors import ToolkitError

SYSTEM_FOLDERS: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store")
"""Visible in every sandbox."""
_SAFE_PATH_SINCE: Final = (3, 11)  # from there on `-P` keeps the current folder out of sys.path
_START: Final = (
    "import runpy, sys; sys.path.remove(''); sys.argv = sys.argv[1:]; "
    "runpy.run_module(sys.argv[0], run_name='__main__', alter_sys=True)"
)


@dataclass(frozen=True)
class Interpreter:
    """A Python installation: what must be visible for it to run."""

    executable: str
    roots: tuple[str, ...]
    version: str  # "3.11.7"

    @classmethod
    def own(cls) -> "Interpreter":
        """Return the interpreter that runs us."""
        executable, real = straight(sys.executable), os.path.realpath(sys.executable)
        prefixes = (sys.prefix, sys.base_prefix, sys.exec_prefix)
        roots = {place for prefix in prefixes for place in (straight(prefix), os.path.realpath(prefix))}
        roots.add(os.path.dirname(real))
        outer = _outermost(roots)
        if not _is_below(executable, (*outer, *SYSTEM_FOLDERS)):  # started by a link that lies elsewhere
            executable = real
        return cls(executable, outer, platform.python_version())

    @classmethod
    def of_venv(cls, folder: Path) -> "Interpreter":
        """Return the interpreter of a virtual environment, from its files alone: nothing of it is executed.

        Raises:
            ToolkitError: If the folder is no virtual environment, or the Python that it was made from is gone.
        """
        facts = _read_facts(folder)
        place = straight(os.path.join(os.getcwd(), folder))
        executable = os.path.join(place, "bin", "python")
        if not os.access(executable, os.X_OK):
            what = f"the Python {facts.version} that the environment was made from is gone"
            raise ToolkitError(what, where=executable, fix="install it again, or make the environment anew")
        base = os.path.dirname(facts.home)
        roots = {place, os.path.realpath(folder), base, os.path.realpath(base)}
        roots.add(os.path.dirname(os.path.dirname(os.path.realpath(executable))))
        if roots & {"/", os.path.expanduser("~")}:
            what = (
                "the Python that the environment was made from lies loose in a home folder, which sandboxes never show"
            )
            raise ToolkitError(what, where=facts.home, fix="make the environment with another Python: --python")
        return cls(executable, _outermost(roots), facts.version)

    @property
    def feature_version(self) -> tuple[int, int]:
        """Its version as two numbers."""
        major, minor = self.version.split(".")[:2]
        return int(major), int(minor)

    @property
    def bytecode_tag(self) -> str:
        """What the names of its bytecode files hold."""
        return "cpython-{}{}".format(*self.feature_version)

    def command(self, module: str, arguments: Sequence[str] = ()) -> list[str]:
        """Return the command line for `python -m module ARGUMENTS` without user packages and the current folder."""
        if self.feature_version >= _SAFE_PATH_SINCE:
            return [self.executable, "-s", "-P", "-m", module, *arguments]
        return [self.executable, "-s", "-c", _START, module, *arguments]


def straight(path: str) -> str:
    """Return an absolute path without `..`, each taken as the system does: after a link, from where it leads to.

    What a sandbox shows is bound under its own path, on which the folders that `..` leaves need not be there.
    """
    parts = Path(path).parts
    if ".." not in parts:
        return os.path.normpath(path)
    after = len(parts) - parts[::-1].index("..")
    return os.path.join(os.path.realpath(os.path.join(*parts[:after])), *parts[after:])


@dataclass(frozen=True)
class _VenvFacts:
    home: str  # the folder of the Python that it was made from
    version: str


def _read_facts(folder: Path) -> _VenvFacts:
    path = folder / "pyvenv.cfg"
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        what = "the folder is no virtual environment"
        raise ToolkitError(what, where=str(path), fix="make the environment anew") from error
    facts = {key.strip(): value.strip() for key, _, value in (line.partition("=") for line in lines)}
    home, version = facts.get("home", ""), facts.get("version") or facts.get("version_info") or ""
    numbers = version.split(".")[:2]
    if not os.path.isabs(home) or len(numbers) != 2 or not all(part.isdigit() for part in numbers):
        what = "the file does not say which Python the environment was made from"
        raise ToolkitError(what, where=str(path), fix="make the environment anew")
    return _VenvFacts(straight(home), version)


def _outermost(roots: set[str]) -> tuple[str, ...]:
    """Return the folders that hold all others, in order, without those that every sandbox shows."""
    outer = {root for root in roots if not any(root.startswith(other + "/") for other in roots)}
    return tuple(sorted(root for root in outer if not _is_below(root, SYSTEM_FOLDERS)))


def _is_below(path: str, folders: Iterable[str]) -> bool:
    return any(path == folder or path.startswith(folder + "/") for folder in folders)
