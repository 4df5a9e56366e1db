"""What people say about a problemset: how much of which kind, what is open on which problem, and on the whole set."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

import streamlit as st

from authoring.store.reviewing.reviews import Comment
from authoring.store.revisions import Revision
from authoring.store.statuses import CommentKind
from authoring.ui.comments.comment_threads import draw_comment
from authoring.ui.drawing.row_tables import bars_html
from authoring.ui.editor.results import draw_comments, newest_first
from authoring.ui.inputs.typed_text import keep_typed_text
from authoring.ui.shell.navigation import page_link
from authoring.ui.widgets import THREADS_A_PAGE, draw_pager
from authoring.ui.wording import label, plural
from evaluator.language.document_cells import DocumentCell

LEAST_CHARTED: Final = 5  # comments: of fewer a chart says no more than the list
WITH_FORMS: Final = ("Whole text", "Suggestions", "Refine", "Reuse")
STATES: Final = {"blocking": "#cf2a29", "open": "#a95b06", "resolved": "#027c81"}  # 3:1 on white and on black


def draw_talk(comments: Sequence[Comment], revision: Revision, cells: Sequence[DocumentCell]) -> None:
    """Draw all comments on a problemset, of which `cells` say how its problems are numbered."""
    keep_typed_text()
    counts = count_by_kind(comments)
    unresolved = sum(comment.resolved_at is None for comment in comments)
    st.markdown(f"**{plural(unresolved, 'open comment')}** of {len(comments):,}")
    if len(comments) >= LEAST_CHARTED:
        st.html(bars_html("Comments by kind", counts, STATES))
    on_problems = [comment for comment in comments if comment.problem and not comment.resolved_at]
    if on_problems:
        st.markdown("**Open on problems**")
    labels = {cell.key: f"{cell.label}, " for cell in cells}
    offset = draw_pager(len(on_problems), key=f"talk:{revision.problemset_id}:page", size=THREADS_A_PAGE)
    for comment in newest_first(on_problems)[offset : offset + THREADS_A_PAGE]:
        page_link(
            "editor",
            f"{labels.get(comment.problem or '', '')}{label(comment.problem or '')}",
            icon=":material/edit:",
            set=revision.problemset_id,
            pid=comment.problem,
        )
        draw_comment(comment)
    st.markdown("**On the whole set**")
    draw_comments(comments, revision, None)


def count_by_kind(comments: Sequence[Comment]) -> dict[str, dict[str, int]]:
    """Return kind -> blocking, open or resolved -> comments, without zeros, in the order of the kinds."""
    counts = Counter((comment.kind, _state(comment)) for comment in comments)
    found = {kind: {state: counts[kind, state] for state in STATES if counts[kind, state]} for kind in CommentKind}
    return {kind.replace("_", " "): states for kind, states in found.items() if states}


def _state(comment: Comment) -> str:
    if comment.resolved_at:
        return "resolved"
    return "blocking" if comment.blocking else "open"
