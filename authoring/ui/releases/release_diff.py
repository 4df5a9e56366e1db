"""What changed between two releases: problems with both texts beside each other, data, and the order of agents."""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from authoring.release import ChangedProblem, ReleaseDiff, diff_releases, problem_texts
from authoring.store import Release, Workspace
from authoring.ui.drawing.differences import draw_field_difference
from authoring.ui.releases.rank_moves import draw_rank_moves
from authoring.ui.widgets import PAGE_SIZE, draw_empty, draw_pager
from authoring.ui.wording import label


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
    st.subheader("What it does to the order of agents", anchor=False)
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
