"""All that is doubtful about one problem: what its text says, and what trials beside its reference show.

The trials are one execution with notes and at most `MAX_FLIPS` changes of the reference code, each on a copy of the
state before the problem; a budget ends them for a set whose code is slow.
"""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from evaluator.language import (
    Problem,
    level_with_samples,
    levels_apart,
    measured_difficulties,
    stated_level,
)
from evaluator.running.execution.executed_cell import ExecutedCell, JudgedAnswer
from evaluator.running.quality.code_facts import written_before
from evaluator.running.quality.contradictions import percent_mismatch, query_code_mismatches
from evaluator.running.quality.data_findings import little_information, unexercised
from evaluator.running.quality.demands import unasked_outputs, unchecked_demands
from evaluator.running.quality.facts import CodeFacts, facts_source, read_facts
from evaluator.running.quality.flips import Flip, flips_of
from evaluator.running.quality.query_words import Demand, demands, promised_names
from evaluator.running.quality.warning import ProblemWarning, WarningCode
from evaluator.scoring import Verdict
from evaluator.session import Ending, Outcome, VariableView

_DATA: Final = frozenset({"DataFrame", "Series", "ndarray", "list", "dict", "set", "str", "int", "float", "tuple"})
BUDGET_S: Final = 30.0  # of trials in one problemset; what comes later is only read
_TELLING: Final = frozenset(
    {
        Verdict.WRONG_OUTPUT,
        Verdict.WRONG_VARIABLES,
        Verdict.PRESENTATION_ERROR,
        Verdict.UNIT_TEST_FAILURE,
        Verdict.BAD_MODEL,
    }
)

_log = logging.getLogger(__name__)


@dataclass
class QualityTrials:
    """The trials of one problemset, within a budget of seconds."""

    budget_s: float = BUDGET_S
    spent_s: float = 0.0
    guesses: bool = True  # whether answers that could be guessed are told; not where guessing itself is tried

    def codes(self, number: int, problem: Problem) -> tuple[str, ...]:
        """Return the codes to try beside the reference of a problem; none once the budget is spent."""
        if self.spent_s > self.budget_s:
            _log.info("event=trials_ended problem=%d spent_s=%.1f", number, self.spent_s)
            return ()
        return planned(problem)

    def warnings(self, executed: ExecutedCell, solved: tuple[int, int] | None = None) -> tuple[ProblemWarning, ...]:
        """Return what is doubtful about a problem that was executed with its trials, waived doubts left out.

        Args:
            executed: The problem with what its reference left, and how the trials were judged.
            solved: Correct and judged answers of a sampled agent (counts), where it was asked several times.
        """
        self.spent_s += sum(trial.outcome.seconds for trial in executed.trials if trial.outcome is not None)
        told = executed.problem, executed.outcome, executed.trials, solved
        return problem_warnings(*told, guesses=self.guesses)


def planned(problem: Problem) -> tuple[str, ...]:
    """Return the codes that are tried for a problem: with notes first, then changed."""
    return (facts_source(problem), *(flip.code for flip in flips_of(problem)))


def problem_warnings(
    problem: Problem,
    reference: Outcome | None,
    trials: Sequence[JudgedAnswer],
    solved: tuple[int, int] | None = None,
    *,
    guesses: bool = True,
) -> tuple[ProblemWarning, ...]:
    """Return what is doubtful about a problem; arguments as of `QualityTrials.warnings`."""
    found = [*read_warnings(problem, solved)]
    if reference is not None and reference.ending is Ending.OK:
        found += _changed_inputs(problem, reference)
        found += _tried(problem, trials, guesses)
    waived = problem.metadata.get("waivers") or {}
    return tuple(dict.fromkeys(warning for warning in found if warning.code.value not in waived))


def read_warnings(problem: Problem, solved: tuple[int, int] | None = None) -> Iterator[ProblemWarning]:
    """Yield what is doubtful about a problem by its text alone."""
    yield from query_code_mismatches(problem)
    yield from unchecked_demands(problem)
    yield from unasked_outputs(problem)
    yield from _difficulty(problem, solved)


def _difficulty(problem: Problem, solved: tuple[int, int] | None) -> Iterator[ProblemWarning]:
    """Yield that the stated level is two away from the measured one."""
    stated = stated_level(problem)
    if stated is None or problem.problemset is None:
        return
    measured = measured_difficulties(problem.problemset)[problem.index - 1]
    level = measured.level if solved is None else level_with_samples(measured.level, *solved)
    if levels_apart(stated, level) == 2:
        what = f"it is called {stated} and measures {level} ({measured})"
        yield ProblemWarning(
            WarningCode.DIFFICULTY_MISMATCH, what, f"write `difficulty: {level}`, or ask for another thing"
        )


def _changed_inputs(problem: Problem, reference: Outcome) -> Iterator[ProblemWarning]:
    """Yield the variables of earlier problems that the reference changes although the query asks for no change."""
    if demands(problem.query, Demand.CHANGE):
        return
    earlier = written_before(problem)
    for view in reference.variables:
        if _is_changed(view) and view.name in earlier - set(promised_names(problem.query)):
            what = f"the reference changes {view.name!r}, which an earlier cell made, and the query asks for no change"
            fix = f"work on a copy (`{view.name}.copy()`), or ask for the change"
            yield ProblemWarning(WarningCode.MUTATES_INPUT, what, fix)


def _is_changed(view: VariableView) -> bool:
    """Return whether data changed; a generator of random numbers or a model changes when it is used."""
    return view.change == "deleted" or (view.change in ("updated", "replaced") and view.type in _DATA)


def _tried(problem: Problem, trials: Sequence[JudgedAnswer], guesses: bool) -> Iterator[ProblemWarning]:
    """Yield what the trials showed."""
    if not trials:
        return
    noted = trials[0].outcome
    facts = read_facts(problem, noted) if noted is not None and noted.ending is Ending.OK else None
    if facts is not None:
        yield from _from_facts(problem, facts, guesses)
    for flip, trial in zip(flips_of(problem), trials[1:], strict=False):
        if _tells(flip, trial):
            yield flip.warning


def _from_facts(problem: Problem, facts: CodeFacts, guesses: bool) -> Iterator[ProblemWarning]:
    yield from unexercised(problem, facts)
    yield from little_information(problem, facts, guesses=guesses)
    if facts.result is not None and (found := percent_mismatch(problem, facts.result.largest)):
        yield found


def _tells(flip: Flip, trial: JudgedAnswer) -> bool:
    if trial.outcome is None or trial.outcome.ending is not Ending.OK:
        return False
    return trial.judged.verdict is Verdict.CORRECT if flip.tells_when_correct else trial.judged.verdict in _TELLING
