"""Processes of ours that die, hosts that die, threads: nothing hangs, nothing stays behind."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from evaluator.errors import UsageError
from evaluator.inside.codec.decode.decoded import DecodedOutcome
from evaluator.session import CellLimits, Ending, Engine, Outcome, SandboxChoice, Session, SessionLost
from evaluator.session.sandboxing.scratch import make_scratch_folder, remove_scratch_folder, scratch_folder
from evaluator.session.template import TemplateProcess, WorkerDiedError
from tests.waiting import eventually

pytestmark = pytest.mark.kernel

Reader = Callable[[Outcome], DecodedOutcome]
PATIENT = CellLimits(wall_s=30)


@pytest.fixture
def own(engine: Engine) -> Engine:
    """An engine of the same backend that a test may break."""
    return Engine(sandbox=SandboxChoice(engine.sandbox_name))


def test_a_killed_template_is_replaced_and_its_sessions_are_lost(own: Engine, read: Reader) -> None:
    with own, own.open(key="a", inputs=None) as session:
        session.execute("x = 1")
        os.killpg(own._template._worker.process.pid, signal.SIGKILL)
        assert eventually(lambda: is_lost(session))
        with own.open(key="a", inputs=None) as again:
            again.execute("x = 1")
            assert read(again.attempt("x", limits=PATIENT)).result == 1


def is_lost(session: Session) -> bool:
    try:
        session.attempt("1", limits=PATIENT)
    except SessionLost:
        return True
    return False


def test_a_template_killed_before_the_first_session_is_replaced(own: Engine) -> None:
    with own:
        os.killpg(own._template._worker.process.pid, signal.SIGKILL)
        with own.open(key="a", inputs=None) as session:
            assert session.execute("1").ending is Ending.OK


@pytest.mark.parametrize("instant_s", [0.0, 0.02, 0.1, 0.3])
def test_who_waits_for_a_template_that_another_thread_replaces_is_told_that_it_died(
    own: Engine, instant_s: float
) -> None:
    errors: list[Exception] = []

    def wait(template: TemplateProcess) -> None:
        for _ in range(3):
            try:
                template.fork()
            except Exception as error:  # noqa: BLE001  # whatever it is
                errors.append(error)

    with own:
        old = own._template
        waiting = [threading.Thread(target=wait, args=(old,)) for _ in range(3)]
        for thread in waiting:
            thread.start()
        time.sleep(instant_s)
        own._usable_template(old)
        for thread in waiting:
            thread.join(30)
    assert {type(error) for error in errors} == {WorkerDiedError}
    assert old._worker.complaint() == ""


@pytest.mark.parametrize(
    ("source", "ending"),
    [("import os\nos.kill(os.getpid(), 9)", Ending.DIED), ("while True: pass", Ending.TIMED_OUT)],
)
def test_a_cell_that_ends_its_session_is_reported_and_the_session_is_lost(
    engine: Engine, source: str, ending: Ending
) -> None:
    with engine.open(key="a", inputs=None) as session:
        outcome = session.execute(f"print('first')\n{source}", limits=CellLimits(wall_s=1))
        assert outcome.ending is ending
        assert outcome.outputs[0]["text"] == "first\n"
        with pytest.raises(SessionLost) as caught:
            session.attempt("1", limits=PATIENT)
        assert "replay" in caught.value.fix


def test_a_closed_session_says_so(engine: Engine) -> None:
    session = engine.open(key="a", inputs=None)
    session.close()
    session.close()
    with pytest.raises(UsageError, match="closed"):
        session.attempt("1")


def test_a_closed_engine_says_so(own: Engine) -> None:
    own.close()
    own.close()
    with pytest.raises(UsageError, match="closed"):
        own.open(key="a", inputs=None)


def test_children_of_a_session_end_with_it(engine: Engine) -> None:
    with engine.open(key="a", inputs=None) as session:
        session.execute("import subprocess\np = subprocess.Popen(['sleep', '876.5'], start_new_session=True)")
        assert session.attempt("p.poll() is None", limits=PATIENT).ending is Ending.OK
        assert len(processes_with("876.5")) == 1
    assert eventually(lambda: processes_with("876.5") == [])


def test_closing_an_engine_ends_what_its_sessions_started(own: Engine) -> None:
    with own, own.open(key="a", inputs=None) as session:
        session.execute("import subprocess\np = subprocess.Popen(['sleep', '987.625'], start_new_session=True)")
        assert len(processes_with("987.625")) == 1
        own.close()
        assert eventually(lambda: processes_with("987.625") == [])


def processes_with(text: str) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if text in (entry / "cmdline").read_text(errors="replace"):
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


HOST = """
import signal, sys, time
from evaluator.session import CellLimits, Engine, SandboxChoice
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job of a shell may begin with it ignored
engine = Engine(sandbox=SandboxChoice(sys.argv[1]))
session = engine.open(key="a", inputs=None)
session.execute("import subprocess; subprocess.Popen(['sleep', '%s'])" % sys.argv[2])
print(engine._scratch, flush=True)
try:
    session.attempt("import time; time.sleep(600)", limits=CellLimits(wall_s=600))
