"""Comments in the editor: on a problem, or on one line of it, shown beside that line."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import streamlit as st

from authoring.store import revisions
from authoring.store.people import Role
from authoring.store.reviewing.reviews import Comment
from authoring.store.workspace import Workspace
from authoring.ui import actions, state
from authoring.ui.boundary import ANYONE, writes
from authoring.ui.comments.comment_threads import draw_comment, draw_mention
from authoring.ui.comments.comments_tab import open_comments_tab
from authoring.ui.editor.draft_view import cells_of
from authoring.ui.editor.editing import LABELS, Field, OpenDraft, apply_message, draft_on_screen, field_of
from authoring.ui.editor.results import draw_comment_button, newest_first
from authoring.ui.inputs.code_editor import LineShown, received
from authoring.ui.inputs.typed_text import keep_typed_text, typed_area
from authoring.ui.preferences import prefers_plain_editors
from authoring.ui.shell.auth import may
from authoring.ui.shell.navigation import page_link
from authoring.ui.widgets import THREADS_A_PAGE, draw_pager
from authoring.ui.wording import label
from evaluator.errors import ContentError
from evaluator.language.document_cells import DocumentCell

_QUERY: Final = re.compile(r"\s*(query|question)\s*:\s*([|>].*)?")


@dataclass(frozen=True)
class FieldLine:
    """A line of a field."""

    field: str
    line: int  # from 1, within the field
    quote: str = ""  # the line as it stood in the commented revision


def line_in_text(text: str, cells: Sequence[DocumentCell], cell: DocumentCell, field: str, line: int) -> int | None:
    """Return the line of a revision's text that is a line of one of its fields; None where there is no such line."""
    wanted = cell.texts.get(field, "").split("\n")
    if not 1 <= line <= len(wanted):
        return None
    start = _start(text, cells, cell, field)
    return None if start is None else min(start + line - 1, _end(text, cells, cell))


def place_in(text: str, cells: Sequence[DocumentCell], line: int) -> tuple[DocumentCell, FieldLine] | None:
    """Return the cell, and the line of its field, that a line of a revision's text is; None: it is in no cell."""
    cell = next((each for each in reversed(cells) if each.line <= line), None)
    lines = text.split("\n")
    if cell is None or line > len(lines):
        return None
    quote = lines[line - 1].strip()
    for field in ("code", "settings", "query"):
        start = _start(text, cells, cell, field) if field in cell.texts else None
        if start is not None and start <= line < start + cell.texts[field].rstrip("\n").count("\n") + 1:
            return cell, FieldLine(field, line - start + 1, quote)
    return cell, FieldLine("query" if "query" in cell.texts else "code", 1, quote)


def line_now(place: FieldLine, text: str) -> int | None:
    """Return where a commented line stands in a field's text now; None: it is not there any more, or several times."""
    lines = [each.strip() for each in text.split("\n")]
    if place.field == "query":  # its lines may be folded in the revision
        return min(place.line, len(lines))
    if place.line <= len(lines) and lines[place.line - 1] == place.quote:
        return place.line
    return lines.index(place.quote) + 1 if place.quote and lines.count(place.quote) == 1 else None


def line_then(line: int, now: str, then: str) -> int | None:
    """Return which line of a field's saved text a line of its text on the screen is; None: none, or several."""
    lines, saved = now.split("\n"), then.split("\n")
    if not 1 <= line <= len(lines):
        return None
    if line <= len(saved) and saved[line - 1] == lines[line - 1]:
        return line
    return saved.index(lines[line - 1]) + 1 if saved.count(lines[line - 1]) == 1 else None


