"""Editor: one problem of a set; left its texts, right what executing it shows, below what can be done."""

import streamlit as st

from authoring.checks.standing import standing_of
from authoring.store import dry_runs, problemsets
from authoring.store.reviewing.reviews import list_comments
from authoring.ui import state
from authoring.ui.boundary import end_page
from authoring.ui.comments.line_comments import notes_of, places_of
from authoring.ui.editor.action_bar import draw_action_bar
from authoring.ui.editor.draft_view import compose, digests
from authoring.ui.editor.editing import load_draft, note_shown, shown_cell
from authoring.ui.editor.evidence import changed_since, evidence_of, known_of, load_runs
from authoring.ui.editor.family.family_form import draw_family
from authoring.ui.editor.fields import draw_fields
from authoring.ui.editor.rail import draw_header, draw_rail, passing_of
from authoring.ui.editor.reviewed import ticks_on
from authoring.ui.editor.setting_fields import draw_setting_fields
from authoring.ui.editor.stray_texts import draw_strays
from authoring.ui.editor.strip import draw_strip
from authoring.ui.editor.tabs import RightSide
from authoring.ui.problemset.overview import is_pending, jobs_on_set
from authoring.ui.shell.auth import current_user
from authoring.ui.shell.navigation import page_link
from authoring.ui.standing import ChangedSince
from authoring.ui.widgets import draw_empty
from authoring.ui.workplace import environment, workspace

reference = state.param("set")
if reference is None:
    draw_empty("No problemset is chosen", "Pick one in the queue, or press N there.")
    page_link("queue", "Go to the queue", icon=":material/inbox:")
    end_page()

ws = workspace()
row = problemsets.find(ws, reference)
opened = load_draft(ws, row)
draft = opened.draft
cell = shown_cell(opened) or next(iter(draft.problems), None)
note_shown(opened)
if cell is None:
    draw_empty("This problemset has no problem that can be shown", "Repair its text on the problemset's page.")
    page_link("problemset", "Go to the problemset", icon=":material/menu_book:", set=row.id)
    end_page()

jobs = jobs_on_set(ws, opened, cell)  # before what they make
dry_run = dry_runs.latest(ws, row.head_revision_id)
standing = standing_of(ws, row.head_revision_id, environment())
runs = load_runs(ws, row.id, current_user(), cell.key)
known = known_of(ws, draft, standing, runs, dry_run)
now = digests(draft)
evidence = {each.key: evidence_of(each, known, now) for each in draft.cells}
comments = list_comments(ws, row.id)
places = places_of(ws, opened, cell, comments)
composed = compose(draft)

passing = passing_of(opened, evidence, standing, known.unchanged(now))
since = ChangedSince(changed_since(draft, standing, known), is_pending(jobs, opened))
draw_header(opened, cell, standing, composed, ticks_on(ws, opened), passing, since)
draw_rail(opened, cell, passing, {each.problem for each in comments if each.problem and not each.resolved_at}, since)
left, right = st.columns((5, 6), gap="medium")  # all tabs fit beside a sidebar at 1280 pixels
choices = right.container()  # what conflicts ask stands beside the editors, which it must not move
with choices:
    draw_strays(opened)
with left:
    draw_fields(opened, cell, composed, notes_of(opened, cell, comments, places), choices)
    draw_setting_fields(opened, cell)
    draw_family(opened, cell)
with right:
    RightSide(ws, opened, cell, composed, evidence[cell.key], dry_run, now, comments, places, jobs).draw()
with st.bottom:
    draw_strip(ws, opened, cell, composed, jobs)
    draw_action_bar(opened, cell, standing, comments)
