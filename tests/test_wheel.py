"""The package works installed: a wheel beside the packages of these tests, used from an empty folder."""

import ensurepip
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.deep]

ROOT = Path(__file__).parent.parent
BUILD = "import sys, setuptools.build_meta as build; print(build.build_wheel(sys.argv[1]))"
PATIENCE_S = 240.0


class Installed(NamedTuple):
    """A folder with the wheel in it, before the packages of these tests, and an empty one to work in."""

    site: Path
    folder: Path

    @property
    def surroundings(self) -> dict[str, str]:
        """Environment variables with which Python finds what is installed there, and nothing in the checkout."""
        return {**os.environ, "PYTHONPATH": str(self.site), "BENCHWRIGHT_WORKSPACE": str(self.folder / "work")}

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words,
            cwd=self.folder,
            env=self.surroundings,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )

    @property
    def command(self) -> str:
        return str(self.site / "bin" / "benchwright")

    def json(self, *words: str) -> dict[str, Any]:
        done = self.run(self.command, *words, "--json")
        assert done.returncode == 0, done.stdout + done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Build the wheel from a copy of what is tracked, and install it beside the packages of these tests."""
    base = tmp_path_factory.mktemp("wheel")
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, tracked.split("\0")):
        if not name.startswith("tests/") and (ROOT / name).is_file():
            (base / "source" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, base / "source" / name)
    command = [sys.executable, "-c", BUILD, str(base)]
    built = subprocess.run(command, cwd=base / "source", capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr[-3000:]
    wheel = base / built.stdout.split()[-1]
    (bundled,) = (Path(ensurepip.__file__).parent / "_bundled").glob("pip-*.whl")  # ours may have been made without pip
    pip = [sys.executable, str(bundled / "pip"), "install", "-q", "--no-compile", "--disable-pip-version-check"]
    subprocess.run([*pip, "--no-deps", "--no-index", "--target", str(base / "site"), str(wheel)], check=True)
    shutil.rmtree(base / "source")
    (base / "empty").mkdir()
    return Installed(base / "site", base / "empty")


def test_the_installed_command_finds_its_own_code_and_files(installed: Installed) -> None:
    assert installed.json("check", "core")["ok"] is True
    code = "import evaluator, authoring, sys\nfrom evaluator.installation import HOME\n"
    code += "print(evaluator.__file__, authoring.__file__, HOME)"
    done = installed.run(sys.executable, "-c", code)
    assert done.returncode == 0, done.stderr
    places = [Path(place) for place in done.stdout.split()]
    assert len(places) == 3
    assert all(place.is_relative_to(installed.site) for place in places), places
    home = places[-1]
    assert len([path for path in (home / "seeds").iterdir() if path.is_dir()]) >= 10
    assert {"cibench-mini", "core", "qwen-mini"} <= {path.name for path in (home / "problemsets").iterdir()}


def test_shipped_seeds_benchmarks_and_experiments_are_used(installed: Installed) -> None:
    assert len(installed.json("seed", "list", "--workspace", "work")["seeds"]) >= 10
    summary = installed.json("run", "core", "--agent", "oracle", "--out", "out", "--limit", "2")
    assert (summary["judged"], summary["pass_rate"]) == (2, 1.0)
    experiments = installed.json("experiment", "list")["experiments"]
    assert {"dseval-frameworks", "cibench-board", "qwen-table"} <= {each["name"] for each in experiments}


@pytest.fixture
def app(installed: Installed) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    command = [installed.command, "app", "--port", str(port), "--workspace", "work"]
    log = installed.folder.parent / "app.log"
    with log.open("wb") as out:
        server = subprocess.Popen(
            command, cwd=installed.folder, env=installed.surroundings, stdout=out, stderr=out, start_new_session=True
        )
    try:
        address = f"http://127.0.0.1:{port}"
        deadline = time.monotonic() + PATIENCE_S
        while answer(f"{address}/_stcore/health") != b"ok":
            assert server.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.05)
        yield address
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(PATIENCE_S)


def answer(url: str) -> bytes:
    try:
        with urllib.request.urlopen(url, timeout=PATIENCE_S) as found:
            return bytes(found.read())
    except urllib.error.URLError:
        return b""


def test_the_app_starts_with_its_pages_and_its_editor(app: str) -> None:
    assert b"<html" in answer(app)
    assert b"<html" in answer(f"{app}/seeds")
    assert answer(f"{app}/app/static/cm6.js").startswith(b"// Built by")


PAGES = """
from streamlit.testing.v1 import AppTest
from authoring.ui.shell.navigation import PAGES
from evaluator.installation import HOME

app = AppTest.from_file(str(HOME / "app.py"), default_timeout=120)
for entry in PAGES:
    app.switch_page(entry.path).run() if entry.name != "queue" else app.run()
    assert not app.exception and not app.error, (entry.name, app.exception, app.error)
    print(entry.name, len(app.main.children))
"""


def test_every_page_draws(installed: Installed) -> None:
    done = installed.run(sys.executable, "-c", PAGES)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) >= 12
