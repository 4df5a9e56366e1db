"""The weaker sandbox for machines without user namespaces: what it keeps from a cell all the same."""

import os
import platform
import socket
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import evaluator
from evaluator.inside.codec.decode.decoded import DecodedOutcome
from evaluator.inside.isolation import landlock, seccomp
from evaluator.session import CellLimits, Ending, Engine, Outcome, SandboxChoice, Session
from evaluator.session.sandboxing import backends
from evaluator.session.sandboxing.backends import probe_backend

pytestmark = [pytest.mark.kernel, pytest.mark.needs_processes]

Reader = Callable[[Outcome], DecodedOutcome]
PATIENT = CellLimits(wall_s=30)


@pytest.fixture(scope="module")
def guarded_engine() -> Iterator[Engine]:
    report = probe_backend(SandboxChoice.LANDLOCK)
    if not report.available:
        pytest.skip(f"no Landlock here: {report.reason}")
    with Engine(sandbox=SandboxChoice.LANDLOCK, rng_seed=7) as made:
        yield made


@pytest.fixture
def guarded(guarded_engine: Engine) -> Iterator[Session]:
    with guarded_engine.open(key="tests", inputs=None) as opened:
        yield opened


def result(read: Reader, session: Session, source: str) -> object:
    outcome = session.attempt(source, limits=PATIENT)
    assert outcome.ending is Ending.OK, outcome.error
    return read(outcome).result


def error_name(session: Session, source: str) -> str:
    error = session.attempt(source, limits=PATIENT).error
    return "" if error is None else error.name


def test_files_of_ours_can_be_neither_read_nor_written(guarded: Session, tmp_path: Path) -> None:
    checkout = Path(str(evaluator.__file__)).parents[1]
    secret = tmp_path / "secret"
    secret.write_text("x")
    for path in (secret, checkout / "pyproject.toml", Path("/etc/passwd"), Path("/dev/shm/x")):
        assert error_name(guarded, f"open({str(path)!r})") in ("PermissionError", "FileNotFoundError"), path
    for path in (tmp_path / "new", Path("/tmp/x"), Path(evaluator.__file__), Path("/dev/shm/x")):
        assert error_name(guarded, f"open({str(path)!r}, 'w')") == "PermissionError", path
    for change in ("os.remove", "os.truncate", "os.listdir"):
        arguments = f"{str(secret)!r}, 0" if change == "os.truncate" else repr(str(secret))
        assert error_name(guarded, f"import os\n{change}({arguments})") in ("PermissionError", "NotADirectoryError")
    guarded.attempt(f"import os\nos.chmod({str(secret)!r}, 0o777); os.utime({str(secret)!r}, (1, 1))", limits=PATIENT)
    assert secret.read_text() == "x"
    assert secret.stat().st_mode & 0o777 != 0o777
    assert secret.stat().st_mtime > 1


def test_there_are_no_sockets_but_pairs(guarded: Session, read: Reader, tmp_path: Path) -> None:
    path = str(tmp_path / "s")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen()
        for family in ("AF_INET", "AF_INET6", "AF_UNIX"):
            assert error_name(guarded, f"import socket\nsocket.socket(socket.{family})") == "PermissionError"
    assert error_name(guarded, "import socket\nsocket.socketpair(type=socket.SOCK_DGRAM)") == "PermissionError"
    source = "import asyncio, socket\nasync def five(): return 5\nasyncio.new_event_loop().run_until_complete(five())"
    assert result(read, guarded, source) == 5


def test_processes_of_others_cannot_be_seen_into_or_signalled(guarded: Session) -> None:
    us = os.getpid()
    assert error_name(guarded, f"import os, signal\nos.kill({us}, 0)") == "PermissionError"
    assert error_name(guarded, "import os\nos.kill(os.getppid(), 9)") == "PermissionError"
    for name in ("environ", "mem", "maps", "cmdline"):
        assert error_name(guarded, f"open('/proc/{us}/{name}')") == "PermissionError"
    guarded.attempt("import os\nos.kill(-1, 9)", limits=PATIENT)
    assert guarded.attempt("1", limits=PATIENT).ending is Ending.OK


