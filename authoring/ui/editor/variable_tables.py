"""Variables of the session as tables: a page of rows that the worker reads in the sandbox, beside what was before."""

import re
from collections.abc import Mapping
from itertools import chain
from typing import Any, Final

import streamlit as st

from authoring.checks.variables.variable_page import MAX_CELL, MAX_COLUMNS, MAX_ROWS, TABLE_TYPES, TOTAL_S
from authoring.jobs.declaring import SET_WORKERS
from authoring.store.jobs import Job
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import writes
from authoring.ui.drawing.cell_grid import fitting_size, grid_html
from authoring.ui.drawing.outputs import draw_grid
from authoring.ui.editor.draft_view import digests
from authoring.ui.editor.editing import OpenDraft, draft_on_screen, sound_text
from authoring.ui.editor.evidence import Evidence
from authoring.ui.jobs import order
from authoring.ui.paged_jobs import order_again, read_paged
from authoring.ui.shell.auth import current_user
from authoring.ui.wording import ago, label, plural
from evaluator.errors import ContentError
from evaluator.language.document_cells import DocumentCell

MOST_CHOSEN: Final = 9_000  # columns; how many there are is the word of the code, and each choice costs memory
NUMBERS: Final = re.compile(r"u?int|float|complex|decimal", re.IGNORECASE)  # how their dtypes begin
LIMITS: Final = (
    f"The worker executes the cells up to this one in the sandbox, for {TOTAL_S:.0f} s at most, and reads {MAX_ROWS} "
    f"rows and {MAX_COLUMNS} columns at a time, {MAX_CELL} characters a cell."
)


def draw_tables(
    ws: Workspace, opened: OpenDraft, cell: DocumentCell, now: Mapping[str, str], evidence: Evidence | None
) -> None:
    """Draw the choice of a variable that has rows, and the page that the worker read last for this person."""
    names = table_names(evidence)
    if not names:
        return
    key, row = _key(opened.row.id, cell.key), opened.row
    ordered = read_paged(ws, _job_key(row.id, cell.key))
    st.markdown("**Open as a table**")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox("Variable", names, key=f"{key}:name", width=220, on_change="ignore")
        st.button(
            "Show rows", key=f"{key}:show", icon=":material/table_rows:", on_click=show, args=(row.id, cell.key),
            disabled=ordered.live,
        )  # fmt: skip
    st.checkbox("Only rows that this cell changed or added", key=f"{key}:changed", on_change="ignore")
    st.caption(LIMITS)
    with st.container():
        ordered.draw_progress()
    if ordered.shown is not None:
        job, page = ordered.shown
        _draw_page(job, page, stale=job.payload.get("digest") != now.get(cell.key), live=ordered.live)


def table_names(evidence: Evidence | None) -> list[str]:
    """Return the variables that may have rows, those that the cell changed first."""
    views = evidence.variables if evidence else ()
    fit = [
        view
        for view in views
        if view.get("type") in TABLE_TYPES and view.get("change") != "deleted" and str(view.get("name")).isidentifier()
    ]
    return [str(view["name"]) for view in sorted(fit, key=lambda view: view.get("change") == "unchanged")]


def _draw_page(job: Job, page: Mapping[str, Any], *, stale: bool, live: bool) -> None:
    name, offset, columns_from = _shown_part(job.payload)
    shape = f"{plural(page['rows'], 'row')} and {plural(page['columns'], 'column')}"
    st.markdown(f"**{label(name, limit=60)}** · {label(page['kind'])} · {shape}")
    if stale:
        st.caption(f":material/history: Read {ago(job.finished_at)}; the text has changed since. Press Show rows.")
    if page["stopped"]:
        st.warning(f"The code stopped with {label(page['stopped'], limit=300)}. These rows are as it left them.")
    st.caption(change_words(page["before"]) if page["before"] else f"Not compared: {label(page['why'], limit=400)}.")
    if not page["cells"] or not page["shown"]:
        only = job.payload.get("changed_only")
        st.caption("The cell changed and added no row." if only and page["rows"] else "It holds no cell.")
        return
    rows = f"{offset + 1:,} to {offset + len(page['cells']):,} of {plural(page['total'], 'row')}"
    columns = f"columns {columns_from + 1:,} to {columns_from + len(page['shown']):,} of {page['columns']:,}"
    marked = {(mark["row"], mark["column"]): mark["was"] for mark in page["marked"]}
    size = fitting_size((*chain.from_iterable(page["cells"]), *marked.values()), int(page["cell_chars"]))
    cut = f" · cells are cut at {size} characters" if size < MAX_CELL else ""  # else it is said above
    new = _new_columns(page)
    st.caption(f"{rows} · {columns}{cut}{' · columns that are new stand first' if new else ''}")
    heads = [_head(column, is_compared=page["before"] is not None) for column in page["shown"]]
    numeric = [at for at, column in enumerate(page["shown"]) if NUMBERS.match(column["dtype"])]
    drawn = grid_html(heads, page["labels"], page["cells"], cell_chars=size, marked=marked, numeric=numeric, first=new)
    draw_grid(drawn, title=f"rows of {name}")
    _draw_turning(job, page, live=live)


