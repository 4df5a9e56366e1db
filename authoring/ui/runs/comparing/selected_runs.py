"""Runs that are selected in their list, to be compared."""

from typing import Final

import streamlit as st

from authoring.store.runs import RunRow
from authoring.ui import state
from authoring.ui.boundary import ANYONE, writes
from authoring.ui.shell.navigation import page_link

LETTERS: Final = "ABCDE"  # one for each run of a comparison: it stands before the run's verdicts
MOST_RUNS: Final = len(LETTERS)
SELECTED: Final = "runs:selected"


def selected_runs() -> tuple[int, ...]:
    """Return the runs that are selected, in that order, also those on other pages of the list."""
    return tuple(state.recall(SELECTED, ()))


def draw_box(run: RunRow) -> None:
    """Draw the box that selects a run for the comparison."""
    key = f"runs:select:{run.id}"
    state.start_widget_value(key, run.id in selected_runs())
    st.checkbox(
        f"Select run {run.id}",
        key=key,
        label_visibility="collapsed",
        on_change=select_run,
        args=(run.id,),
        width="content",
    )


def draw_selection() -> None:
    """Draw the way to the comparison of the selected runs, or what it needs."""
    chosen = selected_runs()
    if len(chosen) < 2:
        st.caption(f"Select 2 to {MOST_RUNS} runs to compare them problem by problem.", width="content")
    elif len(chosen) > MOST_RUNS:
        st.caption(f"{len(chosen)} runs are selected, and {MOST_RUNS} at most are compared.", width="content")
    else:
        page_link("runs", f"Compare {len(chosen)} runs", icon=":material/difference:", runs=",".join(map(str, chosen)))
    if chosen:
        st.button("Clear selection", key="runs:select:clear", icon=":material/close:", on_click=clear_selection)


@writes(ANYONE)
def select_run(run_id: int) -> None:
    """Select a run for the comparison, or leave it out."""
    others = tuple(each for each in selected_runs() if each != run_id)
    state.remember(SELECTED, (*others, run_id) if state.widget_value(f"runs:select:{run_id}") else others)


@writes(ANYONE)
def clear_selection() -> None:
    """Select no run."""
    for run_id in selected_runs():
        state.put_widget_value(f"runs:select:{run_id}", False)
    state.remember(SELECTED, ())
