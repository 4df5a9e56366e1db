"""Adding seeds and sketching on them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import streamlit as st

from authoring.prompting.sketch_fields import LEVELS
from authoring.store.drafting.seeds import Seed
from authoring.store.drafting.sketches import Sketch
from authoring.store.people import Role
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import writes
from authoring.ui.inputs.typed_text import sent, typed_line
from authoring.ui.jobs import order
from authoring.ui.model_setup import AUTHORS, author_help
from authoring.ui.seeds.author_options import (
    author_options_of,
    draw_author_options,
    draw_language,
    draw_name,
    language_of,
    name_of,
)
from authoring.ui.seeds.making import draw_making
from authoring.ui.seeds.order_results import draw_made_job
from authoring.ui.shell.auth import current_user
from authoring.ui.shell.navigation import page_link
from authoring.ui.widgets import PAGE_SIZE, draw_empty, draw_pager
from authoring.ui.wording import ago, label, plural, size_words
from authoring.ui.workplace import workspace
from evaluator.errors import ContentError
from evaluator.language.file_kinds import KIND_OF_SUFFIX

FILE_TYPES: Final = [*(suffix.removeprefix(".") for suffix in KIND_OF_SUFFIX), "zip"]
DIFFICULTY: Final = ("mix", *LEVELS)
TEXTS: Final = ("name", "title", "licence", "source", "description", "published_on", "popularity")
ROW: Final = (4, 3, 3)
FORM: Final = "seed_add"  # and the key of its job


def draw_add_form() -> None:
    """Draw the fields of a new seed; the files are read by the worker, in the sandbox."""
    round_no = state.recall("seed:round", 0)
    st.file_uploader(
        "Data files",
        type=FILE_TYPES,
        accept_multiple_files=True,
        key=f"{FORM}:files:{round_no}",
        help="CSV, TSV, JSON, JSON Lines, Parquet, Excel or pictures, UTF-8, up to 200 MB each; or one .zip of them, "
        "with a notebook and a card seed.yaml if you like.",
    )
    name, licence = st.columns(2)
    with name:
        typed_line("Name", f"{FORM}:name", placeholder="letters, digits, - _ .", help="How commands call it.")
    with licence:
        typed_line("Licence", f"{FORM}:licence", placeholder="for example CC-BY-4.0")
    source, notebook = st.columns(2)
    with source:
        typed_line("Source address", f"{FORM}:source", placeholder="where the data comes from")
    notebook.file_uploader(
        "Notebook (optional)",
        type=["ipynb"],
        key=f"{FORM}:notebook:{round_no}",
        help="Its code and text give the author ideas. It is not executed.",
    )
    published, popularity = st.columns(2)
    with published:
        typed_line("Published on", f"{FORM}:published_on", placeholder="2024-05-01")
    with popularity:
        typed_line("Popularity", f"{FORM}:popularity", placeholder="for example 1,200 votes")
    typed_line("Title", f"{FORM}:title", placeholder="one line that names the data")
    typed_line("Description", f"{FORM}:description", placeholder="what one row stands for, units")
    st.toggle(
        "A program made the data", key=f"{FORM}:synthetic", on_change="ignore",
        help="Synthetic data are marked so wherever they are described.",
    )  # fmt: skip
    st.button("Add the seed", key=f"{FORM}:send", type="primary", icon=":material/add:", on_click=add)


@writes(Role.MAINTAINER)
def add() -> None:
    """Store the uploaded bytes and order the job that reads and profiles them."""
    round_no = state.recall("seed:round", 0)
    uploads = state.widget_value(f"{FORM}:files:{round_no}") or []
    if not uploads:
        raise ContentError("no data file was chosen", where="Add a dataset", fix="choose at least one file")
    name = str(state.widget_value(f"{FORM}:name") or "").strip() or Path(uploads[0].name).stem
    ws = workspace()
    notebook = state.widget_value(f"{FORM}:notebook:{round_no}")
    order(
        "seed_add",
        {
            "name": name,
            "files": [{"name": upload.name, "digest": ws.put_bytes(upload.getvalue())} for upload in uploads],
            "notebook": {"name": notebook.name, "digest": ws.put_bytes(notebook.getvalue())} if notebook else None,
            "title": str(state.widget_value(f"{FORM}:title") or ""),
            "synthetic": bool(state.widget_value(f"{FORM}:synthetic")),
            "description": str(state.widget_value(f"{FORM}:description") or ""),
            "source_url": str(state.widget_value(f"{FORM}:source") or ""),
            "licence": str(state.widget_value(f"{FORM}:licence") or ""),
            "published_on": str(state.widget_value(f"{FORM}:published_on") or ""),
            "popularity": str(state.widget_value(f"{FORM}:popularity") or ""),
            "created_by": current_user(),
        },
        key="seed_add",
    )
    state.remember("seed:round", round_no + 1)
    sent(*(f"{FORM}:{field}" for field in TEXTS))


def draw_datasets(ws: Workspace, seeds: Sequence[Seed]) -> None:
    """Draw the form for a new seed, what became of the newest, and the list."""
    with st.expander("Add a dataset", icon=":material/add:", expanded=not seeds):
        draw_add_form()
    draw_made_job(ws, FORM)
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
    found = [seed for seed in seeds if _holds(seed, words or "")]
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


def draw_seed_rows(seeds: Sequence[Seed]) -> None:
    """Draw one line per seed."""
    with st.container(border=True, gap="small"):
        for seed in seeds:
            name, tables, licence = st.columns(ROW, vertical_alignment="center")
            with name:
                page_link("seeds", f"**{label(seed.title or seed.name)}**", icon=":material/table_chart:", seed=seed.id)
            tables.caption(_table_facts(seed))
            licence.caption(f":material/copyright: {label(seed.licence or 'licence not recorded', limit=60)}")


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
    draw_made_job(ws, key)


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
