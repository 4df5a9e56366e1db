"""What a problemset's source stored of its cells' outputs beside what they show now: where the two differ."""

from collections.abc import Callable
from typing import Final

from evaluator.diagnostics import Diagnostic, Severity
from evaluator.language import LoadedSet, Problem
from evaluator.running.execution.executed_cell import ExecutedCell
from evaluator.scoring import Verdict, judge_submission
from evaluator.scoring.grading import Expected
from evaluator.session import Engine

RECORDED_DIFFERS: Final = "recorded-differs"
Recorded = Callable[[str, Problem], Expected | None]
"""Problemset and problem -> what its source stored; None: nothing, or something of other code."""


def nothing_recorded(_problemset: str, _problem: Problem) -> Expected | None:
    """Say that a benchmark stores no outputs."""
    return None


def recorded_differences(
    engine: Engine, loaded: LoadedSet, scored: ExecutedCell, recorded: Recorded, rules: str
) -> list[Diagnostic]:
    """Return a warning where what the reference shows now is not right by what was stored of it.

    Args:
        engine: Compares and grades.
        loaded: The problemset.
        scored: An executed problem; its first attempt is the oracle's.
        recorded: What the source stored.
        rules: sound | published.
    """
    oracle, stored = scored.attempts[0], recorded(loaded.name, scored.problem)
    if stored is None or oracle.outcome is None or scored.reference is None:
        return []
    if oracle.judged.verdict is not Verdict.CORRECT:
        return []
    judged = judge_submission(engine, scored.reference, oracle.outcome, scored.problem, rules, recorded=stored)
    if judged.verdict in (Verdict.CORRECT, Verdict.NOT_JUDGED):
        return []
    what = f"problem {scored.index} shows something else now than its source stored: {judged.reason}"
    fix = "run it where it was made, mend the code, or write `expected: executed` into the manifest"
    return [Diagnostic(RECORDED_DIFFERS, Severity.WARNING, loaded.path, scored.problem.code_line, what, fix)]
