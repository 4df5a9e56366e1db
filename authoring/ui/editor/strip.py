"""The strip above the editor's action bar: all that comes and goes while one works. Nothing above it ever moves."""

from collections.abc import Mapping
from typing import Final

import streamlit as st

from authoring.store.jobs import Job
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import ANYONE, show_message, writes
from authoring.ui.editor.draft_view import Composed
from authoring.ui.editor.editing import OpenDraft, UnsoundTextError, error_of_text
from authoring.ui.problemset.deciding import draw_sent_back
from authoring.ui.problemset.overview import draw_live_jobs
from authoring.ui.queue.leasing import draw_lease_notice
from evaluator.language.document_cells import DocumentCell

REASON_CHARACTERS: Final = 300  # of why a set was sent back: two lines of the strip; its own page says all


def draw_strip(
    ws: Workspace, opened: OpenDraft, cell: DocumentCell, composed: Composed, jobs: Mapping[str, Job]
) -> None:
    """Draw the last action's messages, why the set was sent back, a claim's near end, and the jobs on the problem.

    It stands in the bar at the bottom of the window: what appears here covers the end of a long page, which can be
    scrolled, and leaves the editors where they are.
    """
    with st.container(key="strip", gap="xsmall"):
        if state.param("pid") not in (None, cell.key):
            st.info("There is no such problem in this set any more; this is its first one.")
        _draw_messages(opened, cell, composed, jobs)
        draw_sent_back(opened.row, limit=REASON_CHARACTERS)
        draw_lease_notice(ws, opened.row)
        draw_live_jobs(jobs, opened, cell)


def _draw_messages(opened: OpenDraft, cell: DocumentCell, composed: Composed, jobs: Mapping[str, Job]) -> None:
    """Draw what was said last; it goes with the next action, when its cause ends, or when somebody closes it."""
    error = error_of_text(opened, composed)

    def is_over(notice: state.Notice) -> bool:
        return notice.cause == UnsoundTextError.__name__ and (error is None or notice.what != error.what)

    live = [key for key, job in jobs.items() if job.live]
    messages = state.standing_notices((opened.row.id, cell.key), jobs=live, is_over=is_over)
    if not messages:
        return
    with st.container(key="strip_messages", horizontal=True, gap="xsmall"):
        with st.container(gap="xsmall"):
            for message in messages:
                show_message(message)
        st.button("Close", key="strip:close", icon=":material/close:", type="tertiary", on_click=close_messages)


@writes(ANYONE)
def close_messages() -> None:
    """Put the messages of the strip away."""
    state.drop_notices()
