"""A small component that hands typed text over while it is typed; text areas alone report only when left."""

import time
from pathlib import Path
from typing import Any, Final

import streamlit as st
from streamlit.components.v2 import component

from authoring.store.autosaves import drop_unsent, keep_unsent, list_unsent
from authoring.ui import state
from authoring.ui.boundary import ANYONE, writes
from authoring.ui.shell.auth import current_user
from authoring.ui.workplace import workspace

_SCRIPT: Final = (Path(__file__).parent / "keep_typed.js").read_text(encoding="utf-8")  # ours, nothing from outside
_KEEPER: Final = component("benchwright_keep_typed", html="<span></span>", js=_SCRIPT)


def keep_typed_text(key: str = "keep_typed") -> None:
    """Hand over what is typed into any text area of this page after each pause, and before each shortcut.

    A second one on a page, under a key of its own, does no harm.
    """
    _KEEPER(key=key, height=1)


_MEMORY: Final = "typed"
FRESH_S: Final = 2.0  # one page draws many fields: they are read together


def typed_area(
    label: str, key: str, default: str = "", *, in_box: bool = False, **options: Any
) -> None:  # Streamlit's own options
    """Draw a text area that keeps what is typed; `in_box`: it stands in a box that is closed at first."""
    begin = _begin(key, default, in_box=in_box)
    st.text_area(label, begin, key=key, on_change=keep_typed, args=(key, default), **options)


def typed_line(
    label: str, key: str, default: str = "", *, in_box: bool = False, **options: Any
) -> None:  # Streamlit's own options
    """Draw a line of text that keeps what is typed; `in_box`: it stands in a box that is closed at first."""
    begin = _begin(key, default, in_box=in_box)
    st.text_input(label, begin, key=key, on_change=keep_typed, args=(key, default), **options)


def _begin(key: str, default: str, *, in_box: bool) -> str:
    """Return what a field is told to begin with; empty: that went through the state.

    What a field gets through the state is lost when it is drawn a second time before its box was opened, and what it
    is told to begin with holds as long as it stands: so it is read once.
    """
    if not in_box:
        start_typed(key, default)
        return ""
    memory, was_there = f"{_MEMORY}:begin:{key}", state.is_on_screen(key)
    if not is_shown(key):
        found = unsent(key)
        state.remember(memory, found if isinstance(found, str) else default)
        if was_there:  # what another person typed is replaced
            state.put_widget_value(key, state.recall(memory))
            return ""
    return str(state.recall(memory, default))


def start_typed(key: str, default: str) -> None:
    """Let a field that appears begin with what its person typed; on that person's screen it keeps what it holds."""
    if not is_shown(key):
        found = unsent(key)
        state.put_widget_value(key, found if isinstance(found, str) else default)


def is_shown(key: str) -> bool:
    """Return whether the field was on this tab's last screen for the same person, and note whose it is now."""
    whose = f"{_MEMORY}:{key}"
    same = state.is_on_screen(key) and state.recall(whose) == current_user()
    state.remember(whose, current_user())
    return same


@writes(ANYONE, typing=True)
def keep_typed(key: str, default: str = "") -> None:
    """Keep what a field holds now; nothing, when it is what the field began with."""
    value = state.widget_value(key)
    keep(key, None if value == default else value)


def typed(key: str) -> str:
    """Return what a field holds; in a callback."""
    return str(state.widget_value(key) or "")


def keep(field: str, value: Any) -> None:
    """Keep a value for the current person; None forgets it."""
    keep_unsent(workspace(), current_user(), field, value)
    _known()[field] = value


def unsent(field: str) -> Any:
    """Return what the current person typed into a field and did not send; None: nothing."""
    return _known().get(field)


def unsent_fields(prefix: str) -> list[str]:
    """Return the fields with unsent text whose name begins so."""
    return sorted(field for field, value in _known().items() if field.startswith(prefix) and value is not None)


def sent(*keys: str, shown: str | None = "") -> None:
    """Forget what was typed into fields, and let them show `shown` (None: what they show); call it from a callback."""
    drop_unsent(workspace(), current_user(), *keys)
    state.note_sent(*keys)
    for key in keys:
        _known().pop(key, None)
        if shown is not None:
            state.put_widget_value(key, shown)


def _known() -> dict[str, Any]:
    """Return the person's unsent texts as read from the workspace a moment ago at most."""
    person = current_user()
    read_at, whose, found = state.recall(_MEMORY, (0.0, None, {}))
    if whose != person or time.monotonic() - read_at > FRESH_S:
        found = list_unsent(workspace(), person)
        state.remember(_MEMORY, (time.monotonic(), person, found))
    known: dict[str, Any] = found
    return known
