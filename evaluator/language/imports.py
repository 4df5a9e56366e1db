"""What code imports."""

import ast

from evaluator.language.python_source import parse_code


def imported_modules(code: str) -> frozenset[str]:
    """Return the dotted names of the modules that code imports, anywhere in it; none when it does not parse."""
    tree = parse_code(code).tree
    names: set[str] = set()
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
    return frozenset(names)
