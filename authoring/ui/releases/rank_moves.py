"""What another release does to the order of agents, and scoring stored submissions on it."""

from typing import Final

import streamlit as st

from authoring.store import Release, Role, RunRow, Workspace, newest_runs
from authoring.ui.boundary import writes
from authoring.ui.jobs import order
from authoring.ui.navigation import page_link
from authoring.ui.runs.rates import Solved, rate_words
from authoring.ui.runs.run_counts import verdicts_of_runs
from authoring.ui.widgets import draw_empty
from authoring.ui.wording import label, plural
from evaluator.reporting import MovedRank, moved_ranks

MAX_AGENTS: Final = 50


def draw_rank_moves(ws: Workspace, before: Release, after: Release) -> None:
    """Draw the places of agents on two releases, and offer to score on the later what ran on the earlier."""
    runs = {release.id: newest_runs(ws, _name(release), MAX_AGENTS) for release in (before, after)}
    was, now = runs[before.id], runs[after.id]
    missing = [run for run in was if run.agent not in {other.agent for other in now}]
    if missing:
        st.button(
            f"Score {plural(len(missing), 'stored run')} on {label(_name(after))}",
            key=f"rescore:{before.id}:{after.id}",
            icon=":material/replay:", on_click=rescore, args=(tuple(run.id for run in missing), after.id),
            help="The submissions of each agent's newest run are judged on this release, as runs of their own.",
        )  # fmt: skip
        page_link("runs", "Watch the jobs", icon=":material/play_circle:", view="jobs")
    moved = moved_ranks(_rates(ws, was), _rates(ws, now))
    if not moved:
        draw_empty("No agent has a rate on either release", "Run agents on them, or score stored runs.")
        return
    st.table([_row(each, before, after) for each in moved], border="horizontal", width="content")
    st.caption(
        "The newest run of each agent. Places are counted among the agents that have a rate on both releases. Rates "
        "are withheld while anything is not judged. Small differences are chance: compare the runs."
    )


def _name(release: Release) -> str:
    return f"{release.name} {release.version}"


def _rates(ws: Workspace, runs: list[RunRow]) -> dict[str, float]:
    counts = verdicts_of_runs(ws, [run.id for run in runs])
    rates = {run.agent: Solved.of(counts[run.id]).rate for run in runs}
    return {agent: rate for agent, rate in rates.items() if rate is not None}


def _row(each: MovedRank, before: Release, after: Release) -> dict[str, str]:
    moved = each.moved
    word = "–" if moved is None else "same" if moved == 0 else f"{'up' if moved > 0 else 'down'} {abs(moved)}"
    return {
        "Agent": label(each.agent),
        label(_name(before)): _place(each.rank_before, each.rate_before),
        label(_name(after)): _place(each.rank_after, each.rate_after),
        "Moved": word,
    }


def _place(rank: int | None, rate: float | None) -> str:
    return rate_words(rate) if rank is None else f"{rank}. ({rate_words(rate)})"


@writes(Role.EVALUATOR, Role.MAINTAINER)
def rescore(run_ids: tuple[int, ...], release_id: int | None) -> None:
    """Order the judging of stored submissions, one job a run; on the release that they ran on when none is named."""
    for run_id in run_ids:
        order("run", {"rescore": run_id, "release": release_id}, key=f"run:rescore:{run_id}:{release_id}")
