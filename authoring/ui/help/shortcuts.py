"""The keys of the app: one table, which the pages' buttons are tested against, and the sheet that lists it."""

from dataclasses import dataclass
from typing import Final

import streamlit as st


@dataclass(frozen=True)
class Shortcut:
    """One key, or keys pressed together."""

    keys: str  # as `st.button(shortcut=)` names them, or as an editor hears them
    where: str
    effect: str
    in_editor: bool = False  # bound by the code editor itself, not by a button


ON_PAGE: Final = "page, no field focused"
ANYWHERE: Final = "anywhere on the page, in fields too"
IN_EDITOR: Final = "in a code editor"
SHORTCUTS: Final = (
    Shortcut("J", ON_PAGE, "next problem; of a run, next attempt"),
    Shortcut("K", ON_PAGE, "previous problem; of a run, previous attempt"),
    Shortcut("F", ON_PAGE, "next problem that fails; of a run, next attempt that failed"),
    Shortcut("N", ON_PAGE, "next problemset for me, in the queue"),
    Shortcut("H", ON_PAGE, "this list"),
    Shortcut("Ctrl+Enter", ANYWHERE, "run this problem"),
    Shortcut("Ctrl+Shift+Enter", ANYWHERE, "run from here to the end"),
    Shortcut("Ctrl+S", ANYWHERE, "save a revision"),
    Shortcut("Alt+A", ON_PAGE, "accept the revision on the screen"),
    Shortcut("Alt+X", ON_PAGE, "send the revision on the screen back"),
    Shortcut("Alt+U", ON_PAGE, "submit the head revision for review"),
    Shortcut("Alt+M", ON_PAGE, "open the comments on the problem"),
    Shortcut("Esc, then Tab", IN_EDITOR, "leave it; Tab alone indents", in_editor=True),
    Shortcut("Alt+M", IN_EDITOR, "comment on the line, as does a click on its number", in_editor=True),
    Shortcut("Ctrl+F", IN_EDITOR, "search", in_editor=True),
    Shortcut("Ctrl+Space", IN_EDITOR, "complete a name", in_editor=True),
    Shortcut("Ctrl+Z", IN_EDITOR, "undo", in_editor=True),
)


@st.dialog("Shortcuts", width="medium", icon=":material/keyboard:")
def show_shortcuts() -> None:
    """List all keys."""
    st.table(
        [{"Keys": f"`{one.keys}`", "Where": one.where, "Effect": one.effect} for one in SHORTCUTS],
        border="horizontal",
        alt="keys, where they work and what they do",
    )
    st.caption("On macOS press Cmd instead of Ctrl. Settings turns the single letters off.")
