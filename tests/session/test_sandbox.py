"""What the sandbox keeps from a cell, and that running without one needs somebody's word."""

import marshal
import platform
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import evaluator
from evaluator.errors import ToolkitError, UsageError
from evaluator.inside.codec.decode.decoded import DecodedOutcome
from evaluator.inside.isolation import landlock
from evaluator.session import CellLimits, Ending, Engine, Outcome, SandboxChoice, Session, probe_sandbox
from evaluator.session.sandboxing import backends, sandbox
from evaluator.session.sandboxing.interpreter import Interpreter

pytestmark = pytest.mark.kernel

Reader = Callable[[Outcome], DecodedOutcome]
PATIENT = CellLimits(wall_s=30)


def result(read: Reader, session: Session, source: str) -> object:
    outcome = session.attempt(source, limits=PATIENT)
    assert outcome.ending is Ending.OK, outcome.error
    return read(outcome).result


def error_name(session: Session, source: str) -> str:
    error = session.attempt(source, limits=PATIENT).error
    return "" if error is None else error.name


@pytest.fixture
def server() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


def test_the_network_is_out_of_reach(sandboxed: Session, server: int) -> None:
    connect = "import socket\nsocket.create_connection({address!r}, 2)"
    assert error_name(sandboxed, connect.format(address=("127.0.0.1", server))) != ""
    assert error_name(sandboxed, connect.format(address=("169.254.169.254", 80))) == "OSError"


def test_the_checkout_cannot_be_read_or_imported(sandboxed: Session, read: Reader) -> None:
    checkout = Path(str(evaluator.__file__)).parents[1]
    assert error_name(sandboxed, f"open({str(checkout / 'pyproject.toml')!r})") == "FileNotFoundError"
    assert error_name(sandboxed, "import authoring") == "ModuleNotFoundError"
    assert error_name(sandboxed, "import evaluator.session") == "ModuleNotFoundError"
    look = "import pathlib\nsorted(p.name for p in pathlib.Path('/payload/evaluator').iterdir())"
    assert result(read, sandboxed, look) == ["__init__.py", "inside"]


PLACE = """
import os, re, sys
from evaluator.inside.runtime import worker
needle = re.compile({needle!r}.replace("|", "/").encode())
seen = [str((sys.argv, sys.orig_argv, sys.path, dict(os.environ), os.path.realpath(worker.__file__))).encode()]
for name in ("mountinfo", "mounts", "maps", "cmdline", "environ"):
    try: seen.append(open(f"/proc/self/{{name}}", "rb").read())
    except OSError: pass
for folder, _, names in os.walk(os.path.dirname(os.path.dirname(worker.__file__))):
    seen += [open(os.path.join(folder, name), "rb").read() for name in names]
(len(seen) > 50, sum(len(needle.findall(text)) for text in seen))
"""


@pytest.mark.parametrize("choice", [SandboxChoice.BWRAP, SandboxChoice.LANDLOCK])
def test_no_cell_is_told_where_our_own_code_lies(read: Reader, choice: SandboxChoice) -> None:
    if not backends.probe_backend(choice).available:
        pytest.skip(f"no {choice} here")
    needle = str(Path(str(evaluator.__file__)).parent / "inside").replace("/", "|")  # not as it would be found
    with Engine(sandbox=choice) as engine, engine.open(key="place", inputs=None) as session:
        assert result(read, session, PLACE.format(needle=needle)) == (True, 0)


def test_bytecode_is_copied_without_the_place_where_it_was_made(tmp_path: Path) -> None:
    place = str(sandbox.INSIDE.parent.parent).encode()
    code = compile("def f(): return 1\nf()", str(sandbox.INSIDE / "x.py"), "exec")
    neutral = sandbox._without_place(marshal.dumps(code))
    assert place in marshal.dumps(code)
    assert place not in neutral
    assert marshal.loads(neutral).co_consts[0].co_filename.endswith("/evaluator/inside/x.py")
    code_copy = sandbox.lay_out_code(tmp_path, Interpreter.own())
    copied = {path.name for path in (code_copy / "evaluator" / "inside").glob("*.py")}
    assert copied == {path.name for path in sandbox.INSIDE.glob("*.py")}
    assert [
        path for path in code_copy.rglob("*") if path.is_symlink() or (path.is_file() and place in path.read_bytes())
    ] == []


