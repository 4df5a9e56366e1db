"""The editor's frame: which problem it is, and the row of problems."""

from collections.abc import Collection, Mapping

import streamlit as st

from authoring.checks.standing import Standing
from authoring.ui import actions, state
from authoring.ui.editor.draft_view import Composed, DraftView, edited_words, problem_on
from authoring.ui.editor.editing import OpenDraft
from authoring.ui.editor.evidence import Evidence
from authoring.ui.editor.reviewed import Ticks, draw_tick
from authoring.ui.preferences import letter
from authoring.ui.queue.leasing import draw_holder
from authoring.ui.shell.navigation import page_link
from authoring.ui.standing import ChangedSince, draw_standing
from authoring.ui.widgets import draw_chip
from authoring.ui.wording import Chip, author_words, label, plural, status_chip
from evaluator.language import example_answers
from evaluator.language.document_cells import DocumentCell
from evaluator.scoring import Verdict, wanted_in_words


def draw_header(
    opened: OpenDraft,
    cell: DocumentCell,
    standing: Standing,
    composed: Composed,
    ticks: Ticks | None,
    passing: Mapping[str, bool | None],
    since: ChangedSince,
) -> None:
    """Draw where the reader is: the set, its revision and status, the problem, and whether it was reviewed."""
    row, author = opened.row, author_words(opened.revision.author, opened.revision.origin)
    head = st.container(key="desk_head")  # by its width the header stands in one row or in two
    with head.container(key="desk_header", horizontal=True, vertical_alignment="center"):
        page_link("problemset", f"**{label(row.name)}**", icon=":material/arrow_back:", set=row.id)
        draw_chip(status_chip(row.status))
        repaired = [key for key, passes in passing.items() if passes]
        draw_standing(standing, row.id, has_edits=opened.draft.has_edits, repaired=repaired, since=since)
        with st.container(key="desk_revision", width="content"):  # the first to go on a narrow screen
            st.caption(f"revision {row.head_number} by {author}", width="content")
        draw_holder(row)
    title = f": {label(cell.title)}" if cell.title else ""
    of = f" of {len(opened.draft.problems)}" if cell.is_problem else ""
    with head.container(key="desk_title", horizontal=True, vertical_alignment="center"):
        st.header(f"{cell.label}{of}{title}", anchor=False)
        draw_chip(_save_state(opened, composed))
        draw_tick(opened, cell, ticks)


def draw_rail(
    opened: OpenDraft,
    cell: DocumentCell,
    passing: Mapping[str, bool | None],
    commented: Collection[str],
    since: ChangedSince,
) -> None:
    """Draw the row of problems with how each one stands, which are `commented`, and the way to its neighbours."""
    checked = since.keys if since.is_pending else ()
    cells = opened.draft.cells
    keys = [each.key for each in cells]
    key = f"rail:{opened.row.id}"
    state.put_widget_value(key, cell.key)
    with st.container(key="desk_rail", horizontal=True, vertical_alignment="center"):
        at = keys.index(cell.key)
        st.button(
            "Previous",
            key=actions.NEIGHBOUR_BUTTONS[0],
            icon=":material/chevron_left:",
            shortcut=letter("K"),
            disabled=at == 0,
            on_click=actions.open_neighbour,
            args=(keys, cell.key, -1),
        )
        st.button(
            "Next",
            key=actions.NEIGHBOUR_BUTTONS[1],
            icon=":material/chevron_right:",
            shortcut=letter("J"),
            disabled=at == len(keys) - 1,
            on_click=actions.open_neighbour,
            args=(keys, cell.key, +1),
        )
        lost = [each.key for each in cells if passing[each.key] is False]
        st.button(
            "Next failing",
            key=actions.NEIGHBOUR_BUTTONS[2],
            icon=":material/skip_next:",
            shortcut=letter("F"),
            on_click=actions.open_failing,
            args=(keys, lost, cell.key),
        )
        names = {
            name: _mark(opened, each, passing[name], name in commented, is_checked=name in checked)
            for name, each in zip(keys, cells, strict=True)
        }
        st.pills(
            "Problems",
            keys,
            format_func=lambda name: names[name],
            key=key,
            on_change=actions.pick_cell,
            args=(key,),
            label_visibility="collapsed",
        )


