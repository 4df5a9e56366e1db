"""Landlock: what a process may open, signal or connect to, where it cannot have namespaces of its own.

Rules name folders and files; what no rule names cannot be opened. Restrictions only ever grow, and hold for children.
"""

import os
import struct
from collections.abc import Iterable
from typing import Final

from evaluator.inside.isolation.system_calls import call, forbid_new_privileges

LEAST_ABI: Final = 6
"""Linux 6.12: from there on signals and abstract sockets can be kept inside. Below it a trial could kill us."""

_CREATE_RULESET: Final = 444  # numbered alike on every machine
_ADD_RULE: Final = 445
_RESTRICT_SELF: Final = 446
_VERSION_FLAG: Final = 1
_RULE_PATH: Final = 1

_EXECUTE: Final = 1 << 0
_WRITE_FILE: Final = 1 << 1
_READ_FILE: Final = 1 << 2
_READ_FOLDER: Final = 1 << 3
_MAKE_DEVICES: Final = 1 << 6 | 1 << 11
_MAKE_SOCKET: Final = 1 << 9
_TRUNCATE: Final = 1 << 14
_DEVICE_REQUESTS: Final = 1 << 15
_ALL_FILE_RIGHTS: Final = (1 << 16) - 1
_READ: Final = _EXECUTE | _READ_FILE | _READ_FOLDER
_WRITE: Final = _ALL_FILE_RIGHTS & ~(_MAKE_DEVICES | _MAKE_SOCKET | _DEVICE_REQUESTS)
_OF_FILES: Final = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE  # what a rule about a file can hold
_ALL_TCP: Final = 3  # bind, connect
_ALL_SCOPES: Final = 3  # abstract sockets, signals
_DEVICES: Final = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")


def find_abi() -> int:
    """Return the version of Landlock that the kernel has; 0 when it has none."""
    try:
        return call("syscall", _CREATE_RULESET, None, 0, _VERSION_FLAG)
    except OSError:
        return 0


def restrict(*, readable: Iterable[str], writable: Iterable[str]) -> None:
    """Let this process and all it starts open nothing but these places, and reach no other process.

    Places that do not exist are left out.

    Raises:
        OSError: If the kernel refuses.
    """
    attributes = struct.pack("=QQQ", _ALL_FILE_RIGHTS, _ALL_TCP, _ALL_SCOPES)
    ruleset = call("syscall", _CREATE_RULESET, attributes, len(attributes), 0)
    try:
        for place in readable:
            _allow(ruleset, place, _READ)
        for place in (*writable, *_DEVICES):
            _allow(ruleset, place, _WRITE)
        forbid_new_privileges()
        call("syscall", _RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)


def reach_no_others() -> None:
    """Let this process and all it starts signal, and connect to abstract sockets of, none but one another.

    Files stay as they are, and so does the right to mount: a sandbox can still be built after it.

    Raises:
        OSError: If the kernel refuses.
    """
    attributes = struct.pack("=QQQ", 0, 0, _ALL_SCOPES)
    ruleset = call("syscall", _CREATE_RULESET, attributes, len(attributes), 0)
    try:
        forbid_new_privileges()
        call("syscall", _RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)


def _allow(ruleset: int, place: str, rights: int) -> None:
    try:
        descriptor = os.open(place, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        is_folder = os.path.isdir(place)
        allowed = struct.pack("=Qi", rights if is_folder else rights & _OF_FILES, descriptor)
        call("syscall", _ADD_RULE, ruleset, _RULE_PATH, allowed, 0)
    finally:
        os.close(descriptor)
