"""Cells without an id are known by their number: unsaved text and a tab's fields follow a cell that others moved."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from authoring.store import revisions
from authoring.store.autosaves import ANSWER, Autosave, relocate, select
from authoring.store.revisions import Revision
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.editor.draft_view import WHOLE, cells_of
from evaluator.errors import ToolkitError, UsageError
from evaluator.language.document_cells import DocumentCell, align_cells

Names = Mapping[str, str]  # key of a cell in the head -> what the tab knows it and its fields by


def followed(
    ws: Workspace, autosaves: Sequence[Autosave], head: Revision, cells: Sequence[DocumentCell]
) -> list[tuple[Autosave, Autosave]]:
    """Return the unsaved texts whose cell has another key in the head than in the revision they were begun on.

    Each is paired with itself as it belongs to the head; where that cell is gone, or somebody changed the same field
    of it, with itself under the name of what belongs to no cell.

    Args:
        ws: The workspace.
        autosaves: Unsaved texts of one problemset.
        head: Its head.
        cells: Those of the head; none: its text does not parse, and nothing follows.
    """
    bases: dict[int, tuple[DocumentCell, ...]] = {head.id: ()}
    found = []
    for saved in autosaves if cells else ():
        if (saved.problem, saved.field) != WHOLE and saved.base_revision_id not in bases:
            bases[saved.base_revision_id] = _cells_then(ws, head, saved.base_revision_id)
        moved = _followed(saved, bases.get(saved.base_revision_id, ()), cells, head.id)
        found += [(saved, moved)] if moved != saved else []
    return found


def _followed(saved: Autosave, before: Sequence[DocumentCell], cells: Sequence[DocumentCell], head_id: int) -> Autosave:
    key = saved.problem.removeprefix(ANSWER)
    then = next((cell for cell in before if cell.key == key), None)
    if then is None:
        return saved
    position = align_cells(before, cells).get(then.position)
    now = None if position is None else cells[position]
    if now is not None and now.key == key:
        return saved
    is_answer = saved.problem.startswith(ANSWER)
    if now is None or (not is_answer and now.texts.get(saved.field) != then.texts.get(saved.field)):
        return replace(saved, problem=saved.stray_name)
    return replace(saved, problem=f"{ANSWER if is_answer else ''}{now.key}", base_revision_id=head_id)


def _cells_then(ws: Workspace, head: Revision, revision_id: int) -> tuple[DocumentCell, ...]:
    try:
        return cells_of(head.problemset_name, revisions.find(ws, revision_id).text)
    except UsageError:  # it is no revision of this workspace
        return ()


def follow(
    ws: Workspace, autosaves: Sequence[Autosave], head: Revision, cells: Sequence[DocumentCell]
) -> Sequence[Autosave]:
    """Keep a person's unsaved texts in a set under the cells they belong to, and return them all.

    While the workspace cannot be written they are returned so and kept as they were: none is shown, or saved, in
    another cell than its own.
    """
    moved = followed(ws, autosaves, head, cells)
    if not moved:
        return autosaves
    try:
        relocate(ws, moved)
    except ToolkitError:
        elsewhere = dict(moved)
        return [elsewhere.get(saved, saved) for saved in autosaves]
    state.flash("info", _words(moved, cells))
    return select(ws, moved[0][0].person, head.problemset_id)


def _words(moved: Sequence[tuple[Autosave, Autosave]], cells: Sequence[DocumentCell]) -> str:
    labels = {cell.key: cell.label.lower() for cell in cells}
    places = {labels.get(new.problem.removeprefix(ANSWER), "") for _, new in moved}
    now = ", ".join(sorted(place for place in places if place))
    moved_words = f"somebody moved cells, and your unsaved text moved with them: it belongs to {now} now" if now else ""
    lost_words = "your unsaved text of a cell that somebody changed or deleted is kept beside the editors"
    return "; ".join([*([moved_words] if now else []), *([lost_words] if "" in places else [])])


def names_in_tab(ws: Workspace, head: Revision, cells: Sequence[DocumentCell]) -> Names:
    """Return what this tab knows the cells by: a cell keeps its name when its number changes."""
    memory = f"names:{head.problemset_id}"
    revision_id, names = state.recall(memory, (head.id, {cell.key: cell.key for cell in cells}))
    if revision_id != head.id and cells:
        before = _cells_then(ws, head, revision_id)
        same = {after: before[then].key for then, after in align_cells(before, cells).items()}
        names = _carried(names, same, head.id, cells)
    state.remember(memory, (head.id if cells else revision_id, names))
    return dict(names)


def _carried(names: Names, same: Mapping[int, str], head_id: int, cells: Sequence[DocumentCell]) -> Names:
    kept = {cell.key: names[same[cell.position]] for cell in cells if same.get(cell.position) in names}
    taken = {*names.values(), *kept.values()}
    fresh = {cell.key: cell.key if cell.key not in taken else f"{cell.key}@{head_id}" for cell in cells}
    return {**fresh, **kept}
