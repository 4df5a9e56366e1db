"""Runs as rows of a list, one run at a glance, and the agents of a release beside each other."""

from collections.abc import Mapping, Sequence
from typing import Final

import streamlit as st

from authoring.store import (
    RunRow,
    Workspace,
    count_runs,
    list_runs,
    newest_runs,
)
from authoring.ui.navigation import page_link
from authoring.ui.runs.matrix import MAX_AGENTS, draw_filters, draw_matrix
from authoring.ui.runs.rates import INTERVAL_NOTE, Solved, added, interval_words, rate_words
from authoring.ui.runs.runcharts import draw_charts, draw_rates
from authoring.ui.runs.runcounts import verdicts_by_set, verdicts_of_runs
from authoring.ui.runs.runhead import draw_comparing, draw_head
from authoring.ui.runs.takeresults import draw_take_results
from authoring.ui.widgets import PAGE_SIZE, draw_empty, draw_pager
from authoring.ui.wording import ago, label, plural

ROW: Final = (3, 2, 5, 2)
ALL: Final = "all releases"


def draw_run_rows(ws: Workspace) -> None:
    """Draw the scored runs, newest first, fifty a page."""
    draw_take_results(ws)
    counts = count_runs(ws)
    if not counts:
        draw_empty("No run yet", "Choose a release and an agent above, then start the run.")
        return
    picked = st.selectbox("Runs on", [ALL, *counts], key="r_release", bind="query-params", width=320)
    release = None if picked in (None, ALL) else str(picked)
    slot = st.container(border=True, gap="small")
    offset = draw_pager(counts[release] if release else sum(counts.values()), key=f"runs:page:{release}")
    runs = list_runs(ws, PAGE_SIZE, offset, release=release)
    verdicts = verdicts_of_runs(ws, [run.id for run in runs])
    with slot:
        for run in runs:
            _draw_run(run, Solved.of(verdicts[run.id]))


def draw_agents(ws: Workspace) -> None:
    """Draw the newest run of each agent on a release: rates with intervals, and the matrix of verdicts."""
    counts = count_runs(ws)
    if not counts:
        draw_empty("No run yet", "The verdicts of all agents on a release stand here beside each other.")
        return
    release = str(st.selectbox("Release", list(counts), key="r_matrix", bind="query-params", width=320))
    runs = newest_runs(ws, release, MAX_AGENTS)
    draw_rates(ws, runs)
    by_set = verdicts_by_set(ws, runs[0].id)
    verdicts = {name for each in verdicts_of_runs(ws, [run.id for run in runs]).values() for name in each}
    draw_matrix(ws, runs, draw_filters(sorted(verdicts), list(by_set)))
    st.caption(f"The newest run of each agent, at most {MAX_AGENTS} agents. {counts[release]} runs in all.")


def draw_run(ws: Workspace, run: RunRow) -> None:
    """Draw one run: its rate, its problems, charts, problemsets."""
    counts = verdicts_by_set(ws, run.id)
    draw_head(ws, run, Solved.of(added(counts)))
    draw_comparing(ws, run)
    if not counts:
        draw_empty("No attempt is recorded", "The run was stopped before its first problem, or every set was refused.")
        return
    problems, charts, sets = st.tabs(
        ["Problems", "Charts", "Problemsets"], key="r_tab", on_change="rerun", bind="query-params"
    )
    if problems.open:
        with problems:
            draw_matrix(ws, [run], draw_filters(sorted(added(counts)), list(counts)))
    if charts.open:
        with charts:
            draw_charts(ws, run, counts)
    if sets.open:
        with sets:
            _draw_sets(run, counts)


def _draw_run(run: RunRow, solved: Solved) -> None:
    name, agent, rate, when = st.columns(ROW, vertical_alignment="center")
    with name:
        page_link("runs", f"**{label(run.release)}**", icon=":material/leaderboard:", run=run.id)
    with agent:
        st.markdown(label(run.agent))
        if _policy_words(run):
            st.caption(_policy_words(run))
    rate.markdown(solved.in_words())
    when.caption(ago(run.created_at))


def _policy_words(run: RunRow) -> str:
    """Return what the run was asked beyond the defaults: state and history, epochs, attempts."""
    asked = run.summary.get("asked")
    if not isinstance(asked, dict):
        return ""
    parts = [f"state {asked.get('state', 'reference')}, history {asked.get('history', 'reference')}"]
    parts += [
        f"{asked[name]} {name.replace('max_', '')}" for name in ("epochs", "max_attempts") if asked.get(name, 1) > 1
    ]
    return label(", ".join(parts))


def _draw_sets(run: RunRow, counts: Mapping[str, Mapping[str, int]]) -> None:
    names: Sequence[str] = list(counts)
    st.caption(f"{plural(len(names), 'problemset')}. {INTERVAL_NOTE}")
    slot = st.container()
    offset = draw_pager(len(names), key=f"run:{run.id}:sets")
    withheld = Solved.of(added(counts)).withheld
    with slot:
        rows = [_set_row(name, counts[name], withheld) for name in names[offset : offset + PAGE_SIZE]]
        st.table(rows, border="horizontal", width="content")


def _set_row(name: str, verdicts: Mapping[str, int], withheld: str) -> dict[str, str]:
    solved = Solved.of(verdicts)
    others = [f"{count} {verdict}" for verdict, count in added({name: verdicts}).items() if verdict != "CORRECT"]
    return {
        "Problemset": label(name),
        "Correct": f"{solved.correct} of {solved.judged}",
        "Rate": "withheld" if withheld else f"{rate_words(solved.rate)}{interval_words(solved.interval)}",
        "Others": label(", ".join(others) or "–"),
    }
