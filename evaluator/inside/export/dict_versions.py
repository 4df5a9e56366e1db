"""Tells whether a dictionary was written to without a look at its items, which would copy their pages in a fork."""

import ctypes
import gc
from collections.abc import Callable, Mapping
from typing import Any, Final

_VERSION_AT: Final = 3 * ctypes.sizeof(ctypes.c_void_p)
"""Where a dictionary's version lies: behind reference count, type and size. Source: PEP 509."""


def writes_of(items: Mapping[str, Any]) -> Callable[[], int | None]:
    """Return what tells a number that changes whenever a dictionary, or a class's, is written to.

    It tells None where Python keeps no such number: then nothing is known. Code that writes to memory as it likes can
    keep the number as it is; it could as well change what reads it.
    """
    address = version_address(items)
    if address is None:
        return _unknown
    version = ctypes.c_uint64.from_address(address)
    return lambda: version.value


def version_address(items: Mapping[str, Any]) -> int | None:
    """Return where in memory that number lies; None where Python keeps none."""
    known = items if isinstance(items, dict) else next(iter(gc.get_referents(items)), None)
    return id(known) + _VERSION_AT if _HAS_VERSIONS and isinstance(known, dict) else None


def _unknown() -> None:
    return None


def _dictionaries_have_versions() -> bool:
    """Try it: later versions of Python keep something else in the same place, or nothing."""
    tried: dict[str, int] = {"a": 1, "b": 2}
    version = ctypes.c_uint64.from_address(id(tried) + _VERSION_AT)
    seen = [version.value]
    for write in (lambda: tried.update(a=3), lambda: tried.pop("b"), lambda: tried.setdefault("c", 4)):
        if "a" not in tried or tried.get("a") is None or version.value != seen[-1]:  # changed by a look
            return False
        write()
        if version.value in seen:
            return False
        seen.append(version.value)
    return True


_HAS_VERSIONS: Final = _dictionaries_have_versions()
