"""Active minutes of the person at the screen: what revisions and decisions are stored with."""

from typing import Final

from authoring.store.effort import record_effort
from authoring.store.problemsets import ProblemsetRow
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.shell.auth import current_user

LEAST: Final = 0.01  # minutes; less is not worth a row


def minutes_on_set(row: ProblemsetRow) -> float:
    """Return the minutes on a problemset since they were stored last."""
    return state.active_minutes("set", row.id, row.name)


def forget_set(row: ProblemsetRow) -> None:
    """Begin at zero for a problemset."""
    state.forget_minutes("set", row.id, row.name)


def keep_set_minutes(ws: Workspace, activity: str, row: ProblemsetRow) -> None:
    """Store the minutes on a problemset that no revision of the person carries, as `review` or `revision`."""
    minutes = minutes_on_set(row)
    if minutes >= LEAST:
        record_effort(ws, activity, subject=row.name, person=current_user(), minutes=minutes, problemset_id=row.id)
    forget_set(row)


def keep_guide_minutes(ws: Workspace, guide_number: int) -> None:
    """Store the minutes on the guide."""
    minutes = state.active_minutes("guide")
    if minutes >= LEAST:
        subject = f"guide {guide_number}"
        person = current_user()
        record_effort(ws, "guide", subject=subject, person=person, minutes=minutes, guide_number=guide_number)
    state.forget_minutes("guide")
