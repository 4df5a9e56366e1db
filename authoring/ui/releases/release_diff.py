"""Two releases beside each other: what changed, and how the order of agents moved."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import streamlit as st

from authoring.release import ChangedProblem, ReleaseDiff, diff_releases, problem_texts
from authoring.store.people import Role
from authoring.store.releases import Release
from authoring.store.runs import RunRow, newest_runs
from authoring.store.workspace import Workspace
from authoring.ui.boundary import writes
from authoring.ui.drawing.differences import draw_field_difference
from authoring.ui.jobs import order
from authoring.ui.runs.rates import Solved, rate_words
from authoring.ui.runs.run_counts import verdicts_of_runs
from authoring.ui.shell.navigation import page_link
from authoring.ui.widgets import PAGE_SIZE, draw_empty, draw_pager
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
        order("run", {"rescore": run_id, "release": release_id}, key=rescore_key(run_id, release_id))


def rescore_key(run_id: int, release_id: int | None) -> str:
    """Return the key of jobs that judge the submissions of a run anew: a live one is not ordered twice."""
    return f"run:rescore:{run_id}:{release_id}"


def draw_difference(ws: Workspace, release: Release, others: Sequence[Release]) -> None:
    """Draw the differences of a release to another one that is chosen."""
    if not others:
        draw_empty("There is no other release", "The differences to another release stand here.")
        return
    names = {other.id: f"{other.name} {other.version}" for other in others}
    picked = st.selectbox(
        "Compared with", list(names), format_func=lambda each: names[each], key=f"release:{release.id}:other", width=320
    )
    other = next(each for each in others if each.id == picked)
    draw_diff(diff_releases(Path(other.path), Path(release.path)), Path(other.path), Path(release.path))
    st.header("What it does to the order of agents", anchor=False)
    draw_rank_moves(ws, other, release)


def draw_diff(diff: ReleaseDiff, before: Path, after: Path) -> None:
    """Draw what one release has that another has not, and the reverse."""
    st.caption(f"From {label(diff.before)} to {label(diff.after)}.")
    if diff.is_empty:
        draw_empty("No problem differs", "Both releases ask and judge alike.")
        return
    _draw_changed(diff, before, after)
    rows = [{"Problemset": name, "Problem": problem, "Difference": "added"} for name, problem in diff.added]
    rows += [{"Problemset": name, "Problem": problem, "Difference": "removed"} for name, problem in diff.removed]
    rows += [{"Problemset": name, "Problem": "–", "Difference": "other preparing cells"} for name in diff.setup]
    rows += [{"Problemset": name, "Problem": "–", "Difference": "does not parse"} for name in diff.unreadable]
    rows += [{"Problemset": "–", "Problem": "–", "Difference": f"other data: {path}"} for path in diff.data]
    if not rows:
        return
    slot = st.container()
    offset = draw_pager(len(rows), key=f"diff:{diff.before}:{diff.after}")
    shown = rows[offset : offset + PAGE_SIZE]
    slot.table([{name: label(text) for name, text in row.items()} for row in shown], border="horizontal")


def _draw_changed(diff: ReleaseDiff, before: Path, after: Path) -> None:
    slot = st.container(gap="xsmall")
    offset = draw_pager(len(diff.changed), key=f"changed:{diff.before}:{diff.after}")
    with slot:
        for each in diff.changed[offset : offset + PAGE_SIZE]:
            _draw_problem(each, before, after, (diff.before, diff.after))


def _draw_problem(each: ChangedProblem, before: Path, after: Path, names: tuple[str, str]) -> None:
    title = f"**{label(each.problemset)}: {label(each.problem)}** changed: {label(', '.join(each.parts))}"
    box = st.expander(title, key=f"changed:{each.problemset}:{each.problem}", on_change="rerun")
    if not box.open:
        return
    with box:
        was, now = (problem_texts(folder, each.problemset, each.problem) for folder in (before, after))
        for part in was:
            if was[part] != now.get(part, ""):
                st.markdown(f"**{part.capitalize()}**")
                key = f"changed:{each.problemset}:{each.problem}:{part}"
                field = part if part in ("query", "code") else "settings"
                draw_field_difference(
                    was[part], now.get(part, ""), field, key=key, titles=(names[0], names[1]), label=part
                )
