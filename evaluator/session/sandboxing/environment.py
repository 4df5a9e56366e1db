"""The environment in which problem code runs: an interpreter with a name and the identity of what is installed."""

import contextlib
import fcntl
import hashlib
import os
import platform
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from email.parser import HeaderParser
from functools import cache, cached_property
from importlib.metadata import Distribution, distributions
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from evaluator.errors import ToolkitError
from evaluator.session.sandboxing.interpreter import Interpreter

DEFAULT: Final = "default"
"""Name of the environment that is our own interpreter."""


@dataclass(frozen=True)
class Environment:
    """Where problem code, recorder and comparator run. `own_environment()` is ours; others have a folder."""

    name: str
    interpreter: Interpreter
    packages: Mapping[str, str] = field(repr=False)  # name in lower case -> version
    site_packages: Path | None = None  # None: those of our own interpreter
    lock: Path | None = None  # held shared while an engine uses the environment
    fork_safe: frozenset[str] = frozenset()  # modules that passed the fork check when it was built

    @cached_property
    def id(self) -> str:
        """Digest of the Python version, the platform and every installed package's version."""
        packages = sorted(f"{name}=={version}".lower() for name, version in self.packages.items())
        machine = (platform.system(), platform.machine())
        facts = [sys.implementation.name, self.interpreter.version, *machine, *packages]
        return hashlib.sha256("\n".join(facts).encode()).hexdigest()[:16]

    @property
    def label(self) -> str:
        """Name and id, as records keep them."""
        return f"{self.name}@{self.id}"

    def has_module(self, name: str) -> bool:
        """Return whether the module of that name can be imported there, as far as its top folder shows."""
        top = name.partition(".")[0]
        if top in sys.stdlib_module_names:
            return True
        if self.site_packages is None:
            return find_spec(top) is not None
        places = [self.site_packages / top, self.site_packages / f"{top}.py"]
        return any(place.exists() for place in places) or any(self.site_packages.glob(f"{top}.*.so"))

    @contextlib.contextmanager
    def in_use(self) -> Iterator[None]:
        """Keep the environment from being removed meanwhile.

        Raises:
            ToolkitError: If it is being removed, or gone.
        """
        if self.lock is None:
            yield
            return
        fix = f"make it anew: benchwright env create {self.name} -r requirements.txt"
        try:
            descriptor = os.open(self.lock, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            what = f"the environment {self.name!r} is gone"
            raise ToolkitError(what, where=str(self.lock.parent), fix=fix) from error
        try:
            self._lock(descriptor, fix)
            yield
        finally:
            os.close(descriptor)

    def _lock(self, descriptor: int, fix: str) -> None:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ToolkitError(f"the environment {self.name!r} is being removed", fix=fix) from error


@cache
def own_environment() -> Environment:
    """Return the environment that runs us."""
    return Environment(DEFAULT, Interpreter.own(), _versions(distributions()))


def _versions(installed: Iterable[Distribution]) -> dict[str, str]:
    """Return name in lower case -> version, without parsing the long descriptions as `Distribution.metadata` does."""
    texts = (each.read_text("METADATA") or each.read_text("PKG-INFO") or each.read_text("") for each in installed)
    headers = (HeaderParser().parsestr(text or "") for text in texts)
    return {str(each["Name"]).lower(): each["Version"] for each in headers}


def venv_environment(name: str, folder: Path, *, lock: Path | None, fork_safe: frozenset[str]) -> Environment:
    """Return the environment of a virtual environment on disk; nothing of it is executed.

    Args:
        name: What people call it.
        folder: The virtual environment's.
        lock: A file beside it that engines lock while they use it.
        fork_safe: Modules that may be imported before sessions are forked.

    Raises:
        ToolkitError: If the folder is no virtual environment.
    """
    interpreter = Interpreter.of_venv(folder)
    major, minor = interpreter.feature_version
    site_packages = Path(os.path.abspath(folder)) / "lib" / f"python{major}.{minor}" / "site-packages"
    packages = _versions(distributions(path=[str(site_packages)]))
    return Environment(name, interpreter, packages, site_packages, lock, fork_safe)


def environment_id() -> str:
    """Return the digest of the environment that runs us."""
    return own_environment().id
