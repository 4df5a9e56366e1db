"""A sketch on the screen: its items in a table that can be edited, and the way to a draft."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Final

import streamlit as st

from authoring.store import Sketch, SketchItem, find_sketch, save_sketch
from authoring.ui import state
from authoring.ui.auth import current_user
from authoring.ui.boundary import writes
from authoring.ui.jobs import order
from authoring.ui.modelinfo import AUTHORS, author_help, refuse_missing_model
from authoring.ui.workplace import workspace
from evaluator.errors import ContentError

MAX_ROWS: Final = 16  # shown at once; more scroll
DIFFICULTIES: Final = ("easy", "medium", "hard")


def draw_draft_form(sketch: Sketch) -> None:
    """Draw what is needed to draft a problemset from a sketch."""
    key = f"draft:{sketch.id}"
    start = sketch.author if sketch.author in AUTHORS else AUTHORS[0]
    state.start_widget_value(f"{key}:author", start)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox("Author", AUTHORS, key=f"{key}:author", help=author_help(), width=220, on_change="ignore")
        st.button(
            "Draft the problemset",
            key=f"{key}:send",
            type="primary",
            icon=":material/edit_document:",
            help="Writes query, reference code and validators for each item, and executes them.",
            on_click=draft,
            args=(sketch.id,),
        )


@writes
def draft(sketch_id: int) -> None:
    """Order a draft."""
    author = str(state.widget_value(f"draft:{sketch_id}:author") or AUTHORS[0])
    refuse_missing_model(author)
    order(
        "draft",
        {"sketch": sketch_id, "author": author, "created_by": current_user()},
        key=f"draft:{sketch_id}",
    )


def draw_items(sketch: Sketch) -> None:
    """Draw the items as a table to edit: change a query idea, drop a row, reorder by number."""
    st.caption("Edit a cell, untick a row to drop it, change numbers to reorder; then save.")
    key = _editor_key(sketch)
    st.data_editor(
        [_row(item) for item in sketch.items],
        key=key,
        hide_index=True,
        width="stretch",
        row_height=40,
        height=min(len(sketch.items), MAX_ROWS) * 40 + 42,
        column_config={
            "keep": st.column_config.CheckboxColumn("Keep", width="small"),
            "number": st.column_config.NumberColumn("No.", width="small", min_value=1, step=1),
            "query_idea": st.column_config.TextColumn("Query idea", width="large", required=True),
            "knowledge_points": st.column_config.TextColumn("Knowledge points", width="medium", disabled=True),
            "depends_on": st.column_config.TextColumn("Builds on", width="small", disabled=True),
            "difficulty": st.column_config.SelectboxColumn("Difficulty", options=list(DIFFICULTIES), width="small"),
            "family": st.column_config.TextColumn("Family", width="small", disabled=True),
        },
    )
    st.button(
        "Save the sketch",
        key=f"sketch:{sketch.id}:save",
        icon=":material/save:",
        on_click=save_items,
        args=(sketch.id, sketch.head_number),
    )


@writes
def save_items(sketch_id: int, base_number: int) -> None:
    """Store the items as they stand in the table."""
    sketch = find_sketch(workspace(), sketch_id)
    changes = (state.widget_value(_editor_key(sketch)) or {}).get("edited_rows") or {}
    if not changes:
        state.flash("info", "nothing to save: no cell was changed")
        return
    items = edited_items(sketch.items, changes)
    save_sketch(workspace(), sketch_id, items, author=current_user(), base_number=base_number)
    state.flash("success", f"saved {len(items)} items")


def edited_items(items: Sequence[SketchItem], changes: Mapping[Any, Mapping[str, Any]]) -> list[SketchItem]:
    """Return the items after the table's edits: dropped, reordered, numbered anew, dependencies following.

    Raises:
        ContentError: If nothing would be left.
    """
    kept = []
    for position, item in enumerate(items):
        change = changes.get(position) or changes.get(str(position)) or {}
        if change.get("keep", True):
            fields = {name: change[name] for name in ("query_idea", "difficulty") if change.get(name)}
            number = change.get("number")
            kept.append((item.number if number is None else int(number), position, dataclasses.replace(item, **fields)))
    if not kept:
        raise ContentError("a sketch needs at least one item", fix="keep one row, or leave the sketch as it is")
    ordered = [item for _, _, item in sorted(kept, key=lambda entry: entry[:2])]
    numbers = {item.number: number for number, item in enumerate(ordered, 1)}
    return [_renumbered(item, numbers) for item in ordered]


def _renumbered(item: SketchItem, numbers: Mapping[int, int]) -> SketchItem:
    """Return the item under its new number; dependencies on dropped or later items go."""
    number = numbers[item.number]
    earlier = sorted(numbers[other] for other in item.depends_on if numbers.get(other, number) < number)
    return dataclasses.replace(item, number=number, depends_on=tuple(earlier))


def _row(item: SketchItem) -> dict[str, Any]:
    return {
        "keep": True,
        "number": item.number,
        "query_idea": item.query_idea,
        "knowledge_points": ", ".join(item.knowledge_points),
        "depends_on": ", ".join(str(number) for number in item.depends_on),
        "difficulty": item.difficulty,
        "family": item.family,
    }


def _editor_key(sketch: Sketch) -> str:
    return f"sketch:{sketch.id}:items:{sketch.head_number}"
