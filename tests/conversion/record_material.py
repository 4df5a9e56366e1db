"""Records of our own in the shapes in which benchmarks publish theirs, and what becomes of each."""

from typing import Any, Final

Record = dict[str, Any]


def _program(prompt: str, solution: str | list[str], test: str, **more: Any) -> Record:
    """Return a record without a function: a program with the question in its comments, to be gone on with."""
    solutions = solution if isinstance(solution, list) else [solution]
    return {"prompt": prompt, "canonical_solution": solutions, "test": _check(test, ""), "entry_point": "none", **more}


def _function(prompt: str, solution: str | list[str], test: str, entry: str, **more: Any) -> Record:
    """Return a record with a function that its test calls `candidate`."""
    record = {"prompt": prompt, "canonical_solution": solution, "test": _check(test, "candidate"), "entry_point": entry}
    return {**record, **more}


def _check(body: str, parameter: str) -> str:
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return f"\n\nMETADATA = {{\n    'author': 'us',\n    'dataset': 'test'\n}}\n\n\ndef check({parameter}):\n{lines}\n"


def _listed(text: str, code: str, tests: list[str], **more: Any) -> Record:
    """Return a record of prose, a whole program, and a list of assertions."""
    return {"text": text, "code": code, "test_list": tests, "test_setup_code": "", "challenge_test_list": [], **more}


def _sheet(question: str, block: str, solution: str, place: str = "result") -> Record:
    """Return a record laid out as a question with a program below it."""
    after = f"</code>\n{place} = ... # put solution in this variable\nBEGIN SOLUTION\n<code>\n"
    prompt = f"Problem:\n{question}\n\nA:\n<code>\n{block}{after}"
    return {"prompt": prompt, "reference_code": solution, "metadata": {"library": "Pandas"}, "code_context": "..."}


SALES: Final = "import pandas as pd\nimport numpy as np\n\ndf = pd.DataFrame({'shop': ['a', 'b', 'a', 'c'], 'sold': [3, 5, 4, 1]})\n"

