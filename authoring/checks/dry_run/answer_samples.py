"""Answers of the reference agent to one problem, and which of the wrong ones come to the same."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from evaluator.language import Problem
from evaluator.scoring import Judged, Verdict, judge_submission
from evaluator.session import Ending, Engine, Outcome

ALONE: Final = 0
"""The cluster of an answer that was not executed, or not judged: it is equal to no other."""


@dataclass(frozen=True)
class Tried:
    """One answer to one problem."""

    code: str
    judged: Judged
    outcome: Outcome | None = field(default=None, repr=False)  # None: nothing was executed
    cluster: int = ALONE  # answers of one problem with the same number, from 1, came to the same


def clustered(engine: Engine, problem: Problem, tries: Sequence[Tried]) -> tuple[Tried, ...]:
    """Return the answers with those joined that came to the same.

    Correct answers are one cluster. Wrong ones are equal where the problem's own validators take one for the other,
    and those that raised where they raised the same exception.
    """
    heads: list[Tried] = []
    found = []
    for tried in tries:
        if tried.outcome is None or tried.judged.verdict is Verdict.NOT_JUDGED:
            found.append(tried)
            continue
        number = next((n for n, head in enumerate(heads, 1) if _same(engine, problem, head, tried)), 0)
        if not number:
            heads.append(tried)
            number = len(heads)
        found.append(replace(tried, cluster=number))
    return tuple(found)


def _same(engine: Engine, problem: Problem, one: Tried, other: Tried) -> bool:
    assert one.outcome is not None
    assert other.outcome is not None
    right = [tried.judged.verdict is Verdict.CORRECT for tried in (one, other)]
    if any(right):
        return all(right)
    endings = one.outcome.ending, other.outcome.ending
    if endings != (Ending.OK, Ending.OK):
        return endings[0] is endings[1] and _raised(one.outcome) == _raised(other.outcome)
    return judge_alike(engine, one.outcome, other.outcome, problem)


def judge_alike(engine: Engine, one: Outcome, other: Outcome, problem: Problem) -> bool:
    """Tell whether the validators of a problem take one outcome for the other."""
    return judge_submission(engine, one, other, problem).verdict is Verdict.CORRECT


def _raised(outcome: Outcome) -> tuple[str, str] | None:
    return (outcome.error.name, outcome.error.message) if outcome.error else None


def sample_to_json(tried: Tried) -> dict[str, Any]:
    """Return an answer as it is stored, outputs included."""
    outcome = tried.outcome
    return {
        "code": tried.code,
        "reason": tried.judged.reason,
        "cluster": tried.cluster,
        "outputs": [dict(output) for output in outcome.outputs] if outcome else [],
        "error": outcome.error.to_json() if outcome and outcome.error else None,
    }
