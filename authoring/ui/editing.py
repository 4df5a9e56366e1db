"""Editing a revision: what the desk shows, autosaves that lose nothing, conflicts that nobody wins silently."""

from dataclasses import dataclass, replace
from typing import Any, Final

import streamlit as st

from authoring.store import (
    Autosave,
    ProblemsetRow,
    Revision,
    Workspace,
    drop_autosaves,
    find_revision,
    list_autosaves,
    save_autosave,
    workspace_validators,
)
from authoring.ui import state
from authoring.ui.auth import current_user
from authoring.ui.boundary import writes
from authoring.ui.desk import WHOLE, Cell, Desk, cells_of, open_desk
from authoring.ui.markup import diff_html
from authoring.ui.workplace import workspace

LABELS: Final = {
    "query": "Query",
    "code": "Reference code",
    "settings": "Settings (YAML): validator, limits, tags",
    "text": "Whole problemset",
}
TALL: Final = 640  # the height of the whole text, in pixels; single fields grow with what they hold


@dataclass(frozen=True)
class OpenDesk:
    """A desk together with the rows it was made from."""

    row: ProblemsetRow
    revision: Revision  # the head
    desk: Desk
    autosaves: tuple[Autosave, ...]

    def autosave(self, cell_key: str, field: str) -> Autosave | None:
        """Return the unsaved text of a field."""
        return next((saved for saved in self.autosaves if (saved.problem, saved.field) == (cell_key, field)), None)


def load_desk(ws: Workspace, row: ProblemsetRow) -> OpenDesk:
    """Open the head revision with the current person's unsaved text."""
    revision = find_revision(ws, row.head_revision_id)
    autosaves = tuple(list_autosaves(ws, current_user(), row.id))
    desk = open_desk(row.name, revision.id, revision.text, autosaves, workspace_validators(ws))
    return OpenDesk(row, revision, desk, autosaves)


def draw_fields(opened: OpenDesk, cell: Cell) -> None:
    """Draw the text areas of one cell."""
    for field, original in cell.texts.items():
        draw_field(opened, cell.key, field, original, title=None if cell.is_problem else "Setup code")


def draw_field(opened: OpenDesk, cell_key: str, field: str, original: str, *, title: str | None = None) -> None:
    """Draw the text area of one field; whatever is typed is autosaved as soon as the field loses focus."""
    identity = _identity(opened, cell_key, field)
    known = state.field_state(identity)
    saved = opened.autosave(cell_key, field)
    wanted = saved.text if saved is not None else original
    key = _widget_key(identity, known.load_no)
    shown = state.widget_value(key)
    untouched = shown == original or saved is None or saved.saved_no == known.saved_no
    if shown is not None and shown != wanted and untouched:
        known = replace(known, load_no=known.load_no + 1)  # the text was replaced under an untouched field
        key, shown = _widget_key(identity, known.load_no), None
    if shown is None:
        known = replace(known, saved_no=saved.saved_no if saved else None)
    state.set_field_state(identity, replace(known, text=wanted if shown is None else str(shown)))
    state.start_widget_value(key, wanted)
    st.text_area(
        title or LABELS[field],
        key=key,
        height=TALL if field == "text" else "content",
        on_change=autosave_field,
        args=(opened.row.id, cell_key, field, original, opened.revision.id),
    )
    _draw_conflict(opened, cell_key, field, original)


@writes
def autosave_field(problemset_id: int, cell_key: str, field: str, original: str, base_revision_id: int) -> None:
    """Keep what was typed, or forget the autosave when it is the revision's own text again."""
    _store_field((current_user(), str(problemset_id), cell_key, field), original, base_revision_id)


def store_shown_fields(opened: OpenDesk) -> bool:
    """Autosave what the fields on the screen hold and no callback has stored yet; tells whether there was any.

    A click on a button can arrive together with the text that was typed last, and their callbacks in any order.
    """
    fields = [(cell.key, name, original) for cell in opened.desk.cells for name, original in cell.texts.items()]
    stored = False
    for cell_key, name, original in (*fields, (*WHOLE, opened.revision.text)):
        identity = _identity(opened, cell_key, name)
        known = state.field_state(identity)
        shown = state.widget_value(_widget_key(identity, known.load_no))
        if shown is not None and known.text is not None and shown != known.text:
            _store_field(identity, original, opened.revision.id)
            stored = True
    return stored


