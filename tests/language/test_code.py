"""What the text of code says without running it: its tree, the names in it, who rests on whom."""

import ast
import subprocess
import sys

from evaluator.language import (
    Problem,
    Problemset,
    SetupCell,
    called_names,
    longest_chain,
    names_read_and_written,
    session_dependencies,
    syntactic_difficulty,
)
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


def test_nodes_come_as_ast_walk_yields_them() -> None:
    for code in CELLS:
        tree = parse_code(code).tree
        assert tree is not None
        assert [ast.dump(node) for node in code_nodes(code)] == [ast.dump(node) for node in ast.walk(tree)]


def test_code_that_does_not_parse_has_no_nodes_and_no_imports() -> None:
    assert code_nodes("import a\nb = (") == ()
    assert imported_modules("import a\nb = (") == frozenset()


NAMES = (
    *(("x = 1", "", "x"), ("x = 1\ny = x", "", "x y"), ("y = x\nx = 1", "x", "x y"), ("x += 1", "x", "x")),
    *(("import pandas as pd, os.path\nfrom a import b as c", "", "pd os c"), ("df['a'] = df.b + k", "df k", "df")),
    *(("df.loc[i, 'a'].x = 1", "df i", "df"), ("del df['a'], z", "df z", "df z")),
    *(("df.drop(columns=c, inplace=True)", "df c", "df"), ("items.append(x)", "items x", "items")),
    *(("n = items.pop", "items", "n"), ("a, (b, *c) = t", "t", "a b c")),
    *(("[i * k for i in xs if i in ys]", "k xs ys", ""), ("{k: v for k, v in d.items()}", "d", "")),
    *(("[(y := x) for x in xs]", "xs", "y"), ("if t:\n  a = 1\nelse:\n  b = 1\nuse = a", "t a", "a b use")),
    ("if t:\n  a = 1\nelse:\n  a = 2\nuse = a", "t", "a use"),
    *(("for r in rows:\n  last = r\nlast", "rows last", "r last"), ("while go:\n  n = 1", "go", "n")),
    ("try:\n  a = f()\nexcept E as e:\n  a = e\na", "f E", "a"),
    ("with open(p) as f:\n  t = f.read()\nt", "open p", "f t"),
    ("def f(a, b=k):\n  c = a\n  return c + g + late\nlate = f(1)", "k g", "f late"),
    *(("def f():\n  global n\n  n = m", "m", "f n"), ("def f():\n  def g(): return h\n  return g", "h", "f")),
    *(("f = lambda a, b=k: a + b + g", "k g", "f"), ("class A(B):\n  x = y\n  z = x", "B y", "A")),
    ("match v:\n  case [a, *rest]: b = a\n  case {'k': c, **more}: pass", "v", "a rest b c more"),
    *(("x: int = y", "int y", "x"), ("f'{name:{width}}'", "name width", ""), ("%time y = x\nz = w", "w", "z")),
    ("x = (", "", ""),
)


def test_names_are_followed_through_the_code() -> None:
    for code, reads, writes in NAMES:
        used = names_read_and_written(code)
        assert (used.reads, used.writes) == (frozenset(reads.split()), frozenset(writes.split())), code


DIFFICULTIES = (
    *(("", 0), ("x = 1", 1), ("df.shape", 1 + 4), ("df['a'].mean()", 1 + 3 + 4 + 4)),
    *(("for i in x:\n    pass", 3 + 1), ("def f(a, b):\n    return a + b", 1 + 2 + 1 + 1)),
    *(("if a:\n    b = [c for c in d]", 3 + 1 + 1), ("with open(p) as f:\n    print(f'{f}')", 3 + 3 + 1 + 3 + 2)),
    *(("df.loc[a > 1, 'b']", 1 + 4 + 4 + 1 + 1), ("x = (", 0)),
)


def test_difficulty_sums_the_weights_of_the_syntax_tree() -> None:
    for code, difficulty in DIFFICULTIES:
        assert syntactic_difficulty(code) == difficulty, code


TEXT = '''# %%
import pandas as pd
from numpy import where as choose
import os.path

# %%
"""
query: One?
"""
table = pd.read_csv("inputs/a.csv")
table.groupby("x").agg(choose(table > 1, 1, 0))

# %%
"""
query: Two?
"""
def mine(): return len(table)
mine(), os.path.join("a"), pd.DataFrame.from_dict({})
'''


def test_calls_are_named_through_imports_and_methods_by_a_dot() -> None:
    problemset = Problemset.parse(TEXT, name="t")
    assert called_names(problemset) == (
        frozenset({"pandas.read_csv", ".groupby", ".agg", "numpy.where"}),
        frozenset({"os.path.join", "pandas.DataFrame.from_dict"}),
    )


def test_a_problem_depends_on_the_last_one_that_wrote_what_it_reads() -> None:
    cells = (
        SetupCell("import pandas as pd\nbase = 1"),
        Problem("a", "x = base"),
        Problem("b", "y = x + 1"),
        Problem("c", "x = 7"),
        Problem("d", "x * y"),
        SetupCell("x = 0"),
        Problem("e", "x"),
    )
    found = session_dependencies(Problemset("s", cells))
    assert [set(numbers) for numbers in found] == [set(), {1}, set(), {2, 3}, set()]
    assert longest_chain(found) == 3


def test_importing_the_language_imports_nothing_heavy() -> None:
    heavy = {"pandas", "numpy", "IPython", "yaml", "pydantic"}
    code = f"import sys, evaluator.language; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
