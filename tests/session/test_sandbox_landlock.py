"""The weaker sandbox for machines without user namespaces: what it keeps from a cell all the same."""

import os
import platform
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import evaluator
from evaluator.errors import ToolkitError
from evaluator.inside.isolation import landlock, seccomp
from evaluator.session import CellLimits, Ending, Engine, Isolation, SandboxChoice, Session
from evaluator.session.sandboxing import backends
from tests.session.conftest import PATIENT, error_name, result

pytestmark = [pytest.mark.kernel, pytest.mark.needs_processes]


def errors(session: Session, *statements: str) -> list[str]:
    """Return the kinds of exceptions that statements end with; empty: none."""
    source = "import os, signal, socket\nfound = []\n"
    for statement in statements:
        source += (
            f"try:\n    {statement}\n    found.append('')\nexcept Exception as e: found.append(type(e).__name__)\n"
        )
    found = result(session, f"{source}found")
    assert isinstance(found, list)
    return found


def test_files_of_ours_can_be_neither_read_nor_written(guarded: Session, tmp_path: Path) -> None:
    checkout = Path(str(evaluator.__file__)).parents[1]
    secret = tmp_path / "secret"
    secret.write_text("x")
    read = (secret, checkout / "pyproject.toml", Path("/etc/passwd"), Path("/dev/shm/x"))
    assert set(errors(guarded, *(f"open({str(each)!r})" for each in read))) <= {"PermissionError", "FileNotFoundError"}
    write = (tmp_path / "new", Path("/tmp/x"), Path(evaluator.__file__), Path("/dev/shm/x"))
    assert errors(guarded, *(f"open({str(each)!r}, 'w')" for each in write)) == ["PermissionError"] * 4
    name = repr(str(secret))
    changes = (f"os.remove({name})", f"os.truncate({name}, 0)", f"os.listdir({name})")
    assert set(errors(guarded, *changes)) <= {"PermissionError", "NotADirectoryError"}
    errors(guarded, f"os.chmod({name}, 0o777)", f"os.utime({name}, (1, 1))")
    assert secret.read_text() == "x"
    assert secret.stat().st_mode & 0o777 != 0o777
    assert secret.stat().st_mtime > 1


def test_there_are_no_sockets_but_pairs(guarded: Session) -> None:
    made = [f"socket.socket(socket.{family})" for family in ("AF_INET", "AF_INET6", "AF_UNIX")]
    assert errors(guarded, *made, "socket.socketpair(type=socket.SOCK_DGRAM)") == ["PermissionError"] * 4
    source = "import asyncio, socket\nasync def five(): return 5\nasyncio.new_event_loop().run_until_complete(five())"
    assert result(guarded, source) == 5


def test_processes_of_others_cannot_be_seen_into_or_signalled(guarded: Session) -> None:
    us = os.getpid()
    looks = [f"open('/proc/{us}/{name}')" for name in ("environ", "mem", "maps", "cmdline")]
    assert errors(guarded, f"os.kill({us}, 0)", "os.kill(os.getppid(), 9)", *looks) == ["PermissionError"] * 6
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


def test_nothing_about_other_processes_can_be_set_and_all_about_itself(guarded: Session) -> None:
    calls = {*seccomp._OWN_PROCESS_FIRST, *seccomp._OWN_PROCESS_SECOND}
    source = HOLD_OVER.format(numbers=seccomp._MACHINES[platform.machine()].numbers)
    denied = {(name, 1) for name in calls}
    others = f"[errors(who) for who in (os.getppid(), os.getpid(), {os.getpid()}, 1)]"
    assert result(guarded, f"{source}{others}") == [denied] * 4
    found = result(guarded, f"{source}errors(0)")
    assert isinstance(found, set)
    assert found & denied == set()  # the kernel may still find a value odd
    groups = [f"os.setpriority(os.{kind}, 0, 1)" for kind in ("PRIO_PGRP", "PRIO_USER")]
    assert errors(guarded, *groups) == ["PermissionError"] * 2


def test_what_libraries_set_for_themselves_can_be_set(guarded: Session) -> None:
    source = (
        "import os, resource, threading\nos.sched_setaffinity(0, os.sched_getaffinity(0)); os.nice(1)\n"
        "resource.setrlimit(resource.RLIMIT_CORE, (0, 0)); resource.getrlimit(resource.RLIMIT_DATA)\n"
        "found = []\nthread = threading.Thread(target=lambda: found.append(os.sched_getaffinity(0)))\n"
        "thread.start(); thread.join(); os.sched_getaffinity(os.getppid())\nlen(found)"
    )
    assert result(guarded, source) == 1


