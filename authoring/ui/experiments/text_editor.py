"""The file of an experiment: edited as YAML, checked while it is typed, saved over what its writer has seen."""

from collections import Counter
from typing import Final

import streamlit as st

from authoring.store import experiments
from authoring.store.experiments import ExperimentText
from authoring.store.people import Role
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import ANYONE, writes
from authoring.ui.drawing.differences import draw_difference
from authoring.ui.experiments.checking import CheckedText, check_text
from authoring.ui.inputs.typed_text import keep, sent, start_typed, typed, typed_area, unsent_fields
from authoring.ui.shell.auth import current_user
from authoring.ui.widgets import draw_diagnostics
from authoring.ui.workplace import workspace

HEIGHT: Final = 420
_DIGITS: Final = 16  # of a digest, in the names of fields


def field_of(name: str, digest: str) -> str:
    """Return the name of the field in which somebody edits an experiment as it was when they began."""
    return f"experiment:text:{name}:{digest[:_DIGITS]}"


def draw_text(ws: Workspace, stored: ExperimentText) -> bool:
    """Draw the editor; tells whether it holds what is not saved."""
    begun = _begun(stored)
    key = field_of(stored.name, begun)
    start_typed(key, stored.text)
    if begun == stored.digest[:_DIGITS]:
        state.remember(_shown(stored.name), (current_user(), begun, stored.text))
    is_outrun = begun != stored.digest[:_DIGITS]
    if is_outrun:
        st.warning(
            "**The file was changed while you wrote.** Below is what differs from it: save yours over it, or leave "
            "yours and take the file.",
            icon=":material/call_split:",
        )
        draw_difference(stored.text, typed(key), same="Your text is that of the file.")
    typed_area("Text of the experiment", key, stored.text, height=HEIGHT)
    is_changed = typed(key) != stored.text
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Save over the file" if is_outrun else "Save", key=f"{key}:save", type="primary", icon=":material/save:",
            on_click=save, args=(stored.name, begun, stored.digest),
        )  # fmt: skip
        if is_changed or is_outrun:
            st.button(
                "Take the file as it is", key=f"{key}:leave", icon=":material/undo:", on_click=leave,
                args=(stored.name, begun),
            )  # fmt: skip
        st.download_button(
            "Download", data=typed(key).encode("utf-8", "backslashreplace"), file_name=f"{stored.name}.yaml",
            mime="application/yaml", key=f"{key}:download", icon=":material/download:", on_click="ignore",
        )  # fmt: skip
    _draw_faults(typed(key), check_text(ws, stored.name, typed(key)))
    return is_changed


def draw_orphaned(name: str) -> None:
    """Draw what a person typed into an experiment whose file is gone or cannot be read; nothing, if that is nothing."""
    left = _unsaved(name)
    if not left:
        return
    key, begun = left[0], left[0].rpartition(":")[2]
    st.info("**What you typed and did not save** stands below.", icon=":material/edit_note:")
    typed_area("Text of the experiment", key, height=HEIGHT)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Save it as the file", key=f"{key}:save", type="primary", icon=":material/save:", on_click=save,
            args=(name, begun, ""), help="A file that is there all the same is not written over.",
        )  # fmt: skip
        st.button("Give it up", key=f"{key}:leave", icon=":material/delete:", on_click=give_up, args=(key,))


def _unsaved(name: str) -> list[str]:
    """Return the fields in which the person left text of that experiment; names of files may hold colons."""
    left = unsent_fields(f"experiment:text:{name}:")
    return [field for field in left if field == field_of(name, field.rpartition(":")[2])]


def _begun(stored: ExperimentText) -> str:
    """Return on which text the person writes: one that was left unsent stays, whatever the file says by now."""
    _keep_what_this_tab_holds(stored)
    digests = [field.rpartition(":")[2] for field in _unsaved(stored.name)]
    here = stored.digest[:_DIGITS]
    return next((digest for digest in digests if digest != here), here) if here not in digests else here


def _shown(name: str) -> str:
    return f"experiment:shown:{name}"


def _keep_what_this_tab_holds(stored: ExperimentText) -> None:
    """Keep what stands in this tab and was not saved, when the same person has saved another text in another tab."""
    whose, begun, began_with = state.recall(_shown(stored.name), ("", "", ""))
    key = field_of(stored.name, begun)
    if whose != current_user() or begun == stored.digest[:_DIGITS] or not state.is_on_screen(key):
        return
    if not _is_part_of(stored.text, typed(key), began_with):
        keep(key, typed(key))


def _is_part_of(saved: str, text: str, began_with: str) -> bool:
    """Return whether a saved text has every line that was added to another one, and none that was taken out of it.

    As where somebody goes on in a second tab with what was typed in the first.
    """
    there, mine, before = (Counter(each.splitlines()) for each in (saved, text, began_with))
    return not (mine - before) - there and all(there[line] <= mine[line] for line in before - mine)


def _draw_faults(text: str, checked: CheckedText) -> None:
    draw_diagnostics(checked.diagnostics)
    lines = text.splitlines()
    for fault in checked.diagnostics[:1]:
        if fault.line <= len(lines):
            st.code(f"{fault.line}  {lines[fault.line - 1][:300]}", language=None)
    if not checked.diagnostics:
        st.caption(":material/check: The text can be read; agents and models are looked at when it is checked below.")


@writes(Role.EVALUATOR)
def save(name: str, begun: str, seen: str) -> None:
    """Write what was typed over what the person has seen."""
    key = field_of(name, begun)
    text = str(state.widget_value(key) or "")
    saved = experiments.save(workspace(), name, text, base=seen)
    sent(key, shown=None)
    state.remember(_shown(name), ("", "", ""))
    state.replace_text(field_of(name, saved.digest), saved.text)
    state.flash("success", f"saved {name}.yaml")


@writes(ANYONE)
def leave(name: str, begun: str) -> None:
    """Give up what was typed."""
    stored = experiments.read(workspace(), name)
    sent(field_of(name, begun), shown=None)
    state.remember(_shown(name), ("", "", ""))
    state.replace_text(field_of(name, stored.digest), stored.text)


@writes(ANYONE)
def give_up(key: str) -> None:
    """Forget what was typed into a file that is gone."""
    sent(key, shown=None)
