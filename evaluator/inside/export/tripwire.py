"""Tells whether what reports a cell is what was there before it: our own functions, types and tables, and no others.

It is a tripwire, not a wall: code in the same process can disarm it, and its word is the submission's own, too. A look
must be cheap and write nothing: in a fork, an object that is only looked at costs the copy of its page. So it is words
of memory that are looked at: versions of dictionaries, and what functions and classes refer to.
"""

import builtins
import ctypes
import sys
import types
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np

from evaluator.inside.codec.plain_access import instance_dict
from evaluator.inside.export.dict_versions import version_address

_OURS: Final = "evaluator.inside"
_THIS: Final = __name__.removeprefix(f"{_OURS}.")
_BESIDE: Final = frozenset(
    {
        *("runtime.kernel_keeper", "runtime.kernel_main", "runtime.session_worker", "runtime.worker"),
        *("runtime.prewarm", "isolation.folders", "isolation.landlock", "isolation.namespaces", "isolation.nesting"),
        *("isolation.processes", "isolation.seccomp", "isolation.system_calls", "isolation.watchdog"),
        # the work of those above is done when a cell begins, that of these begins after the payload
        *("export.probe_inputs", "export.probing", "isolation.run_in_fork", "validators.test_cases"),
    }
)
"""Modules of ours that say nothing of what a cell changed."""
_PARTS: Final = ("__code__", "__defaults__", "__kwdefaults__", "__closure__")
_LATE: Final = frozenset({"__warningregistry__", "__annotations__"})  # names that Python itself adds
_WORD: Final = 8
_MAX_NAMES: Final = 10

_id, _map, _tuple, _attribute = id, map, tuple, getattr  # bound before any cell can replace them

Table = tuple[str, Mapping[Any, Any]]
"""Names, or keys, and a label for all of them."""


class Core(NamedTuple):
    """Words that nothing changes: what functions and classes consist of, and what this module holds.

    A frame that runs before, during and after a cell can look at them itself: `memory[places].tobytes() == known`.
    """

    memory: "np.ndarray[Any, np.dtype[np.uint64]]"
    places: "np.ndarray[Any, np.dtype[np.int64]]"
    known: bytes


class Tripwire:
    """Remembers what reports cells; `set` it before a cell runs."""

    def __init__(self, tables: Iterable[Table] = ()) -> None:
        """Look at all modules of ours that are loaded.

        Args:
            tables: More to remember.
        """
        self._tables = tuple(tables)
        self.arm()

    def arm(self) -> None:
        """Take what is there now for what has to be there."""
        found = _Found()
        for name, module in list(sys.modules.items()):
            label = name.removeprefix(f"{_OURS}.")
            if not name.startswith(f"{_OURS}.") or type(module) is not types.ModuleType or label in _BESIDE:
                continue
            if "__path__" not in vars(module):  # a package holds modules, and gets another when one is loaded late
                found.module(label, vars(module))
        for label, table in self._tables:
            found.names.append(_Names(label, table))
        self._words = _Words(found)
        self._lists = tuple((label, table, _tuple(_map(_id, table)), tuple(table)) for label, table in found.lists)

    @property
    def core(self) -> Core:
        """What can be looked at without a call."""
        return self._words.core

    def set(self, *tables: Table) -> Callable[[], tuple[str, ...]]:
        """Return what tells, once a cell has run, which of our parts were changed meanwhile.

        Args:
            tables: More to remember for this cell.
        """
        return partial(self._changed, [_Names(label, table) for label, table in tables])

    def _changed(self, more: Iterable["_Names"]) -> tuple[str, ...]:
        changed = self._words.changed()
        changed += [label for label, table, known, _ in self._lists if _tuple(_map(_id, table)) != known]
        changed += [name for names in more for name in names.changed()]
        return _tuple(dict.fromkeys(changed))[:_MAX_NAMES]


class _Names:
    """What the names of a module, a class, an object or a table stand for."""

    def __init__(self, label: str, names: Mapping[Any, Any]) -> None:
        self.label = label
        self._names = names
        self._kept = tuple(names.values())  # so that nothing else gets one of these identities
        self._known = self._identities()
        self.version_address = version_address(names)

    def _identities(self) -> dict[Any, int]:
        return {name: _id(item) for name, item in self._names.items() if name not in _LATE}

    def changed(self) -> list[str]:
        """Return what stands for something else now."""
        now = self._identities()
        if now == self._known:
            return []
        differ = [name for name in {**self._known, **now} if self._known.get(name) != now.get(name)]
        return [f"{self.label}.{name}" if type(name) is str else self.label for name in differ]


class _Part:
    """One part of a function, a class or a cell, where its place in memory cannot be told."""

    def __init__(self, label: str, thing: Any, name: str) -> None:
        self._label = label
        self._look = partial(_part, thing, name)
        self._known = self._look()

    def changed(self) -> list[str]:
        """Return the label if the part is another one now."""
        return [] if self._look() is self._known else [self._label]


