"""Decide on suggestions, one by one: accept, change, or refuse; each decision is made once."""

from dataclasses import asdict, dataclass
from typing import Any

from authoring.store import problemsets, revisions
from authoring.store.database.connections import ConflictError
from authoring.store.reviewing.suggestions import Suggestion, apply_suggestion, find_suggestion
from authoring.store.revisions import NewRevision, Revision
from authoring.store.settings import workspace_validators
from authoring.store.statuses import Origin, SuggestionStatus
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError
from evaluator.language.document import one_problem


@dataclass(frozen=True)
class SuggestionView:
    """A suggestion beside the problem as it stands now."""

    suggestion: Suggestion
    head: Revision
    current_text: str | None  # None: the problem is gone, or the head cannot be read

    @property
    def is_stale(self) -> bool:
        """Whether it is open and its problem was changed since it was made."""
        return self.suggestion.status == SuggestionStatus.OPEN and self.current_text != self.suggestion.old_text

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {**asdict(self.suggestion), "stale": self.is_stale, "current_text": self.current_text}


def view_suggestion(ws: Workspace, suggestion: Suggestion | int) -> SuggestionView:
    """Return a suggestion beside the problem in the head.

    Raises:
        UsageError: If there is no such suggestion.
    """
    found = suggestion if isinstance(suggestion, Suggestion) else find_suggestion(ws, suggestion)
    head = revisions.find(ws, problemsets.find(ws, found.problemset_id).head_revision_id)
    try:
        now = head.document(workspace_validators(ws)).problem_texts().get(found.problem)
    except ContentError:
        now = None
    return SuggestionView(found, head, now)


def accept_suggestion(
    ws: Workspace, suggestion_id: int, *, by: str, reason: str = "", over_newer: bool = False
) -> Revision:
    """Make a new head in which only the suggestion's cell is changed, and return it.

    Args:
        ws: The workspace.
        suggestion_id: The suggestion.
        by: Who accepts it.
        reason: Why, if there is more to say.
        over_newer: Whether it may replace a text that is newer than the one it was made for.

    Raises:
        UsageError: If there is no such suggestion, or nobody is named.
        ConflictError: If it was decided before, or its problem was changed meanwhile and `over_newer` is not given:
            then both texts are named. Nothing is written.
        ContentError: If the problem is gone.
    """
    view = _decidable(ws, suggestion_id, over_newer)
    return _apply(ws, view, view.suggestion.new_text, SuggestionStatus.ACCEPTED, by, reason)


def change_suggestion(
    ws: Workspace, suggestion_id: int, cell: str, *, by: str, reason: str = "", over_newer: bool = False
) -> Revision:
    """Make a new head with a cell of one's own instead of the suggested one; otherwise as `accept_suggestion`.

    Raises:
        ContentError: If `cell` is not exactly one problem, or the problem is gone.
    """
    view = _decidable(ws, suggestion_id, over_newer)
    one_problem(cell, view.head.problemset_name, workspace_validators(ws))
    return _apply(ws, view, cell, SuggestionStatus.CHANGED, by, reason)


def _decidable(ws: Workspace, suggestion_id: int, over_newer: bool) -> SuggestionView:
    view = view_suggestion(ws, suggestion_id)
    found = view.suggestion
    where = f"suggestion {found.id}"
    if found.status != SuggestionStatus.OPEN:
        what = f"suggestion {found.id} was decided before: {found.status} by {found.decided_by!r}"
        raise ConflictError(what, where=where, fix="a further change is a new revision", head=found)
    if view.is_stale and view.current_text is None:
        what = f"problem {found.problem!r} is no longer in {view.head.problemset_name!r}"
        raise ContentError(what, where=where, fix="refuse the suggestion, with the reason")
    if view.is_stale and not over_newer:
        label = f"{view.head.problemset_name}@{view.head.number}"
        raise ConflictError(
            f"problem {found.problem!r} was changed since suggestion {found.id} was made.\nNow, in {label}:\n"
            f"{view.current_text}\n\nSuggested:\n{found.new_text}",
            where=where,
            fix="compare both; then accept with --over-newer, change it so that it keeps both, or refuse it",
            head=view.head,
        )
    return view


def _apply(ws: Workspace, view: SuggestionView, cell: str, status: SuggestionStatus, by: str, reason: str) -> Revision:
    found, head = view.suggestion, view.head
    text = head.document(workspace_validators(ws)).replace({found.problem: cell}).text
    over = f", over the text of revision {head.number}" if view.is_stale else ""
    new = NewRevision(
        text=text,
        author=by,
        origin=Origin.MODEL if status == SuggestionStatus.ACCEPTED else Origin.PERSON,
        message=f"suggestion {found.id} {status}: problem {found.problem}{over}",
        provenance=_provenance(found, status),
        guide_number=found.provenance.get("guide_revision"),
    )
    return apply_suggestion(ws, found.id, new, base_revision_id=head.id, status=status, reason=f"{reason}{over}")


def _provenance(found: Suggestion, status: str) -> str:
    import json

    return json.dumps({**found.provenance, "suggestion": found.id, "suggestion_status": status})
