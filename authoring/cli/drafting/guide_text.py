"""Amendments and effects as text for people."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from authoring.drafting.guide.guide_effects import GuideEffect
    from authoring.store import Amendment


def amendment_text(found: "Amendment") -> str:
    """Return an amendment: what it says, what it rests on, what became of it."""
    state = "stale: its place in the guide was changed" if found.stale else found.status
    where = f"in {found.section!r}" if found.section else "at the end"
    rests = f" (rests on {', '.join(found.comment_ids)})" if found.comment_ids else ""
    lines = [f"amendment {found.id}, {state}, of guide {found.base_number}, by {found.proposed_by}{rests}"]
    lines += [f"  {found.reason}"] if found.reason else []
    lines += [f"  - {line}" for line in found.old_text.splitlines()] or [f"  added {where}:"]
    lines += [f"  + {line}" for line in found.new_text.splitlines()]
    return "\n".join(lines)


def effects_text(found: "Sequence[GuideEffect]") -> str:
    """Return one block of lines for each guide revision."""
    return "\n\n".join(map(_effect_text, found)) or "no drafts by a model or a template yet"


def _effect_text(one: "GuideEffect") -> str:
    name = "drafts without a guide" if one.guide_number is None else f"guide {one.guide_number}"
    comments = ", ".join(f"{kind} {count}" for kind, count in one.comments.items() if count) or "none"
    return "\n".join(
        [
            f"{name}: {one.drafts} drafts, {one.accepted} accepted ({share(one.acceptance_rate)})",
            f"  problems of accepted sets: {one.problems}, changed by people: {share(one.revision_rate)}",
            f"  edits per problem: {figure(one.edits_per_problem)} ({one.cells_changed} cells,"
            f" {one.validator_changes} validators)",
            f"  minutes per problem: {figure(one.minutes_per_problem)} (measured for {one.measured_problems} problems)",
            f"  comments: {comments}",
            f"  repairs {one.repairs}, tokens {one.tokens}",
        ]
    )


def share(rate: float | None) -> str:
    """Return a rate in percent; what has no denominator is unknown."""
    return "unknown" if rate is None else f"{rate:.0%}"


def figure(value: float | None) -> str:
    """Return a number with two decimals; what was not measured is unknown."""
    return "unknown" if value is None else f"{value:.2f}"
