"""What the sandbox keeps from a cell, what it may still do, and that running without one needs somebody's word."""

import platform
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import evaluator
from evaluator.errors import ToolkitError, UsageError
from evaluator.inside.isolation import landlock, seccomp
from evaluator.session import CellLimits, Ending, Engine, SandboxChoice, Session, probe_sandbox
from evaluator.session.sandboxing import backends
from tests.session.conftest import PATIENT, error_name, result

pytestmark = pytest.mark.kernel

NUMBERS = seccomp._MACHINES[platform.machine()].numbers


def errnos(session: Session, *calls: tuple[int, ...]) -> object:
    """Return what system calls come to, each as (result, errno)."""
    source = "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\nout = []\n"
    source += f"for call in {list(calls)}:\n    ctypes.set_errno(0)\n"
    return result(session, source + "    out.append((libc.syscall(*call), ctypes.get_errno()))\nout")


def test_the_network_is_out_of_reach(sandboxed: Session) -> None:
    connect = "import socket\nsocket.create_connection({address!r}, 2)"
    with socket.create_server(("127.0.0.1", 0)) as listening:
        assert error_name(sandboxed, connect.format(address=("127.0.0.1", listening.getsockname()[1]))) != ""
    assert error_name(sandboxed, connect.format(address=("169.254.169.254", 80))) == "OSError"


def test_the_checkout_cannot_be_read_or_imported(sandboxed: Session) -> None:
    checkout = Path(str(evaluator.__file__)).parents[1]
    assert error_name(sandboxed, f"open({str(checkout / 'pyproject.toml')!r})") == "FileNotFoundError"
    assert error_name(sandboxed, "import authoring") == "ModuleNotFoundError"
    assert error_name(sandboxed, "import evaluator.session") == "ModuleNotFoundError"
    look = "import pathlib\nsorted(p.name for p in pathlib.Path('/payload/evaluator').iterdir())"
    assert result(sandboxed, look) == ["__init__.py", "inside"]


def test_no_process_of_a_trial_can_ask_that_others_go_first(sandboxed: Session, bare_engine: Engine) -> None:
    for path in ("/proc/self/oom_score_adj", "/proc/thread-self/oom_score_adj"):
        child = (
            "import os\nours, theirs = os.pipe()\nif os.fork() == 0:\n"
            f"    try: open({path!r}, 'w').write('0')\n"
            "    except OSError as error: os.write(theirs, str(error.errno).encode())\n"
            "    os._exit(0)\nos.wait(); os.close(theirs)\n"
            f"(os.read(ours, 9), int(open({path!r}).read()))"
        )
        assert result(sandboxed, child) == (b"30", 1000)
        assert error_name(sandboxed, f"open({path!r}, 'w').write('0')") == "OSError"
    with bare_engine.open(key="memory", inputs=None) as session:
        assert result(session, "open('/proc/self/oom_score_adj').read().strip()") == "1000"


def test_a_cell_is_nobody_without_rights_and_sees_only_itself(sandboxed: Session) -> None:
    source = (
        "import os, getpass\nstatus = dict(l.rstrip().partition(':\\t')[::2] for l in open('/proc/self/status'))\n"
        "(os.getuid(), os.getpid(), int(status['CapEff'], 16), int(status['CapBnd'], 16), status['NoNewPrivs'],"
        " [p for p in os.listdir('/proc') if p.isdigit()], os.uname().nodename, os.path.expanduser('~'))"
    )
    assert result(sandboxed, source) == (65534, 1, 0, 0, "1", ["1"], "session", "/tmp/home")
    raise_it = "import resource\nresource.setrlimit(resource.RLIMIT_DATA, (-1, -1))"
    assert error_name(sandboxed, raise_it) == "ValueError"


def test_the_worlds_files_are_read_only_and_homes_are_empty(sandboxed: Session) -> None:
    source = "failed = []\nfor path in ('/usr/x', '/x', '/etc/x', '/payload/evaluator/inside/x', '/run/x'):\n"
    source += "    try: open(path, 'w')\n    except OSError: failed.append(path)\nlen(failed)"
    assert result(sandboxed, source) == 5
    assert "x:0:0" in str(result(sandboxed, "open('/etc/passwd').read()"))
    assert error_name(sandboxed, "open('/etc/shadow')") == "FileNotFoundError"
    assert result(sandboxed, "import os\nos.path.exists('/home') and os.listdir('/home')") in (False, [])


def test_a_cell_holds_no_descriptor_but_its_own(sandboxed: Session) -> None:
    source = (
        "import os\nkinds = []\nfor fd in os.listdir('/proc/self/fd'):\n"
        "    try: kinds.append(os.readlink(f'/proc/self/fd/{fd}').split(':')[0])\n    except OSError: pass\n"
        "sorted(kinds)"
    )
    kinds = result(sandboxed, source)
    assert isinstance(kinds, list)
    assert kinds.count("socket") == 1
    assert kinds.count("pipe") == 5  # records, out, err, and 1 and 2
    assert set(kinds) <= {"socket", "pipe", "/dev/null", "anon_inode"}


