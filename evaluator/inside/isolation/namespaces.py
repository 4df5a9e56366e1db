"""Linux system calls that Python 3.11 does not offer, and the isolation of worker processes built from them."""

import contextlib
import ctypes
import fcntl
import os
import resource
import socket
import struct
from typing import Final

from evaluator.inside.isolation.system_calls import call, forbid_new_privileges, try_call

NOBODY: Final = 65534
CLONE_NEWNS: Final = 0x00020000
CLONE_NEWIPC: Final = 0x08000000
CLONE_NEWUSER: Final = 0x10000000
CLONE_NEWPID: Final = 0x20000000
CLONE_NEWNET: Final = 0x40000000
_MS_RDONLY: Final = 1
_MS_NOSUID: Final = 2
_MS_NODEV: Final = 4
_MS_NOEXEC: Final = 8
_MS_BIND: Final = 0x1000
_MS_MOVE: Final = 0x2000
_MS_REC: Final = 0x4000
_MS_PRIVATE: Final = 0x40000
_PR_SET_PDEATHSIG: Final = 1
_PR_SET_DUMPABLE: Final = 4
_PR_CAPBSET_DROP: Final = 24
_PR_SET_CHILD_SUBREAPER: Final = 36
_PR_CAP_AMBIENT: Final = 47
_CAP_AMBIENT_CLEAR_ALL: Final = 4
_CAPABILITY_VERSION_3: Final = 0x20080522
_LAST_CAPABILITY: Final = 40

_GO_BEFORE_OTHERS: Final = 500  # as if it held half of the machine's memory, beside what it does hold
_SIOCSIFFLAGS: Final = 0x8914
_IFF_UP: Final = 1


def unshare(flags: int) -> None:
    """Give this process (pid namespace: its next child) namespaces of its own."""
    call("unshare", flags)


def return_to_pid_namespace(descriptor: int) -> None:
    """Let later children be born in the pid namespace behind `descriptor` again."""
    call("setns", descriptor, CLONE_NEWPID)


def mount_tmpfs(target: str, *, size_mb: int, files: int, mode: str = "0755") -> None:
    """Cover `target` with an empty file system in memory, for so many files and folders at most."""
    options = f"size={size_mb}m,nr_inodes={files},mode={mode}".encode()
    call("mount", b"tmpfs", target.encode(), b"tmpfs", _MS_NOSUID | _MS_NODEV, options)


def mount_proc(*, writable: bool = True) -> None:
    """Mount a `/proc` that shows this pid namespace only."""
    flags = _MS_NOSUID | _MS_NODEV | _MS_NOEXEC | (0 if writable else _MS_RDONLY)
    call("mount", b"proc", b"/proc", b"proc", flags, None)


def bind(source: str, target: str) -> None:
    """Show the folder `source` at `target` too."""
    call("mount", source.encode(), target.encode(), None, _MS_BIND | _MS_REC, None)


def move_mount(source: str, target: str) -> None:
    """Move what is mounted at `source` to `target`."""
    call("mount", source.encode(), target.encode(), None, _MS_MOVE, None)


def mount_overlay(lower: str, upper: str, work: str, target: str) -> None:
    """Show `lower` at `target`; changes go to `upper`."""
    options = f"lowerdir={lower},upperdir={upper},workdir={work},userxattr".encode()
    call("mount", b"overlay", target.encode(), b"overlay", _MS_NOSUID | _MS_NODEV, options)


def keep_mounts_private() -> None:
    """Stop mounts made here from showing anywhere else."""
    call("mount", b"none", b"/", None, _MS_REC | _MS_PRIVATE, None)


def die_with_parent() -> None:
    """Ask for SIGKILL when the parent dies."""
    call("prctl", _PR_SET_PDEATHSIG, 9, 0, 0, 0)


