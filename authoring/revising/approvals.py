"""Which problems of a revision still are what somebody accepted, and why the others are not.

Saving makes the status of a problemset `draft`, whatever was changed: the status speaks of the whole set, and nobody
has seen this one. A problem, though, keeps its approval as long as its query, its code, all settings that judge it, and
the digest of its outcome are those of the accepted revision; then only the others need a person's look.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from authoring.checks.dry_run.dry_running import current_dry_run
from authoring.revising.affected.dependence import Affected, Change, affected_problems
from authoring.revising.affected.rerunning import seen_changes
from authoring.store import revisions
from authoring.store.reviewing.reviews import Decision, list_decisions
from authoring.store.revisions import Revision
from authoring.store.statuses import ReviewDecision
from authoring.store.workspace import Workspace
from evaluator.language.document_cells import DocumentCell


class ApprovalStanding(StrEnum):
    """What has become of an approval."""

    KEPT = "kept"
    WITHDRAWN = "withdrawn"
    UNKNOWN = "unknown"  # nothing in it changed, but what it leaves behind has not been seen yet


@dataclass(frozen=True)
class Approval:
    """One problem and its standing."""

    cell: DocumentCell
    standing: ApprovalStanding
    reason: str = ""  # empty: kept

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        names = {"problem": self.cell.number, "problem_id": self.cell.key}
        return {**names, "standing": self.standing.value, "reason": self.reason}


@dataclass(frozen=True)
class Approvals:
    """The problems of a revision measured by the last decision on an earlier one."""

    revision: Revision
    decision: Decision | None  # the acceptance; None: none holds
    accepted: Revision | None  # what was accepted
    problems: tuple[Approval, ...] = ()  # empty: nothing was accepted

    def numbers(self, standing: ApprovalStanding) -> list[int]:
        """Return the numbers of the problems of that standing."""
        return [each.cell.number for each in self.problems if each.standing is standing]

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        by = None if self.decision is None else self.decision.by
        number = None if self.accepted is None else self.accepted.number
        return {"by": by, "accepted": number, "problems": [each.to_json() for each in self.problems]}


def approvals_of(ws: Workspace, ref: str | int) -> Approvals:
    """Return which problems of a revision keep the approval that an earlier revision, or itself, was given.

    A set that was sent back after it was accepted has no approvals.

    Raises:
        UsageError: If there is no such revision.
    """
    revision = revisions.find(ws, ref)
    decisions = [each for each in list_decisions(ws, revision.problemset_id) if each.revision_id <= revision.id]
    if not decisions or decisions[-1].decision != ReviewDecision.ACCEPTED:
        return Approvals(revision, None, None)
    accepted = revisions.find(ws, decisions[-1].revision_id)
    return Approvals(revision, decisions[-1], accepted, _compared(ws, accepted, revision))


def _compared(ws: Workspace, accepted: Revision, revision: Revision) -> tuple[Approval, ...]:
    before, after = accepted.document(), revision.document()
    known, now = (_digests(ws, each) for each in (accepted, revision))
    seen = seen_changes(ws, accepted, before), seen_changes(ws, revision, after)
    found = affected_problems(before, after, seen_before=seen[0], seen_after=seen[1])
    reached = {each.cell.number: each for each in found}
    origin = {new: old for old, new in before.align(after).items()}
    return tuple(
        _standing(
            cell,
            reached.get(cell.number),
            known.get(before.cells[origin[position]].number, "") if position in origin else "",
            now.get(cell.number, ""),
        )
        for position, cell in enumerate(after.cells)
        if cell.is_problem
    )


def _standing(cell: DocumentCell, reached: Affected | None, then: str, now: str) -> Approval:
    own = (
        []
        if reached is None
        else [change for change in reached.changes if change not in (Change.EXAMPLES, Change.STATE)]
    )
    if reached is not None and own:
        return Approval(cell, ApprovalStanding.WITHDRAWN, "; ".join(reached.reasons[: len(own)]))
    if not then or not now:
        why = "nothing in it changed; its outcome is seen with the next dry run"
        return Approval(cell, ApprovalStanding.UNKNOWN, why)
    if then == now:
        return Approval(cell, ApprovalStanding.KEPT)
    because = f": it {'; it '.join(reached.reasons)}" if reached is not None else ""
    return Approval(cell, ApprovalStanding.WITHDRAWN, f"its outcome changed{because}")


def _digests(ws: Workspace, revision: Revision) -> dict[int, str]:
    """Return number of a problem -> digest of its outcome in the newest dry run that still holds."""
    found = current_dry_run(ws, revision, None)
    return {row.index: row.outcome_digest for row in found.dry_run.problems} if found else {}
