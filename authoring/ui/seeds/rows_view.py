"""The rows of a seed's tables on the screen: a page at a time, filtered by one column, as the worker reads them."""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import streamlit as st

from authoring.jobs.declaring import SET_WORKERS
from authoring.seeds.seed_rows import Condition
from authoring.store.drafting.seeds import Seed
from authoring.store.jobs import Job
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import writes
from authoring.ui.drawing.cell_grid import fitting_size, grid_html
from authoring.ui.drawing.outputs import draw_grid
from authoring.ui.jobs import order
from authoring.ui.paged_jobs import order_again, read_paged
from authoring.ui.shell.auth import current_user
from authoring.ui.widgets import PAGE_SIZE, draw_empty
from authoring.ui.wording import label, plural
from evaluator.reporting import csv_table


def draw_rows(ws: Workspace, seed: Seed) -> None:
    """Draw what chooses rows, and the page of them that the worker read last for this person."""
    tables = (seed.profile or {}).get("tables") or []
    if not tables:
        draw_empty("There are no rows to show", "Rows are read of tables that are profiled; this seed has none.")
        return
    names = {place: _title(table) for place, table in enumerate(tables)}
    place = 0
    if len(tables) > 1:
        place = st.selectbox(
            "Table", list(names), format_func=names.__getitem__, key=f"rows:{seed.id}:table", width=320
        )
    ordered = read_paged(ws, _job_key(seed.id, place))
    _draw_filter(seed.id, place, tables[place], live=ordered.live)
    ordered.draw_progress()
    if ordered.shown is not None:
        _draw_page(seed, place, *ordered.shown, live=ordered.live)
    elif ordered.newest is None:
        st.caption("The worker reads the file in the sandbox, a page of it at a time, when you press the button.")


def _draw_filter(seed_id: int, place: int, table: Mapping[str, Any], *, live: bool) -> None:
    key = _key(seed_id, place)
    columns = [str(column.get("name")) for column in table.get("columns") or []]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        condition = st.selectbox("Rows", list(Condition), key=f"{key}:condition", width=150)
        if condition != Condition.ALL:
            st.selectbox(
                "Column",
                columns,
                format_func=lambda name: name[:60],
                key=f"{key}:column",
                width=220,
                on_change="ignore",
            )
        if condition in (Condition.CONTAINS, Condition.EQUALS):
            st.text_input("Text", key=f"{key}:text", width=220, on_change="ignore")
        if condition == Condition.RANGE:
            about = "Numbers like 1200.5, dates like 2024-05-01, else text in the order of its signs. Empty: no limit."
            st.text_input("From", key=f"{key}:low", width=140, on_change="ignore", help=about)
            st.text_input("To", key=f"{key}:high", width=140, on_change="ignore")
        st.button(
            "Show rows", key=f"{key}:show", icon=":material/table_rows:", on_click=show, args=(seed_id, place),
            disabled=live,
        )  # fmt: skip


def _draw_page(seed: Seed, place: int, job: Job, page: Mapping[str, Any], *, live: bool) -> None:
    total, rows, offset = int(page["total"]), page["rows"], int(job.payload.get("offset") or 0)
    if not rows:
        draw_empty("No row fits", f"Nothing in the table {_chosen_words(job.payload)}. Change the filter.")
        return
    shown = f"{offset + 1:,} to {offset + len(rows):,} of {plural(total, 'row')}"
    size = fitting_size(chain.from_iterable(page["rows"]), int(page["cell_chars"]))
    is_cut = any(cell is not None and len(cell) > size for row in rows for cell in row)
    cut = f" · cells are cut at {size} characters" if is_cut else ""
    left = f" · {plural(int(page['columns_left']), 'more column')} not shown" if page["columns_left"] else ""
    with st.container(horizontal=True, vertical_alignment="center"):
        chosen = _chosen_words(job.payload)
        st.caption(f"{shown}{' where ' + chosen if chosen else ''}{cut}{left}", width="content")
        st.download_button(
            "Download these rows", data=lambda: _csv(page), file_name=f"{seed.name}-rows.csv", mime="text/csv",
            key=f"{_key(seed.id, place)}:download", icon=":material/download:", on_click="ignore",
            help="As CSV, with the cells as they stand here. Text that a spreadsheet would take for a formula gets an "
            "apostrophe before it.",
        )  # fmt: skip
    numbers = [f"{number:,}" for number in page["numbers"]]
    grid = grid_html(page["columns"], numbers, page["rows"], cell_chars=size)
    draw_grid(grid, title=f"rows of {seed.name}")
    pages = -(-total // PAGE_SIZE)
    if pages > 1:
        st.pagination(
            pages,
            key=_page_key(job.id),
            default=min(offset // PAGE_SIZE + 1, pages),
            on_change=turn,
            args=(job.id,),
            disabled=live,
        )


def _csv(page: Mapping[str, Any]) -> bytes:
    return csv_table(page["columns"], page["rows"])


def _chosen_words(ordered: Mapping[str, Any]) -> str:
    """Return a filter in words; nothing where all rows were asked for."""
    condition, column = ordered.get("condition"), label(str(ordered.get("column") or ""), limit=60)
    if condition == Condition.RANGE:
        ends = {"from": ordered.get("low"), "to": ordered.get("high")}
        return f"**{column}** is " + " ".join(f"{word} {label(str(end))}" for word, end in ends.items() if end)
    if condition in (Condition.CONTAINS, Condition.EQUALS):
        return f"**{column}** {condition} “{label(str(ordered.get('text') or ''), limit=60)}”"
    return f"**{column}** is empty" if condition == Condition.EMPTY else ""


@writes(*SET_WORKERS)
def show(seed_id: int, place: int) -> None:
    """Order the first page of the rows that the fields choose."""
    key = _key(seed_id, place)
    condition = str(state.widget_value(f"{key}:condition") or Condition.ALL)
    fields: dict[str, Any] = {"seed": seed_id, "table": place, "condition": condition, "offset": 0, "count": PAGE_SIZE}
    for name in _fields_of(condition):
        fields[name] = str(state.widget_value(f"{key}:{name}") or "")
    order("seed_rows", fields, key=_job_key(seed_id, place))


def _fields_of(condition: str) -> Sequence[str]:
    """Return which fields a condition has."""
    texts = {Condition.ALL: (), Condition.EMPTY: (), Condition.RANGE: ("low", "high")}
    return () if condition == Condition.ALL else ("column", *texts.get(Condition(condition), ("text",)))


@writes(*SET_WORKERS)
def turn(job_id: int) -> None:
    """Order another page of what a job has shown."""
    number = int(state.widget_value(_page_key(job_id)) or 1)
    order_again(job_id, {"offset": (number - 1) * PAGE_SIZE})


def _page_key(job_id: int) -> str:
    return f"rows:page:{job_id}"


def _title(table: Mapping[str, Any]) -> str:
    sheet = f", sheet {table['sheet']}" if table.get("sheet") else ""
    return label(f"{table.get('file') or 'table'}{sheet}", limit=60)


def _key(seed_id: int, place: int) -> str:
    return f"rows:{seed_id}:{place}"


def _job_key(seed_id: int, place: int) -> str:
    return f"seed_rows:{seed_id}:{place}:{current_user()}"
