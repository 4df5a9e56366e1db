"""Releases: what blocks the next one, what was made so far, one release with its card and its differences."""

import streamlit as st

from authoring.release import GateStanding, release_gate
from authoring.store.jobs import find_latest_of_all
from authoring.store.releases import find as find_release
from authoring.store.releases import select as list_releases
from authoring.ui import state
from authoring.ui.boundary import end_page
from authoring.ui.releases import family_importing, releasing
from authoring.ui.releases.family_importing import draw_import_family, draw_imported_families
from authoring.ui.releases.gating import draw_gate, draw_preview
from authoring.ui.releases.releasing import (
    draw_create_form,
    draw_import_benchmark,
    draw_imported_benchmark,
    draw_release,
    draw_release_job,
    draw_release_row,
)
from authoring.ui.shell.navigation import page_link
from authoring.ui.widgets import draw_empty
from authoring.ui.wording import label, plural
from authoring.ui.workplace import workspace

ws = workspace()
release_id = state.int_param("release")
if release_id is not None:
    release = find_release(ws, release_id)
    page_link("releases", "All releases", icon=":material/arrow_back:")
    st.title(f"{label(release.name)} {label(release.version)}", anchor=False)
    draw_release(ws, release, list_releases(ws))
    end_page()

gate, releases = release_gate(ws), list_releases(ws)
accepted = [row.evidence for row in gate if row.standing is not GateStanding.LEFT_OUT]
standings = [row.standing for row in gate]
blocking, waiting = standings.count(GateStanding.BLOCKS), standings.count(GateStanding.LEFT_OUT)

st.title("Releases", anchor=False)
st.caption("A release is a folder that runs by itself: problemsets, their data, a manifest, checksums and a card.")

if accepted:
    draw_create_form(accepted, releases)
else:
    draw_empty(
        "Nothing can be released yet",
        f"A release holds accepted problemsets only. Not accepted yet: {plural(waiting, 'problemset')}.",
    )
    page_link("queue", "Go to the queue", icon=":material/inbox:")
if blocking:
    st.error(f"{plural(blocking, 'accepted problemset')} must be put right before a release can be made.")
draw_release_job(ws)
with st.container(horizontal=True):
    draw_import_benchmark()
    draw_import_family()
newest = find_latest_of_all(ws, (releasing.KEY, family_importing.KEY))
draw_imported_benchmark(ws, newest.get(releasing.KEY))
draw_imported_families(ws, newest.get(family_importing.KEY))
if accepted and not blocking:
    typed = (str(state.widget_value(f"release:{field}") or "").strip() for field in ("name", "version", "licence"))
    draw_preview(ws, *typed, chosen=releasing.chosen_sets())

if gate:
    st.header("Before the next release", anchor=False)
    draw_gate(ws, gate, releasing.chosen_sets())
if releases:
    st.header("Made so far", anchor=False)
for release in sorted(releases, key=lambda each: -each.id)[:100]:
    draw_release_row(release)
