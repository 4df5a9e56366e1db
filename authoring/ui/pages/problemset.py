"""Problemset: all cells of one set with their dry run, its whole text, comments and history."""

import streamlit as st

from authoring.checks.standing import standing_of
from authoring.store import problemsets, revisions
from authoring.store.reviewing import reviews
from authoring.ui import state
from authoring.ui.boundary import end_page
from authoring.ui.comments.comments_tab import comments_label
from authoring.ui.comments.set_comments import WITH_FORMS, draw_talk
from authoring.ui.editor.editing import load_draft, note_shown
from authoring.ui.editor.evidence import refine_key
from authoring.ui.editor.results import draw_history
from authoring.ui.problemset import overview
from authoring.ui.problemset.reusing import draw_reusing
from authoring.ui.problemset.suggesting import announce_suggestions, draw_refine_form, draw_suggestions
from authoring.ui.queue.leasing import draw_lease
from authoring.ui.shell.navigation import page_link
from authoring.ui.widgets import draw_chip, draw_diagnostics, draw_empty
from authoring.ui.wording import ago, author_words, label, plural, status_chip
from authoring.ui.workplace import environment, workspace

reference = state.param("set")
if reference is None:
    draw_empty("No problemset is chosen", "Pick one in the queue.")
    page_link("queue", "Go to the queue", icon=":material/inbox:")
    end_page()

ws = workspace()
row = problemsets.find(ws, reference)
opened = load_draft(ws, row)
note_shown(opened)
jobs = overview.jobs_on_set(ws, opened)  # before what they make
standing = standing_of(ws, row.head_revision_id, environment())
dry_run = None if standing.is_earlier else standing.dry_run  # light
comments = reviews.list_comments(ws, row.id)

page_link("queue", "Queue", icon=":material/arrow_back:")
with st.container(horizontal=True, vertical_alignment="center"):
    st.title(label(row.name), anchor=False, width="content")
    draw_chip(status_chip(row.status))
    overview.draw_set_standing(ws, opened, standing, jobs)
by, when = author_words(opened.revision.author, opened.revision.origin), ago(opened.revision.created_at)
st.caption(f"Revision {row.head_number} by {by}, {when} · {plural(row.problem_count, 'problem')}")
draw_lease(ws, row)
overview.draw_actions(opened, standing, comments)
overview.draw_live_jobs(jobs, opened)
draw_diagnostics(opened.draft.document.diagnostics)
suggestions = announce_suggestions(ws, row.id)

tabs_key = f"tabs:set:{row.id}"
said = comments_label(comments, tabs_key, forms=WITH_FORMS)
labels = ["Problems", "Whole text", "Checks", said, "Suggestions", "Refine", "Reuse", "History"]
cells, text, checks, talk, offered, refining, reuse, past = st.tabs(labels, key=tabs_key, on_change="rerun")
if cells.open:
    with cells:
        overview.draw_cells(opened, dry_run)
if text.open:
    with text:
        overview.draw_source(opened)
if checks.open:
    with checks:
        overview.draw_checks(opened, dry_run)
if talk.open:
    with talk:
        draw_talk(comments, opened.revision, opened.draft.cells)
if offered.open:
    with offered:
        draw_suggestions(ws, suggestions)
if refining.open:
    with refining:
        draw_refine_form(ws, opened, jobs.get(refine_key(row.id)))
if reuse.open:
    with reuse:
        draw_reusing(ws, opened)
if past.open:
    with past:
        draw_history(revisions.select(ws, row.id), reviews.list_decisions(ws, row.id), problem=None, problemset=row.id)
