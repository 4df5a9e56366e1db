"""Open comments in words, for whoever is about to decide on their set."""

from collections.abc import Sequence
from typing import Final

from authoring.store.reviewing.reviews import Comment
from authoring.ui.wording import plural
from evaluator.language.document_cells import DocumentCell

MAX_NAMED: Final = 3


def open_words(comments: Sequence[Comment], cells: Sequence[DocumentCell]) -> str:
    """Return `1 open comment, by Ada on problem 9`; empty when none is open. `cells`: of the set, as it is now."""
    found = [comment for comment in comments if comment.resolved_at is None]
    if not found:
        return ""
    labels = {cell.key: cell.label.lower() for cell in cells}
    named = [f"by {each.author or 'somebody'} on {_place(each, labels)}" for each in found[:MAX_NAMED]]
    more = [f"and {len(found) - MAX_NAMED} more"] if len(found) > MAX_NAMED else []
    return ", ".join([plural(len(found), "open comment"), *named, *more])


def _place(comment: Comment, labels: dict[str, str]) -> str:
    return "the whole set" if comment.problem is None else labels.get(comment.problem, comment.problem)
