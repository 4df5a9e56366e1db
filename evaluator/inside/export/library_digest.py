"""Which functions of matplotlib draw a figure and tell its facts, as digests: equal where nothing was altered.

Nothing is remembered before a cell, which may be what imports matplotlib. The figures of a reference bring digests of
the same library in the same environment, and whoever compares the facts compares these first.
"""

import hashlib
import importlib
import types
from collections.abc import Callable, Mapping
from typing import Any, Final

_LIBRARY: Final = "matplotlib"
_MODULES: Final = (
    *("artist", "axes._axes", "axes._base", "axis", "backend_bases", "backends.backend_agg", "collections", "colors"),
    *("container", "figure", "image", "legend", "lines", "patches", "path", "text", "ticker", "transforms"),
)
_DEPTH: Final = 3  # of functions that wrap one another
_PLAIN: Final = (type(None), bool, int, float, complex, str, bytes, type(...))
_UNTOLD: Final = frozenset({"__doc__", "__annotations__", "__static_attributes__", "__firstlineno__"})


def library_digests() -> dict[str, str]:
    """Return a digest of the functions and classes of each module that figures are drawn and read by."""
    return {name: _digest(importlib.import_module(f"{_LIBRARY}.{name}"), name) for name in _MODULES}


def _digest(module: types.ModuleType, name: str) -> str:
    digest = hashlib.blake2b(digest_size=8)
    update = digest.update
    package = importlib.import_module(_LIBRARY)
    if "." not in name and vars(package).get(name) is not module:
        update(b"another module")
    for each, item in sorted(vars(module).items()):
        if each.startswith("__"):
            continue
        update(each.encode())
        if issubclass(type(item), type) and item.__module__ == module.__name__:
            _tell_class(item, update)
        else:
            _tell(item, update, _DEPTH)
    return digest.hexdigest()


def _tell_class(kind: type, update: Callable[[bytes], None]) -> None:
    update(" ".join(f"{base.__module__}.{base.__qualname__}" for base in (type(kind), *kind.__mro__)).encode())
    names: Mapping[str, Any] = vars(kind)
    for name, item in sorted(names.items()):
        if name not in _UNTOLD:
            _tell(item, update, _DEPTH, name)


def _tell(item: Any, update: Callable[[bytes], None], depth: int, name: str = "") -> None:
    """Tell what something that can be called consists of; other values, such as caches, may change and are not told."""
    kind = type(item)
    if kind is types.FunctionType:
        update(name.encode())
        _tell_code(item.__code__, update)
        for default in item.__defaults__ or ():
            _tell_constant(default, update)
        for cell in (item.__closure__ or ()) if depth else ():
            _tell(_content(cell), update, depth - 1)
    elif kind in (staticmethod, classmethod):
        update(f"{name}:{kind.__name__}".encode())
        _tell(item.__func__, update, depth)
    elif kind is property:
        update(f"{name}:property".encode())
        for part in (item.fget, item.fset):
            _tell(part, update, depth)
    elif issubclass(kind, type):
        update(f"{name}:{item.__module__}.{item.__qualname__}".encode())
    elif kind is types.ModuleType:
        update(f"{name}:{item.__name__}".encode())
    elif callable(item):
        update(f"{name}:{kind.__module__}.{kind.__qualname__}".encode())
        if depth:
            _tell(getattr(item, "__wrapped__", None), update, depth - 1)


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # an empty cell
        return None


def _tell_code(code: types.CodeType, update: Callable[[bytes], None]) -> None:
    update(code.co_code)
    update(" ".join((code.co_name, *code.co_names)).encode())
    for constant in code.co_consts:
        _tell_constant(constant, update)


def _tell_constant(constant: Any, update: Callable[[bytes], None]) -> None:
    kind = type(constant)
    if kind in _PLAIN:
        update(repr(constant).encode("utf-8", "surrogatepass"))
    elif kind is types.CodeType:
        _tell_code(constant, update)
    elif kind is tuple:
        for part in constant:
            _tell_constant(part, update)
    elif kind is frozenset:  # in an order that differs between processes
        update(" ".join(sorted(repr(part) for part in constant if type(part) in _PLAIN)).encode())
    else:
        update(kind.__qualname__.encode())