PROGRAMS: Final[list[Record]] = [
    _program(
        SALES + "# Keep the rows in which more than 3 were sold\nbusy =", " df[df['sold'] > 3]", "assert len(busy) == 2"
    ),
    _program(
        SALES + "# How many were sold in each shop?\nper_shop = df",
        ".groupby('shop')['sold'].sum()",
        "assert per_shop['a'] == 7",
    ),
    _program(
        SALES + "# Add a column `half` with half of what was sold\n",
        "df['half'] = df['sold'] / 2",
        "want = [1.5, 2.5, 2.0, 0.5]\nassert df['half'].tolist() == want",
    ),
    _program(
        SALES + "# Forget the column shop, in the table itself\n",
        "df.drop(columns='shop', inplace=True)",
        "assert list(df) == ['sold']",
    ),
    _program(
        "import numpy as np\n\na = np.array([4, 1, 3])\n# Shift the array to the right: the first value stays\na[1:] =",
        " a[:-1].copy()",
        "assert np.array_equal(a, [4, 4, 1])",
    ),
    _program(
        "import numpy as np\n\nheights = np.array([[1.5, 2.5], [0.5, 4.0]])\n# Histogram with three bins\n# then how many values lie up to each bin\ncounts, edges =",
        " np.histogram(heights, bins=3)\ncounts = counts.cumsum()",
        "assert counts[-1] == 4",
    ),
    _program(
        SALES + "# Put what each shop sold first under its name\n# into a dict\nfirst = {}  # shop -> sold\n",
        "for _, row in df.iterrows():\n    first.setdefault(row['shop'], row['sold'])",
        "assert first == {'a': 3, 'b': 5, 'c': 1}",
    ),
    _program(
        SALES + "# The table as text without row numbers\ntext =",
        ["df.to_string(index=False)"],
        "assert text.startswith('shop')",
    ),
    _program(
        "import pandas as pd\n\n# I have dates as texts.\nwhen = pd.Series(['2024-01-05', '2023-07-01'])\n# I want the year of each.\nyears =",
        " pd.to_datetime(when).dt.year",
        "assert years.tolist() == [2024, 2023]",
    ),
    _program(
        "import pandas as pd\nimport numpy as np\n\ndf = pd.DataFrame({'n': np.arange(200), 'group': np.repeat(range(4), 50)})\n# Draw 5 rows of each group at random\nsample =",
        " df.groupby('group').sample(n=5)",
        "assert sample.shape == (20, 2)",
    ),
    _program(
        "import numpy as np\n# Turn a list of one-row arrays\n# into one flat array\nparts = [np.array([[0.5]]), np.array([[1.5]])]\nflat =",
        "np.concatenate(parts).ravel()",
        "assert np.array_equal(flat, np.concatenate(parts).ravel())",
    ),
    _program(
        "import pandas as pd\n\nleft = pd.DataFrame({'k': [1, 2]})\nright = pd.DataFrame({'k': [2, 3], 'v': ['x', 'y']})\n# Join both on k, keep all rows of left\nboth = (",
        "\n    left.merge(right, on='k', how='left')\n)",
        "assert len(both) == 2",
    ),
    _program(
        "import pandas as pd\n\ncodes = ['x', 'y', 'x']\n# Unique codes in order of appearance, as a list\nunique =",
        [" list(dict.fromkeys(codes))", " pd.unique(pd.Series(codes)).tolist()"],
        "assert unique == ['x', 'y']",
    ),
    _program(
        "import numpy as np\nm = np.eye(3)\n# Double the diagonal in m, then take the trace\n",
        ["m = m * 2\n", "trace = float(np.trace(m))\n"],
        "assert trace == 6.0",
    ),
    _program(
        "# coding: utf-8\nimport pandas as pd\n\nstädte = pd.DataFrame({'Name': ['Köln', '北京'], 'Größe': [1.1, 21.9]})\n# Welche Stadt ist größer als 10 Millionen? (→ ein Text)\ngroß =",
        " städte.loc[städte['Größe'] > 10, 'Name'].iloc[0]",
        "assert groß == '北京'",
    ),
    _program(
        SALES.replace("\n", "\r\n") + "# What was the most?\r\n# Take it from sold\r\nmost =",
        " int(df['sold'].max())\r\n",
        "assert most == 5",
    ),
    _program("sum = 3\n# Add four to `sum`\nsum", " = sum + 4", "assert sum == 7"),
    _program("values = [1, 2, 3]\n# The total of the values\ntotal =", " sum(values)", "assert total == 6"),
    _program("values = [3, 2, 1]\n# The total of the values\ntotal =", " sum(values)", "assert total == 6"),
    _program("list = (1, 2)\n# The first of them\nfirst =", " list[0]", "assert first == 1"),
    _program("pairs = {'a': 1}\n# Its keys as a list\nkeys =", " list(pairs)", "assert keys == ['a']"),
    {"prompt": SALES + "# Which shop sold the most?\n", "canonical_solution": "df.loc[df['sold'].idxmax(), 'shop']"},
    {
        "prompt": '"""\nCount the letters of `word`.\n"""\nword = "banana"\n',
        "solution": "counts = {c: word.count(c) for c in word}",
    },
    _program(
        "import numpy as np\nx = np.arange(4)\n# Reverse x\nreversed_x =",
        " x[::-1]",
        "np.testing.assert_array_equal(reversed_x, [3, 2, 1, 0])",
    ),
    _program(
        SALES + "# The table sorted by sold, as a new table\nordered =",
        " df.sort_values('sold')",
        "pd.testing.assert_frame_equal(ordered, df.sort_values('sold'))",
    ),
    _program(
        SALES + "# Group the rows by shop\ngroups =",
        " df.groupby('shop')",
        "assert groups.ngroups == 3\nassert groups.size()['a'] == 2",
    ),
]