HOLD_OVER = """
import ctypes, os, resource
libc = ctypes.CDLL(None, use_errno=True)
room = ctypes.create_string_buffer(b"\\x01", 128)
attributes = (ctypes.c_uint32 * 14)(56, 5)

def errors(who):
    given = {{
        "setpriority": (0, who, 1), "ioprio_set": (1, who, 3 << 13), "sched_setscheduler": (who, 3, bytes(8)),
        "sched_setparam": (who, bytes(8)), "sched_setattr": (who, attributes, 0), "sched_setaffinity": (who, 128, room),
        "prlimit64": (who, 4, None, room), "migrate_pages": (who, 64, room, room),
        "move_pages": (who, 0, None, None, None, 0),
    }}
    found = set()
    for name, arguments in given.items():
        ctypes.set_errno(0)
        if libc.syscall({numbers}[name], *arguments) < 0:
            found.add((name, ctypes.get_errno()))
    return found
"""


def test_nothing_about_other_processes_can_be_set_and_all_about_itself(guarded: Session, read: Reader) -> None:
    calls = {*seccomp._OWN_PROCESS_FIRST, *seccomp._OWN_PROCESS_SECOND}
    source = HOLD_OVER.format(numbers=seccomp._MACHINES[platform.machine()].numbers)
    denied = {(name, 1) for name in calls}
    for others in ("os.getppid()", "os.getpid()", str(os.getpid()), "1"):
        assert result(read, guarded, f"{source}errors({others})") == denied, others
    found = result(read, guarded, f"{source}errors(0)")
    assert isinstance(found, set)
    assert found & denied == set()  # the kernel may still find a value odd


@pytest.mark.parametrize("kind", ["PRIO_PGRP", "PRIO_USER"])
def test_the_priority_of_a_group_or_a_user_cannot_be_set(guarded: Session, kind: str) -> None:
    assert error_name(guarded, f"import os\nos.setpriority(os.{kind}, 0, 1)") == "PermissionError"


def test_what_libraries_set_for_themselves_can_be_set(guarded: Session, read: Reader) -> None:
    source = (
        "import os, resource, threading\nos.sched_setaffinity(0, os.sched_getaffinity(0)); os.nice(1)\n"
        "resource.setrlimit(resource.RLIMIT_CORE, (0, 0)); resource.getrlimit(resource.RLIMIT_DATA)\n"
        "found = []\nthread = threading.Thread(target=lambda: found.append(os.sched_getaffinity(0)))\n"
        "thread.start(); thread.join(); os.sched_getaffinity(os.getppid())\nlen(found)"
    )
    assert result(read, guarded, source) == 1


def test_all_of_the_sandbox_goes_before_others_when_memory_runs_out(guarded: Session, read: Reader) -> None:
    path = "'/proc/self/oom_score_adj'"
    assert result(read, guarded, f"int(open({path}).read())") == 500
    assert error_name(guarded, f"open({path}, 'w')") == "PermissionError"


def test_trials_cannot_read_what_another_one_writes(guarded_engine: Engine, read: Reader) -> None:
    with (
        guarded_engine.open(key="one", inputs=None) as one,
        guarded_engine.open(key="two", inputs=None) as two,
        ThreadPoolExecutor(1) as pool,
    ):
        folder = result(read, two, "import os\nos.getcwd()")
        source = "import time\nopen('note', 'w').write('psst')\ntime.sleep(2)"
        writing = pool.submit(two.attempt, source, limits=PATIENT)
        time.sleep(1)
        assert error_name(one, f"open({folder!r} + '/note')") == "PermissionError"
        assert error_name(one, f"import os\nos.listdir(os.path.dirname({folder!r}))") == "PermissionError"
        assert writing.result().ending is Ending.OK
        assert error_name(two, "open('note')") == "FileNotFoundError"


@pytest.mark.takes_processes
def test_a_fork_bomb_meets_a_limit_and_its_processes_die(guarded: Session) -> None:
    bomb = "import os, time\nwhile True:\n    if os.fork() == 0:\n        os.setsid(); time.sleep(60)"
    outcome = guarded.attempt(bomb, limits=PATIENT)
    assert "processes" in outcome.limits_hit
    assert guarded.attempt("1", limits=PATIENT).ending is Ending.OK


