"""Executing references to see what they call and keep."""

import ast

import pytest

from evaluator.language import LoadedSet, load_problemset
from evaluator.running.checking.call_tracing import read_report, traced
from evaluator.running.checking.measuring import measure_benchmark
from tests.running.conftest import WriteBenchmark

SET = '''# %%
import numpy as np
import pandas as pd

class Shop:
    def __init__(self):
        super().__init__()
        self.goods: list[str] = []

    def add(self, name: str) -> "Shop":
        self.goods.append(name)
        return self

# %%
"""
query: Store the frame as `df`.
"""
df = pd.DataFrame({"a": np.arange(1000), "b": ["x"] * 1000})
shop = Shop().add("soap")

# %%
"""
query: Mean of a by b.
"""
df.loc[df["a"] > 10].groupby("b")["a"].mean()
'''


def loaded(write_benchmark: WriteBenchmark, text: str) -> LoadedSet:
    return load_problemset(write_benchmark({"shop": text}) / "shop.py")


def test_references_are_measured_by_executing_them(write_benchmark: WriteBenchmark) -> None:
    measured = measure_benchmark([loaded(write_benchmark, SET)])
    assert measured.failed == ()
    first, second = measured.problems
    assert first.calls == ("pandas.DataFrame", "numpy.arange")
    assert sorted(second.calls) == sorted(
        [
            *("pandas._LocIndexer.[]", "pandas.DataFrame.[]", "pandas.DataFrame.groupby"),
            *("pandas.DataFrameGroupBy.[]", "pandas.SeriesGroupBy.mean"),
        ]
    )
    assert set(second.bytes_by_variable) == {"df", "shop"}
    assert second.bytes_by_variable["df"] > 8 * 1000
    assert measured.to_json()["variables_per_problem"] == 2


def test_a_reference_that_fails_ends_its_set_only(write_benchmark: WriteBenchmark) -> None:
    failing = SET + '\n# %%\n"""\nquery: Fail.\n"""\n1 / 0\n'
    measured = measure_benchmark([loaded(write_benchmark, failing), loaded(write_benchmark, SET)])
    assert len(measured.problems) == 4
    (why,) = measured.failed
    assert why.startswith("shop: the cell at line ")
    assert why.endswith("ended as error with ZeroDivisionError")


@pytest.mark.parametrize(
    "code",
    [
        "x = [f(1)(2)[3] for f in fs if f.ok()]",
        "d['a']['b'] += g(*a, **k)\ndel d['a']",
        "def f(x: dict[str, int] = dict()) -> list[int]:\n    return sorted(x, key=lambda v: v[0])",
        "async def f():\n    await g()[0]\nf'{h(1):>{w()}}'",
    ],
)
def test_rewritten_code_differs_by_notes_only(code: str) -> None:
    rewritten, _ = traced(code, first_site=7)
    assert "__traced_" in rewritten
    assert ast.dump(_Plain().visit(ast.parse(rewritten))) == ast.dump(ast.parse(code))


def test_code_that_cannot_be_rewritten_is_left_as_it_is() -> None:
    assert traced("%matplotlib inline\nf(1)", first_site=3) == ("%matplotlib inline\nf(1)", 3)
    assert traced("f(", first_site=3) == ("f(", 3)
    hidden = "f'{x[\"a\x01b\"]}'"  # which cannot be written within braces
    assert traced(hidden, first_site=3) == (hidden, 3)


@pytest.mark.parametrize(
    "line", ["traced:", "traced:{}", "traced:[1, 2]", 'traced:[{"a": "x"}, {}]', "traced:" + "[" * 9999]
)
def test_a_report_that_is_none_measures_nothing(line: str) -> None:
    assert read_report(f"noise\n{line}\n") == ({}, {})


class _Plain(ast.NodeTransformer):
    """Takes the notes out again."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id.startswith("__traced_"):
            return node.args[1]
        return node
