"""A sketch on the screen: its items in a table that can be edited, and the way to a draft."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Final

import streamlit as st

from authoring.store import Role, Sketch, SketchItem, find_sketch, list_sketch_revisions, save_sketch
from authoring.ui import state
from authoring.ui.auth import current_user
from authoring.ui.boundary import ANYONE, writes
from authoring.ui.jobs import order
from authoring.ui.modelinfo import AUTHORS, author_help, refuse_missing_model
from authoring.ui.wishes import draw_name, draw_wishes, name_of, wishes_of
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
        st.number_input(
            "Random seed", 0, 2**31 - 1, value=None, key=f"{key}:rng_seed", width=160, on_change="ignore",
            placeholder="the sketch's own", help="Another number gives another draft.",
        )  # fmt: skip
        draw_name(key, "as the sketch")
        draw_wishes(key)
        st.button(
            "Draft the problemset",
            key=f"{key}:send",
            type="primary",
            icon=":material/edit_document:",
            help="Writes query, reference code and validators for each item, and executes them.",
            on_click=draft,
            args=(sketch.id,),
        )


@writes(Role.MAINTAINER)
def draft(sketch_id: int) -> None:
    """Order a draft."""
    key = f"draft:{sketch_id}"
    author = str(state.widget_value(f"{key}:author") or AUTHORS[0])
    refuse_missing_model(author)
    order(
        "draft",
        {
            "sketch": sketch_id,
            "author": author,
            "rng_seed": state.widget_value(f"{key}:rng_seed"),
            "name": name_of(key),
            "created_by": current_user(),
            **(wishes_of(key) if author == "model" else {}),
        },
        key=key,
    )


def draw_items(sketch: Sketch) -> None:
    """Draw the items as a table to edit: change a query idea, drop a row, reorder by number."""
    st.caption(
        "Edit a cell, untick a row to drop it, change numbers to reorder, add a row below; then save. What you add is "
        "written by the model author: the template author knows only its own families."
    )
    base = _base_number(sketch)
    items = _items_of(sketch, base)
    st.data_editor(
        [_row(item) for item in items],
        key=_editor_key(sketch.id, base),
        hide_index=True,
        num_rows="add",
        width="stretch",
        row_height=40,
        height=min(len(items) + 1, MAX_ROWS) * 40 + 42,
        column_config={
            "keep": st.column_config.CheckboxColumn("Keep", width="small", default=True),
            "number": st.column_config.NumberColumn("No.", width="small", min_value=1, step=1),
            "query_idea": st.column_config.TextColumn("Query idea", width="large", required=True),
            "knowledge_points": st.column_config.TextColumn("Knowledge points", width="medium"),
            "depends_on": st.column_config.TextColumn("Builds on", width="small", disabled=True),
            "difficulty": st.column_config.SelectboxColumn("Difficulty", options=list(DIFFICULTIES), width="small"),
        },
    )
    st.text_input("What did you change?", key=f"sketch:{sketch.id}:message", max_chars=200, on_change="ignore")
    if base == sketch.head_number:
        where = (sketch.id, base, base)
        st.button(
            "Save the sketch", key=f"sketch:{sketch.id}:save", icon=":material/save:", on_click=save_items, args=where
        )
    else:
        _draw_conflict(sketch, base)


def _draw_conflict(sketch: Sketch, base: int) -> None:
    """Offer both ways out when somebody saved while this table was edited."""
    st.warning(
        f"**Somebody saved version {sketch.head_number} while you edited version {base}.** Theirs is under Versions.",
        icon=":material/call_split:",
    )
    with st.container(horizontal=True):
        st.button("Take theirs", key=f"sketch:{sketch.id}:theirs", on_click=take_theirs, args=(sketch.id,))
        where = (sketch.id, base, sketch.head_number)
        st.button("Save mine on top", key=f"sketch:{sketch.id}:mine", on_click=save_items, args=where)


@writes(ANYONE)
def take_theirs(sketch_id: int) -> None:
    """Forget what was edited in the table and show the newest version."""
    state.remember(f"sketch:{sketch_id}:base", None)


@writes(Role.MAINTAINER)
def save_items(sketch_id: int, shown_number: int, base_number: int) -> None:
    """Store the items as they stand in the table, which shows one version, on top of the version that was seen."""
    sketch = find_sketch(workspace(), sketch_id)
    changes, added = _edits(sketch_id, shown_number)
    if not changes and not added:
        state.flash("info", "nothing to save: no cell was changed")
        return
    items = edited_items(_items_of(sketch, shown_number), changes, added)
    message = str(state.widget_value(f"sketch:{sketch_id}:message") or "").strip()
    minutes = state.active_minutes("sketch", sketch.id, sketch.name)
    save_sketch(
        workspace(), sketch_id, items, author=current_user(), base_number=base_number, message=message, minutes=minutes
    )
    state.forget_minutes("sketch", sketch.id, sketch.name)
    state.put_widget_value(f"sketch:{sketch_id}:message", "")
    state.remember(f"sketch:{sketch_id}:base", None)
    state.flash("success", f"saved {len(items)} items")


def edited_items(
    items: Sequence[SketchItem],
    changes: Mapping[Any, Mapping[str, Any]],
    added: Sequence[Mapping[str, Any]] = (),
) -> list[SketchItem]:
    """Return the items after the table's edits: dropped, reordered, added, numbered anew, dependencies following.

    Raises:
        ContentError: If nothing would be left, or an added row says nothing.
    """
    last = max((item.number for item in items), default=0)
    kept_rows = [row for row in added if row.get("keep") is not False]
    wishes = {len(items) + place: {"number": row.get("number")} for place, row in enumerate(kept_rows)}
    changes = {**changes, **wishes}
    items = [*items, *(_added(row, last + place) for place, row in enumerate(kept_rows, 1))]
    kept = []
    for position, item in enumerate(items):
        change = changes.get(position) or changes.get(str(position)) or {}
        if change.get("keep", True):
            fields = {name: change[name] for name in ("query_idea", "difficulty") if change.get(name)}
            if "knowledge_points" in change:
                fields["knowledge_points"] = _points(change["knowledge_points"])
            number = change.get("number")
            kept.append((item.number if number is None else int(number), position, dataclasses.replace(item, **fields)))
    if not kept:
        raise ContentError("a sketch needs at least one item", fix="keep one row, or leave the sketch as it is")
    ordered = [item for _, _, item in sorted(kept, key=lambda entry: entry[:2])]
    numbers = {item.number: number for number, item in enumerate(ordered, 1)}
    return [_renumbered(item, numbers) for item in ordered]


def _added(row: Mapping[str, Any], number: int) -> SketchItem:
    idea = str(row.get("query_idea") or "").strip()
    if not idea:
        raise ContentError("a row was added without a query idea", fix="write what is to be asked, or untick the row")
    return SketchItem(number, idea, _points(row.get("knowledge_points")), (), str(row.get("difficulty") or ""))


def _points(text: object) -> tuple[str, ...]:
    return tuple(point for part in str(text or "").split(",") if (point := part.strip()))


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
    }


def _base_number(sketch: Sketch) -> int:
    """Return the version that the table shows: the newest, or the one that this tab has unsaved edits on."""
    known = state.recall(f"sketch:{sketch.id}:base")
    base = int(known) if known and any(_edits(sketch.id, int(known))) else sketch.head_number
    state.remember(f"sketch:{sketch.id}:base", base)
    return base


def _items_of(sketch: Sketch, number: int) -> Sequence[SketchItem]:
    if number == sketch.head_number:
        return sketch.items
    return next(each.items for each in list_sketch_revisions(workspace(), sketch.id) if each.number == number)


def _edits(sketch_id: int, number: int) -> tuple[Mapping[Any, Mapping[str, Any]], Sequence[Mapping[str, Any]]]:
    edited = state.widget_value(_editor_key(sketch_id, number)) or {}
    return edited.get("edited_rows") or {}, edited.get("added_rows") or []


def _editor_key(sketch_id: int, number: int) -> str:
    return f"sketch:{sketch_id}:items:{number}"
