"""What is on the screen, as a text that can be executed or saved."""

from collections.abc import Callable

from authoring.store import find_problemset
from authoring.ui.problem.desk import compose
from authoring.ui.problem.editing import OpenDesk, field_of, load_desk, put_text, store_shown_fields
from authoring.ui.workplace import workspace
from evaluator.errors import ContentError


def desk_on_screen(problemset_id: int) -> OpenDesk:
    """Return the person's desk with what the fields on the screen hold stored; for callbacks."""
    ws = workspace()
    row = find_problemset(ws, problemset_id)
    opened = load_desk(ws, row)
    return load_desk(ws, row) if store_shown_fields(opened) else opened


def sound_text(opened: OpenDesk) -> str:
    """Return the text on the screen as it would be saved.

    Raises:
        ContentError: If it has errors; it names the first one.
    """
    composed = compose(opened.desk)
    if composed.text is None:
        key, faults = next(iter(composed.faults.items()))
        first = faults[0] if faults else None
        raise ContentError(
            f"{key}: {first.what if first else 'the problem cannot be put together'}",
            where=f"{opened.row.name}, {key}",
            fix=first.fix if first else "look at its settings",
        )
    errors = [remark for remark in composed.remarks if remark.severity == "error"]
    if errors:
        raise ContentError(errors[0].what, where=f"{opened.row.name}, line {errors[0].line}", fix=errors[0].fix)
    return composed.text


def change_settings(problemset_id: int, cell_key: str, change: Callable[[str], str]) -> None:
    """Change the settings of a problem as they stand on the screen, as an unsaved edit; for callbacks.

    Raises:
        ContentError: If there is no such problem any more, or `change` refuses the settings.
        ConflictError: If another tab of the person has changed them.
    """
    opened = desk_on_screen(problemset_id)
    cell = opened.desk.find(cell_key)
    if cell is None or not cell.is_problem:
        raise ContentError("there is no such problem any more", where=opened.row.name, fix="open another one")
    settings = change(opened.desk.value(cell, "settings"))
    put_text(field_of(opened, cell.key, "settings", cell.texts["settings"]), settings)
