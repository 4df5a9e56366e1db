"""What came of work on several problemsets: with which it was done, what refused the others, and the ways there."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from authoring.checks import EvidenceError
from authoring.checks.standing import Standing, standings
from authoring.store import revisions
from authoring.store.database.connections import ConflictError
from authoring.store.problemsets import ProblemsetRow
from authoring.store.reviewing.reviews import Comment, list_comments
from authoring.ui import state
from authoring.ui.advice import in_app
from authoring.ui.comments.open_comments import MAX_NAMED as MAX_TALK
from authoring.ui.comments.open_comments import open_words
from authoring.ui.editor.draft_view import cells_of
from authoring.ui.standing import MAX_NUMBERS, UNSAVED, failing_words
from authoring.ui.wording import plural
from authoring.ui.workplace import environment, workspace
from evaluator.errors import ToolkitError
from evaluator.language.document_cells import DocumentCell

MAX_NAMED: Final = 10  # sets in one message
MAX_REASONS: Final = 6  # messages about sets with which it was not done
MAX_DETAILS: Final = 4  # sets of which a message tells more than the name
TO_FIX: Final = "open the set: beside its buttons stands what it needs"


class Refusal(NamedTuple):
    """Why something is not done with a set, and what helps; sets with the same are told together."""

    what: str
    fix: str


UNSAVED_THERE: Final = Refusal(UNSAVED.what, "open the set: there you save or drop them")
MOVED: Final = Refusal(
    "it was changed since this list was drawn, and now the list shows it as it is",
    "open the set, look at what is new, then select it here and press the button again",
)
NO_DRY_RUN: Final = Refusal(
    "the newest revision has no dry run that still holds", "press Dry run in the line above the list, and wait for it"
)
UNFIT: Final = "the newest revision is not fit to be accepted"  # what fails in it is told of each set


def refusal_of(error: ToolkitError) -> Refusal:
    """Return why an error keeps a set from what was wanted, for a person who is at the list of sets."""
    if isinstance(error, EvidenceError):
        return Refusal(UNFIT, error.fix) if error.failures else NO_DRY_RUN
    return MOVED if isinstance(error, ConflictError) else Refusal(error.what, in_app(error.fix)[0])


def named(rows: Sequence[ProblemsetRow]) -> str:
    """Return `2 sets (trips, sales)`."""
    more = len(rows) - MAX_NAMED
    names = ", ".join(row.name for row in rows[:MAX_NAMED])
    return f"{plural(len(rows), 'set')} ({names}{f' and {more} more' if more > 0 else ''})"


def tell_refused(words: str, chosen: Sequence[ProblemsetRow], refused: Mapping[int, Refusal]) -> None:
    """Say with which rows something was not done and why, with what fails and is open in the first ones of each."""
    reasons: dict[Refusal, list[ProblemsetRow]] = {}
    for row in chosen:
        if row.id in refused:
            reasons.setdefault(refused[row.id], []).append(row)
    stand = _standings([row for refusal, rows in reasons.items() if refusal != MOVED for row in rows])
    for refusal, rows in list(reasons.items())[:MAX_REASONS]:
        state.flash(
            "warning",
            f"{words}: {named(rows)}: {refusal.what}",
            fix=refusal.fix,
            details=_details_of_refused(refusal, rows, stand),
        )
    if more := sum(len(rows) for rows in list(reasons.values())[MAX_REASONS:]):
        state.flash("warning", f"{words}: {plural(more, 'more set')}", fix=TO_FIX)


def tell_failing(words: str, fix: str, done: Sequence[ProblemsetRow]) -> list[ProblemsetRow]:
    """Say in which rows something fails, although something was done with them, and return those."""
    stand = _standings(done)
    found = [row for row in done if failing_words(stand[row.head_revision_id])]
    if found:
        state.flash("warning", f"{words}: {named(found)}", fix=fix, details=_details(found, stand))
    return found


def tell_open(words: str, done: Sequence[ProblemsetRow]) -> None:
    """Say in which rows comments are open, although something was done with them."""
    if found := [row for row in done if row.open_comments]:
        state.flash("info", f"{words} with open comments: {named(found)}", details=_details(found, {}))


def _details_of_refused(
    refusal: Refusal, rows: Sequence[ProblemsetRow], stand: Mapping[int, Standing]
) -> tuple[state.Detail, ...]:
    if refusal == MOVED:
        ways = [state.Link("What is new", "compare", {"set": row.id, "a": row.head_revision_id}) for row in rows]
        return _first([state.Detail(row.name, (way,)) for row, way in zip(rows, ways, strict=True)])
    return _details(rows, stand) if refusal.fix else ()  # nothing is to be done about the others


def _details(rows: Sequence[ProblemsetRow], stand: Mapping[int, Standing]) -> tuple[state.Detail, ...]:
    """Return a line about each of the first rows: which problems fail, which comments are open, and the ways there.

    Args:
        rows: The sets.
        stand: How their newest revisions stand, by the revision's id; of one that is not there nothing is told.
    """
    nothing = Standing()
    shown = [_detail(row, stand.get(row.head_revision_id, nothing)) for row in rows[:MAX_DETAILS]]
    return _first([*shown, *(state.Detail(row.name) for row in rows[MAX_DETAILS:])])


def _first(details: Sequence[state.Detail]) -> tuple[state.Detail, ...]:
    more = len(details) - MAX_DETAILS
    return (*details[:MAX_DETAILS], *([state.Detail(f"and {plural(more, 'more set')}")] if more > 0 else []))


def _detail(row: ProblemsetRow, standing: Standing) -> state.Detail:
    comments, cells = _talk(row)
    told = "; ".join(part for part in (_failing(standing), open_words(comments, cells)) if part)
    numbers = {each.problem_id: each.index for each in standing.failing[:MAX_NUMBERS] if failing_words(standing)}
    commented = {each.problem for each in comments if each.resolved_at is None}
    numbers |= dict([(cell.key, cell.number) for cell in cells if cell.is_problem and cell.key in commented][:MAX_TALK])
    ways = [
        state.Link(f"Problem {number}", "editor", {"set": row.id, "pid": key})
        for key, number in sorted(numbers.items(), key=lambda each: each[1])
    ]
    way = state.Link("Open the set", "problemset", {"set": row.id})
    return state.Detail(f"{row.name}: {told}" if told else row.name, (*ways, way))


def _failing(standing: Standing) -> str:
    words = failing_words(standing)
    if not words:
        return ""
    first = standing.failures[0]
    reason = first.what if len(standing.failing) <= 1 else str(first)
    return f"{words}: {reason}" + (" (the dry run is stale)" if standing.stale else "")


def _talk(row: ProblemsetRow) -> tuple[Sequence[Comment], Sequence[DocumentCell]]:
    if not row.open_comments:
        return (), ()
    head = revisions.find(workspace(), row.head_revision_id)
    return list_comments(workspace(), row.id), cells_of(row.name, head.text)


def _standings(rows: Sequence[ProblemsetRow]) -> dict[int, Standing]:
    return standings(workspace(), [row.head_revision_id for row in rows], environment()) if rows else {}
