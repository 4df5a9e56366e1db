"""The strip above the editor's action bar: all that comes and goes while one works. Nothing above it ever moves."""

from collections.abc import Mapping

import streamlit as st

from authoring.store.jobs import Job
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import show_message
from authoring.ui.editor.editing import OpenDraft
from authoring.ui.problemset.overview import draw_live_jobs
from authoring.ui.queue.leasing import draw_lease_notice
from evaluator.language.document_cells import DocumentCell


def draw_strip(ws: Workspace, opened: OpenDraft, cell: DocumentCell, jobs: Mapping[str, Job]) -> None:
    """Draw the messages of the last action, the end of a claim that is near, and the jobs at work on the problem.

    It stands in the bar at the bottom of the window: what appears here covers the end of a long page, which can be
    scrolled, and leaves the editors where they are.
    """
    with st.container(key="strip", gap="xsmall"):
        if state.param("pid") not in (None, cell.key):
            st.info("There is no such problem in this set any more; this is its first one.")
        for message in state.standing_notices((opened.row.id, cell.key)):
            show_message(message)
        draw_lease_notice(ws, opened.row)
        draw_live_jobs(jobs, opened, cell)
