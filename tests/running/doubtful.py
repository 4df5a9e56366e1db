"""One problem of a small set, executed for real, and what is found doubtful about it."""

from pathlib import Path
from textwrap import dedent, indent

from evaluator.language import Problem, Problemset
from evaluator.running import Conditions, ProblemsetExecutor
from evaluator.running.quality.assessing import QualityTrials, read_warnings
from evaluator.running.quality.warning import ProblemWarning
from evaluator.session import Engine

DATA = """
import numpy as np
import pandas as pd
tied = pd.DataFrame({"name": list("cabdef"), "points": [5, 3, 5, 2, 1, 4], "team": list("xxyyzz")})
clear = pd.DataFrame({"name": list("cabdef"), "points": [16, 3, 15, 2, 1, 4], "team": list("xxxyyz")})
gappy = pd.DataFrame({"name": list("abcd"), "x": [1.5, None, 2.5, 9.25], "y": [1, 2, 3, 4]})
rng = np.random.default_rng(7)
twice = pd.DataFrame({"a": [1, 1, 2, 3, 4], "b": ["u", "u", "v", "w", "v"]})
"""


def problemset(query: str, code: str, settings: str = "") -> Problemset:
    """Return a set with the data and one problem."""
    shown = indent(dedent(query).strip(), "  ")
    more = f"{dedent(settings).strip()}\n" if settings else ""
    text = f'# %%\n{DATA}\n# %%\n"""\nquery: |\n{shown}\n{more}"""\n{dedent(code).strip()}\n'
    return Problemset.parse(text, name="doubtful")


def read(query: str, code: str, settings: str = "") -> list[ProblemWarning]:
    """Return what the text alone says."""
    return list(read_warnings(problem(query, code, settings)))


def problem(query: str, code: str, settings: str = "") -> Problem:
    """Return the problem."""
    return problemset(query, code, settings).problems[0]


def executed(engine: Engine, query: str, code: str, settings: str = "") -> tuple[ProblemWarning, ...]:
    """Return what the text and the trials say."""
    trials = QualityTrials()
    asked = problemset(query, code, settings)
    with ProblemsetExecutor(engine, asked, Path("doubtful.py"), None, conditions=Conditions(goes_on=True)) as executor:
        cell = next(each for each in executor.cells(trials=trials.codes) if each.index)
    assert cell.outcome is not None
    assert cell.outcome.ending == "ok", cell.outcome.error
    return trials.warnings(cell)
