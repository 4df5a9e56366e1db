"""Problems that are read, or executed for real, and what is found doubtful about them."""

from collections.abc import Sequence
from pathlib import Path
from textwrap import dedent, indent

import pytest

from evaluator.language import Problem, Problemset
from evaluator.running import Conditions, ProblemsetExecutor
from evaluator.running.quality.assessing import QualityTrials, read_warnings
from evaluator.running.quality.warning import ProblemWarning
from evaluator.session import Engine

Case = tuple[str, str] | tuple[str, str, str]
"""A query, its code, and maybe settings."""
DATA = """
import numpy as np
import pandas as pd
tied = pd.DataFrame({"name": list("cabdef"), "points": [5, 3, 5, 2, 1, 4], "team": list("xxyyzz")})
clear = pd.DataFrame({"name": list("cabdef"), "points": [16, 3, 15, 2, 1, 4], "team": list("xxxyyz")})
gappy = pd.DataFrame({"name": list("abcd"), "x": [1.5, None, 2.5, 9.25], "y": [1, 2, 3, 4]})
rng = np.random.default_rng(7)
twice = pd.DataFrame({"a": [1, 1, 2, 3, 4], "b": ["u", "u", "v", "w", "v"]})
"""


SETUP = f"# %%\n{DATA}\n"


def text_of(query: str, code: str, settings: str = "") -> str:
    """Return a setup cell that makes the data, and a problem."""
    shown = indent(dedent(query).strip(), "  ")
    more = f"{dedent(settings).strip()}\n" if settings else ""
    more += "" if "max_time" in more else "execution: {max_time: 30}\n"  # a busy machine is no doubt
    return f'{SETUP}# %%\n"""\nquery: |\n{shown}\n{more}"""\n{dedent(code).strip()}\n\n'


def problemset(query: str, code: str, settings: str = "") -> Problemset:
    return Problemset.parse(text_of(query, code, settings), name="doubtful")


def problem(query: str, code: str, settings: str = "") -> Problem:
    return problemset(query, code, settings).problems[0]


def read(query: str, code: str, settings: str = "") -> list[ProblemWarning]:
    return list(read_warnings(problem(query, code, settings)))


def executed(engine: Engine, cases: Sequence[Case]) -> dict[Case, tuple[ProblemWarning, ...]]:
    """Return what the text and the trials say of each case; each finds the data as they were."""
    trials, conditions = QualityTrials(budget_s=3600.0), Conditions(goes_on=True)
    text, is_changed = "", True
    for case in cases:  # the data are made anew where the case before changed them
        text += text_of(*case) if is_changed else text_of(*case).removeprefix(SETUP)
        is_changed = any(word in case[1] for word in ('"] = ', "inplace", "rng."))
    asked = Problemset.parse(text, name="doubtful")
    executor = ProblemsetExecutor(engine, asked, Path("doubtful.py"), None, conditions=conditions)
    with executor, pytest.MonkeyPatch.context() as patched:
        patched.setattr("evaluator.running.execution.executor.LONG_TRIAL_S", 30.0)
        cells = [cell for cell in executor.cells(trials=trials.codes) if cell.index]
    failed = [
        case for case, cell in zip(cases, cells, strict=True) if cell.outcome is None or cell.outcome.ending != "ok"
    ]
    assert failed == []
    return {case: trials.warnings(cell) for case, cell in zip(cases, cells, strict=True)}
