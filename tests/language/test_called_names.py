"""Which functions reference code calls, by its text."""

from evaluator.language import called_names, parse_problemset

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
    problemset = parse_problemset(TEXT, name="t").problemset
    assert problemset is not None
    assert called_names(problemset) == (
        frozenset({"pandas.read_csv", ".groupby", ".agg", "numpy.where"}),
        frozenset({"os.path.join", "pandas.DataFrame.from_dict"}),
    )
