"""Correcting what is stated about a seed, and removing one that nothing was made of."""

from typing import Final

import streamlit as st

from authoring.store import Role, Seed, delete_seed, describe_seed, find_seed
from authoring.ui import state
from authoring.ui.boundary import writes
from authoring.ui.inputs.typed import sent, typed_line
from authoring.ui.navigation import go
from authoring.ui.wording import label
from authoring.ui.workplace import workspace

FIELDS: Final = {
    "name": ("Name", "how commands call it"),
    "title": ("Title", "how lists call it"),
    "description": ("Description", "what one row stands for, units"),
    "licence": ("Licence", "for example CC-BY-4.0"),
    "source_url": ("Source address", "where the data comes from"),
    "published_on": ("Published on", "2024-05-01"),
    "popularity": ("Popularity", "for example 1,200 votes"),
}


def draw_care(seed: Seed) -> None:
    """Draw the fields to correct, and the button that removes the seed."""
    with st.container(horizontal=True):
        with st.popover("Correct", icon=":material/edit:", width="content"):
            for field, (title, example) in FIELDS.items():
                key = _key(seed.id, field)
                typed_line(title, key, getattr(seed, field), placeholder=example, width=440)
            st.button("Save", key=f"seed:{seed.id}:correct", type="primary", on_click=correct, args=(seed.id,))
        with st.popover("Remove", icon=":material/delete:"):
            st.markdown(f"Remove **{label(seed.name)}**? It is kept while a sketch, a problemset or a plan uses it.")
            st.button("Remove the seed", key=f"seed:{seed.id}:remove", on_click=remove, args=(seed.id,))


@writes(Role.MAINTAINER)
def correct(seed_id: int) -> None:
    """Store the corrected fields."""
    seed = find_seed(workspace(), seed_id)
    texts = {field: str(state.widget_value(_key(seed_id, field), "") or "").strip() for field in FIELDS}
    changed = {field: text for field, text in texts.items() if text != getattr(seed, field)}
    if not changed:
        state.flash("info", "nothing to save: no field was changed")
        return
    describe_seed(workspace(), seed_id, **changed)
    sent(*(_key(seed_id, field) for field in FIELDS), shown=None)
    state.flash("success", f"corrected: {', '.join(FIELDS[field][0].lower() for field in changed)}")


@writes(Role.MAINTAINER)
def remove(seed_id: int) -> None:
    """Remove a seed; refused with its users named."""
    gone = delete_seed(workspace(), seed_id)
    state.flash("success", f"removed the seed {gone.name}")
    go("seeds")


def _key(seed_id: int, field: str) -> str:
    return f"seed:{seed_id}:{field}"