def test_what_one_attempt_writes_the_next_does_not_find(sandboxed: Session) -> None:
    places = "['/tmp/a', os.path.expanduser('~/a'), '/dev/shm/a', 'a', 'inputs/a']"
    write = f"import os\nfor p in {places}: open(p, 'w').close()\nTrue"
    assert result(sandboxed, write) is True
    assert result(sandboxed, f"import os\n[os.path.exists(p) for p in {places}]") == [False] * 5


FULL = """
import os, threading, time
reading, writing = os.pipe()
if os.fork() == 0:
    try:
        while True: threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    except RuntimeError: os.write(writing, b"full")
    time.sleep(60)
os.read(reading, 4)
time.sleep(1)
os.fork()
"""


@pytest.mark.takes_processes
def test_processes_meet_a_limit_and_none_lack_in_another_trial(sandboxed_engine: Engine) -> None:
    with (
        sandboxed_engine.open(key="one", inputs=None) as one,
        sandboxed_engine.open(key="two", inputs=None) as two,
        ThreadPoolExecutor(1) as pool,
    ):
        taking = pool.submit(one.attempt, FULL, limits=CellLimits(wall_s=120))
        time.sleep(1)
        echo = "import subprocess\nsubprocess.run(['echo', 'free'], capture_output=True, text=True).stdout"
        assert result(two, echo) == "free\n"
        assert (taking.result().ending, taking.result().limits_hit) == (Ending.ERROR, ("processes",))
        assert result(one, "1 + 1") == 2


def test_files_meet_limits_of_size_and_number(sandboxed: Session) -> None:
    for source in (
        "with open('big', 'wb') as f:\n    while True: f.write(bytes(10**7))",
        "for i in range(20):\n    open(f'/dev/shm/{i}', 'wb').write(bytes(10**8))",
    ):
        outcome = sandboxed.attempt(source, limits=PATIENT)
        assert (outcome.ending, outcome.limits_hit) == (Ending.ERROR, ("files",)), source


def test_what_is_random_or_local_elsewhere_is_fixed(session: Session) -> None:
    names = ("PYTHONHASHSEED", "TZ", "LC_ALL", "OMP_NUM_THREADS", "MPLBACKEND")
    values = result(session, f"import os\n[os.environ[n] for n in {names!r}]")
    assert values == ["0", "UTC", "C.UTF-8", "1", "agg"]


def test_every_denied_call_fails_with_eperm_and_kills_nobody(sandboxed: Session) -> None:
    names = [name for name in (*seccomp._BASE, *seccomp._STRICT) if name in NUMBERS]
    assert errnos(sandboxed, *((NUMBERS[name], 0, 0, 0, 0, 0, 0) for name in names)) == [(-1, 1)] * len(names)
    namespaces = (0x00020000, 0x10000000, 0x20000000, 0x40000000)
    assert errnos(sandboxed, *((NUMBERS["clone"], each | 17, 0, 0, 0, 0) for each in namespaces)) == [(-1, 1)] * 4
    assert errnos(sandboxed, (NUMBERS["clone3"], 0, 0)) == [(-1, 38)]  # which does not exist
    if platform.machine() == "x86_64":  # has a second calling convention
        assert errnos(sandboxed, (0x40000000 | 39,)) == [(-1, 1)]


def test_sockets_to_the_kernel_and_typing_into_a_terminal_are_denied(sandboxed: Session) -> None:
    for family in (socket.AF_NETLINK, socket.AF_PACKET, socket.AF_VSOCK):
        source = f"import socket\nsocket.socket({int(family)}, socket.SOCK_RAW)"
        assert error_name(sandboxed, source) == "PermissionError", family
    source = (
        "import fcntl, os, pty\nours, theirs = pty.openpty()\nfound = []\nfor request in (0x5412, 0x541C):\n"
        "    try: fcntl.ioctl(theirs, request, b'x')\n    except OSError as e: found.append(e.errno)\nfound"
    )
    assert result(sandboxed, source) == [1, 1]


def test_numbers_of_both_machines_cover_what_is_denied() -> None:
    about_others = {*seccomp._OTHERS, *seccomp._OWN_PROCESS_FIRST, *seccomp._OWN_PROCESS_SECOND, "prctl"}
    for machine in seccomp._MACHINES.values():
        assert {*seccomp._BASE, *seccomp._STRICT, *about_others} <= set(machine.numbers)
        assert len(set(machine.numbers.values())) == len(machine.numbers)
        programs = seccomp._base(machine), seccomp._strict(machine), seccomp._reaching_out(machine)
        assert all(len(program) % 8 == 0 and len(program) < 8 * 4096 for program in programs)


