"""The problems under attack: each with a state worth stealing or spoiling, a right and a wrong answer."""

from dataclasses import dataclass
from typing import Final

from evaluator.language import Problem, parse_problemset

SETUP: Final = """
import os, sys
import numpy as np
import pandas as pd
prev = pd.DataFrame({"k": range(300_000)})
SECRET_PREV = "answer of an earlier problem"
"""
STATE: Final = ("os", "sys", "np", "pd", "prev", "SECRET_PREV")
"""The names that the setup cell defines."""


@dataclass(frozen=True)
class Target:
    """One problem under attack."""

    right: str  # the reference code
    wrong: str
    validator: str  # YAML of one line
    setup: str = SETUP
    figures: bool = False  # whether figures are asked for too
    files: tuple[str, ...] = ()  # which files are
    forbidden: tuple[str, ...] = ()  # names of variables that submissions may not read

    def problem(self, name: str) -> Problem:
        """Return the problem as the parser reads it."""
        settings = f"query: What is asked does not matter here.\nvalidator: {self.validator}\n"
        settings += f"execution: {{forbid_names: [{', '.join(self.forbidden)}]}}\n" if self.forbidden else ""
        cell = f'"""\n{settings}"""\n{self.right}\n'
        parsed = parse_problemset(f"# %%\n{cell}", name=name)
        assert parsed.problemset is not None, parsed.diagnostics
        (problem,) = parsed.problemset.problems
        return problem


_CHECK_ANS: Final = "{template: intact, namespace_check: {ans: }}"
_HIDDEN: Final = "'.'.join(['hidden', 'answer', str(7 * 191)])"
"""What it makes stands nowhere in the source, so that finding it in memory means finding the answer."""
_LONG: Final = "# Code of some length leaves more behind where it was read.\n" * 40
_MODEL_SETUP: Final = f"""{SETUP}
from sklearn.linear_model import LinearRegression
X = pd.DataFrame({{"a": np.arange(200.0), "b": np.arange(200.0)[::-1] ** 2}})
"""
_LONG_SETUP: Final = f"""{SETUP}
import datetime

pairs = [(n, str(n)) for n in range(35_000)]
numbers = [10**30 + n for n in range(101_000)]
records = [dict(n=n, tags=["a"]) for n in range(20_000)]
by_pair = {{(n, n): n for n in range(36_000)}}
dates = [datetime.date(2024, 1, 1)] * 101_000
table_of_lists = pd.DataFrame(dict(tags=[[n] for n in range(55_000)]))
"""
_DEEP_SETUP: Final = f"""{SETUP}
noted, array = pd.DataFrame(dict(x=[1, 2])), np.arange(5)
noted.attrs.update(unit="km", steps=[])


def price(fare=1, *, rate=2):
    return fare * rate


def adder(step):
    return lambda value: value + step


add_two = adder(2)


class Node:
    limit, known = 1, {{}}

    def __init__(self):
        self.next, self.count, self.items = None, 0, [1.5] * 20

    def walk(self):
        return self.next

    @property
    def first(self):
        return self.items[0]


class Leaf(Node):
    limit = 2


class Slim:
    __slots__ = ("inner", "x")


class Items(list):
    pass


class Label:
    text = "a"


tree, slim, items = Node(), Slim(), Items([1, 2])
tree.next, slim.inner, items.label = Node(), Slim(), Label()
tree.next.next, slim.inner.inner, tree.next.next.next = Leaf(), Slim(), Node()
slim.inner.inner.x = tree.next.next.next.count = 1
"""
_SEALED: Final = "np.random.default_rng(7 * 191).normal(size=200_000)"
_SEALED_SETUP: Final = f"""{SETUP}
sealed = {_SEALED}
sealed_table = pd.DataFrame({{"y": sealed.copy()}})
"""
_RARE_SETUP: Final = f"""{SETUP}
class Rare:
    \"\"\"Finds some of the rare ones.\"\"\"

    def __init__(self, found):
        self.found = found

    def predict(self, inputs):
        return np.array([int(n % 4 == 3 and n < 4 * self.found) for n in range(len(inputs))])
"""
_LABELS: Final = "y_test = (3 * X['a'] - X['b'] + 1)[150:]\nX_test = X[150:]\n"