def _save_state(opened: OpenDraft, composed: Composed) -> Chip:
    """Return whether there is text that no revision holds; where its words are cut, the pointer shows them whole."""
    if composed.faults:
        words = f"{_named(opened, composed.faults)} cannot be run or saved yet"
        about = f"{words[0].upper()}{words[1:]}: see below the settings. What you type is kept."
        return Chip(words, ":material/error:", "red", about)
    if opened.draft.has_edits:
        everywhere = edited_words(opened.draft, most=len(opened.draft.cells))
        about = (
            f"You have unsaved changes in {everywhere}. They are kept as you type; Save revision makes them a revision."
        )
        return Chip(f"unsaved changes in {edited_words(opened.draft)}", ":material/edit_note:", "gray", about)
    return Chip(f"all saved as revision {opened.row.head_number}", ":material/check:", "gray")


def _named(opened: OpenDraft, keys: Collection[str]) -> str:
    named = [cell.label.lower() for cell in opened.draft.cells if cell.key in keys]
    return named[0] if len(named) == 1 else plural(len(named), "cell")


def _mark(opened: OpenDraft, cell: DocumentCell, passes: bool | None, is_commented: bool, *, is_checked: bool) -> str:
    """Return a problem's number with one sign, always one: the row must not move when signs change.

    An open comment stands in the place of the sign of what passes or was not executed. `is_checked`: a dry run of the
    cell's newest text is on its way.
    """
    name = str(cell.number) if cell.is_problem else cell.label
    icon, colour = ":material/hourglass_empty:" if is_checked else ":material/remove:", "gray"
    if passes is not None:
        icon, colour = (":material/check:", "green") if passes else (":material/close:", "red")
    if is_commented and passes is not False:
        icon = ":material/comment:"
    if opened.draft.is_edited(cell):
        icon = ":material/edit_note:"
    return f"{name} :{colour}[{icon}]"


def passing_of(
    opened: OpenDraft, evidence: Mapping[str, Evidence | None], standing: Standing, unchanged: Collection[str]
) -> dict[str, bool | None]:
    """Return key -> whether a cell shows what it must, as far as is known.

    What the dry run found failing stays so behind a change of an earlier cell, until it is itself changed or run. A dry
    run of an earlier revision tells only of cells that are `unchanged`.
    """
    failing = {each.problem_id for each in standing.failing} if not standing.stale else set()
    if standing.is_earlier:
        failing &= {*unchanged}
    found: dict[str, bool | None] = {}
    has_changed = False  # this cell, or one before it: the dry run executed another text
    for cell in opened.draft.cells:
        is_edited = opened.draft.is_edited(cell)
        has_changed = has_changed or is_edited
        fails = cell.key in failing
        passes = _passes(opened.draft, cell, evidence.get(cell.key), fails=fails and not has_changed)
        found[cell.key] = False if passes is None and fails and not is_edited else passes
    return found


def _passes(draft: DraftView, cell: DocumentCell, evidence: Evidence | None, *, fails: bool) -> bool | None:
    """Return whether a cell shows what it must; None: its text was not executed, or an example was not judged."""
    if evidence is None or evidence.stale:
        return None
    if not cell.is_problem:
        return evidence.error is None and evidence.ending == "ok"
    if not evidence.reference_passes or evidence.nothing_passes or fails:
        return False
    return _examples_hold(draft, cell, evidence)


def _examples_hold(draft: DraftView, cell: DocumentCell, evidence: Evidence) -> bool | None:
    """Return whether all answers that a problem keeps get their verdicts; None: one of them was not judged.

    One that nobody could judge is the machine's fault, as in dry runs.
    """
    judged = {
        (each.get("side"), each.get("wanted"), str(each.get("code")).strip()): bool(each.get("holds"))
        or each.get("verdict") == Verdict.NOT_JUDGED
        for each in evidence.examples
    }
    problem = problem_on(draft, cell)
    kept = example_answers(problem) if problem is not None else ()
    found = [judged.get((each.side, wanted_in_words(each), each.code.strip())) for each in kept]
    return False if False in found else None if None in found else True
