"""What a cell may have replaced in its process and the export needs as it was."""

import array
import ast
import base64
import builtins
import codecs
import collections
import contextlib
import hashlib
import io
import json
import operator
import os
import re
import select
import signal
import socket
import struct
import sys
import time
import traceback
import types
import warnings
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

import numpy as np
import pandas as pd

from evaluator.inside.export.dict_versions import writes_of
from evaluator.inside.export.suspicious_code import marks_of_replaced

_MODULES: Final = (
    *(array, ast, base64, builtins, codecs, collections, contextlib, hashlib, io, json, json.encoder, json.decoder),
    *(os, re, select, signal, socket, struct, time, traceback, types, warnings, np, pd),
)
_CLASSES: Final = (
    *(pd.DataFrame, pd.Series, pd.Index, pd.RangeIndex, pd.MultiIndex, pd.DatetimeIndex, pd.Timestamp),
    *(pd.arrays.ArrowStringArray, pd.arrays.StringArray, pd.arrays.DatetimeArray, pd.arrays.Categorical),
    *(json.JSONEncoder, json.JSONDecoder, io.TextIOWrapper, socket.socket),
)
_RECURSION_LIMIT: Final = 3000
_TRIES: Final = 200
_MISSING: Final = object()

_settrace, _setprofile = sys.settrace, sys.setprofile
_setitimer, _real_time = signal.setitimer, signal.ITIMER_REAL
_setrecursionlimit = sys.setrecursionlimit


class _Known:
    """A module's or a class's names as they are before any cell runs."""

    def __init__(self, holder: Any, names: Mapping[str, Any]) -> None:
        self._holder = holder
        self._names = names
        self._original = dict(names)
        self._put = partial(operator.setitem if holder is names else setattr, holder)
        self._writes = writes_of(names)
        self._seen = [self._writes()]  # by the last look

    def restore(self) -> list[tuple[Any, str, Any]]:
        """Put back what was replaced; without a look at each name where none was written to."""
        if self._seen[0] is not None and self._writes() == self._seen[0]:
            return []
        replaced: list[tuple[Any, str, Any]] = []
        for name, item in self._original.items():
            found = self._names.get(name, _MISSING)
            if found is not item:
                with contextlib.suppress(AttributeError, TypeError):  # slots of a class itself
                    self._put(name, item)
                    replaced.append((self._holder, name, found))
        self._seen[0] = self._writes()
        return replaced

    def tables(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield what must stay as it is, with labels for people."""
        yield "originals", vars(self)
        yield "originals", self._original


class Originals:
    """Remembers modules and classes as they are before any cell runs."""

    def __init__(self) -> None:
        modules = (_Known(vars(module), vars(module)) for module in _MODULES)
        self._known = (*modules, *(_Known(kind, vars(kind)) for kind in _CLASSES))
        self.marks: set[str] = set()
        """What `calm` found replaced that people should hear of."""

    def tables(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield what must stay as it is, with labels for people."""
        yield "originals", vars(self)
        for known in self._known:
            yield from known.tables()

    def restore(self) -> list[tuple[Any, str, Any]]:
        """Put back what was replaced, and return what stood there: holder, name, replacement."""
        return [one for known in self._known for one in known.restore()]

    def restore_builtins(self) -> None:
        """Stop timers and tracers, which may raise at any point until they are stopped, and restore everything."""
        for _ in range(_TRIES):
            try:
                _setitimer(_real_time, 0)
                _settrace(None)
                _setprofile(None)
                _setrecursionlimit(_RECURSION_LIMIT)
                self.marks.update(marks_of_replaced(self.restore()))
            except BaseException:  # noqa: BLE001, S112  # raised by the cell's tracer or timer, which is then gone
                continue
            return

    @contextlib.contextmanager
    def for_a_while(self) -> Iterator[None]:
        """Restore everything, and put the replacements of a session's own code back afterwards."""
        replaced = self.restore()
        try:
            yield
        finally:
            for holder, name, item in replaced:
                if isinstance(holder, dict):
                    holder[name] = item
                else:
                    setattr(holder, name, item)
