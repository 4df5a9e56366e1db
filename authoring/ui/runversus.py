"""Two runs side by side: how many problems changed verdict, which, and both submissions to each."""

from collections.abc import Mapping

import streamlit as st

from authoring.store import ChangedProblem, RunRow, Workspace, count_changes, find_attempt, list_changes
from authoring.ui.attempt import draw_place
from authoring.ui.markup import cell_text
from authoring.ui.navigation import page_link
from authoring.ui.rates import INTERVAL_NOTE, Solved
from authoring.ui.widgets import PAGE_SIZE, chip_text, draw_code, draw_empty, draw_pager
from authoring.ui.wording import label, plural, verdict_chip

Pairs = Mapping[tuple[str, str], int]


def draw_versus(ws: Workspace, before: RunRow, after: RunRow, totals: Mapping[int, Mapping[str, int]]) -> None:
    """Draw what changed from one run to another; `totals` is run -> verdict -> problems."""
    pairs = count_changes(ws, before.id, after.id)
    if before.release != after.release:
        st.warning(
            "The runs are on different releases: problems are matched by problemset and number, and may differ.",
            icon=":material/warning:",
        )
    st.table([_rate_row(run, totals[run.id]) for run in (before, after)], border="horizontal", width="content")
    st.caption(INTERVAL_NOTE)
    common = sum(pairs.values())
    alone = [sum(totals[run.id].values()) - common for run in (before, after)]
    if any(alone):
        st.caption(
            f"Only in the first run: {plural(alone[0], 'problem')}; only in the second: {plural(alone[1], 'problem')}."
        )
    st.table([agreement(pairs)], border="horizontal", width="content")
    changed = sum(number for (one, other), number in pairs.items() if one != other)
    st.subheader(f"{plural(changed, 'changed verdict')}", anchor=False)
    if not changed:
        draw_empty("No verdict differs", "Both runs were judged alike on every problem that both came to.")
        return
    slot = st.container(gap="xsmall")
    offset = draw_pager(changed, key=f"versus:{before.id}:{after.id}")
    with slot:
        for row in list_changes(ws, before.id, after.id, PAGE_SIZE, offset):
            _draw_change(ws, row, before, after)


def agreement(pairs: Pairs) -> dict[str, str]:
    """Return how the runs agree on the problems that both came to."""
    both = pairs.get(("CORRECT", "CORRECT"), 0)
    first = sum(number for (one, other), number in pairs.items() if one == "CORRECT" != other)
    second = sum(number for (one, other), number in pairs.items() if other == "CORRECT" != one)
    return {
        "Both correct": f"{both:,}",
        "Only the first": f"{first:,}",
        "Only the second": f"{second:,}",
        "Neither": f"{sum(pairs.values()) - both - first - second:,}",
    }


def _rate_row(run: RunRow, verdicts: Mapping[str, int]) -> dict[str, str]:
    return {
        "Run": f"{run.id} · {label(run.agent)} on {label(run.release)}",
        "Pass rate": Solved.of(verdicts).in_words(),
    }


def _draw_change(ws: Workspace, row: ChangedProblem, before: RunRow, after: RunRow) -> None:
    epoch = f", epoch {row.epoch}" if row.epoch > 1 else ""
    chips = f"{chip_text(verdict_chip(row.before))} → {chip_text(verdict_chip(row.after))}"
    title = f"**{label(row.problemset, limit=80)} {row.position}**{epoch} {chips}"
    box = st.expander(title, key=f"versus:{row.before_id}:{row.after_id}", on_change="rerun")
    if not box.open:
        return
    with box:
        attempts = [find_attempt(ws, each) for each in (row.before_id, row.after_id)]
        st.text(cell_text(str(attempts[0].record.get("question") or "")))
        for side, run, attempt in zip(st.columns(2), (before, after), attempts, strict=True):
            with side:
                st.markdown(f"**{label(run.agent)}** {chip_text(verdict_chip(attempt.verdict))}")
                draw_code(str(attempt.record.get("code") or "# nothing was submitted"))
                st.text(cell_text(str(attempt.record.get("extended_verdict") or "")))
                page_link("runs", "The whole attempt", icon=":material/notes:", run=run.id, attempt=attempt.id)
        draw_place(ws, attempts[1])
