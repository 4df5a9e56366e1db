"""What is looked at before and after an attack: the session from inside one of its forks, our own process from here."""

import contextlib
import ctypes
import gc
import os
import re
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from evaluator.inside.export.payload import decode_payload
from evaluator.inside.isolation.processes import descendants_of
from evaluator.session import CellLimits, Ending, Isolation, Session

MARK: Final = "attack-left-this"
"""What attacks call the files and keys that they leave; none may be found outside."""
_SETTLE_S: Final = 10.0
_MOST_GROWTH_MB: Final = 64.0
_LIBC: Final = ctypes.CDLL(None)
_LOOK: Final = """
def _look(names):
    import builtins, gc, hashlib, json, random, resource, signal, threading
    from evaluator.inside.codec.codec import fingerprint
    def lines(path, keep=lambda line: True):
        try:
            with open(path) as file: return sum(map(keep, file))
        except OSError: return -1
    def entries(folder):
        try: return sorted(os.listdir(folder))
        except OSError: return []
    def below(folder):
        found = []
        for parent, folders, files in os.walk(folder):
            for name in sorted(folders + files):
                path = os.path.join(parent, name)
                content = b""
                if os.path.isfile(path) and not os.path.islink(path):
                    with open(path, "rb") as file: content = file.read()
                found.append((path, oct(os.lstat(path).st_mode), hashlib.sha256(content).hexdigest()))
        return sorted(found)
    holders = (builtins, os, json, np, pd, pd.DataFrame, pd.Series)
    return {
        "values": {name: fingerprint(globals()[name]).digest.hex() for name in names},
        "objects": {name: id(globals()[name]) for name in names},
        "functions": [hash(tuple((n, id(v)) for n, v in sorted(vars(h).items()) if callable(v))) for h in holders],
        "files": below("."), "tmp": below(os.environ["HOME"]), "shm": entries("/dev/shm"),
        "mounts": [line.split()[1:3] for line in open("/proc/self/mounts")],
        "processes": [name for name in entries("/proc") if name.isdigit()],
        "threads": threading.active_count(), "tasks": len(os.listdir("/proc/self/task")),
        "descriptors": len(os.listdir("/proc/self/fd")),
        "sysv": [lines(f"/proc/sysvipc/{kind}") for kind in ("shm", "sem", "msg")],
        "listening": [lines(f"/proc/net/{kind}") for kind in ("tcp", "tcp6", "udp", "udp6")],
        "named sockets": lines("/proc/net/unix", lambda line: len(line.split()) > 7),
        "environment": dict(os.environ), "folder": os.getcwd(), "umask": os.umask(0o022),
        "limits": [resource.getrlimit(i) for i in (resource.RLIMIT_NPROC, resource.RLIMIT_NOFILE)],
        "nice": os.getpriority(os.PRIO_PROCESS, 0), "cores": sorted(os.sched_getaffinity(0)),
        "handlers": [str(signal.getsignal(s)) for s in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)],
        "collector": gc.isenabled(), "recursion": sys.getrecursionlimit(), "options": pd.get_option("display.max_rows"),
        "random": [random.random(), float(np.random.rand())], "path": sys.path[:3],
    }
_look(%r)
"""


def look_inside(session: Session, names: tuple[str, ...], *, outside_is_seen: bool = False) -> dict[str, Any]:
    """Return what a copy of a session finds; a plain dict that must be the same before and after an attack.

    Args:
        session: The session.
        names: Of its variables.
        outside_is_seen: It has no namespaces: its sockets and System V objects are those of the whole machine, which
            change without it, and which its trials cannot make.
    """
    outcome = session.attempt(_LOOK % (names,), limits=CellLimits(wall_s=60))
    assert outcome.ending is Ending.OK, outcome.error
    found = decode_payload(outcome.payload, {"ending": "ok", "source": "", "names": []}).result
    assert isinstance(found, dict), found
    if outside_is_seen:
        for key in ("sysv", "listening", "named sockets"):
            del found[key]
    if outcome.engine == Isolation.REPLAY:  # every kernel is new, and closes its connection when it gets round to it
        del found["objects"], found["functions"], found["descriptors"]
    return found


