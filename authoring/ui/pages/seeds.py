"""Seeds: datasets with their profiles, sketches on them, and drafts of those sketches."""

import streamlit as st

from authoring.store.drafting.seeds import find_seed, list_seeds
from authoring.store.drafting.sketches import find_sketch, list_sketch_revisions, list_sketches
from authoring.ui import state
from authoring.ui.inputs.typed_text import keep_typed_text
from authoring.ui.seeds.item_comments import draw_sketch_comments, draw_versions
from authoring.ui.seeds.meaning_view import draw_meanings
from authoring.ui.seeds.order_results import draw_import_file
from authoring.ui.seeds.personal_view import draw_personal
from authoring.ui.seeds.plots import draw_covered, draw_notebook, draw_plots
from authoring.ui.seeds.rows_view import draw_rows
from authoring.ui.seeds.seed_view import draw_care, draw_profile, draw_seed_facts, draw_source_files
from authoring.ui.seeds.seeding import draw_datasets, draw_sketch_form, draw_sketch_rows
from authoring.ui.seeds.sketch_table import draw_items
from authoring.ui.seeds.sketches import draw_draft_form, draw_drafts, sketch_in_words
from authoring.ui.seeds.topics import draw_topics
from authoring.ui.shell.navigation import page_link
from authoring.ui.widgets import draw_tabs
from authoring.ui.wording import label
from authoring.ui.workplace import workspace

ws = workspace()
sketch_ref, seed_ref = state.param("sketch"), state.param("seed")

if sketch_ref is not None:
    sketch = find_sketch(ws, sketch_ref)
    seed = find_seed(ws, sketch.seed_id)
    page_link("seeds", f"**{label(seed.name)}**", icon=":material/arrow_back:", seed=seed.id)
    st.title(f"Sketch {label(sketch.name)}", anchor=False)
    st.caption(sketch_in_words(sketch))
    draw_draft_form(ws, sketch)
    draw_items(sketch)
    draw_tabs(
        f"tabs:sketch:{sketch.id}",
        {
            "Comments": lambda: draw_sketch_comments(ws, sketch),
            "Drafts": lambda: draw_drafts(ws, seed.id, sketch.id),
            "Versions": lambda: draw_versions(sketch.id, list_sketch_revisions(ws, sketch.id)),
        },
    )
elif seed_ref is not None:
    seed = find_seed(ws, seed_ref)
    page_link("seeds", "All seeds", icon=":material/arrow_back:")
    st.title(label(seed.title or seed.name), anchor=False)
    draw_seed_facts(seed)
    draw_care(seed)
    draw_personal(ws, seed)
    draw_sketch_form(ws, seed)
    draw_tabs(
        f"tabs:seed:{seed.id}",
        {
            "Profile": lambda: draw_profile(seed),
            "Rows": lambda: draw_rows(ws, seed),
            "Meaning": lambda: draw_meanings(ws, seed),
            "Plots": lambda: draw_plots(seed),
            "Sketches": lambda: draw_sketch_rows(list_sketches(ws, seed.id)),
            "Drafts": lambda: draw_drafts(ws, seed.id),
            "Covered": lambda: draw_covered(ws, seed, list_sketches(ws, seed.id)),
            "Notebook": lambda: draw_notebook(ws, seed),
            "Files": lambda: draw_source_files(seed),
        },
    )
else:
    st.title("Seeds & ideas", anchor=False)
    st.caption("A seed is raw material: a dataset, perhaps a notebook about it. Problems are sketched on its profile.")
    seeds = list_seeds(ws)
    draw_tabs(
        "tabs:seeds",
        {
            "Datasets": lambda: draw_datasets(ws, seeds),
            "Topics": lambda: draw_topics(ws, seeds),
            "Import a file": lambda: draw_import_file(ws, seeds),
        },
    )
keep_typed_text()
