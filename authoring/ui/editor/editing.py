"""Editing a revision: what the draft shows, autosaves that lose nothing, conflicts that nobody wins silently."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

from authoring.store import problemsets, revisions
from authoring.store.autosaves import ANSWER, Autosave, stray_name
from authoring.store.autosaves import drop as drop_autosaves
from authoring.store.autosaves import save as save_autosave
from authoring.store.autosaves import select as list_autosaves
from authoring.store.database.connections import ConflictError
from authoring.store.people import Role
from authoring.store.problemsets import ProblemsetRow
from authoring.store.revisions import Revision
from authoring.store.settings import workspace_validators
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import ANYONE, writes
from authoring.ui.editor.draft_view import WHOLE, Composed, DraftView, FieldKey, cells_of, compose, open_draft
from authoring.ui.editor.moved_cells import Names, follow, names_in_tab
from authoring.ui.inputs.code_editor import EditorMessage, component_key, received
from authoring.ui.shell.auth import current_user, require
from authoring.ui.workplace import workspace
from evaluator.errors import ContentError
from evaluator.language import error_of_diagnostics
from evaluator.language.document_cells import DocumentCell

LABELS: Final = {
    "query": "Query",
    "code": "Reference code",
    "settings": "Settings (YAML): validator, limits, tags",
    "text": "Whole problemset",
}


class UnsoundTextError(ContentError):
    """The text on the screen has errors, so that nothing can be made of it; what tells so goes when it has none."""


@dataclass(frozen=True)
class OpenDraft:
    """A draft together with the rows it was made from."""

    row: ProblemsetRow
    revision: Revision  # the head
    draft: DraftView
    autosaves: tuple[Autosave, ...]
    names: Names  # key of a cell -> what the fields of the tab know it by, also where others moved it

    @property
    def strays(self) -> list[Autosave]:
        """The unsaved texts that fit no field of the revision; saving leaves them alone."""
        fields = {(cell.key, name) for cell in self.draft.cells for name in cell.texts}
        kept = (saved for saved in self.autosaves if not is_answer(saved) or saved.is_stray)
        return [saved for saved in kept if (saved.problem, saved.field) not in {*fields, WHOLE}]

    def shown(self, cell_key: str | None) -> DocumentCell | None:
        """Return the cell that had this key on the tab's last screen; somebody may have moved it since."""
        name = state.recall(f"shown:{self.row.id}", {}).get(cell_key, cell_key)
        return next((cell for cell in self.draft.cells if self.names.get(cell.key) == name), None)

    def autosave(self, cell_key: str, field: str) -> Autosave | None:
        """Return the unsaved text of a field."""
        return next((saved for saved in self.autosaves if (saved.problem, saved.field) == (cell_key, field)), None)


def load_draft(ws: Workspace, row: ProblemsetRow) -> OpenDraft:
    """Open the head revision with the current person's unsaved text, each under the cell it was written for."""
    revision, own = revisions.find(ws, row.head_revision_id), workspace_validators(ws)
    cells = open_draft(row.name, revision.id, revision.text, (), own).cells
    autosaves = follow(ws, list_autosaves(ws, current_user(), row.id), revision, cells)
    draft = open_draft(row.name, revision.id, revision.text, autosaves, own)
    return OpenDraft(row, revision, draft, tuple(autosaves), names_in_tab(ws, revision, cells))


@dataclass(frozen=True)
class Field:
    """One text of one cell, of one person: what an autosave is kept under."""

    problemset_id: int
    cell_key: str
    name: str
    original: str  # its text in the revision
    base_revision_id: int
    cell_name: str  # what the tab knows the cell by

    @property
    def identity(self) -> tuple[str, ...]:
        """What the state of a tab knows the field by."""
        return (current_user(), str(self.problemset_id), self.cell_name, self.name)

    @property
    def editor_key(self) -> str:
        """The key of the code editor that shows the field."""
        return component_key("code", *self.identity)

    def area_key(self, load_no: int) -> str:
        """Return the key of the text area that shows the field."""
        return ":".join(("edit", *self.identity, str(load_no)))


