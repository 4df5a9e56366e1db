"""Code that leaves nothing behind but variables, as far as its text tells: after it, a session can be used again.

That it can is told by two looks that do not rest on each other: this one at the text, strict enough to refuse whatever
it does not know, and one at the process itself (`inside/runtime/renewal.py`).
"""

import ast
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from evaluator.language.python_source import syntax_tree

_MODULES: Final = frozenset(
    {
        *("numpy", "pandas"),
        *("bisect", "calendar", "collections", "copy", "datetime", "fractions", "functools", "heapq", "itertools"),
        *("json", "math", "random", "re", "statistics", "string", "textwrap", "typing", "unicodedata"),
    }
)
"""Top-level modules that code may import: of their state, all that is not a cache is looked at or set anew."""
_NOT_THEIRS: Final = frozenset(
    {
        *("compat", "core", "ctypes", "ctypeslib", "distutils", "f2py", "io", "lib", "testing", "util", "errors"),
        *("os", "sys", "builtins", "warnings", "locale", "threading", "subprocess", "importlib", "gc", "signal"),
        *("plotting", "plot", "hist", "boxplot", "style", "eval", "load", "get_type_hints", "ForwardRef"),
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
_MAX_SOURCE: Final = 100_000
_REFUSED: Final = (ast.ClassDef, ast.AsyncFunctionDef, ast.Await, ast.AsyncFor, ast.AsyncWith, ast.Global, ast.Nonlocal)


@lru_cache(maxsize=4096)
def leaves_only_variables(source: str) -> bool:
    """Return whether a cell, once its variables are gone, has surely left the process as it was.

    Args:
        source: Of a setup cell, or of reference code: its author means no harm, but may set options.
    """
    if len(source) > _MAX_SOURCE:
        return False
    try:
        nodes = list(ast.walk(syntax_tree(source)))
        imported = frozenset(_names_of_imports(nodes))
        return not any(_leaves_more(node, imported) for node in nodes)
    except (SyntaxError, ValueError, RecursionError, MemoryError, SystemError):  # magics among others
        return False


def _names_of_imports(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the names that imports bind."""
    for node in nodes:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                yield alias.asname or alias.name.partition(".")[0]


def _leaves_more(node: ast.AST, imported: frozenset[str]) -> bool:
    """Return whether a part of the code may leave something, or is of no known kind."""
    if isinstance(node, _REFUSED):
        return True
    if isinstance(node, ast.Import):
        return any(not _is_harmless(alias.name) for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        named = (f"{node.module}.{alias.name}" for alias in node.names)
        return node.level > 0 or any(not _is_harmless(name) for name in named)
    if isinstance(node, ast.Name):
        return node.id in _REFUSED_NAMES or (node.id.startswith("_") and node.id.strip("_") != "")
    if isinstance(node, ast.Attribute):
        return _is_doubtful_attribute(node, imported)
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) and node.func.attr == "query" and not _is_plain_query(node)
    if isinstance(node, ast.Subscript):
        return not isinstance(node.ctx, ast.Load) and _root(node) in {None, *imported}
    return False


def _is_harmless(dotted: str) -> bool:
    top, *rest = dotted.split(".")
    return top in _MODULES and all(_is_public(part) and not _changes_settings(part) for part in rest)


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
