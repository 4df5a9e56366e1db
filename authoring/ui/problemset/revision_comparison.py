"""Two sides of a problemset beside each other: which verdicts moved, which texts changed, what was put out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import streamlit as st

from authoring.checks.standing import standing_of
from authoring.store import autosaves, dry_runs
from authoring.store.dry_runs import DryRunProblem
from authoring.store.problemsets import ProblemsetRow
from authoring.store.revisions import Revision
from authoring.store.revisions import find as find_revision
from authoring.store.statuses import ProblemsetStatus
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.clock import at_minute
from authoring.ui.drawing.differences import draw_field_difference
from authoring.ui.drawing.outputs import draw_error, draw_outputs
from authoring.ui.editor.draft_view import WHOLE, DraftView, cells_of, compose, open_draft
from authoring.ui.editor.editing import LABELS, load_draft
from authoring.ui.editor.moved_cells import followed
from authoring.ui.problemset.deciding import draw_restore, draw_verdict_on, why_not_accept
from authoring.ui.shell.auth import current_user
from authoring.ui.shell.navigation import page_link
from authoring.ui.standing import draw_standing
from authoring.ui.widgets import PAGE_SIZE, chip_text, draw_empty, draw_pager
from authoring.ui.wording import label, nothing_chip, plural, verdict_chip
from authoring.ui.workplace import environment
from evaluator.language.document_cells import DocumentCell

UNSAVED: Final = "unsaved:"


@dataclass(frozen=True)
class ComparedCell:
    """One cell of a text, as somebody saved or left it."""

    position: int  # among all cells, from 0
    label: str  # what lists call it
    title: str
    is_problem: bool
    texts: Mapping[str, str]  # by field


@dataclass(frozen=True)
class ComparedText:
    """One of two texts with what its dry run came to."""

    key: str  # in the address: the id of a revision, or `unsaved:NAME`
    title: str
    text: str
    cells: Mapping[str, ComparedCell]  # by key
    revision: Revision | None = None  # None: unsaved text
    judged: Mapping[str, DryRunProblem] = field(default_factory=dict)  # by id of the problem

    def verdicts(self, key: str) -> tuple[str, str, str] | None:
        """Return how reference, empty answer and agent were judged on a problem; None: no dry run says."""
        row = self.judged.get(key)
        return None if row is None else (row.reference_verdict, row.empty_verdict, row.agent_verdict)


def side_names(ws: Workspace, row: ProblemsetRow, revisions: Sequence[Revision]) -> dict[str, str]:
    """Return what can be compared, key -> title, newest first. Others' unsaved text counts where one has some too."""
    named = {
        str(each.id): f"{each.number} · {each.author} · {at_minute(each.created_at)}"
        for each in sorted(revisions, key=lambda each: -each.number)
    }
    people = autosaves.people(ws, row.id)
    mine = current_user()
    if mine not in people:
        return named
    unsaved = {f"{UNSAVED}{mine}": "my unsaved text"}
    unsaved |= {f"{UNSAVED}{person}": f"unsaved text of {person}" for person in people if person != mine}
    return {**unsaved, **named}


def load_side(ws: Workspace, row: ProblemsetRow, key: str) -> ComparedText:
    """Return one side as `side_names` named it."""
    if key.startswith(UNSAVED):
        return _unsaved(ws, row, key)
    revision = find_revision(ws, int(key))
    dry_run = dry_runs.latest(ws, revision.id)
    judged = {problem.problem_id: problem for problem in dry_run.problems} if dry_run else {}
    cells = _as_saved(revision.problemset_name, revision.text)
    return ComparedText(key, f"Revision {revision.number}", revision.text, cells, revision, judged)


def _unsaved(ws: Workspace, row: ProblemsetRow, key: str) -> ComparedText:
    person = key.removeprefix(UNSAVED)
    head = find_revision(ws, row.head_revision_id)
    typed = autosaves.select(ws, person, row.id)
    elsewhere = dict(followed(ws, typed, head, cells_of(row.name, head.text)))
    draft = open_draft(row.name, head.id, head.text, [elsewhere.get(saved, saved) for saved in typed])
    title = "My unsaved text" if person == current_user() else f"Unsaved text of {person}"
    if WHOLE in draft.edits:
        text = draft.edits[WHOLE]
        return ComparedText(key, title, text, _as_saved(row.name, text))
    return ComparedText(
        key, title, compose(draft).text or head.text, {cell.key: _as_left(draft, cell) for cell in draft.cells}
    )


