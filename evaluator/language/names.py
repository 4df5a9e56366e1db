"""Which session variables a cell reads and writes, from its syntax tree; the basis of dependencies between problems."""

import ast
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from evaluator.language.model import Problem, Problemset
from evaluator.language.python_source import code_nodes, parse_code

_KEPT_CHARS: Final = 10_000
"""Of code of which answers are kept: several checks ask the same of each cell, and most cells are short."""


def imported_modules(code: str) -> frozenset[str]:
    """Return the dotted names of the modules that code imports, anywhere in it; none when it does not parse."""
    return _imported_modules(code) if len(code) <= _KEPT_CHARS else _imported_modules.__wrapped__(code)


@lru_cache(maxsize=4096)
def _imported_modules(code: str) -> frozenset[str]:
    if "import" not in code:
        return frozenset()
    names: set[str] = set()
    for node in code_nodes(code):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
    return frozenset(names)


def called_names(problemset: Problemset) -> tuple[frozenset[str], ...]:
    """Return, per problem, what its reference code calls; names that cells before it imported are known.

    Returns:
        `pandas.read_csv` for a function of a module however it was imported, `.groupby` for a method of some value.
        Built-in functions and functions that the problemset defines are left out.
    """
    imported: dict[str, str] = {}
    found = []
    for cell in problemset.cells:
        nodes = code_nodes(cell.code if isinstance(cell, Problem) else cell.source)
        for node in nodes:
            imported |= _imported(node)
        if isinstance(cell, Problem):
            calls = (node.func for node in nodes if isinstance(node, ast.Call))
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


_MUTATORS = frozenset(  # as statements
    {"add", "append", "clear", "discard", "extend", "fill", "insert"}
    | {"pop", "remove", "reverse", "setdefault", "sort", "update"}
)
_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class NamesUsed(NamedTuple):
    """Names that code needs from before it ran, and names that it binds, changes in place or deletes.

    `reads` holds builtins too: a session may have rebound them.
    """

    reads: frozenset[str]
    writes: frozenset[str]


def names_read_and_written(code: str) -> NamesUsed:
    """Return the names that `code` reads before it binds them itself, and those it writes; none if it does not parse.

    `df["x"] = 1`, `del df["x"]`, `df.drop(..., inplace=True)` and `items.append(1)` both read and write the variable.
    """
    return _names_used(code) if len(code) <= _KEPT_CHARS else _names_used.__wrapped__(code)


@lru_cache(maxsize=1024)
def _names_used(code: str) -> NamesUsed:
    tree = parse_code(code).tree
    if tree is None:
        return NamesUsed(frozenset(), frozenset())
    reader = _Reader()
    try:
        reader.read_all(tree.body)
        reader.finish()
    except RecursionError:
        return NamesUsed(frozenset(), frozenset())
    return NamesUsed(frozenset(reader.reads), frozenset(reader.writes))


class _Scope:
    def __init__(self, names: Iterable[str] = (), *, is_comprehension: bool = False) -> None:
        self.names = set(names)
        self.globals: set[str] = set()
        self.is_comprehension = is_comprehension


