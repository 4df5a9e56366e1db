"""What a cell may not ask the kernel, what it still may, and that trials cannot meet each other."""

import platform
import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from evaluator.inside.codec.decode.decoded import DecodedOutcome
from evaluator.inside.isolation import seccomp
from evaluator.session import CellLimits, Ending, Engine, Outcome, Session

pytestmark = pytest.mark.kernel

Reader = Callable[[Outcome], DecodedOutcome]
PATIENT = CellLimits(wall_s=120)
NUMBERS = seccomp._MACHINES[platform.machine()].numbers
CALL = "import ctypes\nctypes.CDLL(None, use_errno=True).syscall({numbers}), ctypes.get_errno()"


def result(read: Reader, session: Session, source: str) -> object:
    outcome = session.attempt(source, limits=PATIENT)
    assert outcome.ending is Ending.OK, outcome.error
    return read(outcome).result


def call(read: Reader, session: Session, *numbers: int) -> object:
    return result(read, session, CALL.format(numbers=", ".join(map(str, numbers))))


def test_every_denied_call_fails_with_eperm_and_kills_nobody(sandboxed: Session, read: Reader) -> None:
    names = [name for name in (*seccomp._BASE, *seccomp._STRICT) if name in NUMBERS]
    source = (
        "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "out = []\n"
        f"for n in {[NUMBERS[n] for n in names]}:\n"
        "    ctypes.set_errno(0)\n    out.append((libc.syscall(n, 0, 0, 0, 0, 0, 0), ctypes.get_errno()))\nout"
    )
    assert result(read, sandboxed, source) == [(-1, 1)] * len(names)


def test_namespaces_by_clone_are_denied_and_clone3_does_not_exist(sandboxed: Session, read: Reader) -> None:
    for namespace in (0x00020000, 0x10000000, 0x20000000, 0x40000000):
        assert call(read, sandboxed, NUMBERS["clone"], namespace | 17, 0, 0, 0, 0) == (-1, 1)
    assert call(read, sandboxed, NUMBERS["clone3"], 0, 0) == (-1, 38)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="one kind of processor has a second calling convention")
def test_the_second_calling_convention_is_denied(sandboxed: Session, read: Reader) -> None:
    assert call(read, sandboxed, 0x40000000 | 39) == (-1, 1)


@pytest.mark.parametrize("family", [socket.AF_NETLINK, socket.AF_PACKET, socket.AF_VSOCK])
def test_sockets_to_the_kernel_and_the_machine_are_denied(sandboxed: Session, family: int) -> None:
    outcome = sandboxed.attempt(f"import socket\nsocket.socket({int(family)}, socket.SOCK_RAW)", limits=PATIENT)
    assert outcome.error is not None
    assert outcome.error.name == "PermissionError"


def test_typing_into_a_terminal_is_denied(sandboxed: Session, read: Reader) -> None:
    source = (
        "import fcntl, os, pty\nours, theirs = pty.openpty()\nfound = []\nfor request in (0x5412, 0x541C):\n"
        "    try: fcntl.ioctl(theirs, request, b'x')\n    except OSError as e: found.append(e.errno)\nfound"
    )
    assert result(read, sandboxed, source) == [1, 1]


def test_what_libraries_need_still_works(sandboxed: Session, read: Reader) -> None:
    source = (
        "import io, multiprocessing, subprocess, threading, socket\nimport numpy as np, pandas as pd, pyarrow as pa\n"
        "from concurrent.futures import ProcessPoolExecutor\nfrom sklearn.ensemble import RandomForestClassifier\n"
        "from sklearn.model_selection import cross_val_score\nimport matplotlib.pyplot as plt\n"
        "x = np.arange(80.0).reshape(40, 2); y = np.arange(40) % 2\n"
        "scores = cross_val_score(RandomForestClassifier(5, n_jobs=2), x, y, cv=2, n_jobs=2)\n"
        "with multiprocessing.Pool(2) as pool: squares = pool.map(abs, [-1, -2])\n"
        "with ProcessPoolExecutor(2) as pool: more = list(pool.map(abs, [-3]))\n"
        "with multiprocessing.Manager() as manager: shared = list(manager.list([4]))\n"
        "thread = threading.Thread(target=squares.append, args=(5,)); thread.start(); thread.join()\n"
        "back = pa.table({'a': [1]}).to_pandas()\n"
        "plt.plot([1, 2]); plt.savefig('x.png'); plt.close('all')\n"
        "word = subprocess.run('echo hi | tr h H', shell=True, capture_output=True, text=True).stdout\n"
        "listener = socket.create_server(('127.0.0.1', 0))\n"
        "client = socket.create_connection(listener.getsockname())\nclient.close(); listener.close()\n"
        "(len(scores), squares, more, shared, len(back), word, len(open('x.png', 'rb').read()) > 100)"
    )
    assert result(read, sandboxed, source) == (2, [1, 2, 5], [3], [4], 1, "Hi\n", True)


