"""Problemsets executed against themselves: values that equal nothing, labels within reach, calls, and an early end."""

import re
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest

from evaluator.diagnostics import Diagnostic, Severity
from evaluator.errors import ToolkitError
from evaluator.language import LABELS_IN_INPUTS, LoadedSet, Problem
from evaluator.running.checking import set_check
from evaluator.running.checking.label_check import labels_in_reach
from evaluator.running.checking.measuring import Measured, measure_benchmark
from evaluator.running.checking.set_check import check_set
from evaluator.session import Engine
from tests.running.scripted import loaded_set

# --- references whose values equal nothing are told to their authors, with what to do about them ---

OPAQUE = '''# %%
"""
query: Give the squares below ten.
"""

(n * n for n in range(4))

# %%
"""
query: Make a function `f` and an object `thing`.
validator:
  namespace_check:
    thing:
    f: {type_only: true}
"""

f = len
thing = object()
'''


def test_values_that_equal_nothing_are_refused_or_as_published_warned_of(engine: Engine, tmp_path: Path) -> None:
    for rules, code, severity in (
        ("published", "opaque-reference", "warning"),
        ("sound", "validator-does-not-fit", "error"),
    ):
        checked = check_set(engine, loaded_set(tmp_path, OPAQUE), rules=rules, cheats=False)
        generator, thing = [each for each in checked.diagnostics if each.code != "low-information"]
        assert {(each.code, each.severity.value) for each in (generator, thing)} == {(code, severity)}
        assert "builtins.generator" in generator.what
        assert "probes" in generator.fix
        assert (rules != "published") or "the variable 'thing' of problem 2" in thing.what


# --- labels in the reach of submissions: in tables of any kind, by index, order or common columns ---

LABELLED = '''# %%
import numpy as np, pandas as pd
{read}

# %%
"""
query: Fit `model`.
execution: {{max_time: 10}}
validator:
  template: intact
  model:
    model_name: model
    inputs_name: X_test
    labels_name: y_test
    metric_type: accuracy
    tolerance: -0.5
"""
class Rule:
    def predict(self, rows):
        return np.asarray(rows["a"]) % 3
model = Rule()
{code}
'''
READ = "data = pd.concat([pd.read_csv(path) for path in ['inputs/visits.csv']])"
BY_INDEX = "X_test, y_test = data.loc[20:, ['a', 'b']], data.set_axis(list('abz'), axis=1).loc[20:, 'z']"
IN_ORDER = "X_test, y_test = data.loc[20:, ['a']], (data.iloc[20:, 2] + 0).tolist()"
MIXED = "mixed = data.sample(frac=1, random_state=1)\nX_test, y_test = mixed[['a', 'b']], mixed.to_numpy()[:, 2]"
HIDDEN = "X_test = pd.DataFrame({'a': np.arange(100, 140) * 5})\ny_test = (X_test['a'] // 3) % 3"


@pytest.fixture
def visits(tmp_path: Path) -> Path:
    rows = "".join(f"{i * 7 % 31},{i}.0,{i * 7 % 31 % 3}\n" for i in range(40))
    (tmp_path / "_inputs").mkdir()
    (tmp_path / "_inputs" / "visits.csv").write_text(f"a,b,kind\n{rows}")
    return tmp_path


def labelled(folder: Path, read: str, code: str) -> LoadedSet:
    loaded = loaded_set(folder, LABELLED.format(read=read, code=code))
    assert [each for each in loaded.diagnostics if each.code == LABELS_IN_INPUTS] == []  # the text shows nothing
    return loaded


def test_labels_that_stand_in_a_table_are_warned_of(engine: Engine, visits: Path) -> None:
    for code, how in ((BY_INDEX, "by their index"), (IN_ORDER, "in their order"), (MIXED, "100 % by 'a', 'b'")):
        (warning,) = labels_in_reach(engine, labelled(visits, READ, code))
        assert (warning.code, warning.line) == (LABELS_IN_INPUTS, 14)
        assert warning.what.startswith("the labels 'y_test' are found in the column 'kind' of inputs/visits.csv")
        assert how in warning.what
    assert labels_in_reach(engine, labelled(visits, READ, HIDDEN)) == ()  # which only the reference knows


# --- the end of a check ---

GUESSED = '# %%\n"""\nquery: Is it so?\n"""\nTrue\n'
RAISES = '# %%\n"""\nquery: Raise.\n"""\nraise ValueError\n\n# %%\n"""\nquery: One?\n"""\n1\n'


def test_a_look_for_labels_can_be_cancelled_and_its_finds_are_told(
    engine: Engine, visits: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = labelled(visits, READ, BY_INDEX)
    assert labels_in_reach(engine, loaded, cancelled=cancelled_after(1)) == ()
    told = Diagnostic(LABELS_IN_INPUTS, Severity.WARNING, loaded.path, 1, "they are within reach", "hold them back")
    monkeypatch.setattr(set_check, "labels_in_reach", lambda *_given, **_more: (told,))
    checked = check_set(engine, loaded_set(visits, GUESSED), rules="sound", cheats=False)
    assert told in checked.diagnostics
    assert (checked.problems, checked.cheated) == (1, False)


def cancelled_after(times: int) -> Callable[[], bool]:
    """Return what says so often that a check is still wanted."""
    answers = iter([False] * times)
    return lambda: next(answers, True)


def test_a_check_that_is_cancelled_ends_whatever_it_is_at(engine: Engine, tmp_path: Path) -> None:
    failing = loaded_set(tmp_path, RAISES)
    with pytest.raises(ToolkitError, match="'set' was cancelled"):
        check_set(engine, failing, rules="sound", cheats=False, cancelled=cancelled_after(1))
    answers = iter([False, True])  # for a moment only: something was left out nevertheless
    with pytest.raises(ToolkitError, match="'set' was cancelled"):
        check_set(engine, failing, rules="sound", cheats=False, cancelled=lambda: next(answers, False))
    asked: list[str] = []

    def recorded(_name: str, problem: Problem) -> None:
        asked.append(problem.query)

    sound = loaded_set(tmp_path, f"{GUESSED}\n{GUESSED}")
    with pytest.raises(ToolkitError, match="'set' was cancelled"):
        check_set(engine, sound, rules="sound", cheats=False, recorded=recorded, cancelled=lambda: bool(asked))
    assert len(asked) == 1


# --- executing references to see what they call and keep ---

MEASURED = '''# %%
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


@pytest.fixture(scope="module")
def measured(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Measured:
    failing = MEASURED + '\n# %%\n"""\nquery: Fail.\n"""\n1 / 0\n'
    sets = [loaded_set(tmp_path_factory.mktemp("set"), text) for text in (failing, MEASURED)]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("evaluator.running.checking.measuring.Engine", lambda **_options: nullcontext(engine))
        return measure_benchmark(sets)


def test_references_are_measured_by_executing_them(measured: Measured) -> None:
    first, second = measured.problems[2:]
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


def test_a_reference_that_fails_ends_its_set_only(measured: Measured) -> None:
    assert len(measured.problems) == 4
    (why,) = measured.failed
    assert re.fullmatch(r"set: the cell at line \d+ ended as error with ZeroDivisionError", why)