def field_of(opened: OpenDraft, cell_key: str, name: str, original: str) -> Field:
    """Return a field of the draft."""
    start = ANSWER if cell_key.startswith(ANSWER) else ""
    key = cell_key.removeprefix(ANSWER)
    cell_name = f"{start}{opened.names.get(key, key)}"
    return Field(opened.row.id, cell_key, name, original, opened.revision.id, cell_name)


def answer_field(opened: OpenDraft, cell_key: str) -> Field:
    """Return the field in which a person tries an answer to a problem; no revision ever holds it."""
    return field_of(opened, f"{ANSWER}{cell_key}", "code", "")


def is_answer(saved: Autosave) -> bool:
    """Return whether an autosave is an answer that somebody tries, not a text of the problemset."""
    return saved.problem.startswith(ANSWER)


@writes(Role.ANNOTATOR, typing=True)
def autosave_field(field: Field) -> None:
    """Keep what was typed into a text area, or forget the autosave when it is the revision's own text again."""
    _store_area(field)


@writes(Role.ANNOTATOR, typing=True)
def autosave_parcel(field: Field, event: str) -> None:
    """Keep what a code editor sent with an event."""
    message = received(state.widget_value(field.editor_key), event)
    if message is not None:
        apply_message(field, message)


@writes(ANYONE, typing=True)
def keep_found(field: Field) -> None:
    """Remember text that the browser held and that never arrived, until the person decides about it."""
    sent = received(state.widget_value(field.editor_key), "found")
    if sent is not None:
        state.set_field_state(field.identity, replace(state.field_state(field.identity), found=sent.text))


def apply_message(field: Field, message: EditorMessage) -> bool:
    """Store a text that a code editor sent, unless it did already; tells whether the text belongs to what is shown.

    A text on top of something that was replaced meanwhile is not stored: the editor sends it again, or offers it.
    """
    known = state.field_state(field.identity)
    if (message.session, message.load_no) != (state.tab_id(), known.load_no):
        return False
    if message.number <= known.last_seq:
        return True
    try:
        _store(field, message.text)
    except ConflictError:
        _note(field, text=message.text, last_seq=message.number, refused=True)  # shown beside the saved text
        raise
    _note(field, last_seq=message.number)
    return True


def store_shown_fields(opened: OpenDraft) -> bool:
    """Autosave what the fields on the screen hold and no callback has stored yet; tells whether there was any.

    A click on a button can arrive together with the text that was typed last, and their callbacks in any order.
    """
    stored = [_store_shown(field) for field in _fields(opened)]  # all of them, before asking whether any was
    return any(stored)


def _fields(opened: OpenDraft) -> Iterator[Field]:
    for cell in opened.draft.cells:
        for name, original in cell.texts.items():
            yield field_of(opened, cell.key, name, original)
        if cell.is_problem:
            yield answer_field(opened, cell.key)
    yield field_of(opened, *WHOLE, opened.revision.text)


def _store_shown(field: Field) -> bool:
    known = state.field_state(field.identity)
    if state.is_on_screen(field.editor_key):
        message = received(state.widget_value(field.editor_key), "text")
        if known.refused and known.text is not None:
            _store(field, known.text)  # raises again: nothing is done with a text that is not the one on the screen
        return message is not None and message.number > known.last_seq and apply_message(field, message)
    shown = state.widget_value(field.area_key(known.load_no))
    if shown is None or known.text is None or shown == known.text:
        return False
    _store_area(field)
    return True


def _store_area(field: Field) -> None:
    known = state.field_state(field.identity)
    text = str(state.widget_value(field.area_key(known.load_no), field.original))
    _note(field, typed=text)
    _store(field, text)
    _note(field, typed=None)


def is_untouched(field: Field, shown: str, saved: Autosave | None, known: state.FieldState) -> bool:
    """Return whether a text on the screen is not of this tab's person's typing since it was loaded."""
    if known.text is not None and shown != known.text:
        return False  # typed, and not stored yet: a full disk or a locked workspace must not cost it
    return shown == field.original or saved is None or saved.saved_no == known.saved_no