def differences(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """Return what differs between two looks, in words."""
    return [
        f"{key}: {before[key]!r} became {after.get(key)!r}"[:400] for key in before if before[key] != after.get(key)
    ]


@dataclass(frozen=True)
class Outside:
    """Our own process and those it has started."""

    descriptors: Mapping[int, str]  # number -> what it is open on
    memory_mb: float
    mounts: str
    processes: Mapping[int, str]  # id -> state and name
    worker: tuple[int, str, int]  # the session's process: id, number of threads, descriptors (-1: not to be seen)
    template_is_alive: bool

    @classmethod
    def now(cls, session: Session, template: Any, beside: Collection[int]) -> "Outside":
        """Look at this moment; `beside` are children of ours that have nothing to do with it, such as a browser's."""
        pid = _process_of(session)
        _LIBC.malloc_trim(0)  # what is free, and only not given back yet, is nothing that an attack has left
        return cls(
            descriptors=_descriptors(),
            memory_mb=int(_status("self", "VmRSS").split()[0]) / 1024,
            mounts=Path("/proc/self/mounts").read_text(),
            processes=_processes(beside),
            worker=(pid, _status(str(pid), "Threads"), _count(f"/proc/{pid}/fd")),
            template_is_alive=template.is_alive,
        )

    def changes(self, later: "Outside") -> list[str]:
        """Return what has changed for the worse, in words."""
        found = [
            f"{name}: {getattr(self, name)!r} became {getattr(later, name)!r}"
            for name in ("mounts", "worker", "template_is_alive")
            if getattr(self, name) != getattr(later, name)
        ]
        if len(later.descriptors) > len(self.descriptors):  # fewer: what came before was not all closed yet
            new = [target for number, target in later.descriptors.items() if self.descriptors.get(number) != target]
            found.append(f"descriptors: {len(self.descriptors)} became {len(later.descriptors)}, {', '.join(new)}")
        if len(later.processes) > len(self.processes):
            new = [words for pid, words in later.processes.items() if pid not in self.processes]
            found.append(f"more processes than before are left; new ones: {', '.join(new)}")
        if later.memory_mb - self.memory_mb > _MOST_GROWTH_MB:
            found.append(f"our own memory grew from {self.memory_mb:.0f} to {later.memory_mb:.0f} MB")
        for folder in ("/tmp", "/dev/shm", "/var/tmp"):
            found += [f"{folder}/{name} was left" for name in os.listdir(folder) if MARK in name]
        return found


def settled(before: Outside, session: Session, template: Any, beside: Collection[int]) -> list[str]:
    """Return what has changed outside, after dead processes have had a moment to be collected."""
    deadline = time.monotonic() + _SETTLE_S
    while True:
        changes = before.changes(Outside.now(session, template, beside))
        if not changes or time.monotonic() > deadline:
            return changes
        time.sleep(0.05)
        gc.collect()  # what nobody holds any more may still hold a descriptor


def _descriptors() -> dict[int, str]:
    found = {}
    for name in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):  # the one that we list them with
            found[int(name)] = os.readlink(f"/proc/self/fd/{name}")
    return found


def _processes(beside: Collection[int]) -> dict[int, str]:
    found = descendants_of(os.getpid())
    for child in beside:
        found -= {child, *descendants_of(child)}
    return {pid: f"{_status(str(pid), 'State')} {_status(str(pid), 'Name')}" for pid in found}


def _process_of(session: Session) -> int:
    text = Path(f"/proc/self/fdinfo/{session._pidfd}").read_text()
    found = re.search(r"^Pid:\s*(-?\d+)", text, re.MULTILINE)
    assert found is not None
    return int(found[1])


def _status(process: str, key: str) -> str:
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith(f"{key}:"):
                return line.split(":", 1)[1].strip()
    return "gone"


def _count(folder: str) -> int:
    try:
        return len(os.listdir(folder))
    except OSError:
        return -1
