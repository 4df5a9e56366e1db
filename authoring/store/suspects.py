"""Attempts that somebody finds suspect: an item of the roundtable about the problem, with the attempt as evidence."""

from typing import Final

from authoring.store.problemsets import find_problemset
from authoring.store.released_problems import ProblemPlace, find_problem_place
from authoring.store.roundtable import NewItem, RoundtableItem, list_roundtable, open_items
from authoring.store.runs import AttemptRow
from authoring.store.workspace import Workspace
from evaluator.errors import ContentError, UsageError

SUSPECT: Final = "suspect"
MAX_CODE_CHARS: Final = 4_000


def place_of(ws: Workspace, attempt: AttemptRow) -> ProblemPlace | None:
    """Return where the workspace holds the problem of an attempt; None when it does not."""
    return find_problem_place(ws, attempt.problemset, attempt.position, str(attempt.record.get("question") or ""))


def mark_suspect(ws: Workspace, attempt: AttemptRow, *, note: str, by: str) -> int:
    """Open an item of the roundtable about an attempt's problem and return its id.

    Raises:
        UsageError: If the workspace does not hold the problem.
        ContentError: If the note is empty, or the attempt is marked already.
    """
    place = place_of(ws, attempt)
    if place is None:
        what = f"this workspace does not hold {attempt.problemset} {attempt.position}"
        raise UsageError(what, where=f"attempt {attempt.id}", fix="import the problemset first: benchwright import")
    if not note.strip():
        raise ContentError("a suspicion needs a note", where="Note", fix="say what is suspect")
    evidence = {
        **{"about": f"{SUSPECT} attempt {attempt.id}", "kind": SUSPECT, "attempt": attempt.id, "run": attempt.run_id},
        **{"agent": attempt.agent, "verdict": attempt.verdict},
        "why": f"{attempt.agent} was judged {attempt.verdict}: {attempt.record.get('extended_verdict') or 'no reason'}",
        "code": str(attempt.record.get("code") or "")[:MAX_CODE_CHARS],
    }
    head = find_problemset(ws, place.problemset_id).head_revision_id
    opened = open_items(ws, head, [NewItem(place.problem_id, f"suspect: {note.strip()}", evidence)], by=by)
    if not opened:
        raise ContentError(
            "the attempt is marked already", where=f"attempt {attempt.id}", fix="settle its item at the Roundtable"
        )
    return opened[0]


def items_about(ws: Workspace, place: ProblemPlace) -> list[RoundtableItem]:
    """Return the items of the roundtable about a problem, oldest first."""
    return [item for item in list_roundtable(ws, place.problemset_id) if item.problem == place.problem_id]
