"""Calls of the C library that Python does not offer."""

import ctypes
import os
from typing import Any, Final

_PR_SET_NO_NEW_PRIVS: Final = 38

_libc = ctypes.CDLL(None, use_errno=True)


def call(name: str, *arguments: Any) -> int:
    """Call a function of the C library and return what it returns.

    Raises:
        OSError: If that is negative.
    """
    result = int(getattr(_libc, name)(*arguments))
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result


def try_call(name: str, *arguments: Any) -> bool:
    """Call a function of the C library and tell whether it succeeded: cheaper than an exception where it may fail."""
    return int(getattr(_libc, name)(*arguments)) >= 0


def forbid_new_privileges() -> None:
    """Let nothing that this process executes gain rights, which filters and rulesets ask for."""
    call("prctl", _PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
