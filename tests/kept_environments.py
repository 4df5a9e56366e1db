"""Real environments that tests build once and keep between test runs, in the user's cache."""

import contextlib
import fcntl
import hashlib
import os
import platform
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from evaluator.environments import VARIABLE, create_environment, environment_named
from evaluator.environments.installers import NEEDED
from evaluator.session import Environment


@contextlib.contextmanager
def kept_environment(name: str, requirements: Sequence[str]) -> Iterator[Environment]:
    """Yield an environment of that name, in a folder of its own that commands find while it is held.

    Test processes side by side build it once. It is built anew where requirements or the Python are others.
    """
    text = "".join(f"{line}\n" for line in requirements)
    key = hashlib.sha256(repr((text, NEEDED, platform.python_version())).encode()).hexdigest()[:16]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser())
    folder = cache / "benchwright-tests" / f"environments-{key}"
    folder.mkdir(parents=True, exist_ok=True)
    with pytest.MonkeyPatch.context() as patch, (folder / ".building").open("w") as lock:
        patch.setenv(VARIABLE, str(folder))
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / name / "environment.json").is_file():
            file = folder / "requirements.txt"
            file.write_text(text)
            create_environment(name, [file])
        fcntl.flock(lock, fcntl.LOCK_UN)
        yield environment_named(name)
