"""The bar of actions below the editor: one row, in which what is rarely needed stands in a menu."""

from collections.abc import Sequence
from typing import Final

import streamlit as st

from authoring.checks.standing import Standing
from authoring.store import problemsets
from authoring.store.reviewing.reviews import Comment
from authoring.ui import actions, state
from authoring.ui.boundary import ANYONE, show_message, writes
from authoring.ui.comments.line_comments import open_comments, tabs_key
from authoring.ui.drawing.markup import safe_markdown
from authoring.ui.editor.editing import OpenDraft
from authoring.ui.inputs.typed_text import keep_typed_text, typed_line
from authoring.ui.problemset.deciding import draw_decision
from authoring.ui.workplace import workspace
from evaluator.language.document_cells import DocumentCell

RUN_ON: Final = "Run from here"
RUN_ALL: Final = "Run all"
MESSAGE: Final = "Save with a message…"
PREVIEW: Final = "Preview of the query"
FORMAT: Final = "Format code"
COMMENT: Final = "Comment"
KEYS: Final = {RUN_ON: "Ctrl+Shift+Enter", COMMENT: "Alt+M"}  # bound by buttons, as a menu binds none
ICONS: Final = {
    RUN_ON: "fast_forward",
    RUN_ALL: "playlist_play",
    MESSAGE: "save_as",
    FORMAT: "format_align_left",
    PREVIEW: "visibility",
    COMMENT: "comment",
}
MAX_MESSAGE: Final = 200  # characters: a line of the history


def draw_action_bar(opened: OpenDraft, cell: DocumentCell, standing: Standing, comments: Sequence[Comment]) -> None:
    """Draw what can be done now: with the text on the left, with the revision on the right."""
    row = opened.row
    with st.container(key="desk_actions", horizontal=True, vertical_alignment="center", gap="xsmall"):
        st.button(
            "Run this",
            key=f"run:{row.id}:{cell.key}",
            type="primary",
            icon=":material/play_arrow:",
            shortcut="Ctrl+Enter",
            help="Executes everything up to this problem and judges it, with your unsaved changes.",
            on_click=actions.run,
            args=(row.id, cell.key),
        )
        st.button(
            "Save revision",
            key=f"save:{row.id}",
            icon=":material/save:",
            shortcut="Ctrl+S",
            help="Makes a numbered revision of your changes and orders its dry run.",
            on_click=actions.save,
            args=(row.id,),
        )
        st.space("stretch")
        draw_decision(opened, standing, comments, where="editor")
        _draw_menu(opened, cell)
    _draw_keys(opened, cell)


def _draw_menu(opened: OpenDraft, cell: DocumentCell) -> None:
    key = f"more:{opened.row.id}:{cell.key}"
    chosen = st.menu_button(
        "More",
        [name for name in ICONS if name != PREVIEW or cell.is_problem],
        key=key,
        icon=":material/more_horiz:",
        format_func=_menu_line,
        on_click=_choose,
        args=(key, opened.row.id, cell.key, tabs_key(opened.row.id, is_problem=cell.is_problem)),
    )
    if chosen == MESSAGE:
        _ask_for_message(opened.row.id, opened.row.head_number)
    elif chosen == PREVIEW:
        _show_query(cell.label, opened.draft.value(cell, "query"))


def _menu_line(name: str) -> str:
    keys = f" :small[:gray[{KEYS[name]}]]" if name in KEYS else ""
    return f":material/{ICONS[name]}: {name}{keys}"


@writes(ANYONE)  # what is chosen asks for its own role
def _choose(key: str, problemset_id: int, cell_key: str, tabs: str) -> None:
    chosen = state.widget_value(key)
    if chosen == RUN_ON:
        actions.run_from(problemset_id, cell_key)
    elif chosen == RUN_ALL:
        actions.run(problemset_id)
    elif chosen == FORMAT:
        actions.format_code(problemset_id, cell_key)
    elif chosen == COMMENT:
        open_comments(tabs)


@st.dialog("Preview of the query", width="medium", icon=":material/visibility:")
def _show_query(title: str, query: str) -> None:
    """Show a query as a reader of its Markdown sees it; agents get the text as it is written."""
    st.caption(f"{title}, with your unsaved changes. Pictures and HTML stand as text.")
    with st.container(border=True):
        st.markdown(safe_markdown(query))


@st.dialog("Save with a message", icon=":material/save_as:")
def _ask_for_message(problemset_id: int, number: int) -> None:
    key = f"message:{problemset_id}"
    typed_line(
        "What did you change, and why?",
        f"{key}:text",
        max_chars=MAX_MESSAGE,
        placeholder="problem 4: ties are sorted by name",
        help="Stands beside the revision in the history. Empty: the changed problems are named.",
    )
    keep_typed_text(f"{key}:keeper")  # Escape closes the dialog, and the field reports nothing then
    pressed = st.button(
        f"Save as revision {number + 1}",
        key=f"{key}:save",
        type="primary",
        icon=":material/save:",
        on_click=actions.save,
        args=(problemset_id, f"{key}:text"),
    )
    if pressed and problemsets.find(workspace(), problemset_id).head_number > number:
        st.rerun()
    for message in state.take_flashes():  # why nothing was saved; the page is behind the dialog
        show_message(message)


def _draw_keys(opened: OpenDraft, cell: DocumentCell) -> None:
    """Bind the keys of what stands in the menu: buttons that nobody sees, and that act while the menu is closed."""
    with st.container(key="desk_keys"):
        st.button(
            RUN_ON,
            key=f"run_from:{opened.row.id}:{cell.key}",
            shortcut="Ctrl+Shift+Enter",
            on_click=actions.run_from,
            args=(opened.row.id, cell.key),
        )
        st.button(
            COMMENT,
            key=f"comment:{opened.row.id}",
            shortcut="Alt+M",
            on_click=open_comments,
            args=(tabs_key(opened.row.id, is_problem=cell.is_problem),),
        )
