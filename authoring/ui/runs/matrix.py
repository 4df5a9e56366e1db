"""The verdict matrix: problems by agents, filtered by what the address says, fifty problems a page."""

from collections.abc import Sequence
from typing import Final

import streamlit as st

from authoring.store.run_results import CellCount, MatrixRow, ProblemFilter, count_matrix, list_matrix
from authoring.store.runs import RunRow
from authoring.store.workspace import Workspace
from authoring.ui.runs.exporting import draw_matrix_export
from authoring.ui.shell.navigation import page_link
from authoring.ui.widgets import PAGE_SIZE, chip_text, draw_empty, draw_pager
from authoring.ui.wording import Chip, label, plural, verdict_chip

MAX_AGENTS: Final = 6
MAX_SETS_LISTED: Final = 500
ANY: Final = "any"


def draw_filters(verdicts: Sequence[str], sets: Sequence[str]) -> ProblemFilter:
    """Draw the filters, which stand in the address, and return what they say."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        verdict = st.selectbox(
            "Verdict", [ANY, *sorted(verdicts)], key="r_verdict", bind="query-params", width=220,
            help="Problems on which at least one agent got this verdict.",
        )  # fmt: skip
        problemset = ANY
        if len(sets) <= MAX_SETS_LISTED:
            problemset = st.selectbox("Problemset", [ANY, *sets], key="r_set", bind="query-params", width=260)
        text = st.text_input(
            "Text", key="r_text", bind="query-params", width=260, placeholder="in the query or the set's name"
        )
    return ProblemFilter(
        verdict=None if verdict == ANY else verdict,
        problemset=None if problemset == ANY else problemset,
        text=text or None,
    )


def draw_matrix(ws: Workspace, runs: Sequence[RunRow], chosen: ProblemFilter) -> None:
    """Draw one page of the problems of some runs on one release; each verdict leads to its attempt."""
    ids = [run.id for run in runs]
    found = count_matrix(ws, ids, chosen)
    if not found:
        draw_empty("No problem matches", "Choose another verdict or problemset, or clear the text.")
        return
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.caption(
            f"{plural(found, 'problem')}. Open a verdict to see the submission beside the reference.", width="content"
        )
        draw_matrix_export(ws, runs, chosen)
    slot = st.container(border=True, gap="xsmall", key="matrix")
    key = f"matrix:{','.join(map(str, ids))}:{chosen.verdict}:{chosen.problemset}:{chosen.text}"
    offset = draw_pager(found, key=key)
    with slot:
        if len(runs) > 1:
            _draw_head(runs)
        for row in list_matrix(ws, ids, chosen, PAGE_SIZE, offset):
            _draw_row(row, ids)


def cell_words(cell: CellCount) -> str:
    """Return a cell as Markdown: the verdict, or how many of several epochs were solved."""
    chip = verdict_chip(cell.verdict)
    word = chip.word.replace("_", " ")  # so that it can be broken between words
    if cell.epochs == 1:
        return chip_text(Chip(word, chip.icon, chip.colour))
    if cell.correct == cell.epochs:
        return chip_text(Chip(f"CORRECT {cell.correct} of {cell.epochs}", ":material/check:", "green"))
    return chip_text(Chip(f"{word}, {cell.correct} of {cell.epochs} correct", chip.icon, chip.colour))


def _widths(agents: int) -> list[int]:
    return [max(6, 11 - agents)] + [3] * agents


def _draw_head(runs: Sequence[RunRow]) -> None:
    problem, *cells = st.columns(_widths(len(runs)), vertical_alignment="bottom")
    problem.markdown("**Problem**")
    for cell, run in zip(cells, runs, strict=True):
        with cell:
            page_link("runs", f"**{label(run.agent, limit=40)}**", help="This agent's run", run=run.id)


def _draw_row(row: MatrixRow, run_ids: Sequence[int]) -> None:
    problem, *cells = st.columns(_widths(len(run_ids)), vertical_alignment="center")
    problem.markdown(f"**{label(row.problemset, limit=60)} {row.position}** · {label(row.query, limit=100)}")
    for cell, run_id in zip(cells, run_ids, strict=True):
        count = row.cells.get(run_id)
        with cell:
            if count is None:
                st.caption("not asked")
            else:
                page_link("runs", cell_words(count), run=run_id, attempt=count.attempt_id)