def resting_on(known: state.FieldState, field: Field, saved: Autosave | None) -> state.FieldState:
    """Return the state of a field that shows what the workspace holds: what is typed now rests on that."""
    base = field.base_revision_id if saved is None else saved.base_revision_id
    return replace(known, base_revision=base, base_key=field.cell_key)


def open_choices(opened: OpenDraft) -> list[Autosave]:
    """Return the texts of other tabs beside which the tab's screen holds typed ones: one of the two is to be chosen."""
    found = []
    for field in _fields(opened):
        known, saved = state.field_state(field.identity), opened.autosave(field.cell_key, field.name)
        on_screen = known.text if state.is_on_screen(field.editor_key) else None
        shown = state.widget_value(field.area_key(known.load_no), on_screen)
        if saved is None or shown in (None, saved.text) or is_answer(saved):
            continue
        if known.saved_no != saved.saved_no and not is_untouched(field, shown, saved, known):
            found.append(saved)
    return found


def _store(field: Field, text: str) -> None:
    require(Role.ANNOTATOR)
    known = state.field_state(field.identity)
    if text != known.text:
        state.drop_notices("success", "info")  # they speak of the text before
    if text == field.original:
        person, problemset_id = current_user(), field.problemset_id
        drop_autosaves(workspace(), person, problemset_id, problem=field.cell_key, field=field.name)
        _note(field, saved_no=None, text=text, refused=False)
        return
    saved_no = _autosave(_where_typed(field, known), text, known.saved_no)
    _note(field, saved_no=saved_no, text=text, refused=False)


def _where_typed(field: Field, known: state.FieldState) -> Field:
    """Return a field with the revision that was typed on; where its cell moved since, as what it is in the head.

    What was typed into a cell that moved, on a text that somebody changed, belongs to no cell.
    """
    base = known.base_revision
    if base == 0 or known.base_key == field.cell_key:
        return replace(field, base_revision_id=base or field.base_revision_id)
    then = _text(revisions.find(workspace(), base), known.base_key, field.name)
    if field.cell_key.startswith(ANSWER) or then == field.original:
        return field
    aside = f"{stray_name(base, known.base_key)}:{state.tab_id()}"  # other tabs may have put theirs aside
    return replace(field, cell_key=aside, base_revision_id=base)


def _autosave(field: Field, text: str, expected_saved_no: int | None) -> int:
    return save_autosave(
        workspace(),
        person=current_user(),
        problemset_id=field.problemset_id,
        problem=field.cell_key,
        field=field.name,
        text=text,
        base_revision_id=field.base_revision_id,
        writer=state.tab_id(),
        expected_saved_no=expected_saved_no,
    )


@writes(Role.ANNOTATOR)
def accept_remote(field: Field) -> None:
    """Forget the unsaved text of a field."""
    drop_autosaves(workspace(), current_user(), field.problemset_id, problem=field.cell_key, field=field.name)
    load_anew(field)


@writes(Role.ANNOTATOR)
def keep_mine(field: Field, text: str, saved_no: int | None) -> None:
    """Put the unsaved text of a field on top of what others saved meanwhile."""
    _autosave(field, text, saved_no)
    load_anew(field)


def put_text(field: Field, text: str) -> None:
    """Replace the text of a field by one that the app made, as an unsaved change; call it from a callback.

    Raises:
        ConflictError: If another tab of the person has changed the field.
    """
    _note(field, base_revision=0)
    _store(field, text)
    _load_anew(field)


@writes(ANYONE)
def load_anew(field: Field) -> None:
    """Show what the workspace holds instead of this tab's text; text that waited for a decision is dropped."""
    stored = list_autosaves(workspace(), current_user(), field.problemset_id)
    _see(
        field.problemset_id, [saved for saved in stored if (saved.problem, saved.field) == (field.cell_key, field.name)]
    )
    _load_anew(field)


