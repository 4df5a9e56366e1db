"""Code that leaves nothing behind but variables, as far as its text tells: after it, a session can be used again.

That it can is told by two looks that do not rest on each other: this one at the text, strict enough to refuse whatever
it does not know, and one at the process itself (`inside/runtime/renewal.py`).
"""

import ast
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from evaluator.inside.runtime.renewal_modules import MODULES
from evaluator.language.python_source import syntax_tree

_NOT_THEIRS: Final = frozenset(
    {
        *("compat", "core", "ctypes", "ctypeslib", "distutils", "f2py", "io", "lib", "testing", "util", "errors"),
        *("os", "sys", "builtins", "warnings", "locale", "threading", "subprocess", "importlib", "gc", "signal"),
        *("plotting", "plot", "hist", "boxplot", "style", "eval", "load", "tseries", "options", "rules"),
    }
)
"""Attributes that lead to state that no look reaches: inner parts, the system, drawing, texts and files with code."""
_READERS: Final = frozenset({"read_csv", "read_excel", "read_fwf", "read_json", "read_parquet", "read_table"})
"""Of the functions that read files, those that execute nothing of what they read."""
_REFUSED_NAMES: Final = frozenset(
    {
        *(
            "exec",
            "eval",
            "compile",
            "globals",
            "locals",
            "vars",
            "setattr",
            "delattr",
            "getattr",
            "breakpoint",
            "exit",
        ),
        *("quit", "input", "open", "get_ipython", "display", "memoryview", "classmethod", "super", "In", "Out"),
    }
)
_VALUES: Final = frozenset(
    {
        *("nan", "inf", "pi", "e", "newaxis", "NA", "NaT", "bool_", "object_", "str_", "number", "integer", "floating"),
        *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"),
        *("complex64", "complex128", "datetime64", "timedelta64", "ndarray", "generic"),
        *("DataFrame", "Series", "Index", "MultiIndex", "Timestamp", "Timedelta", "Period", "Interval", "Categorical"),
        *("mean", "median", "sum", "std", "var", "min", "max", "prod", "size", "count_nonzero", "ptp", "sqrt", "log"),
        *("exp", "abs", "to_numeric", "to_datetime", "isna", "notna", "isnull", "notnull", "datetime", "date"),
        *("timedelta", "time", "Counter", "defaultdict", "OrderedDict", "deque", "List", "Dict", "Tuple", "Optional"),
        *("Any", "Union", "Callable", "Iterable", "Sequence", "Mapping", "Set"),
    }
)
"""What code may pass on of a module: constants, functions and types, which hold nothing that can be changed."""
_MAX_SOURCE: Final = 20_000
_REFUSED: Final = (ast.ClassDef, ast.AsyncFunctionDef, ast.Await, ast.AsyncFor, ast.AsyncWith, ast.Global, ast.Nonlocal)


@lru_cache(maxsize=1024)
def leaves_only_variables(source: str) -> bool:
    """Return whether a cell, once its variables are gone, has surely left the process as it was.

    Args:
        source: Of a setup cell, or of reference code: its author means no harm, but may set options.
    """
    if len(source) > _MAX_SOURCE:
        return False
    try:
        nodes = list(ast.walk(syntax_tree(source)))
    except (SyntaxError, ValueError, RecursionError, MemoryError, SystemError):  # magics among others
        return False
    imported = frozenset(_names_of_imports(nodes))
    known = _harmless_uses(nodes, imported)
    return not any(_leaves_more(node, imported, known) for node in nodes)


def _names_of_imports(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the names that imports bind."""
    for node in nodes:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                yield alias.asname or alias.name.partition(".")[0]


def _harmless_uses(nodes: Iterable[ast.AST], imported: frozenset[str]) -> set[int]:
    """Return the identities of imported names that are called, or are constants, functions or types to pass on.

    A module itself, or what else hangs on it, could be changed under another name.
    """
    known: set[int] = set()
    for node in nodes:
        if isinstance(node, ast.Call):
            known.update(_chain(node.func))
        elif isinstance(node, ast.Attribute) and node.attr in _VALUES and isinstance(node.value, ast.Name):
            known.update(_chain(node))
        elif isinstance(node, ast.Name) and node.id in _VALUES and node.id in imported:
            known.add(id(node))
    return known


def _chain(node: ast.expr) -> Iterator[int]:
    """Yield the identities of a chain of attributes, down to the name that it begins with."""
    while isinstance(node, ast.Attribute):
        yield id(node)
        node = node.value
    yield id(node)


def _leaves_more(node: ast.AST, imported: frozenset[str], known: set[int]) -> bool:
    """Return whether a part of the code may leave something, or is of no known kind."""
    if isinstance(node, _REFUSED):
        return True
    if isinstance(node, ast.Import):
        return any(not _is_harmless(alias.name) for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        named = (f"{node.module}.{alias.name}" for alias in node.names)
        return node.level > 0 or any(not _is_harmless(name) for name in named)
    if isinstance(node, ast.Name):
        is_inner = node.id.startswith("_") and node.id.strip("_") != ""
        is_passed_on = node.id in imported and id(node) not in known
        return node.id in _REFUSED_NAMES or is_inner or is_passed_on
    if isinstance(node, ast.Attribute):
        return _is_doubtful_attribute(node, imported)
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) and node.func.attr == "query" and not _is_plain_query(node)
    if isinstance(node, ast.Subscript):
        return not isinstance(node.ctx, ast.Load) and _root(node) is None
    return False


def _is_harmless(dotted: str) -> bool:
    top, *rest = dotted.split(".")
    return top in MODULES and all(_is_public(part) and not _changes_settings(part) for part in rest)


def _is_public(name: str) -> bool:
    return not name.startswith("_") and name not in _NOT_THEIRS and (name[:5] != "read_" or name in _READERS)


def _is_plain_query(call: ast.Call) -> bool:
    """Return whether a frame is asked in a text that names its columns alone, and no variables."""
    texts = [*call.args, *(keyword.value for keyword in call.keywords)]
    return all(
        isinstance(text, ast.Constant)
        and not (isinstance(text.value, str) and ("@" in text.value or "__" in text.value))
        for text in texts
    )


def _changes_settings(name: str) -> bool:
    """Return whether a function of a module sounds as if it set something: `set_option`, `seterr`, `register_...`."""
    return name.startswith(("set", "reset", "register", "option")) or name == "*"


def _is_doubtful_attribute(node: ast.Attribute, imported: frozenset[str]) -> bool:
    if not _is_public(node.attr):
        return True
    root = _root(node)
    if not isinstance(node.ctx, ast.Load):
        return root is None or root in imported
    return root in imported and _changes_settings(node.attr)


def _root(node: ast.expr) -> str | None:
    """Return the variable that a chain of attributes and items begins with; None: something else."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None
