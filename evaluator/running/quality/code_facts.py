"""What reference code does, as far as its syntax tree tells: calls, comparisons with numbers, sorts, its last value."""

import ast
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from evaluator.language import Problem, names_read_and_written, parse_code

FLIPPED: Final = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
COMPLEMENT: Final = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}  # chooses the other rows
_MIRRORED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_OPERATORS: Final[dict[type[ast.cmpop], str]] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_METHODS: Final = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}
SHOWN_AND_GONE: Final = frozenset({"print", "display", "info"})


class Comparison(NamedTuple):
    """A comparison of something with a number: `value operator number`."""

    node: ast.expr  # the whole of it
    value: ast.expr
    operator: str  # <, <=, > or >=
    number: float


@lru_cache(maxsize=64)
def tree_of(code: str) -> ast.Module:
    """Return the tree of code, an empty one where it does not parse; nobody may change it."""
    return parse_code(code).tree or ast.Module([], [])


def calls_of(tree: ast.AST, *names: str) -> list[ast.Call]:
    """Return the calls of functions or methods of these names, in the order of their places."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and called(node) in names]
    return sorted(found, key=lambda call: (call.end_lineno or 0, call.end_col_offset or 0))


def called(call: ast.Call) -> str:
    """Return the last part of the name of what is called."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def words_of(tree: ast.AST) -> frozenset[str]:
    """Return the methods, functions and short texts of code, in which a statistic would be named."""
    found = {called(node) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    found |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    found |= {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return frozenset(found)


def option(call: ast.Call, name: str) -> ast.expr | None:
    """Return the value of a keyword argument."""
    return next((keyword.value for keyword in call.keywords if keyword.arg == name), None)


def literal(node: ast.AST | None) -> object:
    """Return the value of a constant, also a negative number or a list of constants; None for everything else."""
    if node is None:
        return None
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


def is_number(value: object) -> bool:
    """Return whether a constant is a number; truth values are none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def comparisons(tree: ast.AST) -> Iterator[Comparison]:
    """Yield the comparisons of something with a number, also those by methods such as `gt`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _OPERATORS:
            operator = _OPERATORS[type(node.ops[0])]
            left, right = literal(node.left), literal(node.comparators[0])
            if isinstance(right, (int, float)) and is_number(right) and left is None:
                yield Comparison(node, node.left, operator, float(right))
            elif isinstance(left, (int, float)) and is_number(left) and right is None:
                yield Comparison(node, node.comparators[0], _MIRRORED[operator], float(left))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS:
            number = literal(node.args[0]) if len(node.args) == 1 and not node.keywords else None
            if isinstance(number, (int, float)) and is_number(number):
                yield Comparison(node, node.func.value, _METHODS[node.func.attr], float(number))


def last_value(tree: ast.Module) -> ast.expr | None:
    """Return the expression whose value a cell shows; None where its last statement shows nothing."""
    last = tree.body[-1] if tree.body else None
    if not isinstance(last, ast.Expr) or (isinstance(last.value, ast.Call) and called(last.value) in SHOWN_AND_GONE):
        return None
    return None if isinstance(last.value, ast.Constant) and last.value.value is None else last.value


def functions_of(tree: ast.Module) -> list[ast.FunctionDef]:
    """Return the functions that a cell defines at its top level."""
    return [node for node in tree.body if isinstance(node, ast.FunctionDef)]


def chain(expression: ast.expr) -> Iterator[ast.expr]:
    """Yield an expression and what its methods, attributes and subscripts stand on, from the last call inwards."""
    node: ast.expr | None = expression
    while node is not None:
        yield node
        if isinstance(node, ast.Call):
            node = node.func.value if isinstance(node.func, ast.Attribute) else None
        elif isinstance(node, (ast.Attribute, ast.Subscript)):
            node = node.value
        else:
            node = None


def is_reversed(tree: ast.AST) -> bool:
    """Return whether something in code is turned round: a slice with the step -1, `reversed`, a negative key."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Slice) and literal(node.step) == -1:
            return True
        if isinstance(node, ast.Call) and (called(node) in ("reversed", "flip") or option(node, "reverse") is not None):
            return True
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and not is_number(literal(node.operand)):
            return True
    return False


def written_before(problem: Problem) -> frozenset[str]:
    """Return the variables that earlier cells make or change, scratch ones with a leading underscore left out."""
    names: set[str] = set()
    for cell in problem.problemset.cells if problem.problemset is not None else ():
        if cell is problem:
            break
        names |= names_read_and_written(cell.code if isinstance(cell, Problem) else cell.source).writes
    return frozenset(name for name in names if not name.startswith("_"))
