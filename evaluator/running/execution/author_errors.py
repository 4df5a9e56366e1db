"""What is said to a problemset's author of a cell that does not work: a code, words, a remedy."""

import re
from typing import Final

from evaluator.language import Problem, SetupCell
from evaluator.session import Ending, Outcome

SETUP_WALL_S: Final = 60.0
_MISSING: Final = re.compile(r"No module named '([^']+)'")

Cells = SetupCell | Problem


def shorten(query: str) -> str:
    """Return the beginning of a query, on one line: it names the problem to its author."""
    return " ".join(query.split())[:60]


def _code(cell: Cells) -> str:
    return "reference" if isinstance(cell, Problem) else "setup"


def raised(cell: Cells, outcome: Outcome, environment: str) -> tuple[str, str, str]:
    """Return code, words and remedy for a cell that raised an exception."""
    error = outcome.error
    missing = _MISSING.match(error.message) if error is not None and error.name == "ModuleNotFoundError" else None
    if missing is not None:
        what = f"needs the module {missing[1]!r}, which the environment {environment!r} does not have"
        fix = "run in one that has it: benchwright env create NAME -r requirements.txt, then --environment NAME"
        return "module-missing", what, fix
    message = f"{error.name}: {error.message}"[:300] if error is not None else "an exception"
    return f"{_code(cell)}-raises", f"raises {message}", "repair the code, or what runs before it"


def ended(cell: Cells, outcome: Outcome) -> tuple[str, str, str]:
    """Return code, words and remedy for a cell that did not end by itself."""
    if outcome.ending is Ending.TIMED_OUT:
        if isinstance(cell, Problem):
            return over_time(cell)
        return "setup-over-time", f"runs longer than {SETUP_WALL_S:g} s", "make the cell faster"
    limits = f" ({', '.join(outcome.limits_hit)})" if outcome.limits_hit else ""
    what = f"ended its session: {outcome.ending.value}{limits}"
    return f"{_code(cell)}-dies", what, "repair the code, or raise the limits under 'execution'"


def over_time(problem: Problem) -> tuple[str, str, str]:
    """Return code, words and remedy for reference code that misses its limit."""
    what = f"runs longer than its own limit of {problem.time_limit_s:g} s"
    return "reference-over-time", what, "make it faster, or raise 'max_time' under 'execution'"


def missed_limit(problem: Problem) -> str:
    """Return which limit a reference missed, and where its author raises it."""
    _, what, fix = over_time(problem)
    return f"it {what}; {fix}"
