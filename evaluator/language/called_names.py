"""Which functions and methods reference code calls, read from its text."""

import ast

from evaluator.language.model import Problem, Problemset
from evaluator.language.python_source import parse_code


def called_names(problemset: Problemset) -> tuple[frozenset[str], ...]:
    """Return, per problem, what its reference code calls; names that cells before it imported are known.

    Returns:
        `pandas.read_csv` for a function of a module however it was imported, `.groupby` for a method of some value.
        Built-in functions and functions that the problemset defines are left out.
    """
    imported: dict[str, str] = {}
    found = []
    for cell in problemset.cells:
        tree = parse_code(cell.code if isinstance(cell, Problem) else cell.source).tree or ast.Module([], [])
        for node in ast.walk(tree):
            imported |= _imported(node)
        if isinstance(cell, Problem):
            calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
            found.append(frozenset(name for call in calls if (name := _name(call, imported))))
    return tuple(found)


def _imported(node: ast.AST) -> dict[str, str]:
    """Return name in the session -> full name, for one import statement."""
    if isinstance(node, ast.Import):
        return {
            alias.asname or alias.name.partition(".")[0]: alias.name if alias.asname else alias.name.partition(".")[0]
            for alias in node.names
        }
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        return {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return {}


def _name(call: ast.expr, imported: dict[str, str]) -> str:
    parts: list[str] = []
    while isinstance(call, ast.Attribute):
        parts.append(call.attr)
        call = call.value
    if isinstance(call, ast.Name) and call.id in imported:
        return ".".join([imported[call.id], *reversed(parts)])
    return f".{parts[0]}" if parts else ""
