"""Tables with columns of rare kinds, from the reference's session to the verdict."""

from collections.abc import Callable
from pathlib import Path

import pytest

from evaluator.agents import Agent, OracleAgent
from evaluator.language import read_benchmark
from evaluator.running import Conditions, ExecutedCell, score_problemset
from evaluator.session import Engine
from tests.running.test_protected_names import Scripted

pytestmark = pytest.mark.kernel

WriteBenchmark = Callable[..., Path]

SETUP = """# %%
import numpy as np
import pandas as pd
import pyarrow as pa
from scipy.stats import mstats
from pandas.api.extensions import ExtensionArray, ExtensionDtype
words = ["a b", "c", "d e f", "g"]
df = pd.DataFrame({"x": [1.0, 2.0, 3.0, 100.0]})


class Spots(ExtensionArray):
    def __init__(self, values):
        self._values_ = np.asarray(values)

    class Kind(ExtensionDtype):
        name = "spots"
        type = object

    dtype = Kind()

    def __len__(self):
        return len(self._values_)

    def __getitem__(self, place):
        found = self._values_[place]
        return Spots(found) if isinstance(found, np.ndarray) else found

    def copy(self):
        return Spots(self._values_)

    def isna(self):
        return np.zeros(len(self), bool)
"""
PROBLEM = '''
# %%
"""
query: {query}
execution:
  max_time: 30
{more}"""
{code}
'''
CHECKED = "validator:\n  namespace_check:\n    df:\n"
WINSORIZED = "df['x'] = mstats.winsorize(df['x'], limits=(0.25, 0.25))"
LISTS = "pd.DataFrame({'w': pd.array([w.split() for w in words], dtype=pd.ArrowDtype(pa.list_(pa.string())))})"
BY_ARROW = (
    "pd.DataFrame({'w': pd.arrays.ArrowExtensionArray(pa.array([w.split() for w in words], pa.list_(pa.string())))})"
)


def problem(code: str, more: str = "") -> str:
    return PROBLEM.format(query="Do it.", code=code, more=more)


def scored(
    engine: Engine, write_benchmark: WriteBenchmark, text: str, *answers: str
) -> tuple[list[ExecutedCell], list[str]]:
    found: list[ExecutedCell] = []
    loaded = read_benchmark(write_benchmark({"odd": SETUP + text})).sets[0]
    agents: list[Agent] = [OracleAgent(), Scripted(answers)]
    refused = score_problemset(engine, loaded, agents, conditions=Conditions(), on_scored=found.append)
    return found, [each.what for each in refused]


@pytest.mark.parametrize(
    ("reference", "more", "answer", "verdict"),
    [
        (WINSORIZED, CHECKED, "df['x'] = df['x'].clip(2.0, 3.0)", "CORRECT"),
        (WINSORIZED, CHECKED, "df['x'] = [1.0, 2.0, 3.0, 3.0]", "WRONG_VARIABLES"),
        ("df['x'] = df['x'].clip(2.0, 3.0)", CHECKED, WINSORIZED, "CORRECT"),
        (LISTS, "", BY_ARROW, "CORRECT"),
        (LISTS, "", BY_ARROW.replace("w.split()", "[w]"), "WRONG_OUTPUT"),
        ("list(zip(range(20000), range(20000)))", "", "[(n, n) for n in range(20000)]", "CORRECT"),
        ("[(n, 'ж' * 900) for n in range(20000)]", "", "[(n, 900 * 'ж') for n in range(20000)]", "CORRECT"),
        ("df.assign(y=1.0)", "", "df.assign(y=Spots([1.0] * 4))", "WRONG_OUTPUT"),
    ],
)
def test_right_answers_are_right_whatever_their_columns_are_made_of(
    engine: Engine, write_benchmark: WriteBenchmark, reference: str, more: str, answer: str, verdict: str
) -> None:
    ((one,), refused) = scored(engine, write_benchmark, problem(reference, more), answer)
    assert refused == []
    assert [attempt.judged.verdict.value for attempt in one.attempts] == ["CORRECT", verdict]


def test_a_reference_with_a_column_of_an_unknown_class_is_refused_by_the_name_of_the_class(
    engine: Engine, write_benchmark: WriteBenchmark
) -> None:
    _, refused = scored(engine, write_benchmark, problem("df.assign(y=Spots([1.0] * 4))"), "1")
    assert len(refused) == 1
    assert "Spots, which cannot be compared" in refused[0]
