"""Reads a record's test without executing it: which calls it makes of the function, and which names it looks at."""

import ast
import doctest
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from evaluator.language import names_read_and_written, parse_code

_AT_HAND: Final = frozenset({"pd", "np", "random"})  # what a case may use without importing it
MAX_BAD_LINES: Final = 100
_BUILTINS: Final = frozenset(dir(__builtins__) if not isinstance(__builtins__, dict) else __builtins__)
_SEES_WHOLE: Final = frozenset({"list", "tuple", "dict", "str", "repr", "next", "iter", "set", "sorted", "type", "len"})
"""What a test may wrap around a call; then what it gives is compared, and not the function's own value."""


@dataclass(frozen=True)
class ReadTest:
    """What a test says of a function."""

    cases: tuple[Any, ...]  # of a table_test, in order
    is_whole: bool  # the cases are all that it checks; else it has to be replayed


def test_source(test: str, test_setup: str, docstring: str) -> str:
    """Return the test as code; a record without one may show examples in its docstring."""
    if test.strip():
        return (
            f"{test_setup.strip()}\n\n{test}".strip("\n") if test_setup.strip() else textwrap.dedent(test).strip("\n")
        )
    return "\n".join(_examples(docstring))


def _examples(docstring: str) -> Iterator[str]:
    try:
        found = doctest.DocTestParser().get_examples(docstring)
    except ValueError:
        return
    for each in found:
        call, want = each.source.strip(), each.want.strip()
        if parse_code(f"({call}) == ({want})").tree is not None:
            yield f"assert ({call}) == ({want})"


def readable_part(test: str) -> tuple[str, int]:
    """Return a test without the lines that are no Python, and how many lines those are."""
    lines, left = test.split("\n"), 0
    while left < MAX_BAD_LINES:
        parsed = parse_code("\n".join(lines))
        if parsed.tree is not None or parsed.fault is None:
            return "\n".join(lines), left
        place = min(parsed.fault.line, len(lines)) - 1
        line = lines[place]
        lines[place] = line[: len(line) - len(line.lstrip())] + "pass"
        left += 1
    return "", left


def names_looked_at(test: str) -> frozenset[str]:
    """Return the names of the program that a test reads, `candidate` and names of the language left out."""
    return names_read_and_written(test).reads - _BUILTINS - {"candidate", "self"}


