"""Up to five runs beside each other: their rates, and each problem with every run's verdict."""

from collections.abc import Mapping, Sequence

import streamlit as st

from authoring.store.run_results import MaskCount, SolvedBy, list_compared
from authoring.store.runs import RunRow
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.drawing.row_tables import RowColumn, Strong
from authoring.ui.inputs.row_list import row_list
from authoring.ui.runs.comparing.selected_runs import LETTERS
from authoring.ui.runs.matrix_rows import matrix_line
from authoring.ui.runs.rates import INTERVAL_NOTE, Solved
from authoring.ui.runs.run_counts import masks_of_runs
from authoring.ui.runs.run_words import draw_releases_differ, run_words
from authoring.ui.shell.navigation import page_link
from authoring.ui.widgets import PAGE_SIZE, draw_empty, draw_pager
from authoring.ui.wording import plural


def draw_several(ws: Workspace, runs: Sequence[RunRow], totals: Mapping[int, Mapping[str, int]]) -> None:
    """Draw runs beside each other; `totals` is run -> verdict -> problems."""
    ids = [run.id for run in runs]
    same_query = len({run.release for run in runs}) > 1
    masks = masks_of_runs(ws, runs, same_query=same_query)
    if same_query:
        draw_releases_differ()
    rows = [_rate_row(number, run, totals[run.id], masks) for number, run in enumerate(runs)]
    st.table(rows, border="horizontal", width="content")
    st.caption(INTERVAL_NOTE)
    _draw_links(runs)
    _draw_problems(ws, ids, masks, same_query=same_query)


def _rate_row(number: int, run: RunRow, verdicts: Mapping[str, int], masks: Sequence[MaskCount]) -> dict[str, str]:
    own = 1 << number
    asked = sum(count.problems for count in masks if count.asked & own)
    alone = sum(count.problems for count in masks if count.solved == own)
    return {
        "Run": f"**{LETTERS[number]}** · {run_words(run)}",
        "Pass rate": Solved.of(verdicts).in_words(),
        "Compared": plural(asked, "problem"),
        "Only this one solved": f"{alone:,}",
    }


def _draw_links(runs: Sequence[RunRow]) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        for letter, run in zip(LETTERS, runs, strict=False):
            page_link("runs", f"{letter}: run {run.id}", icon=":material/leaderboard:", run=run.id)
        for letter, run in zip(LETTERS[1:], runs[1:], strict=False):
            pair = state.address(a=runs[0].id, b=run.id)
            page_link("runs", f"Statistics: {LETTERS[0]} and {letter}", icon=":material/difference:", parameters=pair)


def _draw_problems(ws: Workspace, ids: Sequence[int], masks: Sequence[MaskCount], *, same_query: bool) -> None:
    numbers = {group: sum(count.problems for count in masks if count.is_in(group, len(ids))) for group in SolvedBy}
    picked = st.selectbox("Show", [group.value for group in SolvedBy], key="r_several", bind="query-params", width=240)
    group = SolvedBy(picked)
    st.caption(" · ".join(f"{name.value}: {number:,}" for name, number in numbers.items()))
    if not numbers[group]:
        draw_empty("No problem is like that", "Choose another group under Show.")
        return
    slot = st.container()
    offset = draw_pager(numbers[group], key=f"several:{','.join(map(str, ids))}:{group}")
    letters = [RowColumn([Strong(letter)], 3) for letter in LETTERS[: len(ids)]]
    rows = list_compared(ws, ids, group, PAGE_SIZE, offset, same_query=same_query)
    with slot:
        columns = [RowColumn([Strong("Problem")], max(6, 11 - len(ids))), *letters]
        row_list("Verdicts by problem", columns, [matrix_line(row, ids, {}) for row in rows], key="several")