def _start(text: str, cells: Sequence[DocumentCell], cell: DocumentCell, field: str) -> int | None:
    """Return the line of the text on which a field begins."""
    lines = text.split("\n")
    last = _end(text, cells, cell)
    if field == "query":
        found = ((at, match) for at in range(cell.line, last) if (match := _QUERY.match(lines[at])))
        at, match = next(found, (None, None))
        return None if at is None or match is None else at + 1 + bool(match[2])
    wanted = [each.strip() for each in cell.texts[field].strip("\n").split("\n")]
    if not any(wanted):
        return None
    places = range(cell.line, last - len(wanted) + 1)
    same = (at for at in places if [each.strip() for each in lines[at : at + len(wanted)]] == wanted)
    at = max(same, default=None) if field == "code" else min(same, default=None)
    return None if at is None else at + 1


def _end(text: str, cells: Sequence[DocumentCell], cell: DocumentCell) -> int:
    """Return the last line of a cell."""
    later: Mapping[int, int] = {each.position: each.line for each in cells}
    return later.get(cell.position + 1, text.count("\n") + 2) - 1


MAX_OLDER: Final = 5  # earlier revisions that are read for the lines they were commented on
WHOLE: Final = "the problem"
_SHOWN: Final = "line:shown"  # (identity of a field, LineShown)

Places = Mapping[int, tuple[DocumentCell, FieldLine]]  # by comment


def places_of(ws: Workspace, opened: OpenDraft, cell: DocumentCell, comments: Sequence[Comment]) -> Places:
    """Return where the comments on lines of a cell stood in the revisions they were made on."""
    about = [each for each in comments if each.problem == cell.key and each.line is not None]
    cells = {opened.revision.id: (opened.draft.document.text, opened.draft.cells)}
    older = sorted({each.revision_id for each in about if not each.resolved_at} - set(cells), reverse=True)
    for revision_id in older[:MAX_OLDER]:
        revision = revisions.find(ws, revision_id)
        cells[revision_id] = (revision.text, cells_of(revision.problemset_name, revision.text))
    found = {}
    for each in about:
        place = place_in(*cells[each.revision_id], each.line or 0) if each.revision_id in cells else None
        if place is not None:
            found[each.id] = place
    return found


def notes_of(
    opened: OpenDraft, cell: DocumentCell, comments: Sequence[Comment], places: Places
) -> dict[str, dict[int, str]]:
    """Return field -> line on the screen -> what open comments say about it."""
    notes: dict[str, dict[int, str]] = {}
    for each in comments:
        if each.id not in places or each.resolved_at:
            continue
        place = places[each.id][1]
        line = line_now(place, opened.draft.value(cell, place.field)) if place.field in cell.texts else None
        if line is not None:
            said = notes.setdefault(place.field, {})
            said[line] = "\n".join(filter(None, [said.get(line), f"{each.author or 'somebody'}: {each.text}"]))
    return notes


def draw_cell_comments(opened: OpenDraft, cell: DocumentCell, comments: Sequence[Comment], places: Places) -> None:
    """Draw the comments on a cell, each with the line it is about, and a field for a new one."""
    ours = newest_first([comment for comment in comments if comment.problem == cell.key])
    if not ours:
        st.caption("No comments yet.")
    offset = draw_pager(len(ours), key=f"comments:{opened.row.id}:{cell.key}:page", size=THREADS_A_PAGE)
    for comment in ours[offset : offset + THREADS_A_PAGE]:
        with st.container(gap="xsmall"):
            if comment.id in places:
                _draw_place(opened, cell, comment, places[comment.id][1])
            draw_comment(comment)
    _draw_new(opened, cell)


def _draw_place(opened: OpenDraft, cell: DocumentCell, comment: Comment, place: FieldLine) -> None:
    now = line_now(place, opened.draft.value(cell, place.field)) if place.field in cell.texts else None
    title = _title(cell, place.field)
    where = f"{title}, line {now}" if now else f"{title}, a line that has changed since"
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        st.caption(f":material/subdirectory_arrow_right: {where}: {label(place.quote, limit=120)}", width="content")
        if now and not prefers_plain_editors() and may(Role.ANNOTATOR):  # others have no editor that could show it
            identity = field_of(opened, cell.key, place.field, "").identity
            st.button(
                f"Show line {now}", f"comment:{comment.id}:show", type="tertiary", icon=":material/my_location:",
                on_click=show_line, args=(identity, now),
            )  # fmt: skip
        if comment.revision_id != opened.revision.id:
            page_link(
                "compare",
                "What changed since",
                icon=":material/difference:",
                set=opened.row.id,
                pid=cell.key,
                a=comment.revision_id,
                b=opened.revision.id,
            )