def test_all_of_the_sandbox_goes_before_others_when_memory_runs_out(guarded: Session) -> None:
    path = "'/proc/self/oom_score_adj'"
    assert result(guarded, f"int(open({path}).read())") == 500
    assert error_name(guarded, f"open({path}, 'w')") == "PermissionError"


def test_trials_cannot_read_what_another_one_writes(guarded_engine: Engine) -> None:
    with (
        guarded_engine.open(key="one", inputs=None) as one,
        guarded_engine.open(key="two", inputs=None) as two,
        ThreadPoolExecutor(1) as pool,
    ):
        folder = result(two, "import os\nos.getcwd()")
        writing = pool.submit(
            two.attempt, "import time\nopen('note', 'w').write('psst')\ntime.sleep(1.5)", limits=PATIENT
        )
        time.sleep(0.7)
        looks = f"open({folder!r} + '/note')", f"os.listdir(os.path.dirname({folder!r}))"
        assert errors(one, *looks) == ["PermissionError"] * 2
        assert writing.result().ending is Ending.OK
        assert error_name(two, "open('note')") == "FileNotFoundError"


@pytest.mark.deep
@pytest.mark.takes_processes
def test_a_fork_bomb_meets_a_limit_and_its_processes_die(guarded: Session) -> None:
    bomb = "import os, time\nwhile True:\n    if os.fork() == 0:\n        os.setsid(); time.sleep(60)"
    outcome = guarded.attempt(bomb, limits=PATIENT)
    assert "processes" in outcome.limits_hit
    assert guarded.attempt("1", limits=PATIENT).ending is Ending.OK
    goes_on = "import os\nwhile True:\n    try:\n        if os.fork() == 0: os.setsid()\n    except OSError: pass"
    outcome = guarded.attempt(goes_on, limits=CellLimits(wall_s=1))
    assert outcome.ending is Ending.TIMED_OUT
    assert guarded.attempt("1", limits=PATIENT).ending is Ending.OK


def test_ordinary_work_goes_on_and_is_judged(guarded_engine: Engine, guarded: Session) -> None:
    source = (
        "import shutil, subprocess, tempfile\nimport pandas as pd\n"
        "pd.DataFrame({'a': [1]}).to_csv('a.csv')\nshutil.copy2('a.csv', 'b.csv')\n"
        "with tempfile.NamedTemporaryFile() as file: file.write(b'x')\n"
        "(len(pd.read_csv('b.csv')), subprocess.run('echo hi', shell=True, capture_output=True, text=True).stdout)"
    )
    assert result(guarded, source) == (1, "hi\n")
    right, wrong = (guarded.attempt(str(number), limits=PATIENT) for number in (1, 2))
    validators = {"name": "result", "options": {}, "children": []}
    assert guarded_engine.judge(right, right, validators)["answer"] == "yes"
    assert guarded_engine.judge(right, wrong, validators)["answer"] == "no"


def test_folders_that_cannot_be_removed_or_walked_disturb_nobody(guarded: Session) -> None:
    for spoil in (
        "import os\nos.makedirs('a/b')\nopen('a/b/c', 'w').close()\nos.umask(0o777); os.makedirs('d/e')",
        "import os\nfor _ in range(1200):\n    os.mkdir('d')\n    os.chdir('d')",
    ):
        assert guarded.attempt(spoil, limits=PATIENT).ending in (Ending.OK, Ending.ERROR)
        assert result(guarded, "import os\nopen('x', 'w').close()\nsorted(os.listdir())") == ["inputs", "x"]


def test_kernels_are_refused_for_their_sockets(guarded_engine: Engine) -> None:
    with pytest.raises(ToolkitError, match="talks over sockets"):
        guarded_engine.open(key="kernel", inputs=None, isolation=Isolation.REPLAY)


@pytest.fixture
def anew(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """What was found out of sandboxes is forgotten, before and after."""
    monkeypatch.delenv("BENCHWRIGHT_SANDBOX", raising=False)
    backends._probe.cache_clear()
    yield monkeypatch
    backends._probe.cache_clear()


def test_it_is_taken_where_there_is_no_bubblewrap_and_says_why(
    guarded_engine: Engine, anew: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    anew.setenv("PATH", str(tmp_path))
    report = backends.probe_sandbox()
    assert (report.available, report.backend) == (True, "landlock")
    assert "bubblewrap is not installed" in report.reason
    assert backends.resolve_backend(SandboxChoice.AUTO, trusted=False) == "landlock"


def test_an_older_kernel_is_refused_by_version(anew: pytest.MonkeyPatch) -> None:
    anew.setattr(landlock, "find_abi", lambda: landlock.LEAST_ABI - 1)
    report = backends.probe_backend(SandboxChoice.LANDLOCK)
    assert not report.available
    assert "Linux 6.12" in report.reason
