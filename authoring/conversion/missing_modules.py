"""Imports of modules that the environment does not have: found, and taken out of code that does not need them."""

import ast
from typing import NamedTuple

from evaluator.language import parse_code
from evaluator.session import own_environment


class MissingImports(NamedTuple):
    """Code without the imports of modules that are not there."""

    code: str
    modules: tuple[str, ...]  # first parts of their names, in order
    names: dict[str, str]  # name that the code knows a module by -> the import that makes it


def missing_modules(code: str) -> list[str]:
    """Return the modules (first parts of their names) that code imports anywhere and this environment lacks."""
    tree = parse_code(code).tree
    nodes = ast.walk(tree) if tree is not None else ()
    return list(dict.fromkeys(name for node in nodes for name in _modules(node) if _is_missing(name)))


def without_missing_imports(code: str) -> MissingImports:
    """Take out of code the imports at its top level that fail here; code that cannot be cut stays as it is."""
    tree = parse_code(code).tree
    if tree is None:
        return MissingImports(code, (), {})
    lines = code.split("\n")
    names: dict[str, str] = {}
    modules: dict[str, None] = {}
    for node in reversed(tree.body):
        missing = [name for name in _modules(node) if _is_missing(name)]
        if not missing or any(
            node.lineno <= (each.end_lineno or 0) and each.lineno <= node.lineno
            for each in tree.body
            if each is not node
        ):
            continue
        modules = dict.fromkeys(missing) | modules
        kept, taken = _split(node)
        names |= taken
        lines[node.lineno - 1 : node.end_lineno] = kept
    return MissingImports("\n".join(lines).strip("\n"), tuple(modules), names)


def _split(node: ast.stmt) -> tuple[list[str], dict[str, str]]:
    """Return an import without what is missing, and what was taken out by the names that it makes."""
    if isinstance(node, ast.ImportFrom):
        made = {
            alias.asname or alias.name: ast.unparse(ast.ImportFrom(node.module, [alias], 0)) for alias in node.names
        }
        return [], made
    assert isinstance(node, ast.Import)
    there = [alias for alias in node.names if not _is_missing(alias.name.partition(".")[0])]
    gone = [alias for alias in node.names if alias not in there]
    kept = [ast.unparse(ast.Import(there))] if there else []
    return kept, {alias.asname or alias.name.partition(".")[0]: ast.unparse(ast.Import([alias])) for alias in gone}


def _modules(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name.partition(".")[0] for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module and not node.level:
        return [node.module.partition(".")[0]]
    return []


def _is_missing(module: str) -> bool:
    return not own_environment().has_module(module)