@pytest.mark.parametrize(
    "place",
    [
        "socket.AF_INET, ('127.0.0.1', 9009)",
        "socket.AF_INET6, ('::1', 9009)",
        "socket.AF_UNIX, '\\0meeting'",
    ],
)
def test_two_trials_cannot_meet_on_a_socket(sandboxed_engine: Engine, read: Reader, place: str) -> None:
    family, address = place.split(", ", 1)
    make = f"import socket, time\ns = socket.socket({family})\n"
    listen = f"{make}s.bind({address}); s.listen(); s.settimeout(3)\ntry: s.accept()\nexcept OSError as e: e = None\n"
    with (
        sandboxed_engine.open(key="one", inputs=None) as one,
        sandboxed_engine.open(key="two", inputs=None) as two,
        ThreadPoolExecutor(1) as pool,
    ):
        waiting = pool.submit(one.attempt, f"{listen}'waited'", limits=PATIENT)
        time.sleep(0.5)
        assert "Refused" in str(two.attempt(f"{make}s.connect({address})", limits=PATIENT).error)
        assert read(waiting.result()).result == "waited"


def test_a_fork_bomb_takes_no_processes_from_another_trial(sandboxed_engine: Engine, read: Reader) -> None:
    bomb = (
        "import os, time\ntry:\n    while True:\n        if os.fork() == 0:\n            time.sleep(60)\n"
        "except BlockingIOError: pass\ntime.sleep(4)"
    )
    with (
        sandboxed_engine.open(key="one", inputs=None) as one,
        sandboxed_engine.open(key="two", inputs=None) as two,
        ThreadPoolExecutor(1) as pool,
    ):
        bombing = pool.submit(one.attempt, bomb, limits=PATIENT)
        time.sleep(2)
        source = "import subprocess\nsubprocess.run(['echo', 'free'], capture_output=True, text=True).stdout"
        assert result(read, two, source) == "free\n"
        assert bombing.result().ending is Ending.OK


def test_empty_files_meet_a_limit(sandboxed: Session) -> None:
    outcome = sandboxed.attempt(
        "import os\nfor i in range(10**6): os.close(os.open(f'f{i}', os.O_CREAT))", limits=CellLimits(wall_s=60)
    )
    assert outcome.ending is Ending.ERROR
    assert outcome.limits_hit == ("files",)


def test_files_in_shared_memory_meet_a_limit(sandboxed: Session) -> None:
    source = "for i in range(20):\n    open(f'/dev/shm/{i}', 'wb').write(bytes(10**8))"
    outcome = sandboxed.attempt(source, limits=PATIENT)
    assert outcome.ending is Ending.ERROR
    assert outcome.limits_hit == ("files",)


def test_numbers_of_both_machines_cover_what_is_denied() -> None:
    about_others = {*seccomp._OTHERS, *seccomp._OWN_PROCESS_FIRST, *seccomp._OWN_PROCESS_SECOND, "prctl"}
    for machine in seccomp._MACHINES.values():
        assert {*seccomp._BASE, *seccomp._STRICT, *about_others} <= set(machine.numbers)
        assert len(set(machine.numbers.values())) == len(machine.numbers)
        programs = seccomp._base(machine), seccomp._strict(machine), seccomp._reaching_out(machine)
        assert all(len(program) % 8 == 0 and len(program) < 8 * 4096 for program in programs)
