"""Which library functions code calls: its calls are rewritten to name themselves, then executed in a session."""

import ast
import builtins
import json
from typing import Final

from evaluator.language import parse_code, syntax_tree

_CALL: Final = "__traced_call__"
_ITEM: Final = "__traced_item__"
_CALLS: Final = "__traced_calls__"
_OWN_NAMES: Final = frozenset(dir(builtins)) - {"open"}
MARK: Final = "traced:"
"""What the line starts with on which the report cell prints its JSON."""

TRACING_CELL: Final = f"""
def __install_tracing():
    import builtins, sys

    calls = {{}}

    def library(module):
        return "python" if module in ("builtins", "_io", "io", "") else module.split(".")[0].lstrip("_")

    def note(site, kind, module, name):
        if module != "__main__" and module in sys.modules:
            calls[site] = f"{{library(module)}}.{{kind + '.' if kind else ''}}{{name}}"

    def call(site, function):
        try:
            owner = getattr(function, "__self__", None)
            name = getattr(function, "__name__", type(function).__name__)
            if owner is None or isinstance(owner, type(sys)):
                note(site, "", getattr(function, "__module__", None) or type(function).__module__, name)
            else:
                kind = owner if isinstance(owner, type) else type(owner)
                note(site, kind.__name__, kind.__module__, name)
        except Exception:
            pass
        return function

    def item(site, value):
        try:
            note(site, type(value).__name__, type(value).__module__, "[]")
        except Exception:
            pass
        return value

    builtins.{_CALL}, builtins.{_ITEM}, builtins.{_CALLS} = call, item, calls


__install_tracing()
del __install_tracing
"""
"""Runs once in a session, before all other cells."""

REPORT_CELL: Final = f"""
def __report(variables):
    import builtins, json, sys, types

    import numpy as np, pandas as pd

    def size(value):
        try:
            if isinstance(value, pd.DataFrame):
                return int(value.memory_usage(deep=True).sum())
            if isinstance(value, (pd.Series, pd.Index)):
                return int(value.memory_usage(deep=True))
            if isinstance(value, np.ndarray):
                return int(value.nbytes)
            return sys.getsizeof(value)
        except Exception:
            return 0

    passed_over = (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType, type)
    found = {{
        name: size(value)
        for name, value in variables
        if not name.startswith("_") and not isinstance(value, passed_over) and name not in ("In", "Out", "exit", "quit")
    }}
    sys.stdout.write("\\\\n{MARK}" + json.dumps([found, builtins.{_CALLS}]) + "\\\\n")


__report(list(globals().items()))
""".replace("\\\\", "\\")
"""Prints the sizes of the session's variables (bytes) and the calls so far, as JSON."""


def traced(code: str, *, first_site: int) -> tuple[str, int]:
    """Rewrite code so that every call and subscript notes what it calls; its results stay the same.

    Args:
        code: Of one cell.
        first_site: Number of its first place; places of earlier cells have lower ones.

    Returns:
        The code, and the first number that is still free. Code with magics, or that cannot be parsed and written anew,
        is returned as is.
    """
    parsed = parse_code(code)
    if parsed.tree is None or parsed.has_magics:
        return code, first_site
    rewriter = _Rewriter(first_site)
    tree = ast.fix_missing_locations(rewriter.visit(syntax_tree(code)))  # a tree of our own: parsed ones are shared
    try:
        return ast.unparse(tree), rewriter.next_site
    except (ValueError, RecursionError):  # a line break within an f-string's braces, too deep a tree
        return code, first_site


class _Rewriter(ast.NodeTransformer):
    def __init__(self, first_site: int) -> None:
        self.next_site = first_site

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Name) and node.func.id in _OWN_NAMES:
            self.generic_visit(node)
            return node
        site = self._new_site()
        self.generic_visit(node)
        node.func = _noted(_CALL, site, node.func)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        site = self._new_site()
        self.generic_visit(node)
        node.value = _noted(_ITEM, site, node.value)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is not None:  # annotations stay as they are
            node.value = self.visit(node.value)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        returns, node.returns = node.returns, None
        self.generic_visit(node)
        node.returns = returns
        return node

    def _new_site(self) -> int:
        self.next_site += 1
        return self.next_site - 1


def _noted(name: str, site: int, value: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(name, ast.Load()), [ast.Constant(site), value], [])


def read_report(text: str) -> tuple[dict[str, int], dict[int, str]]:
    """Read what the report cell printed: bytes by variable, called function by place; empty if it printed nothing.

    The session's code may print what it likes: whatever does not fit is left out.
    """
    line = next((line for line in reversed(text.splitlines()) if line.startswith(MARK)), None)
    try:
        sizes, calls = json.loads(line.removeprefix(MARK)) if line is not None else ({}, {})
        return (
            {str(name): int(size) for name, size in sizes.items()},
            {int(site): str(name) for site, name in calls.items()},
        )
    except (ValueError, TypeError, AttributeError, RecursionError):
        return {}, {}