def _load_anew(field: Field) -> None:
    known = state.field_state(field.identity)
    state.note_sent(field.area_key(known.load_no))
    _note(
        field,
        **{"load_no": known.load_no + 1, "saved_no": None, "text": None, "typed": None, "found": None},
        **{"theirs": False, "refused": False, "base_revision": 0},
    )


def _note(field: Field, **changes: Any) -> None:
    state.set_field_state(field.identity, replace(state.field_state(field.identity), **changes))


@writes(Role.ANNOTATOR)
def discard(problemset_id: int, cell_key: str | None) -> None:
    """Forget a person's unsaved texts of one cell, or of all; what another tab changed meanwhile is told first."""
    opened = load_draft(workspace(), problemsets.find(workspace(), problemset_id))
    cell = opened.shown(cell_key)
    cell_key = cell.key if cell is not None else cell_key
    others = [saved for saved in unseen(opened) if cell_key in (None, saved.problem)]
    if others:
        named = fields_in_words(opened, {(saved.problem, saved.field) for saved in others})
        what = f"nothing is dropped yet: another tab of yours has changed {named}"
        state.flash("warning", what, fix="look at it, then press again: that drops it, too")
        return
    dropped = [field for field in _fields(opened) if cell_key in (None, field.cell_key)]
    dropped = [field for field in dropped if opened.autosave(field.cell_key, field.name) is not None]
    state.note_sent(*(field.area_key(state.field_state(field.identity).load_no) for field in dropped))
    count = drop_autosaves(workspace(), current_user(), problemset_id, problem=cell_key)
    state.flash("info", f"dropped {count} unsaved text{'' if count == 1 else 's'}")


def conflicts(opened: OpenDraft) -> list[Autosave]:
    """Return the unsaved texts whose field somebody else changed since they were begun."""
    ws = workspace()
    bases: dict[int, dict[str, DocumentCell]] = {}
    found = []
    for saved in opened.autosaves:
        if saved.base_revision_id == opened.revision.id or (saved.problem, saved.field) not in opened.draft.edits:
            continue
        if saved.base_revision_id not in bases:
            base = revisions.find(ws, saved.base_revision_id)
            bases[base.id] = {cell.key: cell for cell in cells_of(base.problemset_name, base.text)}
        cell, then = opened.draft.find(saved.problem), bases[saved.base_revision_id].get(saved.problem)
        if cell is None or then is None or cell.texts.get(saved.field) != then.texts.get(saved.field):
            found.append(saved)
    return found


def is_own_save(opened: OpenDraft, blocking: Collection[Autosave]) -> bool:
    """Return whether it was the person, in another tab, who last changed all that is in conflict with unsaved texts.

    In the whole text every revision since changed something.
    """
    begun = min(saved.base_revision_id for saved in blocking)
    later = [each for each in revisions.select(workspace(), opened.row.id) if each.id >= begun]
    return all(_changed_by(saved, later) == {current_user()} for saved in blocking)


def _changed_by(saved: Autosave, later: Sequence[Revision]) -> set[str]:
    """Return who last changed the field of an unsaved text since it was begun; of the whole text, all who did.

    Args:
        saved: The unsaved text.
        later: The revisions from that on which it, or one older, was begun, oldest first.
    """
    since = [each for each in later if each.id >= saved.base_revision_id]
    key = (saved.problem, saved.field)
    if key == WHOLE:
        return {each.author for each in since[1:]}
    pairs = list(pairwise(since))
    return next(
        ({after.author} for before, after in reversed(pairs) if _text(before, *key) != _text(after, *key)), set()
    )


def _text(revision: Revision, cell_key: str, field: str) -> str | None:
    """Return what a revision holds in a field; None: it has no such field."""
    cells = cells_of(revision.problemset_name, revision.text)
    return next((cell.texts.get(field) for cell in cells if cell.key == cell_key), None)


def note_shown(opened: OpenDraft) -> None:
    """Note what a tab shows, and, when it shows a set for the first time, what is unsaved in it; pages call it."""
    state.remember(f"shown:{opened.row.id}", opened.names)
    if state.recall(_seen_key(opened.row.id)) is None:
        _see(opened.row.id, opened.autosaves)