except KeyboardInterrupt:
    print("interrupted", flush=True)
    print(engine.open(key="b", inputs=None).execute("print(6 * 7)").outputs[0]["text"], flush=True)
    engine.close()
"""


def start_host(engine: Engine, mark: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", HOST, engine.sandbox_name, mark],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def test_everything_dies_with_a_killed_host_and_its_scratch_folder_goes_next_time(engine: Engine) -> None:
    with start_host(engine, "765.25") as host:
        assert host.stdout is not None
        scratch = Path(host.stdout.readline().strip())
        assert scratch.is_dir()
        assert eventually(lambda: len(processes_with("765.25")) >= 2)  # the host itself and the sleeper
        host.kill()
    assert eventually(lambda: processes_with("765.25") == [])
    assert eventually(lambda: processes_with(scratch.name) == [])
    remove_scratch_folder(make_scratch_folder())
    assert not scratch.exists()


def test_ctrl_c_reaches_the_host_and_not_its_workers(engine: Engine) -> None:
    with start_host(engine, "654.75") as host:
        assert host.stdout is not None
        host.stdout.readline()
        assert eventually(lambda: len(processes_with("654.75")) >= 2)
        time.sleep(0.3)
        os.killpg(host.pid, signal.SIGINT)
        assert host.stdout.read() == "interrupted\n42\n\n"
        assert host.wait(20) == 0


def test_an_engine_outlives_the_thread_that_made_it(engine: Engine) -> None:
    made: list[Engine] = []
    thread = threading.Thread(target=lambda: made.append(Engine(sandbox=SandboxChoice(engine.sandbox_name))))
    thread.start()
    thread.join()
    with made[0] as survivor, survivor.open(key="a", inputs=None) as session:
        assert session.execute("1").ending is Ending.OK


def test_several_threads_use_one_engine(engine: Engine, read: Reader) -> None:
    results: dict[int, object] = {}

    def work(number: int) -> None:
        with engine.open(key=str(number), inputs=None) as session:
            session.execute(f"x = {number}")
            for _ in range(3):
                results[number] = read(session.attempt("x * 2", limits=PATIENT)).result

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {0: 0, 1: 2, 2: 4, 3: 6}


def test_closing_an_engine_leaves_no_process_file_or_descriptor(own: Engine) -> None:
    before = len(os.listdir("/proc/self/fd"))
    with Engine(sandbox=SandboxChoice(own.sandbox_name)) as second:
        second.warm_up()
        session = second.open(key="a", inputs=None)
        session.attempt("1", limits=PATIENT)
        session.close()
        scratch = second._scratch
    assert not scratch.exists()
    assert len(os.listdir("/proc/self/fd")) == before
    own.close()


def test_a_scratch_folder_is_removed_however_deep_it_is_and_nothing_that_it_links_to(tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / "inner").mkdir(parents=True)
    folder = make_scratch_folder()
    (folder / "link").symlink_to(other)
    (folder / "removed-0" / "removed-1").mkdir(parents=True)
    (folder / "removed-0" / "removed-1" / "file").touch()
    (folder / "removed-0" / "removed-1").chmod(0)
    here = os.open(folder, os.O_RDONLY)
    for _ in range(1200):
        os.mkdir("d" * 200, dir_fd=here)
        below = os.open("d" * 200, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    remove_scratch_folder(folder)
    assert not folder.exists()
    assert (other / "inner").is_dir()


@pytest.mark.parametrize("target", ["/etc/hostname", "nowhere", "leak.csv", ".", "/etc"])
def test_a_link_that_leads_elsewhere_than_to_an_input_file_is_refused(
    engine: Engine, tmp_path: Path, target: str
) -> None:
    (tmp_path / "leak.csv").symlink_to(target)
    with pytest.raises(UsageError, match="is a link that leads"):
        engine.open(key="a", inputs=tmp_path)


def test_a_missing_inputs_folder_is_named(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not exist") as caught:
        engine.open(key="a", inputs=tmp_path / "gone")
    assert caught.value.where.endswith("gone")


def test_scratch_folders_of_the_living_are_left_alone() -> None:
    mine = make_scratch_folder()
    foreign = Path(tempfile.mkdtemp(prefix=f"benchwright-{os.getppid()}-"))
    remove_scratch_folder(make_scratch_folder())
    assert mine.exists()
    assert foreign.exists()
    remove_scratch_folder(mine)
    foreign.rmdir()


def test_the_scratch_folder_of_a_killed_process_goes_at_the_next_start() -> None:
    program = "import os; from evaluator.session import scratch_folder\n"
    program += "with scratch_folder() as folder: print(folder, flush=True); os.kill(os.getpid(), 9)"
    killed = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, check=False, timeout=60)
    left = Path(killed.stdout.strip())
    assert left.is_dir()
    with scratch_folder() as mine:
        assert not left.exists()
        assert mine.is_dir()
    assert not mine.exists()


def test_a_session_survives_an_attempt_that_was_interrupted_here(session: Session, read: Reader) -> None:
    session.execute("x = 1")
    timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        session.attempt("import time\ntime.sleep(30)", limits=CellLimits(wall_s=60))
    assert read(session.attempt("x", limits=PATIENT)).result == 1
