"""The way from one attempt of a run to the next: through the list that it was opened from, by buttons and by keys."""

from collections.abc import Mapping
from typing import Final, Literal

import streamlit as st

from authoring.store.run_results import AttemptPlace, ProblemFilter, find_attempt, place_attempt
from authoring.store.runs import AttemptRow, RunRow
from authoring.store.workspace import Workspace
from authoring.ui import state
from authoring.ui.boundary import ANYONE, writes
from authoring.ui.preferences import letter
from authoring.ui.runs.run_words import run_heading
from authoring.ui.shell.navigation import page_link
from authoring.ui.wording import label
from authoring.ui.workplace import workspace

# The list's own names cannot stay in an attempt's address: they leave it with the fields that they are bound to.
_NAMES: Final = {"verdict": "verdict", "subverdict": "cause", "problemset": "within", "text": "text"}
_LIST_NAMES: Final = {"verdict": "r_verdict", "subverdict": "r_cause", "problemset": "r_set", "text": "r_text"}


def filter_address(chosen: ProblemFilter) -> Mapping[str, str]:
    """Return the parameters that let an attempt know the list it was opened from."""
    return state.address(**{name: getattr(chosen, field) for field, name in _NAMES.items()})


def filter_here() -> ProblemFilter:
    """Return the list that the attempt on the screen was opened from."""
    return ProblemFilter(**{field: state.param(name) for field, name in _NAMES.items()})


def draw_way_back(run: RunRow) -> None:
    """Draw the link to the run's list, as it was filtered."""
    chosen = filter_here()
    filters = state.address(**{name: getattr(chosen, field) for field, name in _LIST_NAMES.items()})
    page_link("runs", run_heading(run), icon=":material/arrow_back:", parameters=filters, run=run.id)


def draw_steps(ws: Workspace, attempt: AttemptRow) -> None:
    """Draw the ways to the attempts beside this one, and where it stands among them."""
    chosen = filter_here()
    place = place_attempt(ws, attempt, chosen)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Previous", key="attempt:previous", icon=":material/chevron_left:", shortcut=letter("K"),
            disabled=place.previous is None, on_click=step, args=(attempt.id, "previous"),
        )  # fmt: skip
        st.button(
            "Next", key="attempt:next", icon=":material/chevron_right:", shortcut=letter("J"),
            disabled=place.next is None, on_click=step, args=(attempt.id, "next"),
        )  # fmt: skip
        st.button(
            "Next failing", key="attempt:failing", icon=":material/skip_next:", shortcut=letter("F"),
            disabled=place.next_failing is None, on_click=step, args=(attempt.id, "next_failing"),
            help="The next attempt that was judged and is not CORRECT.",
        )  # fmt: skip
        st.caption(place_words(place, chosen), width="content")


@writes(ANYONE)
def step(shown: int, towards: Literal["previous", "next", "next_failing"]) -> None:
    """Show an attempt beside the one that the address names, or else beside the one shown.

    Counted from the address: of two quick presses the second one comes from a screen that the first one has left.
    """
    here = find_attempt(workspace(), state.int_param("attempt") or shown)
    target = getattr(place_attempt(workspace(), here, filter_here()), towards)
    if target is not None:
        state.set_param("attempt", target)


def place_words(place: AttemptPlace, chosen: ProblemFilter) -> str:
    """Return `3 of 12 · verdict CRASH`, as Markdown: where an attempt stands, and in which list."""
    where = f"{place.number:,} of {place.total:,}" if place.is_listed else f"not one of the {place.total:,}"
    filters = [f"{name} {getattr(chosen, field)}" for field, name in _NAMES.items() if getattr(chosen, field)]
    return label(" · ".join([where, *filters]))
