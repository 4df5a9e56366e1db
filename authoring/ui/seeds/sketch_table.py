"""The table in which a sketch is edited: what stands in it is kept until it is saved, also when the page is left."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import streamlit as st

from authoring.prompting.sketch_fields import SKETCH_FIELDS, FieldKind, SketchField
from authoring.store.drafting.sketches import Sketch, SketchItem, find_sketch, list_sketch_revisions, save_sketch
from authoring.store.people import Role
from authoring.ui import state
from authoring.ui.boundary import ANYONE, writes
from authoring.ui.inputs.typed_text import keep, sent, typed, typed_line, unsent, unsent_fields
from authoring.ui.seeds.sketches import Row, changed_rows, items_of_rows, row_of
from authoring.ui.shell.auth import current_user
from authoring.ui.workplace import workspace

MAX_ROWS: Final = 16  # shown at once; more scroll
SHOWN: Final = ("keep", "number", *(field.name for field in SKETCH_FIELDS))


class _Table(NamedTuple):
    """The table as it was mounted: what edits count from."""

    person: str  # who edits it
    base: int  # the version that it shows
    mount: int
    rows: Sequence[Row]


def draw_items(sketch: Sketch) -> None:
    """Draw the items as a table to edit: change a query idea, drop a row, reorder by number."""
    st.caption(
        "Edit a cell, untick a row to drop it, change numbers to reorder, add a row below; then save. “Builds on” "
        "names items by the numbers that stand here. What you add is written by the model author: the template author "
        "knows only its own families."
    )
    table = _mounted(sketch)
    st.data_editor(
        list(table.rows),
        key=_editor_key(sketch.id, table.mount),
        hide_index=True,
        num_rows="add",
        width="stretch",
        row_height=40,
        height=min(len(table.rows) + 1, MAX_ROWS) * 40 + 42,
        on_change=keep_table,
        args=(sketch.id,),
        alt="the items of the sketch, to edit",
        column_order=SHOWN,
        column_config={
            "keep": st.column_config.CheckboxColumn("Keep", width="small", default=True),
            "number": st.column_config.NumberColumn("No.", width="small", min_value=1, step=1),
            **{field.name: _column(field) for field in SKETCH_FIELDS},
        },
    )
    typed_line("What did you change?", f"sketch:{sketch.id}:message", max_chars=200)
    edited = unsent(_field(sketch.id, table.base)) is not None
    if table.base != sketch.head_number:
        _draw_conflict(sketch, table.base)
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        where = (sketch.id, table.base, table.base)
        st.button(
            "Save the sketch", key=f"sketch:{sketch.id}:save", icon=":material/save:", on_click=save_items, args=where
        )
        if edited:
            st.button(
                "Undo all edits", key=f"sketch:{sketch.id}:undo", icon=":material/undo:", type="tertiary",
                on_click=accept_remote, args=(sketch.id,),
            )  # fmt: skip
            st.caption(":material/edit_note: edited; kept for you until you save", width="content")


def _column(field: SketchField) -> Any:
    match field.kind:
        case FieldKind.TEXT:
            return st.column_config.TextColumn(field.title, width="large", required=True)
        case FieldKind.WORDS:
            return st.column_config.TextColumn(field.title, width="medium")
        case FieldKind.NUMBERS:
            return st.column_config.TextColumn(field.title, width="small")
        case FieldKind.CHOICE:
            return st.column_config.SelectboxColumn(field.title, options=list(field.choices), width="small")


def _draw_conflict(sketch: Sketch, base: int) -> None:
    """Offer both ways out when somebody saved while this table was edited."""
    st.warning(
        f"**Somebody saved version {sketch.head_number} while you edited version {base}.** Theirs is under Versions.",
        icon=":material/call_split:",
    )
    with st.container(horizontal=True):
        st.button("Take theirs", key=f"sketch:{sketch.id}:theirs", on_click=accept_remote, args=(sketch.id,))
        where = (sketch.id, base, sketch.head_number)
        st.button("Save mine on top", key=f"sketch:{sketch.id}:mine", on_click=save_items, args=where)


@writes(ANYONE)
def keep_table(sketch_id: int) -> None:
    """Keep what stands in the table, for the person who edits it."""
    table = _table(sketch_id)
    rows = _shown_rows(sketch_id)
    if table is not None and rows is not None:
        keep(_field(sketch_id, table.base), rows)


@writes(ANYONE)
def accept_remote(sketch_id: int) -> None:
    """Forget what was edited in the table and show the newest version."""
    _forget(sketch_id)


@writes(Role.MAINTAINER)
def save_items(sketch_id: int, shown_number: int, base_number: int) -> None:
    """Store the items as they stand in the table, which shows one version, on top of the version that was seen."""
    sketch = find_sketch(workspace(), sketch_id)
    before = _items_of(sketch, shown_number)
    rows = _shown_rows(sketch_id)
    if rows is None or rows == [row_of(item) for item in before]:
        state.flash("info", "nothing to save: no cell was changed")
        return
    items = items_of_rows(before, rows)
    message = f"sketch:{sketch_id}:message"
    minutes = state.active_minutes("sketch", sketch.id, sketch.name)
    save_sketch(
        workspace(),
        sketch_id,
        items,
        author=current_user(),
        base_number=base_number,
        message=typed(message).strip(),
        minutes=minutes,
    )
    state.forget_minutes("sketch", sketch.id, sketch.name)
    sent(message)
    _forget(sketch_id)
    state.flash("success", f"saved {len(items)} items")


def _mounted(sketch: Sketch) -> _Table:
    """Return the table that is on the screen, or a new one with what the person left in it."""
    base = _base_number(sketch)
    table = _table(sketch.id)
    whose = (current_user(), base)
    if (
        table is not None
        and (table.person, table.base) == whose
        and state.is_on_screen(_editor_key(sketch.id, table.mount))
    ):
        return table
    left = unsent(_field(sketch.id, base))
    rows = left if isinstance(left, list) else [row_of(item) for item in _items_of(sketch, base)]
    table = _Table(*whose, table.mount + 1 if table is not None else 1, rows)
    state.remember(f"sketch:{sketch.id}:table", table)
    return table


def _base_number(sketch: Sketch) -> int:
    """Return the version that the table shows: the newest, or the one that the person has unsaved edits on."""
    edited = [int(field.rpartition(":")[2]) for field in unsent_fields(_field(sketch.id, ""))]
    known = [number for number in edited if number <= sketch.head_number]
    return max(known, default=sketch.head_number)


def _items_of(sketch: Sketch, number: int) -> Sequence[SketchItem]:
    if number == sketch.head_number:
        return sketch.items
    return next(each.items for each in list_sketch_revisions(workspace(), sketch.id) if each.number == number)


def _shown_rows(sketch_id: int) -> list[Row] | None:
    """Return the rows as they stand in the table; None when this tab shows none."""
    table = _table(sketch_id)
    if table is None:
        return None
    edited: Mapping[str, Any] = state.widget_value(_editor_key(sketch_id, table.mount)) or {}
    return changed_rows(table.rows, edited.get("edited_rows") or {}, edited.get("added_rows") or ())


def _forget(sketch_id: int) -> None:
    sent(*unsent_fields(_field(sketch_id, "")), shown=None)
    table = _table(sketch_id)
    if table is not None:
        state.remember(f"sketch:{sketch_id}:table", table._replace(base=0))  # a new mount begins anew


def _table(sketch_id: int) -> _Table | None:
    found: _Table | None = state.recall(f"sketch:{sketch_id}:table")
    return found


def _field(sketch_id: int, base: int | str) -> str:
    return f"sketch:{sketch_id}:table:{base}"


def _editor_key(sketch_id: int, mount: int) -> str:
    return f"sketch:{sketch_id}:items:{mount}"
