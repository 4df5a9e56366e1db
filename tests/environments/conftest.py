"""Environments for tests: small ones without packages, and one real one with an older pandas."""

import json
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from evaluator.environments import VARIABLE
from evaluator.session import Environment
from tests.kept_environments import kept_environment

MakeEnvironment = Callable[..., Path]

OLDER = ("pandas==2.2.*", "numpy<2.3", "scikit-learn", "scipy", "pyarrow", "pytest", "hypothesis")


@pytest.fixture
def environments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for environments."""
    folder = tmp_path / "environments"
    monkeypatch.setenv(VARIABLE, str(folder))
    return folder


@pytest.fixture(scope="session")
def empty_venv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("prepared") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    return folder


@pytest.fixture
def make_environment(environments: Path, empty_venv: Path) -> MakeEnvironment:
    """Return a function that puts an environment there as a build leaves it, with made-up packages in a real venv."""

    def make(name: str, packages: dict[str, str] | None = None, **facts: object) -> Path:
        folder = environments / name
        shutil.copytree(empty_venv, folder / "venv", symlinks=True)
        for package, version in (packages or {"pandas": "2.2.3"}).items():
            info = site_of(folder) / f"{package}-{version}.dist-info"
            info.mkdir()
            (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n")
            (site_of(folder) / package).mkdir()
        record = {
            **{"format": 1, "python": platform.python_version(), "platform": "Linux x86_64", "digest": "0" * 16},
            **{"created": "2026-01-01T00:00:00Z", "installer": "pip", "requirements": ["pandas==2.2.*"]},
            **{"packages": packages or {"pandas": "2.2.3"}, "fork_check": {}, "size_bytes": 1, **facts},
        }
        (folder / "environment.json").write_text(json.dumps(record))
        (folder / ".lock").touch()
        return folder

    return make


def site_of(folder: Path) -> Path:
    """Return where the packages of an environment lie."""
    (site,) = (folder / "venv" / "lib").glob("python*/site-packages")
    return site


@pytest.fixture(scope="module")
def pandas22() -> Iterator[Environment]:
    """A real environment with pandas 2.2, kept between test runs; named `pandas22` in its own folder."""
    with kept_environment("pandas22", OLDER) as environment:
        yield environment