def _as_saved(name: str, text: str) -> dict[str, ComparedCell]:
    return {
        cell.key: ComparedCell(cell.position, cell.label, cell.title, cell.is_problem, cell.texts)
        for cell in cells_of(name, text)
    }


def _as_left(draft: DraftView, cell: DocumentCell) -> ComparedCell:
    texts = {name: draft.value(cell, name) for name in cell.texts}
    return ComparedCell(cell.position, cell.label, cell.title, cell.is_problem, texts)


VIEWS: Final = ("texts", "outputs", "verdicts")
COLUMNS: Final = ("reference", "empty answer", "agent")


def draw_choice(row: ProblemsetRow, names: dict[str, str]) -> tuple[str, str]:
    """Draw the two lists to choose from, and return what they show."""
    keys = list(names)
    newest = str(row.head_revision_id)
    after = state.param("b") if state.param("b") in names else newest
    saved = [key for key in keys if key.isdigit() and key != after]
    before = state.param("a") if state.param("a") in names else next(iter(saved), newest)
    chosen = {"a": str(before), "b": str(after)}
    with st.container(horizontal=True):
        for side, title in (("a", "Before"), ("b", "After")):
            key = f"compare:{row.id}:{side}"
            state.put_widget_value(key, chosen[side])
            st.selectbox(
                title,
                keys,
                format_func=names.__getitem__,
                key=key,
                on_change=state.copy_to_param,
                args=(key, side),
                width=320,
            )
    return chosen["a"], chosen["b"]


def draw_view_choice() -> str:
    """Draw which of texts, outputs and verdicts to show, and return it."""
    view = state.param("view")
    state.put_widget_value("compare:view", view if view in VIEWS else VIEWS[0])
    picked = st.segmented_control(
        "Show", VIEWS, key="compare:view", required=True, on_change=state.copy_to_param, args=("compare:view", "view")
    )
    return str(picked or VIEWS[0])


def draw_decisions(ws: Workspace, row: ProblemsetRow, before: ComparedText, after: ComparedText) -> None:
    """Draw what can be decided from here: accept or send back the newer side, restore the older one."""
    with st.container(horizontal=True, vertical_alignment="center"):
        page_link("editor", "Open in the editor", icon=":material/edit:", set=row.id, pid=state.param("pid"))
        revision = after.revision
        if revision is not None and revision.id == row.head_revision_id and row.status != ProblemsetStatus.ACCEPTED:
            standing = standing_of(ws, revision.id, environment())
            draw_standing(standing, row.id)
            why_not = why_not_accept(load_draft(ws, row), standing)
            remark = plural(row.open_comments, "open comment") if row.open_comments else ""
            sent_back = row.status == ProblemsetStatus.SENT_BACK
            draw_verdict_on(revision, why_not, where="compare", sent_back=sent_back, remark=remark)
        elif revision is not None and revision.id != row.head_revision_id:
            st.caption(f"Revision {row.head_number} is the newest: decide on that one.", width="content")
        if before.revision is not None and before.revision.id != row.head_revision_id:
            draw_restore(before.revision, row.head_revision_id, where="compare")


def draw_moved_verdicts(before: ComparedText, after: ComparedText) -> None:
    """Draw in which problems a verdict is another one now."""
    if not before.judged or not after.judged:
        missing = [side.title for side in (before, after) if not side.judged]
        st.caption(f"Verdicts cannot be compared without a dry run of {', '.join(label(title) for title in missing)}.")
        return
    moved = moved_verdicts(before, after)
    if not moved:
        st.caption(":material/check: No verdict changed.")
        return
    st.markdown(f"**{plural(len(moved), 'problem')} with other verdicts**")
    for key, changes in moved[:PAGE_SIZE]:
        st.markdown(f"{label(key)}: " + ", ".join(f"{column} {_moved(column, *pair)}" for column, pair in changes))


def moved_verdicts(before: ComparedText, after: ComparedText) -> list[tuple[str, list[tuple[str, tuple[str, str]]]]]:
    """Return the problems on both sides whose verdicts differ, each with (column, (before, after))."""
    found = []
    for key in after.judged:
        then, now = before.verdicts(key), after.verdicts(key)
        if then is not None and now is not None and then != now:
            pairs = zip(COLUMNS, zip(then, now, strict=True), strict=True)
            found.append((key, [(column, pair) for column, pair in pairs if pair[0] != pair[1]]))
    return found