def _new_columns(page: Mapping[str, Any]) -> list[int]:
    """Return the places of the columns that the cell added; none where all are new, or nothing was compared."""
    shown = page["shown"]
    new = [at for at, column in enumerate(shown) if column["was"] is None] if page["before"] is not None else []
    return new if len(new) < len(shown) else []


def _draw_turning(job: Job, page: Mapping[str, Any], *, live: bool) -> None:
    """Draw what turns to other rows and other columns."""
    _, offset, columns_from = _shown_part(job.payload)
    pages, key = -(-int(page["total"]) // MAX_ROWS), _page_key(job.id)
    if pages > 1:
        at = min(offset // MAX_ROWS + 1, pages)
        st.pagination(pages, key=f"{key}:rows", default=at, on_change=turn, args=(job.id,), disabled=live)
    starts = range(0, min(int(page["columns"]), MOST_CHOSEN), MAX_COLUMNS)
    if len(starts) > 1:
        st.selectbox(
            "Columns",
            starts,
            index=min(columns_from // MAX_COLUMNS, len(starts) - 1),
            help=f"Of the first {MOST_CHOSEN:,}." if page["columns"] > MOST_CHOSEN else None,
            format_func=lambda start: f"{start + 1:,} to {min(start + MAX_COLUMNS, int(page['columns'])):,}",
            key=f"{key}:columns",
            on_change=turn_columns,
            args=(job.id,),
            disabled=live,
            width=220,
        )


def change_words(before: Mapping[str, Any]) -> str:
    """Return what changed since before the cell as one sentence of Markdown."""
    changed = before["changed"]
    parts = ["changed cells are not counted in so large a table" if changed is None else _changed_cells(changed)]
    for what in ("row", "column"):
        for word in ("added", "removed"):
            named = before[f"{what}s_{word}"]
            if named["count"]:
                parts.append(f"{plural(named['count'], what)} {word}: {_listed(named)}")
    parts += ["rows are in another order"] if before["reordered"] else []
    parts += ["rows are compared by their place, as labels do not tell"] if before["by"] == "place" else []
    return " · ".join([f"before: {plural(before['rows'], 'row')}, {plural(before['columns'], 'column')}", *parts])


def _changed_cells(count: int) -> str:
    return f"**{plural(count, 'cell')} changed**" if count else "no cell changed"


def _listed(named: Mapping[str, Any]) -> str:
    names = [label(name, limit=60) or "(no name)" for name in named["names"]]
    more = named["count"] - len(names)
    return ", ".join(names) + (f" and {more:,} more" if more > 0 else "")


def _head(column: Mapping[str, Any], *, is_compared: bool) -> str:
    """Return a column's name with its dtype, and what was other before."""
    name, dtype, was = column["name"], column["dtype"], column["was"]
    if is_compared and was is None:
        return f"{name} (new, {dtype})"
    return f"{name} ({was} → {dtype})" if was not in (None, dtype) else f"{name} ({dtype})"


@writes(*SET_WORKERS)
def show(problemset_id: int, cell_key: str) -> None:
    """Order the first page of the chosen variable, of the text on the screen."""
    opened, key = draft_on_screen(problemset_id), _key(problemset_id, cell_key)
    cell, name = opened.draft.find(cell_key), state.widget_value(f"{key}:name")
    if cell is None or not name:
        raise ContentError("the cell or the variable is gone", fix="press Run, then choose one of the variables")
    fields = {
        **{"problemset_id": problemset_id, "text": sound_text(opened), "position": cell.position + 1, "name": name},
        **{"offset": 0, "columns_from": 0, "changed_only": bool(state.widget_value(f"{key}:changed"))},
        "digest": digests(opened.draft)[cell_key],
    }
    order("variable_rows", fields, key=_job_key(problemset_id, cell_key))


@writes(*SET_WORKERS)
def turn(job_id: int) -> None:
    """Order other rows of what a job has shown."""
    number = int(state.widget_value(f"{_page_key(job_id)}:rows") or 1)
    order_again(job_id, {"offset": (number - 1) * MAX_ROWS})


@writes(*SET_WORKERS)
def turn_columns(job_id: int) -> None:
    """Order other columns of what a job has shown."""
    order_again(job_id, {"columns_from": int(state.widget_value(f"{_page_key(job_id)}:columns") or 0)})


def _shown_part(payload: Mapping[str, Any]) -> tuple[str, int, int]:
    """Return name, rows before the page and columns before it."""
    return str(payload.get("name")), int(payload.get("offset") or 0), int(payload.get("columns_from") or 0)


def _page_key(job_id: int) -> str:
    return f"variable:page:{job_id}"


def _key(problemset_id: int, cell_key: str) -> str:
    return f"variable:{problemset_id}:{cell_key}"


def _job_key(problemset_id: int, cell_key: str) -> str:
    return f"variable_rows:{problemset_id}:{current_user()}:{cell_key}"
