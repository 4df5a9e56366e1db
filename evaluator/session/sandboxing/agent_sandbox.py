"""The sandbox of an agent's process: its own folder, read-only, and the network that it is granted."""

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final

from evaluator.errors import ToolkitError
from evaluator.inside.isolation import landlock, seccomp
from evaluator.session.sandboxing.interpreter import SYSTEM_FOLDERS, Interpreter, straight
from evaluator.session.sandboxing.sandbox import INSIDE

HOME: Final = "/tmp/home"  # noqa: S108  # inside
_TMP_BYTES: Final = 2 * 1024**3
_SHARED_BYTES: Final = 1024**3
_MEMORY_KIB: Final = 16 * 1024**2  # of one process
_SYSTEM_FILES: Final = (
    *("/etc/alternatives", "/etc/fonts", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime"),
    *("/etc/mime.types", "/etc/ssl", "/etc/pki", "/etc/ca-certificates", "/etc/protocols", "/etc/services"),
)
_LIBRARIES: Final = ("lib", "lib64", "libexec", "share", "ssl")  # of an installation, beside its bin
_PROGRAMS: Final = ("/usr/bin", "/bin")
_ACCOUNTS: Final = {  # programs ask who they are
    "/etc/passwd": b"root:x:0:0:root:/root:/bin/sh\nagent:x:65534:65534:agent:/tmp/home:/bin/sh\n",
    "/etc/group": b"root:x:0:\nagent:x:65534:\n",
}
_NETWORK_FILES: Final = ("/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/host.conf", "/etc/gai.conf")


_DIE_WITH_US: Final = """
import ctypes, os, sys
ctypes.CDLL(None).prctl(1, 9, 0, 0, 0)  # PR_SET_PDEATHSIG, SIGKILL
if os.getppid() != int(sys.argv[1]):
    os._exit(1)  # we ended before that
os.execv(sys.argv[2], sys.argv[2:])
"""


_REACH_NO_OTHERS: Final = """
import os, sys, types
package = types.ModuleType("evaluator")  # its own imports far more
package.__path__ = [sys.argv[1]]
sys.modules["evaluator"] = package
from evaluator.inside.isolation import landlock
landlock.reach_no_others()
os.execv(sys.argv[2], sys.argv[2:])
"""


class AgentNetwork(StrEnum):
    """What of the network an agent's process reaches."""

    NONE = "none"  # its own loopback
    MODEL = "model"  # the model that the run names, through us
    FULL = "full"


@dataclass(frozen=True)
class AgentView:
    """What an agent's process sees of this machine."""

    folder: Path  # where it works; read-only
    readable: tuple[str, ...] = ()  # further places, such as its interpreter
    hidden: tuple[Path, ...] = ()  # what in them it must not see: benchmarks, runs, our own files
    network: AgentNetwork = AgentNetwork.NONE
    bound: Mapping[str, str] = field(default_factory=dict)  # files that it sees at other places -> those places
    is_limited: bool = True  # in memory, and first to go when the machine has none left


@contextmanager
def agent_command(command: Sequence[str], view: AgentView, backend: str) -> Iterator[tuple[list[str], tuple[int, ...]]]:
    """Yield the command line that starts an agent in its sandbox, and descriptors that it inherits.

    Its variables are those that the command line is started with: written into it, everybody here could read them.
    Started by `start_program` it is killed when we end, however we do: with all that it started in a sandbox, without
    one it alone.

    Args:
        command: The agent's own.
        view: What it may see.
        backend: "bwrap" or "none".

    Raises:
        ToolkitError: If agents cannot be kept apart by this backend.
    """
    first_to_go = "echo 1000 2>/dev/null > /proc/self/oom_score_adj"  # when the machine's memory runs out
    limits = f"ulimit -c 0; ulimit -d {_MEMORY_KIB} 2>/dev/null"
    limited = ["/bin/sh", "-c", f'{first_to_go}; {limits}; exec "$@"', "agent"] if view.is_limited else []
    if backend == "none":
        yield [Interpreter.own().executable, "-I", "-S", "-c", _DIE_WITH_US, str(os.getpid()), *limited, *command], ()
        return
    if backend != "bwrap":
        what = f"agents in processes of their own cannot be kept apart by {backend!r}"
        fix = "install bubblewrap (`apt install bubblewrap`), or agree to run the agent without: `--sandbox none`"
        raise ToolkitError(what, where="the sandbox of the agent", fix=fix)
    with ExitStack() as stack:
        filters = stack.enter_context(_held(seccomp.agent_calls_filter()))
        accounts = {path: stack.enter_context(_held(content)) for path, content in _ACCOUNTS.items()}
        apart = ("setsid",) if shutil.which("setsid", path=os.pathsep.join(_PROGRAMS)) is not None else ()
        yield (
            [*limited, *_scoped(view), *_bwrap(view, filters, accounts), *apart, *command],
            (filters, *accounts.values()),
        )


@contextmanager
def _held(content: bytes) -> Iterator[int]:
    """Yield a descriptor that a program reads bytes from."""
    descriptor = os.memfd_create("sandbox")
    try:
        os.write(descriptor, content)
        os.lseek(descriptor, 0, os.SEEK_SET)
        yield descriptor
    finally:
        os.close(descriptor)


def _scoped(view: AgentView) -> list[str]:
    """Return what starts a sandbox that shares our network, but no abstract socket, where the kernel can do that.

    Everywhere else namespaces keep all apart that Landlock could.
    """
    if view.network is not AgentNetwork.FULL or landlock.find_abi() < landlock.LEAST_ABI:
        return []
    return [Interpreter.own().executable, "-I", "-S", "-c", _REACH_NO_OTHERS, str(INSIDE.parent)]


def _bwrap(view: AgentView, filters: int, accounts: Mapping[str, int]) -> list[str]:
    program = shutil.which("bwrap") or "bwrap"
    # No --new-session: `start_program` gave us one, and between a further one and bubblewrap's asking to die with its
    # parent, killing our process group left what was starting behind. The agent itself gets one, so that signals to its
    # own group do not end bubblewrap.
    made = [program, "--die-with-parent", "--unshare-user", "--uid", "65534", "--gid", "65534"]
    made += ["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--hostname", "agent"]
    made += ["--cap-drop", "ALL", "--proc", "/proc", "--dev", "/dev"]
    made += ["--perms", "1777", "--size", str(_SHARED_BYTES), "--tmpfs", "/dev/shm", "--remount-ro", "/dev"]  # noqa: S108
    made += ["--perms", "1777", "--size", str(_TMP_BYTES), "--tmpfs", "/tmp", "--dir", HOME]  # noqa: S108  # inside
    for folder in SYSTEM_FOLDERS:
        if os.path.islink(folder):
            made += ["--symlink", os.readlink(folder), folder]
        elif os.path.isdir(folder):
            made += ["--ro-bind", folder, folder]
    for path in _SYSTEM_FILES:
        made += ["--ro-bind-try", os.path.realpath(path), path]
    for path, descriptor in accounts.items():
        made += ["--perms", "0444", "--ro-bind-data", str(descriptor), path]
    if view.network is AgentNetwork.FULL:
        for path in _NETWORK_FILES:
            made += ["--ro-bind-try", os.path.realpath(path), path]
    else:
        made += ["--unshare-net"]
    own = [] if view.folder == Path("/") else [straight(str(view.folder))]
    for place in _outermost_first([*view.readable, *own]):
        made += ["--ro-bind", place, place]
    for source, place in view.bound.items():
        made += ["--ro-bind", source, place]
    shown = [Path(os.path.realpath(place)) for place in (*SYSTEM_FOLDERS, *view.readable, *own)]
    for hidden in _outermost(view.hidden):
        if any(hidden.is_relative_to(place) or place.is_relative_to(hidden) for place in shown):
            made += _covered(hidden)
    made += ["--seccomp", str(filters), "--remount-ro", "/"]
    return [*made, "--chdir", straight(str(view.folder)), "--"]


def _outermost_first(places: Sequence[str]) -> list[str]:
    """Return places in the order in which they can be mounted: what is mounted later lies on top."""
    return sorted({place for place in places if os.path.exists(place)}, key=lambda place: (place.count("/"), place))


def _outermost(hidden: Sequence[Path]) -> list[Path]:
    """Return the real places of hidden ones without those within another: there is nothing left to cover."""
    places = sorted({path.resolve() for path in hidden}, key=lambda path: len(path.parts))
    return [place for number, place in enumerate(places) if not any(map(place.is_relative_to, places[:number]))]


def _covered(hidden: Path) -> list[str]:
    """Return what puts something empty over a place that is in sight; of others not even the name is to be seen."""
    if hidden.is_dir():
        return ["--tmpfs", str(hidden), "--remount-ro", str(hidden)]
    return ["--ro-bind", "/dev/null", str(hidden)] if hidden.exists() else []


def interpreter_places(executable: str) -> tuple[str, ...]:
    """Return what must be readable for a program to run: itself, and where it is of a Python, that Python's folders."""
    path = Path(straight(executable))
    real = Path(os.path.realpath(path))
    for place, link in ((path, ()), (real, (str(path),))):  # tools are often linked from where they are found
        if (place.parent.parent / "pyvenv.cfg").is_file():
            return (*Interpreter.of_venv(place.parent.parent).roots, *link)
    if any(str(real).startswith(f"{folder}/") for folder in SYSTEM_FOLDERS):
        return ()
    return (*_installation_of(real), *_installation_of(path), str(real), str(path))  # a link may lead to its libraries


def _installation_of(program: Path) -> list[str]:
    """Return the folders of an installation of its own that a program in its `bin` needs; never what lies beside them.

    A person's own folders are no installation, though programs lie in their `bin`.
    """
    prefix, home = program.parent.parent, Path(os.path.expanduser("~"))
    if program.parent.name != "bin" or prefix in (home, home / ".local"):
        return []
    libraries = [folder for name in _LIBRARIES if (folder := prefix / name).is_dir()]
    return [str(folder) for folder in (program.parent, *libraries)] if libraries else []