def called_in(test: str, names: Sequence[str]) -> str:
    """Return which of some functions a test calls most; empty: none."""
    tree = parse_code(test).tree
    if tree is None:
        return ""
    calls = [node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    counts = {name: calls.count(name) for name in names}
    return max(counts, key=lambda name: counts[name], default="") if any(counts.values()) else ""


def read_test(source: str, wanted: str, function: ast.FunctionDef, imports: str) -> ReadTest:
    """Return the cases of a test whose calls can be read one by one.

    Args:
        source: The test.
        wanted: The name of the function.
        function: Its definition, which gives arguments by name their names.
        imports: Code that was given before the test, whose imports its arguments may use.
    """
    tree = parse_code(source).tree
    if tree is None:
        return ReadTest((), is_whole=not source.strip())
    reader = _Reader(wanted, function)
    reader.take_imports(parse_code(imports).tree)
    for statement in statements_of(tree):
        reader.take(statement)
    gives_items = any(isinstance(node, ast.Yield | ast.YieldFrom) for node in ast.walk(function))
    if gives_items or reader.is_wrapped:
        return ReadTest((), is_whole=False)
    return ReadTest(tuple(reader.cases), is_whole=reader.is_whole)


def statements_of(tree: ast.Module) -> Iterator[ast.stmt]:
    """Yield what a test does in order: statements at the top, and those in functions and classes that hold tests."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and is_test(node):
            yield from (each for each in node.body if not is_docstring(each))
        elif isinstance(node, ast.ClassDef) and any(isinstance(each, ast.FunctionDef) for each in node.body):
            methods = [each for each in node.body if isinstance(each, ast.FunctionDef)]
            yield from (each for method in methods for each in method.body if not is_docstring(each))
        elif not _starts_test(node):
            yield node


def is_test(node: ast.FunctionDef) -> bool:
    """Return whether a function is a test by its name."""
    return node.name.startswith(("check", "test"))


def is_docstring(node: ast.stmt) -> bool:
    """Return whether a statement is a constant that does nothing."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _starts_test(node: ast.stmt) -> bool:
    """Return whether a statement at the top only starts the tests: `check(f)`, `if __name__ == ...`."""
    if isinstance(node, ast.If) and "__name__" in ast.unparse(node.test):
        return True
    call = node.value if isinstance(node, ast.Expr) else None
    is_call = isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
    return is_call and isinstance(call, ast.Call) and ast.unparse(call.func).startswith(("check", "test"))


@dataclass
class _Reader:
    wanted: str
    function: ast.FunctionDef
    cases: list[Any] = field(default_factory=list)
    is_whole: bool = True
    is_wrapped: bool = False
    before: list[ast.stmt] = field(default_factory=list)  # imports and assignments that make arguments

    def take_imports(self, tree: ast.Module | None) -> None:
        self.before += [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)] if tree else []

    def take(self, statement: ast.stmt) -> None:
        calls = [node for node in ast.walk(statement) if self._is_call(node)]
        if isinstance(statement, ast.Pass) or is_docstring(statement):
            return
        if not calls:
            if isinstance(statement, ast.Import | ast.ImportFrom | ast.Assign | ast.AugAssign | ast.FunctionDef):
                self.before.append(statement)
            elif not _is_true(statement):
                self.is_whole = False
            return
        if not isinstance(statement, ast.Assert | ast.Expr) or self._is_nested(calls):
            self.is_whole = False
            self.is_wrapped |= self._wraps(statement)
            return
        self.is_wrapped |= self._wraps(statement)
        for call in calls:
            assert isinstance(call, ast.Call)
            self._add(call)

    def _add(self, call: ast.Call) -> None:
        case = self._case(call)
        if case is None:
            self.is_whole = False
        elif repr(case) not in map(repr, self.cases):  # 1 equals True, and is another case
            self.cases.append(case)

    def _is_call(self, node: ast.AST) -> bool:
        names = {"candidate", self.wanted}
        return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names

    def _is_nested(self, calls: Sequence[ast.AST]) -> bool:
        inner = [node for call in calls for node in ast.walk(call) if node is not call and self._is_call(node)]
        return bool(inner)

    def _wraps(self, statement: ast.stmt) -> bool:
        """Return whether a call's value is turned into something else before the test looks at it."""
        for node in ast.walk(statement):
            is_wrapper = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _SEES_WHOLE
            if is_wrapper and isinstance(node, ast.Call) and any(self._is_call(each) for each in node.args):
                return True
        return False

    def _case(self, call: ast.Call) -> Any:
        """Return the arguments as a case, or None: they need names that a case cannot have."""
        needed = _free(call.args, call.keywords)
        mapping = self._by_name(call) if call.keywords else None
        if call.keywords and mapping is None:
            return None
        if needed <= _AT_HAND and not self._is_rebound(needed):
            return self._written(call) if mapping is None else _quoted(mapping)
        prelude = self._prelude(needed)
        if prelude is None:
            return None
        arguments = mapping or f"[{', '.join(map(ast.unparse, call.args))}]"
        return f"```\n{prelude}\n_test_case = {arguments}\n```"

    def _written(self, call: ast.Call) -> Any:
        case = [_argument(argument) for argument in call.args]
        whole = f"[{', '.join(map(ast.unparse, call.args))}]"
        has_star = any(isinstance(argument, ast.Starred) for argument in call.args)
        return _quoted(whole) if has_star or _UNWRITABLE in case else case

    def _by_name(self, call: ast.Call) -> str | None:
        """Return the arguments as a dict with their names."""
        names = [each.arg for each in (*self.function.args.posonlyargs, *self.function.args.args)]
        is_plain = not any(isinstance(each, ast.Starred) for each in call.args)
        if not is_plain or len(call.args) > len(names) or self.function.args.posonlyargs:
            return None
        given = [f"{name!r}: {ast.unparse(value)}" for name, value in zip(names, call.args, strict=False)]
        given += [f"{k.arg!r}: {ast.unparse(k.value)}" if k.arg else f"**{ast.unparse(k.value)}" for k in call.keywords]
        return "{" + ", ".join(given) + "}"

    def _is_rebound(self, names: frozenset[str]) -> bool:
        made = (node for node in self.before if not isinstance(node, ast.Import | ast.ImportFrom))
        return any(names & names_read_and_written(ast.unparse(node)).writes for node in made)

    def _prelude(self, needed: frozenset[str]) -> str | None:
        """Return the imports and assignments that make the names; None if one is made nowhere."""
        wanted = set(needed)
        kept: list[str] = []
        for node in reversed(self.before):
            used = names_read_and_written(ast.unparse(node))
            if wanted & used.writes:
                kept.append(ast.unparse(node))
                wanted = (wanted - (used.writes - used.reads)) | (used.reads - _BUILTINS)
        if any("```" in text for text in kept) or wanted - _AT_HAND:
            return None
        return "\n".join(reversed(kept))


def _free(arguments: Sequence[ast.expr], keywords: Sequence[ast.keyword]) -> frozenset[str]:
    texts = [ast.unparse(each.value if isinstance(each, ast.Starred) else each) for each in arguments]
    texts += [ast.unparse(each.value) for each in keywords]
    reads = (names_read_and_written(f"_ = {text}").reads for text in texts)
    return frozenset[str]().union(*reads) - _BUILTINS


def _is_true(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Assert) and isinstance(statement.test, ast.Constant)


_UNWRITABLE: Final = object()


def _argument(argument: ast.expr) -> Any:
    """Return a plain value as it is, another expression as code in backquotes."""
    try:
        value = ast.literal_eval(argument)
    except (ValueError, TypeError, RecursionError, MemoryError, SyntaxError):
        value = _UNWRITABLE
    if value is not _UNWRITABLE and _is_plain(value):
        return value
    text = ast.unparse(argument)
    return _UNWRITABLE if "`" in text or "\n" in text else f"`{text}`"


def _quoted(text: str) -> str:
    return f"```\n_test_case = {text}\n```" if "`" in text else f"`{text}`"


def _is_plain(value: Any) -> bool:
    """Return whether YAML keeps the value and its type."""
    if isinstance(value, list):
        return all(map(_is_plain, value))
    if isinstance(value, dict):
        return all(isinstance(key, str) and key.isidentifier() and _is_plain(item) for key, item in value.items())
    if isinstance(value, str):
        return "`" not in value and value.strip() != "//" and value.isprintable()
    if isinstance(value, float):
        return value == value and abs(value) != float("inf")
    return value is None or isinstance(value, bool | int)
