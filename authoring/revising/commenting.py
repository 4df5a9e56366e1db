"""Comment on a problemset by the names that people use."""

from authoring.store import revisions
from authoring.store.people import list_people
from authoring.store.reviewing.mentions import find_mentions
from authoring.store.reviewing.reviews import add_comment, resolve_comment
from authoring.store.revisions import Revision
from authoring.store.workspace import Workspace
from evaluator.errors import UsageError


def comment_on(
    ws: Workspace,
    ref: str | int,
    text: str,
    *,
    kind: str,
    problem: str | None,
    by: str,
    line: int | None = None,
    blocking: bool = False,
) -> int:
    """Keep a comment on a revision (a problemset's name means its head) and return its id.

    Whom its text names with @ is kept as mentioned.

    Raises:
        UsageError: If there is no such revision, problem, kind or line.
        ContentError: If the text is empty.
    """
    revision = revisions.find(ws, ref)
    about = None
    if problem is not None:
        about = revision.document().find_problem(problem).key
    if line is not None:
        about = _cell_at(revision, line, about)
    return add_comment(
        ws,
        revision_id=revision.id,
        author=by,
        text=text,
        kind=kind,
        problem=about,
        line=line,
        blocking=blocking,
        people=list_people(ws),
    )


def unknown_names(ws: Workspace, text: str) -> tuple[str, ...]:
    """Return the names after @ in a text that belong to nobody in the workspace: nobody is told of them."""
    return find_mentions(text, list_people(ws)).unknown


def _cell_at(revision: Revision, line: int, about: str | None) -> str | None:
    """Return the key of the cell that holds a line; it must be the one that is named, if one is."""
    found = revision.document().cell_on(line)
    at = None if found is None else found.key
    if not 1 <= line <= revision.text.count("\n") + 1 or (about is not None and at != about):
        inside = f" within {about}" if about is not None else ""
        fix = "count the lines of the revision's file from 1"
        raise UsageError(f"there is no line {line}{inside}", where=revision.problemset_name, fix=fix)
    return at


def resolve_numbered(ws: Workspace, number: str, *, by: str) -> int:
    """Resolve the comment of that number and return it.

    Raises:
        UsageError: If it is no number, or there is no such comment.
    """
    if not (number.isascii() and number.isdigit()):
        raise UsageError(f"{number!r} is no number of a comment", fix="list them: benchwright comments NAME")
    resolve_comment(ws, int(number), by=by)
    return int(number)
