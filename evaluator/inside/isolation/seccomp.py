"""System call filters: which requests to the kernel a sandboxed process may not make.

A filter is a small program that the kernel runs at every system call, put together here from a list of what is denied.
What is not denied costs nothing: the kernel remembers which calls pass whatever their arguments are.
"""

import ctypes
import errno
import platform
import socket
import struct
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from evaluator.inside.isolation.system_calls import call, forbid_new_privileges

_BASE: Final = (
    *("ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd"),  # other processes
    *("bpf", "perf_event_open", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register"),
    *("add_key", "request_key", "keyctl", "open_by_handle_at"),
    *("init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load"),
)
_STRICT: Final = (
    *("mount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree", "open_tree_attr", "mount_setattr"),
    *("fsopen", "fsconfig", "fsmount", "fspick", "unshare", "setns"),
    *("memfd_create", "memfd_secret", "shmget", "semget", "msgget"),  # memory that no limit of a process sees
)
_OUTSIDE: Final = ("socket", "connect", "bind", "listen", "setuid", "setreuid", "setresuid")
_OTHERS: Final = ("kcmp", "process_madvise", "process_mrelease")  # they are about other processes
_OWN_PROCESS_FIRST: Final = (  # their first argument is a process; 0 is the caller
    *("sched_setparam", "sched_setscheduler", "sched_setaffinity", "sched_setattr", "prlimit64"),
    *("migrate_pages", "move_pages"),
)
_OWN_PROCESS_SECOND: Final = {"setpriority": 0, "ioprio_set": 1}
"""The second argument of these is a process, a group or a user; the first says which, and this value: a process."""
_UNGUARDED: Final = (  # Landlock has no word about the rights, owners and times of files
    *("chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat"),
    *("utime", "utimes", "futimesat", "utimensat"),
)
_UNGUARDED_LABELS: Final = (
    *("setxattr", "lsetxattr", "fsetxattr", "setxattrat"),
    *("removexattr", "lremovexattr", "fremovexattr", "removexattrat"),
)
_NEWER: Final = {  # numbered alike on every machine
    "io_uring_setup": 425,
    "io_uring_enter": 426,
    "io_uring_register": 427,
    "open_tree": 428,
    "move_mount": 429,
    "fsopen": 430,
    "fsconfig": 431,
    "fsmount": 432,
    "fspick": 433,
    "clone3": 435,
    "pidfd_getfd": 438,
    "process_madvise": 440,
    "mount_setattr": 442,
    "memfd_secret": 447,
    "process_mrelease": 448,
    "fchmodat2": 452,
    "setxattrat": 463,
    "removexattrat": 466,
    "open_tree_attr": 467,
}


@dataclass(frozen=True)
class _Machine:
    """How one kind of processor numbers its system calls; where a name is missing, so is the call."""

    audit: int
    numbers: Mapping[str, int]
    foreign_bit: int = 0  # set in the numbers of a second calling convention


_X86_64: Final = _Machine(
    0xC000003E,
    {
        **_NEWER,
        **{
            "prctl": 157,
            "ioctl": 16,
            "shmget": 29,
            "socket": 41,
            "connect": 42,
            "bind": 49,
            "listen": 50,
            "socketpair": 53,
        },
        **{
            "clone": 56,
            "semget": 64,
            "msgget": 68,
            "chmod": 90,
            "fchmod": 91,
            "chown": 92,
            "fchown": 93,
            "setuid": 105,
        },
        **{
            "setreuid": 113,
            "setresuid": 117,
            "lchown": 94,
            "ptrace": 101,
            "utime": 132,
            "pivot_root": 155,
            "chroot": 161,
            "mount": 165,
            "umount2": 166,
        },
        **{"init_module": 175, "delete_module": 176, "setxattr": 188, "lsetxattr": 189, "fsetxattr": 190},
        **{"removexattr": 197, "lremovexattr": 198, "fremovexattr": 199, "utimes": 235, "kexec_load": 246},
        **{"add_key": 248, "request_key": 249, "keyctl": 250, "fchownat": 260, "futimesat": 261, "fchmodat": 268},
        **{"unshare": 272, "utimensat": 280, "perf_event_open": 298, "open_by_handle_at": 304, "setns": 308},
        **{"process_vm_readv": 310, "process_vm_writev": 311, "finit_module": 313, "memfd_create": 319},
        **{"kexec_file_load": 320, "bpf": 321, "userfaultfd": 323},
        **{"setpriority": 141, "sched_setparam": 142, "sched_setscheduler": 144, "prctl": 157},
        **{"sched_setaffinity": 203, "ioprio_set": 251, "migrate_pages": 256, "move_pages": 279},
        **{"prlimit64": 302, "kcmp": 312, "sched_setattr": 314},
    },
    foreign_bit=0x40000000,
)
_AARCH64: Final = _Machine(
    0xC00000B7,
    {
        **_NEWER,
        **{"setxattr": 5, "lsetxattr": 6, "fsetxattr": 7, "removexattr": 14, "lremovexattr": 15, "fremovexattr": 16},
        **{
            "prctl": 167,
            "ioctl": 29,
            "umount2": 39,
            "mount": 40,
            "pivot_root": 41,
            "chroot": 51,
            "fchmod": 52,
            "fchmodat": 53,
        },
        **{"fchownat": 54, "fchown": 55, "utimensat": 88, "unshare": 97, "kexec_load": 104, "init_module": 105},
        **{
            "setreuid": 145,
            "setuid": 146,
            "setresuid": 147,
            "delete_module": 106,
            "ptrace": 117,
            "msgget": 186,
            "semget": 190,
            "shmget": 194,
            "socket": 198,
        },
        **{"socketpair": 199, "bind": 200, "listen": 201, "connect": 203, "add_key": 217, "request_key": 218},
        **{"keyctl": 219, "clone": 220, "perf_event_open": 241, "open_by_handle_at": 265, "setns": 268},
        **{"process_vm_readv": 270, "process_vm_writev": 271, "finit_module": 273, "memfd_create": 279, "bpf": 280},
        **{"userfaultfd": 282, "kexec_file_load": 294},
        **{"ioprio_set": 30, "sched_setparam": 118, "sched_setscheduler": 119, "sched_setaffinity": 122},
        **{"setpriority": 140, "prctl": 167, "migrate_pages": 238, "move_pages": 239},
        **{"prlimit64": 261, "kcmp": 272, "sched_setattr": 274},
    },
)
_MACHINES: Final = {"x86_64": _X86_64, "aarch64": _AARCH64}

_AF_UNIX: Final = 1
_FAMILIES: Final = (_AF_UNIX, 2, 10)  # local, IPv4, IPv6
_TERMINAL_INPUT: Final = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX
_SHARE_A_CORE: Final = 62  # PR_SCHED_CORE: who may run beside whom
_NAMESPACES: Final = 0x7E020000  # CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET

_LOAD: Final = 0x20  # BPF_LD | BPF_W | BPF_ABS
_EQUAL: Final = 0x15  # BPF_JMP | BPF_JEQ | BPF_K
_ANY_BIT: Final = 0x45  # BPF_JMP | BPF_JSET | BPF_K
_RETURN: Final = 0x06  # BPF_RET | BPF_K
_ALLOWED: Final = 0x7FFF0000
_ERROR: Final = 0x00050000
_DENIED: Final = _ERROR | errno.EPERM
_NUMBER_AT: Final = 0  # offsets in struct seccomp_data
_AUDIT_AT: Final = 4
_ARGUMENTS_AT: Final = 16
_PR_SET_SECCOMP: Final = 22
_MODE_FILTER: Final = 2
_CLONE_PARENT: Final = 0x8000  # makes a sibling instead of a child
_PR_SET_CHILD_SUBREAPER: Final = 36


class _Program:
    """Instructions of one filter."""

    def __init__(self, machine: _Machine) -> None:
        self._numbers = machine.numbers
        self._code = bytearray()
        self._add(_LOAD, _AUDIT_AT)
        self._add(_EQUAL, machine.audit, if_true=1)
        self._add(_RETURN, _DENIED)  # called as another kind of processor would
        self._add(_LOAD, _NUMBER_AT)
        if machine.foreign_bit:
            self._add(_ANY_BIT, machine.foreign_bit, if_false=1)
            self._add(_RETURN, _DENIED)

    def _add(self, operation: int, operand: int, *, if_true: int = 0, if_false: int = 0) -> None:
        self._code += struct.pack("=HBBI", operation, if_true, if_false, operand)

    def deny(self, names: Iterable[str], number: int = errno.EPERM) -> None:
        """Let calls fail with an error number whatever their arguments are; with 0 they seem to succeed."""
        for name in names:
            if name in self._numbers:
                self._add(_EQUAL, self._numbers[name], if_false=1)
                self._add(_RETURN, _ERROR | number)

    def deny_values(self, name: str, argument: int, values: Sequence[int]) -> None:
        """Let a call fail when an argument is one of these."""
        self._decide(name, argument, [(_EQUAL, value) for value in values], (_DENIED, _ALLOWED))

    def deny_bits(self, name: str, argument: int, bits: int) -> None:
        """Let a call fail when an argument has one of these bits."""
        self._decide(name, argument, [(_ANY_BIT, bits)], (_DENIED, _ALLOWED))

    def allow_values(self, name: str, argument: int, values: Sequence[int]) -> None:
        """Let a call fail unless an argument is one of these."""
        self._decide(name, argument, [(_EQUAL, value) for value in values], (_ALLOWED, _DENIED))

    def _decide(self, name: str, argument: int, checks: "list[tuple[int, int]]", answers: "tuple[int, int]") -> None:
        """Answer a call at once: the first answer if a check of the argument's lower half holds, else the second."""
        self._add(_EQUAL, self._numbers[name], if_false=len(checks) + 3)
        self._add(_LOAD, _ARGUMENTS_AT + 8 * argument)
        for left, (operation, operand) in zip(range(len(checks), 0, -1), checks, strict=True):
            self._add(operation, operand, if_true=left)
        self._add(_RETURN, answers[1])
        self._add(_RETURN, answers[0])

    def allow_own_process(self, name: str, argument: int, kind: "int | None" = None) -> None:
        """Let a call fail unless an argument is 0, the caller, and the first argument a kind of target."""
        if kind is not None:
            self._add(_EQUAL, self._numbers[name], if_false=4)
            self._add(_LOAD, _ARGUMENTS_AT)
            self._add(_EQUAL, kind, if_true=1)
            self._add(_RETURN, _DENIED)
            self._add(_LOAD, _NUMBER_AT)
        self.allow_values(name, argument, (0,))

    def finish(self) -> bytes:
        """Return the program; whatever was not denied is allowed."""
        self._add(_RETURN, _ALLOWED)
        return bytes(self._code)


def _base(machine: _Machine) -> bytes:
    program = _Program(machine)
    program.deny(_BASE)
    program.deny_values("ioctl", 1, _TERMINAL_INPUT)
    program.allow_values("socket", 0, _FAMILIES)
    return program.finish()


def _of_agents(machine: _Machine) -> bytes:
    program = _Program(machine)
    program.deny(_BASE)
    program.deny(("memfd_secret", "shmget", "msgget"))  # memory that nobody outside could count
    program.deny_values("ioctl", 1, _TERMINAL_INPUT)
    program.allow_values("socket", 0, _FAMILIES)
    return program.finish()


def _strict(machine: _Machine) -> bytes:
    program = _Program(machine)
    program.deny(_STRICT)
    program.deny(("clone3",), errno.ENOSYS)  # its flags are out of a filter's sight; callers fall back to clone
    program.deny_bits("clone", 0, _NAMESPACES | _CLONE_PARENT)
    return program.finish()


def _reaching_out(machine: _Machine) -> bytes:
    program = _Program(machine)
    program.deny(_OUTSIDE)
    program.deny(_UNGUARDED_LABELS)
    program.deny(_UNGUARDED, 0)  # they seem to succeed: copying a file must not fail for its rights
    program.deny_bits("socketpair", 1, socket.SOCK_DGRAM)  # these could be pointed elsewhere later
    program.deny(_OTHERS)
    program.deny_values("prctl", 0, (_SHARE_A_CORE,))
    for name in _OWN_PROCESS_FIRST:
        program.allow_own_process(name, 0)
    for name, kind in _OWN_PROCESS_SECOND.items():
        program.allow_own_process(name, 1, kind)
    return program.finish()


def _leaving(machine: _Machine) -> bytes:
    program = _Program(machine)
    program.deny_values("prctl", 0, (_PR_SET_CHILD_SUBREAPER,))
    return program.finish()


def _install(program: bytes) -> None:
    """Put a filter on this process and all it will start, for good."""
    code = ctypes.create_string_buffer(program, len(program))
    head = struct.pack("@HP", len(program) // 8, ctypes.addressof(code))  # struct sock_fprog
    forbid_new_privileges()
    try:
        call("prctl", _PR_SET_SECCOMP, _MODE_FILTER, head, 0, 0)
    except OSError as error:
        why = "a system call filter cannot be installed: the kernel lacks seccomp"
        raise OSError(error.errno, why) from error


_MACHINE: Final = _MACHINES.get(platform.machine()) if sys.maxsize > 2**32 else None
_BASE_PROGRAM: Final = _base(_MACHINE) if _MACHINE else b""
_AGENT_PROGRAM: Final = _of_agents(_MACHINE) if _MACHINE else b""
_STRICT_PROGRAM: Final = _strict(_MACHINE) if _MACHINE else b""
_REACHING_OUT_PROGRAM: Final = _reaching_out(_MACHINE) if _MACHINE else b""
_LEAVING_PROGRAM: Final = _leaving(_MACHINE) if _MACHINE else b""
IS_KNOWN_MACHINE: Final = _MACHINE is not None  # elsewhere there are no filters


def agent_calls_filter() -> bytes:
    """Return the filter of agents' processes, for a program that puts it on them; empty where there is none.

    It denies what `deny_dangerous_calls` does, and memory that lies in no process and no file.
    """
    return _AGENT_PROGRAM


def deny_dangerous_calls() -> None:
    """Take from this process and its children what no problem code needs: other processes' memory, kernel doors."""
    if _BASE_PROGRAM:
        _install(_BASE_PROGRAM)


def deny_new_namespaces() -> None:
    """Take mounts, namespaces and memory that no limit counts from this process and its children as well."""
    if _STRICT_PROGRAM:
        _install(_STRICT_PROGRAM)


def deny_reaching_out() -> None:
    """Take sockets and other users' rights, changes to what surrounds the content of files, and hold over others.

    Priority, scheduling, processors and limits can be set for the caller alone, told as process 0: where there is no
    namespace, every process of the user could be slowed down or stopped by them. Threads count as others.
    """
    if _REACHING_OUT_PROGRAM:
        _install(_REACHING_OUT_PROGRAM)


def deny_leaving() -> None:
    """Let all that this process starts descend from it: a parent that adopts orphans goes on doing so."""
    if _LEAVING_PROGRAM:
        _install(_LEAVING_PROGRAM)
