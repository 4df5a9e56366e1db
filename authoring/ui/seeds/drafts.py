"""What was drafted on a seed or from a sketch: how each draft stands, and what it cost."""

import streamlit as st

from authoring.store import DraftRow, DryRun, Workspace, count_drafts, latest_dry_runs, list_drafts
from authoring.ui.navigation import page_link
from authoring.ui.queue.listing import dry_run_chip
from authoring.ui.widgets import PAGE_SIZE, chip_text, draw_empty, draw_pager
from authoring.ui.wording import ago, label, plural, status_chip

WIDTHS = (4, 2, 2, 4)


def draw_drafts(ws: Workspace, seed_id: int, sketch_id: int | None = None) -> None:
    """Draw one line per draft, newest first."""
    count = count_drafts(ws, seed_id=seed_id, sketch_id=sketch_id)
    if not count:
        draw_empty("Nothing was drafted yet", "Draft the problemset from a sketch: it then stands here.")
        return
    slot = st.container(border=True, gap="small")
    offset = draw_pager(count, key=f"drafts:{seed_id}:{sketch_id}")
    rows = list_drafts(ws, seed_id=seed_id, sketch_id=sketch_id, limit=PAGE_SIZE, offset=offset)
    dry_runs = latest_dry_runs(ws, [row.head_revision_id for row in rows])
    for row in rows:
        with slot:
            _draw_draft(row, dry_runs.get(row.head_revision_id))


def _draw_draft(row: DraftRow, dry_run: DryRun | None) -> None:
    name, status, verdicts, facts = st.columns(WIDTHS, vertical_alignment="center")
    with name:
        page_link("problemset", f"**{label(row.name)}**", icon=":material/menu_book:", set=row.problemset_id)
    status.markdown(chip_text(status_chip(row.status)))
    verdicts.markdown(chip_text(dry_run_chip(dry_run)))
    facts.caption(f"{plural(row.problem_count, 'problem')} · {_by(row)} · {ago(row.created_at)}")


def _by(row: DraftRow) -> str:
    """Return who wrote a draft and what that took; the provenance may hold anything."""
    known = row.provenance
    if row.origin != "model":
        return f"{label(row.origin)} author" if row.origin == "template" else label(row.origin)
    counts = [known.get(name) for name in ("prompt_tokens", "completion_tokens")]
    tokens = sum(int(count) for count in counts if isinstance(count, int))
    cost = known.get("cost")
    priced = f", cost {cost:.4f} {label(str(known.get('currency') or ''))}" if isinstance(cost, int | float) else ""
    repairs = known.get("repairs")
    mended = f", {plural(repairs, 'repair')}" if isinstance(repairs, int) and repairs else ""
    return f"model {label(str(known.get('model') or ''))}: {tokens:,} tokens{priced}{mended}"
