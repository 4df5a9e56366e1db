"""Syntactic difficulty of a problem, from the syntax tree of its reference code."""

import ast

from evaluator.language.python_source import parse_code

_BLOCKS = (ast.For, ast.AsyncFor, ast.While, ast.If, ast.With, ast.AsyncWith)


def syntactic_difficulty(code: str) -> int:
    """Sum the weights of all nodes of the code's syntax tree.

    for, while, if, with 3; any other statement 1; call 3; attribute or subscript 4; constant or name 0; any other
    expression 1; function argument 1.

    Returns:
        A count (>= 0); 0 for code that does not parse.

    Source: Zhang et al. 2024, arXiv:2402.17168, appendix B.
    """
    tree = parse_code(code).tree
    return sum(_weight(node) for node in ast.walk(tree)) if tree is not None else 0


def _weight(node: ast.AST) -> int:
    if isinstance(node, ast.stmt):
        return 3 if isinstance(node, _BLOCKS) else 1
    if isinstance(node, ast.Call):
        return 3
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        return 4
    if isinstance(node, (ast.Constant, ast.Name)):
        return 0
    return 1 if isinstance(node, (ast.expr, ast.arg)) else 0
