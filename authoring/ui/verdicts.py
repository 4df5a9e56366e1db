"""The attempts of a run: fifty at a time, one of them in full."""

from typing import Final

import streamlit as st

from authoring.store import AttemptRow, RunRow, Workspace, count_attempts, list_attempts
from authoring.ui.blocks import BlockKind, error_block
from authoring.ui.markup import cell_text
from authoring.ui.outputs import draw_block
from authoring.ui.widgets import PAGE_SIZE, chip_text, draw_code, draw_empty, draw_pager
from authoring.ui.wording import label, verdict_chip

ALL: Final = "all"


def draw_attempts(ws: Workspace, run: RunRow) -> None:
    """Draw the attempts of a run, filtered by verdict; each opens to query, code and reason."""
    counts = count_attempts(ws, run.id)
    if not counts:
        draw_empty("No attempt is recorded", "The run was stopped before its first problem, or every set was refused.")
        return
    options = [ALL, *sorted(counts)]
    totals = {ALL: sum(counts.values()), **counts}
    picked = st.pills(
        "Verdict",
        options,
        default=ALL,
        format_func=lambda name: f"{label(name)} {totals[name]}",
        key=f"run:{run.id}:verdict",
    )
    verdict = None if picked in (None, ALL) else str(picked)
    slot = st.container()
    offset = draw_pager(totals[verdict or ALL], key=f"run:{run.id}:page:{verdict or ALL}")
    with slot:
        for attempt in list_attempts(ws, run.id, verdict, PAGE_SIZE, offset):
            _draw_attempt(attempt)


def _draw_attempt(attempt: AttemptRow) -> None:
    record = attempt.record
    query = label(str(record.get("question") or ""), limit=90)
    title = f"{chip_text(verdict_chip(attempt.verdict))} **{label(attempt.problemset)} {attempt.position}** · {query}"
    box = st.expander(title, key=f"attempt:{attempt.id}", on_change="rerun")
    if not box.open:
        return
    with box:
        sub = "" if attempt.subverdict in ("", "UNCATEGORIZED") else f" · {label(attempt.subverdict)}"
        st.caption(f"{label(attempt.verdict)}{sub} · {attempt.seconds:.2f} s · attempt {attempt.attempt}")
        st.markdown("**Query**")
        st.text(cell_text(str(record.get("question") or "")))
        st.markdown("**Submission**")
        draw_code(str(record.get("code") or "(nothing)"))
        reason = str(record.get("extended_verdict") or "")
        if reason:
            st.markdown(f"**Why**  \n{label(reason, limit=2000)}")
        failure = record.get("agent_exception")
        if failure:
            block = error_block("The agent failed", "", str(failure))
            assert block.kind is BlockKind.ERROR
            draw_block(block, key=f"attempt:{attempt.id}:error")
