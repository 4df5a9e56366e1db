"""What is installed into an environment, and by whom: uv where it is there, else pip; resolved and pinned by hash."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Protocol

from evaluator.environments.pythons import BasePython
from evaluator.errors import ContentError, ToolkitError, UsageError

NEEDED: Final = ("ipython>=8.12", "numpy>=1.26", "pandas>=2.0", "ipykernel>=6.25")
"""What every environment holds: the worker's libraries, and the kernel that the second engine starts."""
_MAX_BYTES: Final = 1_000_000
_NAME: Final = re.compile(r"([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[[^\]]*\])?\s*(.*)")
_VERSIONS: Final = re.compile(r"(?:\(?\s*[<>=!~].*)?(?:;.*)?")
_HASH: Final = re.compile(r"\s--hash[= ]\S+")


def read_requirements(paths: Sequence[Path]) -> tuple[str, ...]:
    """Return the requirements of all files, one each, without comments and hashes.

    Raises:
        UsageError: If a file cannot be read.
        ContentError: If a line is more than a package with versions and markers.
    """
    return tuple(line for path in paths for line in _read_file(path))


def _read_file(path: Path) -> list[str]:
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise ContentError("the file is too large for requirements", where=str(path), fix="name a requirements.txt")
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        what = f"the requirements cannot be read: {error.strerror or error}"
        raise UsageError(what, where=str(path), fix="name a file with one requirement a line") from error
    except UnicodeDecodeError as error:
        raise ContentError("the file is no text in UTF-8", where=str(path), fix="save it as UTF-8") from error
    found = []
    for number, line in _logical_lines(text):
        requirement = _HASH.sub("", re.sub(r"(^|\s)#.*", "", line)).strip()
        if requirement:
            _refuse_unusual(requirement, f"{path}:{number}")
            found.append(" ".join(requirement.split()))
    return found


def _logical_lines(text: str) -> list[tuple[int, str]]:
    lines: list[tuple[int, str]] = []
    start, pending = 0, ""
    for number, line in enumerate(text.splitlines(), 1):
        start = start if pending else number
        pending += line
        if pending.endswith("\\"):
            pending = pending[:-1] + " "
            continue
        lines.append((start, pending))
        pending = ""
    return [*lines, (start, pending)] if pending else lines


def _refuse_unusual(requirement: str, where: str) -> None:
    match = _NAME.fullmatch(requirement)
    if match is None or not _VERSIONS.fullmatch(match[2]):
        what = f"{requirement[:80]!r} is no package with versions"
        fix = "write lines like 'pandas==2.2.*'; where packages come from is set in the installer's own configuration"
        raise ContentError(what, where=where, fix=fix)


def package_name(requirement: str) -> str:
    """Return the normalised name of the package that a requirement asks for."""
    match = _NAME.fullmatch(requirement)
    assert match is not None, "requirements are checked when they are read"
    return re.sub(r"[-_.]+", "-", match[1]).lower()


