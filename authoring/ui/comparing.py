"""Two revisions side by side: which cells changed, and how their verdicts moved."""

from collections.abc import Mapping

import streamlit as st

from authoring.store import Revision, Workspace, latest_dry_run
from authoring.ui.desk import Cell, cells_of
from authoring.ui.differences import draw_field_difference
from authoring.ui.editing import LABELS
from authoring.ui.navigation import page_link
from authoring.ui.widgets import chip_text, draw_empty
from authoring.ui.wording import label, verdict_chip


def draw_comparison(ws: Workspace, before: Revision, after: Revision, problem: str | None) -> None:
    """Draw what changed from one revision to another, one problem first if it is named."""
    old = {cell.key: cell for cell in cells_of(before.problemset_name, before.text)}
    new = {cell.key: cell for cell in cells_of(after.problemset_name, after.text)}
    if not old or not new:
        draw_field_difference(
            before.text, after.text, "text", key=f"compare:{before.id}:{after.id}", label="Whole text"
        )
        return
    keys = sorted(_changed(old, new), key=lambda key: (key != problem, _position(old, new, key)))
    if not keys:
        draw_empty("No problem differs", "Both revisions hold the same cells.")
    verdicts = {revision.id: _verdicts(ws, revision) for revision in (before, after)}
    for key in keys:
        moved = (verdicts[before.id].get(key), verdicts[after.id].get(key))
        _draw_cell(old.get(key), new.get(key), (before, after), moved)


def _changed(old: Mapping[str, Cell], new: Mapping[str, Cell]) -> list[str]:
    return [key for key in {**old, **new} if key not in old or key not in new or old[key].texts != new[key].texts]


def _position(old: Mapping[str, Cell], new: Mapping[str, Cell], key: str) -> int:
    return (new.get(key) or old[key]).position


def _verdicts(ws: Workspace, revision: Revision) -> dict[str, str]:
    dry_run = latest_dry_run(ws, revision.id, light=True)
    return {p.problem_id: p.reference_verdict for p in dry_run.problems} if dry_run else {}


def _draw_cell(
    old: Cell | None,
    new: Cell | None,
    revisions: tuple[Revision, Revision],
    verdicts: tuple[str | None, str | None],
) -> None:
    cell = new or old
    assert cell is not None
    fate = "" if old and new else " · added" if new else " · removed"
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.subheader(f"{cell.name}{f': {label(cell.title)}' if cell.title else ''}{fate}", anchor=False)
            if verdicts[0] != verdicts[1]:
                texts = [chip_text(verdict_chip(verdict or "none")) for verdict in verdicts]
                st.markdown(f"reference {texts[0]} → {texts[1]}", width="content")
            if new:
                page_link("editor", "Open", icon=":material/edit:", set=revisions[1].problemset_id, pid=cell.key)
        for name in cell.texts:
            before, after = (each.texts.get(name, "") if each else "" for each in (old, new))
            if before != after:
                title = LABELS[name] if cell.is_problem else "Setup code"
                st.caption(title)
                key = f"compare:{revisions[0].id}:{revisions[1].id}:{cell.key}:{name}"
                titles = (f"Revision {revisions[0].number}", f"Revision {revisions[1].number}")
                draw_field_difference(before, after, name, key=key, titles=titles, label=f"{cell.name}, {title}")