class _Reader(ast.NodeVisitor):
    """Follows the statements in order; a name counts as bound only where every path binds it."""

    def __init__(self) -> None:
        self.reads: set[str] = set()
        self.writes: set[str] = set()
        self.bound: set[str] = set()
        self.scopes: list[_Scope] = []
        self.later: list[tuple[list[_Scope], _Function]] = []  # bodies that run when called

    def read_all(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            self.visit(statement)

    def finish(self) -> None:
        """Read the bodies of functions, which see every name the cell binds."""
        while self.later:
            self.bound = set(self.writes)
            self.scopes, function = self.later.pop()
            if isinstance(function, ast.Lambda):
                self.visit(function.body)
            else:
                self.read_all(function.body)
            self.scopes = []

    def load(self, name: str) -> None:
        if name not in self.bound and not any(name in scope.names for scope in self.scopes):
            self.reads.add(name)

    def store(self, name: str, *, through_comprehension: bool = False) -> None:
        for scope in reversed(self.scopes):
            if through_comprehension and scope.is_comprehension:
                continue
            if name in scope.globals:
                break
            scope.names.add(name)
            return
        self.writes.add(name)
        self.bound.add(name)

    def change(self, target: ast.expr) -> None:
        """Note that the variable at the root of `a.b[c]` changes in place."""
        root = target
        while isinstance(root, (ast.Attribute, ast.Subscript, ast.Starred)):
            root = root.value
        if isinstance(root, ast.Name) and not any(root.id in scope.names for scope in self.scopes):
            self.writes.add(root.id)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self.load(node.id)
        elif isinstance(node.ctx, ast.Store):
            self.store(node.id)
        else:
            self.load(node.id)
            self.store(node.id)
            self.bound.discard(node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if not isinstance(node.ctx, ast.Load):
            self.change(node)
        self.visit(node.value)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if not isinstance(node.ctx, ast.Load):
            self.change(node)
        self.visit(node.value)
        self.visit(node.slice)

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        for target in node.targets:
            self.visit(target)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.visit(node.annotation)
        if node.value is not None:
            self.visit(node.value)
            self.visit(node.target)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.visit(node.value)
        if isinstance(node.target, ast.Name):
            self.load(node.target.id)
        self.visit(node.target)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        self.store(node.target.id, through_comprehension=True)

    def visit_Expr(self, node: ast.Expr) -> None:
        call = node.value
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in _MUTATORS:
            self.change(call.func)
        self.visit(call)

    def visit_Call(self, node: ast.Call) -> None:
        in_place = any(k.arg == "inplace" and getattr(k.value, "value", None) is True for k in node.keywords)
        if in_place and isinstance(node.func, ast.Attribute):
            self.change(node.func)
        self.generic_visit(node)

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.name != "*":
                self.store(alias.asname or alias.name.split(".")[0])

    visit_ImportFrom = visit_Import  # noqa: N815

    def visit_Global(self, node: ast.Global) -> None:
        if self.scopes:
            self.scopes[-1].globals.update(node.names)
            self.scopes[-1].names.difference_update(node.names)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for part in (*node.decorator_list, node.args, *([node.returns] if node.returns else [])):
            self.visit(part)
        self.store(node.name)
        self._defer(node, _bound_in(node.body))

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.visit(node.args)
        self._defer(node, ())

    def _defer(self, node: _Function, local: Iterable[str]) -> None:
        args = node.args
        every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
        scope = _Scope([*(arg.arg for arg in every if arg is not None), *local])
        self.later.append(([*self.scopes, scope], node))

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for part in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(part)
        self.scopes.append(_Scope())
        self.read_all(node.body)
        self.scopes.pop()
        self.store(node.name)

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> None:
        self.visit(node.generators[0].iter)
        self.scopes.append(_Scope(is_comprehension=True))
        for position, generator in enumerate(node.generators):
            if position:
                self.visit(generator.iter)
            for part in (generator.target, *generator.ifs):
                self.visit(part)
        for part in (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,):
            self.visit(part)
        self.scopes.pop()

    visit_ListComp = visit_SetComp = visit_GeneratorExp = visit_DictComp = _comprehension  # noqa: N815

    def visit_If(self, node: ast.If) -> None:
        self.visit(node.test)
        self._branches(node.body, node.orelse)

    def visit_For(self, node: ast.For | ast.AsyncFor) -> None:
        self.visit(node.iter)
        before = set(self.bound)
        self.visit(node.target)
        self.read_all([*node.body, *node.orelse])
        self.bound = before

    visit_AsyncFor = visit_For  # noqa: N815

    def visit_While(self, node: ast.While) -> None:
        self.visit(node.test)
        self._branches([*node.body, *node.orelse], [])

    def visit_With(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            self.visit(item)
        self.read_all(node.body)

    visit_AsyncWith = visit_With  # noqa: N815

    def visit_Try(self, node: ast.Try | ast.TryStar) -> None:
        handlers = [handler.body for handler in node.handlers]
        for handler in node.handlers:
            if handler.type is not None:
                self.visit(handler.type)
            if handler.name:
                self.bound.add(handler.name)
        self._branches([*node.body, *node.orelse], *handlers)
        self.read_all(node.finalbody)

    visit_TryStar = visit_Try  # noqa: N815

    def visit_Match(self, node: ast.Match) -> None:
        self.visit(node.subject)
        before = set(self.bound)
        for case in node.cases:
            self.bound = set(before)
            self.visit(case)
        self.bound = before

    def _pattern(self, node: ast.MatchAs | ast.MatchStar | ast.MatchMapping) -> None:
        name = node.rest if isinstance(node, ast.MatchMapping) else node.name
        self.generic_visit(node)
        if name:
            self.store(name)

    visit_MatchAs = visit_MatchStar = visit_MatchMapping = _pattern  # noqa: N815

    def _branches(self, *branches: Sequence[ast.stmt]) -> None:
        before, after = set(self.bound), []
        for branch in branches:
            self.bound = set(before)
            self.read_all(branch)
            after.append(self.bound)
        self.bound = set.intersection(*after)


def _bound_in(body: Sequence[ast.stmt]) -> set[str]:
    """Return the names that a function's body binds, except in functions and classes nested in it."""
    names: set[str] = set()
    waiting: list[ast.AST] = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
            continue
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names.update(alias.asname or alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            names.add(node.name)
        if not isinstance(node, ast.Lambda):
            waiting.extend(ast.iter_child_nodes(node))
    return names


def session_dependencies(problemset: Problemset) -> tuple[frozenset[int], ...]:
    """Return, per problem, the numbers (from 1) of the problems that last wrote a variable it reads."""
    writer: dict[str, int] = {}
    found = []
    number = 0
    for cell in problemset.cells:
        is_problem = isinstance(cell, Problem)
        used = names_read_and_written(cell.code if isinstance(cell, Problem) else cell.source)
        number += is_problem
        if is_problem:
            found.append(frozenset(writer[name] for name in used.reads if name in writer))
        for name in used.writes:
            if is_problem:
                writer[name] = number
            else:
                writer.pop(name, None)
    return tuple(found)


def longest_chain(dependencies: Sequence[frozenset[int]]) -> int:
    """Return how many problems the longest chain has; 0 when there is no problem."""
    return max(chain_lengths(dependencies), default=0)


def chain_lengths(dependencies: Sequence[frozenset[int]]) -> tuple[int, ...]:
    """Return for each problem how long the longest chain of problems is that it rests on, itself included."""
    lengths: list[int] = []
    for earlier in dependencies:
        lengths.append(1 + max((lengths[number - 1] for number in earlier), default=0))
    return tuple(lengths)
