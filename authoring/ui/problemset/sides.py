"""What Compare can put side by side: revisions, and people's unsaved text over the newest one."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from authoring.store import (
    DryRunProblem,
    ProblemsetRow,
    Revision,
    Workspace,
    find_revision,
    latest_dry_run,
    list_autosave_people,
    list_autosaves,
)
from authoring.ui.auth import current_user
from authoring.ui.problem.desk import WHOLE, Cell, Desk, cells_of, compose, open_desk
from authoring.ui.wording import at_minute

UNSAVED: Final = "unsaved:"


@dataclass(frozen=True)
class Side:
    """One of two texts with what its dry run came to."""

    key: str  # in the address: the id of a revision, or `unsaved:NAME`
    title: str
    text: str
    cells: Mapping[str, Cell]
    revision: Revision | None = None  # None: unsaved text
    judged: Mapping[str, DryRunProblem] = field(default_factory=dict)  # by id of the problem

    def verdicts(self, key: str) -> tuple[str, str, str] | None:
        """Return how reference, empty answer and agent were judged on a problem; None: no dry run says."""
        row = self.judged.get(key)
        return None if row is None else (row.reference_verdict, row.empty_verdict, row.agent_verdict)


def side_names(ws: Workspace, row: ProblemsetRow, revisions: Sequence[Revision]) -> dict[str, str]:
    """Return what can be compared, key -> title, newest first. Others' unsaved text counts where one has some too."""
    named = {
        str(each.id): f"{each.number} · {each.author} · {at_minute(each.created_at)}"
        for each in sorted(revisions, key=lambda each: -each.number)
    }
    people = list_autosave_people(ws, row.id)
    mine = current_user()
    if mine not in people:
        return named
    unsaved = {f"{UNSAVED}{mine}": "my unsaved text"}
    unsaved |= {f"{UNSAVED}{person}": f"unsaved text of {person}" for person in people if person != mine}
    return {**unsaved, **named}


def load_side(ws: Workspace, row: ProblemsetRow, key: str) -> Side:
    """Return one side as `side_names` named it."""
    if key.startswith(UNSAVED):
        return _unsaved(ws, row, key)
    revision = find_revision(ws, int(key))
    dry_run = latest_dry_run(ws, revision.id)
    judged = {problem.problem_id: problem for problem in dry_run.problems} if dry_run else {}
    cells = {cell.key: cell for cell in cells_of(revision.problemset_name, revision.text)}
    return Side(key, f"Revision {revision.number}", revision.text, cells, revision, judged)


def _unsaved(ws: Workspace, row: ProblemsetRow, key: str) -> Side:
    person = key.removeprefix(UNSAVED)
    head = find_revision(ws, row.head_revision_id)
    desk = open_desk(row.name, head.id, head.text, list_autosaves(ws, person, row.id))
    title = "My unsaved text" if person == current_user() else f"Unsaved text of {person}"
    if WHOLE in desk.edits:
        text = desk.edits[WHOLE]
        return Side(key, title, text, {cell.key: cell for cell in cells_of(row.name, text)})
    return Side(key, title, compose(desk).text or head.text, {cell.key: _as_left(desk, cell) for cell in desk.cells})


def _as_left(desk: Desk, cell: Cell) -> Cell:
    return dataclasses.replace(cell, texts={name: desk.value(cell, name) for name in cell.texts})
