"""Where the Python that runs us lies, however it was started: the sandbox must show that place."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from evaluator.session import SandboxChoice
from evaluator.session.sandboxing import backends
from evaluator.session.sandboxing.interpreter import Interpreter, straight

ROOT = Path(__file__).parents[2]
RUN = (
    "import sys\nfrom evaluator.session import Engine, SandboxChoice\n"
    "with Engine(sandbox=SandboxChoice(sys.argv[1])) as engine, engine.open(key='k', inputs=None) as session:\n"
    "    outcome = session.attempt('import numpy, sys, subprocess\\n'\n"
    '        \'subprocess.run([sys.executable, "-c", "import numpy"], check=True)\\nprint(numpy.__name__)\')\n'
    "    print(outcome.ending.value, outcome.outputs[0]['text'], sys.executable)"
)


@pytest.mark.kernel
@pytest.mark.parametrize("choice", [SandboxChoice.BWRAP, SandboxChoice.LANDLOCK])
def test_a_python_started_by_a_path_with_steps_back_finds_its_sandbox(choice: SandboxChoice, tmp_path: Path) -> None:
    if not backends.probe_backend(choice).available:
        pytest.skip(f"no {choice} here")
    (tmp_path / "away").mkdir()
    (tmp_path / "env").symlink_to(sys.prefix)
    started = subprocess.run(
        [os.path.join("..", "env", "bin", Path(sys.executable).name), "-c", RUN, choice.value],
        cwd=tmp_path / "away",
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert started.returncode == 0, started.stderr
    assert started.stdout.startswith("ok numpy")
    assert "/away/../env/" in started.stdout  # or it would not have been started so


def test_steps_back_are_taken_from_where_links_lead_to(tmp_path: Path) -> None:
    (tmp_path / "far" / "bin").mkdir(parents=True)
    (tmp_path / "far" / "python").touch()
    (tmp_path / "near").symlink_to(tmp_path / "far" / "bin")
    assert straight(f"{tmp_path}/near/../python") == f"{os.path.realpath(tmp_path)}/far/python"
    assert straight(f"{tmp_path}/near/x") == f"{tmp_path}/near/x"  # a link alone may be what an environment is known by
    assert straight("/usr/bin/../lib/./python") == "/usr/lib/python"


def test_no_place_of_an_interpreter_has_steps_back(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("prefix", "base_prefix", "exec_prefix"):
        value = getattr(sys, name)
        monkeypatch.setattr(sys, name, f"{value}/bin/..")
    folder, name = os.path.split(sys.executable)
    monkeypatch.setattr(sys, "executable", f"{folder}/../{os.path.basename(folder)}/{name}")
    own = Interpreter.own()
    assert ".." not in Path(own.executable).parts
    assert [root for root in own.roots if ".." in Path(root).parts] == []
    assert os.access(own.executable, os.X_OK)


def test_a_python_started_by_a_link_that_lies_elsewhere_is_the_one_it_leads_to(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    link = tmp_path / "python"
    link.symlink_to(os.path.realpath(sys.executable))
    monkeypatch.setattr(sys, "executable", str(link))
    assert Interpreter.own().executable == os.path.realpath(link)
