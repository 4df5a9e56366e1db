"""What an execution says, told by causes: problems that fail since an earlier one did are folded into it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from authoring.checks.dry_run.checked_set import CheckedCell, CheckedSet
from authoring.checks.dry_run.execution_evidence import MAX_LISTED, EvidenceKind, ExecutionEvidence
from evaluator.language import Problem, Problemset, names_read_and_written

_NO_NAME = re.compile(r"name '(\w+)' is not defined")
_UNDEFINED = re.compile(r"a variable '(\w+)'")
_QUOTED = re.compile(r"'([^']+)'|\"([^\"]+)\"|: (\w+)\W*$")
_LOOKUPS = ("KeyError", "AttributeError", "IndexError", "ValueError")
"""Errors that a missing column of a table is told by."""


@dataclass
class Cause:
    """One thing that is wrong, the places where the same is wrong, and what fails because of it."""

    evidence: ExecutionEvidence
    same: list[ExecutionEvidence] = field(default_factory=list)
    followers: list[ExecutionEvidence] = field(default_factory=list)

    def __str__(self) -> str:
        """Return the sentences that a model is told."""
        text = str(self.evidence)
        if self.same:
            text += f"\n  The same holds for {_places(self.same)}."
        if self.followers:
            many = len({one.line for one in self.followers}) > 1
            places = _places(self.followers)
            text += (
                f"\n  {places[0].upper()}{places[1:]} fail{'' if many else 's'} only because of this; mend the cause."
            )
        return text


def causes_in(evidence: Sequence[ExecutionEvidence], executed: CheckedSet, problemset: Problemset) -> tuple[Cause, ...]:
    """Return the causes behind evidence, in the order of the cells.

    A cell follows an earlier one that failed when it misses a variable that the earlier one would have made, or a
    column that is written there. Everything else counts as a cause of its own, even if it may follow.

    Args:
        evidence: What speaks against the problemset.
        executed: What its cells left behind.
        problemset: What was executed.
    """
    cells = {cell.line: cell for cell in executed.cells}
    causes: list[Cause] = []
    lost: list[tuple[Cause, frozenset[str], str]] = []  # the cause, the variables that it takes away, its code
    for one in evidence:
        cell = cells.get(one.line)
        code = _code(cell, problemset) if cell else ""
        cause = _cause_of(cell, code, lost) if cell and one.kind is EvidenceKind.CRASH else None
        if cause is None:
            cause = next((known for known in causes if _is_same(known.evidence, one)), None)
            if cause is None:
                causes.append(cause := Cause(one))
            else:
                cause.same.append(one)
        else:
            cause.followers.append(one)
        lost.append((cause, _lost_names(one, cell, code), code))
    return tuple(causes)


def complaint_of(evidence: Sequence[ExecutionEvidence], executed: CheckedSet, problemset: Problemset) -> str:
    """Return evidence as a model is told it, by causes; empty when there is none."""
    causes = causes_in(evidence, executed, problemset)
    more = f"\n- and {len(causes) - MAX_LISTED} more" if len(causes) > MAX_LISTED else ""
    listed = "\n".join(f"- {cause}" for cause in causes[:MAX_LISTED])
    return f"The problemset was executed:\n{listed}{more}" if causes else ""


def _cause_of(cell: CheckedCell, code: str, lost: Sequence[tuple[Cause, frozenset[str], str]]) -> Cause | None:
    error = cell.outcome.error
    if error is None:
        return None
    missing = _NO_NAME.search(error.message) if error.name == "NameError" else None
    if missing:
        return next((cause for cause, names, _ in lost if missing[1] in names), None)
    if error.name not in _LOOKUPS:
        return None
    words = {word for match in _QUOTED.finditer(f": {error.message}") for word in match.groups() if word}
    reads = names_read_and_written(code).reads
    return next((cause for cause, names, made in lost if names & reads and _writes_one(words, made)), None)


def _writes_one(words: set[str], code: str) -> bool:
    """Return whether code names one of some columns as text or as a keyword."""
    return any(re.search(rf"""['"]{re.escape(word)}['"]|\b{re.escape(word)}\s*=""", code) for word in words)


def _lost_names(evidence: ExecutionEvidence, cell: CheckedCell | None, code: str) -> frozenset[str]:
    """Return the variables that later cells cannot count on."""
    if evidence.kind is EvidenceKind.UNDEFINED:
        return frozenset(_UNDEFINED.findall(evidence.what))
    return names_read_and_written(code).writes if cell is not None and cell.failed else frozenset()


def _is_same(known: ExecutionEvidence, one: ExecutionEvidence) -> bool:
    """Return whether two places have the same fault: of code that fails, the error counts, not the way to it."""
    if known.kind is not one.kind:
        return False
    if one.kind is EvidenceKind.CRASH:
        return known.what.rstrip().splitlines()[-1] == one.what.rstrip().splitlines()[-1]
    return known.what == one.what


def _code(cell: CheckedCell, problemset: Problemset) -> str:
    found = problemset.cells[cell.position - 1]
    return found.code if isinstance(found, Problem) else found.source


def _places(evidence: Sequence[ExecutionEvidence]) -> str:
    """Return where evidence stands, such as "problems 4, 5 and 7"."""
    numbers = sorted({one.number for one in evidence if one.number})
    setups = sorted({one.line for one in evidence if not one.number})
    parts = [f"the setup cell on line {line}" for line in setups]
    if numbers:
        *first, last = map(str, numbers)
        parts.append(f"problems {', '.join(first)} and {last}" if first else f"problem {last}")
    return " and ".join(parts)