def _draw_new(opened: OpenDraft, cell: DocumentCell) -> None:
    key = f"comment:{opened.row.id}:{cell.key}"
    keep_typed_text("keep_comments")  # code editors keep what is typed themselves, the areas here do not
    typed_area("New comment", f"{key}:text", height=96)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        draw_mention(f"{key}:text")
        st.selectbox(
            "About",
            [WHOLE, *cell.texts],
            key=f"{key}:field",
            format_func=lambda name: name if name == WHOLE else _title(cell, name),
            width=190,
            on_change="ignore",
        )
        st.number_input(
            "Line", 1, value=None, key=f"{key}:line", placeholder="line", width=120, on_change="ignore",
            help="As the field numbers its lines; the comment is shown beside it.",
        )  # fmt: skip
        draw_comment_button(key, send, (opened.row.id, cell.key, key))


@writes(*Role)
def send(problemset_id: int, cell_key: str, key: str) -> None:
    """Write the comment that was typed, on the line that was named."""
    opened = draft_on_screen(problemset_id)
    cell = opened.draft.find(cell_key)
    field, number = state.widget_value(f"{key}:field"), state.widget_value(f"{key}:line")
    line = None
    if cell is not None and field in cell.texts:
        line = _saved_line(opened, cell, str(field), int(number or 1))
    actions.write_comment(opened.revision.id, cell_key, key, line=line)
    state.put_widget_value(f"{key}:field", WHOLE)
    state.put_widget_value(f"{key}:line", None)


def tabs_key(problemset_id: int, *, is_problem: bool) -> str:
    """Return under what the open tab is remembered: it stays from problem to problem."""
    return f"tabs:{problemset_id}" if is_problem else f"tabs:{problemset_id}:setup"


@writes(*Role)
def begin_on_line(field: Field, tab: str) -> None:
    """Open the form for a comment on the line that an editor names, with the text that it sent along stored."""
    message = received(state.widget_value(field.editor_key), "comment")
    if message is None or message.line < 1:
        return
    apply_message(field, message)
    key = f"comment:{field.problemset_id}:{field.cell_key}"
    open_comments_tab(tab)
    state.put_widget_value(f"{key}:field", field.name)
    state.put_widget_value(f"{key}:line", message.line)


@writes(ANYONE)
def show_line(identity: tuple[str, ...], line: int) -> None:
    """Let the editor of a field scroll to a line of it and mark it for a moment."""
    _, before = state.recall(_SHOWN, ((), LineShown(0, 1)))
    state.remember(_SHOWN, (identity, LineShown(before.number + 1, line)))


def line_shown(identity: tuple[str, ...]) -> LineShown | None:
    """Return the line of a field that somebody asked to see last; None: it was one of another field."""
    asked, line = state.recall(_SHOWN, ((), None))
    return line if asked == identity else None


@writes(ANYONE)
def open_comments(tabs_key: str) -> None:
    """Show the comments."""
    open_comments_tab(tabs_key)


def _saved_line(opened: OpenDraft, cell: DocumentCell, field: str, number: int) -> int:
    then = line_then(number, opened.draft.value(cell, field), cell.texts[field])
    find = partial(line_in_text, opened.draft.document.text, opened.draft.cells, cell, field)
    line = find(then) if then is not None else None
    if line is None:
        what = f"revision {opened.row.head_number} has no such line {number} in the {field}"
        raise ContentError(what, where=cell.label, fix="save a revision first, or comment on the problem")
    return line


def _title(cell: DocumentCell, field: str) -> str:
    return LABELS[field].partition(" (")[0] if cell.is_problem else "Setup code"
