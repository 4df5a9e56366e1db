"""Ticks of the person who reviews: which problems they have read. A tick belongs to a text: a changed one has none."""

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

import streamlit as st

from authoring.store.people import Role
from authoring.store.reviewing.ticks import list_ticks, tick_problem, untick_problem
from authoring.store.revisions import Revision
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import writes
from authoring.ui.editor.draft_view import cells_of
from authoring.ui.editor.editing import OpenDraft
from authoring.ui.shell.auth import current_user, may
from authoring.ui.wording import plural
from authoring.ui.workplace import workspace
from evaluator.language.document_cells import DocumentCell


class Ticks(NamedTuple):
    """How far a person has come with a revision."""

    ticked: Collection[str]  # keys of problems whose text they have ticked as it stands
    problems: int  # how many there are

    @property
    def words(self) -> str:
        """What a page says of them."""
        return f"Reviewed {len(self.ticked)} of {self.problems}"


def ticks_on(ws: Workspace, opened: OpenDraft) -> Ticks | None:
    """Return the person's ticks on the revision on the screen; None for who does not review."""
    if not may(Role.REVIEWER):
        return None
    person, known = state.recall(_memory(opened.row.id), ("", {}))
    if person != current_user():  # read once in a tab: what they tick in another tab shows after a reload
        known = _read(ws, opened.row.id)
    return _ticks(known, opened.draft.problems)


def ticks_of(revision: Revision) -> Ticks:
    """Return the person's ticks on a stored revision."""
    problems = [cell for cell in cells_of(revision.problemset_name, revision.text) if cell.is_problem]
    return _ticks(list_ticks(workspace(), revision.problemset_id, current_user()), problems)


def unticked_words(revision: Revision) -> str:
    """Return how many problems of an accepted revision the person has ticked, where not all are; else nothing."""
    ticks = ticks_of(revision)
    if len(ticks.ticked) == ticks.problems:
        return ""
    of = f"{plural(ticks.problems, 'problem')} of {revision.problemset_name}"
    return f"it is accepted though you have ticked {len(ticks.ticked)} of {of} as Reviewed"


def draw_tick(opened: OpenDraft, cell: DocumentCell, ticks: Ticks | None) -> None:
    """Draw how many problems the person has ticked, and the tick of the one on the screen."""
    if ticks is None:
        return
    with st.container(key="desk_ticks", width="content"):  # on a narrow screen the tick says it
        st.caption(ticks.words, width="content")
    if not cell.is_problem:
        return
    key = f"reviewed:{opened.row.id}:{cell.key}"
    edited = opened.draft.is_edited(cell)
    state.put_widget_value(key, cell.key in ticks.ticked)
    st.checkbox(
        "Reviewed",
        key=key,
        width="content",
        disabled=edited,
        help=f"{_tick_help(is_edited=edited)} {ticks.words}.",
        on_change=tick,
        args=(key, opened.row.id, cell.key, _digest(cell)),
    )


def _tick_help(*, is_edited: bool) -> str:
    if is_edited:
        return "Save or drop your changes of this problem first: the tick belongs to a saved text."
    return "For you alone, and for this text: where the problem changes, its tick is gone."


@writes(Role.REVIEWER)
def tick(key: str, problemset_id: int, cell_key: str, digest: str) -> None:
    """Keep that the person has read the text of that digest, or take it back."""
    if state.widget_value(key):
        tick_problem(workspace(), problemset_id, cell_key, digest=digest, person=current_user())
    else:
        untick_problem(workspace(), problemset_id, cell_key, person=current_user())
    _read(workspace(), problemset_id)


def _read(ws: Workspace, problemset_id: int) -> Mapping[str, str]:
    known = list_ticks(ws, problemset_id, current_user())
    state.remember(_memory(problemset_id), (current_user(), known))
    return known


def _memory(problemset_id: int) -> str:
    return f"ticks:{problemset_id}"


def _ticks(known: Mapping[str, str], problems: Iterable[DocumentCell]) -> Ticks:
    digests = {cell.key: _digest(cell) for cell in problems}
    return Ticks({key for key, digest in digests.items() if known.get(key) == digest}, len(digests))


def _digest(cell: DocumentCell) -> str:
    return hashlib.sha256(json.dumps(dict(cell.fields)).encode()).hexdigest()