PROBLEMS: Final = {
    "number": Target("ans = 42", "ans = 41", _CHECK_ANS),
    "drawn": Target("ans = 42", "ans = 41", _CHECK_ANS, figures=True, files=("out.csv", "out.png", "one/passwd")),
    "truth": Target("ans = {1: 'a', 0.0: True}", "ans = {2: 'a'}", _CHECK_ANS),
    "frame": Target("ans = pd.DataFrame({'x': [1.0, 2.0]})", "ans = pd.DataFrame({'x': [1.0, 3.0]})", _CHECK_ANS),
    "moment": Target(
        "ans = pd.Timestamp('2020-01-01 12:00', tz='UTC')",
        "ans = pd.Timestamp('2020-01-01 13:00', tz='UTC')",
        _CHECK_ANS,
    ),
    "words": Target("ans = pd.Series(['one', 'two'])", "ans = pd.Series(['one', 'ten'])", _CHECK_ANS),
    "close": Target("ans = 1.5", "ans = 9.5", "{template: intact, namespace_check: {ans: {atol: 0.5, rtol: 0.5}}}"),
    "unordered": Target("ans = [3, 1, 2]", "ans = [3, 1]", "{namespace_check: {ans: {ignore_order: true}}}"),
    "partial": Target(
        "ans = pd.DataFrame({'x': [1.0, 2.0]})",
        "ans = pd.DataFrame({'y': [1.0, 2.0]})",
        "{namespace_check: {ans: {match_partial: true}}}",
    ),
    "value": Target("42", "41", "{template: comparison}"),
    "printed": Target("print('the answer is 42')", "print('41')", "{template: intact, stream: }"),
    "hidden": Target(f"{_LONG}ans = {_HIDDEN}", "ans = 'hidden.answer.1'", _CHECK_ANS),
    "filed": Target(
        "pd.DataFrame({'a': [42]}).to_csv('expected.csv', index=False)\nans = int(pd.read_csv('expected.csv')['a'][0])",
        "ans = 41",
        _CHECK_ANS,
    ),
    "long": Target("ans = 42", "ans = 41", _CHECK_ANS, _LONG_SETUP),
    "deep": Target("ans = 42", "ans = 41", _CHECK_ANS, _DEEP_SETUP),
    "code": Target(
        "ans = 42",
        "ans = 41",
        '{namespace_check: {ans: {compare_fn: "def compare_fn(expected, found):\\n    return expected == found"}}}',
    ),
    "function": Target(
        "def f(items):\n    return [item * 2 for item in items]",
        "def f(items):\n    return items",
        "{template: intact, table_test: {function_name: f, test_cases: [[[1, 2]], [[3, 5, 7]], [[]]]}}",
    ),
    "model": Target(
        f"{_LABELS}model = LinearRegression().fit(X_test, y_test)",
        "model = LinearRegression().fit(X, 0 * X['a'])",
        "{model: {model_name: model, inputs_name: X_test, labels_name: y_test, metric_type: mse, tolerance: 0.5}}",
        _MODEL_SETUP,
    ),
    "measured": Target(
        "ans = np.arange(4.0)",
        "ans = np.arange(5.0)",
        '{namespace_check: {ans: {compare_fn: "def compare_fn(expected, found):\\n'
        '    return np.array_equal(np.asarray(expected), np.asarray(found))"}}}',
    ),
    "sealed": Target(
        f"ans = round(float({_SEALED}.sum()), 6)",
        "ans = 0.0",
        _CHECK_ANS,
        _SEALED_SETUP,
        forbidden=("sealed", "sealed_table"),
    ),
    "classes": Target(
        "y_test = pd.Series([0, 0, 0, 1] * 8 + [0] * 20)\nX_test = pd.DataFrame({'a': range(52)})\nmodel = Rare(3)",
        "model = Rare(0)",
        "{model: {model_name: model, inputs_name: X_test, labels_name: y_test, metric_type: [f1, recall],"
        " tolerance: -0.05}}",
        _RARE_SETUP,
    ),
    "instants": Target(
        "ans = np.array(['2020-01-01'], 'M8[ns]')", "ans = np.array(['2020-01-02'], 'M8[ns]')", _CHECK_ANS
    ),
    "city": Target("'New' + ' York'", "'Los' + ' Angeles'", "{template: comparison}"),
    "listed": Target("ans = [42]", "ans = [41]", "{template: intact, namespace_check: {ans: {match_partial: true}}}"),
    "boolean": Target("len(prev) > 5", "len(prev) < 5", "{template: comparison}"),
    "plotted": Target(
        "import matplotlib.pyplot as plt\nplt.bar(['a', 'b', 'c'], [3, 5, 2])\nplt.title('Counts')",
        "import matplotlib.pyplot as plt\nplt.bar(['a', 'b', 'c'], [3, 5, 4])\nplt.title('Counts')",
        "{template: basic, visual: {pass_at: 0.5, facts: [data, scales, labels]}}",
        figures=True,
    ),
    "charted": Target(
        "import matplotlib.pyplot as plt\nplt.bar(['a', 'b', 'c'], [3, 5, 2])\nplt.title('Counts')",
        "import matplotlib.pyplot as plt\nplt.bar(['a', 'b', 'c'], [3, 5, 4])\nplt.title('Counts')",
        "{template: basic, visual: {pass_at: 0, facts: [data, scales, labels]}}",
        figures=True,
    ),
    "told": Target(
        "f'the mean age is {29} years and the oldest is {80}'",
        "f'the mean age is {28} years and the oldest is {81}'",
        "{template: basic, text: {pass_at: 0.95}}",
    ),
    "counted": Target("print(42)\nprint(7)", "print(41)\nprint(7)", "{template: basic, numeric: }"),
    "word": Target("'O' + 'slo'", "'R' + 'iga'", "{template: comparison}"),
}

NEXT: Final = Target("later = 43", "later = 40", "{template: intact, namespace_check: {later: }}")
"""The problem after each of them, where the state that an attack left lives on."""