def _store_field(identity: tuple[str, ...], original: str, base_revision_id: int) -> None:
    person, problemset, cell_key, field = identity
    problemset_id = int(problemset)
    known = state.field_state(identity)
    text = str(state.widget_value(_widget_key(identity, known.load_no), original))
    if text == original:
        drop_autosaves(workspace(), person, problemset_id, problem=cell_key, field=field)
        state.set_field_state(identity, replace(known, saved_no=None, text=text))
        return
    saved_no = save_autosave(
        workspace(),
        person=person,
        problemset_id=problemset_id,
        problem=cell_key,
        field=field,
        text=text,
        base_revision_id=base_revision_id,
        writer=state.tab_id(),
        expected_saved_no=known.saved_no,
    )
    state.set_field_state(identity, replace(known, saved_no=saved_no, text=text))


@writes
def take_theirs(problemset_id: int, cell_key: str, field: str) -> None:
    """Forget the unsaved text of a field."""
    drop_autosaves(workspace(), current_user(), problemset_id, problem=cell_key, field=field)
    _reload((current_user(), str(problemset_id), cell_key, field))


@writes
def keep_mine(problemset_id: int, cell_key: str, field: str, text: str, head_id: int, saved_no: int | None) -> None:
    """Put the unsaved text of a field on top of what others saved meanwhile."""
    save_autosave(
        workspace(),
        person=current_user(),
        problemset_id=problemset_id,
        problem=cell_key,
        field=field,
        text=text,
        base_revision_id=head_id,
        writer=state.tab_id(),
        expected_saved_no=saved_no,
    )
    _reload((current_user(), str(problemset_id), cell_key, field))


@writes
def discard(problemset_id: int, cell_key: str | None) -> None:
    """Forget a person's unsaved texts of one cell, or of the whole problemset."""
    count = drop_autosaves(workspace(), current_user(), problemset_id, problem=cell_key)
    state.flash("info", f"dropped {count} unsaved text{'' if count == 1 else 's'}")


def conflicts(opened: OpenDesk) -> list[Autosave]:
    """Return the unsaved texts whose field somebody else changed since they were begun."""
    ws = workspace()
    bases: dict[int, dict[str, Cell]] = {}
    found = []
    for saved in opened.autosaves:
        if saved.base_revision_id == opened.revision.id or (saved.problem, saved.field) not in opened.desk.edits:
            continue
        if saved.base_revision_id not in bases:
            base = find_revision(ws, saved.base_revision_id)
            bases[base.id] = {cell.key: cell for cell in cells_of(base.problemset_name, base.text)}
        cell, then = opened.desk.find(saved.problem), bases[saved.base_revision_id].get(saved.problem)
        if cell is None or then is None or cell.texts.get(saved.field) != then.texts.get(saved.field):
            found.append(saved)
    return found


def _draw_conflict(opened: OpenDesk, cell_key: str, field: str, original: str) -> None:
    saved = opened.autosave(cell_key, field)
    if saved is None:
        return
    identity = _identity(opened, cell_key, field)
    known = state.field_state(identity)
    shown = str(state.widget_value(_widget_key(identity, known.load_no), saved.text))
    if known.saved_no != saved.saved_no and shown != saved.text:
        _draw_choice(opened, saved, "Another tab of yours has saved a different text of this field.", saved.text, shown)
    elif saved in conflicts(opened):
        _draw_choice(
            opened, saved, "Somebody saved a revision that changes this field too.", original, saved.text, drop=True
        )


def _draw_choice(opened: OpenDesk, saved: Autosave, what: str, theirs: str, mine: str, *, drop: bool = False) -> None:
    key = f"conflict:{opened.row.id}:{saved.problem}:{saved.field}"
    with st.container(border=True):
        st.warning(f"**{what}** Compare both, then keep one.", icon=":material/call_split:")
        st.html(diff_html(theirs, mine) or "<p>Both texts are the same.</p>")
        with st.container(horizontal=True):
            where: tuple[Any, ...] = (opened.row.id, saved.problem, saved.field)
            forget = take_theirs if drop else reload_field
            st.button("Take theirs (−)", key=f"{key}:theirs", on_click=forget, args=where)
            st.button(
                "Keep mine (+)",
                key=f"{key}:mine",
                on_click=keep_mine,
                args=(*where, mine, opened.revision.id, saved.saved_no),
            )


@writes
def reload_field(problemset_id: int, cell_key: str, field: str) -> None:
    """Show what another tab saved instead of this tab's text."""
    _reload((current_user(), str(problemset_id), cell_key, field))


def _reload(identity: tuple[str, ...]) -> None:
    known = state.field_state(identity)
    state.set_field_state(identity, replace(known, load_no=known.load_no + 1, saved_no=None))


def _identity(opened: OpenDesk, cell_key: str, field: str) -> tuple[str, ...]:
    return (current_user(), str(opened.row.id), cell_key, field)


def _widget_key(identity: tuple[str, ...], load_no: int) -> str:
    return ":".join(("edit", *identity, str(load_no)))
