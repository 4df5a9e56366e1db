"""The list of jobs: what works, what waits, what ended and how."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

import streamlit as st

from authoring.store.jobs import count as count_jobs
from authoring.store.jobs import select as list_jobs
from authoring.store.jobs import spending as spending_of_jobs
from authoring.store.jobs import subjects as subjects_of_jobs
from authoring.store.statuses import JobState
from authoring.store.workspace import Workspace
from authoring.ui.jobs import draw_job, job_title
from authoring.ui.shell.navigation import page_link
from authoring.ui.widgets import PAGE_SIZE, draw_empty, draw_pager
from authoring.ui.wording import plural

ANY: Final = "any"


def draw_jobs(ws: Workspace) -> None:
    """Draw the jobs, newest first, by the state and kind in the address, each with progress, Cancel and Resume."""
    counts = count_jobs(ws)
    if not counts:
        draw_empty("No job yet", "Dry runs, drafts, releases and runs appear here with their progress.")
        return
    state, kind = _draw_filters(counts)
    found = sum(number for (one, other), number in counts.items() if state in (ANY, one) and kind in (ANY, other))
    st.caption(f"{plural(found, 'job')}. {_by_state(counts)}.")
    if not found:
        draw_empty("Nothing matches", "Choose another state, or any kind.")
        return
    slot = st.container()
    offset = draw_pager(found, key=f"jobs:{state}:{kind}")
    with slot:
        jobs = list_jobs(ws, PAGE_SIZE, _chosen(state), kinds=_chosen(kind), offset=offset)
        spent = spending_of_jobs(ws, [job.id for job in jobs])
        subjects = subjects_of_jobs(ws, [job.id for job in jobs])
        for job in jobs:
            with st.container(border=True, gap="xsmall"):
                draw_job(job, spent=spent[job.id], subject=subjects.get(job.id, ""), listed=True, key="listed")
                page_link("runs", "Log and details", icon=":material/notes:", job=job.id)


def _draw_filters(counts: Mapping[tuple[str, str], int]) -> tuple[str, str]:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        state = st.selectbox(
            "State", [ANY, *(state.value for state in JobState)], key="r_state", bind="query-params",
            width=200,
        )  # fmt: skip
        kind = st.selectbox(
            "Kind", [ANY, *sorted({kind for _, kind in counts}, key=job_title)], format_func=_kind_title, key="r_kind",
            bind="query-params", width=260,
        )  # fmt: skip
    return str(state), str(kind)


def _kind_title(kind: str) -> str:
    return "any" if kind == ANY else job_title(kind)


def _chosen(name: str) -> Sequence[str] | None:
    return None if name == ANY else (name,)


def _by_state(counts: Mapping[tuple[str, str], int]) -> str:
    total: Counter[str] = Counter()
    for (state, _), number in counts.items():
        total[state] += number
    return " · ".join(f"{total[name]} {name}" for name in JobState if total[name])
