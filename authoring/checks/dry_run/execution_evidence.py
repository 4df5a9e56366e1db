"""What an execution says against the problems of a draft: the words that a model is told, and people after it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from authoring.checks.dry_run.checked_set import CheckedCell, CheckedSet
from evaluator.agents.model_agents.replies import clipped
from evaluator.diagnostics import Diagnostic, Severity
from evaluator.language import Problem, Problemset
from evaluator.registry import nearest_name
from evaluator.running import SETUP_WALL_S
from evaluator.running.quality.query_words import promised_names
from evaluator.running.quality.warning import WarningCode
from evaluator.scoring import Verdict
from evaluator.session import Ending

MAX_LISTED: Final = 12  # diagnostics or causes in one complaint
MAX_EVIDENCE_CHARS: Final = 700  # of one failing problem
FAILURE_WEIGHT: Final = 10  # of a problem that fails, beside one doubt about a problem that runs
MAX_VIEWS: Final = 200  # variables that an outcome describes; where there are more, a missing one proves nothing


class EvidenceKind(StrEnum):
    """What can be wrong with a problem that was executed."""

    CRASH = "crash"
    TIME = "time"
    NO_SINGLE_ANSWER = "no-single-answer"
    VALIDATOR = "validator"
    UNDEFINED = "undefined"
    EMPTY_PASSES = "empty-passes"


_FIXES: Final = {
    EvidenceKind.CRASH: "repair the reference code",
    EvidenceKind.TIME: "make the reference code faster, or raise `execution.max_time`",
    EvidenceKind.NO_SINGLE_ANSWER: "fix the random state, the order and the ties, so that there is one answer",
    EvidenceKind.VALIDATOR: "repair the validators",
    EvidenceKind.UNDEFINED: "define the variable in the reference code, or do not name it",
    EvidenceKind.EMPTY_PASSES: "let the last expression be the answer, or compare a variable",
}


@dataclass(frozen=True)
class ExecutionEvidence:
    """One thing that an execution says against a cell."""

    kind: EvidenceKind | WarningCode
    number: int  # of the problem, from 1; 0: a setup cell
    problem_id: str
    line: int  # of the cell
    what: str
    fix: str = ""  # empty: that of its kind

    def __str__(self) -> str:
        """Return the sentence that a model is told."""
        who = f"Problem {self.number}" if self.number else f"The setup cell on line {self.line}"
        said = f"{self.what}; {self.fix}" if self.fix else self.what
        return clipped(f"{who}: {said}", MAX_EVIDENCE_CHARS + 80)

    def diagnostic(self, path: Path) -> Diagnostic:
        """Return it as a diagnostic of the problemset's file."""
        who = f"problem {self.number} ({self.problem_id}): " if self.number else ""
        what = clipped(" ".join(self.what.split()), MAX_EVIDENCE_CHARS)
        fix = self.fix or _FIXES[EvidenceKind(self.kind)]
        return Diagnostic(self.kind.value, Severity.WARNING, path, self.line, f"{who}{what}", fix)


def evidence_in(
    executed: CheckedSet, problemset: Problemset, columns: Sequence[str] = ()
) -> tuple[ExecutionEvidence, ...]:
    """Return what an execution says against a problemset: failures, then doubts, each in the order of its cells.

    Args:
        executed: What its cells left behind.
        problemset: What was executed.
        columns: The columns of the data, for hints when code names one that does not exist.
    """
    found: list[ExecutionEvidence] = []
    for cell in executed.cells:
        against = _against(cell, columns)
        found += [against] if against else []
        if cell.problem is not None and not cell.failed:
            found += _broken_promises(cell, problemset.problems[cell.problem - 1])
        found += _doubts(cell)
    return tuple(sorted(found, key=lambda one: isinstance(one.kind, WarningCode)))  # what fails comes first


def faults_in(evidence: Sequence[ExecutionEvidence]) -> int:
    """Return how bad a problemset is: many doubts about problems that run weigh less than one that fails."""
    return sum(1 if isinstance(one.kind, WarningCode) else FAILURE_WEIGHT for one in evidence)


def _doubts(cell: CheckedCell) -> list[ExecutionEvidence]:
    """Return what is doubtful about a problem that runs; what fails is repaired first."""
    if cell.failed or (cell.reference is not None and cell.reference.verdict is not Verdict.CORRECT):
        return []
    return [
        ExecutionEvidence(each.code, cell.problem or 0, cell.problem_id, cell.line, each.what, each.fix)
        for each in cell.warnings
    ]


