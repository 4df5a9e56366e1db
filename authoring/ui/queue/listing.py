"""Problemsets as rows of a list."""

from collections.abc import Mapping, Sequence

import streamlit as st

from authoring.store import DryRun, ProblemsetRow, Workspace, find_latest_job
from authoring.ui.help.tour import DEMO_JOB, is_demo
from authoring.ui.jobs import draw_job
from authoring.ui.navigation import page_link
from authoring.ui.queue.leasing import holder_text
from authoring.ui.widgets import chip_text, draw_chip
from authoring.ui.wording import Chip, ago, label, plural, status_chip

WIDTHS = (4, 2, 3, 3)


def draw_demo_job(ws: Workspace) -> None:
    """Draw the job that fills a new demo workspace, until it is done."""
    job = find_latest_job(ws, DEMO_JOB) if is_demo(ws) else None
    if job is not None and job.state not in ("done", "cancelled"):
        with st.container(border=True):
            draw_job(job)


def draw_problemset_rows(rows: Sequence[ProblemsetRow], dry_runs: Mapping[int, DryRun]) -> None:
    """Draw one line per problemset: name, status, last dry run, who works on it."""
    with st.container(border=True, gap="small"):
        for row in rows:
            name, status, verdicts, people = st.columns(WIDTHS, vertical_alignment="center")
            with name:
                page_link("problemset", f"**{label(row.name)}**", icon=":material/menu_book:", set=row.id)
            with status:
                draw_chip(status_chip(row.status))
            verdicts.markdown(chip_text(dry_run_chip(dry_runs.get(row.head_revision_id))))
            with people:
                if holder := holder_text(row):
                    st.markdown(holder)
                st.caption(_facts(row))


def dry_run_chip(dry_run: DryRun | None) -> Chip:
    """Return how many references of a dry run pass."""
    if dry_run is None:
        return Chip("no dry run yet", ":material/hourglass_empty:", "gray")
    passing = sum(problem.reference_verdict == "CORRECT" for problem in dry_run.problems)
    count = len(dry_run.problems)
    misjudged = len(dry_run.summary.get("misjudged_examples", ()))
    if misjudged and passing == count:
        verb = "is" if misjudged == 1 else "are"
        return Chip(f"{plural(misjudged, 'kept example')} {verb} misjudged", ":material/close:", "red")
    if count and passing == count:
        return Chip(f"all {count} pass", ":material/check:", "green")
    return Chip(f"{count - passing} of {count} fail", ":material/close:", "red")


def _facts(row: ProblemsetRow) -> str:
    facts = [f"{plural(row.problem_count, 'problem')}, revision {row.head_number}"]
    if row.open_comments:
        facts.append(plural(row.open_comments, "open comment"))
    facts.append(ago(row.updated_at or row.created_at))
    return " · ".join(facts)
