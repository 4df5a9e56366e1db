"""Decides, while a revision is being executed after an edit, which of its problems are judged."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from authoring.checks.dry_run.checked_set import CheckedCell, CheckedSet, outcome_digest
from authoring.revising.affected.dependence import Affected, Change, Observed, affected_problems
from authoring.store.dry_runs import DryRun, DryRunProblem
from evaluator.language.document import Document

UNFORESEEN: Final = "its outcome differs, though nothing it is seen to read was changed"
_CHANGES: Final = frozenset({"added", "updated", "replaced"})


@dataclass
class Watch:
    """What is known of an older dry run while the newer revision runs."""

    before: Document
    after: Document
    known: DryRun
    origin: Mapping[int, DryRunProblem]  # number of a problem -> its row in the older dry run
    surprised: frozenset[int]  # numbers of problems that are judged although nothing is seen to reach them
    asks: bool  # whether a model is asked: then new words of a query count

    @property
    def reworded(self) -> frozenset[int]:
        """Numbers of the problems whose query alone changed."""
        return frozenset(each.cell.number for each in self._affected({}) if not each.must_rerun)

    def judges(self, number: int, so_far: Sequence[CheckedCell]) -> bool:
        """Return whether problem `number` is judged, from what the cells before it were seen to change."""
        if number not in self.origin or number in self.surprised:
            return True
        reached = {each.cell.number: each for each in self._affected(self._seen_now(so_far))}
        return number in reached and (self.asks or reached[number].must_rerun)

    def surprises(self, executed: CheckedSet) -> set[int]:
        """Return the problems that were not judged and whose outcome differs all the same."""
        return {
            cell.problem
            for cell in executed.problems
            if cell.problem is not None
            and cell.reference is None
            and outcome_digest(cell.outcome) != self.origin[cell.problem].outcome_digest
        }

    def affected(self, executed: CheckedSet) -> tuple[Affected, ...]:
        """Return why problems were judged again."""
        found = {each.cell.number: each for each in self._affected(self._seen_now(executed.cells))}
        for cell in self.after.cells:
            if cell.number in self.surprised and cell.number not in found:
                found[cell.number] = Affected(cell, (Change.STATE,), (UNFORESEEN,))
        return tuple(found[number] for number in sorted(found))

    def _affected(self, seen_now: Observed) -> tuple[Affected, ...]:
        seen = seen_by(self.before, self.known)
        return affected_problems(self.before, self.after, seen_before=seen, seen_after=seen_now)

    def _seen_now(self, cells: Iterable[CheckedCell]) -> Observed:
        return {self.after.cells[cell.position - 1].key: _changed(cell) for cell in cells if cell.problem is not None}


def seen_by(document: Document, known: DryRun) -> dict[str, frozenset[str]]:
    """Return what the problems of a stored dry run were seen to change, by key of the cell."""
    rows = {row.index: row for row in known.problems}
    return {
        cell.key: frozenset(str(each["name"]) for each in rows[cell.number].variables if each["change"] in _CHANGES)
        for cell in document.cells
        if cell.number in rows
    }


def _changed(cell: CheckedCell) -> frozenset[str]:
    return frozenset(view.name for view in cell.outcome.variables if view.change in _CHANGES)
