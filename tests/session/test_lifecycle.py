"""Processes of ours that die, hosts that die, threads: nothing hangs, nothing stays behind."""

import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from importlib.metadata import distributions
from pathlib import Path

import pytest

from evaluator.errors import UsageError
from evaluator.session import (
    CaptureSpec,
    CellLimits,
    Ending,
    Engine,
    SandboxChoice,
    Session,
    SessionLost,
    own_environment,
)
from evaluator.session.sandboxing.interpreter import Interpreter, straight
from evaluator.session.sandboxing.scratch import make_scratch_folder, remove_scratch_folder, scratch_folder
from evaluator.session.template import TemplateProcess, WorkerDiedError
from tests.session.conftest import PATIENT, processes_with, result
from tests.waiting import eventually

pytestmark = pytest.mark.kernel

ROOT = Path(__file__).parents[2]


@pytest.fixture
def own(each_engine: Engine) -> Iterator[Engine]:
    """An engine of the same backend that a test may break."""
    with Engine(sandbox=SandboxChoice(each_engine.sandbox_name)) as made:
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


def test_who_waits_for_a_template_that_is_replaced_is_told_that_it_died() -> None:
    """The engine outlives the thread that made it, and leaves no descriptor."""
    before = len(os.listdir("/proc/self/fd"))
    made: list[Engine] = []
    maker = threading.Thread(target=lambda: made.append(Engine(sandbox=SandboxChoice.NONE)))
    maker.start()
    maker.join()
    errors: list[Exception] = []

    def wait(template: TemplateProcess) -> None:
        for _ in range(3):
            try:
                template.fork()
            except Exception as error:  # noqa: BLE001  # whatever it is
                errors.append(error)

    with made[0] as engine:
        old = engine._template
        waiting = [threading.Thread(target=wait, args=(old,)) for _ in range(3)]
        for thread in waiting:
            thread.start()
        time.sleep(0.05)
        engine._usable_template(old)
        for thread in waiting:
            thread.join(60)
        with engine.open(key="a", inputs=None) as session:
            assert session.attempt("1", limits=PATIENT).ending is Ending.OK
    assert {type(error) for error in errors} == {WorkerDiedError}
    assert old._worker.complaint() == ""
    assert len(os.listdir("/proc/self/fd")) <= before


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


def test_a_rehearsed_session_is_as_fresh_as_any(engine: Engine) -> None:
    """What the template rehearses saves sessions time and leaves nothing that they could see."""
    look = "import sys\nleft = sorted(name for name in globals() if not name.startswith('_'))\n"
    look += "print([left, _, 'pyarrow.vendored.version' in sys.modules])"
    with engine.open(key="rehearsed", inputs=None) as session:
        outcome = session.execute(look, capture=CaptureSpec())
        assert session.lost_threads() == ()
    names, underscore, loaded = eval(outcome.outputs[0]["text"])  # our own literal
    assert set(names) <= {"In", "Out", "exit", "quit", "get_ipython", "open", "sys"}
    assert (underscore, loaded) == ("", True)


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


def test_ctrl_c_reaches_the_host_alone_and_all_dies_with_a_killed_host(each_engine: Engine) -> None:
    command = [sys.executable, "-c", HOST, each_engine.sandbox_name, "765.25"]
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


def test_the_place_of_an_interpreter_has_no_steps_back(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "far" / "bin").mkdir(parents=True)
    (tmp_path / "far" / "python").touch()
    (tmp_path / "near").symlink_to(tmp_path / "far" / "bin")
    assert straight(f"{tmp_path}/near/../python") == f"{os.path.realpath(tmp_path)}/far/python"
    assert straight(f"{tmp_path}/near/x") == f"{tmp_path}/near/x"  # a link alone may be what an environment is known by
    assert straight("/usr/bin/../lib/./python") == "/usr/lib/python"
    for name in ("prefix", "base_prefix", "exec_prefix"):
        monkeypatch.setattr(sys, name, f"{getattr(sys, name)}/bin/..")
    folder, name = os.path.split(sys.executable)
    monkeypatch.setattr(sys, "executable", f"{folder}/../{os.path.basename(folder)}/{name}")
    own = Interpreter.own()
    assert ".." not in Path(own.executable).parts
    assert [root for root in own.roots if ".." in Path(root).parts] == []
    assert os.access(own.executable, os.X_OK)


def test_a_python_started_by_a_link_is_the_one_it_leads_to(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    link = tmp_path / "python"
    link.symlink_to(os.path.realpath(sys.executable))
    monkeypatch.setattr(sys, "executable", str(link))
    assert Interpreter.own().executable == os.path.realpath(link)


def test_packages_of_our_environment_are_those_their_metadata_name() -> None:
    named = {each.metadata["Name"].lower(): each.version for each in distributions()}
    assert own_environment().packages == named
