import pytest

from evaluator.language import names_read_and_written, syntactic_difficulty


@pytest.mark.parametrize(
    ("code", "reads", "writes"),
    [
        ("x = 1", "", "x"),
        ("x = 1\ny = x", "", "x y"),
        ("y = x\nx = 1", "x", "x y"),
        ("x += 1", "x", "x"),
        ("import pandas as pd, os.path\nfrom a import b as c", "", "pd os c"),
        ("df['a'] = df.b + k", "df k", "df"),
        ("df.loc[i, 'a'].x = 1", "df i", "df"),
        ("del df['a'], z", "df z", "df z"),
        ("df.drop(columns=c, inplace=True)", "df c", "df"),
        ("items.append(x)", "items x", "items"),
        ("n = items.pop", "items", "n"),
        ("a, (b, *c) = t", "t", "a b c"),
        ("[i * k for i in xs if i in ys]", "k xs ys", ""),
        ("{k: v for k, v in d.items()}", "d", ""),
        ("[(y := x) for x in xs]", "xs", "y"),
        ("if t:\n  a = 1\nelse:\n  b = 1\nuse = a", "t a", "a b use"),
        ("if t:\n  a = 1\nelse:\n  a = 2\nuse = a", "t", "a use"),
        ("for r in rows:\n  last = r\nlast", "rows last", "r last"),
        ("while go:\n  n = 1", "go", "n"),
        ("try:\n  a = f()\nexcept E as e:\n  a = e\na", "f E", "a"),
        ("with open(p) as f:\n  t = f.read()\nt", "open p", "f t"),
        ("def f(a, b=k):\n  c = a\n  return c + g + late\nlate = f(1)", "k g", "f late"),
        ("def f():\n  global n\n  n = m", "m", "f n"),
        ("def f():\n  def g(): return h\n  return g", "h", "f"),
        ("f = lambda a, b=k: a + b + g", "k g", "f"),
        ("class A(B):\n  x = y\n  z = x", "B y", "A"),
        ("match v:\n  case [a, *rest]: b = a\n  case {'k': c, **more}: pass", "v", "a rest b c more"),
        ("x: int = y", "int y", "x"),
        ("f'{name:{width}}'", "name width", ""),
        ("%time y = x\nz = w", "w", "z"),
        ("x = (", "", ""),
    ],
)
def test_names_are_followed_through_the_code(code: str, reads: str, writes: str) -> None:
    used = names_read_and_written(code)
    assert (used.reads, used.writes) == (frozenset(reads.split()), frozenset(writes.split()))


@pytest.mark.parametrize(
    ("code", "difficulty"),
    [
        ("", 0),
        ("x = 1", 1),
        ("df.shape", 1 + 4),
        ("df['a'].mean()", 1 + 3 + 4 + 4),
        ("for i in x:\n    pass", 3 + 1),
        ("def f(a, b):\n    return a + b", 1 + 2 + 1 + 1),
        ("if a:\n    b = [c for c in d]", 3 + 1 + 1),
        ("with open(p) as f:\n    print(f'{f}')", 3 + 3 + 1 + 3 + 2),
        ("df.loc[a > 1, 'b']", 1 + 4 + 4 + 1 + 1),
        ("x = (", 0),
    ],
)
def test_difficulty_sums_the_weights_of_the_syntax_tree(code: str, difficulty: int) -> None:
    assert syntactic_difficulty(code) == difficulty