def draw_texts(before: ComparedText, after: ComparedText, problem: str | None) -> None:
    """Draw the cells whose text differs, one problem first if it is named."""
    if not before.cells or not after.cells:
        key = f"compare:{before.key}:{after.key}"
        draw_field_difference(
            before.text, after.text, "text", key=key, label="Whole text", titles=_titles(before, after)
        )
        return
    keys = sorted(changed_cells(before, after), key=lambda key: (key != problem, _position(before, after, key)))
    if not keys:
        draw_empty("No problem differs", "Both sides hold the same cells.")
    offset = draw_pager(len(keys), key=f"compare:{before.key}:{after.key}:page")
    for key in keys[offset : offset + PAGE_SIZE]:
        _draw_cell(before, after, key)


def draw_both_outputs(before: ComparedText, after: ComparedText, problem: str | None) -> None:
    """Draw what the references put out on both sides, where it differs."""
    keys = sorted({*before.judged, *after.judged}, key=lambda key: (key != problem, _number(before, after, key)))
    differing = [key for key in keys if _put_out(before.judged.get(key)) != _put_out(after.judged.get(key))]
    same = len(keys) - len(differing)
    st.caption(f"The same on both sides: {plural(same, 'problem')}.")
    offset = draw_pager(len(differing), key=f"outputs:{before.key}:{after.key}:page")
    for key in differing[offset : offset + PAGE_SIZE]:
        with st.container(border=True):
            st.header(label(key), anchor=False)
            for side, column in zip((before, after), st.columns(2), strict=True):
                with column:
                    st.caption(label(side.title))
                    _draw_outputs(side, key)


def draw_verdict_table(before: ComparedText, after: ComparedText) -> None:
    """Draw the verdicts on all problems of both sides."""
    keys = sorted({*before.judged, *after.judged}, key=lambda key: _number(before, after, key))
    if not keys:
        draw_empty("Neither side was dry-run", "Order a dry run on the problemset's page.")
        return
    offset = draw_pager(len(keys), key=f"verdicts:{before.key}:{after.key}:page")
    rows = []
    for key in keys[offset : offset + PAGE_SIZE]:
        then, now = before.verdicts(key), after.verdicts(key)
        cells = {
            column: _moved(column, then[at] if then else "none", now[at] if now else "none")
            for at, column in enumerate(COLUMNS)
        }
        rows.append({"problem": label(key), **cells})
    st.table(rows, border="horizontal")


def changed_cells(before: ComparedText, after: ComparedText) -> list[str]:
    """Return the keys of the cells that are not the same on both sides."""
    old, new = before.cells, after.cells
    return [key for key in {**old, **new} if key not in old or key not in new or old[key].texts != new[key].texts]


def _draw_cell(before: ComparedText, after: ComparedText, key: str) -> None:
    old, new = before.cells.get(key), after.cells.get(key)
    cell = new or old
    assert cell is not None
    fate = "" if old and new else " · added" if new else " · removed"
    with st.container(border=True):
        st.header(f"{cell.label}{f': {label(cell.title)}' if cell.title else ''}{fate}", anchor=False)
        for name in cell.texts:
            then, now = (each.texts.get(name, "") if each else "" for each in (old, new))
            if then != now:
                title = LABELS[name] if cell.is_problem else "Setup code"
                st.caption(title)
                where = f"compare:{before.key}:{after.key}:{key}:{name}"
                titles = _titles(before, after)
                draw_field_difference(then, now, name, key=where, titles=titles, label=f"{cell.label}, {title}")


def _draw_outputs(side: ComparedText, key: str) -> None:
    row = side.judged.get(key)
    if row is None:
        st.caption("Not executed.")
        return
    where = f"compare:{side.key}:{key}"
    if row.error:
        draw_error(row.error, key=f"{where}:error")
    draw_outputs([each for each in row.outputs if not (row.error and each.get("output_type") == "error")], key=where)


def _put_out(row: DryRunProblem | None) -> object:
    return None if row is None else (row.outputs, (row.error or {}).get("name"), (row.error or {}).get("message"))


def _moved(column: str, then: str, now: str) -> str:
    chip = nothing_chip if column == "empty answer" else verdict_chip
    return chip_text(chip(now)) if then == now else f"{chip_text(chip(then))} → {chip_text(chip(now))}"


def _titles(before: ComparedText, after: ComparedText) -> tuple[str, str]:
    return before.title, after.title


def _position(before: ComparedText, after: ComparedText, key: str) -> int:
    return (after.cells.get(key) or before.cells[key]).position


def _number(before: ComparedText, after: ComparedText, key: str) -> int:
    rows: Sequence[DryRunProblem | None] = (after.judged.get(key), before.judged.get(key))
    return next((row.index for row in rows if row is not None), 0)