FUNCTIONS: Final[list[Record]] = [
    _function(
        'def add(a, b):\n    """Return the sum."""\n',
        "    return a + b\n",
        "assert candidate(1, 2) == 3\nassert candidate(-1, 1) == 0",
        "add",
    ),
    _function(
        'from typing import List\n\n\ndef longest(words: List[str]) -> str:\n    """ Return the longest word; the first of several.\n    >>> longest(["a", "bc"])\n    \'bc\'\n    """\n',
        "    return max(words, key=len)\n",
        "assert candidate(['a', 'bb']) == 'bb'\nassert candidate(['dd', 'cc']) == 'dd'",
        "longest",
    ),
    _function(
        "import pandas as pd\n\ndef totals(df):\n    # What is the sum of each column?\n    # Return a Series",
        "    return df.sum()",
        "assert candidate(pd.DataFrame({'a': [1, 2]})).equals(pd.Series({'a': 3}))",
        "totals",
    ),
    _function(
        "import pandas as pd\ndef join(a, b):\n    # a=x  b=y\n    #  0 1    5\n    # Put both tables beside one another.\n    ",
        "return pd.concat([a, b], axis=1)",
        "assert candidate(pd.DataFrame({'x': [1]}), pd.DataFrame({'y': [5]})).shape == (1, 2)",
        "join",
    ),
    _function(
        "import numpy as np\n\ndef weave(a, b):\n    # Take values of a and b by turns.\n    c = np.empty(a.size + b.size, dtype=a.dtype)\n",
        "    c[0::2] = a\n    c[1::2] = b\n    return c",
        "assert np.array_equal(candidate(np.array([1, 3]), np.array([2, 4])), np.array([1, 2, 3, 4]))",
        "weave",
    ),
    _function(
        "import numpy as np\n\ndef fill(arr):\n    # Write 0 where a value is missing\n",
        "    arr[np.isnan(arr)] = 0\n    return arr",
        "assert np.array_equal(candidate(np.array([1, np.nan])), np.array([1, 0]))",
        "fill",
    ),
    _function(
        'def twice(x):\n    return 2 * x\n\n\ndef four_times(x):\n    """Use `twice` to return four times x."""\n',
        "    return twice(twice(x))\n",
        "assert candidate(3) == 12",
        "four_times",
    ),
    _function(
        'def square(x):\n    """Return the square."""\n',
        "    return x * x\n",
        "for i in range(3):\n    assert candidate(i) == i * i",
        "square",
    ),
    _function(
        'def mean(xs):\n    """Return the mean of some numbers."""\n',
        "    return sum(xs) / len(xs)\n",
        "import math\nxs = [0.1, 0.2]\nassert math.isclose(candidate(xs), 0.15)\nassert abs(candidate([1, 2]) - 1.5) < 1e-6",
        "mean",
    ),
    _function(
        'def root(x):\n    """Return the square root; refuse negative numbers with a ValueError."""\n',
        "    if x < 0:\n        raise ValueError(x)\n    return x ** 0.5\n",
        "assert candidate(4) == 2\ntry:\n    candidate(-1)\n    assert False\nexcept ValueError:\n    pass",
        "root",
    ),
    _function(
        'def count_up(n):\n    """Yield the numbers from 1 to n."""\n',
        "    yield from range(1, n + 1)\n",
        "assert list(candidate(3)) == [1, 2, 3]",
        "count_up",
    ),
    _function(
        'def shared(a, b):\n    """Return what both have, in any order."""\n',
        "    return tuple(set(a) & set(b))\n",
        "assert set(candidate((1, 2), (2, 3))) == {2}",
        "shared",
    ),
    _function(
        'def scaled(x, *, by=2):\n    """Return x times `by`."""\n',
        "    return x * by\n",
        "assert candidate(2) == 4\nassert candidate(2, by=5) == 10",
        "scaled",
    ),
    _function(
        'import numpy as np\n\n\ndef norm(v):\n    """Return the length of a vector."""\n',
        "    return float(np.sqrt((v ** 2).sum()))\n",
        "rng = np.random.default_rng(1)\nv = rng.normal(size=5)\nassert np.isclose(candidate(v), np.linalg.norm(v))\nassert np.allclose(candidate(np.zeros(2)), 0)",
        "norm",
    ),
    _function(
        'import pandas as pd\n\n\ndef wide(df):\n    """Pivot `df` with columns `day`, `shop` and `n` to one column for each shop."""\n',
        "    return df.pivot(index='day', columns='shop', values='n')\n",
        "df = pd.DataFrame({'day': [1, 1], 'shop': ['a', 'b'], 'n': [3, 4]})\nwant = pd.DataFrame({'a': [3], 'b': [4]}, index=pd.Index([1], name='day'))\nwant.columns.name = 'shop'\npd.testing.assert_frame_equal(candidate(df), want)",
        "wide",
    ),
    _function(
        'def outer(x):\n    """Return x plus one, by an inner function."""\n',
        ["    def inner(y):\n", "        return y + 1\n", "    return inner(x)\n"],
        "def helper(v):\n    return candidate(v)\nassert helper(1) == 2",
        "outer",
    ),
    _function(
        "def parity(n):\n    '''Say 'even' or 'odd' — \"quoted\" words, a backslash \\\\n and a hash # too.'''\n",
        "    return 'odd' if n % 2 else 'even'\n",
        "assert candidate(2) == 'even', \"two\"\nassert candidate(3) == 'odd'",
        "parity",
    ),
    {
        "prompt": 'def triple(x):\n    """Return three times x.\n\n    >>> triple(2)\n    6\n    """\n',
        "canonical_solution": "    return 3 * x\n",
        "entry_point": "triple",
    },
    {
        "prompt": 'def f(x):\n    """Return x."""\n',
        "canonical_solution": 'def f(x):\n    """Return x."""\n    return x\n',
        "test": "assert f(2) == 2",
        "entry_point": "f",
    },
    {
        "prompt": "Write a function `clip(x)` that keeps a number between 0 and 1.",
        "solution": "```python\ndef clip(x):\n    return min(1, max(0, x))\n```",
        "test": "assert clip(2) == 1\nassert clip(-1) == 0",
    },
    {
        "prompt": 'class Stack:\n    """A stack of things."""\n\n    def __init__(self):\n        self.things = []\n\n    def push(self, thing):\n        """Put a thing on top."""\n',
        "canonical_solution": "        self.things.append(thing)\n\n    def pop(self):\n        return self.things.pop()\n",
        "test": "import unittest\n\nclass StackTest(unittest.TestCase):\n    def setUp(self):\n        self.stack = Stack()\n\n    def test_top(self):\n        self.stack.push(3)\n        self.assertEqual(self.stack.pop(), 3)\n\n    def test_empty(self):\n        with self.assertRaises(IndexError):\n            self.stack.pop()\n\nif __name__ == '__main__':\n    unittest.main()\n",
        "entry_point": "Stack",
    },
]