def _against(cell: CheckedCell, columns: Sequence[str]) -> ExecutionEvidence | None:
    if cell.failed:
        return _of_failure(cell, columns)
    judged = cell.reference
    if judged is not None and judged.verdict is not Verdict.CORRECT:
        kind, advice = _reading(judged.verdict)
        said = f"{judged.verdict.value}: {judged.reason}"
        what = f"the reference, run again, does not pass its own validators ({said}); {advice}"
        return _evidence(kind, cell, what)
    if cell.empty is not None and cell.empty.verdict is Verdict.CORRECT:
        fix = _FIXES[EvidenceKind.EMPTY_PASSES]
        return _evidence(EvidenceKind.EMPTY_PASSES, cell, f"an empty answer passes; {fix}")
    return None


def _reading(verdict: Verdict) -> tuple[EvidenceKind, str]:
    if verdict is Verdict.TIMEOUT:
        return EvidenceKind.TIME, _FIXES[EvidenceKind.TIME]
    if verdict is Verdict.NOT_JUDGED:
        return EvidenceKind.VALIDATOR, _FIXES[EvidenceKind.VALIDATOR]
    return EvidenceKind.NO_SINGLE_ANSWER, _FIXES[EvidenceKind.NO_SINGLE_ANSWER]


def _of_failure(cell: CheckedCell, columns: Sequence[str]) -> ExecutionEvidence | None:
    outcome = cell.outcome
    if outcome.ending is Ending.ENGINE_ERROR:
        return None  # it was never executed: an earlier cell ended the session
    if outcome.ending is Ending.TIMED_OUT:
        if cell.problem:
            what = f"the code takes longer than its limit of {cell.max_time_s:g} s; {_FIXES[EvidenceKind.TIME]}"
        else:
            what = (
                f"the setup code takes longer than {SETUP_WALL_S:g} s, a limit that no setting raises; make it faster"
            )
        return _evidence(EvidenceKind.TIME, cell, what)
    if outcome.error is None:
        return _evidence(EvidenceKind.CRASH, cell, f"the code fails ({outcome.ending.value})")
    hint = _column_hint(f"{outcome.error.name}: {outcome.error.message}", columns)
    said = _in_the_cell(outcome.error.traceback)[len(hint) - MAX_EVIDENCE_CHARS :]  # its end says what went wrong
    return _evidence(EvidenceKind.CRASH, cell, f"the code fails:\n{said}{hint}")


def _in_the_cell(traceback: str) -> str:
    """Return a traceback without the frames of libraries and without the errors that led to the last one."""
    kept: list[str] = []
    is_library = False
    for line in traceback.rstrip().rpartition("Traceback (most recent call last):\n")[2].splitlines():
        if line.startswith("  File ") or not line.startswith("   "):
            is_library = line.startswith("  File ")
        kept += [] if is_library else [line]
    return "\n".join(kept)


def _column_hint(said: str, columns: Sequence[str]) -> str:
    """Return which column was meant, where code fails on one that the data does not have."""
    if not said.startswith(("KeyError", "AttributeError")):
        return ""
    wanted = re.search(r"['\"]([^'\"]+)['\"]\]?\W*$", said) or re.search(r": (\w+)\W*$", said)
    if wanted is None or wanted[1] in columns:
        return ""
    near = nearest_name(wanted[1], list(columns))
    return f"\nThe data has no column {wanted[1]!r}; it has {near!r}." if near else ""


def _broken_promises(cell: CheckedCell, problem: Problem) -> list[ExecutionEvidence]:
    there = {view.name for view in cell.outcome.variables if view.change != "deleted"}
    if len(cell.outcome.variables) >= MAX_VIEWS:
        return []
    missing = [name for name in promised_names(problem.query) if name not in there]
    what = "the query asks for a variable {0!r}, which the reference does not define"
    return [_evidence(EvidenceKind.UNDEFINED, cell, what.format(name)) for name in missing]


def _evidence(kind: EvidenceKind, cell: CheckedCell, what: str) -> ExecutionEvidence:
    return ExecutionEvidence(kind, cell.problem or 0, cell.problem_id, cell.line, what)
