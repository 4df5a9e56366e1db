"""The list of seeds, and sketching on them."""

from collections.abc import Sequence
from typing import Final

import streamlit as st

from authoring.prompting.sketch_fields import LEVELS
from authoring.store import jobs
from authoring.store.drafting.seeds import Seed
from authoring.store.drafting.sketches import Sketch
from authoring.store.people import Role
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import writes
from authoring.ui.jobs import order
from authoring.ui.model_setup import AUTHORS, author_help
from authoring.ui.seeds.author_options import (
    LANGUAGES,
    author_options_of,
    draw_author_options,
    draw_language,
    draw_name,
    fill_author,
    language_of,
    name_of,
)
from authoring.ui.seeds.making import draw_making
from authoring.ui.seeds.order_results import again_button, draw_made_job
from authoring.ui.seeds.seed_form import draw_add_box
from authoring.ui.shell.auth import current_user
from authoring.ui.shell.navigation import page_link
from authoring.ui.widgets import PAGE_SIZE, draw_empty, draw_pager
from authoring.ui.wording import ago, label, plural, size_words
from authoring.ui.workplace import workspace

DIFFICULTY: Final = ("mix", *LEVELS)
ROW: Final = (4, 3, 3)


def draw_datasets(ws: Workspace, seeds: Sequence[Seed]) -> None:
    """Draw the form for a new seed, what became of the newest, and the list."""
    draw_add_box(ws, [seed.name for seed in seeds])
    draw_making(ws)
    if not seeds:
        draw_empty("There is no seed yet", "Add a CSV, TSV, JSON, Parquet or Excel file above.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        words = st.text_input(
            "Search seeds", key="seeds:words", placeholder="name, title, column, licence", width=320, live=True,
            persist_state="session",
        )  # fmt: skip
        st.caption(plural(len(seeds), "seed"), width="content")
    found = sorted((seed for seed in seeds if _holds(seed, words or "")), key=_shown_name)
    slot = st.container()
    offset = draw_pager(len(found), key="seeds:page")
    with slot:
        if found:
            draw_seed_rows(found[offset : offset + PAGE_SIZE])
        else:
            draw_empty("No seed has these words", "Clear the search, or try fewer of them.")


def _holds(seed: Seed, words: str) -> bool:
    """Return whether every word occurs in what is stated about a seed, or in the names of its files and columns."""
    tables = (seed.profile or {}).get("tables") or []
    columns = [str(column.get("name")) for table in tables for column in table.get("columns") or []]
    stated = (seed.name, seed.title, seed.description, seed.licence, seed.source_url)
    whole = " ".join([*stated, *(file.name for file in seed.files), *columns]).casefold()
    return all(word in whole for word in words.casefold().split())


def _shown_name(seed: Seed) -> str:
    return (seed.title or seed.name).casefold()


def draw_seed_rows(seeds: Sequence[Seed]) -> None:
    """Draw one line per seed."""
    with st.container(border=True, gap="small"):
        for seed in seeds:
            name, tables, licence = st.columns(ROW, vertical_alignment="center")
            with name:
                page_link("seeds", f"**{label(seed.title or seed.name)}**", icon=":material/table_chart:", seed=seed.id)
            tables.caption(_table_facts(seed))
            licence.caption(f":material/license: {label(seed.licence or 'licence not recorded', limit=60)}")


def _table_facts(seed: Seed) -> str:
    size = size_words(sum(file.size_bytes for file in seed.files))
    tables = (seed.profile or {}).get("tables") or []
    if not tables:
        return f"{plural(len(seed.files), 'file')} · {size} · not profiled yet"
    rows = sum(int(table.get("rows") or 0) for table in tables)
    return f"{plural(len(tables), 'table')} · {plural(rows, 'row')} · {size}"


def draw_sketch_form(ws: Workspace, seed: Seed) -> None:
    """Draw what is needed to sketch problems on a seed, and what became of the newest such order."""
    key = f"sketch:{seed.id}"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox("Author", AUTHORS, key=f"{key}:author", help=author_help(), width=220, on_change="ignore")
        st.number_input(
            "Random seed", 0, 2**31 - 1, key=f"{key}:rng_seed", width=160, help="Same seed, same sketch.",
            on_change="ignore",
        )  # fmt: skip
        st.selectbox(
            "Difficulty", DIFFICULTY, key=f"{key}:difficulty", width=150, on_change="ignore",
            help="What the template author favours, as measured on the reference code; mix goes from easy to hard.",
        )  # fmt: skip
        draw_language(key)
        draw_name(key, "as the seed, numbered")
        draw_author_options(key, mix=True)
        st.button(
            "Sketch problems",
            key=f"{key}:send",
            type="primary",
            icon=":material/draw:",
            disabled=seed.profile is None,
            help=None if seed.profile else "The seed has no profile yet.",
            on_click=sketch,
            args=(seed.id,),
        )
    draw_made_job(ws, key, draw_again=again_button(change_sketch))


@writes(Role.MAINTAINER)
def change_sketch(job_id: int) -> None:
    """Fill the form of a seed's sketches with what a job was ordered with."""
    job = jobs.find(workspace(), job_id)
    key, ordered = str(job.key), job.payload
    state.put_widget_value(f"{key}:difficulty", ordered.get("difficulty") or DIFFICULTY[0])
    state.put_widget_value(f"{key}:language", ordered.get("language") or next(iter(LANGUAGES)))
    state.put_widget_value(f"{key}:rng_seed", int(ordered.get("rng_seed") or 0))
    fill_author(job)


@writes(Role.MAINTAINER)
def sketch(seed_id: int) -> None:
    """Order a sketch."""
    key = f"sketch:{seed_id}"
    author = str(state.widget_value(f"{key}:author") or AUTHORS[0])
    order(
        "sketch",
        {
            "seed": seed_id,
            "author": author,
            "rng_seed": int(state.widget_value(f"{key}:rng_seed") or 0),
            "difficulty": str(state.widget_value(f"{key}:difficulty") or DIFFICULTY[0]),
            "language": language_of(key),
            "name": name_of(key),
            "created_by": current_user(),
            **(author_options_of(key, mix=True) if author == "model" else {}),
        },
        key=key,
    )


def draw_sketch_rows(sketches: Sequence[Sketch]) -> None:
    """Draw one line per sketch, newest first."""
    if not sketches:
        draw_empty("No sketch yet", "Press Sketch problems above: a sketch lists queries without code.")
    for sketch_row in sorted(sketches, key=lambda each: -each.id):
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            page_link("seeds", f"**{label(sketch_row.name)}**", icon=":material/draw:", sketch=sketch_row.id)
            st.caption(
                f"{plural(len(sketch_row.items), 'problem')} · {label(sketch_row.author)} author · "
                f"{ago(sketch_row.created_at)}",
                width="content",
            )