LISTED: Final[list[Record]] = [
    _listed(
        "Write a function to reverse a text.",
        "def back(text):\n    return text[::-1]\n",
        ["assert back('ab') == 'ba'", "assert back('') == ''"],
        task_id=1,
    ),
    _listed(
        "Write a function to find the greatest of some numbers.",
        "import math\r\n\r\ndef greatest(xs):\r\n    best = -math.inf\r\n    for x in xs:\r\n        best = max(best, x)\r\n    return best",
        ["assert greatest([1, 3]) == 3"],
        task_id=2,
    ),
    _listed(
        "Write a function to find the longest chain of pairs.",
        "class Pair(object):\n    def __init__(self, a, b):\n        self.a = a\n        self.b = b\n\ndef chain(pairs):\n    return sum(p.a < p.b for p in pairs)",
        ["assert chain([Pair(1, 2), Pair(3, 1)]) == 1"],
        task_id=3,
    ),
    {
        "prompt": "Write a function to count vowels.",
        "code": "def vowels(s):\n    return sum(c in 'aeiou' for c in s)",
        "test_imports": ["import math"],
        "test_list": ["assert vowels('idea') == 3", "assert vowels(str(math.pi)) == 0"],
        "task_id": 4,
    },
    _listed(
        "Write a function that adds up a tree.",
        "def helper(tree):\n    return tree[0] + sum(map(helper, tree[1:]))\n\ndef tree_sum(tree):\n    return helper(tree)",
        ["assert tree_sum((1, (2,), (3, (4,)))) == 10"],
        task_id=5,
    ),
    _listed(
        "Write a function to square all numbers.",
        "def squares(xs):\n    return list(map(lambda x: x ** 2, xs))",
        ["assert squares([1, 2]) == [1, 4]"],
        task_id=6,
    ),
]

