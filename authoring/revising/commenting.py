"""Comment on a problemset by the names that people use."""

from authoring.revising.aligning import place_cells
from authoring.revising.editing import find_problem
from authoring.store import Workspace, add_comment, find_revision, resolve_comment
from evaluator.errors import UsageError


def comment_on(
    ws: Workspace, ref: str | int, text: str, *, kind: str, problem: str | None, by: str, blocking: bool = False
) -> int:
    """Keep a comment on a revision (a problemset's name means its head) and return its id.

    Raises:
        UsageError: If there is no such revision, problem or kind.
        ContentError: If the text is empty.
    """
    revision = find_revision(ws, ref)
    about = None
    if problem is not None:
        about = find_problem(place_cells(revision.problemset_name, revision.text), problem).key
    return add_comment(ws, revision_id=revision.id, author=by, text=text, kind=kind, problem=about, blocking=blocking)


def resolve_numbered(ws: Workspace, number: str, *, by: str) -> int:
    """Resolve the comment of that number and return it.

    Raises:
        UsageError: If it is no number, or there is no such comment.
    """
    if not (number.isascii() and number.isdigit()):
        raise UsageError(f"{number!r} is no number of a comment", fix="list them: benchwright comments NAME")
    resolve_comment(ws, int(number), by=by)
    return int(number)
