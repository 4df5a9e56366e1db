"""The fields of the editor: code editors or plain text areas, and the choices that conflicts ask for."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from authoring.store.autosaves import ANSWER, Autosave
from authoring.store.people import Role
from authoring.ui import actions, state
from authoring.ui.boundary import writes
from authoring.ui.comments.line_comments import begin_on_line, line_shown, tabs_key
from authoring.ui.drawing.differences import LANGUAGES, draw_field_difference
from authoring.ui.editor.draft_view import Composed, diagnostics_by_field, known_words
from authoring.ui.editor.editing import (
    LABELS,
    Field,
    OpenDraft,
    accept_remote,
    apply_message,
    autosave_field,
    autosave_parcel,
    conflicts,
    field_of,
    is_own_save,
    is_untouched,
    keep_found,
    keep_mine,
    load_anew,
    resting_on,
)
from authoring.ui.inputs.code_editor import Editing, EditorMessage, code_editor, received
from authoring.ui.inputs.typed_text import keep_typed_text
from authoring.ui.preferences import prefers_plain_editors
from authoring.ui.shell.auth import current_user, may
from authoring.ui.widgets import draw_code, draw_diagnostics
from authoring.ui.workplace import workspace_root
from evaluator.diagnostics import Diagnostic
from evaluator.language.document_cells import DocumentCell

LONG: Final = 1240  # about 60 lines: a cell grows to what it holds, and scrolls beyond that
TALL: Final = 640  # the height of the whole text, in pixels; single fields grow with what they hold
HEIGHTS: Final = {"query": (72, 400), "code": (160, LONG), "settings": (72, LONG), "text": (TALL, TALL)}


class Sides(NamedTuple):
    """What the two texts of a choice are called, and the buttons that keep one."""

    before: str
    after: str
    take: str
    keep: str


PEOPLE: Final = Sides("Theirs", "Mine", "Take theirs", "Keep mine")
OWN: Final = Sides("What you saved", "This tab's", "Take what you saved", "Keep this tab's")
TABS: Final = Sides("The other tab's", "This tab's", "Take the other tab's", "Keep this tab's")
UNSENT: Final = Sides("What was saved", "Unsent", "Take what was saved", "Keep what was not sent")


def draw_fields(
    opened: OpenDraft,
    cell: DocumentCell,
    composed: Composed,
    notes: Mapping[str, Mapping[int, str]],
    choices: DeltaGenerator,
) -> None:
    """Draw the texts of one cell, what is wrong with them, and what people say about their lines.

    Choices between two texts of a field are drawn into `choices`.
    """
    faults = diagnostics_by_field(opened.draft, cell)
    words = known_words(opened.draft, cell)
    for name, original in cell.texts.items():
        field = field_of(opened, cell.key, name, original)
        title = LABELS[name] if cell.is_problem else "Setup code"
        run = partial(_run_from, opened.row.id, cell.key)
        draw_field(
            opened,
            field,
            title,
            faults=faults[name],
            words=words.get(name, ()),
            notes=notes.get(name, {}),
            run=run,
            choices=choices,
        )
    draw_diagnostics(composed.faults.get(cell.key, ()))
    if prefers_plain_editors():
        keep_typed_text()


def draw_field(
    opened: OpenDraft,
    field: Field,
    title: str,
    *,
    faults: Sequence[Diagnostic] = (),
    words: Sequence[str] = (),
    notes: Mapping[int, str] = MappingProxyType({}),
    run: Callable[[str], None],
    choices: DeltaGenerator | None = None,
) -> None:
    """Draw one text as the person prefers to edit it.

    Args:
        opened: The draft.
        field: Which text.
        title: What it is called.
        faults: What is wrong with it.
        words: Offered as completions.
        notes: Line -> what people say about it.
        run: Called when the keys for running are pressed, with `this` or `on`.
        choices: Where to draw what a conflict asks; None: below the text.
    """
    if not may(Role.ANNOTATOR):  # nothing would be kept of what they type
        st.caption(f"{title} · to read only: your roles do not include editing")
        draw_code(field.original, language=LANGUAGES[field.name])
    elif prefers_plain_editors():
        _draw_area(opened, field, title, choices)
    else:
        _draw_editor(opened, field, title, faults, words, notes, partial(_run, field, run), choices)


def draw_whole_text(opened: OpenDraft, field: Field, composed: Composed) -> None:
    """Draw the whole text of a problemset, and what is wrong with it."""
    run = partial(_run_from, opened.row.id, None)
    draw_field(opened, field, LABELS["text"], faults=composed.remarks, run=run)
    if prefers_plain_editors():
        keep_typed_text()
    draw_diagnostics(composed.remarks, empty="The text parses; nothing to remark.")


def _draw_area(opened: OpenDraft, field: Field, label: str, choices: DeltaGenerator | None) -> None:
    """Draw a text area; whatever is typed is autosaved as soon as the field loses focus."""
    known = state.field_state(field.identity)
    wanted, saved = _wanted(opened, field)
    shown = state.widget_value(field.area_key(known.load_no))
    if shown is not None and shown != wanted and is_untouched(field, str(shown), saved, known):
        known = replace(known, load_no=known.load_no + 1)  # the text was replaced under an untouched field
        shown = state.widget_value(field.area_key(known.load_no))
    if shown is None and known.typed is None:
        known = replace(known, saved_no=saved.saved_no if saved else None)
    key = field.area_key(known.load_no)
    if shown is None or known.text is None:
        known = replace(known, text=wanted if shown is None else str(shown))
    if shown == wanted or (shown is None and known.typed is None):
        known = resting_on(known, field, saved)
    state.set_field_state(field.identity, known)
    state.start_widget_value(key, wanted if known.typed is None else known.typed)
    height: Any = TALL if field.name == "text" else "content"
    st.text_area(label, key=key, height=height, on_change=autosave_field, args=(field,))
    _draw_conflict(opened, field, str(state.widget_value(key, wanted)), choices)


def _draw_editor(
    opened: OpenDraft,
    field: Field,
    label: str,
    faults: Sequence[Diagnostic],
    words: Sequence[str],
    notes: Mapping[int, str],
    run: Callable[[], None],
    choices: DeltaGenerator | None,
) -> None:
    """Draw a code editor; whatever is typed is autosaved after each pause."""
    known = _loaded(opened, field)
    state.set_field_state(field.identity, known)
    low, high = HEIGHTS[field.name]
    cell = opened.draft.find(field.cell_key)  # None: of the whole text, or of an answer to try
    shown = Editing(
        value=_wanted(opened, field)[0],
        label=label,
        spoken=_spoken(opened, field, label),
        language=LANGUAGES[field.name],
        session=state.tab_id(),
        load_no=known.load_no,
        last_seq=known.last_seq,
        theirs=known.theirs,
        offered=known.found is not None,
        mirror_key=_mirror_key(opened, field),
        wrap=True,
        prose=field.name == "query",
        min_height=low,
        max_height=high,
        words=words,
        diagnostics=faults,
        notes=notes,
        can_comment=cell is not None,
        shown=line_shown(field.identity),
    )
    on: dict[str, Callable[[], None]] = {
        "text": partial(autosave_parcel, field, "text"),
        "save": partial(_save, field),
        "run": run,
        "found": partial(keep_found, field),
    }
    if cell is not None:
        on["comment"] = partial(begin_on_line, field, tabs_key(opened.row.id, is_problem=cell.is_problem))
    code_editor(shown, key=field.editor_key, on=on)
    _draw_found(opened, field, choices)
    _draw_conflict(opened, field, known.text or "", choices)


def _spoken(opened: OpenDraft, field: Field, label: str) -> str:
    """Return a name that tells the editors of different problems apart."""
    cell = opened.draft.find(field.cell_key.removeprefix(ANSWER))
    return label if cell is None else f"{label.partition(' (')[0]} of {cell.label.lower()}"


def _loaded(opened: OpenDraft, field: Field) -> state.FieldState:
    """Return what this tab knows of a field, after replacing its text where the workspace holds another one."""
    known = state.field_state(field.identity)
    wanted, saved = _wanted(opened, field)
    shown = known.text if state.is_on_screen(field.editor_key) else None
    if shown is not None and shown == wanted:
        return resting_on(known, field, saved)
    if shown is not None and not is_untouched(field, shown, saved, known):
        return known
    own = saved is None and state.recall(f"saved:{field.problemset_id}") == opened.revision.id
    return replace(
        resting_on(known, field, saved),
        load_no=known.load_no + 1,
        saved_no=saved.saved_no if saved else None,
        text=wanted,
        theirs=known.text is not None and not own,
        refused=False,
    )


def _wanted(opened: OpenDraft, field: Field) -> tuple[str, Autosave | None]:
    saved = opened.autosave(field.cell_key, field.name)
    return (saved.text if saved is not None else field.original), saved


def _mirror_key(opened: OpenDraft, field: Field) -> str:
    """Return where a browser keeps what is typed; settings without an id stand under the query they belong to.

    The settings of many problems are the same, so that an editor would take those of another one for its own.
    """
    place = hashlib.sha256(str(workspace_root()).encode()).hexdigest()[:12]
    cell = opened.draft.find(field.cell_key)
    key = field.cell_key
    if cell is not None and field.name == "settings" and not cell.written_id:
        key = hashlib.sha256(cell.texts["query"].encode()).hexdigest()[:24]
    return ":".join(("bw", place, current_user(), str(field.problemset_id), key, field.name))


@writes(Role.ANNOTATOR)
def _save(field: Field) -> None:
    if _arrived(field, received(state.widget_value(field.editor_key), "save")):
        actions.save(field.problemset_id)


@writes(Role.ANNOTATOR, Role.REVIEWER)
def _run(field: Field, run: Callable[[str], None]) -> None:
    message = received(state.widget_value(field.editor_key), "run")
    if message is not None and _arrived(field, message):
        run(message.scope)


def _run_from(problemset_id: int, cell_key: str | None, scope: str) -> None:
    if scope == "this" or cell_key is None:
        actions.run(problemset_id, cell_key)
    else:
        actions.run_from(problemset_id, cell_key)


def _arrived(field: Field, message: EditorMessage | None) -> bool:
    if message is None or apply_message(field, message):
        return message is not None
    state.flash("warning", "the text was replaced while you pressed the keys", fix="look at it, then press them again")
    return False


def _draw_found(opened: OpenDraft, field: Field, choices: DeltaGenerator | None) -> None:
    known = state.field_state(field.identity)
    wanted, saved = _wanted(opened, field)
    if known.found is None or known.found == wanted:
        return
    what = "Unsent text of yours was found in this browser, and another text has been saved since."
    _draw_choice(field, "found", what, wanted, known.found, saved, load_anew, UNSENT, choices)


def _draw_conflict(opened: OpenDraft, field: Field, shown: str, choices: DeltaGenerator | None) -> None:
    saved = opened.autosave(field.cell_key, field.name)
    if saved is None:
        return
    if state.field_state(field.identity).saved_no != saved.saved_no and shown != saved.text:
        what = "Another tab of yours has saved a different text of this field."
        _draw_choice(field, "conflict", what, saved.text, shown, saved, load_anew, TABS, choices)
    elif saved in conflicts(opened):
        is_own = is_own_save(opened, [saved])
        what = f"{'You, in another tab,' if is_own else 'Somebody'} saved a revision that changes this field too."
        sides = OWN if is_own else PEOPLE
        _draw_choice(field, "conflict", what, field.original, saved.text, saved, accept_remote, sides, choices)


def _draw_choice(
    field: Field,
    kind: str,
    what: str,
    theirs: str,
    mine: str,
    saved: Autosave | None,
    take: Callable[[Field], None],
    sides: Sides,
    choices: DeltaGenerator | None,
) -> None:
    key = f"{kind}:{field.problemset_id}:{field.cell_key}:{field.name}"
    with (choices or st).container(border=True):
        st.warning(
            f"**{LABELS.get(field.name, 'Text')}: {what}** Compare both, then keep one.", icon=":material/call_split:"
        )
        draw_field_difference(theirs, mine, field.name, key=f"{key}:diff:{current_user()}", titles=sides[:2])
        with st.container(horizontal=True):
            st.button(f"{sides.take} (−)", key=f"{key}:theirs", on_click=take, args=(field,))
            number = saved.saved_no if saved else None
            st.button(f"{sides.keep} (+)", key=f"{key}:mine", on_click=keep_mine, args=(field, mine, number))