def test_what_libraries_need_still_works(sandboxed: Session) -> None:
    source = (
        "import io, multiprocessing, subprocess, threading, socket\nimport pyarrow as pa\n"
        "import matplotlib.pyplot as plt\n"
        "with multiprocessing.Pool(2) as pool: squares = pool.map(abs, [-1, -2])\n"
        "thread = threading.Thread(target=squares.append, args=(5,)); thread.start(); thread.join()\n"
        "back = pa.table({'a': [1]}).to_pandas()\n"
        "plt.plot([1, 2]); plt.savefig('x.png'); plt.close('all')\n"
        "word = subprocess.run('echo hi | tr h H', shell=True, capture_output=True, text=True).stdout\n"
        "listener = socket.create_server(('127.0.0.1', 0))\n"
        "client = socket.create_connection(listener.getsockname())\nclient.close(); listener.close()\n"
        "(squares, len(back), word, len(open('x.png', 'rb').read()) > 100)"
    )
    assert result(sandboxed, source) == ([1, 2, 5], 1, "Hi\n", True)


def test_two_trials_cannot_meet_on_a_socket(sandboxed_engine: Engine) -> None:
    places = [("AF_INET", ("127.0.0.1", 9009)), ("AF_INET6", ("::1", 9009)), ("AF_UNIX", "\0meeting")]
    listen = f"import socket, time\nsockets = []\nfor family, address in {places!r}:\n"
    listen += "    sockets.append(socket.socket(getattr(socket, family)))\n"
    listen += "    sockets[-1].bind(address); sockets[-1].listen(); sockets[-1].settimeout(0.1)\ntime.sleep(2)\n"
    listen += "for each in sockets:\n    try: each.accept()\n    except OSError: print('nobody')\n"
    with (
        sandboxed_engine.open(key="one", inputs=None) as one,
        sandboxed_engine.open(key="two", inputs=None) as two,
        ThreadPoolExecutor(1) as pool,
    ):
        waiting = pool.submit(one.attempt, listen, limits=PATIENT)
        time.sleep(1)
        for family, address in places:
            connect = f"import socket\nsocket.socket(socket.{family}).connect({address!r})"
            assert "Refused" in str(two.attempt(connect, limits=PATIENT).error)
        assert [output["text"] for output in waiting.result().outputs] == ["nobody\n" * 3]


@pytest.fixture
def without_sandbox(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    backends._probe.cache_clear()
    monkeypatch.setattr(landlock, "find_abi", lambda: 0)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("BENCHWRIGHT_SANDBOX", raising=False)
    yield
    backends._probe.cache_clear()


@pytest.mark.usefixtures("without_sandbox")
def test_no_sandbox_is_an_error_with_a_remedy_unless_somebody_agreed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not probe_sandbox().available
    with pytest.raises(ToolkitError, match="no sandbox is available") as caught:
        Engine()
    assert "apt install bubblewrap" in caught.value.fix
    assert "--sandbox none" in caught.value.fix
    assert backends.resolve_backend(SandboxChoice.AUTO, trusted=True) == "none"  # our own code
    assert backends.resolve_backend(SandboxChoice.NONE, trusted=False) == "none"
    for demanded in (SandboxChoice.BWRAP, SandboxChoice.LANDLOCK):  # is never replaced by none
        with pytest.raises(ToolkitError):
            backends.resolve_backend(demanded, trusted=True)
    monkeypatch.setenv("BENCHWRIGHT_SANDBOX", " None ")
    assert backends.resolve_backend(SandboxChoice.AUTO, trusted=False) == "none"
    monkeypatch.setenv("BENCHWRIGHT_SANDBOX", "moon")
    with pytest.raises(UsageError, match="'moon'"):
        backends.resolve_backend(SandboxChoice.AUTO, trusted=False)


def test_another_system_is_refused_in_plain_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "system", lambda: "Darwin")
    with pytest.raises(ToolkitError, match="Linux only, this is Darwin"):
        Engine()


def test_what_a_failed_probe_says_leads_to_a_remedy() -> None:
    for complaint, remedy in (
        ("bwrap: setting up uid map: Permission denied", "apparmor_restrict_unprivileged_userns"),
        ("bwrap: No permissions to create new namespace", "max_user_namespaces"),
        ("OSError: [Errno 1] landlock: Operation not permitted", "landlock_create_ruleset"),
        ("OSError: [Errno 1] mount: proc: Operation not permitted", "systempaths=unconfined"),
        ("", "check that bubblewrap can start a program"),
    ):
        assert remedy in backends._diagnose(complaint)[1]
