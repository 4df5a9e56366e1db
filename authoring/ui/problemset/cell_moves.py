"""Add, move and delete cells on the Problemset page; each makes a new revision with its dry run."""

import streamlit as st

from authoring.store.people import Role
from authoring.ui import state
from authoring.ui.actions import order_dry_run, refuse_unsaved
from authoring.ui.boundary import writes
from authoring.ui.editor.editing import OpenDraft
from authoring.ui.problemset.deciding import draw_unsaved, unsaved_words
from authoring.ui.shell.auth import current_user
from authoring.ui.workplace import workspace
from evaluator.language.document_cells import DocumentCell


def draw_reshaping(opened: OpenDraft) -> None:
    """Draw the form that changes which cells there are, and in which order."""
    key = f"reshape:{opened.row.id}"
    box = st.expander("Add, move or delete", icon=":material/swap_vert:", key=key, on_change="rerun")
    if not box.open:
        return
    with box:
        if opened.draft.has_edits:
            st.info(f"{unsaved_words(opened)} What they belong to would move.")
            draw_unsaved(opened, where="reshape")
            return
        cells = {cell.key: _name(cell) for cell in opened.draft.cells}
        chosen = st.selectbox("Cell", list(cells), format_func=cells.__getitem__, key=f"{key}:cell")
        keys = list(cells)
        at = keys.index(chosen) if chosen in keys else 0
        base = (opened.row.id, opened.revision.id, chosen)
        with st.container(horizontal=True, vertical_alignment="center"):
            up = keys[at - 2] if at > 1 else "start"
            st.button(
                "Move up", key=f"{key}:up", icon=":material/arrow_upward:", disabled=at == 0, on_click=move,
                args=(*base, up),
            )  # fmt: skip
            down = keys[at + 1] if at + 1 < len(keys) else ""
            st.button(
                "Move down", key=f"{key}:down", icon=":material/arrow_downward:", disabled=not down, on_click=move,
                args=(*base, down),
            )  # fmt: skip
            with st.popover("Delete", icon=":material/delete:"):
                st.markdown("The revision before stays in the history and can be restored.")
                st.button("Delete the chosen cell", key=f"{key}:delete", on_click=delete, args=base)
        st.markdown("**New problem after the chosen cell**")
        st.text_area("Query", key=f"{key}:query", height=80, persist_state="session", on_change="ignore")
        st.text_area("Reference code", key=f"{key}:code", height=96, persist_state="session", on_change="ignore")
        st.button("Add the problem", key=f"{key}:add", icon=":material/add:", on_click=add, args=base)
        st.caption("Problems without an `id` are known by their number: comments on them keep the number.")


def _name(cell: DocumentCell) -> str:
    about = " ".join((cell.texts.get("query") or cell.title or cell.texts["code"]).split())
    return f"{cell.label} · {about[:80]}"


@writes(Role.ANNOTATOR)
def move(problemset_id: int, base_revision_id: int, cell: str, after: str) -> None:
    """Put a cell after another one."""
    from authoring.revising.cell_changes import move_cell  # heavy, and needed only here

    refuse_unsaved(problemset_id)  # what it belongs to would move
    made = move_cell(
        workspace(), problemset_id, cell, after=after, by=current_user(), base_revision_id=base_revision_id
    )
    _tell(made.id, made.number, made.message)


@writes(Role.ANNOTATOR)
def delete(problemset_id: int, base_revision_id: int, cell: str) -> None:
    """Take a cell out."""
    from authoring.revising.cell_changes import delete_cell  # heavy, and needed only here

    refuse_unsaved(problemset_id)
    made = delete_cell(workspace(), problemset_id, cell, by=current_user(), base_revision_id=base_revision_id)
    _tell(made.id, made.number, made.message)


@writes(Role.ANNOTATOR)
def add(problemset_id: int, base_revision_id: int, after: str) -> None:
    """Add the problem that was typed after the chosen cell."""
    from authoring.revising.cell_changes import add_problem  # heavy, and needed only here

    refuse_unsaved(problemset_id)
    key = f"reshape:{problemset_id}"
    made = add_problem(
        workspace(),
        problemset_id,
        after=after,
        query=str(state.widget_value(f"{key}:query") or ""),
        code=str(state.widget_value(f"{key}:code") or ""),
        by=current_user(),
        base_revision_id=base_revision_id,
    )
    for field in ("query", "code"):
        state.replace_text(f"{key}:{field}", "")
    _tell(made.id, made.number, made.message)


def _tell(revision_id: int, number: int, message: str) -> None:
    order_dry_run(revision_id)
    state.flash("success", f"{message}: saved as revision {number}; its dry run is on the way")
