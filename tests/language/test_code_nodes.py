"""All nodes of a cell's tree, collected once."""

import ast

import pytest

from evaluator.language.names import imported_modules
from evaluator.language.python_source import code_nodes, parse_code

CELLS = [
    "",
    "import numpy as np\nx = {**a, 'b': [c for c in d if c > 1]}\nprint(f'{x!r:>{3}}')",
    "def f(a, /, b=1, *args, c: int = 2, **more) -> None:\n    global g\n    return lambda: (yield)",
    "match a:\n    case {'x': [1, *rest], **others}: pass\n    case str() | None: del a[1:2, ::3]",
    "try:\n    async def f(): await b\nexcept* ValueError as e:\n    raise e from None",
    "%matplotlib inline\nx: int = (y := 3)",
]


@pytest.mark.parametrize("code", CELLS)
def test_nodes_come_as_ast_walk_yields_them(code: str) -> None:
    tree = parse_code(code).tree
    assert tree is not None
    assert list(code_nodes(code)) == list(ast.walk(tree))


def test_code_that_does_not_parse_has_no_nodes_and_no_imports() -> None:
    assert code_nodes("import a\nb = (") == ()
    assert imported_modules("import a\nb = (") == frozenset()
