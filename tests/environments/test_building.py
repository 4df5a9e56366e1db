"""Building environments: what can go wrong leaves nothing behind and says why."""

import io
import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from authoring.cli.main import run_command_line
from evaluator.environments import create_environment, list_environments
from evaluator.environments.installers import PipInstaller, Workbench, choose_installer
from evaluator.environments.pythons import find_python
from evaluator.errors import ContentError, ToolkitError, UsageError
from tests.environments.conftest import MakeEnvironment

ROOT = Path(__file__).parents[2]


@pytest.fixture
def requirements(tmp_path: Path) -> Path:
    path = tmp_path / "requirements.txt"
    path.write_text("pandas==2.2.*\n")
    return path


@pytest.fixture
def fake_uv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program in uv's place, first on the PATH; the test writes what it does."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "uv"
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return program


def write_program(path: Path, script: str) -> None:
    path.write_text(f'#!/bin/sh\n[ "$1" = --version ] && echo "uv 9.9" && exit 0\n{script}\n')
    path.chmod(0o755)


def test_a_failing_resolve_is_told_in_brief_and_leaves_nothing(
    environments: Path, requirements: Path, fake_uv: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_program(fake_uv, '[ "$1" = venv ] && exit 0\necho "No solution: pandas==2.2.* is not there" >&2\nexit 1')
    assert run_command_line(["env", "create", "course", "-r", str(requirements)]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert "building course with uv 9.9 on Python" in said.err
    assert "resolving the requirements failed:\nNo solution: pandas==2.2.* is not there" in said.err
    assert "fix: change what the reason names" in said.err
    assert list(environments.iterdir()) == []


def test_a_failing_network_is_no_fault_of_the_requirements(
    environments: Path, requirements: Path, fake_uv: Path
) -> None:
    write_program(fake_uv, 'echo "error sending request for (an address)" >&2\nexit 2')
    with pytest.raises(ToolkitError, match="error sending request") as caught:
        create_environment("course", [requirements])
    assert caught.value.exit_code == 3
    assert "network" in caught.value.fix


def test_a_killed_build_is_not_listed_and_the_next_one_clears_it_away(
    environments: Path, requirements: Path, fake_uv: Path, tmp_path: Path
) -> None:
    mark = tmp_path / "started"
    write_program(fake_uv, f"echo $$ > {mark}.new\nmv {mark}.new {mark}\nexec sleep 60")
    command = "from authoring.cli.main import main; main()"
    build = subprocess.Popen(
        [sys.executable, "-c", command, "env", "create", "course", "-r", str(requirements)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 60
    while not mark.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    build.kill()
    build.wait()
    installer = int(mark.read_text())
    try:
        (left,) = environments.iterdir()
        assert left.name.startswith(".")
        assert list_environments() == ()
        write_program(fake_uv, 'echo "no" >&2; exit 1')
        with pytest.raises(ContentError):
            create_environment("course", [requirements])
        assert left.exists()  # its installer still runs: nothing is removed under its hands
    finally:
        os.kill(installer, signal.SIGKILL)
    while Path(f"/proc/{installer}").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    with pytest.raises(ContentError):
        create_environment("course", [requirements])
    assert list(environments.iterdir()) == []


def test_a_taken_name_is_refused_before_any_work(
    make_environment: MakeEnvironment, requirements: Path, fake_uv: Path
) -> None:
    make_environment("course")
    write_program(fake_uv, "exit 99")
    with pytest.raises(ContentError, match="already") as caught:
        create_environment("course", [requirements])
    assert "env remove course" in caught.value.fix


def test_pip_installs_and_pins_by_hash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    with zipfile.ZipFile(wheels / "tiny_thing-1.5-py3-none-any.whl", "w") as wheel:
        wheel.writestr("tiny_thing.py", "x = 1\n")
        wheel.writestr("tiny_thing-1.5.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny-thing\nVersion: 1.5\n")
        wheel.writestr(
            "tiny_thing-1.5.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr("tiny_thing-1.5.dist-info/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    folder = tmp_path / "bench"
    folder.mkdir()
    with (folder / "lock").open("w") as lock:
        pip = PipInstaller(Workbench(folder, lock.fileno()))
        pip.make_venv(find_python(None), folder / "venv")
        pins = pip.install(folder / "venv", ["tiny_thing>=1"])
        with pytest.raises(ContentError, match=r"tiny.thing"):
            pip.install(folder / "venv", ["tiny_thing>=2"])
    assert pins.startswith("tiny-thing==1.5 \\\n    --hash=sha256:")
    assert str(wheels) not in pins
    python = folder / "venv" / "bin" / "python"
    subprocess.run([python, "-c", "import tiny_thing"], check=True)


def test_pip_stands_in_where_uv_is_missing_or_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Workbench(tmp_path, 0)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert choose_installer(bench).name == "pip"
    broken = tmp_path / "uv"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    assert choose_installer(bench).name == "pip"
    write_program(broken, "exit 0")
    assert choose_installer(bench).name == "uv 9.9"


def test_pythons_are_found_by_version_and_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = find_python(None)
    short = ".".join(own.version.split(".")[:2])
    assert find_python(short) == find_python(own.version) == find_python(sys.executable) == own
    assert "/.venv/" not in own.executable
    for wanted, what in (
        ("3", "no version"),
        ("three", "no version"),
        ("3.99", "was not found"),
        ("/nowhere/python", "is no Python"),
        ("/bin/true", "is no Python"),
    ):
        with pytest.raises(UsageError, match=what):
            find_python(wanted)
    shim = tmp_path / "python3.98"  # like those of version managers: there, but it does not run
    shim.write_text("#!/bin/sh\nexit 127\n")
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    kept = tmp_path / "pyenv" / "versions" / "3.98.1" / "bin"
    kept.mkdir(parents=True)
    (kept / "python3.98").write_text('#!/bin/sh\necho \'["3.98.1", "cpython", "/opt/python3.98"]\'\n')
    (kept / "python3.98").chmod(0o755)
    assert find_python("3.98").executable == "/opt/python3.98"
    (kept / "python3.98").write_text('#!/bin/sh\necho \'["3.9.1", "cpython", "/opt/python3.9"]\'\n')
    with pytest.raises(UsageError, match="too old"):
        find_python(str(kept / "python3.98"))


def test_the_commands_list_and_remove(
    make_environment: MakeEnvironment, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_environment("course")
    assert run_command_line(["env", "list"]) == 0
    assert "course" in capsys.readouterr().out
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    assert run_command_line(["env", "remove", "course"]) != 0
    assert folder.is_dir()
    assert run_command_line(["env", "remove", "corse", "--yes"]) == 2
    assert "use 'course'" in capsys.readouterr().err
    assert run_command_line(["env", "remove", "course", "--yes", "--json"]) == 0
    assert capsys.readouterr().out == '{"removed": "course"}\n'
    assert not folder.exists()