_LIMIT_S: Final = 3600.0
_SHOWN_LINES: Final = 12
_ADDRESS: Final = re.compile(r"\b(?:https?|git\+\w+|file)://\S+")
_NETWORK: Final = re.compile(
    r"error sending request|dns error|connection|temporary failure in name resolution|timed out|tls|proxy|network",
    re.IGNORECASE,
)
_OURS: Final = ("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "VIRTUAL_ENV", "PYTHONDONTWRITEBYTECODE")


class Installer(Protocol):
    """Makes a virtual environment and fills it."""

    @property
    def name(self) -> str:
        """What it is called, with its version where that matters."""

    def make_venv(self, python: BasePython, venv: Path) -> None:
        """Make an empty virtual environment."""

    def install(self, venv: Path, requirements: Sequence[str]) -> str:
        """Resolve and install; return the exact versions with hashes, one package after the other."""


@dataclass(frozen=True)
class Workbench:
    """Where an installer works: a folder of its own, and a lock that its processes keep while they run."""

    folder: Path
    lock: int

    def run(self, command: Sequence[str], *, what: str) -> str:
        """Run a command and return what it printed.

        Raises:
            ContentError: If it fails for a reason that lies in the requirements; its reason is part of the message.
            ToolkitError: If it cannot run, takes too long, or the network is at fault.
        """
        surroundings = {name: value for name, value in os.environ.items() if name not in _OURS}
        surroundings |= {"NO_COLOR": "1", "PYTHONNOUSERSITE": "1", "UV_PYTHON_DOWNLOADS": "never"}
        surroundings |= {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"}
        try:
            done = subprocess.run(
                list(command),
                cwd=self.folder,
                env=surroundings,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=_LIMIT_S,
                umask=0o022,  # a sandbox started by root reads the files as nobody
                pass_fds=(self.lock,),
                check=False,
            )
        except (OSError, subprocess.SubprocessError) as error:
            cause = f"{type(error).__name__}: {error}"
            raise ToolkitError(f"{what} failed: {cause}", where=command[0], fix="try again") from error
        if done.returncode:
            raise _failure(what, command[0], done.stderr or done.stdout)
        return done.stdout


def _failure(what: str, program: str, said: str) -> ToolkitError:
    reason = brief_reason(said)
    if _NETWORK.search(reason) and "solution" not in reason:
        fix = "check the network and the installer's own configuration, then repeat the command"
        return ToolkitError(f"{what} failed:\n{reason}", where=program, fix=fix)
    fix = f"change what the reason names; every environment also holds {', '.join(NEEDED)}"
    return ContentError(f"{what} failed:\n{reason}", where="requirements", fix=fix)


def brief_reason(said: str) -> str:
    """Return the last lines of what an installer said, without addresses."""
    lines = [_ADDRESS.sub("(an address)", line.rstrip()) for line in said.splitlines() if line.strip()]
    return "\n".join(lines[-_SHOWN_LINES:]) or "it said nothing"


def choose_installer(bench: Workbench) -> Installer:
    """Return uv if it can be run, else pip."""
    program = shutil.which("uv")
    if program is not None:
        try:
            said = bench.run([program, "--version"], what="uv")
        except ToolkitError:
            return PipInstaller(bench)
        return UvInstaller(bench, program, " ".join(said.split()[:2]))
    return PipInstaller(bench)


@dataclass(frozen=True)
class UvInstaller:
    """Astral's installer."""

    bench: Workbench
    program: str
    name: str

    def make_venv(self, python: BasePython, venv: Path) -> None:
        """Make an empty virtual environment."""
        command = [self.program, "venv", "--quiet", "--no-project", "--python", python.executable, str(venv)]
        self.bench.run(command, what="making a virtual environment")

    def install(self, venv: Path, requirements: Sequence[str]) -> str:
        """Resolve and install."""
        wanted, lock = self.bench.folder / "wanted.txt", self.bench.folder / "pinned.txt"
        wanted.write_text("".join(f"{line}\n" for line in requirements), encoding="utf-8")
        python = ["--python", str(venv / "bin" / "python")]
        form = ["--generate-hashes", "--no-header", "--no-annotate", "--no-emit-index-url", "--no-emit-find-links"]
        resolve = [self.program, "pip", "compile", "--quiet", *python, *form, str(wanted), "--output-file", str(lock)]
        self.bench.run(resolve, what="resolving the requirements")
        install = [self.program, "pip", "install", "--quiet", *python, "--compile-bytecode"]
        self.bench.run([*install, "--require-hashes", "-r", str(lock)], what="installing the packages")
        return lock.read_text(encoding="utf-8")


@dataclass(frozen=True)
class PipInstaller:
    """The installer that comes with Python."""

    bench: Workbench
    name: str = "pip"

    def make_venv(self, python: BasePython, venv: Path) -> None:
        """Make an empty virtual environment."""
        command = [python.executable, "-m", "venv", "--without-pip", str(venv)]
        self.bench.run(command, what="making a virtual environment")

    def install(self, venv: Path, requirements: Sequence[str]) -> str:
        """Resolve and install in one go; pip says afterwards what it took."""
        wanted, report = self.bench.folder / "wanted.txt", self.bench.folder / "report.json"
        wanted.write_text("".join(f"{line}\n" for line in requirements), encoding="utf-8")
        python = str(venv / "bin" / "python")
        command = [*self._pip(), "--python", python, "install", "--quiet", "--report", str(report), "-r", str(wanted)]
        self.bench.run(command, what="resolving and installing the requirements")
        return pins_of_report(report.read_text(encoding="utf-8"))

    def _pip(self) -> list[str]:
        """Return the command of a pip: ours if we have one, else that of a virtual environment made for it."""
        if find_spec("pip") is not None:
            return [sys.executable, "-m", "pip"]
        tools = self.bench.folder / "tools"
        fix = "install Python's venv module (on Debian and Ubuntu: apt-get install python3-venv)"
        try:
            base = getattr(sys, "_base_executable", None) or sys.executable
            self.bench.run([base, "-m", "venv", str(tools)], what="making a virtual environment for pip")
        except ContentError as error:
            raise ToolkitError(error.what, where=error.where, fix=fix) from error
        return [str(tools / "bin" / "python"), "-m", "pip"]


def pins_of_report(text: str) -> str:
    """Return the exact versions and hashes that pip's report of an installation names, by package."""
    pins = []
    for item in json.loads(text)["install"]:
        facts, archive = item["metadata"], item.get("download_info", {}).get("archive_info", {})
        hashes = archive.get("hashes") or {}
        known = [f" \\\n    --hash={kind}:{value}" for kind, value in sorted(hashes.items())]
        pins.append(f"{facts['name'].lower()}=={facts['version']}{''.join(known)}\n")
    return "".join(sorted(pins))
