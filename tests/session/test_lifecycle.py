"""Processes of ours that die, hosts that die, threads: nothing hangs, nothing stays behind."""

import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import distributions
from pathlib import Path

import pytest

from evaluator.errors import UsageError
from evaluator.session import (
    CellLimits,
    Ending,
    Engine,
    SandboxChoice,
    Session,
    SessionLost,
    own_environment,
)
from evaluator.session.sandboxing.interpreter import Interpreter
from evaluator.session.sandboxing.scratch import make_scratch_folder, remove_scratch_folder, scratch_folder
from tests.session.conftest import PATIENT, processes_with, result
from tests.waiting import eventually

pytestmark = pytest.mark.kernel


# Without a sandbox we ourselves end what is left; within one its namespace does.
BACKENDS = pytest.mark.parametrize("backend", ["none", pytest.param("bwrap", marks=pytest.mark.deep)])


@pytest.fixture
def own(backend: str) -> Iterator[Engine]:
    """An engine that a test may break."""
    with Engine(sandbox=SandboxChoice(backend)) as made:
        yield made


def is_lost(session: Session) -> bool:
    try:
        session.attempt("1", limits=PATIENT)
    except SessionLost:
        return True
    return False


SECRET = "sk-do-not-leak"
LEAKS = """
import os, pathlib
found = [str(dict(os.environ))]
for entry in {processes}:
    for name in ("environ", "cmdline"):
        try: found.append(pathlib.Path("/proc", entry, name).read_bytes().decode("utf-8", "replace"))
        except OSError: pass
"sk-do-" + "not-leak" in " ".join(found)
"""


@BACKENDS
def test_a_killed_template_is_replaced_and_a_closed_engine_leaves_nothing(
    own: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)  # reaches no cell of a process that starts now
    with own.open(key="a", inputs=None) as session:
        session.execute("x = 1")
        os.killpg(own._template._worker.process.pid, signal.SIGKILL)
        assert eventually(lambda: is_lost(session), within_s=30)
        with own.open(key="a", inputs=None) as again:
            again.execute("import subprocess\nx = 1\nsubprocess.Popen(['sleep', '987.625'], start_new_session=True)")
            assert result(again, "x") == 1
            processes = "['self']" if own.sandbox_name == "none" else "os.listdir('/proc')"  # there all are visible
            assert result(again, LEAKS.format(processes=processes)) is False
            assert len(processes_with("987.625")) == 1
            scratch = own._scratch
            own.close()
            own.close()
            assert eventually(lambda: processes_with("987.625") == [])
    assert not scratch.exists()
    assert eventually(lambda: processes_with(scratch.name) == [])
    with pytest.raises(UsageError, match="closed"):
        own.open(key="a", inputs=None)


def test_a_cell_that_ends_its_session_is_reported_and_the_session_is_lost(engine: Engine) -> None:
    for source, ending in (("import os\nos.kill(os.getpid(), 9)", Ending.DIED), ("while True: pass", Ending.TIMED_OUT)):
        with engine.open(key="a", inputs=None) as session:
            outcome = session.execute(f"print('first')\n{source}", limits=CellLimits(wall_s=0.5))
            assert outcome.ending is ending
            assert outcome.outputs[0]["text"] == "first\n"
            assert session.is_lost
            with pytest.raises(SessionLost) as caught:
                session.attempt("1", limits=PATIENT)
            assert "replay" in caught.value.fix


def test_a_closed_session_says_so_and_one_that_is_gone_has_no_threads(engine: Engine) -> None:
    session = engine.open(key="a", inputs=None)
    session.close()
    session.close()
    with pytest.raises(UsageError, match="closed"):
        session.attempt("1")
    with engine.open(key="gone", inputs=None) as session:
        session.execute("import threading\nthreading.Thread(target=threading.Event().wait).start()")
        assert len(session.lost_threads()) == 1
        signal.pidfd_send_signal(session._pidfd, signal.SIGKILL)
        assert select.select([session._pidfd], [], [], 10)[0]
        with pytest.raises(SessionLost):
            session.lost_threads()


def test_children_of_a_session_end_with_it(each_engine: Engine) -> None:
    with each_engine.open(key="a", inputs=None) as session:
        session.execute("import subprocess\nsubprocess.Popen(['sleep', '876.5'], start_new_session=True)")
        assert session.attempt("1", limits=PATIENT).ending is Ending.OK
        assert len(processes_with("876.5")) == 1
    assert eventually(lambda: processes_with("876.5") == [])


HOST = """
import signal, sys, time
from evaluator.session import CellLimits, Engine, SandboxChoice
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job of a shell may begin with it ignored
engine = Engine(sandbox=SandboxChoice(sys.argv[1]))
session = engine.open(key="a", inputs=None)
session.execute("import subprocess; x = 1")
print(engine._scratch, flush=True)
try:
    session.attempt("subprocess.run(['sleep', '%s'])" % sys.argv[2], limits=CellLimits(wall_s=600))
except KeyboardInterrupt:
    print("interrupted", session.attempt("print(x)", limits=CellLimits(wall_s=60)).outputs[0]["text"], flush=True)
    print(engine.open(key="b", inputs=None).execute("print(6 * 7)").outputs[0]["text"], flush=True)
    time.sleep(600)
"""


@BACKENDS
def test_ctrl_c_reaches_the_host_alone_and_all_dies_with_a_killed_host(backend: str) -> None:
    command = [sys.executable, "-c", HOST, backend, "765.25"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as host:
        assert host.stdout is not None
        scratch = Path(host.stdout.readline().strip())
        assert scratch.is_dir()
        assert eventually(lambda: len(processes_with("765.25")) >= 2, within_s=60)  # the host itself and the sleeper
        os.killpg(host.pid, signal.SIGINT)
        said = [host.stdout.readline() for _ in range(4)]
        assert "".join(said).split() == ["interrupted", "1", "42"]
        host.kill()
    assert eventually(lambda: processes_with("765.25") == [])
    assert eventually(lambda: processes_with(scratch.name) == [])
    with scratch_folder() as mine:
        assert not scratch.exists()  # what a killed process left goes at the next start
        assert mine.is_dir()
    assert not mine.exists()


def test_scratch_folders_of_the_living_are_left_alone() -> None:
    mine = make_scratch_folder()
    foreign = Path(tempfile.mkdtemp(prefix=f"benchwright-{os.getppid()}-"))
    remove_scratch_folder(make_scratch_folder())
    assert mine.exists()
    assert foreign.exists()
    remove_scratch_folder(mine)
    foreign.rmdir()


def test_input_folders_that_are_missing_or_lead_elsewhere_are_refused(engine: Engine, tmp_path: Path) -> None:
    for target in ("/etc/hostname", "nowhere", "leak.csv", ".", "/etc"):
        (tmp_path / "leak.csv").unlink(missing_ok=True)
        (tmp_path / "leak.csv").symlink_to(target)
        with pytest.raises(UsageError, match="is a link that leads"):
            engine.open(key="a", inputs=tmp_path)
    with pytest.raises(UsageError, match="does not exist") as caught:
        engine.open(key="a", inputs=tmp_path / "gone")
    assert caught.value.where.endswith("gone")


def test_a_python_started_by_a_link_is_the_one_it_leads_to(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    link = tmp_path / "python"
    link.symlink_to(os.path.realpath(sys.executable))
    monkeypatch.setattr(sys, "executable", str(link))
    assert Interpreter.own().executable == os.path.realpath(link)


def test_packages_of_our_environment_are_those_their_metadata_name() -> None:
    named = {each.metadata["Name"].lower(): each.version for each in distributions()}
    assert own_environment().packages == named