SHEETS: Final[list[Record]] = [
    _sheet(
        "I have a table of sales.\nHow do I rank the shops by what they sold?",
        SALES,
        "result = df['sold'].rank(ascending=False)\n",
    ),
    _sheet(
        "I want the rows of two shops only.\nUse the list `keep`.",
        SALES + "keep = ['a', 'b']\n",
        "df = df[df['shop'].isin(keep)]\n",
        place="df",
    ),
    _sheet(
        "Apply a function of mine to each row.",
        SALES,
        "def g(row):\n    return row['shop'] * row['sold']\n\nresult = df.apply(g, axis=1)\n",
    ),
    {
        "prompt": "Problem:\nHow do I get the mean of the column `sold`?\n\nA:\n<code>\nimport pandas as pd\nexample_df = pd.DataFrame({'sold': [1, 3]})\ndef f(df=example_df):\n    # return the solution in this function\n    # result = f(df)\n    ### BEGIN SOLUTION\n",
        "reference_code": "    result = df['sold'].mean()\n\n    return result\n",
        "test": "assert f(example_df) == 2\nassert f() == 2",
    },
    {
        "prompt": "import numpy as np\n\nx = np.arange(5)\n\n# Square x without a loop\n# SOLUTION START\n",
        "reference_code": "y = x ** 2\n",
    },
]

BREAKS: Final[list[Record]] = [
    _function(
        "import pandas as pd\n\ndef stack(a, b):\n    # Put b below a\n",
        "    return a.append(b, ignore_index=True)",
        "assert len(candidate(pd.DataFrame({'x': [1]}), pd.DataFrame({'x': [2]}))) == 2",
        "stack",
    ),
    _program(
        "import numpy as np\n# Ones of the kind float\nones =", " np.ones(2, dtype=np.float)", "assert ones.sum() == 2"
    ),
    _program(SALES + "# The first row\nfirst =", " df.ix[0]", "assert first['shop'] == 'a'"),
]

REFUSED: Final[list[tuple[str, Record]]] = [
    (
        "other-language",
        {
            "prompt": "/* Add */\nfunction add(a, b) {\n",
            "canonical_solution": "  return a + b;\n}\n",
            "entry_point": "add",
        },
    ),
    ("other-language", {"prompt": "# Mean of x\nx <- c(1, 2)\n", "canonical_solution": "m <- mean(x)\n"}),
    ("other-language", {"prompt": "Count the shops.", "canonical_solution": "SELECT COUNT(*) FROM shops"}),
    (
        "other-language",
        {
            "prompt": "Say hello.",
            "canonical_solution": 'public class A {\n  public static void main(String[] a) { System.out.println("hi"); }\n}',
        },
    ),
    ("other-language", {"prompt": "def f():\n", "canonical_solution": "    return 1", "language": "Kotlin"}),
    ("other-language", {"prompt": "Print x.", "canonical_solution": "x = 1\nprint x"}),
    ("unreadable-answer", {"prompt": "def lost(:", "canonical_solution": "    return 1\n"}),
    ("incomplete", {"prompt": "", "canonical_solution": ""}),
    (
        "plot",
        {
            "prompt": "import matplotlib.pyplot as plt\n\n# Draw 1 to 3 as a line\n# SOLUTION START\n",
            "reference_code": "plt.plot([1, 2, 3])\nplt.show()\n",
        },
    ),
    (
        "plot",
        {
            "prompt": "import matplotlib.pyplot as plt\n\n# Draw 1 to 3 as a line\n",
            "reference_code": "fig, ax = plt.subplots()\nax.plot([1, 2, 3])\n",
        },
    ),
    ("incomplete", {"prompt": "Do it.", "canonical_solution": []}),
    ("no-function", {"prompt": "def g(x):\n", "canonical_solution": "    return x\n", "entry_point": "h"}),
]

KEPT: Final[list[Record]] = [*PROGRAMS, *FUNCTIONS, *LISTED, *SHEETS]
"""Records whose canonical solution passes with today's pandas and NumPy."""
