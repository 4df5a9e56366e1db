"""A record's test as one probe: it is run on the submission's state, and what it looks at is compared.

Loops, data that the test builds, classes and wrapped calls cannot be written as cases. The probe repeats such a test,
but where it asserts something it keeps what is asserted: both sides of a comparison, the arguments of `assert_equal`.
"""

import ast
import copy
import textwrap
from collections.abc import Iterator
from typing import Any, Final

from authoring.conversion.records.record_tests import is_docstring, is_test
from evaluator.language import parse_code

PROBE: Final = "test_outcomes"
_KEEP: Final = """
test_outcomes = []

def _plain(value):
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, type) or hasattr(value, "__next__") or callable(value):
        return getattr(value, "__name__", type(value).__name__)
    if type(value).__module__ == "__main__" and hasattr(value, "__dict__"):
        return [type(value).__name__, {key: _plain(each) for key, each in vars(value).items()}]
    return value

def _keep(*values):
    test_outcomes.append([_plain(each) for each in values])
"""


def replay_of(source: str, wanted: str) -> str:
    """Return a test as the expression of a probe that gives what it looks at; empty if it cannot be read.

    Args:
        source: The test; nothing in it is executed here.
        wanted: The function or class that it is about; empty: the variables of the session.
    """
    tree = parse_code(source).tree
    if tree is None:
        return ""
    changed = _Keeper().visit(copy.deepcopy(tree))  # parsed trees are shared
    assert isinstance(changed, ast.Module)
    body = [node for node in changed.body if not _only_starts(node)]
    starts = list(_starts(body, wanted))
    if not any("_keep(" in ast.unparse(node) for node in body):
        return ""
    candidate = f"candidate = {wanted}\n" if wanted else ""
    code = _KEEP + candidate + ast.unparse(ast.Module(body, [])) + "\n" + "\n".join(starts) + "\n"
    return f"exec({_literal(code.strip(chr(10)) + chr(10))}) or {PROBE}"


def _literal(code: str) -> str:
    """Return code as the literal of a text, readable where that is possible."""
    if '"""' in code or "'''" in code or "\\" in code:
        return repr(code)
    return f"'''\n{code}'''"


def _only_starts(node: ast.stmt) -> bool:
    if isinstance(node, ast.If):
        return "__name__" in ast.unparse(node.test)
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and ast.unparse(call.func).startswith(("check", "test", "unittest.main"))


def _starts(body: list[ast.stmt], wanted: str) -> Iterator[str]:
    """Yield the calls that start what the test defines."""
    for node in body:
        if isinstance(node, ast.FunctionDef) and is_test(node):
            given = wanted or "None"  # a test of variables may have a parameter that it does not use
            yield f"{node.name}({given if node.args.args else ''})"
        elif isinstance(node, ast.ClassDef):
            methods = [each.name for each in node.body if isinstance(each, ast.FunctionDef)]
            for name in methods:
                if name.startswith("test"):
                    yield f"case = {node.name}()"
                    yield from (f"case.{each}()" for each in ("setUp",) if each in methods)
                    yield f"case.{name}()"


class _Keeper(ast.NodeTransformer):
    """Keeps what is asserted instead of asserting it."""

    def visit_Assert(self, node: ast.Assert) -> Any:
        if isinstance(node.test, ast.Constant):
            return node
        return ast.copy_location(ast.Expr(_call("_keep", _sides(node.test))), node)

    def visit_Expr(self, node: ast.Expr) -> Any:
        if is_docstring(node):
            return None
        call = node.value
        if isinstance(call, ast.Call) and _is_assertion(call):
            return ast.copy_location(ast.Expr(_call("_keep", call.args or [ast.Constant(None)])), node)
        return node

    def visit_With(self, node: ast.With) -> Any:
        """Keep whether what must raise does."""
        self.generic_visit(node)
        call = node.items[0].context_expr
        if not isinstance(call, ast.Call) or not _must_raise(call):
            return node
        kind = call.args[0] if call.args else ast.Name("Exception", ast.Load())
        nothing, raised = (ast.Expr(_call("_keep", [ast.Constant(text)])) for text in ("nothing raised", "raised"))
        handler = ast.ExceptHandler(type=kind, name=None, body=[raised])
        made = ast.Try(body=[*node.body, nothing], handlers=[handler], orelse=[], finalbody=[])
        return ast.fix_missing_locations(ast.copy_location(made, node))

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        """Free a class of tests from its base, whose assertions are not needed."""
        self.generic_visit(node)
        node.bases = [each for each in node.bases if not ast.unparse(each).endswith("TestCase")]
        node.body = node.body or [ast.Pass()]
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        self.generic_visit(node)
        node.body = node.body or [ast.Pass()]
        return node


def _is_assertion(call: ast.Call) -> bool:
    name = ast.unparse(call.func).rsplit(".", 1)[-1]
    return name.startswith("assert") and not name.lower().startswith(("assertraises", "assert_raises", "assertwarns"))


def _must_raise(call: ast.Call) -> bool:
    name = ast.unparse(call.func).rsplit(".", 1)[-1]
    return name in ("raises", "assertRaises", "assertRaisesRegex", "assert_raises")


def _sides(test: ast.expr) -> list[ast.expr]:
    """Return what an assertion compares, or the whole of it where it compares nothing."""
    if isinstance(test, ast.Compare):
        return [test.left, *test.comparators]
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return [side for value in test.values for side in _sides(value)]
    return [test]


def _call(name: str, arguments: list[ast.expr]) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), arguments, [])


def judge_of(source: str, name: str) -> str:
    """Return code that judges one variable by a test instead of by the reference's value; empty if that cannot be.

    For results that are drawn at random a test says what must hold; what it names beside the variable must be at hand
    where comparisons run.
    """
    tree = parse_code(source).tree
    if tree is None:
        return ""
    lines: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and is_test(node):
            lines += [ast.unparse(each) for each in node.body if not is_docstring(each)]
        elif not _only_starts(node):
            lines.append(ast.unparse(node))
    if not any(line.startswith("assert") for line in lines):
        return ""
    body = "\n".join([f"{name} = found", *lines, "return True"])
    return f"def compare_fn(expected, found):\n{textwrap.indent(body, '    ')}\n"