@pytest.mark.parametrize("who", ["self", "thread-self"])
def test_no_process_of_a_trial_can_ask_that_others_go_first(sandboxed: Session, read: Reader, who: str) -> None:
    path = f"/proc/{who}/oom_score_adj"
    assert result(read, sandboxed, f"int(open({path!r}).read())") == 1000
    assert error_name(sandboxed, f"open({path!r}, 'w').write('0')") == "OSError"
    child = (
        "import os\nours, theirs = os.pipe()\nif os.fork() == 0:\n"
        f"    try: open({path!r}, 'w').write('0')\n"
        "    except OSError as error: os.write(theirs, str(error.errno).encode())\n"
        "    os._exit(0)\nos.wait(); os.close(theirs)\n"
        f"(os.read(ours, 9), int(open({path!r}).read()))"
    )
    assert result(read, sandboxed, child) == (b"30", 1000)


def test_secrets_of_our_environment_do_not_reach_a_cell(
    monkeypatch: pytest.MonkeyPatch, read: Reader, engine: Engine
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-do-not-leak")
    source = (
        "import os, pathlib\nfound = [str(dict(os.environ))]\n"
        "for entry in os.listdir('/proc'):\n    for name in ('environ', 'cmdline'):\n"
        "        try: found.append(pathlib.Path('/proc', entry, name).read_bytes().decode('utf-8', 'replace'))\n"
        "        except OSError: pass\n'sk-do-' + 'not-leak' in ' '.join(found)"
    )
    with Engine(sandbox=SandboxChoice(engine.sandbox_name)) as fresh, fresh.open(key="env", inputs=None) as session:
        if engine.sandbox_name == "none":  # other processes of this user stay visible
            source = source.replace("os.listdir('/proc')", "['self']")
        assert result(read, session, source) is False


def test_a_cell_is_nobody_without_rights_and_sees_only_itself(sandboxed: Session, read: Reader) -> None:
    source = (
        "import os, getpass\nstatus = dict(l.rstrip().partition(':\\t')[::2] for l in open('/proc/self/status'))\n"
        "(os.getuid(), os.getpid(), int(status['CapEff'], 16), int(status['CapBnd'], 16), status['NoNewPrivs'],"
        " [p for p in os.listdir('/proc') if p.isdigit()], os.uname().nodename, os.path.expanduser('~'))"
    )
    assert result(read, sandboxed, source) == (65534, 1, 0, 0, "1", ["1"], "session", "/tmp/home")


def test_the_worlds_files_are_read_only_and_homes_are_empty(sandboxed: Session, read: Reader) -> None:
    for path in ("/usr/x", "/x", "/etc/x", "/payload/evaluator/inside/x", "/run/x"):
        assert error_name(sandboxed, f"open({path!r}, 'w')") in ("OSError", "PermissionError"), path
    assert "x:0:0" in str(result(read, sandboxed, "open('/etc/passwd').read()"))
    assert error_name(sandboxed, "open('/etc/shadow')") == "FileNotFoundError"
    assert result(read, sandboxed, "import os\nos.path.exists('/home') and os.listdir('/home')") in (False, [])


def test_a_cell_holds_no_descriptor_but_its_own(sandboxed: Session, read: Reader) -> None:
    source = (
        "import os\nkinds = []\nfor fd in os.listdir('/proc/self/fd'):\n"
        "    try: kinds.append(os.readlink(f'/proc/self/fd/{fd}').split(':')[0])\n    except OSError: pass\n"
        "sorted(kinds)"
    )
    kinds = result(read, sandboxed, source)
    assert isinstance(kinds, list)
    assert kinds.count("socket") == 1
    assert kinds.count("pipe") == 5  # records, out, err, and 1 and 2
    assert set(kinds) <= {"socket", "pipe", "/dev/null", "anon_inode"}


def test_what_one_attempt_writes_the_next_does_not_find(sandboxed: Session, read: Reader) -> None:
    places = "['/tmp/a', os.path.expanduser('~/a'), '/dev/shm/a', 'a', 'inputs/a']"
    write = f"import os\nfor p in {places}: open(p, 'w').close()\nTrue"
    assert result(read, sandboxed, write) is True
    assert result(read, sandboxed, f"import os\n[os.path.exists(p) for p in {places}]") == [False] * 5


@pytest.mark.takes_processes
def test_a_fork_bomb_meets_a_limit(sandboxed: Session, read: Reader) -> None:
    bomb = "import os, time\nwhile True:\n    if os.fork() == 0: time.sleep(60)"
    outcome = sandboxed.attempt(bomb, limits=PATIENT)
    assert outcome.ending is Ending.ERROR
    assert outcome.limits_hit == ("processes",)
    assert result(read, sandboxed, "1 + 1") == 2


def test_a_file_cannot_grow_without_end(sandboxed: Session) -> None:
    outcome = sandboxed.attempt("with open('big', 'wb') as f:\n    while True: f.write(bytes(10**6))", limits=PATIENT)
    assert outcome.ending is Ending.ERROR
    assert outcome.limits_hit == ("files",)


def test_limits_cannot_be_raised_again(sandboxed: Session) -> None:
    raise_it = "import resource\nresource.setrlimit(resource.RLIMIT_DATA, (-1, -1))"
    assert error_name(sandboxed, raise_it) == "ValueError"


def test_what_is_random_or_local_elsewhere_is_fixed(session: Session, read: Reader) -> None:
    names = ("PYTHONHASHSEED", "TZ", "LC_ALL", "OMP_NUM_THREADS", "MPLBACKEND")
    values = result(read, session, f"import os\n[os.environ[n] for n in {names!r}]")
    assert values == ["0", "UTC", "C.UTF-8", "1", "agg"]


@pytest.fixture
def without_sandbox(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    backends._probe.cache_clear()
    monkeypatch.setattr(landlock, "find_abi", lambda: 0)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("BENCHWRIGHT_SANDBOX", raising=False)
    yield
    backends._probe.cache_clear()


@pytest.mark.usefixtures("without_sandbox")
def test_no_sandbox_is_an_error_that_names_the_remedy() -> None:
    assert not probe_sandbox().available
    with pytest.raises(ToolkitError, match="no sandbox is available") as caught:
        Engine()
    assert "apt install bubblewrap" in caught.value.fix
    assert "--sandbox none" in caught.value.fix


@pytest.mark.usefixtures("without_sandbox")
def test_our_own_code_needs_no_consent_and_an_explicit_choice_is_one() -> None:
    assert backends.resolve_backend(SandboxChoice.AUTO, trusted=True) == "none"
    assert backends.resolve_backend(SandboxChoice.NONE, trusted=False) == "none"


@pytest.mark.usefixtures("without_sandbox")
def test_a_demanded_sandbox_is_never_replaced_by_none() -> None:
    with pytest.raises(ToolkitError):
        backends.resolve_backend(SandboxChoice.BWRAP, trusted=True)


@pytest.mark.usefixtures("without_sandbox")
def test_the_environment_variable_gives_consent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BENCHWRIGHT_SANDBOX", "none")
    assert backends.resolve_backend(SandboxChoice.AUTO, trusted=False) == "none"
    monkeypatch.setenv("BENCHWRIGHT_SANDBOX", "moon")
    with pytest.raises(UsageError, match="'moon'"):
        backends.resolve_backend(SandboxChoice.AUTO, trusted=False)


def test_another_system_is_refused_in_plain_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "system", lambda: "Darwin")
    with pytest.raises(ToolkitError, match="Linux only, this is Darwin"):
        Engine()


@pytest.mark.parametrize(
    ("complaint", "remedy"),
    [
        ("bwrap: setting up uid map: Permission denied", "apparmor_restrict_unprivileged_userns"),
        ("bwrap: No permissions to create new namespace", "max_user_namespaces"),
        ("OSError: [Errno 1] landlock: Operation not permitted", "landlock_create_ruleset"),
        ("OSError: [Errno 1] mount: proc: Operation not permitted", "systempaths=unconfined"),
    ],
)
def test_what_a_failed_probe_says_leads_to_a_remedy(complaint: str, remedy: str) -> None:
    assert remedy in backends._diagnose(complaint)[1]