def adopt_orphans() -> None:
    """Become the parent of all descendants that lose theirs."""
    call("prctl", _PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def set_dumpable(dumpable: bool) -> None:
    """Allow or refuse other processes of the same user to look into this one."""
    call("prctl", _PR_SET_DUMPABLE, int(dumpable), 0, 0, 0)


def be_first_to_go(proc: "int | None" = None) -> None:
    """Ask the kernel to end this process before others when the machine's memory runs out."""
    _write("oom_score_adj", "1000", proc)


def go_before_others() -> None:
    """Ask for the same, less urgently, for a whole sandbox in which no process can ask for itself later."""
    with open("/proc/self/oom_score_adj", encoding="ascii") as file:
        if int(file.read()) < _GO_BEFORE_OTHERS:
            _write("oom_score_adj", str(_GO_BEFORE_OTHERS), None)


def become_nobody() -> None:
    """Leave root behind for good: user and group 65534, no other groups."""
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    set_dumpable(True)  # changing the user made /proc/self unwritable


def count_as_nobody() -> None:
    """As root: let the limit on processes hold, from which root is exempt; files stay root's, other rights must go."""
    os.setgroups([])
    os.setresuid(NOBODY, 0, 0)


def threads_of_user() -> int:
    """Return how many threads run in the name of this process's user: all of them count against its limit."""
    user, total = f"Uid:\t{os.getuid()}\t".encode(), 0
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError), open(f"/proc/{entry}/status", "rb") as file:
                status = file.read()
                if user in status:
                    total += int(status.split(b"Threads:\t")[1].split(b"\n")[0])
    return total


def leave_root() -> None:
    """Inside a sandbox that root started: see only our processes in `/proc` and become nobody."""
    if os.getuid() == 0:
        mount_proc()
        become_nobody()


def raise_loopback() -> None:
    """In a network namespace of our own: let programs talk to themselves."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh", b"lo", _IFF_UP))


def enter_own_namespaces(further: int, proc: "int | None" = None) -> None:
    """Move into a new user namespace, as nobody with all rights in it, and into `further` ones.

    Args:
        further: Flags of namespaces.
        proc: Descriptor of a `/proc` that can be written to, where the one in sight cannot.
    """
    user, group = os.getuid(), os.getgid()
    unshare(CLONE_NEWUSER | further)
    _write("setgroups", "deny", proc)
    _write("uid_map", f"{NOBODY} {user} 1", proc)
    _write("gid_map", f"{NOBODY} {group} 1", proc)


def _write(name: str, text: str, proc: "int | None") -> None:
    """Write to a file of this process in `/proc`."""
    path = f"/proc/self/{name}" if proc is None else f"self/{name}"
    descriptor = os.open(path, os.O_WRONLY, dir_fd=proc)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


def drop_privileges() -> None:
    """Give up every capability, for this process and all it starts."""
    forbid_new_privileges()
    for capability in range(_LAST_CAPABILITY + 1):  # EINVAL past the kernel's last, EPERM without CAP_SETPCAP
        try_call("prctl", _PR_CAPBSET_DROP, capability, 0, 0, 0)
    try_call("prctl", _PR_CAP_AMBIENT, _CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    try_call("capset", ctypes.byref(header), ctypes.byref((ctypes.c_uint32 * 6)()))


def data_bytes() -> int:
    """Return what RLIMIT_DATA counts for this process now."""
    with open("/proc/self/status", encoding="ascii", errors="replace") as file:
        for line in file:
            if line.startswith("VmData:"):
                return int(line.split()[1]) * 1024
    return 0


def limit_memory(extra_bytes: int | None, *, hard: bool) -> None:
    """Let this process grow by `extra_bytes`, at most up to its hard limit; None lifts a soft limit again."""
    ceiling = resource.getrlimit(resource.RLIMIT_DATA)[1]
    soft = ceiling if extra_bytes is None else data_bytes() + extra_bytes
    soft = soft if ceiling == resource.RLIM_INFINITY else min(soft, ceiling)
    resource.setrlimit(resource.RLIMIT_DATA, (soft, soft if hard else ceiling))


def limit_trial(*, cpu_s: int, file_bytes: int, processes: int, open_files: int) -> None:
    """Set the hard limits of a trial besides memory; a lower limit that already holds stays."""
    wanted = {
        resource.RLIMIT_CPU: cpu_s,
        resource.RLIMIT_FSIZE: file_bytes,
        resource.RLIMIT_NPROC: processes,
        resource.RLIMIT_NOFILE: open_files,
        resource.RLIMIT_CORE: 0,
    }
    for what, amount in wanted.items():
        hard = resource.getrlimit(what)[1]
        limit = amount if hard == resource.RLIM_INFINITY else min(amount, hard)
        resource.setrlimit(what, (limit, limit))
