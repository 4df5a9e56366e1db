"""Runs that are ticked in their list, to be compared."""

from typing import Final

import streamlit as st

from authoring.store.runs import RunRow
from authoring.ui import state
from authoring.ui.boundary import ANYONE, writes
from authoring.ui.shell.navigation import page_link

LETTERS: Final = "ABCDE"  # one for each run of a comparison: it stands before the run's verdicts
MOST_RUNS: Final = len(LETTERS)
TICKED: Final = "runs:ticked"


def ticked() -> tuple[int, ...]:
    """Return the runs that are ticked, in the order of the ticks, also those on other pages of the list."""
    return tuple(state.recall(TICKED, ()))


def draw_tick(run: RunRow) -> None:
    """Draw the box that chooses a run for the comparison."""
    key = f"runs:tick:{run.id}"
    state.start_widget_value(key, run.id in ticked())
    st.checkbox(
        f"Compare run {run.id}", key=key, label_visibility="collapsed", on_change=tick, args=(run.id,), width="content"
    )


def draw_ticked() -> None:
    """Draw the way to the comparison of the ticked runs, or what it needs."""
    chosen = ticked()
    if len(chosen) < 2:
        st.caption(f"Tick 2 to {MOST_RUNS} runs to compare them problem by problem.", width="content")
    elif len(chosen) > MOST_RUNS:
        st.caption(f"{len(chosen)} runs are ticked, and {MOST_RUNS} at most are compared.", width="content")
    else:
        page_link("runs", f"Compare {len(chosen)} runs", icon=":material/difference:", runs=",".join(map(str, chosen)))
    if chosen:
        st.button("Clear ticks", key="runs:ticks:clear", icon=":material/close:", on_click=clear_ticks)


@writes(ANYONE)
def tick(run_id: int) -> None:
    """Choose a run for the comparison, or leave it out."""
    others = tuple(each for each in ticked() if each != run_id)
    state.remember(TICKED, (*others, run_id) if state.widget_value(f"runs:tick:{run_id}") else others)


@writes(ANYONE)
def clear_ticks() -> None:
    """Choose no run."""
    for run_id in ticked():
        state.put_widget_value(f"runs:tick:{run_id}", False)
    state.remember(TICKED, ())
