"""Making a session fresh again, and telling whether it is: what may differ from a new one is looked at, not assumed.

A session whose cells left variables only can serve the next problemset when these are gone. What else code can leave,
settings of libraries, functions put in place of theirs, modules, files, threads, is compared with how it was before the
first cell. Whatever differs ends the session: a fork is dear, a verdict that hangs on another problemset is dearer.
"""

import codecs
import contextlib
import decimal
import gc
import locale
import os
import random
import signal
import sys
import types
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from evaluator.inside.codec.plain_access import instance_dict
from evaluator.inside.export.dict_versions import version_address, words_at
from evaluator.inside.isolation.processes import children_of
from evaluator.inside.runtime.renewal_modules import MODULES

if TYPE_CHECKING:
    from evaluator.inside.runtime.cell_shell import CellShell

_WATCHED: Final = MODULES | {"builtins"}
_MAX_GROWTH: Final = 64 * 1024 * 1024
_MAX_USES: Final = 50
_PAGE: Final = os.sysconf("SC_PAGESIZE")


class Freshness:
    """How things are in a session before its first cell."""

    def __init__(self, shell: "CellShell") -> None:
        self._shell = shell
        self._modules = frozenset[str]()
        self._versions, self._contents = _Versions([]), _Contents([])
        self._settings: tuple[Any, ...] = ()
        self._names: dict[str, Any] = {}
        self._uses = 0
        self._size = 0

    def note_modules(self) -> None:
        """Note, in the template, all that it has imported."""
        for encoding in ("ascii", "latin-1", "utf-8-sig"):  # modules that are loaded at their first use, also by us
            codecs.lookup(encoding)
        self._modules = frozenset(sys.modules)
        with contextlib.suppress(AttributeError):  # inner parts of pandas may move
            watched = list(_watched())
            self._versions = _Versions([each for each in watched if type(each) not in (list, set)])
            self._contents = _Contents([each for each in watched if type(each) in (list, set)])

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
        return (
            self._versions.are_kept()
            and self._contents.are_kept()
            and sys.modules.keys() == self._modules
            and _settings(self._shell) == self._settings
            and not children_of(os.getpid())
            and _resident_bytes() - self._size < _MAX_GROWTH
        )


class _Versions:
    """The numbers by which Python tells that a dictionary was written to; not `are_complete` where it has none."""

    def __init__(self, watched: Sequence[Mapping[str, Any]]) -> None:
        self._watched = watched  # kept, so that nothing else gets their place in memory
        found = [version_address(each) for each in watched]
        addresses = [address for address in found if address is not None]
        self.are_complete = bool(found) and len(addresses) == len(found)
        self._memory, self._places = words_at(addresses)
        self._known = self._memory[self._places]

    def are_kept(self) -> bool:
        """Return whether no dictionary was written to."""
        return self.are_complete and bool((self._memory[self._places] == self._known).all())


class _Contents:
    """What lists and sets hold that hang on modules and classes."""

    def __init__(self, watched: Sequence[Any]) -> None:
        self._watched = watched
        self._known = [_contents(each) for each in watched]

    def are_kept(self) -> bool:
        """Return whether all of them hold the same things."""
        return all(_contents(each) == known for each, known in zip(self._watched, self._known, strict=True))


def _contents(items: Any) -> Any:
    return tuple(map(id, items)) if type(items) is list else frozenset(map(id, items))


def _watched() -> Iterator[Any]:
    """Yield the names of modules that cells may import, of all classes that are defined in them, and what they hold."""
    seen: set[int] = set()
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in _WATCHED and type(module) is types.ModuleType:
            yield from _held(vars(module), seen)
    yield from _dicts_in(pd._config.config._global_config)
    yield os.environ._data  # type: ignore[attr-defined]  # of the mapping itself


def _held(names: Mapping[str, Any], seen: set[int]) -> Iterator[Any]:
    """Yield names, and the containers, classes and plain objects among what they stand for, with what these hold."""
    yield names
    for item in list(names.values()):
        if id(item) in seen or isinstance(item, types.ModuleType):
            continue
        seen.add(id(item))
        if isinstance(item, type):
            yield from _held(vars(item), seen)
        elif type(item) in (dict, list, set):
            yield item
        elif not callable(item) and not isinstance(item, random.Random):  # which is set anew
            own = instance_dict(item)
            if own is not None:
                yield own


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
