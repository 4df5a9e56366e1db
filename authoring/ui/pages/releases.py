"""Releases: frozen sets of accepted problemsets, to download and to run."""

import streamlit as st

from authoring.store import accepted_revisions, count_by_status, list_releases
from authoring.ui.navigation import page_link
from authoring.ui.releasing import draw_create_form, draw_release, draw_release_job
from authoring.ui.widgets import draw_empty
from authoring.ui.wording import plural
from authoring.ui.workplace import workspace

ws = workspace()
accepted = accepted_revisions(ws)
counts = count_by_status(ws)
waiting = sum(count for status, count in counts.items() if status != "accepted")

st.title("Releases", anchor=False)
st.caption("A release is a folder that runs by itself: problemsets, their data, a manifest, checksums and a card.")

if accepted:
    draw_create_form(accepted)
else:
    draw_empty(
        "Nothing can be released yet",
        f"A release holds accepted problemsets only. Not accepted yet: {plural(waiting, 'problemset')}.",
    )
    page_link("queue", "Go to the queue", icon=":material/inbox:")
if waiting and accepted:
    st.caption(f"Not accepted yet, so not in it: {plural(waiting, 'problemset')}.")
draw_release_job(ws)

releases = list_releases(ws)
if releases:
    st.subheader("Made so far", anchor=False)
for release in sorted(releases, key=lambda each: -each.id):
    draw_release(release)
