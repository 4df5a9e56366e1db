"""Add, move and delete cells of a problemset: every other cell keeps its bytes, but for blank lines between cells."""

from collections.abc import Sequence
from typing import Final

from authoring.document.aligning import PlacedCell, PlacedCells, place_cells
from authoring.store.problemsets import find_problemset
from authoring.store.revisions import Revision, find_revision, save_revision
from authoring.store.workspace import Workspace
from evaluator.diagnostics import Severity
from evaluator.errors import ContentError, UsageError
from evaluator.language import problem_from_parts

FIRST: Final = "start"
"""Stands for the place before all cells."""


def text_with_problem(text: str, name: str, *, after: str, query: str, code: str, settings: str = "") -> str:
    """Return a text with a new problem after a cell.

    Args:
        text: The whole problemset.
        name: What it is called.
        after: Key of a cell, number of a problem, or `FIRST`.
        query: What the problem asks.
        code: Its reference code.
        settings: Its settings, YAML.

    Raises:
        ContentError: If the text or the problem cannot be read.
        UsageError: If there is no such cell.
    """
    placed = _placed(text, name)
    if not query.strip():
        raise ContentError("the new problem has no query", where=name, fix="write what the problem asks")
    made, diagnostics = problem_from_parts(query, settings, code)
    errors = [each for each in diagnostics if each.severity is Severity.ERROR]
    if made is None or made.raw is None or errors:
        what, fix = (errors[0].what, errors[0].fix) if errors else ("it cannot be read", "write it anew")
        raise ContentError(f"the new problem: {what}", where=name, fix=fix)
    at = 0 if after == FIRST else placed.cells.index(_found(placed, after)) + 1
    raws = [cell.raw for cell in placed.cells]
    return _checked(placed, [*raws[:at], made.raw.replace("\r\n", "\n"), *raws[at:]], name)


def text_with_move(text: str, name: str, cell: str, *, after: str) -> str:
    """Return a text in which a cell stands after another one, or first.

    Raises:
        ContentError: If the text cannot be read.
        UsageError: If there is no such cell.
    """
    placed = _placed(text, name)
    moved = _found(placed, cell)
    left = [each for each in placed.cells if each is not moved]
    target = None if after == FIRST else _found(placed, after)
    if target is moved:
        raise UsageError(f"{moved.name} cannot stand after itself", fix="name another cell")
    at = 0 if target is None else left.index(target) + 1
    return _checked(placed, [each.raw for each in (*left[:at], moved, *left[at:])], name)


def text_without(text: str, name: str, cell: str) -> str:
    """Return a text without one of its cells.

    Raises:
        ContentError: If the text cannot be read, or no problem would be left.
        UsageError: If there is no such cell.
    """
    placed = _placed(text, name)
    gone = _found(placed, cell)
    left = [each for each in placed.cells if each is not gone]
    if not any(each.is_problem for each in left):
        raise ContentError(f"{gone.name} is the only problem", where=name, fix="add another one first")
    return _checked(placed, [each.raw for each in left], name)


def save_reshaped(
    ws: Workspace, problemset_id: int, text: str, *, what: str, by: str, base_revision_id: int | None = None
) -> Revision:
    """Save a text that was made from the head as the new head; `base_revision_id`: the head that the person saw.

    Raises:
        ConflictError: If the head is another one now.
    """
    base = base_revision_id or find_problemset(ws, problemset_id).head_revision_id
    return save_revision(ws, problemset_id, text, base_revision_id=base, author=by, message=what)


def add_problem(
    ws: Workspace, ref: str | int, *, after: str, query: str, code: str, by: str, base_revision_id: int | None = None
) -> Revision:
    """Save a new revision of a problemset with a new problem after a cell; raises as `text_with_problem` does."""
    head = _head(ws, ref)
    text = text_with_problem(head.text, head.problemset_name, after=after, query=query, code=code)
    what = "added a problem first" if after == FIRST else f"added a problem after {after}"
    return save_reshaped(ws, head.problemset_id, text, what=what, by=by, base_revision_id=base_revision_id)


def move_cell(
    ws: Workspace, ref: str | int, cell: str, *, after: str, by: str, base_revision_id: int | None = None
) -> Revision:
    """Save a new revision of a problemset in which a cell stands elsewhere; raises as `text_with_move` does."""
    head = _head(ws, ref)
    text = text_with_move(head.text, head.problemset_name, cell, after=after)
    what = f"moved {cell} to the {FIRST}" if after == FIRST else f"moved {cell} after {after}"
    return save_reshaped(ws, head.problemset_id, text, what=what, by=by, base_revision_id=base_revision_id)


def delete_cell(ws: Workspace, ref: str | int, cell: str, *, by: str, base_revision_id: int | None = None) -> Revision:
    """Save a new revision of a problemset without a cell; raises as `text_without` does."""
    head = _head(ws, ref)
    text = text_without(head.text, head.problemset_name, cell)
    return save_reshaped(ws, head.problemset_id, text, what=f"deleted {cell}", by=by, base_revision_id=base_revision_id)


def _head(ws: Workspace, ref: str | int) -> Revision:
    return find_revision(ws, find_problemset(ws, ref).head_revision_id)


def _placed(text: str, name: str) -> PlacedCells:
    placed = place_cells(name, text)
    if not placed.parses:
        raise ContentError(f"{name!r} cannot be read", where=name, fix="repair the whole text first")
    return placed


def _found(placed: PlacedCells, name: str) -> PlacedCell:
    found = placed.find(name)
    if found is None:
        known = ", ".join(cell.key for cell in placed.cells)
        raise UsageError(f"there is no cell {name!r}", fix=f"use one of {known}, or the number of a problem")
    return found


def _checked(before: PlacedCells, raws: Sequence[str], name: str) -> str:
    """Return the cells joined, a blank line between two, and make sure that they read as they did."""
    line_end = "\r\n" if any("\r\n" in cell.raw for cell in before.cells) else "\n"
    spaced = [_ended(raw, line_end) for raw in raws[:-1]] + [raws[-1].rstrip() + line_end]
    text = before.preamble + "".join(spaced)
    read = [cell.raw.strip() for cell in place_cells(name, text).cells]
    if read != [raw.strip() for raw in raws]:
        what = "the cells would not read as before in their new order"
        raise ContentError(what, where=name, fix="edit the whole text instead")
    return text


def _ended(raw: str, line_end: str) -> str:
    tail = raw[len(raw.rstrip()) :]
    missing = max(0, 2 - tail.count("\n"))
    return raw + line_end * missing