def shown_cell(opened: OpenDraft) -> DocumentCell | None:
    """Return the cell that the address names; where somebody moved it since, the address is brought in line."""
    key = state.param("pid")
    cell = opened.shown(key)
    if cell is not None and cell.key != key:
        state.set_param("pid", cell.key)
    return cell


def unseen(opened: OpenDraft) -> list[Autosave]:
    """Return what another tab of the person changed since this one first showed the set, and count it as told now."""
    seen = state.recall(_seen_key(opened.row.id), ())
    found = [
        saved
        for saved in opened.autosaves
        if (saved.problem, saved.field) in opened.draft.edits
        and saved.writer != state.tab_id()
        and saved.saved_no not in seen
    ]
    _see(opened.row.id, found)
    return found


def _see(problemset_id: int, autosaves: Iterable[Autosave]) -> None:
    key = _seen_key(problemset_id)
    state.remember(key, {*state.recall(key, ()), *(saved.saved_no for saved in autosaves)})


def _seen_key(problemset_id: int) -> str:
    return f"seen:{current_user()}:{problemset_id}"


def fields_in_words(opened: OpenDraft, keys: Collection[FieldKey]) -> str:
    """Return which texts some fields are: `problem 1 (query, settings), setup 1 (code)`."""
    if WHOLE in keys:
        return "the whole text"
    found: list[str] = []
    for cell in opened.draft.cells:
        names = [_short_name(cell, name) for name in cell.texts if (cell.key, name) in keys]
        found += [f"{cell.label.lower()} ({', '.join(names)})"] if names else []
    return ", ".join(found)


def _short_name(cell: DocumentCell, name: str) -> str:
    return LABELS[name].partition(" (")[0].lower() if cell.is_problem else name


def draft_on_screen(problemset_id: int) -> OpenDraft:
    """Return the person's draft with what the fields on the screen hold stored; for callbacks."""
    ws = workspace()
    row = problemsets.find(ws, problemset_id)
    opened = load_draft(ws, row)
    return load_draft(ws, row) if store_shown_fields(opened) else opened


def sound_text(opened: OpenDraft) -> str:
    """Return the text on the screen as it would be saved.

    Raises:
        UnsoundTextError: If it has errors; it names the first ones.
    """
    composed = compose(opened.draft)
    error = error_of_text(opened, composed)
    if error is not None:
        raise error
    assert composed.text is not None
    return composed.text


def error_of_text(opened: OpenDraft, composed: Composed) -> UnsoundTextError | None:
    """Return why nothing can be made of the text on the screen; it names the first errors. None: it has none."""
    if composed.text is None:
        key, faults = next(iter(composed.faults.items()))
        where = f"{opened.row.name}, {key}"
        if not faults:
            return UnsoundTextError(f"{key}: it cannot be put together", where=where, fix="look at its settings")
        first = faults[0]
        place = f"{key}, {first.path.name}, line {first.line}"
        return UnsoundTextError(f"{place}: {first.what}", where=where, fix=first.fix)
    if not composed.is_sound:
        found = error_of_diagnostics(opened.row.name, composed.remarks)
        return UnsoundTextError(found.what, where=found.where, fix=found.fix)
    return None


def change_settings(problemset_id: int, cell_key: str, change: Callable[[str], str]) -> None:
    """Change the settings of a problem as they stand on the screen, as an unsaved edit; for callbacks.

    Raises:
        ContentError: If there is no such problem any more, or `change` refuses the settings.
        ConflictError: If another tab of the person has changed them.
    """
    opened = draft_on_screen(problemset_id)
    cell = opened.shown(cell_key)
    if cell is None or not cell.is_problem:
        raise ContentError("there is no such problem any more", where=opened.row.name, fix="open another one")
    settings = change(opened.draft.value(cell, "settings"))
    put_text(field_of(opened, cell.key, "settings", cell.texts["settings"]), settings)