@pytest.mark.slow
@pytest.mark.takes_processes
def test_a_fork_bomb_whose_processes_go_on_forking_is_ended(guarded: Session) -> None:
    bomb = "import os\nwhile True:\n    try:\n        if os.fork() == 0: os.setsid()\n    except OSError: pass"
    outcome = guarded.attempt(bomb, limits=CellLimits(wall_s=1))
    assert outcome.ending is Ending.TIMED_OUT
    assert guarded.attempt("1", limits=PATIENT).ending is Ending.OK


def test_ordinary_work_goes_on(guarded: Session, read: Reader) -> None:
    source = (
        "import shutil, subprocess, tempfile\nimport matplotlib.pyplot as plt, pandas as pd\n"
        "pd.DataFrame({'a': [1]}).to_csv('a.csv')\nshutil.copy2('a.csv', 'b.csv')\n"
        "with tempfile.NamedTemporaryFile() as file: file.write(b'x')\n"
        "plt.plot([1]); plt.savefig('a.png'); plt.close('all')\n"
        "(len(pd.read_csv('b.csv')), subprocess.run('echo hi', shell=True, capture_output=True, text=True).stdout)"
    )
    assert result(read, guarded, source) == (1, "hi\n")


def test_outcomes_are_judged_there_too(guarded_engine: Engine, guarded: Session) -> None:
    right, wrong = (guarded.attempt(str(number), limits=PATIENT) for number in (1, 2))
    validators = {"name": "result", "options": {}, "children": []}
    assert guarded_engine.judge(right, right, validators)["answer"] == "yes"
    assert guarded_engine.judge(right, wrong, validators)["answer"] == "no"


def test_a_folder_that_cannot_be_removed_does_not_stop_the_next_trial(guarded: Session) -> None:
    spoil = "import os\nos.makedirs('a/b')\nopen('a/b/c', 'w').close()\nos.umask(0o777); os.makedirs('d/e')"
    guarded.attempt(spoil, limits=PATIENT)
    assert guarded.attempt("open('x', 'w').close()", limits=PATIENT).ending is Ending.OK


@pytest.fixture
def without_bubblewrap(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    backends._probe.cache_clear()
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("BENCHWRIGHT_SANDBOX", raising=False)
    yield
    backends._probe.cache_clear()


@pytest.mark.usefixtures("without_bubblewrap")
def test_it_is_taken_where_there_is_no_bubblewrap_and_says_why() -> None:
    if not probe_backend(SandboxChoice.LANDLOCK).available:
        pytest.skip("no Landlock here")
    report = backends.probe_sandbox()
    assert (report.available, report.backend) == (True, "landlock")
    assert "bubblewrap is not installed" in report.reason
    assert backends.resolve_backend(SandboxChoice.AUTO, trusted=False) == "landlock"


def test_an_older_kernel_is_refused_by_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landlock, "find_abi", lambda: 4)
    backends._probe.cache_clear()
    try:
        report = probe_backend(SandboxChoice.LANDLOCK)
    finally:
        backends._probe.cache_clear()
    assert not report.available
    assert "Linux 6.12" in report.reason


def test_what_a_trial_starts_descends_from_it_and_from_nobody_else(guarded: Session, read: Reader) -> None:
    leaves = (
        "import ctypes, platform\nlibc = ctypes.CDLL(None)\n"
        "number = {'x86_64': 56, 'aarch64': 220}[platform.machine()]\n"
        "sibling = libc.syscall(number, 0x8000 | 17, 0, 0, 0, 0)  # CLONE_PARENT\n"
        "if sibling == 0: libc._exit(0)\n"
        "[sibling, libc.prctl(36, 0, 0, 0, 0), libc.prctl(15, b'x', 0, 0, 0)]"  # no orphans any more; another name
    )
    assert result(read, guarded, leaves) == [-1, -1, 0]


def test_a_folder_nested_deeper_than_a_stack_disturbs_nobody(guarded: Session, read: Reader) -> None:
    nested = "import os\nfor _ in range(1200):\n    os.mkdir('d')\n    os.chdir('d')"
    assert guarded.attempt(nested, limits=PATIENT).ending is Ending.OK
    assert result(read, guarded, "import os\nos.listdir()") == ["inputs"]
