"""Building environments: what may stand in requirements, and what can go wrong leaves nothing behind and says why."""

import io
import json
import os
import signal
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from authoring.cli.main import run_command_line
from evaluator.environments import create_environment, environment_named, list_environments
from evaluator.environments.installers import (
    NEEDED,
    PipInstaller,
    Workbench,
    brief_reason,
    choose_installer,
    package_name,
    pins_of_report,
    read_requirements,
)
from evaluator.environments.pythons import find_python
from evaluator.errors import ContentError, ToolkitError, UsageError
from evaluator.session import SandboxChoice
from tests.environments.conftest import MakeEnvironment
from tests.waiting import eventually

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
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return folder / "uv"


def written(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def write_program(path: Path, script: str) -> None:
    written(path, f'[ "$1" = --version ] && echo "uv 9.9" && exit 0\n{script}')


class Offline(PipInstaller):
    """Installs from a folder of wheels; what every environment needs is that of our own Python."""

    def install(self, venv: Path, requirements: Sequence[str]) -> str:
        assert set(NEEDED) < set(requirements)
        (site,) = (venv / "lib").glob("python*/site-packages")
        (site / "ours.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
        return super().install(venv, [each for each in requirements if each not in NEEDED])


def wheels(folder: Path) -> Path:
    """Return a folder with one wheel of two modules; one of them starts a thread when it is imported."""
    folder.mkdir()
    with zipfile.ZipFile(folder / "tiny_thing-1.5-py3-none-any.whl", "w") as wheel:
        wheel.writestr("tiny_thing.py", "x = 1\n")
        wheel.writestr("busy.py", "import threading\nthreading.Thread(target=threading.Event().wait).start()\n")
        info = "tiny_thing-1.5.dist-info"
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny-thing\nVersion: 1.5\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    return folder


@pytest.mark.kernel
def test_an_environment_is_resolved_pinned_installed_and_tried(
    environments: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels(tmp_path / "wheels")))
    wanted, said = tmp_path / "wanted.txt", list[str]()
    wanted_line = "tiny_thing>=1"
    wanted.write_text(wanted_line)
    none = SandboxChoice.NONE
    record = create_environment("course", [wanted], sandbox=none, on_event=said.append, installer=Offline)
    assert [path.name for path in environments.iterdir()] == ["course"]
    assert list_environments() == (record,)
    assert (record.installer, record.requirements, record.packages) == ("pip", (wanted_line,), {"tiny-thing": "1.5"})
    assert record.fork_check["tiny_thing"] == "ok"
    assert "it starts threads when imported" in record.fork_check["busy"]
    assert record.size_bytes > 1000
    assert said[0] == f"building course with pip on Python {find_python(None).version}"
    assert said[-1] == "checking tiny_thing in a forked process"
    environment = environment_named("course")
    assert environment.id == record.digest
    assert environment.fork_safe == {"tiny_thing"}
    pins = (environments / "course" / "lock.txt").read_text()
    assert pins.startswith("tiny-thing==1.5 \\\n    --hash=sha256:")
    assert str(tmp_path) not in pins
    scripts = (environments / "course" / "venv" / "bin" / "activate").read_text()
    assert str(environments / "course" / "venv") in scripts
    assert ".under-way" not in scripts
    wanted.write_text("tiny_thing>=2\n")
    with pytest.raises(ContentError, match=r"tiny.thing"):
        create_environment("later", [wanted], sandbox=none, installer=Offline)
    assert [path.name for path in environments.iterdir()] == ["course"]


def test_a_failing_resolve_or_network_is_told_in_brief_and_leaves_nothing(
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
    program = "from authoring.cli.main import main; main()"
    command = [sys.executable, "-c", program, "env", "create", "course", "-r", str(requirements)]
    build = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, stderr=subprocess.DEVNULL)
    assert eventually(mark.exists, within_s=120)
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
    assert eventually(lambda: not Path(f"/proc/{installer}").exists())
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


def test_pip_is_taken_where_uv_is_missing_or_broken(tmp_path: Path, fake_uv: Path) -> None:
    bench = Workbench(tmp_path, 0)
    written(fake_uv, "exit 1")
    assert choose_installer(bench).name == "pip"
    write_program(fake_uv, "exit 0")
    assert choose_installer(bench).name == "uv 9.9"


def test_pythons_are_found_by_version_and_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = find_python(None)
    short = ".".join(own.version.split(".")[:2])
    assert find_python(short) == find_python(own.version) == find_python(sys.executable) == own
    assert "/.venv/" not in own.executable
    refused = {"3": "no version", "three": "no version", "3.99": "was not found", "/bin/true": "is no Python"}
    for wanted, what in refused.items():
        with pytest.raises(UsageError, match=what):
            find_python(wanted)
    written(tmp_path / "python3.98", "exit 127")  # like those of version managers: there, but it does not run
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    kept = tmp_path / "pyenv" / "versions" / "3.98.1" / "bin" / "python3.98"
    kept.parent.mkdir(parents=True)
    written(kept, 'echo \'["3.98.1", "cpython", "/opt/python3.98"]\'')
    assert find_python("3.98").executable == "/opt/python3.98"
    written(kept, 'echo \'["3.9.1", "cpython", "/opt/python3.9"]\'')
    with pytest.raises(UsageError, match="too old"):
        find_python(str(kept))


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


def test_packages_with_versions_markers_and_extras_are_read(requirements: Path) -> None:
    requirements.write_text("""\
# what the course uses
pandas==2.2.*   # not 3
numpy >=1.26, <2.3
scikit_learn~=1.5 ; python_version < "3.13"
requests[socks]
scipy==1.14.0 \\
    --hash=sha256:aaaa \\
    --hash=sha256:bbbb
""")
    assert read_requirements([requirements]) == (
        *("pandas==2.2.*", "numpy >=1.26, <2.3", 'scikit_learn~=1.5 ; python_version < "3.13"', "requests[socks]"),
        "scipy==1.14.0",
    )
    for written in ("Scikit_Learn[extra]~=1.5", "scikit.learn; python_version > '3.10'", "SCIKIT--LEARN >= 1, < 2"):
        assert package_name(written) == "scikit-learn"


def test_what_points_elsewhere_or_cannot_be_read_is_refused_at_its_line(requirements: Path) -> None:
    for line in (
        *("--index-url https://packages.example/simple", "-e .", "-r other.txt", "./wheels/thing.whl", "/opt/thing"),
        *("thing @ https://packages.example/thing.whl", "git+https://packages.example/thing", "two words", "= 1.0"),
    ):
        requirements.write_text(f"pandas\n\n{line}\n")
        with pytest.raises(ContentError, match="is no package") as caught:
            read_requirements([requirements])
        assert caught.value.where.endswith("requirements.txt:3")
        assert "pandas==2.2.*" in caught.value.fix
    with pytest.raises(UsageError, match="cannot be read"):
        read_requirements([requirements.with_name("none.txt")])
    requirements.write_bytes(b"pandas\xff")
    with pytest.raises(ContentError, match="UTF-8"):
        read_requirements([requirements])


def test_an_installers_reason_is_short_and_names_no_address() -> None:
    said = "\n".join(["noise"] * 50 + ["", "error: no wheel at https://packages.example/simple/pandas/", "pandas<1"])
    lines = brief_reason(said).splitlines()
    assert lines[-2:] == ["error: no wheel at (an address)", "pandas<1"]
    assert len(lines) == 12
    assert brief_reason("\n \n") == "it said nothing"


def test_a_report_of_pip_becomes_pins_without_addresses() -> None:
    archive = {"url": "https://packages.example/six.whl", "archive_info": {"hashes": {"sha256": "ab"}}}
    report = [
        {"metadata": {"name": "Six", "version": "1.17.0"}, "download_info": archive},
        {"metadata": {"name": "idna", "version": "3.1"}, "download_info": {"url": "file:///x", "dir_info": {}}},
    ]
    assert pins_of_report(json.dumps({"install": report})) == "idna==3.1\nsix==1.17.0 \\\n    --hash=sha256:ab\n"