class _Words:
    """Words of memory, and what it means when they change."""

    def __init__(self, found: "_Found") -> None:
        self._meanings: list[tuple[str, _Names | None]] = []
        self._unseen: list[_Names | _Part] = []  # of which no word of memory tells
        addresses: list[int] = []
        self._kept: list[Any] = [found.parts]  # or something else could get one of these identities
        for names in found.names:
            if names.version_address is None:
                self._unseen.append(names)
            else:
                addresses.append(names.version_address)
                self._meanings.append(("", names))
        for label, thing, parts in found.parts:
            for part in parts:
                if part not in _OFFSETS:
                    self._unseen.append(_Part(label, thing, part))
                    continue
                addresses.append(id(thing) + _OFFSETS[part])
                self._meanings.append((label, None))
                self._kept.append(_part(thing, part))
        low, high = min(addresses, default=0), max(addresses, default=0)
        self._memory = _memory(low, high - low + _WORD if addresses else 0)
        self._places = (np.array(addresses, np.int64) - low) // _WORD
        self._known = self._memory[self._places]
        is_core = [names is None or names.label.startswith(_THIS) for _, names in self._meanings]
        places = self._places[np.array(is_core, np.bool_)]
        self.core = Core(self._memory, places, self._memory[places].tobytes())

    def changed(self) -> list[str]:
        """Return the labels of what was changed."""
        changed = [name for one in self._unseen for name in one.changed()]
        for place in (self._memory[self._places] != self._known).nonzero()[0].tolist():
            label, names = self._meanings[place]
            changed += [label] if names is None else names.changed()
        return changed


class _Found:
    """Collects what there is to remember."""

    def __init__(self) -> None:
        self.names: list[_Names] = []
        self.parts: list[tuple[str, Any, tuple[str, ...]]] = []  # functions, classes and cells, and what of them
        self.lists: list[tuple[str, Any]] = []
        self._known: set[int] = set()

    def module(self, label: str, names: dict[str, Any]) -> None:
        """Collect a module and what it defines."""
        self.names.append(_Names(label, names))
        own_builtins = names.get("__builtins__")
        if type(own_builtins) is dict and own_builtins is not vars(builtins):
            self.names.append(_Names(f"{label}.__builtins__", own_builtins))
        for name, item in list(names.items()):
            if name.startswith("__"):
                continue
            if type(item) is list:
                self.lists.append((f"{label}.{name}", item))
            self._item(f"{label}.{name}", item)
            if str(type(item).__module__).startswith(_OURS):
                self._state(f"{label}.{name}", item)

    def _item(self, label: str, item: Any) -> None:
        """Collect one thing and what it consists of, if it is ours."""
        if id(item) in self._known:
            return
        self._known.add(id(item))
        kind = type(item)
        if kind is types.FunctionType:
            self._function(label, item)
        elif isinstance(item, type):
            self._class(label, item)
        elif kind in (dict, list, set, tuple, frozenset):
            if kind is dict:
                self.names.append(_Names(label, item))
            for part in list(item.values() if kind is dict else item):
                self._item(label, part)
        elif kind is not types.ModuleType:
            for name in ("__func__", "__wrapped__", "fget", "fset", "fdel", "func"):
                self._item(label, getattr(item, name, None))
            if kind is types.MethodType:
                self._state(label, item.__self__)

    def _state(self, label: str, item: Any) -> None:
        attributes = instance_dict(item)
        if attributes and not isinstance(item, type):
            self.names.append(_Names(label, attributes))

    def _function(self, label: str, function: types.FunctionType) -> None:
        if not str(function.__module__).startswith(_OURS):
            return
        self.parts.append((label, function, _PARTS))
        for cell in function.__closure__ or ():
            self.parts.append((label, cell, ("cell_contents",)))
            self._item(label, _part(cell, "cell_contents"))

    def _class(self, label: str, kind: type) -> None:
        if not str(kind.__module__).startswith(_OURS):
            return
        self.parts.append((label, kind, ("__mro__",)))
        self.names.append(_Names(label, vars(kind)))
        for name, item in list(vars(kind).items()):
            self._item(f"{label}.{name}", item)


def _part(thing: Any, name: str) -> Any:
    try:
        return _attribute(thing, name)
    except ValueError:  # an empty cell
        return None


def _memory(address: int, size: int) -> "np.ndarray[Any, np.dtype[np.uint64]]":
    memory: Any = (ctypes.c_char * size).from_address(address) if size else b""
    return np.frombuffer(memory, np.uint64)


def _find_offsets() -> dict[str, int]:
    """Return where in the memory of functions, classes and cells their parts are referred to, found by trying it."""
    held = object()

    def sample(first: int = 12345, *, second: int = 54321) -> object:
        return first, second, held

    class Sample(dict[Any, Any]):
        pass

    assert sample.__closure__ is not None
    cell = sample.__closure__[0]
    things: list[tuple[Any, str, Any]] = [(sample, part, getattr(sample, part)) for part in _PARTS]
    things += [(Sample, "__mro__", Sample.__mro__), (cell, "cell_contents", held)]
    offsets = {}
    for thing, name, part in things:
        words = _memory(id(thing), object.__sizeof__(thing) // _WORD * _WORD)
        places = (words == id(part)).nonzero()[0].tolist()
        if len(places) == 1:
            offsets[name] = places[0] * _WORD
    return offsets


_OFFSETS: Final = _find_offsets()
