"""Making a session fresh again, and telling whether it is: what may differ from a new one is looked at, not assumed.

A session whose cells left variables only can serve the next problemset when these are gone. What else code can leave,
settings of libraries, functions put in place of theirs, modules, files, threads, is compared with how it was before the
first cell. Whatever differs ends the session: a fork is dear, a verdict that hangs on another problemset is dearer.
"""

import contextlib
import decimal
import gc
import locale
import os
import signal
import sys
import types
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from evaluator.inside.export.dict_versions import version_address, words_at
from evaluator.inside.isolation.processes import children_of

if TYPE_CHECKING:
    from evaluator.inside.runtime.cell_shell import CellShell

_WATCHED: Final = frozenset(
    {
        *("builtins", "numpy", "pandas"),
        *(
            "bisect",
            "calendar",
            "collections",
            "copy",
            "datetime",
            "fractions",
            "functools",
            "heapq",
            "io",
            "itertools",
        ),
        *("json", "math", "random", "re", "statistics", "string", "textwrap", "typing", "unicodedata"),
    }
)
"""Top-level modules that cells may import in a session that is used again, see `session/traceless_code.py`."""
_MAX_GROWTH: Final = 64 * 1024 * 1024
_MAX_USES: Final = 50
_PAGE: Final = os.sysconf("SC_PAGESIZE")


class Freshness:
    """How things are in a session before its first cell."""

    def __init__(self, shell: "CellShell") -> None:
        self._shell = shell
        self._modules = self._tops = frozenset[str]()
        self._versions = _Versions([])
        self._settings: tuple[Any, ...] = ()
        self._names: dict[str, Any] = {}
        self._uses = 0
        self._size = 0

    def note_modules(self) -> None:
        """Note, in the template, all that it has imported."""
        self._modules = frozenset(sys.modules)
        self._tops = frozenset(name.partition(".")[0] for name in sys.modules)
        with contextlib.suppress(AttributeError):  # inner parts of pandas may move
            self._versions = _Versions(list(_watched_dicts()))

    @property
    def can_be_told(self) -> bool:
        """Whether a session can be found to be as before: Python and the libraries show what that takes."""
        return self._versions.are_complete

    def begin(self) -> None:
        """Note, in a session that was just forked, what each process has for itself."""
        if not self.can_be_told:
            return
        self._settings, self._size = _settings(self._shell), _resident_bytes()
        self._names = dict(self._shell.user_ns)

    def restore(self) -> bool:
        """Let the variables go, and return whether all else is as it was."""
        names = self._shell.user_ns
        names.clear()
        names.update(self._names)
        self._shell.last_underscore = names["_"] = ""
        with warnings.catch_warnings():  # entering it lets every warning be shown again
            pass
        self._uses += 1
        return self._uses < _MAX_USES and self._is_as_before()

    def _is_as_before(self) -> bool:
        news = sys.modules.keys() - self._modules
        return (
            self._versions.are_kept()
            and all(name.partition(".")[0] in self._tops for name in news)
            and _settings(self._shell) == self._settings
            and not children_of(os.getpid())
            and _resident_bytes() - self._size < _MAX_GROWTH
        )


class _Versions:
    """The numbers by which Python tells that a dictionary was written to; not `are_complete` where it has none."""

    def __init__(self, watched: Sequence[Mapping[str, Any]]) -> None:
        self._watched = watched  # kept, so that nothing else gets their place in memory
        self._originals = [dict(each) if "__path__" in each else None for each in watched]
        found = [version_address(each) for each in watched]
        addresses = [address for address in found if address is not None]
        self.are_complete = bool(found) and len(addresses) == len(found)
        self._memory, self._places = words_at(addresses)
        self._known = self._memory[self._places]

    def are_kept(self) -> bool:
        """Return whether no dictionary was written to, but for modules of a package that were loaded meanwhile."""
        return self.are_complete and all(
            self._is_only_longer(place) for place in (self._memory[self._places] != self._known).nonzero()[0].tolist()
        )

    def _is_only_longer(self, place: int) -> bool:
        """Return whether a package has got modules as further names, and no other ones."""
        original, now = self._originals[place], self._watched[place]
        if original is None:
            return False
        news = (item for name, item in now.items() if name not in original)
        is_same = all(now.get(name) is item for name, item in original.items())
        return is_same and all(type(item) is types.ModuleType for item in news)


def _watched_dicts() -> Iterator[Mapping[str, Any]]:
    """Yield the names of modules that cells may import, and of all classes that are defined in them."""
    seen: set[int] = set()
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] not in _WATCHED or type(module) is not types.ModuleType:
            continue
        yield vars(module)
        for item in list(vars(module).values()):
            if isinstance(item, type) and id(item) not in seen:
                seen.add(id(item))
                yield vars(item)
    yield from _dicts_in(pd._config.config._global_config)
    yield os.environ._data  # type: ignore[attr-defined]  # of the mapping itself


def _dicts_in(options: dict[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield a dictionary of options and those within it."""
    yield options
    for item in options.values():
        if isinstance(item, dict):
            yield from _dicts_in(item)


def _settings(shell: "CellShell") -> tuple[Any, ...]:
    """Return what is set in this process, of which no dictionary tells."""
    return (
        (str(np.geterr()), np.geterrcall(), np.getbufsize(), str(np.get_printoptions())),
        tuple(map(id, pd.core.dtypes.base._registry.dtypes)),
        (str(decimal.getcontext()), locale.setlocale(locale.LC_ALL)),
        (tuple(sys.path), tuple(map(id, sys.meta_path)), tuple(map(id, sys.path_hooks))),
        (sys.getrecursionlimit(), sys.gettrace(), sys.getprofile(), id(sys.excepthook), id(sys.stdout), id(sys.stderr)),
        (gc.isenabled(), gc.get_threshold(), tuple(map(id, warnings.filters))),
        tuple(map(signal.getsignal, (signal.SIGINT, signal.SIGTERM, signal.SIGALRM, signal.SIGCHLD))),
        (shell.compile.flags, tuple((name, len(calls)) for name, calls in sorted(shell.events.callbacks.items()))),
        (len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))),
    )


def _resident_bytes() -> int:
    with contextlib.suppress(OSError, ValueError), open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[1]) * _PAGE
    return 0
